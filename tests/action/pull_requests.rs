//! The comment on a pull request, from events to its text.

use crate::events::{FORK, OWN, pull_request, workflow_run};
use crate::fake::run;
use crate::place::Place;
use serde_json::json;
use std::io::Write as _;

const ONE_JOB: &str = include_str!("workflows/one_job.yml");

#[test]
fn one_comment_is_created_edited_and_left_by_an_older_run() {
    let Some(place) = Place::new(ONE_JOB) else { return };
    let first = place.push(OWN, &[("notes.md", "one\n")]);
    let event = pull_request(&first, &place.base, OWN);
    let run = place.run("pull_request", &event, "5").succeeded();
    let bodies = place.fake.bodies();
    assert_eq!(bodies.len(), 1, "{run}");
    assert!(bodies[0].contains(&format!("head={first} run=5 ")), "{}", bodies[0]);
    run.says("posted=true address=https://github.com/org/hello/pull/7#issuecomment-");

    let second = place.push(OWN, &[("notes.md", "two\n")]);
    let event_of_second = pull_request(&second, &place.base, OWN);
    place.run("pull_request", &event_of_second, "6").succeeded();
    let bodies = place.fake.bodies();
    assert_eq!(bodies.len(), 1);
    assert!(bodies[0].contains(&format!("head={second} run=6 ")), "{}", bodies[0]);

    let late = place.run("pull_request", &event, "5").succeeded();
    assert_eq!(place.fake.bodies(), bodies);
    late.says("posted=false");
}

#[test]
fn a_forks_event_posts_nothing_and_leaves_artifact_and_summary() {
    let Some(place) = Place::new(ONE_JOB) else { return };
    let head = place.push(FORK, &[("notes.md", "one\n")]);
    let run = place.run("pull_request", &pull_request(&head, &place.base, FORK), "5").succeeded();
    assert_eq!(place.fake.state().log.len(), 0, "{run}");
    run.says("on `workflow_run`");
    run.says("Summary - ");
    run.says("bench-comment.yml");
    let kept = |path: &str| place.artifact(path).exists();
    assert!(kept("bench-result-bench-attempt1/results.json"), "{run}");
    for file in ["report.html", "report.md", "log.txt"] {
        assert!(kept(&format!("bench-report-bench-attempt1/{file}")), "{file} {run}");
    }
    the_second_workflow_posts_it(&place, &head);
}

/// The half that has a token that writes, with what the other has left.
fn the_second_workflow_posts_it(place: &Place, head: &str) {
    let name = "bench-result-bench-attempt1";
    let results = std::fs::read(place.artifact(name).join("results.json")).unwrap();
    let mut measured = run(5, 'a', FORK);
    measured["head_sha"] = head.into();
    {
        let mut state = place.fake.state();
        state.runs = vec![measured];
        state.artifacts = vec![(name.to_owned(), false, zipped("results.json", &results))];
    }
    let posted = place.run("workflow_run", &workflow_run(5, head), "6").succeeded();
    let bodies = place.fake.bodies();
    assert_eq!(bodies.len(), 1, "{posted}");
    assert!(bodies[0].contains(&format!("head={head} run=5 ")), "{}", bodies[0]);
    assert!(bodies[0].contains("contributor"), "{}", bodies[0]);
    posted.says("posted=true");
}

/// A zip with one file, as GitHub packs an artifact.
fn zipped(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(bytes).unwrap();
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_head_that_does_not_build_is_told_above_the_last_results() {
    let Some(place) = Place::new(ONE_JOB) else { return };
    let good = place.push(OWN, &[("notes.md", "one\n")]);
    place.run("pull_request", &pull_request(&good, &place.base, OWN), "5").succeeded();
    let bad = place.push(OWN, &[("build.sh", "echo 'no compiler' >&2; exit 3\n")]);
    let run = place.run("pull_request", &pull_request(&bad, &place.base, OWN), "6").failed();
    run.says("::error title=head could not be prepared (build)");
    let bodies = place.fake.bodies();
    assert_eq!(bodies.len(), 1, "{run}");
    assert!(bodies[0].contains(&format!("head={bad} run=6 ")), "{}", bodies[0]);
    let (failed, table) = (bodies[0].find("Nothing was measured"), bodies[0].find("work"));
    assert!(failed.is_some() && failed < table, "{}", bodies[0]);
    assert!(bodies[0].contains(&good[..7]), "{}", bodies[0]);
}

#[test]
fn a_head_whose_configuration_is_wrong_is_told_above_the_last_results() {
    let Some(place) = Place::new(ONE_JOB) else { return };
    let good = place.push(OWN, &[("notes.md", "one\n")]);
    place.run("pull_request", &pull_request(&good, &place.base, OWN), "5").succeeded();
    place.set_up("bench-action.toml", "[compare]\nthreshhold = \"3%\"\n");
    let bad = place.push(OWN, &[("notes.md", "two\n")]);
    let run = place.run("pull_request", &pull_request(&bad, &place.base, OWN), "6").failed();
    run.says("threshhold");
    let bodies = place.fake.bodies();
    assert!(bodies[0].contains(&format!("head={bad} run=6 ")), "{run}\n{}", bodies[0]);
    let (told, table) = (bodies[0].find("left no results"), bodies[0].find("work"));
    assert!(told.is_some() && told < table, "{}", bodies[0]);
    assert!(bodies[0].contains("mistake in the inputs or in the configuration"), "{}", bodies[0]);
}

#[test]
fn a_regression_fails_the_job_unless_the_pull_request_has_the_label_that_accepts_it() {
    let gated = "fail-on: regression\n          accept-label: slow-is-fine\n          args:";
    let workflow = ONE_JOB.replace("args: --repeat 2", gated);
    let Some(place) = Place::new(&workflow) else { return };
    let slow = include_str!("project/slow.sh");
    let head = place.push(OWN, &[("work.sh", slow)]);
    let mut event = pull_request(&head, &place.base, OWN);
    let failed = place.run("pull_request", &event, "5").failed();
    failed.says("::error title=slower::");
    event["pull_request"]["labels"] = json!([{ "name": "other" }, { "name": "slow-is-fine" }]);
    let accepted = place.run("pull_request", &event, "6").succeeded();
    accepted.says("the regression was accepted by a label");
    accepted.says("::warning title=slower::");
    accepted.says("verdict=regressed");
    let bodies = place.fake.bodies();
    assert!(bodies.len() == 1 && bodies[0].contains("▲ 1 slower"), "{accepted}\n{bodies:?}");
}

#[test]
fn one_job_measures_without_a_token_and_another_reports() {
    let Some(place) = Place::new(include_str!("workflows/two_jobs.yml")) else { return };
    let head = place.push(OWN, &[("notes.md", "one\n")]);
    let run = place.run("pull_request", &pull_request(&head, &place.base, OWN), "5").succeeded();
    let bodies = place.fake.bodies();
    assert_eq!(bodies.len(), 1, "{run}");
    assert!(bodies[0].contains(&format!("head={head} run=5 ")), "{}", bodies[0]);
}

#[test]
fn two_shards_are_one_comment_also_when_one_is_run_again() {
    let Some(place) = Place::new(include_str!("workflows/shards.yml")) else { return };
    let more = "\n[[suite.benchmark]]\nname = \"again\"\nrun = \"sh work.sh\"\n";
    let both = [include_str!("project/bench-action.toml"), more].concat();
    place.set_up("bench-action.toml", &both);
    let head = place.push(OWN, &[("notes.md", "one\n")]);
    let run = place.run("pull_request", &pull_request(&head, &place.base, OWN), "5").succeeded();
    for shard in ["shard1of2", "shard2of2"] {
        let name = format!("bench-result-bench-{shard}-attempt1/results.json");
        assert!(place.artifact(&name).exists(), "{name} {run}");
    }
    let bodies = place.fake.bodies();
    assert_eq!(bodies.len(), 1, "{run}");
    assert!(bodies[0].contains("work") && bodies[0].contains("again"), "{}", bodies[0]);

    // One measuring job by itself, and the reporting job that waits for it.
    let second = ["--env", "GITHUB_RUN_ATTEMPT=2", "--matrix", "shard:2"];
    let event = pull_request(&head, &place.base, OWN);
    let again = place.run_with("pull_request", &event, "5", &second).succeeded();
    let measured = |name: &str| place.artifact(&format!("bench-result-bench-{name}")).exists();
    assert!(measured("shard2of2-attempt2") && !measured("shard1of2-attempt2"), "{again}");
    let bodies = place.fake.bodies();
    assert_eq!(bodies.len(), 1, "{again}");
    assert!(bodies[0].contains(" run=5 attempt=2 "), "{}", bodies[0]);
    assert!(bodies[0].contains("work") && bodies[0].contains("again"), "{}", bodies[0]);
}

#[test]
fn a_push_to_the_default_branch_saves_what_it_built_and_a_pull_request_finds_it() {
    let Some(place) = Place::new(ONE_JOB) else { return };
    let pushed = json!({ "ref": "refs/heads/main", "after": place.base,
        "repository": { "default_branch": "main" } });
    let warm = place.run("push", &pushed, "4").succeeded();
    let saved: Vec<_> = std::fs::read_dir(place.path("cache")).unwrap().flatten().collect();
    assert_eq!(saved.len(), 1, "{warm}");
    let head = place.push(OWN, &[("notes.md", "one\n")]);
    let run = place.run("pull_request", &pull_request(&head, &place.base, OWN), "5").succeeded();
    run.says("cache hit=true for bench-action-");
    assert_eq!(std::fs::read_dir(place.path("cache")).unwrap().count(), 1, "{run}");
}

#[test]
fn a_merge_queue_and_a_draft_succeed_at_once() {
    let Some(place) = Place::new(ONE_JOB) else { return };
    place.run("merge_group", &json!({}), "4").succeeded().says("a merge queue waits for this");
    let head = place.push(OWN, &[("notes.md", "one\n")]);
    let mut draft = pull_request(&head, &place.base, OWN);
    draft["pull_request"]["draft"] = json!(true);
    place.run("pull_request", &draft, "5").succeeded().says("is a draft");
    assert_eq!(place.fake.bodies().len(), 0);
}

#[test]
fn without_a_checkout_the_lines_to_add_are_shown() {
    let workflow = ONE_JOB
        .replace("uses: actions/checkout@v7", "run: rm -rf .git")
        .replace("        with: { persist-credentials: false }\n", "");
    let Some(place) = Place::new(&workflow) else { return };
    let head = place.push(OWN, &[("notes.md", "one\n")]);
    let run = place.run("pull_request", &pull_request(&head, &place.base, OWN), "5").failed();
    run.says("- uses: actions/checkout@v7");
}
