//! What the event that started this job says of whose code it is about.

use bench_comment::DEPENDABOT;
use serde_json::Value;

/// The event, as far as a report depends on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// The pull request that started the job.
    pub(super) pull: Option<u64>,
    /// Why the job's token only reads, where it does: whose pull request it is.
    pub(super) read_only: Option<&'static str>,
    /// The workflow's file of the run that started the job.
    pub(super) workflow: Option<String>,
}

impl Event {
    /// From the event's name and what it tells.
    pub(super) fn new(name: &str, told: &Value) -> Self {
        match name {
            "pull_request" => Self {
                pull: told["pull_request"]["number"].as_u64(),
                read_only: read_only(told),
                workflow: None,
            },
            "workflow_run" => Self {
                workflow: told["workflow_run"]["path"].as_str().map(plain_path),
                ..Self::default()
            },
            _ => Self::default(),
        }
    }
}

fn read_only(told: &Value) -> Option<&'static str> {
    let pull = &told["pull_request"];
    let repository = |side: &str| pull[side]["repo"]["id"].as_u64();
    let is_dependabots = [&pull["user"], &told["sender"]].iter().any(|u| u["login"] == DEPENDABOT);
    if repository("head").is_none() || repository("head") != repository("base") {
        Some("from a fork")
    } else if is_dependabots {
        Some("by Dependabot")
    } else {
        None
    }
}

/// Without the revision that some servers add.
fn plain_path(path: &str) -> String {
    path.split('@').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pull_request(head: &Value, user: &str) -> Event {
        let told = json!({ "pull_request": {
            "number": 7, "user": { "login": user },
            "head": { "repo": head }, "base": { "repo": { "id": 1 } },
        }});
        Event::new("pull_request", &told)
    }

    #[test]
    fn a_token_only_reads_for_forks_for_forks_that_are_gone_and_for_dependabot() {
        for (head, user, expected) in [
            (json!({ "id": 1 }), "somebody", None),
            (json!({ "id": 9 }), "somebody", Some("from a fork")),
            (Value::Null, "somebody", Some("from a fork")),
            (json!({ "id": 1 }), "dependabot[bot]", Some("by Dependabot")),
        ] {
            let event = pull_request(&head, user);
            assert_eq!((event.pull, event.read_only), (Some(7), expected));
        }
    }

    #[test]
    fn a_run_that_ended_names_its_workflow_and_another_event_nothing() {
        let told = json!({ "workflow_run": { "path": ".github/workflows/bench.yml@main" } });
        let event = Event::new("workflow_run", &told);
        assert_eq!(event.workflow.as_deref(), Some(".github/workflows/bench.yml"));
        assert_eq!(Event::new("push", &told), Event::default());
    }
}
