//! The trusted half of a fork's run: its pull request and its artifact.

use crate::fake::{FORK, Fake, REPOSITORY, pull, run};
use crate::support::client;
use bench_comment::{Found, GitHub as _, MOST_PACKED_BYTES, choose_artifacts, pull_of_run};

#[test]
fn a_forks_run_leads_to_its_pull_request_by_owner_branch_and_commit() {
    let fake = Fake::start();
    fake.state().runs = vec![run(99, 'b', FORK)];
    // The same branch name in the repository itself, and an older commit of the fork's.
    fake.state().pulls = vec![pull(7, 'b', REPOSITORY), pull(8, 'c', FORK), pull(9, 'b', FORK)];
    let rest = client(&fake);
    let run = rest.run(99).unwrap();
    assert!(run.is_from_fork());
    let (owner, branch) = (run.head_owner.clone().unwrap(), run.head_branch.clone().unwrap());
    let pulls = rest.open_pulls(&owner, &branch).unwrap();
    let found = pull_of_run(&run, &pulls, rest.repository().unwrap().id, None);
    assert!(matches!(&found, Found::One(pull) if pull.number == 9), "{found:?}");
    let asked = fake.state().log[1].request.query.clone();
    assert_eq!(asked["head"], "contributor:feature");
    assert_eq!(asked["state"], "open");
}

#[test]
fn a_branch_name_cannot_add_to_the_question() {
    let fake = Fake::start();
    let pulls = client(&fake).open_pulls("x", "a&state=closed#b/c d+e%").unwrap();
    assert_eq!(pulls, []);
    assert_eq!(fake.state().log[0].request.query["head"], "x:a&state=closed#b/c d+e%");
    assert_eq!(fake.state().log[0].request.query["state"], "open");
}

#[test]
fn a_commit_is_of_a_branch_where_the_branch_has_gone_on_from_it() {
    let fake = Fake::start();
    let (main, forks) = ("2".repeat(40), "f".repeat(40));
    fake.state().elsewhere = vec![forks.clone()];
    let rest = client(&fake);
    assert_eq!(rest.has_commit("main", &main), Ok(true));
    // GitHub knows it, because a fork's commits are kept with the repository's own.
    assert_eq!(rest.has_commit("main", &forks), Ok(false));
    assert_eq!(rest.has_commit("a/b", &main), Ok(false));
    let paths: Vec<String> = fake.state().log.iter().map(|x| x.request.path.clone()).collect();
    assert_eq!(paths[0], format!("/repos/org/hello/compare/{main}...main"));
    assert_eq!(paths[2], format!("/repos/org/hello/compare/{main}...a%2Fb"));
}

#[test]
fn an_artifact_is_fetched_from_elsewhere_without_the_token_and_within_its_limit() {
    let fake = Fake::start();
    let large = vec![7; usize::try_from(MOST_PACKED_BYTES).unwrap() + 1];
    fake.state().artifacts = vec![
        ("bench-result-attempt1".into(), false, b"one".to_vec()),
        ("bench-result-attempt2".into(), false, large),
    ];
    let rest = client(&fake);
    let artifacts = rest.artifacts(99).unwrap();
    assert_eq!(choose_artifacts(&artifacts, "bench-result", 2)[0].artifact.id, 1);
    assert_eq!(rest.download(0, MOST_PACKED_BYTES).unwrap().as_deref(), Some(&b"one"[..]));
    assert_eq!(rest.download(1, MOST_PACKED_BYTES).unwrap(), None);
}

#[test]
fn an_artifact_is_fetched_from_an_enterprise_server_too() {
    let fake = Fake::start();
    fake.state().artifacts = vec![("bench-result".into(), false, b"one".to_vec())];
    let rest = crate::support::client_at(&fake, "/api/v3", "/api/graphql");
    assert_eq!(rest.download(0, 100).unwrap().as_deref(), Some(&b"one"[..]));
}

#[test]
fn a_file_is_read_as_it_is_on_the_default_branch_and_one_that_is_not_there_is_none() {
    let fake = Fake::start();
    let text = b"[compare]\nthreshold = \"7%\"\n".repeat(9);
    fake.state().files.insert("bench-action.toml".into(), text.clone());
    let rest = client(&fake);
    let branch = rest.repository().unwrap().default_branch;
    assert_eq!(branch, "main");
    assert_eq!(rest.file("bench-action.toml", &branch).unwrap(), Some(text));
    assert_eq!(rest.file("other.toml", &branch).unwrap(), None);
    assert_eq!(rest.file("bench-action.toml", "a&ref=main").unwrap(), None);
}
