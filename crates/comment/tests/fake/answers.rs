//! What GitHub answers when nothing goes wrong.

use super::{MOST_BYTES, Request, Response, State, Stored};
use serde_json::{Value, json};

/// The repository's own number.
pub(crate) const REPOSITORY: u64 = 1;

/// That of a fork.
pub(crate) const FORK: u64 = 9;

/// Where the API is on an Enterprise Server.
const ENTERPRISE: &str = "/api/v3";

/// A pull request whose branch `feature` stands at the commit of this letter in this repository.
pub(crate) fn pull(number: u64, letter: char, repository: u64) -> Value {
    let owner = if repository == REPOSITORY { "org" } else { "contributor" };
    json!({
        "number": number,
        "state": "open",
        "head": {
            "sha": letter.to_string().repeat(40), "ref": "feature",
            "repo": { "id": repository, "full_name": format!("{owner}/hello") },
        },
        "base": {
            "sha": "2".repeat(40), "ref": "main",
            "repo": { "id": REPOSITORY, "full_name": "org/hello" },
        },
        "merge_commit_sha": "3".repeat(40),
    })
}

/// A run for the commit of this letter on the branch `feature` of this repository.
pub(crate) fn run(id: u64, letter: char, repository: u64) -> Value {
    let owner = if repository == REPOSITORY { "org" } else { "contributor" };
    json!({
        "id": id, "run_attempt": 1, "event": "pull_request", "status": "completed",
        "conclusion": "success", "path": ".github/workflows/bench.yml",
        "head_sha": letter.to_string().repeat(40), "head_branch": "feature",
        "html_url": format!("https://github.com/org/hello/actions/runs/{id}"),
        "repository": { "id": REPOSITORY, "full_name": "org/hello" },
        "head_repository": { "id": repository, "owner": { "login": owner } },
        "actor": { "login": owner },
        "pull_requests": [],
    })
}

impl State {
    pub(super) fn usual(&mut self, request: &Request) -> Response {
        let path = request.path.strip_prefix(ENTERPRISE).unwrap_or(&request.path);
        let rest = path.strip_prefix("/repos/org/hello");
        let parts: Vec<&str> = rest.unwrap_or(path).split('/').skip(1).collect();
        match (request.method.as_str(), rest.is_some(), parts.as_slice()) {
            ("GET", true, []) => ok(&repository()),
            ("GET", true, ["contents", path @ ..]) => self.file(request, &path.join("/")),
            ("GET", true, ["compare", range]) => self.compare(range),
            ("GET", true, ["pulls"]) => self.open_pulls(request),
            ("GET", true, ["pulls", number]) => self.one_of(&self.pulls, "number", number),
            ("GET", true, ["issues", pull, "comments"]) => self.list(request, pull),
            ("POST", true, ["issues", pull, "comments"]) => self.create(request, pull),
            ("PATCH", true, ["issues", "comments", id]) => self.update(request, id),
            ("DELETE", true, ["issues", "comments", id]) => self.delete(id),
            ("POST", true, ["check-runs"]) => self.check(request),
            (_, true, parts) if super::issues::is_theirs(&request.method, parts) => {
                self.issues_and_merges(request, parts)
            }
            (_, true, parts) if super::runs::is_theirs(&request.method, parts) => {
                self.runs_and_rights(request, parts)
            }
            ("GET", true, ["actions", "runs", id]) => self.one_of(&self.runs, "id", id),
            ("GET", true, ["actions", "runs", _, "artifacts"]) => self.list_artifacts(),
            ("GET", true, ["actions", "artifacts", id, "zip"]) => {
                Response::empty(302).with(vec![("location", format!("{}/store/{id}", self.store))])
            }
            ("GET", false, ["user"]) if self.is_persons_token => ok(&user(self.me())),
            ("GET", false, ["user"]) => no(403, "Resource not accessible by integration"),
            ("POST", false, ["graphql"] | ["api", "graphql"]) if !self.has_no_graphql => {
                self.graphql(request)
            }
            _ => no(404, "Not Found"),
        }
    }

    fn one_of(&self, values: &[Value], field: &str, wanted: &str) -> Response {
        let found = values.iter().find(|value| value[field].as_u64() == wanted.parse().ok());
        found.map_or_else(|| no(404, "Not Found"), ok)
    }

    /// A file, its bytes in lines of 60 digits as GitHub writes them.
    fn file(&self, request: &Request, path: &str) -> Response {
        let is_main = request.query.get("ref").is_none_or(|branch| branch == "main");
        let Some(bytes) = self.files.get(path).filter(|_| is_main) else {
            return no(404, "Not Found");
        };
        let lines: Vec<String> = bytes.chunks(45).map(base64).collect();
        let address = format!("https://api.github.com/repos/org/hello/contents/{path}?ref=main");
        ok(&json!({
            "type": "file", "encoding": "base64", "size": bytes.len(), "name": path, "path": path,
            "content": lines.join("\n") + "\n", "sha": "4".repeat(40),
            "url": address, "git_url": address, "html_url": address, "download_url": address,
            "_links": { "self": address, "git": address, "html": address },
        }))
    }

    /// How `main` stands to a commit.
    fn compare(&self, range: &str) -> Response {
        let Some((commit, "main")) = range.split_once("...") else { return no(404, "Not Found") };
        let (status, behind) = match self.elsewhere.iter().any(|other| other == commit) {
            true => ("diverged", 1),
            false => ("ahead", 0),
        };
        ok(&json!({
            "status": status, "ahead_by": 3, "behind_by": behind, "total_commits": 3, "commits": [],
        }))
    }

    fn open_pulls(&self, request: &Request) -> Response {
        let wanted = request.query.get("head").cloned().unwrap_or_default();
        let head = |pull: &Value| {
            let name = pull["head"]["repo"]["full_name"].as_str().unwrap_or_default();
            let owner = name.split('/').next().unwrap_or_default();
            format!("{owner}:{}", pull["head"]["ref"].as_str().unwrap_or_default())
        };
        let is_wanted = |pull: &&Value| head(pull) == wanted && pull["state"] == "open";
        let found: Vec<&Value> = self.pulls.iter().filter(is_wanted).collect();
        page(&self.address, request, &found)
    }

    fn list(&self, request: &Request, pull: &str) -> Response {
        let of_pull = self.comments.iter().filter(|comment| comment.pull.to_string() == pull);
        let all: Vec<Value> = of_pull.map(|stored| self.comment_json(stored)).collect();
        page(&self.address, request, &all.iter().collect::<Vec<_>>())
    }

    fn create(&mut self, request: &Request, pull: &str) -> Response {
        let Some(body) = text_of(request) else { return invalid("missing_field", "body") };
        if body.len() > MOST_BYTES {
            return too_long();
        }
        let (Ok(pull), author) = (pull.parse(), self.me()) else { return no(404, "Not Found") };
        let id = self.add(pull, &body, author);
        let stored = self.comments.iter().find(|comment| comment.id == id);
        let json = stored.map(|stored| self.comment_json(stored)).unwrap_or_default();
        Response::json(201, &json)
    }

    fn update(&mut self, request: &Request, id: &str) -> Response {
        let Some(body) = text_of(request) else { return invalid("missing_field", "body") };
        let Some(at) = self.comments.iter().position(|comment| comment.id.to_string() == id) else {
            return no(404, "Not Found");
        };
        if body.len() > MOST_BYTES {
            return too_long();
        }
        self.comments[at].body = body;
        ok(&self.comment_json(&self.comments[at]))
    }

    fn delete(&mut self, id: &str) -> Response {
        let before = self.comments.len();
        self.comments.retain(|comment| comment.id.to_string() != id);
        if self.comments.len() < before { Response::empty(204) } else { no(404, "Not Found") }
    }

    fn check(&mut self, request: &Request) -> Response {
        let mut check = request.json();
        let id = 5000 + self.checks.len();
        check["id"] = json!(id);
        check["html_url"] = json!(format!("https://github.com/org/hello/runs/{id}"));
        self.checks.push(check.clone());
        Response::json(201, &check)
    }

    fn list_artifacts(&self) -> Response {
        let artifact = |(index, (name, expired, bytes)): (usize, &(String, bool, Vec<u8>))| {
            json!({
                "id": index, "node_id": "x", "name": name, "size_in_bytes": bytes.len(),
                "url": "https://api.github.com/x", "archive_download_url": "https://api.github.com/y",
                "expired": expired, "created_at": "2026-12-01T10:00:00Z",
                "updated_at": "2026-12-01T10:00:00Z", "expires_at": "2027-03-01T10:00:00Z",
            })
        };
        let all: Vec<Value> = self.artifacts.iter().enumerate().map(artifact).collect();
        ok(&json!({ "total_count": all.len(), "artifacts": all }))
    }

    fn graphql(&self, request: &Request) -> Response {
        let ids = request.json()["variables"]["ids"].clone();
        let node = |id: &Value| {
            let comments = self.comments.iter().map(|stored| (node_id(stored), stored.author));
            let issues = self.issues.iter().map(|issue| (issue.node_id(), issue.author));
            let found = comments.chain(issues).find(|(node, _)| json!(node) == *id);
            found.map_or(
                Value::Null,
                |(_, author)| json!({ "id": id, "viewerDidAuthor": author.0 == self.me().0 }),
            )
        };
        let nodes: Vec<Value> = ids.as_array().into_iter().flatten().map(node).collect();
        ok(&json!({ "data": { "nodes": nodes } }))
    }

    fn comment_json(&self, stored: &Stored) -> Value {
        let Stored { id, pull, body, author } = stored;
        json!({
            "id": id,
            "node_id": node_id(stored),
            "url": format!("https://api.github.com/repos/org/hello/issues/comments/{id}"),
            "html_url": format!("https://github.com/org/hello/pull/{pull}#issuecomment-{id}"),
            "issue_url": format!("https://api.github.com/repos/org/hello/issues/{pull}"),
            "body": body,
            "user": user(*author),
            "author_association": "CONTRIBUTOR",
            "created_at": "2026-12-01T10:00:00Z",
            "updated_at": "2026-12-01T10:00:00Z",
        })
    }
}

fn repository() -> Value {
    json!({ "id": REPOSITORY, "full_name": "org/hello", "default_branch": "main" })
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let four = |three: &[u8]| {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let all = byte(0) << 16 | byte(1) << 8 | byte(2);
        let digit = |at: usize| match at <= three.len() {
            true => char::from(DIGITS[(all >> (18 - 6 * at)) as usize & 63]),
            false => '=',
        };
        (0..4).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(four).collect()
}

fn node_id(stored: &Stored) -> String {
    format!("IC_{}", stored.id)
}

pub(super) fn user((id, login, kind): (u64, &str, &str)) -> Value {
    let name = login.replace('[', "%5B").replace(']', "%5D");
    let mut user = json!({
        "login": login, "id": id, "node_id": "U", "type": kind, "site_admin": false,
        "gravatar_id": "", "avatar_url": format!("https://avatars.githubusercontent.com/u/{id}"),
        "html_url": format!("https://github.com/{name}"),
        "url": format!("https://api.github.com/users/{name}"),
    });
    for (field, end) in [
        ("followers_url", "followers"),
        ("following_url", "following"),
        ("gists_url", "gists"),
        ("starred_url", "starred"),
        ("subscriptions_url", "subscriptions"),
        ("organizations_url", "orgs"),
        ("repos_url", "repos"),
        ("events_url", "events"),
        ("received_events_url", "received_events"),
    ] {
        user[field] = json!(format!("https://api.github.com/users/{name}/{end}"));
    }
    user
}

/// One page of a list, with the address of the next as GitHub writes it.
pub(super) fn page(address: &str, request: &Request, all: &[&Value]) -> Response {
    let number = |name: &str, default: usize| {
        request.query.get(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (size, at) = (number("per_page", 30).min(100), number("page", 1));
    let shown: Vec<&Value> = all.iter().skip((at - 1) * size).take(size).copied().collect();
    let response = ok(&json!(shown));
    if all.len() <= at * size {
        return response;
    }
    let rest = request.path.replace("/repos/org/hello", "/repositories/1");
    let next = format!("<{address}{rest}?per_page={size}&page={}>; rel=\"next\"", at + 1);
    response.with(vec![("link", next)])
}

pub(super) fn text_of(request: &Request) -> Option<String> {
    request.json()["body"].as_str().map(str::to_owned)
}

pub(super) fn ok(body: &Value) -> Response {
    Response::json(200, body)
}

pub(crate) fn no(status: u16, message: &str) -> Response {
    Response::json(
        status,
        &json!({ "message": message, "documentation_url": "https://docs.github.com" }),
    )
}

fn invalid(code: &str, field: &str) -> Response {
    let error = json!({ "resource": "IssueComment", "code": code, "field": field });
    unprocessable(&error)
}

fn too_long() -> Response {
    let message = "Body is too long (maximum is 65536 characters)";
    let error = json!({
        "resource": "IssueComment", "code": "unprocessable", "field": "data", "message": message,
    });
    unprocessable(&error)
}

fn unprocessable(error: &Value) -> Response {
    let documentation = "https://docs.github.com/rest";
    let body = json!({
        "message": "Validation Failed", "errors": [error], "documentation_url": documentation,
    });
    Response::json(422, &body)
}
