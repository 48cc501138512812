//! Measuring a fork's pull request again: its own run is started again, as it was. None of its code
//! runs in this job.

use super::ActionError;
use super::plan::Again;
use crate::error::CliError;
use crate::github::variable;
use bench_comment::{GitHub as _, Measuring, Reruns as _, Rest, Run, WriteError, measuring_run};

/// Names of artifacts with results begin so.
const RESULTS: &str = "bench-result-";

/// Starts the last measuring run of a pull request again; says what was done.
pub(crate) fn run_again(github: &Rest, again: &Again) -> Result<String, CliError> {
    let runs = github.runs_for(&again.head).map_err(CliError::Refused)?;
    let path = variable("GITHUB_WORKFLOW_REF").and_then(|name| workflow_path(&name));
    let mut measures = |run: &Run| {
        let artifacts = github.artifacts(run.id).unwrap_or_default();
        artifacts.iter().any(|artifact| artifact.name.starts_with(RESULTS))
    };
    let found = measuring_run(&runs, again.head_repository, path.as_deref(), &mut measures);
    let pull = again.pull;
    match found {
        Measuring::Ended(run) => {
            github.run_again(run.id).map_err(refused)?;
            Ok(format!(
                "pull request {pull} is a fork's: its own run is started again, {}",
                run.url
            ))
        }
        Measuring::Running(run) => Ok(format!(
            "pull request {pull} is a fork's: its own run has not ended yet, {}",
            run.url
        )),
        Measuring::Unclear => Err(none(
            again,
            "several workflows ran for it, and none of them left \
            results: start the one that measures again on its page",
        )),
        Measuring::None => Err(none(
            again,
            "no workflow has run for it on `pull_request`: approve \
            its run on the page of the pull request where it waits for that, or ask for a push",
        )),
    }
}

fn none(again: &Again, what: &str) -> CliError {
    let head = again.head.get(..7).unwrap_or_default();
    let pull = again.pull;
    ActionError::Refused(format!(
        "pull request {pull} is a fork's, and its code runs in its own run only. Of its commit {head} \
         there is no run to start again: {what}"
    ))
    .into()
}

fn refused(error: WriteError) -> CliError {
    match error {
        WriteError::Refused(refusal) | WriteError::Unclear(refusal) => CliError::Refused(refusal),
        WriteError::Gone | WriteError::TooLong => {
            ActionError::Refused("the run is gone: ask for a push".into()).into()
        }
    }
}

/// `.github/workflows/bench.yml` of `owner/name/.github/workflows/bench.yml@refs/heads/main`.
fn workflow_path(name: &str) -> Option<String> {
    let path = name.split('@').next()?.splitn(3, '/').nth(2)?;
    Some(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workflows_file_is_read_from_its_reference() {
        let path = workflow_path("org/hello/.github/workflows/bench.yml@refs/heads/main");
        assert_eq!(path.as_deref(), Some(".github/workflows/bench.yml"));
        assert_eq!(workflow_path("bench.yml"), None);
    }
}
