//! What these tests share: a client with little patience, reports, and comments as they stand.

use crate::fake::Fake;
use bench_comment::{
    Commit, Connection, Content, Ending, Key, Marker, Mode, News, OnPull, Patience, Place, Post,
    Report, Rest, post,
};
use std::time::Duration;

pub(crate) const TOKEN: &str = "ghs_sixteencharacters";

/// The client of one test; `prefix` is where the API begins.
pub(crate) fn client_at(fake: &Fake, prefix: &str, graphql: &str) -> Rest {
    let connection = Connection {
        api_url: format!("{}{prefix}", fake.address),
        graphql_url: format!("{}{graphql}", fake.address),
        token: TOKEN.into(),
        proxy: None,
        no_proxy: None,
        patience: Patience {
            first: Duration::from_millis(1),
            limited: Duration::from_millis(1),
            total: Duration::from_secs(3),
            tries: 4,
            answer: Duration::from_secs(10),
        },
    };
    Rest::new(&connection, Place::new("org/hello").unwrap()).unwrap()
}

pub(crate) fn client(fake: &Fake) -> Rest {
    client_at(fake, "", "/graphql")
}

pub(crate) fn commit(letter: char) -> String {
    letter.to_string().repeat(40)
}

pub(crate) fn marker(letter: char, run: u64) -> Marker {
    let (key, content) = (Key::new("bench").unwrap(), Content::Results);
    let head = Commit::new(&commit(letter)).unwrap();
    Marker { key, head, run, attempt: 1, content }
}

/// What a run posts, in any size it is asked for.
pub(crate) fn posting(marker: Marker) -> Post {
    Post { report: Report { marker, news: News::Some }, mode: Mode::Always, settle: Duration::ZERO }
}

/// The conversation of the one pull request.
pub(crate) fn on_pull(github: &Rest) -> OnPull<'_> {
    OnPull { github, pull: 7 }
}

/// Posts a short text.
pub(crate) fn post_text(rest: &Rest, marker: Marker, text: &str) -> Ending {
    let mut write = |_: usize, _: &str| Ok::<_, std::convert::Infallible>(text.to_owned());
    match post(&on_pull(rest), &posting(marker), &mut write) {
        Ok(ending) => ending,
        Err(never) => match never {},
    }
}

/// What a comment of ours looks like.
pub(crate) fn body(marker: &Marker, text: &str) -> String {
    format!("{marker}\n{text}\n")
}
