//! The default branch over time: one job measures, another records.

use crate::events::{OWN, dispatch_with, pull_request};
use crate::place::Place;
use serde_json::json;

const HISTORY: &str = include_str!("workflows/history.yml");

#[test]
fn one_job_measures_against_the_reference_and_another_records_without_a_checkout() {
    let Some(place) = Place::new(HISTORY) else { return };
    let reference = place.base.clone();
    let commits =
        [place.advance(&[("notes.md", "one\n")]), place.advance(&[("notes.md", "two\n")])];
    let event = dispatch_with(&json!({ "base": reference }));
    let run = place.run("workflow_dispatch", &event, "5").succeeded();
    run.says(&format!("recorded {}", &commits[1][..10]));
    run.says("No new change");
    run.says("index.html");
    let files = place.remote(&["ls-tree", "-r", "--name-only"], "bench-history");
    assert!(files.contains(&format!("/{}/", commits[1])), "{files}\n{run}");
    assert!(!files.contains(&format!("/{}/", commits[0])), "{files}");
    let page = place.artifact("bench-dashboard-bench-attempt1/index.html");
    assert!(std::fs::read_to_string(page).unwrap().contains("hello"), "{run}");
    let again = place.run("workflow_dispatch", &event, "6").succeeded();
    again.says("recorded");
    let recorded = place.remote(&["rev-list", "--count"], "bench-history");
    assert_eq!(recorded, "2", "each measurement is kept");
}

#[test]
fn without_a_reference_nothing_is_measured() {
    let Some(place) = Place::new(HISTORY) else { return };
    let run = place.run("workflow_dispatch", &dispatch_with(&json!({})), "5").failed();
    run.says("one pinned reference");
}

#[test]
fn what_a_pull_request_has_measured_is_never_recorded() {
    let Some(place) = Place::new(&HISTORY.replace("          mode: history\n", "")) else { return };
    let head = place.push(OWN, &[("notes.md", "one\n")]);
    let run = place.run("pull_request", &pull_request(&head, &place.base, OWN), "5").succeeded();
    run.says("are for the default branch");
    assert!(place.artifact("bench-result-bench-attempt1/results.json").exists(), "{run}");
    assert_eq!(place.remote(&["branch", "--list"], "bench-history"), "", "{run}");
}
