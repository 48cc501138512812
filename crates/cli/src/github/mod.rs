//! The only reader of `GITHUB_*` and `RUNNER_*` variables: what a GitHub Actions job says of
//! itself, as defaults for what the command line left open.

mod runner;

pub(crate) use runner::{Level, Runner, RunnerError, annotation};

use bench_core::config::{BaseRule, Flags};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What the job is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    /// The pull request that started it, on a `pull_request` event.
    pub(crate) pull_request: Option<PullRequest>,
    /// The run, and which attempt of it this is.
    pub(crate) run: Option<(String, String)>,
    /// The runner's name and image.
    pub(crate) runner: Option<String>,
}

/// A pull request, as its event tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PullRequest {
    /// Its number.
    pub(crate) number: u64,
    /// The branch it wants to change.
    pub(crate) base_branch: String,
    /// That branch's newest commit when the event was sent.
    pub(crate) base_commit: String,
    /// Its own newest commit.
    pub(crate) head_commit: String,
    /// The commit that merges it into its base branch, on which the job runs.
    pub(crate) merge_commit: Option<String>,
}

/// What a job that reports to GitHub is given.
pub(crate) struct Reporter {
    /// `GITHUB_TOKEN`, or `GH_TOKEN`; empty where neither is set.
    pub(crate) token: String,
    /// Where the API is.
    pub(crate) api_url: String,
    /// Where its GraphQL is.
    pub(crate) graphql_url: String,
    /// Where its pages are.
    pub(crate) server_url: String,
    /// `owner/name`.
    pub(crate) repository: Option<String>,
    /// What the workflow is called.
    pub(crate) workflow: Option<String>,
    /// The run; 0 outside of one.
    pub(crate) run: u64,
    /// Its attempt; 0 outside of one.
    pub(crate) attempt: u32,
    /// The proxy for `https`.
    pub(crate) proxy: Option<String>,
    /// Hosts that need none.
    pub(crate) no_proxy: Option<String>,
}

impl Reporter {
    /// From the variables of this process.
    pub(crate) fn from_environment() -> Self {
        let get = |names: [&str; 2]| names.into_iter().find_map(variable);
        let one = |name: &str, default: &str| variable(name).unwrap_or_else(|| default.to_owned());
        let run = variable("GITHUB_RUN_ID").and_then(|text| text.parse().ok()).unwrap_or(0);
        let attempt = variable("GITHUB_RUN_ATTEMPT").and_then(|text| text.parse().ok());
        Self {
            token: get(["GITHUB_TOKEN", "GH_TOKEN"]).unwrap_or_default(),
            api_url: one("GITHUB_API_URL", "https://api.github.com"),
            graphql_url: one("GITHUB_GRAPHQL_URL", "https://api.github.com/graphql"),
            server_url: one("GITHUB_SERVER_URL", "https://github.com"),
            repository: variable("GITHUB_REPOSITORY"),
            workflow: variable("GITHUB_WORKFLOW"),
            run,
            attempt: attempt.unwrap_or(u32::from(run > 0)),
            proxy: get(["HTTPS_PROXY", "https_proxy"]),
            no_proxy: get(["NO_PROXY", "no_proxy"]),
        }
    }
}

impl Reporter {
    /// Settings of git's with which it reaches the server as this job; none without a token. They
    /// rewrite the address as git sees it, so that the token is in no argument and in no file.
    pub(crate) fn git_credentials(&self) -> Vec<(String, String)> {
        let Some((scheme, host)) = self.server_url.split_once("://") else { return Vec::new() };
        if self.token.is_empty() || scheme != "https" {
            return Vec::new();
        }
        let with_token = format!("{scheme}://x-access-token:{}@{host}/", self.token);
        vec![(format!("url.{with_token}.insteadOf"), format!("{}/", self.server_url))]
    }
}

/// The event file says something that cannot be.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EventError {
    /// It cannot be read.
    #[error(
        "GITHUB_EVENT_PATH names {path}, which cannot be read: {source}; every job of GitHub Actions \
         has it; elsewhere pass --base and --head"
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// It is no JSON.
    #[error(
        "{path}, which GITHUB_EVENT_PATH names, is not the JSON of an event: {source}; elsewhere than in a job pass --base and --head"
    )]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: serde_json::Error,
    },
    /// A field is missing, or is of another kind.
    #[error(
        "{path}, which GITHUB_EVENT_PATH names: an event `pull_request` without `{field}`; elsewhere than in a job pass --base and --head"
    )]
    Missing {
        /// The file.
        path: PathBuf,
        /// The field, with dots.
        field: &'static str,
    },
}

impl Job {
    /// The job this process runs in; none outside GitHub Actions.
    pub(crate) fn from_environment() -> Result<Option<Self>, EventError> {
        Self::from_variables(&variable)
    }

    fn from_variables(get: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>, EventError> {
        if get("GITHUB_ACTIONS").as_deref() != Some("true") {
            return Ok(None);
        }
        let pull_request = match get("GITHUB_EVENT_NAME").as_deref() {
            Some("pull_request") => PullRequest::from_variables(get)?,
            _ => None,
        };
        Ok(Some(Self { pull_request, run: run(get), runner: runner(get) }))
    }

    /// Fills in what the command line left open. Head is left to [`Self::head`], because it depends
    /// on the base that the configuration file may name.
    pub(crate) fn fill(&self, flags: &mut Flags) {
        if flags.seed.is_none() {
            flags.seed = self.seed(flags.shard.is_some());
        }
        if let Some(pull_request) = &self.pull_request {
            flags.base_branch.get_or_insert_with(|| pull_request.base_commit.clone());
        }
    }

    /// `run id:attempt`, so that a second attempt draws new coins; for a shard the run alone, because
    /// one that is run again by itself is merged with the first attempts of the others.
    fn seed(&self, is_shard: bool) -> Option<String> {
        let (run, attempt) = self.run.as_ref()?;
        Some(if is_shard { run.clone() } else { format!("{run}:{attempt}") })
    }

    /// The head of a pull request: its newest commit, or, against the tip of its base branch, the
    /// commit that merges both. The other two pairs would show the base branch's own changes as the
    /// pull request's.
    pub(crate) fn head(&self, base: &BaseRule) -> Option<&str> {
        let pull_request = self.pull_request.as_ref()?;
        match (base, &pull_request.merge_commit) {
            (BaseRule::Tip, Some(merge)) => Some(merge),
            _ => Some(&pull_request.head_commit),
        }
    }
}

/// The event that started this job: its name, and what it tells; nothing outside of a job.
pub(crate) fn event() -> Result<(String, Value), EventError> {
    let told = variable("GITHUB_EVENT_PATH").map(|path| read_event(path.as_ref())).transpose()?;
    Ok((variable("GITHUB_EVENT_NAME").unwrap_or_default(), told.unwrap_or_default()))
}

fn read_event(path: &Path) -> Result<Value, EventError> {
    let bytes = std::fs::read(path)
        .map_err(|source| EventError::Unreadable { path: path.to_owned(), source })?;
    serde_json::from_slice(&bytes)
        .map_err(|source| EventError::Malformed { path: path.to_owned(), source })
}

impl PullRequest {
    fn from_variables(get: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>, EventError> {
        let Some(path) = get("GITHUB_EVENT_PATH").map(PathBuf::from) else { return Ok(None) };
        let event = read_event(&path)?;
        Self::from_event(&event, get("GITHUB_SHA"))
            .map(Some)
            .map_err(|field| EventError::Missing { path, field })
    }

    fn from_event(event: &Value, merge_commit: Option<String>) -> Result<Self, &'static str> {
        let text = |pointer: &str, name: &'static str| {
            event.pointer(pointer).and_then(Value::as_str).map(str::to_owned).ok_or(name)
        };
        Ok(Self {
            number: event
                .pointer("/pull_request/number")
                .and_then(Value::as_u64)
                .ok_or("number")?,
            base_branch: text("/pull_request/base/ref", "base.ref")?,
            base_commit: text("/pull_request/base/sha", "base.sha")?,
            head_commit: text("/pull_request/head/sha", "head.sha")?,
            merge_commit,
        })
    }
}

fn run(get: &dyn Fn(&str) -> Option<String>) -> Option<(String, String)> {
    let attempt = get("GITHUB_RUN_ATTEMPT").unwrap_or_else(|| "1".into());
    get("GITHUB_RUN_ID").map(|run| (run, attempt))
}

/// `name (image version, hosting)`, as far as known.
fn runner(get: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let name = get("RUNNER_NAME")?;
    let image: Vec<String> = ["ImageOS", "ImageVersion"].into_iter().filter_map(get).collect();
    let details: Vec<String> = [Some(image.join(" ")), get("RUNNER_ENVIRONMENT")]
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty())
        .collect();
    Some(if details.is_empty() { name } else { format!("{name} ({})", details.join(", ")) })
}

/// A variable that is set, to something, in UTF-8.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event() -> Value {
        json!({"pull_request": {
            "number": 7,
            "head": {"sha": "1111", "ref": "feature"},
            "base": {"sha": "2222", "ref": "main"},
        }})
    }

    fn job(variables: &[(&str, &str)]) -> Result<Option<Job>, EventError> {
        Job::from_variables(&|name| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn outside_github_actions_there_is_no_job() {
        assert_eq!(job(&[("GITHUB_RUN_ID", "1")]).unwrap(), None);
    }

    #[test]
    fn a_run_and_its_attempt_are_the_seed_unless_one_is_given() {
        let variables =
            [("GITHUB_ACTIONS", "true"), ("GITHUB_RUN_ID", "99"), ("GITHUB_RUN_ATTEMPT", "2")];
        let job = job(&variables).unwrap().unwrap();
        let mut flags = Flags::default();
        job.fill(&mut flags);
        assert_eq!(flags.seed.as_deref(), Some("99:2"));
        for shard in [None, Some("1/2".to_owned())] {
            let seed = Some("mine".into());
            let mut flags = Flags { seed, shard, ..Flags::default() };
            job.fill(&mut flags);
            assert_eq!(flags.seed.as_deref(), Some("mine"));
        }
    }

    #[test]
    fn shards_of_one_run_have_one_seed_whatever_their_attempts() {
        let seed = |run: &str, attempt: &str| {
            let variables = [
                ("GITHUB_ACTIONS", "true"),
                ("GITHUB_RUN_ID", run),
                ("GITHUB_RUN_ATTEMPT", attempt),
            ];
            let mut flags = Flags { shard: Some("1/2".into()), ..Flags::default() };
            job(&variables).unwrap().unwrap().fill(&mut flags);
            flags.seed
        };
        assert_eq!(seed("99", "1"), Some("99".into()));
        assert_eq!(seed("99", "2"), seed("99", "1"));
        assert_ne!(seed("100", "1"), seed("99", "1"));
    }

    #[test]
    fn a_pull_request_is_compared_at_its_own_head_or_as_merged_with_the_tip() {
        let pull_request = PullRequest::from_event(&event(), Some("3333".into())).unwrap();
        let job = Job { pull_request: Some(pull_request), run: None, runner: None };
        let mut flags = Flags::default();
        job.fill(&mut flags);
        assert_eq!(flags.base_branch.as_deref(), Some("2222"));
        assert_eq!(flags.head, None);
        assert_eq!(job.head(&BaseRule::MergeBase), Some("1111"));
        assert_eq!(job.head(&BaseRule::Tip), Some("3333"));
    }

    #[test]
    fn an_event_without_a_head_names_the_field_that_is_missing() {
        let mut event = event();
        event["pull_request"]["head"] = json!({});
        assert_eq!(PullRequest::from_event(&event, None), Err("head.sha"));
    }

    #[test]
    fn an_event_file_that_is_not_there_is_named_with_the_way_out() {
        let variables = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_EVENT_NAME", "pull_request"),
            ("GITHUB_EVENT_PATH", "no/such/event.json"),
        ];
        let message = job(&variables).unwrap_err().to_string();
        assert!(message.contains("no/such/event.json"), "{message}");
        assert!(message.contains("--base and --head"), "{message}");
    }

    #[test]
    fn a_runner_is_its_name_with_what_is_known_of_its_image() {
        let variables = [("RUNNER_NAME", "one"), ("ImageOS", "ubuntu24"), ("ImageVersion", "2.1")];
        let get = |name: &str| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(runner(&get).as_deref(), Some("one (ubuntu24 2.1)"));
    }
}
