//! Why GitHub did not do what it was asked, with what to do about it.

/// GitHub refused, or could not be reached. Messages name the thing, the place and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// 401.
    #[error(
        "{what}: GitHub does not know the token (401): pass a valid one in GITHUB_TOKEN, in a workflow\n  env:\n    GITHUB_TOKEN: ${{{{ github.token }}}}"
    )]
    Token {
        /// What was asked for.
        what: String,
    },
    /// 403: the token may not.
    #[error(
        "{what}: the token may not do this (403, {message}): {}",
        permission_remedy(permission)
    )]
    Permission {
        /// What was asked for.
        what: String,
        /// What GitHub said.
        message: String,
        /// The line of `permissions:` that is missing.
        permission: &'static str,
    },
    /// 403: the conversation is locked.
    #[error(
        "{what}: the conversation is locked (403): unlock it on its page, or read the report in the job summary and the artifact"
    )]
    Locked {
        /// What was asked for.
        what: String,
    },
    /// 404.
    #[error(
        "{what}: GitHub finds nothing there (404): see that the repository and the number are right; a token without access gets the same answer, then add to the job\n  permissions:\n    {permission}"
    )]
    NotFound {
        /// What was asked for.
        what: String,
        /// The line of `permissions:` that may be missing.
        permission: &'static str,
    },
    /// 410.
    #[error(
        "{what}: it is gone (410): it was deleted, has expired, or the feature is switched off in the repository's settings"
    )]
    Gone {
        /// What was asked for.
        what: String,
    },
    /// 403 or 429: too many requests, for longer than we wait.
    #[error(
        "{what}: GitHub limits how often it is asked, and after {waited_s} s of waiting still does ({message}): run this job again later; fewer jobs at once help"
    )]
    RateLimited {
        /// What was asked for.
        what: String,
        /// What GitHub said.
        message: String,
        /// How long was waited, in seconds.
        waited_s: u64,
    },
    /// No answer, or none that is understood.
    #[error(
        "{what}: GitHub could not be reached ({cause}): see GITHUB_API_URL, the network, and behind a proxy HTTPS_PROXY"
    )]
    Unreachable {
        /// What was asked for.
        what: String,
        /// Why.
        cause: String,
    },
    /// 5xx.
    #[error(
        "{what}: GitHub failed itself ({status}, {message}): run this job again; https://www.githubstatus.com says whether it is known"
    )]
    Server {
        /// What was asked for.
        what: String,
        /// The status.
        status: u16,
        /// What GitHub said.
        message: String,
    },
    /// Any other answer.
    #[error("{what}: GitHub answered {status}: {message}")]
    Unexpected {
        /// What was asked for.
        what: String,
        /// The status.
        status: u16,
        /// What GitHub said.
        message: String,
    },
}

fn permission_remedy(permission: &str) -> String {
    format!(
        "add to the job\n  permissions:\n    {permission}\na pull request from a fork or by Dependabot always has a token that only reads: its report comes from a second workflow, one that runs on `workflow_run` and passes the first one's number to `bench-action comment --run-id`"
    )
}

impl Refusal {
    /// Whether the token lacks the right, as it does on pull requests from forks.
    #[must_use]
    pub fn is_missing_permission(&self) -> bool {
        matches!(self, Self::Permission { .. })
    }
}
