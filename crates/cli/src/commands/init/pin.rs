//! Which commit of the action the workflows name. A release cannot know its own, because the commit
//! that is tagged holds the digests of the built program: the action's repository is asked.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Where the action lives.
pub(super) const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// What stands in the examples.
pub(super) const UNKNOWN: &str = "0000000000000000000000000000000000000000";

/// How long a network that does not answer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// A commit to name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pin {
    /// 40 hexadecimal digits.
    pub(super) commit: String,
    /// What to do where they are not known.
    pub(super) missing: Option<String>,
}

impl Pin {
    /// The one given, else that of this version's tag.
    pub(super) fn find(given: Option<&str>) -> Self {
        let known = |commit: String| Self { commit, missing: None };
        given.map(str::to_owned).or_else(asked).map_or_else(Self::unknown, known)
    }

    fn unknown() -> Self {
        let missing = format!(
            "no release {} could be asked for, so the workflows do not run yet: put its commit in place of the 40 \
             zeros, as `git ls-remote {REPOSITORY} '{}^{{}}'` tells it. Before there is a release: a commit of the \
             default branch, and the input `binary-path` with a binary that was built before",
            tag(),
            tag()
        );
        Self { commit: UNKNOWN.into(), missing: Some(missing) }
    }
}

/// The tag of this version.
fn tag() -> String {
    format!("v{}", env!("CARGO_PKG_VERSION"))
}

fn asked() -> Option<String> {
    let tag = format!("refs/tags/{}", tag());
    let peeled = format!("{tag}^{{}}");
    let answer = ask(&[REPOSITORY, &tag, &peeled])?;
    commit_in(&answer, &peeled).or_else(|| commit_in(&answer, &tag))
}

/// What `git ls-remote` says of these; nothing where it asks for a password or takes too long.
fn ask(arguments: &[&str]) -> Option<String> {
    let mut child = Command::new("git")
        .args(["-c", "credential.helper=", "ls-remote", "--quiet"])
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ASKPASS", "true")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let end = Instant::now() + PATIENCE;
    while child.try_wait().ok()?.is_none() {
        if Instant::now() > end {
            // Whether or not it could be ended, nobody waits for it any longer.
            let _ended = child.kill();
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let output = child.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The commit beside a name in `ls-remote`'s answer.
fn commit_in(answer: &str, name: &str) -> Option<String> {
    let mut lines = answer.lines().filter_map(|line| line.split_once('\t'));
    lines.find(|(_, found)| *found == name).map(|(commit, _)| commit.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_with_a_message_stands_for_its_commit() {
        let answer = "aaa\trefs/tags/v1\nbbb\trefs/tags/v1^{}\n";
        assert_eq!(commit_in(answer, "refs/tags/v1^{}").as_deref(), Some("bbb"));
        assert_eq!(commit_in(answer, "refs/tags/v1").as_deref(), Some("aaa"));
        assert_eq!(commit_in("", "refs/tags/v1"), None);
    }
}
