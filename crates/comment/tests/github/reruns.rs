//! Who may ask for a measurement, and which run is started again.

use crate::fake::{FORK, Fake, Fault, run};
use crate::support::{client, commit};
use bench_comment::{Permission, Refusal, Reruns as _, WriteError};
use serde_json::{Value, json};

#[test]
fn permissions_are_asked_of_the_repository_and_unknown_ones_are_none() {
    let fake = Fake::start();
    fake.state().permissions = vec![("maintainer".into(), "write"), ("robot".into(), "odd")];
    let rest = client(&fake);
    assert_eq!(rest.permission("maintainer").unwrap(), Permission::Write);
    assert_eq!(rest.permission("passer-by").unwrap(), Permission::Read);
    assert_eq!(rest.permission("robot").unwrap(), Permission::None);
    assert!(!Permission::Read.can_write() && Permission::Admin.can_write());
    rest.permission("a/../b?x").unwrap();
    let asked = fake.state().log.last().unwrap().request.clone();
    assert!(asked.path.ends_with("/collaborators/a%2F%2E%2E%2Fb%3Fx/permission"), "{}", asked.path);
}

#[test]
fn the_runs_of_a_commit_are_listed_and_one_of_them_is_started_once() {
    let fake = Fake::start();
    let running = |id| {
        let mut run = run(id, 'b', FORK);
        run["conclusion"] = Value::Null;
        run
    };
    fake.state().runs = vec![run(5, 'a', FORK), run(6, 'b', FORK), running(7)];
    let rest = client(&fake);
    let runs = rest.runs_for(&commit('b')).unwrap();
    assert_eq!(runs.iter().map(|run| run.id).collect::<Vec<_>>(), [7, 6]);
    rest.run_again(6).unwrap();
    assert_eq!(fake.state().started_again, [6]);
    let refused = rest.run_again(7).unwrap_err();
    assert!(matches!(refused, WriteError::Refused(Refusal::Permission { .. })), "{refused:?}");
    fake.fail("POST /repos", Fault::Answer(403, json!({ "message": "Resource not" }), Vec::new()));
    let refused = rest.run_again(6).unwrap_err();
    let WriteError::Refused(refusal) = refused else { panic!("{refused:?}") };
    assert!(refusal.to_string().contains("actions: write"), "{refusal}");
}
