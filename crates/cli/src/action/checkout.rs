//! What lies in the workspace before anything is done there.

use crate::github::Reporter;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checkout {
    /// No repository.
    Absent,
    /// A repository that gives nothing away.
    Plain,
    /// A repository whose configuration holds a token.
    WithToken,
}

/// Looks, and changes nothing.
pub(crate) fn look(workspace: &Path) -> Checkout {
    let is_repository = git(workspace, &["rev-parse", "--git-dir"]);
    if !is_repository.is_some_and(|output| output.status.success()) {
        return Checkout::Absent;
    }
    let headers = ["config", "--name-only", "--get-regexp", r"^http\..*\.extraheader$"];
    match git(workspace, &headers) {
        Some(output) if output.status.success() && !output.stdout.is_empty() => Checkout::WithToken,
        _ => Checkout::Plain,
    }
}

fn git(workspace: &Path, words: &[&str]) -> Option<Output> {
    let mut git = Command::new("git");
    // In a container the checkout may belong to another user.
    git.args(["-c", "safe.directory=*"]).args(words).current_dir(workspace);
    git.stdin(Stdio::null()).output().ok()
}

/// Variables that let one git, and what it starts, speak to the repository's server with the
/// job's token. A number of settings that is given already is added to.
pub(crate) fn credentials(reporter: &Reporter, given: Option<&str>) -> Vec<(String, String)> {
    if reporter.token.is_empty() {
        return Vec::new();
    }
    let first: usize = given.and_then(|count| count.parse().ok()).unwrap_or(0);
    let secret = STANDARD.encode(format!("x-access-token:{}", reporter.token));
    vec![
        ("GIT_CONFIG_COUNT".into(), (first + 1).to_string()),
        (format!("GIT_CONFIG_KEY_{first}"), format!("http.{}/.extraheader", reporter.server_url)),
        (format!("GIT_CONFIG_VALUE_{first}"), format!("AUTHORIZATION: basic {secret}")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        run(directory.path(), &["init", "--quiet"]);
        directory
    }

    fn run(directory: &Path, words: &[&str]) {
        assert!(git(directory, words).unwrap().status.success(), "{words:?}");
    }

    #[test]
    fn a_token_that_a_checkout_has_left_is_seen() {
        let directory = repository();
        assert_eq!(look(directory.path()), Checkout::Plain);
        let header = ["config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic x"];
        run(directory.path(), &header);
        assert_eq!(look(directory.path()), Checkout::WithToken);
    }

    #[test]
    fn a_token_in_a_file_that_is_included_is_seen_as_well() {
        let directory = repository();
        let included = directory.path().join(".git/credentials.config");
        let text = "[http \"https://github.com/\"]\n\textraheader = AUTHORIZATION: basic x\n";
        std::fs::write(&included, text).unwrap();
        run(directory.path(), &["config", "include.path", "credentials.config"]);
        assert_eq!(look(directory.path()), Checkout::WithToken);
    }

    #[test]
    fn an_empty_workspace_is_known() {
        assert_eq!(look(tempfile::tempdir().unwrap().path()), Checkout::Absent);
    }

    #[test]
    fn the_token_goes_to_the_jobs_own_server_beside_what_is_set_already() {
        let reporter = Reporter {
            token: "ghs_x".into(),
            api_url: String::new(),
            graphql_url: String::new(),
            server_url: "https://git.example".into(),
            repository: None,
            workflow: None,
            run: 0,
            attempt: 0,
            proxy: None,
            no_proxy: None,
        };
        let variables = credentials(&reporter, Some("2"));
        let value = |name: &str| variables.iter().find(|(n, _)| n == name).unwrap().1.as_str();
        assert_eq!(value("GIT_CONFIG_COUNT"), "3");
        assert_eq!(value("GIT_CONFIG_KEY_2"), "http.https://git.example/.extraheader");
        assert_eq!(
            value("GIT_CONFIG_VALUE_2"),
            "AUTHORIZATION: basic eC1hY2Nlc3MtdG9rZW46Z2hzX3g="
        );
        assert_eq!(credentials(&Reporter { token: String::new(), ..reporter }, None), []);
    }
}
