//! What a job does: a pure function of its event and its inputs, and of what the API says where a
//! pull request was named.

use super::inputs::{Inputs, Mode};
use super::occasion::{Branch, CommentEvent, Occasion, PullEvent, Source};
use bench_comment::{Permission, Pull};

/// What a job does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Succeeds at once, and says why.
    Nothing(String),
    /// Fails at once, and says why.
    Refuse(&'static str),
    /// Measures.
    Measure(Measure),
    /// Builds the newest commit of the default branch and saves what was built.
    Warm,
    /// Reports what a run has measured; none = this run.
    Report {
        /// The run.
        run: Option<u64>,
        /// The pull request, where it is known.
        pull: Option<u64>,
    },
    /// Records what this run has measured of the default branch.
    Record,
    /// First asks the API about a pull request that was named.
    Ask(Ask),
    /// Runs the pull request's own last measuring run again.
    Again(Again),
}

/// What is measured, and where that is told besides the job summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Measure {
    /// Flags of `run`; none = its own defaults.
    pub(crate) base: Option<String>,
    pub(crate) head: Option<String>,
    pub(crate) base_branch: Option<String>,
    pub(crate) telling: Telling,
}

/// Where results are told besides the job summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    /// In the comment on this pull request.
    Comment(u64),
    /// By a run of another workflow, because the token of this job only reads.
    Elsewhere(Source),
    /// Nowhere.
    Nowhere,
}

/// A pull request that somebody named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ask {
    pub(crate) pull: u64,
    /// Who has to be allowed to; none where GitHub has seen to that.
    pub(crate) by: Option<String>,
    pub(crate) mode: Mode,
}

/// The run of a fork's pull request that is to be run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Again {
    pub(crate) pull: u64,
    /// Its newest commit.
    pub(crate) head: String,
    /// The repository its branch is in.
    pub(crate) head_repository: Option<u64>,
}

/// The whole text of a comment that asks for a measurement.
const COMMAND: &str = "/bench";

const TARGET: &str = "`pull_request_target` gives code of the pull request a token that writes: use \
    `on: pull_request`, and for pull requests from forks a second workflow on `workflow_run`, as \
    docs/action.md shows";

const NO_REFERENCE: &str = "`mode: history` compares each commit with one pinned reference: name it in \
    `base`, a tag or a commit, and leave it as it is (docs/history.md says how to pin again)";

const NOT_RECORDED: &str = "`mode: history` and `mode: record` are for jobs that a push to the default \
    branch, a schedule or a person has started: what a run on `workflow_run` is about may be anybody's";

/// The plan of a job.
pub(crate) fn decide(occasion: &Occasion, inputs: &Inputs) -> Plan {
    if inputs.mode == Mode::Report && inputs.run.is_some() {
        return Plan::Report { run: inputs.run, pull: inputs.pull };
    }
    match occasion {
        Occasion::PullRequestTarget => Plan::Refuse(TARGET),
        Occasion::PullRequest(pull) => of_pull(pull, inputs),
        Occasion::Push(branch) => of_push(*branch, inputs),
        Occasion::Dispatch => of_dispatch(inputs),
        Occasion::MergeGroup => of_merge_group(inputs),
        Occasion::WorkflowRun(_) if matches!(inputs.mode, Mode::History | Mode::Record) => {
            Plan::Refuse(NOT_RECORDED)
        }
        // The code of the run that has ended may be anybody's, and this one's token can write.
        Occasion::WorkflowRun(run) => {
            Plan::Report { run: inputs.run.or(Some(*run)), pull: inputs.pull }
        }
        Occasion::Comment(comment) => of_comment(comment, inputs),
        Occasion::Schedule => alone(inputs, Some("HEAD~1")),
        Occasion::Other(_) => alone(inputs, None),
    }
}

fn of_pull(pull: &PullEvent, inputs: &Inputs) -> Plan {
    let number = pull.number;
    if pull.is_closed {
        return Plan::Nothing(format!("pull request {number} is closed"));
    }
    if pull.is_draft {
        return Plan::Nothing(format!(
            "pull request {number} is a draft: it is measured once it is ready for review"
        ));
    }
    match (inputs.mode, pull.source) {
        (Mode::Run, Source::Own) => measure(inputs, comment_on(number, inputs)),
        (Mode::Run, other) => measure(inputs, Telling::Elsewhere(other)),
        (Mode::Report, Source::Own) => Plan::Report { run: None, pull: Some(number) },
        (Mode::Report, _) => Plan::Nothing(
            "the token of this run only reads: a second workflow, on `workflow_run`, reports"
                .into(),
        ),
        (Mode::Warm | Mode::History | Mode::Record, _) => for_default_branch(),
    }
}

fn of_push(branch: Branch, inputs: &Inputs) -> Plan {
    match (branch, inputs.mode) {
        (Branch::Deleted, _) => Plan::Nothing("the branch was deleted".into()),
        // There is nothing to compare it with: it is what others will be compared with.
        (Branch::Default, Mode::Run) if inputs.base.is_none() => Plan::Warm,
        (Branch::Default, Mode::Warm) => Plan::Warm,
        (Branch::Default, _) => alone(inputs, Some("HEAD~1")),
        (Branch::Other, Mode::History | Mode::Record) => for_default_branch(),
        (Branch::Other, _) => alone(inputs, None),
    }
}

fn of_dispatch(inputs: &Inputs) -> Plan {
    match (inputs.pull, inputs.mode) {
        (Some(pull), mode @ (Mode::Run | Mode::Report)) => Plan::Ask(Ask { pull, by: None, mode }),
        _ => alone(inputs, None),
    }
}

fn of_merge_group(inputs: &Inputs) -> Plan {
    if inputs.base.is_some() || inputs.head.is_some() {
        return alone(inputs, None);
    }
    Plan::Nothing(
        "a merge queue waits for this: its pull requests were measured before. Set `base` or `head` \
         to measure here too"
            .into(),
    )
}

fn of_comment(comment: &CommentEvent, inputs: &Inputs) -> Plan {
    match comment.pull {
        Some(pull) if comment.text.trim() == COMMAND => {
            Plan::Ask(Ask { pull, by: Some(comment.author.clone()), mode: inputs.mode })
        }
        _ => Plan::Nothing(format!(
            "this is no new comment `{COMMAND}` on an open pull request, and nothing else"
        )),
    }
}

/// Without a pull request.
fn alone(inputs: &Inputs, base: Option<&str>) -> Plan {
    match inputs.mode {
        Mode::History if inputs.base.is_none() => Plan::Refuse(NO_REFERENCE),
        Mode::Run | Mode::History => {
            let base = inputs.base.clone().or(base.map(str::to_owned));
            let measure = Measure { base, ..of_inputs(inputs, Telling::Nowhere) };
            Plan::Measure(measure)
        }
        Mode::Report => Plan::Nothing("there is no pull request to report on".into()),
        Mode::Record => Plan::Record,
        Mode::Warm => for_default_branch(),
    }
}

fn for_default_branch() -> Plan {
    Plan::Nothing("`mode: warm`, `history` and `record` are for the default branch".into())
}

fn measure(inputs: &Inputs, telling: Telling) -> Plan {
    Plan::Measure(of_inputs(inputs, telling))
}

/// The comment, unless this job has measured but a part of what it tells.
fn comment_on(pull: u64, inputs: &Inputs) -> Telling {
    if inputs.shard.is_some() { Telling::Nowhere } else { Telling::Comment(pull) }
}

fn of_inputs(inputs: &Inputs, telling: Telling) -> Measure {
    Measure { base: inputs.base.clone(), head: inputs.head.clone(), base_branch: None, telling }
}

/// The plan for a pull request that was named, now that the API has told about it and, where
/// somebody asked in a comment, what they may do.
pub(crate) fn asked(
    ask: &Ask,
    pull: &Pull,
    permission: Option<Permission>,
    inputs: &Inputs,
) -> Plan {
    if let (Some(by), false) = (&ask.by, permission.is_some_and(Permission::can_write)) {
        return Plan::Nothing(format!(
            "{by} may not start a measurement: that takes the right to write to this repository"
        ));
    }
    match (pull.is_from_fork(), ask.mode) {
        (true, Mode::Run) => Plan::Again(Again {
            pull: pull.number,
            head: pull.head.clone(),
            head_repository: pull.head_repository,
        }),
        (true, _) => Plan::Nothing(
            "the pull request is a fork's: its own run is reported when it ends".into(),
        ),
        (false, Mode::Report) => Plan::Report { run: None, pull: Some(pull.number) },
        (false, Mode::Run) => Plan::Measure(Measure {
            base: inputs.base.clone(),
            head: inputs.head.clone().or(Some(pull.head.clone())),
            base_branch: Some(pull.base_branch.clone()),
            telling: comment_on(pull.number, inputs),
        }),
        (false, _) => for_default_branch(),
    }
}

#[cfg(test)]
mod tests;
