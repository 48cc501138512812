//! Why a job runs: what its event says, as far as anything here depends on it.

use serde_json::Value;

/// The event that started the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// `pull_request`.
    PullRequest(PullEvent),
    /// `pull_request_target`: a token that writes, beside code of anybody.
    PullRequestTarget,
    /// `push`.
    Push(Branch),
    /// `workflow_dispatch` and `repository_dispatch`.
    Dispatch,
    /// `schedule`.
    Schedule,
    /// `merge_group`.
    MergeGroup,
    /// `workflow_run`: the run that has ended.
    WorkflowRun(u64),
    /// `issue_comment`.
    Comment(CommentEvent),
    /// Any other.
    Other(String),
}

/// A pull request, as its event tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PullEvent {
    pub(crate) number: u64,
    pub(crate) is_draft: bool,
    pub(crate) is_closed: bool,
    pub(crate) source: Source,
    pub(crate) labels: Vec<String>,
}

/// Whose push it was, which decides what the job's token may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Somebody who may write to the repository.
    Own,
    /// The branch is in another repository, or in one that is gone.
    Fork,
    /// Dependabot, whose runs are treated like those of forks.
    Dependabot,
}

impl Source {
    /// As steps tell it to each other.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Fork => "fork",
            Self::Dependabot => "dependabot",
        }
    }

    /// From its word.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [Self::Own, Self::Fork, Self::Dependabot].into_iter().find(|source| source.word() == word)
    }
}

/// Which branch was pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Branch {
    /// The repository's default branch.
    Default,
    /// Another branch, or a tag.
    Other,
    /// None any more: it was deleted.
    Deleted,
}

/// A comment, as its event tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommentEvent {
    /// The pull request, where it is on an open one and new.
    pub(crate) pull: Option<u64>,
    pub(crate) text: String,
    pub(crate) author: String,
}

/// The event lacks something that every event of its kind has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the event `{event}` has no `{field}`: the file that GITHUB_EVENT_PATH names is not that of such an event, or \
     the variable is not set, as it is in every job of GitHub Actions"
)]
pub(crate) struct OddEvent {
    event: String,
    field: &'static str,
}

const DEPENDABOT: &str = "dependabot[bot]";

impl Occasion {
    /// From the event's name and what it tells.
    pub(crate) fn new(name: &str, event: &Value) -> Result<Self, OddEvent> {
        let odd = |field| OddEvent { event: name.to_owned(), field };
        Ok(match name {
            "pull_request" => Self::PullRequest(pull_event(event).map_err(odd)?),
            "pull_request_target" => Self::PullRequestTarget,
            "push" => Self::Push(branch(event)),
            "workflow_dispatch" | "repository_dispatch" => Self::Dispatch,
            "schedule" => Self::Schedule,
            "merge_group" => Self::MergeGroup,
            "workflow_run" => {
                let run = event.pointer("/workflow_run/id").and_then(Value::as_u64);
                Self::WorkflowRun(run.ok_or_else(|| odd("workflow_run.id"))?)
            }
            "issue_comment" => Self::Comment(comment_event(event)),
            other => Self::Other(other.to_owned()),
        })
    }

    /// The labels of the pull request that started the job.
    pub(crate) fn labels(&self) -> &[String] {
        match self {
            Self::PullRequest(pull) => &pull.labels,
            _ => &[],
        }
    }
}

fn pull_event(event: &Value) -> Result<PullEvent, &'static str> {
    let pull = event.get("pull_request").ok_or("pull_request")?;
    let labels = pull["labels"].as_array().into_iter().flatten();
    Ok(PullEvent {
        number: pull["number"].as_u64().ok_or("pull_request.number")?,
        is_draft: pull["draft"] == true,
        is_closed: event["action"] == "closed" || pull["state"] == "closed",
        source: source(event, pull),
        labels: labels.filter_map(|label| label["name"].as_str()).map(str::to_owned).collect(),
    })
}

fn source(event: &Value, pull: &Value) -> Source {
    let repository = |side: &str| pull[side]["repo"]["id"].as_u64();
    if repository("head").is_none() || repository("head") != repository("base") {
        Source::Fork
    } else if event["sender"]["login"] == DEPENDABOT {
        Source::Dependabot
    } else {
        Source::Own
    }
}

fn branch(event: &Value) -> Branch {
    let default = event["repository"]["default_branch"].as_str().unwrap_or_default();
    if event["deleted"] == true {
        Branch::Deleted
    } else if event["ref"].as_str().and_then(|name| name.strip_prefix("refs/heads/"))
        == Some(default)
    {
        Branch::Default
    } else {
        Branch::Other
    }
}

fn comment_event(event: &Value) -> CommentEvent {
    let issue = &event["issue"];
    let counts = event["action"] == "created"
        && issue["pull_request"].is_object()
        && issue["state"] == "open";
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let author = text(&event["comment"]["user"]["login"]);
    CommentEvent {
        // An account that is gone may do nothing.
        pull: issue["number"].as_u64().filter(|_| counts && !author.is_empty()),
        text: text(&event["comment"]["body"]),
        author,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::json;

    /// The event of a push to a pull request, whose head is in this repository.
    pub(crate) fn pull_request(head: Option<u64>) -> Value {
        json!({
            "action": "synchronize", "number": 7, "sender": { "login": "somebody" },
            "pull_request": {
                "number": 7, "draft": false, "labels": [{ "name": "slow-is-fine" }],
                "head": { "sha": "1".repeat(40), "ref": "feature",
                          "repo": head.map(|id| json!({ "id": id })) },
                "base": { "sha": "2".repeat(40), "ref": "main", "repo": { "id": 1 } },
            },
            "repository": { "id": 1, "default_branch": "main" },
        })
    }

    fn pull(event: &Value) -> PullEvent {
        match Occasion::new("pull_request", event).unwrap() {
            Occasion::PullRequest(pull) => pull,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_pull_request_is_known_by_where_its_branch_is_and_who_pushed() {
        assert_eq!(pull(&pull_request(Some(1))).source, Source::Own);
        assert_eq!(pull(&pull_request(Some(9))).source, Source::Fork);
        assert_eq!(pull(&pull_request(None)).source, Source::Fork);
        let mut event = pull_request(Some(1));
        event["sender"]["login"] = json!("dependabot[bot]");
        assert_eq!(pull(&event).source, Source::Dependabot);
        assert_eq!(pull(&event).labels, ["slow-is-fine"]);
    }

    #[test]
    fn drafts_and_closed_pull_requests_are_known() {
        let mut event = pull_request(Some(1));
        assert!(!pull(&event).is_draft && !pull(&event).is_closed);
        event["pull_request"]["draft"] = json!(true);
        event["action"] = json!("closed");
        assert!(pull(&event).is_draft && pull(&event).is_closed);
        event["action"] = json!("synchronize");
        event["pull_request"]["state"] = json!("closed");
        assert!(pull(&event).is_closed);
    }

    #[test]
    fn a_push_is_to_the_default_branch_or_not() {
        let push = |name: &str, deleted: bool| {
            let event = json!({ "ref": name, "deleted": deleted,
                "repository": { "default_branch": "main" } });
            Occasion::new("push", &event).unwrap()
        };
        assert_eq!(push("refs/heads/main", false), Occasion::Push(Branch::Default));
        assert_eq!(push("refs/heads/feature/main", false), Occasion::Push(Branch::Other));
        assert_eq!(push("refs/tags/main", false), Occasion::Push(Branch::Other));
        assert_eq!(push("refs/heads/x", true), Occasion::Push(Branch::Deleted));
    }

    #[test]
    fn a_comment_counts_where_it_is_new_and_on_an_open_pull_request() {
        let event = |action: &str, state: &str, issue: Value| {
            let mut event = json!({ "action": action, "issue": issue,
                "comment": { "body": "/bench", "user": { "login": "maintainer" } } });
            event["issue"]["state"] = json!(state);
            event["issue"]["number"] = json!(7);
            event
        };
        let counts = |event: &Value| comment_event(event).pull;
        let on_pull = || json!({ "pull_request": { "url": "x" } });
        assert_eq!(counts(&event("created", "open", on_pull())), Some(7));
        assert_eq!(counts(&event("edited", "open", on_pull())), None);
        assert_eq!(counts(&event("created", "closed", on_pull())), None);
        assert_eq!(counts(&event("created", "open", json!({}))), None);
        let mut of_nobody = event("created", "open", on_pull());
        of_nobody["comment"]["user"] = Value::Null;
        assert_eq!(counts(&of_nobody), None);
    }

    #[test]
    fn an_event_without_what_it_must_have_is_named() {
        let error = Occasion::new("workflow_run", &json!({})).unwrap_err().to_string();
        assert!(error.contains("`workflow_run` has no `workflow_run.id`"), "{error}");
        assert!(Occasion::new("pull_request", &json!({})).is_err());
    }
}
