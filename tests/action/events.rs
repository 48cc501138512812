//! Events as GitHub sends them.

use serde_json::{Value, json};

/// The repository of the tests, and a fork of it.
pub(crate) const OWN: u64 = crate::fake::REPOSITORY;
pub(crate) const FORK: u64 = crate::fake::FORK;

fn repository() -> Value {
    json!({
        "id": OWN, "full_name": "org/hello", "name": "hello", "owner": { "login": "org" },
        "default_branch": "main",
    })
}

/// A push to pull request 7, whose branch is in this repository.
pub(crate) fn pull_request(head: &str, base: &str, repository_id: u64) -> Value {
    let owner = if repository_id == OWN { "org" } else { "contributor" };
    json!({
        "action": "synchronize", "number": 7, "sender": { "login": owner },
        "pull_request": {
            "number": 7, "draft": false, "labels": [], "user": { "login": owner },
            "head": { "sha": head, "ref": "feature",
                      "repo": { "id": repository_id, "full_name": format!("{owner}/hello") } },
            "base": { "sha": base, "ref": "main",
                      "repo": { "id": OWN, "full_name": "org/hello" } },
        },
        "repository": repository(),
    })
}

/// The end of a run that a fork's pull request started.
pub(crate) fn workflow_run(run: u64, head: &str) -> Value {
    json!({
        "action": "completed",
        "workflow_run": {
            "id": run, "path": ".github/workflows/bench.yml", "event": "pull_request",
            "conclusion": "success", "head_sha": head, "head_branch": "feature",
            "head_repository": { "id": FORK, "owner": { "login": "contributor" } },
            "pull_requests": [],
        },
        "repository": repository(),
    })
}

/// Somebody has started the workflow for pull request 7.
pub(crate) fn dispatch() -> Value {
    json!({ "inputs": { "pr": "7" }, "ref": "refs/heads/main", "repository": repository() })
}

/// Somebody has started the workflow for the default branch; `inputs` are the workflow's own.
pub(crate) fn dispatch_with(inputs: &Value) -> Value {
    json!({ "inputs": inputs, "ref": "refs/heads/main", "repository": repository() })
}

/// Somebody has written a comment on pull request 7.
pub(crate) fn comment(author: &str, text: &str) -> Value {
    json!({
        "action": "created",
        "issue": { "number": 7, "state": "open", "pull_request": { "url": "x" } },
        "comment": { "body": text, "user": { "login": author } },
        "repository": repository(),
    })
}
