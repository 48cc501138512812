//! A GitHub in this process: comments, pull requests, runs, artifacts and checks of one repository,
//! over HTTP, with failures by script and a record of everything that was asked.
//!
//! It behaves as GitHub does where that matters: pages of at most 100, `Link` addresses that begin
//! with `/repositories/`, comments beyond 262,144 bytes refused, artifacts kept at another address,
//! a token that may edit anybody's comment.
#![allow(
    dead_code,
    unused_imports,
    reason = "shared by test programs that use different parts of it"
)]

mod answers;
mod http;
mod issues;
mod runs;
mod shapes;

mod traffic;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

pub(crate) use answers::{FORK, REPOSITORY, pull, run};
pub(crate) use http::{Request, Response};

/// Who the token of GitHub Actions writes as.
pub(crate) const BOT: (u64, &str, &str) = (41_898_282, "github-actions[bot]", "Bot");

/// Somebody.
pub(crate) const PERSON: (u64, &str, &str) = (7, "contributor", "User");

/// Most bytes of a comment.
pub(crate) const MOST_BYTES: usize = 262_144;

/// A comment as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) id: u64,
    pub(crate) pull: u64,
    pub(crate) body: String,
    pub(crate) author: (u64, &'static str, &'static str),
}

/// An issue as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issue {
    pub(crate) number: u64,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) is_open: bool,
    pub(crate) author: (u64, &'static str, &'static str),
}

/// What was asked, and what was answered.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) request: Request,
    /// None where the connection was dropped instead.
    pub(crate) response: Option<Response>,
}

/// What happens instead of the usual.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// This answer, and nothing is done.
    Answer(u16, Value, Vec<(&'static str, String)>),
    /// A page of HTML with this status, and nothing is done.
    Html(u16),
    /// No answer, and nothing is done.
    Drop,
    /// It is done, and then this status is answered.
    DoneButStatus(u16),
    /// It is done, and then there is no answer.
    DoneButDrop,
    /// Everybody's comments are gone, then it goes on as usual.
    DeleteAllFirst,
}

/// What is stored, and what is to go wrong.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) comments: Vec<Stored>,
    pub(crate) pulls: Vec<Value>,
    pub(crate) runs: Vec<Value>,
    /// Name, whether expired, bytes.
    pub(crate) artifacts: Vec<(String, bool, Vec<u8>)>,
    pub(crate) checks: Vec<Value>,
    /// Commits that the branch `main` does not have.
    pub(crate) elsewhere: Vec<String>,
    /// The pull requests that a commit came with.
    pub(crate) pulls_of: BTreeMap<String, Vec<Value>>,
    pub(crate) issues: Vec<Issue>,
    /// Who may do what: `admin`, `write`, `read` or `none`; everybody else reads.
    pub(crate) permissions: Vec<(String, &'static str)>,
    /// Runs that were started again.
    pub(crate) started_again: Vec<u64>,
    /// Files of the default branch, `main`.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) log: Vec<Exchange>,
    /// Requests whose method and path begin so, once each.
    pub(crate) faults: Vec<(String, Fault)>,
    /// Where GraphQL is not to be had.
    pub(crate) has_no_graphql: bool,
    /// The token belongs to a person.
    pub(crate) is_persons_token: bool,
    last: u64,
    address: String,
    store: String,
}

/// The server; it lives as long as the process.
#[derive(Clone)]
pub(crate) struct Fake {
    state: Arc<Mutex<State>>,
    pub(crate) address: String,
}

impl Fake {
    /// Starts with pull request 7, from a branch of the repository itself.
    pub(crate) fn start() -> Self {
        let (api, store) = (listener(), listener());
        let address = format!("http://{}", api.local_addr().unwrap());
        let state = State {
            pulls: vec![pull(7, 'a', REPOSITORY)],
            address: address.clone(),
            store: format!("http://{}", store.local_addr().unwrap()),
            last: 100,
            ..State::default()
        };
        let fake = Self { state: Arc::new(Mutex::new(state)), address };
        fake.serve(api, Self::api);
        fake.serve(store, Self::stored);
        fake
    }

    /// What is stored.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Adds a comment and says its number.
    pub(crate) fn comment(&self, author: (u64, &'static str, &'static str), body: &str) -> u64 {
        self.state().add(7, body, author)
    }

    /// The next request whose method and path begin so goes wrong.
    pub(crate) fn fail(&self, beginning: &str, fault: Fault) {
        self.state().faults.push((beginning.to_owned(), fault));
    }

    /// The bodies of all comments, in order.
    pub(crate) fn bodies(&self) -> Vec<String> {
        self.state().comments.iter().map(|comment| comment.body.clone()).collect()
    }

    /// How many requests began so.
    pub(crate) fn count(&self, beginning: &str) -> usize {
        self.state().log.iter().filter(|x| x.request.line().starts_with(beginning)).count()
    }

    fn serve(&self, listener: TcpListener, answer: fn(&Self, &Request) -> Option<Response>) {
        let fake = self.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let fake = fake.clone();
                std::thread::spawn(move || fake.exchange(stream, answer));
            }
        });
    }

    fn exchange(&self, mut stream: TcpStream, answer: fn(&Self, &Request) -> Option<Response>) {
        let Some(request) = http::read(&mut stream) else { return };
        let response = answer(self, &request);
        let exchange = Exchange { request, response: response.clone() };
        if !exchange.request.path.starts_with("/store/") {
            traffic::keep(&exchange);
        }
        // Recorded before it is sent: whoever has the answer finds it in the record.
        self.state().log.push(exchange);
        if let Some(response) = response {
            http::write(&mut stream, &response);
        }
    }

    fn api(&self, request: &Request) -> Option<Response> {
        let mut state = self.state();
        let line = request.line();
        let at = state.faults.iter().position(|(beginning, _)| line.starts_with(beginning));
        let Some((_, fault)) = at.map(|at| state.faults.remove(at)) else {
            return Some(shapes::whole(request, state.usual(request)));
        };
        match fault {
            Fault::Answer(status, body, headers) => {
                Some(Response::json(status, &body).with(headers))
            }
            Fault::Html(status) => Some(Response::html(status)),
            Fault::Drop => None,
            Fault::DoneButStatus(status) => {
                state.usual(request);
                Some(Response::html(status))
            }
            Fault::DoneButDrop => {
                state.usual(request);
                None
            }
            Fault::DeleteAllFirst => {
                state.comments.clear();
                Some(shapes::whole(request, state.usual(request)))
            }
        }
    }

    /// The place where artifacts are kept, which is not GitHub's.
    fn stored(&self, request: &Request) -> Option<Response> {
        if request.header("authorization").is_some() {
            return Some(Response::json(400, &json!({"message": "a token came along"})));
        }
        let index: usize = request.path.trim_start_matches("/store/").parse().ok()?;
        let state = self.state();
        let (_, _, bytes) = state.artifacts.get(index)?;
        Some(Response::bytes(200, "application/zip", bytes.clone()))
    }
}

impl State {
    pub(crate) fn add(
        &mut self,
        pull: u64,
        body: &str,
        author: (u64, &'static str, &'static str),
    ) -> u64 {
        self.last += 1;
        self.comments.push(Stored { id: self.last, pull, body: body.to_owned(), author });
        self.last
    }

    pub(super) fn me(&self) -> (u64, &'static str, &'static str) {
        if self.is_persons_token { (8, "maintainer", "User") } else { BOT }
    }
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}
