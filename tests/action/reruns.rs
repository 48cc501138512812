//! Measuring a pull request again, by hand or by a comment.

use crate::events::{FORK, OWN, comment, dispatch};
use crate::fake::run;
use crate::place::Place;
use serde_json::Value;

const BY_HAND: &str = include_str!("workflows/by_hand.yml");

/// A run of the workflow for a commit of the fork.
fn forks_run(id: u64, head: &str) -> Value {
    let mut run = run(id, 'a', FORK);
    run["head_sha"] = head.into();
    run
}

#[test]
fn a_pull_request_of_the_repository_is_measured_again_from_a_dispatch() {
    let Some(place) = Place::new(BY_HAND) else { return };
    let head = place.push(OWN, &[("notes.md", "one\n")]);
    let run = place.run("workflow_dispatch", &dispatch(), "8").succeeded();
    let bodies = place.fake.bodies();
    assert_eq!(bodies.len(), 1, "{run}");
    assert!(bodies[0].contains(&format!("head={head} run=8 ")), "{}", bodies[0]);
    assert!(bodies[0].contains(&place.base[..7]), "{}", bodies[0]);
}

#[test]
fn a_forks_pull_request_has_its_own_run_started_again_and_its_code_never_runs_here() {
    let Some(place) = Place::new(BY_HAND) else { return };
    let head = place.push(FORK, &[("build.sh", "echo 'code of the fork'\n")]);
    let none = place.run("workflow_dispatch", &dispatch(), "8").failed();
    none.says("there is no run to start again");
    place.fake.state().runs = vec![forks_run(41, &head), forks_run(42, &head)];
    let run = place.run("workflow_dispatch", &dispatch(), "9").succeeded();
    assert_eq!(place.fake.state().started_again, [42]);
    run.says("https://github.com/org/hello/actions/runs/42");
    assert!(!run.log.contains("code of the fork") && place.fake.bodies().is_empty(), "{run}");
}

#[test]
fn a_comment_starts_a_measurement_where_its_author_may_write() {
    let Some(place) = Place::new(BY_HAND) else { return };
    let head = place.push(FORK, &[("notes.md", "one\n")]);
    place.fake.state().runs = vec![forks_run(42, &head)];
    let stranger = place.run("issue_comment", &comment("stranger", "/bench"), "8").succeeded();
    stranger.says("stranger may not start a measurement");
    assert!(place.fake.state().started_again.is_empty());
    place.fake.state().permissions = vec![("maintainer".into(), "write")];
    place.run("issue_comment", &comment("maintainer", "nice /bench"), "9").succeeded();
    assert!(place.fake.state().started_again.is_empty());
    place.run("issue_comment", &comment("maintainer", "/bench\r\n"), "10").succeeded();
    assert_eq!(place.fake.state().started_again, [42]);
}
