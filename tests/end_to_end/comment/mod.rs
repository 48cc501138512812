//! `comment` against a GitHub in this process.

mod fork;
mod hostile;
mod measured;

use crate::fake::{FORK, Fake, Fault, PERSON, REPOSITORY, pull};
use crate::support::run::Run;
use serde_json::{Value, json};
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
    at_github(Run::new(directory.path(), &all), fake, run)
}

fn at_github(command: Run, fake: &Fake, run: &str) -> Run {
    command
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
fn a_refusal_ends_with_22_and_says_what_to_add_without_the_token() {
    let (directory, fake) = (measured(), Fake::start());
    let message = json!({ "message": "Resource not accessible by integration" });
    fake.fail("POST /repos", Fault::Answer(403, message, Vec::new()));
    let refused = comment(&directory, &fake, "5", &[]).expect(22);
    assert!(refused.stderr.contains("pull-requests: write"), "{refused}");
    assert!(!refused.stderr.contains("ghs_"), "{refused}");
}

#[test]
fn a_measuring_job_that_died_is_told_above_the_last_results() {
    let (directory, fake) = (measured(), Fake::start());
    comment(&directory, &fake, "5", &[]).expect(0);
    fake.state().pulls = vec![pull(7, 'b', REPOSITORY)];
    let lost = |arguments: &[&str]| {
        let all = [&["comment", "lost/results.json", "--pr", "7"], arguments].concat();
        at_github(Run::new(directory.path(), &all), &fake, "6")
    };
    let silent = lost(&[]).expect(2);
    assert!(silent.stderr.contains("lost/results.json"), "{silent}");
    let reason = ["--nothing", "The measuring job was `cancelled` by @somebody."];
    lost(&[&reason[..], &["--check-run", "bench"]].concat()).expect(0);
    let bodies = fake.bodies();
    let [body] = bodies.as_slice() else { panic!("{bodies:?}") };
    assert!(body.contains("bbbbbbb</a> left no results"), "{body}");
    assert!(body.contains("cancelled") && !body.contains("@somebody"), "{body}");
    assert!(body.contains("The last results are of aaaaaaa"), "{body}");
    assert!(body.contains("BenchmarkSlow"), "{body}");
    assert_eq!(fake.state().checks[0]["conclusion"], "failure");
    // A file that is there is reported, whatever is said of one that is not.
    comment(&directory, &fake, "7", &reason).expect(0);
    assert!(fake.bodies()[0].contains("content=results"), "{:?}", fake.bodies());
}

/// A job of the pull request's own, in which the token only reads.
fn in_a_job_of(directory: &TempDir, fake: &Fake, event: &Value, arguments: &[&str]) -> Run {
    let path = directory.path().join("event.json");
    fs::write(&path, event.to_string()).unwrap();
    let message = json!({ "message": "Resource not accessible by integration" });
    fake.fail("POST /repos/org/hello/issues", Fault::Answer(403, message, Vec::new()));
    let all = [&["comment", "out/results.json"], arguments].concat();
    at_github(Run::new(directory.path(), &all), fake, "5")
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_EVENT_NAME", "pull_request")
        .env("GITHUB_EVENT_PATH", path.to_str().unwrap())
        .env("GITHUB_WORKFLOW", "bench")
}

fn event(head: &Value, user: &str) -> Value {
    json!({
        "pull_request": {
            "number": 7, "user": { "login": user },
            "head": { "sha": "a".repeat(40), "ref": "feature", "repo": head },
            "base": { "sha": "2".repeat(40), "ref": "main", "repo": { "id": REPOSITORY } },
        },
        "repository": { "id": REPOSITORY },
    })
}

#[test]
fn a_fork_or_dependabot_gets_the_remedy_and_no_failure() {
    for (head, user, whose) in [
        (json!({ "id": FORK }), "somebody", "from a fork"),
        (Value::Null, "somebody", "from a fork"),
        (json!({ "id": REPOSITORY }), "dependabot[bot]", "by Dependabot"),
    ] {
        let (directory, fake) = (measured(), Fake::start());
        let event = event(&head, user);
        let told = in_a_job_of(&directory, &fake, &event, &["--check-run", "bench"]).expect(0);
        assert!(told.stderr.contains(&format!("notice: the pull request is {whose}")), "{told}");
        for line in [
            "workflows: [\"bench\"]",
            "pull-requests: write",
            "run-id: ${{ github.event.workflow_run.id }}",
        ] {
            assert!(told.stderr.contains(line), "{line} in {told}");
        }
        assert_eq!(fake.bodies().len(), 0);
    }
    let (directory, fake) = (measured(), Fake::start());
    let own = event(&json!({ "id": REPOSITORY }), "somebody");
    let told = in_a_job_of(&directory, &fake, &own, &[]).expect(22);
    assert!(told.stderr.contains("permissions:\n    pull-requests: write"), "{told}");
}

#[test]
fn a_check_is_red_by_what_fails_and_the_exit_code_follows_only_where_that_is_said() {
    let directory = TempDir::new().unwrap();
    let results = measured::results('a', &[measured::row("slow", 1.2, "regressed")]);
    fs::create_dir(directory.path().join("out")).unwrap();
    fs::write(directory.path().join("out/results.json"), results.to_string()).unwrap();
    for (arguments, exit, conclusion) in [
        (&[][..], 0, "success"),
        (&["--fail-on", "regression"], 10, "failure"),
        (&["--fail-on", "regression", "--fail-threshold", "50%"], 0, "success"),
        (&["--fail-on", "regression", "--threshold", "30%"], 0, "success"),
    ] {
        let fake = Fake::start();
        let all = [&["--check-run", "bench"], arguments].concat();
        comment(&directory, &fake, "5", &all).expect(exit);
        assert_eq!(fake.state().checks[0]["conclusion"], conclusion, "{arguments:?}");
        assert_eq!(fake.state().checks[0]["head_sha"], "a".repeat(40));
        let judged_again = arguments.contains(&"--threshold");
        let says = |text: &str| fake.bodies()[0].contains(text);
        assert!(says("▲ 1 slower") != judged_again && says("1 unchanged") == judged_again);
    }
}

/// A change to a results file, and what the refusal names.
type Change = (&'static str, fn(&mut Value));

#[test]
fn a_file_with_what_no_run_writes_makes_no_comment() {
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join("out")).unwrap();
    let changes: [Change; 11] = [
        ("sides[1].commit is --> hi @torvalds", |r| {
            r["sides"][1]["commit"] = json!("--> hi @torvalds")
        }),
        ("sides[1].commit", |r| {
            let more = " run=99999999999 attempt=9 content=results --> hi <!--";
            r["sides"][1]["commit"] = json!("a".repeat(40) + more);
        }),
        ("sides[0].commit", |r| r["sides"][0]["commit"] = json!("A".repeat(40))),
        ("settings.alpha is -1, and must be above 0 and below 1", |r| {
            r["settings"]["alpha"] = json!(-1.0);
        }),
        ("settings.alpha is 1e300", |r| r["settings"]["alpha"] = json!(1e300)),
        ("plan.family_size is 1, and must be at least 2", |r| r["plan"]["family_size"] = json!(1)),
        ("summary.counts.regressed is 1, and must be 0", |r| r["benchmarks"] = json!([])),
        ("row `suite/slow`: verdict is improved", |r| {
            r["benchmarks"][0]["verdict"] = json!("improved");
        }),
        ("row `suite/slow`: head.center is 1.7e308", |r| {
            r["benchmarks"][0]["head"]["center"] = json!(1.7e308);
        }),
        ("row `suite/slow`: change.ratio is 1.7e308", |r| {
            r["benchmarks"][0]["change"]["ratio"] = json!(1.7e308);
        }),
        ("summary.verdict is unchanged, and must be regressed", |r| {
            r["summary"]["verdict"] = json!("unchanged");
        }),
    ];
    for (named, change) in changes {
        let rows =
            [measured::row("slow", 1.2, "regressed"), measured::row("same", 1.0, "unchanged")];
        let mut results = measured::results('a', &rows);
        for row in results["benchmarks"].as_array_mut().unwrap() {
            row["family"] = json!(2);
        }
        change(&mut results);
        fs::write(directory.path().join("out/results.json"), results.to_string()).unwrap();
        let fake = Fake::start();
        let told = comment(&directory, &fake, "5", &[]).expect(2);
        assert!(told.stderr.contains(named), "{named} in {told}");
        assert_eq!(fake.bodies().len(), 0, "{named}");
    }
}

#[test]
fn a_verdict_that_its_own_blocks_deny_makes_no_comment() {
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join("out")).unwrap();
    let results = measured::results('a', &[measured::row("slow", 1.0, "regressed")]);
    fs::write(directory.path().join("out/results.json"), results.to_string()).unwrap();
    let fake = Fake::start();
    let told = comment(&directory, &fake, "5", &[]).expect(13);
    let words = "suite/slow is stored as regressed, its evidence says unchanged";
    assert!(told.stderr.contains(words), "{told}");
    assert_eq!(fake.bodies().len(), 0);
}

#[test]
fn a_dry_run_names_the_check_and_sets_none() {
    let (directory, fake) = (measured(), Fake::start());
    let shown = comment(&directory, &fake, "5", &["--dry-run", "--check-run", "bench"]).expect(0);
    assert!(shown.stderr.contains("the check \"bench\" would be success"), "{shown}");
    assert_eq!(fake.state().checks.len(), 0);
}
