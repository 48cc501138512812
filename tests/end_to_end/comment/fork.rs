//! The trusted half of a fork's run, when the fork means well.

use super::measured::{artifact, bare, results, row};
use crate::fake::{FORK, Fake, Fault, REPOSITORY, pull, run};
use crate::support::run::{Finished, Run};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

/// A GitHub where the fork's pull request 8 stands at commit b, and its run 99 has ended and left this.
pub(super) fn fork(results: &Value) -> Fake {
    fork_with(artifact(results))
}

/// The same with an artifact of these bytes.
pub(super) fn fork_with(artifact: Vec<u8>) -> Fake {
    let fake = Fake::start();
    {
        let mut state = fake.state();
        state.runs = vec![run(99, 'b', FORK)];
        state.pulls = vec![pull(7, 'a', REPOSITORY), pull(8, 'b', FORK)];
        state.artifacts = vec![("bench-result-bench-attempt1".to_owned(), false, artifact)];
    }
    fake
}

pub(super) fn trusted(fake: &Fake, arguments: &[&str]) -> Run {
    let directory = std::env::temp_dir();
    let run_id = ["comment", "--run-id", "99", "--workflow", ".github/workflows/bench.yml"];
    Run::new(&directory, &[&run_id, arguments].concat())
        .env("GITHUB_API_URL", &fake.address)
        .env("GITHUB_GRAPHQL_URL", &format!("{}/graphql", fake.address))
        .env("GITHUB_REPOSITORY", "org/hello")
        .env("GITHUB_RUN_ID", "500")
        .env("GITHUB_TOKEN", "ghs_sixteencharacters")
}

/// The one comment, which must be on the fork's pull request.
pub(super) fn only_comment(fake: &Fake) -> String {
    let state = fake.state();
    let [comment] = state.comments.as_slice() else { panic!("{:?}", state.comments) };
    assert_eq!(comment.pull, 8);
    comment.body.clone()
}

pub(super) fn headline(body: &str) -> &str {
    body.lines().find(|line| line.starts_with("### ")).unwrap_or_default()
}

fn honest() -> Value {
    results('b', &[row("slow", 1.2, "regressed"), row("same", 1.0, "unchanged")])
}

#[test]
fn a_forks_numbers_are_judged_here_and_said_to_be_the_contributors() {
    let fake = fork(&honest());
    let told = trusted(&fake, &[]).expect(0);
    assert!(told.stderr.contains("comment created: https://"), "{told}");
    let body = only_comment(&fake);
    assert_eq!(headline(&body), "### ▲ 1 slower · 1 unchanged");
    assert!(body.starts_with("<!-- bench-action v1 key=bench head=bbbb"), "{body}");
    assert!(body.lines().next().unwrap().contains(" run=99 attempt=1 "), "{body}");
    assert!(body.contains("> Measured in the contributor's run"), "{body}");
    assert!(body.contains("if its numbers are what was measured"), "{body}");
    assert!(!body.contains("--time-budget 1m"), "no command line of a fork's: {body}");
}

#[test]
fn the_exit_code_follows_the_verdict_and_what_fails_by_our_word() {
    for (arguments, exit) in [
        (&["--fail-on", "regression"][..], 10),
        (&["--fail-on", "regression", "--fail-threshold", "50%"], 0),
        (&["--fail-on", "never"], 0),
    ] {
        trusted(&fork(&honest()), arguments).expect(exit);
    }
    // As the default branch has it; a flag is stronger.
    let fake = fork(&honest());
    let file = b"[compare]\nfail-on = \"regression\"\nthreshold = \"4%\"\n".to_vec();
    fake.state().files.insert("bench-action.toml".into(), file.clone());
    trusted(&fake, &[]).expect(10);
    assert!(headline(&only_comment(&fake)).contains("by other settings"));
    fake.state().comments.clear();
    trusted(&fake, &["--fail-on", "never", "--threshold", "3%"]).expect(0);
    assert!(!headline(&only_comment(&fake)).contains("by other settings"));
}

#[test]
fn settings_that_may_not_be_read_are_defaults_and_that_is_said_with_the_permission() {
    let fake = fork(&honest());
    fake.fail("GET /repos/org/hello/contents/", denied());
    let told = trusted(&fake, &[]).expect(0);
    assert!(told.stderr.contains("contents: read"), "{told}");
    assert_eq!(headline(&only_comment(&fake)), "### ▲ 1 slower · 1 unchanged");
    let fake = fork(&honest());
    fake.state().files.insert("bench-action.toml".into(), b"[compare]\nthresh = 1\n".to_vec());
    let told = trusted(&fake, &[]).expect(2);
    assert!(told.stderr.contains("bench-action.toml on main:2"), "{told}");
    assert_eq!(fake.count("POST /repos"), 0);
}

#[test]
fn a_base_that_the_base_branch_does_not_have_is_said_in_the_headline() {
    let (usual, base) = ("### ▲ 1 slower · 1 unchanged", "2".repeat(40));
    let other = format!(
        "{usual} · said to be compared with 2222222, which was not found on the base branch"
    );
    let fake = fork(&honest());
    fake.state().elsewhere = vec![base.clone()];
    trusted(&fake, &[]).expect(0);
    assert_eq!(headline(&only_comment(&fake)), other);
    // Where it may not be asked for, it is not said to be there; and what has to be added is said.
    let fake = fork(&honest());
    fake.fail("GET /repos/org/hello/compare/", denied());
    let told = trusted(&fake, &[]).expect(0);
    assert!(told.stderr.contains("contents: read"), "{told}");
    assert_eq!(headline(&only_comment(&fake)), other);
    // It is news, also where nothing changed.
    let fake = fork(&results('b', &[row("same", 1.0, "unchanged")]));
    fake.state().elsewhere = vec![base];
    trusted(&fake, &["--when", "changes"]).expect(0);
    assert!(headline(&only_comment(&fake)).contains("not found on the base branch"));
    // The base branch is the pull request's own.
    let fake = fork(&honest());
    fake.state().pulls[1]["base"]["ref"] = json!("stable");
    trusted(&fake, &[]).expect(0);
    assert_eq!(headline(&only_comment(&fake)), other);
    assert_eq!(fake.count(&format!("GET /repos/org/hello/compare/{}...stable", "2".repeat(40))), 1);
}

fn denied() -> Fault {
    let message = json!({ "message": "Resource not accessible by integration" });
    Fault::Answer(403, message, Vec::new())
}

#[test]
fn a_check_of_a_forks_numbers_is_neutral_whatever_they_are() {
    for rows in [row("slow", 1.2, "regressed"), row("same", 1.0, "unchanged")] {
        let fake = fork(&results('b', &[rows]));
        trusted(&fake, &["--check-run", "benchmarks"]).expect(0);
        let check = fake.state().checks[0].clone();
        assert_eq!(check["conclusion"], "neutral");
        assert_eq!(check["head_sha"], "b".repeat(40));
        assert_eq!(check["name"], "benchmarks");
        let text = check["output"]["summary"].as_str().unwrap();
        assert!(text.contains("in the contributor's run") && text.len() < 65_535, "{text}");
    }
    let fake = fork(&honest());
    fake.fail("POST /repos/org/hello/check-runs", denied());
    let told = trusted(&fake, &["--check-run", "benchmarks"]).expect(0);
    assert!(told.stderr.contains("checks: write"), "{told}");
    only_comment(&fake);
}

#[test]
fn a_run_whose_pull_request_has_moved_on_or_is_closed_is_told_nothing() {
    let fake = fork(&honest());
    fake.state().pulls = vec![pull(7, 'b', REPOSITORY), pull(8, 'c', FORK)];
    let told = trusted(&fake, &[]).expect(0);
    assert!(
        told.stderr.contains("notice: run 99") && told.stderr.contains("another push"),
        "{told}"
    );
    assert_eq!(fake.count("POST /repos"), 0);
}

#[test]
fn of_two_pull_requests_of_one_branch_one_must_be_chosen_and_no_other_can_be() {
    let fake = fork(&honest());
    fake.state().pulls.push(pull(9, 'b', FORK));
    let told = trusted(&fake, &[]).expect(2);
    assert!(told.stderr.contains("[8, 9]") && told.stderr.contains("--pr"), "{told}");
    // The victim's pull request is not the run's, whoever says so.
    trusted(&fake, &["--pr", "7"]).expect(0);
    assert_eq!(fake.count("POST /repos"), 0);
    trusted(&fake, &["--pr", "8"]).expect(0);
    only_comment(&fake);
}

#[test]
fn a_run_of_another_kind_is_refused_by_name() {
    let refused = |change: fn(&mut Value), wanted: &str| {
        let fake = fork(&honest());
        change(&mut fake.state().runs[0]);
        let told = trusted(&fake, &[]).expect(2);
        assert!(told.stderr.contains(wanted), "{told}");
        assert_eq!(fake.count("POST /repos"), 0);
    };
    refused(|run| run["event"] = json!("push"), "started by `push`");
    refused(|run| run["repository"]["id"] = json!(5), "another repository");
    refused(|run| run["conclusion"] = Value::Null, "has not ended");
    let other = |run: &mut Value| run["path"] = json!(".github/workflows/evil.yml");
    refused(other, "of the workflow `.github/workflows/evil.yml`");
}

#[test]
fn the_workflow_is_that_of_the_event_where_there_is_one_and_else_that_is_said() {
    let directory = TempDir::new().unwrap();
    let event = directory.path().join("event.json");
    let told = |path: &str| {
        fs::write(&event, json!({ "workflow_run": { "id": 99, "path": path } }).to_string())
            .unwrap();
        let fake = fork(&honest());
        Run::new(directory.path(), &["comment", "--run-id", "99"])
            .env("GITHUB_API_URL", &fake.address)
            .env("GITHUB_REPOSITORY", "org/hello")
            .env("GITHUB_EVENT_NAME", "workflow_run")
            .env("GITHUB_EVENT_PATH", event.to_str().unwrap())
    };
    let fine = told(".github/workflows/bench.yml").expect(0);
    assert!(!fine.stderr.contains("--workflow"), "{fine}");
    told(".github/workflows/other.yml").expect(2);
    let fake = fork(&honest());
    let open = Run::new(directory.path(), &["comment", "--run-id", "99", "--dry-run"])
        .env("GITHUB_API_URL", &fake.address)
        .env("GITHUB_REPOSITORY", "org/hello")
        .expect(0);
    assert!(open.stderr.contains("notice: any workflow's run is taken"), "{open}");
    assert!(open.stdout.contains("▲ 1 slower"), "{open}");
    assert_eq!(fake.count("POST /repos"), 0);
}

#[test]
fn what_failed_was_skipped_or_called_identical_there_is_counted_apart() {
    let mut identical = bare("identical", "unchanged");
    identical["pairing"] = json!("identical");
    let mut failed = bare("failed", "failed");
    failed["failure"] = json!({
        "side": "head", "stage": "run", "message": "boom", "stderr_tail": "a trace",
    });
    let rows = [
        row("same", 1.0, "unchanged"),
        identical,
        failed,
        bare("gone", "removed"),
        bare("skipped", "skipped"),
    ];
    let fake = fork(&results('b', &rows));
    trusted(&fake, &[]).expect(12);
    let body = only_comment(&fake);
    assert_eq!(
        headline(&body),
        "### No change seen: 1 unchanged · in the contributor's run, unverified: 1 failed, 1 missing on head, 1 skipped, 1 called identical"
    );
    assert!(body.contains("boom") && body.contains("a trace"), "{body}");
}

#[test]
fn a_head_that_could_not_be_built_stands_above_the_last_results() {
    let fake = fork(&honest());
    trusted(&fake, &[]).expect(0);
    let mut unbuilt = results('c', &[]);
    unbuilt["failure"] = json!({
        "side": "head", "stage": "build", "message": "make ended with 2", "stderr_tail": "oh no",
    });
    {
        let mut state = fake.state();
        state.runs = vec![run(100, 'c', FORK)];
        state.pulls = vec![pull(8, 'c', FORK)];
        state.artifacts = vec![("bench-result-bench-attempt1".into(), false, artifact(&unbuilt))];
    }
    again(&fake).expect(0);
    let body = only_comment(&fake);
    assert_eq!(
        headline(&body),
        "### ✗ Nothing was measured: in the contributor's run, head could not be built"
    );
    let at = |text: &str| body.find(text).unwrap_or_else(|| panic!("no {text} in {body}"));
    assert!(at("oh no") < at("The last results are of bbbbbbb") && at("bbbbbbb") < at("1 slower"));
}

/// The same for run 100.
fn again(fake: &Fake) -> Run {
    Run::new(&std::env::temp_dir(), &["comment", "--run-id", "100"])
        .env("GITHUB_API_URL", &fake.address)
        .env("GITHUB_GRAPHQL_URL", &format!("{}/graphql", fake.address))
        .env("GITHUB_REPOSITORY", "org/hello")
}

#[test]
fn a_run_that_died_is_told_and_one_that_had_nothing_to_measure_only_where_there_is_a_comment() {
    for (conclusion, is_told) in [("failure", true), ("cancelled", true), ("success", false)] {
        let fake = fork(&honest());
        fake.state().artifacts.clear();
        fake.state().runs[0]["conclusion"] = json!(conclusion);
        let told = trusted(&fake, &[]).expect(0);
        assert!(told.stderr.contains(&format!("`{conclusion}`")), "{told}");
        assert_eq!(fake.bodies().len(), usize::from(is_told), "{conclusion}");
    }
    let fake = fork(&honest());
    trusted(&fake, &[]).expect(0);
    {
        let mut state = fake.state();
        state.runs = vec![run(100, 'c', FORK)];
        state.pulls = vec![pull(8, 'c', FORK)];
        state.artifacts.clear();
    }
    again(&fake).expect(0);
    let body = only_comment(&fake);
    assert!(headline(&body).contains("left no results"), "{body}");
    assert!(body.contains("The last results are of bbbbbbb"), "{body}");
}

#[test]
fn of_several_attempts_the_newest_is_reported() {
    let fake = fork(&results('b', &[row("same", 1.0, "unchanged")]));
    fake.state().runs[0]["run_attempt"] = json!(2);
    let newer = artifact(&honest());
    fake.state().artifacts.push(("bench-result-bench-attempt2".into(), false, newer));
    trusted(&fake, &[]).expect(0);
    let body = only_comment(&fake);
    assert_eq!(headline(&body), "### ▲ 1 slower · 1 unchanged");
    assert!(body.contains(" attempt=2 "), "{body}");
}

/// The shards that these artifacts are, of two.
fn shards(parts: &[(u32, Value)]) -> Fake {
    let fake = fork(&honest());
    let shard = |(index, row): &(u32, Value)| {
        let mut results = results('b', std::slice::from_ref(row));
        results["shard"] = json!({ "index": index, "count": 2, "missing": [] });
        for number in ["family_size", "planned", "found"] {
            results["plan"][number] = json!(2);
        }
        (format!("bench-result-bench-shard{index}of2-attempt1"), false, artifact(&results))
    };
    fake.state().artifacts = parts.iter().map(shard).collect();
    fake
}

#[test]
fn the_shards_of_a_run_are_put_together_and_a_lost_one_is_named() {
    let parts = [(1, row("same", 1.0, "unchanged")), (2, row("slow", 1.2, "unchanged"))];
    let fake = shards(&parts);
    trusted(&fake, &["--fail-on", "regression"]).expect(10);
    assert_eq!(headline(&only_comment(&fake)), "### ▲ 1 slower · 1 unchanged");
    let fake = shards(&parts[1..]);
    trusted(&fake, &["--fail-on", "regression"]).expect(10);
    let body = only_comment(&fake);
    assert!(headline(&body).contains("A part is missing: 1 of 2"), "{body}");
    assert!(headline(&body).ends_with("▲ 1 slower"), "{body}");
}

#[test]
fn a_shard_that_failed_excuses_no_regression_of_another() {
    let fake = shards(&[(1, row("slow", 1.2, "unchanged"))]);
    let mut failed = results('b', &[]);
    failed["shard"] = json!({ "index": 2, "count": 2, "missing": [] });
    failed["plan"]["digest"] = json!("");
    failed["failure"] = json!({
        "side": "head", "stage": "build", "message": "@all no", "stderr_tail": "",
    });
    let failed = ("bench-result-bench-shard2of2-attempt1".to_owned(), false, artifact(&failed));
    fake.state().artifacts.push(failed);
    trusted(&fake, &["--fail-on", "regression"]).expect(10);
    let body = only_comment(&fake);
    assert!(
        headline(&body).contains("A part is missing: in the contributor's run, head"),
        "{body}"
    );
    assert!(body.contains("▲&nbsp;slower") && body.contains("content=results"), "{body}");
}

#[test]
fn this_repositorys_own_run_is_believed_and_dependabots_is_not() {
    let mut rows = honest();
    rows["benchmarks"][0]["pairing"] = json!("identical");
    rows["benchmarks"][0]["verdict"] = json!("unchanged");
    let own = |actor: &str| -> (String, Finished) {
        let fake = fork(&rows);
        {
            let mut state = fake.state();
            state.pulls = vec![pull(8, 'b', REPOSITORY)];
            state.runs = vec![run(99, 'b', REPOSITORY)];
            state.runs[0]["actor"]["login"] = json!(actor);
        }
        let told = trusted(&fake, &["--check-run", "x"]).expect(0);
        let conclusion = fake.state().checks[0]["conclusion"].as_str().unwrap().to_owned();
        (format!("{conclusion}: {}", headline(&only_comment(&fake))), told)
    };
    let (believed, told) = own("somebody");
    assert_eq!(believed, "success: ### No change: 2 unchanged", "{told}");
    let (judged, told) = own("dependabot[bot]");
    assert!(judged.starts_with("neutral: ") && judged.contains("1 called identical"), "{told}");
}

#[test]
fn an_artifact_that_has_expired_is_none() {
    let fake = fork(&honest());
    fake.state().artifacts[0].1 = true;
    let told = trusted(&fake, &[]).expect(0);
    assert!(told.stderr.contains("It has bench-result-bench-attempt1 (expired);"), "{told}");
    assert_eq!(fake.bodies().len(), 0);
}

#[test]
fn what_a_run_left_under_other_names_is_told_in_the_log_alone() {
    let fake = fork(&honest());
    fake.state().artifacts[0].0 = "bench-result-@all\n::error::x".to_owned();
    let told = trusted(&fake, &[]).expect(0);
    let line = told.stderr.lines().find(|line| line.contains("bench-result-@all"));
    assert!(line.is_some_and(|line| line.contains("the same in both workflows")), "{told}");
    assert!(!told.stderr.lines().any(|line| line.starts_with("::error::")), "{told}");
    assert_eq!(fake.bodies().len(), 0);
}

#[test]
fn a_run_that_is_not_there_is_githubs_refusal() {
    let fake = fork(&honest());
    fake.state().runs.clear();
    let told = trusted(&fake, &[]).expect(22);
    assert!(told.stderr.contains("run 99 of org/hello"), "{told}");
    let fake = fork(&honest());
    fake.fail("GET /repos/org/hello/actions/runs/99/artifacts", denied());
    let told = trusted(&fake, &[]).expect(22);
    assert!(told.stderr.contains("actions: read"), "{told}");
}
