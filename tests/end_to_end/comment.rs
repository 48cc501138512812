//! `comment` against a GitHub in this process.

use crate::fake::{Fake, Fault, PERSON, REPOSITORY, pull};
use crate::support::run::Run;
use serde_json::json;
use std::fs;
use tempfile::TempDir;

/// A directory with `out/results.json` of two output files.
fn measured() -> TempDir {
    let directory = TempDir::new().unwrap();
    for (side, ns) in [("base", 1000), ("head", 1200)] {
        let text = format!("goos: linux\npkg: p\nBenchmarkSlow-2 \t 100 \t {ns} ns/op\n");
        fs::write(directory.path().join(format!("{side}.txt")), text).unwrap();
    }
    Run::new(directory.path(), &["compare", "base.txt", "head.txt", "--out", "out"]).expect(0);
    directory
}

fn comment(directory: &TempDir, fake: &Fake, run: &str, arguments: &[&str]) -> Run {
    let all = [&["comment", "out/results.json", "--pr", "7"], arguments].concat();
    Run::new(directory.path(), &all)
        .env("GITHUB_API_URL", &fake.address)
        .env("GITHUB_GRAPHQL_URL", &format!("{}/graphql", fake.address))
        .env("GITHUB_REPOSITORY", "org/hello")
        .env("GITHUB_RUN_ID", run)
        .env("GITHUB_TOKEN", "ghs_sixteencharacters")
}

#[test]
fn a_comment_is_created_edited_and_left_by_an_older_run() {
    let (directory, fake) = (measured(), Fake::start());
    fake.comment(PERSON, "hello");
    let created = comment(&directory, &fake, "5", &[]).expect(0);
    assert!(created.stderr.contains("comment created: https://"), "{created}");
    fake.state().pulls = vec![pull(7, 'b', REPOSITORY)];
    comment(&directory, &fake, "6", &[]).expect(0);
    let bodies = fake.bodies();
    assert_eq!(bodies.len(), 2);
    assert!(bodies[1].contains("run=6 ") && bodies[1].contains("BenchmarkSlow"), "{}", bodies[1]);
    let late = comment(&directory, &fake, "5", &[]).expect(0);
    assert!(late.stderr.contains("newer state (bbbbbbb, run 6)"), "{late}");
    assert_eq!(fake.bodies(), bodies);
}

#[test]
fn a_dry_run_shows_the_comment_and_writes_nothing() {
    let (directory, fake) = (measured(), Fake::start());
    let shown = comment(&directory, &fake, "5", &["--dry-run"]).expect(0);
    assert!(shown.stderr.contains("a new comment would be created"), "{shown}");
    assert!(shown.stdout.starts_with("<!-- bench-action v1 key=bench "), "{shown}");
    assert_eq!((fake.bodies().len(), fake.count("POST /repos")), (0, 0));
}

#[test]
fn without_a_file_the_results_of_the_last_run_are_found_from_below_too() {
    let (directory, fake) = (measured(), Fake::start());
    let last = directory.path().join(".bench-action/last");
    let below = directory.path().join("deep/er");
    fs::create_dir_all(&below).unwrap();
    fs::create_dir_all(&last).unwrap();
    let arguments = ["comment", "--pr", "7", "--dry-run"];
    let ask = || {
        let run = Run::new(&below, &arguments).env("GITHUB_REPOSITORY", "org/hello");
        let run = run.env("GITHUB_API_URL", &fake.address);
        run.env("GITHUB_TOKEN", "ghs_sixteencharacters")
    };
    let none = ask().expect(2);
    assert!(none.stderr.contains("there are no results here yet"), "{none}");
    fs::copy(directory.path().join("out/results.json"), last.join("results.json")).unwrap();
    assert!(ask().expect(0).stdout.contains("BenchmarkSlow"));
}

#[test]
fn a_refusal_ends_with_22_and_says_what_to_add_without_the_token() {
    let (directory, fake) = (measured(), Fake::start());
    let message = json!({ "message": "Resource not accessible by integration" });
    fake.fail("POST /repos", Fault::Answer(403, message, Vec::new()));
    let refused = comment(&directory, &fake, "5", &[]).expect(22);
    assert!(refused.stderr.contains("pull-requests: write"), "{refused}");
    assert!(!refused.stderr.contains("ghs_"), "{refused}");
}
