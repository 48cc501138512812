//! What tests have said to their fake GitHub, and it to them, held against GitHub's own description
//! of its API: an endpoint, a parameter or a field that GitHub does not have is found here and not by
//! the first user.

use crate::failure::Failure;
use crate::{fetch, say, workspace};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Tells tests where to keep their traffic.
pub(crate) const VARIABLE: &str = "BENCH_ACTION_TEST_TRAFFIC";

/// An empty directory for what is kept.
pub(crate) fn recording() -> Result<PathBuf, Failure> {
    let directory = workspace::target()?.join("test-cache").join("traffic");
    if directory.exists() {
        std::fs::remove_dir_all(&directory).map_err(Failure::io(&directory))?;
    }
    std::fs::create_dir_all(&directory).map_err(Failure::io(&directory))?;
    Ok(directory)
}

/// Fails where something that was kept does not fit.
pub(crate) fn check(directory: &Path) -> Result<(), Failure> {
    let recordings = recordings(directory)?;
    if recordings.is_empty() {
        return Ok(());
    }
    let place = match fetch::openapi() {
        Ok(place) => place,
        Err(reason) => {
            say(&format!("note: traffic is not held against GitHub's description: {reason}"));
            return Ok(());
        }
    };
    let (findings, looked_at) = findings(&place, &recordings)?;
    say(&format!("GitHub's description of its API: {looked_at}"));
    Failure::unless_empty("traffic that does not fit GitHub's description of its API", findings)
}

fn recordings(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(directory).map_err(Failure::io(directory))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

/// What does not fit, and how much was looked at.
fn findings(place: &Path, recordings: &[PathBuf]) -> Result<(Vec<String>, String), Failure> {
    let script = place.join("check.mjs");
    std::fs::write(&script, include_str!("check.mjs")).map_err(Failure::io(&script))?;
    let output = Command::new("node")
        .arg(&script)
        .arg(place.join(fetch::DESCRIPTION))
        .args(recordings)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| Failure::Start { program: "node".into(), source })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    match lines.pop() {
        Some(last) => Ok((lines, last)),
        None => Err(Failure::Command { command: "node check.mjs".into(), status: output.status }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// What is found in these exchanges; none where the check can't be had, which is said.
    fn found(name: &str, exchanges: &[Value]) -> Option<Vec<String>> {
        let place = match fetch::openapi() {
            Ok(place) => place,
            Err(reason) => {
                say(&format!("skipped: {reason}"));
                return None;
            }
        };
        let directory = std::env::temp_dir().join(format!("bench-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let recording = directory.join("traffic.jsonl");
        let lines: Vec<String> = exchanges.iter().map(ToString::to_string).collect();
        std::fs::write(&recording, lines.join("\n")).unwrap();
        let found = findings(&place, &[recording]).unwrap().0;
        std::fs::remove_dir_all(&directory).unwrap();
        Some(found)
    }

    fn exchange(method: &str, path: &str, body: &str, status: u16, answer: &Value) -> Value {
        json!({
            "method": method, "path": path, "query": {}, "body": body, "status": status,
            "type": "application/json", "answer": answer.to_string(),
        })
    }

    #[test]
    fn what_does_not_fit_is_found_in_address_request_and_answer() {
        let comments = "/repos/org/hello/issues/7/comments";
        let error = json!({ "message": "Validation Failed", "documentation_url": "x" });
        let mut pages = exchange("GET", comments, "", 200, &json!([]));
        pages["query"] = json!({ "per_page": "abc", "color": "red" });
        let artifact = json!({ "total_count": 1, "artifacts": [], "colour": "red" });
        let all = [
            exchange("GET", "/repos/org/hello/issues/7/remarks", "", 404, &error),
            exchange("GET", "/repos/org/hello/issues/seven/comments", "", 404, &error),
            pages,
            exchange("POST", comments, "{\"body\":3,\"colour\":\"red\"}", 422, &error),
            exchange("POST", comments, "{\"body\":\"x\"}", 201, &json!({ "id": 1 })),
            exchange("GET", "/api/v3/repos/org/hello/actions/runs/1/artifacts", "", 200, &artifact),
        ];
        let Some(found) = found("misfits", &all) else { return };
        for expected in [
            "GET /repos/org/hello/issues/7/remarks: not described",
            "comments: path issue_number: /value must be integer",
            "comments: query per_page: /value must be integer",
            "comments: query color: not described",
            "comments: body: /body must be string",
            "comments: body: /colour not described",
            "comments: answer 201: / must have required property 'html_url'",
            "artifacts: answer 200: /colour not described",
        ] {
            assert!(found.iter().any(|line| line.ends_with(expected)), "{expected}: {found:#?}");
        }
    }

    #[test]
    fn what_fits_what_stands_in_front_and_what_is_not_described_at_all_pass() {
        let comments = "/repositories/1/issues/7/comments";
        let mut dropped = exchange("POST", comments, "{\"body\":\"x\"}", 0, &Value::Null);
        dropped["status"] = Value::Null;
        let all = [
            exchange("GET", comments, "", 200, &json!([])),
            exchange("GET", comments, "", 502, &json!("no JSON of GitHub's")),
            dropped,
            exchange("POST", "/graphql", "{}", 200, &json!({ "data": null })),
        ];
        let Some(found) = found("fits", &all) else { return };
        assert_eq!(found, [""; 0]);
    }
}
