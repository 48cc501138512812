//! [`GitHub`] over its REST API: addresses, the few fields that are read, and what each answer means.

mod answers;
mod client;
mod connector;
mod identity;
mod patience;
mod runs;
mod tracker;

pub use patience::Patience;

use crate::{
    Artifact, Check, Comment, GitHub, Place, Posted, Pull, Refusal, Repository, Run, WriteError,
};
use answers::{
    CheckAnswer, CommentAnswer, ComparisonAnswer, FileAnswer, PullAnswer, RepositoryAnswer,
    RunAnswer,
};
use client::{Client, Reply};
use http::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Entries of a page; the most that GitHub gives.
const PER_PAGE: usize = 100;

/// Most pages that are read: nobody has a conversation of fifty thousand comments.
const MOST_PAGES: u32 = 500;

/// Lines of `permissions:` by what needs them.
const COMMENTS: &str = "pull-requests: write";
const PULLS: &str = "pull-requests: read";
const RUNS: &str = "actions: read";
const CONTENTS: &str = "contents: read";
const CHECKS: &str = "checks: write";

/// Where GitHub is, and as whom it is spoken to.
#[derive(Clone)]
pub struct Connection {
    /// `https://api.github.com`, or `https://HOST/api/v3` of an Enterprise Server.
    pub api_url: String,
    /// `https://api.github.com/graphql`, or `https://HOST/api/graphql`.
    pub graphql_url: String,
    /// The token.
    pub token: String,
    /// The proxy for `https` addresses, where there is one.
    pub proxy: Option<String>,
    /// Hosts that are reached without it, separated by commas.
    pub no_proxy: Option<String>,
    /// How long it is waited for.
    pub patience: Patience,
}

/// A token is never printed.
impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("api_url", &self.api_url).finish_non_exhaustive()
    }
}

/// One repository on GitHub.
pub struct Rest {
    client: Client,
    graphql_url: String,
    place: Place,
}

impl Rest {
    /// Prepares to speak of this repository; asks nothing yet.
    ///
    /// # Errors
    /// [`Refusal::Unreachable`] where the address is none, or the system has no root certificates.
    pub fn new(connection: &Connection, place: Place) -> Result<Self, Refusal> {
        let client = Client::new(connection)?;
        Ok(Self { client, graphql_url: connection.graphql_url.clone(), place })
    }

    fn path(&self, rest: &str) -> String {
        format!("/repos/{}/{}{rest}", self.place.owner, self.place.name)
    }

    fn get<T: DeserializeOwned>(
        &self,
        what: &str,
        path: &str,
        permission: &'static str,
    ) -> Result<T, Refusal> {
        let reply = self.client.ask(what, &Method::GET, path, None)?;
        match reply.status {
            200 => parsed(what, &reply),
            _ => Err(refusal(what, &reply, permission)),
        }
    }

    /// All entries of a list. Pages are counted and not taken from the `Link` header, whose address
    /// could lead elsewhere with the token.
    fn pages<T: DeserializeOwned>(
        &self,
        what: &str,
        path: &str,
        permission: &'static str,
    ) -> Result<Vec<T>, Refusal> {
        let mut all = Vec::new();
        let separator = if path.contains('?') { '&' } else { '?' };
        for page in 1..=MOST_PAGES {
            let address = format!("{path}{separator}per_page={PER_PAGE}&page={page}");
            let entries: Vec<T> = self.get(what, &address, permission)?;
            let is_last = entries.len() < PER_PAGE;
            all.extend(entries);
            if is_last {
                break;
            }
        }
        Ok(all)
    }

    fn write(
        &self,
        what: &str,
        method: &Method,
        path: &str,
        body: Option<&Value>,
        permission: &'static str,
    ) -> Result<Reply, WriteError> {
        let reply = self.client.ask(what, method, path, body).map_err(|refusal| match refusal {
            Refusal::Unreachable { .. } => WriteError::Unclear(refusal),
            other => WriteError::Refused(other),
        })?;
        match reply.status {
            200..=299 => Ok(reply),
            422 if is_too_long(&reply) => Err(WriteError::TooLong),
            404 | 410 if *method != Method::POST => Err(WriteError::Gone),
            500.. => Err(WriteError::Unclear(refusal(what, &reply, permission))),
            _ => Err(WriteError::Refused(refusal(what, &reply, permission))),
        }
    }

    fn write_comment(
        &self,
        what: &str,
        method: &Method,
        path: &str,
        body: &str,
    ) -> Result<Posted, WriteError> {
        let reply = self.write(what, method, path, Some(&json!({ "body": body })), COMMENTS)?;
        // A comment that was written and whose answer cannot be read is found by looking.
        let answer: CommentAnswer = parsed(what, &reply).map_err(WriteError::Unclear)?;
        Ok(Posted { id: answer.id, url: answer.html_url })
    }
}

impl GitHub for Rest {
    fn repository(&self) -> Result<Repository, Refusal> {
        let what = format!("the repository {}", self.place);
        self.get::<RepositoryAnswer>(&what, &self.path(""), CONTENTS).map(Repository::from)
    }

    fn file(&self, path: &str, branch: &str) -> Result<Option<Vec<u8>>, Refusal> {
        let what = format!("{path} on the branch {branch} of {}", self.place);
        let address = format!("/contents/{path}?ref={}", encoded(branch));
        let answer: FileAnswer = match self.get(&what, &self.path(&address), CONTENTS) {
            Err(Refusal::NotFound { .. }) => return Ok(None),
            other => other?,
        };
        let cause = || "the answer holds no file that can be read".to_owned();
        answer.bytes().map(Some).ok_or_else(|| Refusal::Unreachable { what, cause: cause() })
    }

    fn has_commit(&self, branch: &str, commit: &str) -> Result<bool, Refusal> {
        let what = format!("the commit {commit} on the branch {branch} of {}", self.place);
        // Files come with the first page alone, and nobody looks at them.
        let range = format!("{}...{}", encoded(commit), encoded(branch));
        let path = self.path(&format!("/compare/{range}?per_page=1&page=2"));
        match self.get::<ComparisonAnswer>(&what, &path, CONTENTS) {
            Ok(answer) => Ok(answer.has_it()),
            // No such commit or branch, or no history in common.
            Err(Refusal::NotFound { .. }) => Ok(false),
            Err(refusal) => Err(refusal),
        }
    }

    fn pull(&self, number: u64) -> Result<Pull, Refusal> {
        let what = format!("pull request {number} of {}", self.place);
        self.get::<PullAnswer>(&what, &self.path(&format!("/pulls/{number}")), PULLS)
            .map(Pull::from)
    }

    fn open_pulls(&self, owner: &str, branch: &str) -> Result<Vec<Pull>, Refusal> {
        let what = format!("the open pull requests of {}", self.place);
        let head = encoded(&format!("{owner}:{branch}"));
        let path = self.path(&format!("/pulls?state=open&head={head}"));
        let answers: Vec<PullAnswer> = self.pages(&what, &path, PULLS)?;
        Ok(answers.into_iter().map(Pull::from).collect())
    }

    fn comments(&self, pull: u64) -> Result<Vec<Comment>, Refusal> {
        let what = format!("the comments on pull request {pull} of {}", self.place);
        let path = self.path(&format!("/issues/{pull}/comments"));
        let answers = self.pages(&what, &path, COMMENTS)?;
        Ok(identity::with_authors(&self.client, &self.graphql_url, answers))
    }

    fn create(&self, pull: u64, body: &str) -> Result<Posted, WriteError> {
        let what = format!("a comment on pull request {pull} of {}", self.place);
        let path = self.path(&format!("/issues/{pull}/comments"));
        self.write_comment(&what, &Method::POST, &path, body)
    }

    fn update(&self, id: u64, body: &str) -> Result<Posted, WriteError> {
        let what = format!("comment {id} of {}", self.place);
        self.write_comment(&what, &Method::PATCH, &self.path(&comment(id)), body)
    }

    fn delete(&self, id: u64) -> Result<(), WriteError> {
        let what = format!("comment {id} of {}", self.place);
        self.write(&what, &Method::DELETE, &self.path(&comment(id)), None, COMMENTS).map(|_| ())
    }

    fn run(&self, id: u64) -> Result<Run, Refusal> {
        let what = format!("run {id} of {}", self.place);
        self.get::<RunAnswer>(&what, &self.path(&format!("/actions/runs/{id}")), RUNS)
            .map(Run::from)
    }

    fn artifacts(&self, run: u64) -> Result<Vec<Artifact>, Refusal> {
        let what = format!("the artifacts of run {run} of {}", self.place);
        let mut all = Vec::new();
        for page in 1..=MOST_PAGES {
            let query = format!("/actions/runs/{run}/artifacts?per_page={PER_PAGE}&page={page}");
            let answer: answers::ArtifactsAnswer = self.get(&what, &self.path(&query), RUNS)?;
            let is_last = answer.artifacts.len() < PER_PAGE;
            all.extend(answer.artifacts.into_iter().map(Artifact::from));
            if is_last {
                break;
            }
        }
        Ok(all)
    }

    fn download(&self, artifact: u64, most: u64) -> Result<Option<Vec<u8>>, Refusal> {
        let what = format!("artifact {artifact} of {}", self.place);
        let path = self.path(&format!("/actions/artifacts/{artifact}/zip"));
        match self.client.fetch(&what, &path, most)? {
            None => Ok(None),
            Some(reply) if reply.status == 200 => Ok(Some(reply.bytes)),
            Some(reply) => Err(refusal(&what, &reply, RUNS)),
        }
    }

    fn set_check(&self, check: &Check) -> Result<String, WriteError> {
        let what = format!("a check on {} of {}", check.head, self.place);
        let body = json!({
            "name": check.name,
            "head_sha": check.head,
            "status": "completed",
            "conclusion": check.conclusion.word(),
            "output": { "title": check.title, "summary": check.summary },
        });
        let path = self.path("/check-runs");
        let reply = self.write(&what, &Method::POST, &path, Some(&body), CHECKS)?;
        let answer: CheckAnswer = parsed(&what, &reply).map_err(WriteError::Unclear)?;
        Ok(answer.html_url.unwrap_or_default())
    }
}

/// As it may stand in a query.
fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn comment(id: u64) -> String {
    format!("/issues/comments/{id}")
}

fn parsed<T: DeserializeOwned>(what: &str, reply: &Reply) -> Result<T, Refusal> {
    serde_json::from_slice(&reply.bytes).map_err(|error| Refusal::Unreachable {
        what: what.to_owned(),
        cause: format!("the answer is not what GitHub's API gives: {error}"),
    })
}

/// GitHub's words for a text beyond what it stores.
fn is_too_long(reply: &Reply) -> bool {
    String::from_utf8_lossy(&reply.bytes).to_ascii_lowercase().contains("is too long")
}

/// What an answer other than success means.
fn refusal(what: &str, reply: &Reply, permission: &'static str) -> Refusal {
    let (what, message, status) = (what.to_owned(), reply.message(), reply.status);
    match status {
        401 => Refusal::Token { what },
        403 if message.to_ascii_lowercase().contains("locked") => Refusal::Locked { what },
        403 => Refusal::Permission { what, message, permission },
        404 => Refusal::NotFound { what, permission },
        410 => Refusal::Gone { what },
        500.. => Refusal::Server { what, status, message },
        _ => Refusal::Unexpected { what, status, message },
    }
}
