//! Lists of runs, starting one again, and who may do what.

use super::answers::no;
use super::{Request, Response, State};
use serde_json::{Value, json};

/// Whether a request, below its repository, is answered here.
pub(super) fn is_theirs(method: &str, parts: &[&str]) -> bool {
    matches!(
        (method, parts),
        ("GET", ["actions", "runs"])
            | ("POST", ["actions", "runs", _, "rerun"])
            | ("GET", ["collaborators", _, "permission"])
    )
}

impl State {
    pub(super) fn runs_and_rights(&mut self, request: &Request, parts: &[&str]) -> Response {
        match parts {
            ["actions", "runs"] => self.list_runs(request),
            ["actions", "runs", id, "rerun"] => self.start_again(id),
            ["collaborators", login, "permission"] => {
                let known = self.permissions.iter().find(|(name, _)| name == login);
                let permission = known.map_or("read", |(_, permission)| permission);
                Response::json(200, &json!({ "permission": permission, "role_name": permission }))
            }
            _ => no(404, "Not Found"),
        }
    }

    fn list_runs(&self, request: &Request) -> Response {
        let is_wanted = |run: &&Value| {
            let asked = |query: &str, field: &str| {
                request.query.get(query).is_none_or(|wanted| run[field] == wanted.as_str())
            };
            asked("head_sha", "head_sha") && asked("event", "event")
        };
        let mut found: Vec<&Value> = self.runs.iter().filter(is_wanted).collect();
        found.reverse();
        Response::json(200, &json!({ "total_count": found.len(), "workflow_runs": found }))
    }

    fn start_again(&mut self, id: &str) -> Response {
        let run = self.runs.iter().find(|run| run["id"].as_u64() == id.parse().ok());
        match run {
            None => no(404, "Not Found"),
            Some(run) if run["conclusion"].is_null() => no(403, "This workflow is already running"),
            Some(run) => {
                self.started_again.extend(run["id"].as_u64());
                Response::json(201, &json!({}))
            }
        }
    }
}
