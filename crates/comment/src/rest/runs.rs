//! [`Reruns`] over the REST API.

use super::answers::RunAnswer;
use super::{COMMENTS, Rest};
use crate::{Permission, Refusal, Reruns, Run, WriteError};
use http::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

/// Lines of `permissions:` by what needs them.
const RERUNS: &str = "actions: write";
const RUNS: &str = "actions: read";

#[derive(Deserialize)]
struct PermissionAnswer {
    permission: String,
}

#[derive(Deserialize)]
struct RunsAnswer {
    workflow_runs: Vec<RunAnswer>,
}

impl Reruns for Rest {
    fn permission(&self, login: &str) -> Result<Permission, Refusal> {
        let what = format!("what {login} may do in {}", self.place);
        let login = utf8_percent_encode(login, NON_ALPHANUMERIC);
        let path = self.path(&format!("/collaborators/{login}/permission"));
        let answer: PermissionAnswer = self.get(&what, &path, COMMENTS)?;
        Ok(match answer.permission.as_str() {
            "admin" => Permission::Admin,
            "write" => Permission::Write,
            "read" => Permission::Read,
            _ => Permission::None,
        })
    }

    fn runs_for(&self, head: &str) -> Result<Vec<Run>, Refusal> {
        let what = format!("the runs for {head} of {}", self.place);
        let head = utf8_percent_encode(head, NON_ALPHANUMERIC);
        // GitHub gives the newest first; nobody pushes a commit a hundred times.
        let query = format!("/actions/runs?event=pull_request&head_sha={head}&per_page=100");
        let answer: RunsAnswer = self.get(&what, &self.path(&query), RUNS)?;
        Ok(answer.workflow_runs.into_iter().map(Run::from).collect())
    }

    fn run_again(&self, run: u64) -> Result<(), WriteError> {
        let what = format!("running run {run} of {} again", self.place);
        let path = self.path(&format!("/actions/runs/{run}/rerun"));
        self.write(&what, &Method::POST, &path, None, RERUNS).map(|_| ())
    }
}
