//! The comment on a pull request, from events to its text.

use crate::events::{FORK, OWN, pull_request};
use crate::place::Place;

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
}
