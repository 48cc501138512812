//! One comment, whatever else is on the page.

use crate::fake::{BOT, Fake, PERSON, REPOSITORY, pull};
use crate::support::{body, client, client_at, marker, on_pull, post_text, posting};
use bench_comment::{Ending, post};
use std::sync::{Arc, Barrier};

#[test]
fn it_is_created_then_edited_and_a_late_older_run_leaves_it() {
    let fake = Fake::start();
    let rest = client(&fake);
    assert!(matches!(post_text(&rest, marker('a', 1), "first"), Ending::Created(_)));
    fake.state().pulls = vec![pull(7, 'b', REPOSITORY)];
    let Ending::Updated(posted) = post_text(&rest, marker('b', 2), "second") else { panic!() };
    assert!(posted.url.ends_with("/pull/7#issuecomment-101"), "{}", posted.url);
    let ending = post_text(&rest, marker('a', 1), "late");
    assert_eq!(ending, Ending::Superseded(marker('b', 2)));
    assert_eq!(fake.bodies(), [body(&marker('b', 2), "second")]);
}

#[test]
fn every_request_names_the_version_of_the_api_us_and_the_token() {
    let fake = Fake::start();
    post_text(&client(&fake), marker('a', 1), "text");
    for exchange in &fake.state().log {
        let headers = |name: &str| {
            let named = exchange.request.headers.iter().filter(|(n, _)| n == name);
            named.map(|(_, value)| value.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(headers("accept"), ["application/vnd.github+json"]);
        assert_eq!(headers("x-github-api-version"), ["2022-11-28"]);
        assert_eq!(headers("authorization"), [format!("Bearer {}", crate::support::TOKEN)]);
        assert!(
            headers("user-agent")[0].starts_with("bench-action/"),
            "{:?}",
            headers("user-agent")
        );
    }
}

#[test]
fn it_is_found_on_the_third_page() {
    let fake = Fake::start();
    for number in 0..249 {
        fake.comment(PERSON, &format!("talk {number}"));
    }
    let id = fake.comment(BOT, &body(&marker('a', 1), "old"));
    fake.comment(PERSON, "the last word");
    let Ending::Updated(posted) = post_text(&client(&fake), marker('a', 2), "new") else {
        panic!()
    };
    assert_eq!(posted.id, id);
    assert_eq!(fake.state().comments.len(), 251);
}

#[test]
fn a_marker_that_somebody_else_wrote_is_never_touched_before_or_after_ours() {
    for (has_graphql, is_person) in [(true, false), (false, false), (true, true), (false, true)] {
        let fake = Fake::start();
        fake.state().has_no_graphql = !has_graphql;
        fake.state().is_persons_token = is_person;
        let forged = body(&marker('a', 999), "forged");
        fake.comment(PERSON, &forged);
        let rest = client(&fake);
        assert!(matches!(post_text(&rest, marker('a', 1), "ours"), Ending::Created(_)));
        fake.comment(PERSON, &forged);
        assert!(matches!(post_text(&rest, marker('a', 2), "ours"), Ending::Updated(_)));
        let ours = body(&marker('a', 2), "ours");
        assert_eq!(fake.bodies(), [forged.clone(), ours, forged]);
    }
}

#[test]
fn another_bot_is_not_us_even_where_only_rest_can_tell() {
    let fake = Fake::start();
    fake.state().has_no_graphql = true;
    let other = body(&marker('a', 1), "of another app");
    fake.comment((5, "other-app[bot]", "Bot"), &other);
    post_text(&client(&fake), marker('a', 2), "ours");
    assert_eq!(fake.bodies(), [other, body(&marker('a', 2), "ours")]);
}

#[test]
fn of_two_of_ours_the_oldest_stays() {
    let fake = Fake::start();
    let first = fake.comment(BOT, &body(&marker('a', 1), "one"));
    fake.comment(PERSON, "a person");
    fake.comment(BOT, &body(&marker('a', 2), "two"));
    let Ending::Updated(posted) = post_text(&client(&fake), marker('a', 3), "new") else {
        panic!()
    };
    assert_eq!(posted.id, first);
    assert_eq!(fake.bodies(), [body(&marker('a', 3), "new"), "a person".into()]);
}

#[test]
fn two_reporters_at_once_leave_one_comment_with_the_newer_state() {
    for _ in 0..10 {
        let fake = Fake::start();
        let gate = Arc::new(Barrier::new(2));
        let reporter = |run: u64| {
            let (fake, gate) = (fake.clone(), Arc::clone(&gate));
            std::thread::spawn(move || {
                // Both have seen the empty list before either writes.
                let mut is_first = true;
                let mut write = |_: usize, _: &str| {
                    if std::mem::take(&mut is_first) {
                        gate.wait();
                    }
                    Ok::<_, std::convert::Infallible>(format!("run {run}"))
                };
                let posting = posting(marker('a', run));
                let _ending = post(&on_pull(&client(&fake)), &posting, &mut write);
            })
        };
        let reporters = [reporter(1), reporter(2)];
        reporters.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(fake.bodies(), [body(&marker('a', 2), "run 2")]);
    }
}

#[test]
fn an_enterprise_server_has_its_api_below_a_path() {
    let fake = Fake::start();
    let rest = client_at(&fake, "/api/v3", "/api/graphql");
    assert!(matches!(post_text(&rest, marker('a', 1), "one"), Ending::Created(_)));
    assert!(matches!(post_text(&rest, marker('a', 2), "two"), Ending::Updated(_)));
    assert_eq!(fake.count("POST /api/v3/repos/org/hello/issues/7/comments"), 1);
    assert!(fake.count("POST /api/graphql") > 0);
    assert_eq!(fake.bodies().len(), 1);
}
