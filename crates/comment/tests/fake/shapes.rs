//! What GitHub's answers hold besides what tests are about: a test says which commit a pull request
//! stands at, and this adds the rest, as GitHub's own description of its API wants it.

use super::answers::user;
use super::{PERSON, Request, Response};
use serde_json::{Value, json};

const API: &str = "https://api.github.com";
const PAGES: &str = "https://github.com";
const DAY: &str = "2026-12-01T10:00:00Z";

/// The answer with everything that one to this request has.
pub(super) fn whole(request: &Request, mut response: Response) -> Response {
    let Ok(mut body) = serde_json::from_slice::<Value>(&response.body) else { return response };
    let path = request.path.trim_start_matches("/api/v3").trim_start_matches("/repos/org/hello");
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    if response.status < 300 {
        match (request.method.as_str(), parts.as_slice()) {
            ("GET", []) => fill_in(&mut body, &whole_repository()),
            ("GET", ["compare", _]) => fill_in(&mut body, &comparison()),
            ("GET", ["pulls"] | ["commits", _, "pulls"]) => each(&mut body, fill_in_pull),
            ("GET", ["pulls", _]) => {
                fill_in_pull(&mut body);
                fill_in(&mut body, &pull_alone());
            }
            ("GET", ["actions", "runs", _]) => fill_in_run(&mut body),
            ("GET", ["actions", "runs"] | ["actions", "workflows", _, "runs"]) => {
                each(&mut body["workflow_runs"], fill_in_run);
            }
            ("POST", ["check-runs"]) | ("PATCH", ["check-runs", _]) => {
                fill_in(&mut body, &check_run());
            }
            ("GET", ["collaborators", _, "permission"]) => {
                let role = json!({ "role_name": "read", "user": { "role_name": "read" } });
                fill_in(&mut body, &role);
                fill_in(&mut body["user"], &user(PERSON));
            }
            ("GET", ["user"]) => fill_in(&mut body, &private_user()),
            _ => {}
        }
    }
    response.body = body.to_string().into_bytes();
    response
}

/// Adds what is missing, at every depth; what is there stays, also where it is null.
fn fill_in(value: &mut Value, rest: &Value) {
    let (Value::Object(value), Value::Object(rest)) = (value, rest) else { return };
    for (name, rest) in rest {
        match value.get_mut(name) {
            Some(there) => fill_in(there, rest),
            None => {
                value.insert(name.clone(), rest.clone());
            }
        }
    }
}

fn each(values: &mut Value, fill_in: fn(&mut Value)) {
    values.as_array_mut().into_iter().flatten().for_each(fill_in);
}

fn fill_in_pull(pull: &mut Value) {
    let number = pull["number"].clone();
    for side in ["head", "base"] {
        if pull[side]["repo"].is_object() {
            fill_in(&mut pull[side]["repo"], &repository());
        }
        let label = format!("org:{}", pull[side]["ref"].as_str().unwrap_or_default());
        fill_in(&mut pull[side], &json!({ "label": label, "user": user(PERSON) }));
    }
    let (api, page) =
        (format!("{API}/repos/org/hello"), format!("{PAGES}/org/hello/pull/{number}"));
    let (this, issue) = (format!("{api}/pulls/{number}"), format!("{api}/issues/{number}"));
    let links = [
        ("self", this.clone()),
        ("html", page.clone()),
        ("issue", issue.clone()),
        ("comments", format!("{issue}/comments")),
        ("review_comments", format!("{this}/comments")),
        ("review_comment", format!("{api}/pulls/comments{{/number}}")),
        ("commits", format!("{this}/commits")),
        ("statuses", format!("{api}/statuses/x")),
    ];
    let href = |(name, address): &(&str, String)| ((*name).to_owned(), json!({ "href": address }));
    let mut rest = json!({
        "_links": links.iter().map(href).collect::<serde_json::Map<_, _>>(),
        "id": 1, "node_id": "PR_1", "url": this, "html_url": page, "issue_url": issue,
        "diff_url": format!("{page}.diff"), "patch_url": format!("{page}.patch"),
        "locked": false, "title": "A change", "body": null, "user": user(PERSON), "labels": [],
        "assignee": null, "milestone": null, "author_association": "CONTRIBUTOR",
        "auto_merge": null, "created_at": DAY, "updated_at": DAY, "closed_at": null,
        "merged_at": null, "draft": false,
    });
    for (name, address) in &links[3..] {
        rest[format!("{name}_url")] = json!(address);
    }
    fill_in(pull, &rest);
}

/// What a pull request has besides where it is asked for alone.
fn pull_alone() -> Value {
    json!({
        "additions": 1, "deletions": 1, "changed_files": 1, "comments": 0, "review_comments": 0,
        "commits": 1, "mergeable": true, "mergeable_state": "clean", "merged": false,
        "merged_by": null, "maintainer_can_modify": false,
    })
}

fn fill_in_run(run: &mut Value) {
    let this = format!("{API}/repos/org/hello/actions/runs/{}", run["id"]);
    let commit = json!({
        "id": run["head_sha"], "tree_id": "4".repeat(40), "message": "A change", "timestamp": DAY,
        "author": null, "committer": null,
    });
    for side in ["repository", "head_repository"] {
        if run[side].is_object() {
            fill_in(&mut run[side], &small_repository());
        }
    }
    if run["actor"].is_object() {
        fill_in(&mut run["actor"], &user(PERSON));
    }
    let mut rest = json!({
        "node_id": "WFR_1", "run_number": 1, "display_title": "A change", "workflow_id": 1,
        "url": this, "created_at": DAY, "updated_at": DAY, "head_commit": commit,
        "check_suite_url": format!("{API}/repos/org/hello/check-suites/1"),
        "workflow_url": format!("{API}/repos/org/hello/actions/workflows/1"),
    });
    for end in ["jobs", "logs", "cancel", "rerun", "artifacts"] {
        rest[format!("{end}_url")] = json!(format!("{this}/{end}"));
    }
    fill_in(run, &rest);
}

fn comparison() -> Value {
    let (api, page) =
        (format!("{API}/repos/org/hello"), format!("{PAGES}/org/hello/compare/a...b"));
    let tree = json!({ "sha": "4".repeat(40), "url": format!("{api}/git/trees/4") });
    let commit = json!({
        "sha": "2".repeat(40), "node_id": "C_1", "url": format!("{api}/commits/2"),
        "html_url": format!("{PAGES}/org/hello/commit/2"), "parents": [],
        "comments_url": format!("{api}/commits/2/comments"), "author": null, "committer": null,
        "commit": {
            "url": format!("{api}/git/commits/2"), "author": null, "committer": null,
            "message": "A change", "comment_count": 0, "tree": tree,
        },
    });
    json!({
        "url": format!("{api}/compare/a...b"), "html_url": page, "permalink_url": page,
        "diff_url": format!("{page}.diff"), "patch_url": format!("{page}.patch"),
        "base_commit": commit, "merge_base_commit": commit,
    })
}

fn check_run() -> Value {
    json!({
        "node_id": "CR_1", "url": format!("{API}/repos/org/hello/check-runs/1"),
        "details_url": null, "external_id": null, "started_at": null, "completed_at": null,
        "conclusion": null, "check_suite": null, "app": null, "pull_requests": [],
        "output": {
            "text": null, "annotations_count": 0,
            "annotations_url": format!("{API}/repos/org/hello/check-runs/1/annotations"),
        },
    })
}

/// A repository as it stands in a run.
fn small_repository() -> Value {
    let api = format!("{API}/repos/org/hello");
    let mut repository = json!({
        "id": 1, "node_id": "R_1", "name": "hello", "full_name": "org/hello", "owner": user(PERSON),
        "private": false, "description": null, "fork": false, "url": api,
        "html_url": format!("{PAGES}/org/hello"),
    });
    for name in [
        "archive assignees blobs branches collaborators comments commits compare contents",
        "contributors deployments downloads events forks git_commits git_refs git_tags hooks",
        "issue_comment issue_events issues keys labels languages merges milestones notifications",
        "pulls releases stargazers statuses subscribers subscription tags teams trees",
    ]
    .iter()
    .flat_map(|names| names.split(' '))
    {
        repository[format!("{name}_url")] = json!(format!("{api}/{name}"));
    }
    repository
}

/// A repository as it stands in a pull request.
fn repository() -> Value {
    let mut repository = small_repository();
    fill_in(
        &mut repository,
        &json!({
            "clone_url": format!("{PAGES}/org/hello.git"), "git_url": "git://github.com/org/hello.git",
            "ssh_url": "git@github.com:org/hello.git", "svn_url": format!("{PAGES}/org/hello"),
            "mirror_url": null, "default_branch": "main", "homepage": null, "language": null,
            "license": null, "size": 1, "archived": false, "disabled": false, "has_issues": true,
            "has_projects": false, "has_wiki": false, "has_pages": false, "has_downloads": false,
            "forks": 0, "forks_count": 0, "open_issues": 0, "open_issues_count": 0,
            "stargazers_count": 0, "watchers": 0, "watchers_count": 0,
            "created_at": DAY, "updated_at": DAY, "pushed_at": DAY,
        }),
    );
    repository
}

/// A repository that is asked for alone.
fn whole_repository() -> Value {
    let mut whole = repository();
    let rest = json!({ "network_count": 0, "subscribers_count": 0, "has_discussions": false });
    fill_in(&mut whole, &rest);
    whole
}

/// Who the token belongs to.
fn private_user() -> Value {
    json!({
        "name": null, "bio": null, "blog": null, "company": null, "email": null, "location": null,
        "hireable": null, "followers": 0, "following": 0, "public_gists": 0, "public_repos": 0,
        "private_gists": 0, "total_private_repos": 0, "owned_private_repos": 0, "disk_usage": 0,
        "collaborators": 0, "two_factor_authentication": true, "created_at": DAY, "updated_at": DAY,
    })
}
