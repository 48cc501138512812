//! What is reported of another run, by its number: whose it is, by what GitHub says of it; and what it
//! measured, by an artifact that its code may have written.

use super::settings;
use super::{Desk, Notices, Subject, Tale, own};
use crate::args::CommentArgs;
use crate::error::{CliError, whole_message};
use crate::exit::Exit;
use crate::terminal::plain;
use bench_comment::{
    ArtifactError, Chosen, Found, GitHub as _, MOST_PACKED_BYTES, Mode, Pull, Repository, Run,
    choose_artifacts, pull_of_run, results_of,
};
use bench_core::distrust::{Absurd, Claims, Judged, Ours, judged, stripped};
use bench_render::{Lack, Origin, Unverified};
use bench_results::{Results, ToolInfo};

/// Most characters of an error that quotes an artifact.
const LONGEST_ERROR: usize = 500;

/// What another run has left cannot be reported.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    /// Of another repository.
    #[error("run {0} is of another repository; pass the number of a run of this one to --run-id")]
    OtherRepository(u64),
    /// Not of a pull request.
    #[error(
        "run {run} was started by `{event}`, and only what a pull request started belongs to one; let the job run only `if: github.event.workflow_run.event == 'pull_request'`"
    )]
    OtherEvent {
        /// The run.
        run: u64,
        /// What started it.
        event: String,
    },
    /// Of another workflow.
    #[error(
        "run {run} is of the workflow `{found}`, and `{wanted}` is the one that measures; see --workflow"
    )]
    OtherWorkflow {
        /// The run.
        run: u64,
        /// Its workflow.
        found: String,
        /// The one that is expected.
        wanted: String,
    },
    /// Still going.
    #[error("run {0} has not ended; run this when it has")]
    Running(u64),
    /// One commit, several pull requests.
    #[error("run {run} fits the pull requests {pulls:?}; choose one of them with --pr")]
    Several {
        /// The run.
        run: u64,
        /// Their numbers.
        pulls: Vec<u64>,
    },
    /// Parts that are to be one.
    #[error(
        "the results are in {0} shards, which `comment --run-id` cannot put together yet: merge them into one artifact"
    )]
    Shards(usize),
    /// No artifact that is taken.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// No results that are taken.
    #[error("artifact `{name}`: {source}")]
    Absurd {
        /// The artifact.
        name: String,
        /// The cause.
        source: Absurd,
    },
}

impl FetchError {
    /// The exit code: what is no results file of ours is not to be trusted, the rest is a mistake.
    pub(crate) fn exit(&self) -> Exit {
        if self.is_of_content() { Exit::Untrustworthy } else { Exit::Usage }
    }

    /// Whether what the run left is at fault, and not how it was asked for.
    fn is_of_content(&self) -> bool {
        matches!(self, Self::Artifact(_) | Self::Absurd { .. })
    }
}

/// What the run tells; nothing where nobody needs to be told.
pub(super) fn subject(
    id: u64,
    args: &CommentArgs,
    desk: &Desk,
    notices: &mut Notices,
) -> Result<Option<Subject>, CliError> {
    let run = desk.github.run(id).map_err(CliError::Refused)?;
    let repository = desk.github.repository().map_err(CliError::Refused)?;
    check(&run, &repository, args, desk, notices)?;
    let Some(pull) = pull(&run, &repository, args, desk)? else {
        notices.say(format!(
            "run {id} is of {}, where no open pull request stands any more: there was another push, or it was closed",
            run.head.get(..7).unwrap_or_default()
        ));
        return Ok(None);
    };
    let (tale, mode) = match results(&run, args, desk) {
        Ok(None) => absent(&run, args, desk, notices),
        Ok(Some(results)) => (tale(results, &run, &pull, &repository, args, desk, notices)?, None),
        Err(CliError::Fetched(error)) if error.is_of_content() => (refused(&error, notices), None),
        Err(error) => return Err(error),
    };
    Ok(Some(Subject {
        pull: pull.number,
        head: run.head.clone(),
        run: run.id,
        attempt: run.attempt,
        tale,
        is_of_strangers: run.is_of_strangers(),
        mode,
        page: Some(run.url),
    }))
}

/// Whether it is a run that measures a pull request of this repository.
fn check(
    run: &Run,
    repository: &Repository,
    args: &CommentArgs,
    desk: &Desk,
    notices: &mut Notices,
) -> Result<(), FetchError> {
    if run.repository != repository.id {
        return Err(FetchError::OtherRepository(run.id));
    }
    match args.trusted.workflow.as_ref().or(desk.event.workflow.as_ref()) {
        Some(wanted) if *wanted != run.path => {
            let (found, wanted) = (plain(&run.path), plain(wanted));
            return Err(FetchError::OtherWorkflow { run: run.id, found, wanted });
        }
        Some(_) => {}
        None => notices.say(format!(
            "any workflow's run is taken, this one of {}: name the one that measures with --workflow",
            plain(&run.path)
        )),
    }
    if run.conclusion.is_none() {
        return Err(FetchError::Running(run.id));
    }
    Ok(())
}

/// The open pull request that stands at the run's commit.
fn pull(
    run: &Run,
    repository: &Repository,
    args: &CommentArgs,
    desk: &Desk,
) -> Result<Option<Pull>, CliError> {
    let pulls = match (&run.head_owner, &run.head_branch) {
        (Some(owner), Some(branch)) => desk.github.open_pulls(owner, branch),
        _ => Ok(Vec::new()),
    };
    let pulls = pulls.map_err(CliError::Refused)?;
    match pull_of_run(run, &pulls, repository.id, args.pr) {
        Found::One(pull) => Ok(Some(pull)),
        Found::Superseded => Ok(None),
        Found::Several(pulls) => Err(FetchError::Several { run: run.id, pulls }.into()),
        Found::OtherEvent(event) => {
            Err(FetchError::OtherEvent { run: run.id, event: plain(&event) }.into())
        }
        Found::OtherRepository => Err(FetchError::OtherRepository(run.id).into()),
    }
}

fn artifact_name(args: &CommentArgs, desk: &Desk) -> String {
    let usual = || format!("bench-result-{}", desk.key.as_str());
    args.trusted.artifact_name.clone().unwrap_or_else(usual)
}

/// The run's results in one; none where it left no artifact of the name. Those of strangers are
/// stripped before anything else looks at them.
fn results(run: &Run, args: &CommentArgs, desk: &Desk) -> Result<Option<Results>, CliError> {
    let artifacts = desk.github.artifacts(run.id).map_err(CliError::Refused)?;
    let chosen = choose_artifacts(&artifacts, &artifact_name(args, desk), run.attempt);
    let mut parts = Vec::new();
    for Chosen { artifact, shard } in &chosen {
        let name = || artifact.name.clone();
        let too_large = || FetchError::Artifact(ArtifactError::Packed { name: name() });
        if artifact.bytes > MOST_PACKED_BYTES {
            return Err(too_large().into());
        }
        let bytes = desk.github.download(artifact.id, MOST_PACKED_BYTES);
        let bytes = bytes.map_err(CliError::Refused)?.ok_or_else(too_large)?;
        let results = results_of(&artifact.name, &bytes).map_err(FetchError::Artifact)?;
        let part = match run.is_of_strangers() {
            true => {
                stripped(&results).map_err(|source| FetchError::Absurd { name: name(), source })?
            }
            false => results,
        };
        parts.push((*shard, part));
    }
    match parts.as_slice() {
        [] => Ok(None),
        [(None | Some((1, 1)), _)] => Ok(parts.pop().map(|(_, results)| results)),
        _ => together(parts.into_iter().map(|(_, results)| results).collect()).map(Some),
    }
}

/// The results of several shards in one.
fn together(parts: Vec<Results>) -> Result<Results, CliError> {
    Err(FetchError::Shards(parts.len()).into())
}

/// What the results tell: those of our own run as they are, those of strangers as judged again.
fn tale(
    results: Results,
    run: &Run,
    pull: &Pull,
    repository: &Repository,
    args: &CommentArgs,
    desk: &Desk,
    notices: &mut Notices,
) -> Result<Tale, CliError> {
    if !run.is_of_strangers() {
        return own::tale(results, args);
    }
    let config = settings::trusted(args, desk, &repository.default_branch, notices)?;
    let tool = this_program();
    let merge = pull.merge_commit.as_deref();
    let ours = Ours { config: &config, tool: &tool, head: &run.head, merge };
    let Judged { results, claims } = judged(results, ours);
    let origin = Origin::Contributor(unverified(claims));
    Ok(Tale::of_results(results, origin, &config.compare.fail_on, trusted_exit))
}

/// That a contributor's run could not build or measure anything is its own exit code's to say.
fn trusted_exit(outcome: Exit) -> Exit {
    match outcome {
        Exit::NothingMeasured | Exit::NotPrepared => Exit::Done,
        other => other,
    }
}

fn this_program() -> ToolInfo {
    ToolInfo {
        name: "bench-action".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("BENCH_ACTION_COMMIT").map(str::to_owned),
    }
}

fn unverified(claims: Claims) -> Unverified {
    let Claims {
        failed,
        skipped,
        identical,
        added,
        removed,
        unjudged,
        has_other_settings,
        other_head,
    } = claims;
    Unverified {
        failed,
        removed,
        skipped,
        identical,
        added,
        unjudged,
        has_other_settings,
        other_head,
    }
}

/// A run without an artifact. One that ended well had nothing to measure, as with a draft: that is no
/// news, but a comment of an earlier push must not go on as if it were of this one.
fn absent(
    run: &Run,
    args: &CommentArgs,
    desk: &Desk,
    notices: &mut Notices,
) -> (Tale, Option<Mode>) {
    let ending = plain(run.conclusion.as_deref().unwrap_or_default());
    let name = artifact_name(args, desk);
    let why = format!("It ended with `{ending}` and has no artifact {}.", plain(&name));
    notices.say(format!("run {}: {why}", run.id));
    let is_news = !matches!(ending.as_str(), "success" | "skipped" | "neutral");
    let mode = (!is_news).then_some(Mode::Never);
    (Tale::of_nothing(Lack::Missing, why), mode)
}

/// Results that are not used are told like a failure: no older table may stand for them.
fn refused(error: &FetchError, notices: &mut Notices) -> Tale {
    let text = plain(&whole_message(error));
    let text: String = text.chars().take(LONGEST_ERROR).collect();
    notices.say(&text);
    Tale { exit: error.exit(), ..Tale::of_nothing(Lack::Unusable, text) }
}
