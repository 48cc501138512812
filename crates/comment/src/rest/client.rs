//! Requests through octocrab: addresses, the token, answers, and trying again.

use super::connector::connector;
use super::patience::{Answer, Kind, Tried, limit};
use super::{Connection, Patience};
use crate::Refusal;
use http::header::{ACCEPT, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use octocrab::service::middleware::auth_header::AuthHeaderLayer;
use octocrab::service::middleware::extra_headers::ExtraHeadersLayer;
use octocrab::{AuthState, OctoBody, Octocrab, OctocrabBuilder};
use serde_json::Value;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Most bytes of an answer: a page of a hundred comments of the longest kind, and some.
const MOST_BYTES: u64 = 64 << 20;

/// Most redirections that are followed.
const MOST_HOPS: u32 = 5;

/// Characters of a message that are passed on.
const LONGEST_MESSAGE: usize = 300;

/// The API of one GitHub, spoken to with one token.
pub(super) struct Client {
    octocrab: Octocrab,
    runtime: tokio::runtime::Runtime,
    api: String,
    patience: Patience,
}

/// An answer.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) bytes: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
enum Silence {
    /// It was longer than was wanted.
    TooLong,
    /// The connection failed, or took too long.
    Broken(String),
}

impl Client {
    pub(super) fn new(connection: &Connection) -> Result<Self, Refusal> {
        let unreachable = |cause: String| Refusal::Unreachable {
            what: format!("GitHub at {}", connection.api_url),
            cause,
        };
        let api: Uri = connection.api_url.parse().map_err(|e| unreachable(format!("{e}")))?;
        if api.authority().is_none() || !matches!(api.scheme_str(), Some("http" | "https")) {
            return Err(unreachable("not an http address".to_owned()));
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| unreachable(error.to_string()))?;
        // octocrab starts a task of its own.
        let octocrab = {
            let _inside = runtime.enter();
            octocrab(connection, &api).map_err(unreachable)?
        };
        let api = connection.api_url.trim_end_matches('/').to_owned();
        Ok(Self { octocrab, runtime, api, patience: connection.patience })
    }

    /// Asks for something below the API's own address and reads the answer, whatever it is.
    ///
    /// # Errors
    /// Only where there is none, or none but "too many requests".
    pub(super) fn ask(
        &self,
        what: &str,
        method: &Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Reply, Refusal> {
        let kind = if *method == Method::GET { Kind::Read } else { Kind::Write };
        let address = format!("{}{path}", self.api);
        let reply = self.patiently(what, kind, method, &address, body, MOST_BYTES)?;
        reply.ok_or_else(|| over_long(what))
    }

    /// Asks a question of GraphQL, at its own address. The token goes along only where the API
    /// itself is.
    pub(super) fn query(
        &self,
        what: &str,
        address: &str,
        question: &Value,
    ) -> Result<Reply, Refusal> {
        let post = Method::POST;
        let reply = self.patiently(what, Kind::Read, &post, address, Some(question), MOST_BYTES)?;
        reply.ok_or_else(|| over_long(what))
    }

    /// Bytes that GitHub may keep elsewhere; none where there are more than `most`.
    pub(super) fn fetch(
        &self,
        what: &str,
        path: &str,
        most: u64,
    ) -> Result<Option<Reply>, Refusal> {
        let mut address = format!("{}{path}", self.api);
        for _ in 0..MOST_HOPS {
            let reply = self.patiently(what, Kind::Read, &Method::GET, &address, None, most)?;
            let Some(reply) = reply else { return Ok(None) };
            match (reply.status, reply.headers.get(LOCATION).and_then(|to| to.to_str().ok())) {
                (301 | 302 | 303 | 307 | 308, Some(to)) => to.clone_into(&mut address),
                _ => return Ok(Some(reply)),
            }
        }
        Err(Refusal::Unreachable {
            what: what.to_owned(),
            cause: format!("{MOST_HOPS} redirections one after the other"),
        })
    }

    fn patiently(
        &self,
        what: &str,
        kind: Kind,
        method: &Method,
        address: &str,
        body: Option<&Value>,
        most: u64,
    ) -> Result<Option<Reply>, Refusal> {
        let mut tried = Tried::default();
        loop {
            let result = self.runtime.block_on(self.once(method, address, body, most));
            let answer = match &result {
                Err(Silence::Broken(_)) => Answer::Failed,
                Err(Silence::TooLong) => Answer::Final,
                Ok(reply) if reply.status >= 500 => Answer::Failed,
                Ok(reply) => reply.limit().unwrap_or(Answer::Final),
            };
            match self.patience.pause(kind, answer, &mut tried) {
                Some(pause) => {
                    tracing::info!("{what}: asked again in {} s", pause.as_secs_f64());
                    std::thread::sleep(pause);
                }
                None => return conclusion(what, answer, result, tried),
            }
        }
    }

    async fn once(
        &self,
        method: &Method,
        address: &str,
        body: Option<&Value>,
        most: u64,
    ) -> Result<Reply, Silence> {
        let all = async {
            let request = Request::builder().method(method).uri(address);
            let request = self
                .octocrab
                .build_request(request, body)
                .map_err(|error| Silence::Broken(cause(&error)))?;
            let answer = self.octocrab.execute(request).await;
            let (parts, body) =
                answer.map_err(|error| Silence::Broken(cause(&error)))?.into_parts();
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            match Limited::new(body, most).collect().await {
                Ok(body) => Ok(Reply {
                    status: parts.status.as_u16(),
                    headers: parts.headers,
                    bytes: body.to_bytes().to_vec(),
                }),
                Err(error) if error.is::<LengthLimitError>() => Err(Silence::TooLong),
                Err(error) => Err(Silence::Broken(cause(&*error))),
            }
        };
        let patience = self.patience.answer;
        tokio::time::timeout(patience, all).await.unwrap_or_else(|_| {
            Err(Silence::Broken(format!("no answer within {} s", patience.as_secs_f64())))
        })
    }
}

/// The client underneath, without its own address and retry layers: it would send a comment again
/// after a failure, and write the API's path into addresses elsewhere.
fn octocrab(connection: &Connection, api: &Uri) -> Result<Octocrab, String> {
    let connector = connector(connection.proxy.as_deref(), connection.no_proxy.as_deref())
        .map_err(|error| error.to_string())?;
    let service = hyper_util::client::legacy::Client::builder(hyper_util::rt::TokioExecutor::new())
        // Nobody looks after an idle connection between two requests.
        .pool_max_idle_per_host(0)
        .build::<_, OctoBody>(connector);
    let mut token = HeaderValue::from_str(&format!("Bearer {}", connection.token.trim()))
        .map_err(|_| "the token holds characters that no token has".to_owned())?;
    token.set_sensitive(true);
    let token = (!connection.token.trim().is_empty()).then_some(token);
    let header = |name: HeaderName, value: &'static str| (name, HeaderValue::from_static(value));
    let headers = vec![
        header(ACCEPT, "application/vnd.github+json"),
        header(USER_AGENT, concat!("bench-action/", env!("CARGO_PKG_VERSION"))),
    ];
    let built = OctocrabBuilder::new_empty()
        .with_service(service)
        .with_layer(&ExtraHeadersLayer::new(Arc::new(headers)))
        .with_layer(&AuthHeaderLayer::new(token, api.clone(), api.clone()))
        .with_auth(AuthState::None)
        .build();
    match built {
        Ok(octocrab) => Ok(octocrab),
        Err(never) => match never {},
    }
}

fn over_long(what: &str) -> Refusal {
    Refusal::Unreachable {
        what: what.to_owned(),
        cause: format!("the answer has more than {MOST_BYTES} bytes"),
    }
}

/// What went wrong in the end, without the layers that passed it on.
fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    shortened(&innermost.to_string())
}

/// The last answer, or why there is none.
fn conclusion(
    what: &str,
    answer: Answer,
    result: Result<Reply, Silence>,
    tried: Tried,
) -> Result<Option<Reply>, Refusal> {
    let what = what.to_owned();
    match (answer, result) {
        (_, Err(Silence::TooLong)) => Ok(None),
        (_, Err(Silence::Broken(cause))) => Err(Refusal::Unreachable { what, cause }),
        (Answer::Limited(_), Ok(reply)) => Err(Refusal::RateLimited {
            what,
            message: reply.message(),
            waited_s: tried.waited.as_secs(),
        }),
        (_, Ok(reply)) => Ok(Some(reply)),
    }
}

impl Reply {
    /// What GitHub says of a failure, on one line.
    pub(super) fn message(&self) -> String {
        let value: Option<Value> = serde_json::from_slice(&self.bytes).ok();
        let message = value.as_ref().and_then(|value| value["message"].as_str());
        let text = String::from_utf8_lossy(&self.bytes);
        shortened(message.unwrap_or(text.trim()))
    }

    fn limit(&self) -> Option<Answer> {
        let header = |name: &str| self.headers.get(name)?.to_str().ok().map(str::to_owned);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        limit(self.status, &self.message(), &header, now)
    }
}

/// On one line, without control characters, and short: it goes into a message of ours.
fn shortened(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(LONGEST_MESSAGE).collect()
}
