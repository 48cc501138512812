//! Everything that GitHub and the network do besides answering.

use crate::fake::{BOT, Fake, Fault};
use crate::support::{body, client, commit, marker, on_pull, post_text, posting};
use bench_comment::{
    Connection, Ending, GitHub as _, Patience, Place, Refusal, Rest, WriteError, post,
};
use serde_json::json;

const CREATE: &str = "POST /repos/org/hello/issues/7/comments";
const LIST: &str = "GET /repos/org/hello/issues/7/comments";

fn answer(status: u16, message: &str) -> Fault {
    Fault::Answer(status, json!({ "message": message }), Vec::new())
}

#[test]
fn a_comment_is_never_sent_twice_whether_it_was_written_or_not() {
    for (fault, was_written) in [
        (Fault::DoneButStatus(502), true),
        (Fault::DoneButDrop, true),
        (Fault::Html(503), false),
        (Fault::Drop, false),
    ] {
        let fake = Fake::start();
        fake.fail(CREATE, fault);
        let ending = post_text(&client(&fake), marker('a', 1), "text");
        assert!(matches!(ending, Ending::Created(_)), "{ending:?}");
        assert_eq!(fake.bodies(), [body(&marker('a', 1), "text")]);
        assert_eq!(fake.count(CREATE), if was_written { 1 } else { 2 });
    }
}

#[test]
fn reading_is_tried_again_and_then_given_up() {
    let fake = Fake::start();
    for fault in [Fault::Html(502), Fault::Drop, Fault::Html(500)] {
        fake.fail(LIST, fault);
    }
    assert!(matches!(post_text(&client(&fake), marker('a', 1), "text"), Ending::Created(_)));
    (0..4).for_each(|_| fake.fail(LIST, Fault::Html(502)));
    let ending = post_text(&client(&fake), marker('a', 2), "text");
    let Ending::Refused(refusal @ Refusal::Server { status: 502, .. }) = ending else {
        panic!("{ending:?}")
    };
    assert!(refusal.to_string().contains("run this job again"), "{refusal}");
    assert!(!refusal.to_string().contains('\n'), "{refusal}");
}

#[test]
fn a_limit_is_waited_for_and_the_comment_then_sent() {
    let fake = Fake::start();
    let secondary = "You have exceeded a secondary rate limit";
    fake.fail(
        CREATE,
        Fault::Answer(403, json!({ "message": secondary }), vec![("retry-after", "0".into())]),
    );
    fake.fail(CREATE, answer(429, "slow down"));
    fake.fail(LIST, answer(403, secondary));
    assert!(matches!(post_text(&client(&fake), marker('a', 1), "text"), Ending::Created(_)));
    assert_eq!((fake.count(CREATE), fake.bodies().len()), (3, 1));
}

#[test]
fn a_limit_for_longer_than_we_wait_is_said() {
    let fake = Fake::start();
    let headers =
        vec![("x-ratelimit-remaining", "0".into()), ("x-ratelimit-reset", "99999999999".into())];
    fake.fail(CREATE, Fault::Answer(403, json!({ "message": "API rate limit exceeded" }), headers));
    let ending = post_text(&client(&fake), marker('a', 1), "text");
    assert!(matches!(ending, Ending::Refused(Refusal::RateLimited { .. })), "{ending:?}");
    assert_eq!(fake.count(CREATE), 1);
}

#[test]
fn every_refusal_says_what_was_refused_and_what_to_do() {
    for (status, message, wanted) in [
        (401, "Bad credentials", "GITHUB_TOKEN: ${{ github.token }}"),
        (403, "Resource not accessible by integration", "permissions:\n    pull-requests: write"),
        (403, "Resource not accessible by integration", "workflow_run"),
        (403, "Unable to create comment because issue is locked.", "unlock"),
        (404, "Not Found", "pull-requests: write"),
        (410, "Gone", "deleted"),
        (418, "teapot", "418: teapot"),
    ] {
        let fake = Fake::start();
        fake.fail(CREATE, answer(status, message));
        let Ending::Refused(refusal) = post_text(&client(&fake), marker('a', 1), "text") else {
            panic!("{status}")
        };
        let said = refusal.to_string();
        assert!(said.contains(wanted), "{said}");
        assert!(said.contains("pull request 7 of org/hello"), "{said}");
        assert_eq!(fake.count(CREATE), 1);
    }
}

#[test]
fn a_text_beyond_what_github_stores_is_asked_for_again_shorter() {
    let fake = Fake::start();
    fake.comment(BOT, &body(&marker('a', 1), "old"));
    let mut budgets = Vec::new();
    let mut write = |budget: usize, _: &str| {
        budgets.push(budget);
        let length = if budgets.len() == 1 { 300_000 } else { budget };
        Ok::<_, std::convert::Infallible>("x".repeat(length))
    };
    let ending = post(&on_pull(&client(&fake)), &posting(marker('a', 2)), &mut write).unwrap();
    assert!(matches!(ending, Ending::Updated(_)), "{ending:?}");
    assert!(budgets.len() == 2 && budgets[1] < budgets[0] && budgets[0] < 60_000, "{budgets:?}");
    assert!(fake.bodies()[0].len() <= 30_000);
}

#[test]
fn what_was_deleted_meanwhile_is_created_once() {
    let fake = Fake::start();
    fake.comment(BOT, &body(&marker('a', 1), "old"));
    fake.fail("PATCH", Fault::DeleteAllFirst);
    assert!(matches!(post_text(&client(&fake), marker('a', 2), "new"), Ending::Created(_)));
    assert_eq!(fake.bodies(), [body(&marker('a', 2), "new")]);
}

#[test]
fn a_pull_request_that_is_not_there_is_named() {
    let fake = Fake::start();
    fake.state().pulls.clear();
    let Ending::Refused(refusal) = post_text(&client(&fake), marker('a', 1), "x") else { panic!() };
    assert!(refusal.to_string().starts_with("pull request 7 of org/hello"), "{refusal}");
}

#[test]
fn nobody_listening_and_no_address_are_said_with_the_variable_to_look_at() {
    let refusal = |api_url: &str| {
        let patience = Patience { tries: 1, ..Patience::default() };
        let (graphql_url, token) = (String::new(), "t".into());
        let api_url = api_url.to_owned();
        let connection =
            Connection { api_url, graphql_url, token, proxy: None, no_proxy: None, patience };
        let rest = Rest::new(&connection, Place::new("org/hello").unwrap());
        rest.and_then(|rest| rest.pull(7)).unwrap_err().to_string()
    };
    for address in ["http://127.0.0.1:1", "nonsense", "ftp://x/", "http://"] {
        let said = refusal(address);
        assert!(said.contains("could not be reached") && said.contains("GITHUB_API_URL"), "{said}");
    }
}

#[test]
fn an_answer_that_is_not_of_the_api_is_no_comment() {
    let fake = Fake::start();
    fake.fail(LIST, Fault::Html(200));
    let ending = post_text(&client(&fake), marker('a', 1), "x");
    assert!(matches!(ending, Ending::Refused(Refusal::Unreachable { .. })), "{ending:?}");
    assert_eq!(fake.count(CREATE), 0);
}

#[test]
fn a_check_that_may_not_be_set_names_its_permission() {
    let fake = Fake::start();
    fake.fail("POST /repos/org/hello/check-runs", answer(403, "Resource not accessible"));
    let check = bench_comment::Check {
        name: "benchmarks".into(),
        head: commit('a'),
        conclusion: bench_comment::Conclusion::Neutral,
        title: "t".into(),
        summary: "s".into(),
    };
    let rest = client(&fake);
    let Err(WriteError::Refused(refusal)) = rest.set_check(&check) else { panic!() };
    assert!(refusal.to_string().contains("checks: write"), "{refusal}");
    assert!(rest.set_check(&check).unwrap().contains("/runs/"));
    let stored = fake.state().checks[0].clone();
    assert_eq!(
        (&stored["conclusion"], &stored["status"]),
        (&json!("neutral"), &json!("completed"))
    );
}
