//! The example workflows under act, with actions that only write down how they were called: which
//! job runs for which event is the examples' own business, and nobody else's test.

use crate::{fetch, say, workspace};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What stands in the examples in place of a commit.
const PIN: &str = "org/bench-action@0000000000000000000000000000000000000000";

/// Writes a line for each call of the action.
const ACTION: &str = r#"
name: stub
description: Writes down how it was called
inputs:
  mode: { description: x, default: run }
  comment: { description: x, default: always }
  pr: { description: x, default: "" }
  run-id: { description: x, default: "" }
  shard: { description: x, default: "" }
runs:
  using: composite
  steps:
    - shell: bash
      env:
        CALL: >-
          ${{ github.job }}: ${{ inputs.mode }} comment=${{ inputs.comment }} pr=${{ inputs.pr }}
          run=${{ inputs.run-id }} shard=${{ inputs.shard }}
      run: echo "$CALL" >> "$CALLS"
"#;

/// The answers of GitHub's own command to what the examples ask it.
const GH: &str = "#!/bin/sh\n\
    case \"$2\" in */permission) echo \"$PERMISSION\" ;; *) echo \"$HEAD_REPOSITORY\" ;; esac\n";

/// A repository with the examples as its workflows.
struct Stage {
    act: PathBuf,
    /// Beside the repository, because act copies that into itself.
    home: PathBuf,
    repository: PathBuf,
}

impl Stage {
    /// None where act can't be had, which is said.
    fn set(name: &str) -> Option<Self> {
        let act = match fetch::linters() {
            Ok(programs) => programs.join("act"),
            Err(reason) => {
                say(&format!("skipped: {reason}"));
                return None;
            }
        };
        let place = std::env::temp_dir().join(format!("bench-{name}-{}", std::process::id()));
        let stage = Self { act, home: place.join("home"), repository: place.join("repository") };
        for directory in [&stage.home, &stage.repository] {
            std::fs::create_dir_all(directory).unwrap();
        }
        std::fs::create_dir_all(place.join("action")).unwrap();
        std::fs::write(place.join("action/action.yml"), ACTION).unwrap();
        std::fs::write(stage.home.join("gh"), GH).unwrap();
        shell(&place, "chmod +x home/gh && cd repository && git init -q -b main");
        shell(&stage.repository, "git remote add origin https://github.com/org/hello.git");
        let commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a";
        shell(&stage.repository, commit);
        Some(stage)
    }

    /// The calls of the action when this event meets this example, in the order of their jobs.
    fn calls(
        &self,
        example: &str,
        event: &str,
        payload: &Value,
        answers: [&str; 2],
    ) -> Vec<String> {
        let place = self.repository.parent().unwrap();
        let (calls, event_file) = (place.join("calls"), place.join("event.json"));
        std::fs::write(&calls, "").unwrap();
        std::fs::write(&event_file, payload.to_string()).unwrap();
        let path = std::env::var("PATH").unwrap();
        let output = Command::new(&self.act)
            .env_clear()
            .env("PATH", format!("{}:{path}", self.home.display()))
            .env("HOME", &self.home)
            .current_dir(&self.repository)
            .arg(event)
            .arg("-W")
            .arg(workspace::root().join("examples/workflows").join(example))
            .arg("-e")
            .arg(event_file)
            .args(["-P", "ubuntu-24.04=-self-hosted", "--no-cache-server"])
            .args(["-s", "GITHUB_TOKEN=a-token-that-is-none"])
            .args(["--env", &format!("CALLS={}", calls.display())])
            .args(["--env", &format!("PERMISSION={}", answers[0])])
            .args(["--env", &format!("HEAD_REPOSITORY={}", answers[1])])
            .args(["--local-repository", &format!("{PIN}={}", place.join("action").display())])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        let text = std::fs::read_to_string(calls).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // What is left is the system's to clear away.
        let _left = std::fs::remove_dir_all(self.repository.parent().unwrap_or(&self.repository));
    }
}

fn shell(directory: &Path, command: &str) {
    let status = Command::new("sh").args(["-c", command]).current_dir(directory).status();
    assert!(status.unwrap().success(), "{command}");
}

/// A pull request from this repository, or another.
fn pull_request(repository: &str) -> Value {
    json!({
        "action": "synchronize", "number": 7, "repository": repository_of_the_event(),
        "pull_request": {
            "number": 7, "labels": [],
            "head": { "sha": "1".repeat(40), "ref": "feature", "repo": { "full_name": repository } },
            "base": { "sha": "2".repeat(40), "ref": "main", "repo": { "full_name": "org/hello" } },
        },
    })
}

fn repository_of_the_event() -> Value {
    json!({ "full_name": "org/hello", "name": "hello", "owner": { "login": "org" },
            "default_branch": "main" })
}

const OWN: &str = "org/hello";
const FORK: &str = "evil/hello";
const NOBODY: [&str; 2] = ["", ""];

/// A call of the action as it is written down.
fn call(job: &str, mode: &str, comment: &str, pull: &str) -> String {
    format!("{job}: {mode} comment={comment} pr={pull} run= shard=")
}

#[test]
fn a_pull_request_is_measured_without_comment_and_reported_where_its_token_may_write() {
    let Some(stage) = Stage::set("pull-request") else { return };
    let measured = call("measure", "run", "never", "");
    let reported = call("report", "report", "always", "");
    for (example, repository, expected) in [
        ("bench.yml", FORK, vec![measured.clone()]),
        ("pull-request.yml", OWN, vec![measured.clone(), reported.clone()]),
        ("pull-request.yml", FORK, vec![measured]),
        ("one-job.yml", OWN, vec![call("bench", "run", "always", "")]),
    ] {
        let calls = stage.calls(example, "pull_request", &pull_request(repository), NOBODY);
        assert_eq!(calls, expected, "{example} {repository}");
    }
    let mut expected: Vec<String> =
        (1..=4).map(|i| format!("measure: run comment=never pr= run= shard={i}/4")).collect();
    expected.push(reported);
    let calls = stage.calls("shards.yml", "pull_request", &pull_request(OWN), NOBODY);
    assert_eq!(calls, expected);
}

#[test]
fn a_label_counts_when_it_is_put_on_and_while_it_is_there() {
    let Some(stage) = Stage::set("label") else { return };
    let event = |action: &str, new: &str, all: &[&str]| {
        let mut event = pull_request(OWN);
        event["action"] = json!(action);
        event["label"] = json!({ "name": new });
        let all: Vec<Value> = all.iter().map(|name| json!({ "name": name })).collect();
        event["pull_request"]["labels"] = json!(all);
        event
    };
    for (event, count) in [
        (event("labeled", "benchmark", &["benchmark"]), 1),
        (event("labeled", "bug", &["benchmark", "bug"]), 0),
        (event("synchronize", "", &["benchmark"]), 1),
        (event("synchronize", "", &["bug"]), 0),
    ] {
        let calls = stage.calls("by-label.yml", "pull_request", &event, NOBODY);
        assert_eq!(calls.len(), count, "{event}");
    }
}

#[test]
fn the_trusted_half_reports_runs_of_the_measuring_workflow_and_no_other() {
    let Some(stage) = Stage::set("trusted") else { return };
    let event = |path: &str, event: &str, conclusion: &str| {
        json!({
            "action": "completed", "repository": repository_of_the_event(),
            "workflow_run": {
                "id": 99, "path": path, "event": event, "conclusion": conclusion,
                "head_branch": "feature", "head_repository": { "id": 9 },
            },
        })
    };
    let ours = ".github/workflows/bench.yml";
    let expected = "report: report comment=always pr= run=99 shard=";
    for (event, expected) in [
        (event(ours, "pull_request", "success"), vec![expected]),
        (event(ours, "pull_request", "failure"), vec![expected]),
        (event(ours, "pull_request", "cancelled"), vec![]),
        (event(ours, "push", "success"), vec![]),
        (event(".github/workflows/evil.yml", "pull_request", "success"), vec![]),
    ] {
        let calls = stage.calls("bench-comment.yml", "workflow_run", &event, NOBODY);
        assert_eq!(calls, expected, "{event}");
    }
}

#[test]
fn what_is_asked_for_again_is_measured_here_or_started_again_where_it_ran() {
    let Some(stage) = Stage::set("again") else { return };
    let here = [call("measure", "run", "never", "7"), call("report", "report", "always", "7")];
    let there = [call("again", "run", "always", "7")];
    let by_hand = json!({ "inputs": { "pr": "7" }, "repository": repository_of_the_event() });
    let calls = |answers| stage.calls("rerun.yml", "workflow_dispatch", &by_hand, answers);
    assert_eq!(calls(["", OWN]), here);
    assert_eq!(calls(["", FORK]), there);
    // The fork is gone.
    assert_eq!(calls(["", ""]), there);

    let comment = |text: &str, association: &str| {
        json!({
            "action": "created", "repository": repository_of_the_event(),
            "issue": { "number": 7, "pull_request": { "url": "x" } },
            "comment": { "id": 5, "body": text, "author_association": association,
                         "user": { "login": "somebody" } },
        })
    };
    let calls = |text: &str, association: &str, answers| {
        let event = comment(text, association);
        stage.calls("slash-bench.yml", "issue_comment", &event, answers)
    };
    assert_eq!(calls("/bench", "MEMBER", ["write", OWN]), here);
    assert_eq!(calls("/bench", "OWNER", ["admin", FORK]), there);
    let nothing = [""; 0];
    assert_eq!(calls("/bench", "MEMBER", ["read", OWN]), nothing);
    assert_eq!(calls("/bench", "NONE", ["write", OWN]), nothing);
    assert_eq!(calls("please /bench", "OWNER", ["admin", OWN]), nothing);
}
