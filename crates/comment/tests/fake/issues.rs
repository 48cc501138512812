//! Issues, and the pull requests that commits came with.

use super::answers::{no, ok, page, user};
use super::{Issue, Request, Response, State};
use serde_json::{Value, json};

/// Whether a request, below its repository, is answered here.
pub(super) fn is_theirs(method: &str, parts: &[&str]) -> bool {
    matches!(
        (method, parts),
        ("GET", ["commits", _, "pulls"]) | ("GET" | "POST", ["issues"]) | ("PATCH", ["issues", _])
    )
}

impl State {
    pub(super) fn issues_and_merges(&mut self, request: &Request, parts: &[&str]) -> Response {
        match (request.method.as_str(), parts) {
            ("GET", ["commits", commit, "pulls"]) => {
                let pulls = self.pulls_of.get(*commit).map_or(&[][..], Vec::as_slice);
                page(&self.address, request, &pulls.iter().collect::<Vec<_>>())
            }
            ("GET", _) => {
                // Of pull requests GitHub tells here as well.
                let mut pull = Issue::new(7, "A change", "text", super::PERSON).json();
                pull["pull_request"] = json!({
                    "url": "https://api.github.com/x", "html_url": "https://github.com/x",
                    "diff_url": "https://github.com/x.diff", "patch_url": "https://github.com/x.patch",
                });
                let open = self.issues.iter().filter(|issue| issue.is_open).map(Issue::json);
                let all: Vec<Value> = open.chain([pull]).collect();
                page(&self.address, request, &all.iter().collect::<Vec<_>>())
            }
            ("POST", _) => self.open_issue(request),
            (_, ["issues", number]) => self.change_issue(request, number),
            _ => no(404, "Not Found"),
        }
    }

    fn open_issue(&mut self, request: &Request) -> Response {
        let text = |field: &str| request.json()[field].as_str().unwrap_or_default().to_owned();
        let number = 1000 + self.issues.len() as u64;
        let issue = Issue::new(number, &text("title"), &text("body"), self.me());
        self.issues.push(issue.clone());
        Response::json(201, &issue.json())
    }

    fn change_issue(&mut self, request: &Request, number: &str) -> Response {
        let Some(issue) = self.issues.iter_mut().find(|i| i.number.to_string() == number) else {
            return no(404, "Not Found");
        };
        let changes = request.json();
        if let Some(body) = changes["body"].as_str() {
            issue.body = body.to_owned();
        }
        issue.is_open = issue.is_open && changes["state"] != "closed";
        ok(&issue.json())
    }
}

impl Issue {
    pub(crate) fn new(
        number: u64,
        title: &str,
        body: &str,
        author: (u64, &'static str, &'static str),
    ) -> Self {
        Self { number, title: title.to_owned(), body: body.to_owned(), is_open: true, author }
    }

    pub(super) fn node_id(&self) -> String {
        format!("I_{}", self.number)
    }

    fn json(&self) -> Value {
        let number = self.number;
        let api = format!("https://api.github.com/repos/org/hello/issues/{number}");
        json!({
            "id": 900_000 + number, "node_id": self.node_id(), "number": number,
            "title": self.title, "body": self.body, "user": user(self.author),
            "state": if self.is_open { "open" } else { "closed" }, "locked": false, "labels": [],
            "assignee": null, "milestone": null, "comments": 0, "closed_at": null,
            "author_association": "NONE", "url": api,
            "html_url": format!("https://github.com/org/hello/issues/{number}"),
            "repository_url": "https://api.github.com/repos/org/hello",
            "labels_url": format!("{api}/labels{{/name}}"), "comments_url": format!("{api}/comments"),
            "events_url": format!("{api}/events"),
            "created_at": "2026-12-01T10:00:00Z", "updated_at": "2026-12-01T10:00:00Z",
        })
    }
}
