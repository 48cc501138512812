//! [`Tracker`] over the REST API.

use super::answers::{CommentAnswer, IssueAnswer, PullAnswer};
use super::{PULLS, Rest, encoded, identity, parsed};
use crate::{Comment, Posted, Refusal, Tracker, WriteError};
use http::Method;
use serde_json::{Value, json};

/// The line of `permissions:` that is needed.
const ISSUES: &str = "issues: write";

impl Tracker for Rest {
    fn merged_pulls(&self, commit: &str, branch: &str) -> Result<Vec<u64>, Refusal> {
        let what = format!("the pull requests of commit {commit} of {}", self.place);
        let path = self.path(&format!("/commits/{}/pulls", encoded(commit)));
        let answers: Vec<PullAnswer> = self.pages(&what, &path, PULLS)?;
        Ok(answers.iter().filter_map(|answer| answer.merged_into(branch)).collect())
    }

    fn open_issues(&self) -> Result<Vec<Comment>, Refusal> {
        let what = format!("the open issues of {}", self.place);
        let path = self.path("/issues?state=open");
        let answers: Vec<IssueAnswer> = self.pages(&what, &path, ISSUES)?;
        let issues = answers.into_iter().filter(|answer| answer.pull_request.is_none());
        // What changes an issue is its number.
        let texts = issues.map(|issue| CommentAnswer { id: issue.number, ..issue.text }).collect();
        Ok(identity::with_authors(&self.client, &self.graphql_url, texts))
    }

    fn open_issue(&self, title: &str, body: &str) -> Result<Posted, WriteError> {
        let what = format!("an issue in {}", self.place);
        let content = json!({ "title": title, "body": body });
        self.write_issue(&what, &Method::POST, &self.path("/issues"), &content)
    }

    fn update_issue(&self, number: u64, body: &str) -> Result<Posted, WriteError> {
        self.change_issue(number, &json!({ "body": body }))
    }

    fn close_issue(&self, number: u64) -> Result<(), WriteError> {
        self.change_issue(number, &json!({ "state": "closed" })).map(drop)
    }
}

impl Rest {
    fn change_issue(&self, number: u64, content: &Value) -> Result<Posted, WriteError> {
        let what = format!("issue {number} of {}", self.place);
        let path = self.path(&format!("/issues/{number}"));
        self.write_issue(&what, &Method::PATCH, &path, content)
    }

    fn write_issue(
        &self,
        what: &str,
        method: &Method,
        path: &str,
        content: &Value,
    ) -> Result<Posted, WriteError> {
        let reply = self.write(what, method, path, Some(content), ISSUES)?;
        let answer: IssueAnswer = parsed(what, &reply).map_err(WriteError::Unclear)?;
        Ok(Posted { id: answer.number, url: answer.text.html_url })
    }
}
