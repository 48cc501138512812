//! After a merge: the pull request of a commit, and the one issue.

use crate::fake::{BOT, Fake, Issue, PERSON, REPOSITORY, pull};
use crate::support::{body, client, commit, marker, posting};
use bench_comment::{
    AsIssue, Ending, Mode, News, OnMerged, Post, Rest, Thread, Tracker as _, post,
};
use serde_json::json;

fn post_on(thread: &dyn Thread, posting: &Post, text: &str) -> Ending {
    let mut write = |_: usize, _: &str| Ok::<_, std::convert::Infallible>(text.to_owned());
    match post(thread, posting, &mut write) {
        Ok(ending) => ending,
        Err(never) => match never {},
    }
}

fn as_issue(tracker: &Rest) -> AsIssue<'_> {
    AsIssue { tracker, title: "Benchmarks changed" }
}

#[test]
fn only_pull_requests_that_were_merged_into_the_branch_count() {
    let fake = Fake::start();
    let merged = |number: u64, base: &str| {
        let mut pull = pull(number, 'a', REPOSITORY);
        pull["state"] = json!("closed");
        pull["merged_at"] = json!("2026-12-01T10:00:00Z");
        pull["base"]["ref"] = json!(base);
        pull
    };
    let pulls = vec![pull(3, 'a', REPOSITORY), merged(4, "main"), merged(5, "stable")];
    fake.state().pulls_of.insert(commit('a'), pulls);
    let rest = client(&fake);
    assert_eq!(rest.merged_pulls(&commit('a'), "main").unwrap(), [4]);
    assert_eq!(rest.merged_pulls(&commit('b'), "main").unwrap(), [0; 0]);
}

#[test]
fn on_a_merged_pull_request_the_later_run_counts_whatever_it_is_of() {
    let fake = Fake::start();
    let rest = client(&fake);
    let thread = OnMerged { github: &rest, pull: 7 };
    assert!(matches!(post_on(&thread, &posting(marker('b', 2)), "two"), Ending::Created(_)));
    let late = post_on(&thread, &posting(marker('a', 1)), "one");
    assert_eq!(late, Ending::Superseded(marker('b', 2)));
    assert!(matches!(post_on(&thread, &posting(marker('c', 3)), "three"), Ending::Updated(_)));
    assert_eq!(fake.bodies(), [body(&marker('c', 3), "three")]);
    assert_eq!(fake.count("GET /repos/org/hello/pulls/7"), 0);
}

#[test]
fn one_issue_is_opened_where_there_is_news_and_brought_up_to_date_while_it_is_open() {
    let fake = Fake::start();
    let forged = body(&marker('a', 9), "forged");
    fake.state().issues = vec![Issue::new(900, "Mine", &forged, PERSON)];
    let rest = client(&fake);
    let quiet = |run| {
        let mut posting = posting(marker('a', run));
        (posting.mode, posting.report.news) = (Mode::Changes, News::None);
        posting
    };
    assert_eq!(post_on(&as_issue(&rest), &quiet(1), "none"), Ending::NotNeeded);
    let Ending::Created(posted) = post_on(&as_issue(&rest), &posting(marker('a', 2)), "two") else {
        panic!()
    };
    assert!(posted.url.ends_with(&format!("/issues/{}", posted.id)), "{}", posted.url);
    assert!(matches!(post_on(&as_issue(&rest), &quiet(3), "three"), Ending::Updated(_)));
    let issues = fake.state().issues.clone();
    assert_eq!(issues.len(), 2);
    assert_eq!((issues[0].body.as_str(), issues[1].author), (forged.as_str(), BOT));
    assert_eq!(issues[1].title, "Benchmarks changed");
    assert_eq!(issues[1].body, body(&marker('a', 3), "three"));

    // One that was closed stays so.
    fake.state().issues[1].is_open = false;
    assert!(matches!(post_on(&as_issue(&rest), &posting(marker('b', 4)), "4"), Ending::Created(_)));
    assert_eq!(fake.state().issues.len(), 3);
}
