//! What is reported of another run, by its number: whose it is, by what GitHub says of it; and what it
//! measured, by an artifact that its code may have written.

use super::settings;
use super::{Desk, Notices, Said, Subject, Tale, own, told_commit};
use crate::args::CommentArgs;
use crate::error::{CliError, whole_message};
use crate::exit::Exit;
use crate::terminal::plain;
use bench_comment::{
    Artifact, ArtifactError, Chosen, Found, GitHub as _, MOST_PACKED_BYTES, Mode, Pull, Repository,
    Run, choose_artifacts, pull_of_run, results_of,
};
use bench_core::distrust::{Absurd, Claims, Judged, Ours, claimed_bases, judged, stripped};
use bench_core::merge;
use bench_render::{Lack, Origin, Unverified};
use bench_results::{Results, ToolInfo};

/// Digits of a commit's whole id, at least.
const FULL_COMMIT: usize = 40;

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
    /// Parts that are not of one run.
    #[error("{0}")]
    Parts(String),
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
        matches!(self, Self::Parts(_) | Self::Artifact(_) | Self::Absurd { .. })
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
    let fetched = Fetched { run, repository, args, desk };
    fetched.check(notices)?;
    let Some(pull) = fetched.pull()? else {
        notices.say(fetched.superseded());
        return Ok(None);
    };
    let (tale, mode) = match fetched.results() {
        Ok(Left::Nothing(others)) => fetched.absent(&others, notices),
        Ok(Left::Results(results)) => (fetched.tale(*results, &pull, notices)?, None),
        Err(CliError::Fetched(error)) if error.is_of_content() => (refused(&error, notices), None),
        Err(error) => return Err(error),
    };
    let run = fetched.run;
    Ok(Some(Subject {
        pull: pull.number,
        is_of_strangers: run.is_of_strangers(),
        head: told_commit(|| format!("run {}", run.id), &run.head)?,
        run: run.id,
        attempt: run.attempt,
        tale,
        mode,
        page: Some(run.url),
    }))
}

/// Most artifacts that are named where the one looked for is not there.
const MOST_NAMED: usize = 10;

/// What a run has left.
enum Left {
    /// Results.
    Results(Box<Results>),
    /// No artifact of the name; what its others are called.
    Nothing(Vec<String>),
}

/// A run, and who asks for it.
struct Fetched<'a> {
    run: Run,
    repository: Repository,
    args: &'a CommentArgs,
    desk: &'a Desk,
}

impl Fetched<'_> {
    /// Whether it is a run that measures a pull request of this repository.
    fn check(&self, notices: &mut Notices) -> Result<(), FetchError> {
        let Run { id, repository, path, conclusion, .. } = &self.run;
        if *repository != self.repository.id {
            return Err(FetchError::OtherRepository(*id));
        }
        match self.args.trusted.workflow.as_ref().or(self.desk.event.workflow.as_ref()) {
            Some(wanted) if wanted != path => {
                let (found, wanted) = (plain(path), plain(wanted));
                return Err(FetchError::OtherWorkflow { run: *id, found, wanted });
            }
            Some(_) => {}
            None => notices.say(format!(
                "any workflow's run is taken, this one of {}: name the one that measures with --workflow",
                plain(path)
            )),
        }
        if conclusion.is_none() {
            return Err(FetchError::Running(*id));
        }
        Ok(())
    }

    /// The open pull request that stands at the run's commit.
    fn pull(&self) -> Result<Option<Pull>, CliError> {
        let run = &self.run;
        let pulls = match (&run.head_owner, &run.head_branch) {
            (Some(owner), Some(branch)) => self.desk.github.open_pulls(owner, branch),
            _ => Ok(Vec::new()),
        };
        let pulls = pulls.map_err(CliError::Refused)?;
        match pull_of_run(run, &pulls, self.repository.id, self.args.pr) {
            Found::One(pull) => Ok(Some(pull)),
            Found::Superseded => Ok(None),
            Found::Several(pulls) => Err(FetchError::Several { run: run.id, pulls }.into()),
            Found::OtherEvent(event) => {
                Err(FetchError::OtherEvent { run: run.id, event: plain(&event) }.into())
            }
            Found::OtherRepository => Err(FetchError::OtherRepository(run.id).into()),
        }
    }

    /// Why there is no pull request to tell.
    fn superseded(&self) -> String {
        let head = self.run.head.get(..7).unwrap_or_default();
        let id = self.run.id;
        match self.args.pr {
            None => format!(
                "run {id} is of {head}, where no open pull request stands any more: there was another push, or it was closed"
            ),
            Some(pull) => {
                format!("run {id} is of {head}, where pull request {pull} does not stand")
            }
        }
    }

    fn artifact_name(&self) -> String {
        let usual = || format!("bench-result-{}", self.desk.key.as_str());
        self.args.trusted.artifact_name.clone().unwrap_or_else(usual)
    }

    /// The run's results in one.
    fn results(&self) -> Result<Left, CliError> {
        let artifacts = self.desk.github.artifacts(self.run.id).map_err(CliError::Refused)?;
        let chosen = choose_artifacts(&artifacts, &self.artifact_name(), self.run.attempt);
        let is_whole = chosen.iter().all(|chosen| matches!(chosen.shard, None | Some((1, 1))));
        let parts = chosen.iter().map(|chosen| self.part(&chosen.artifact));
        let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
        let results = match (parts.len(), parts.pop()) {
            (1, Some(whole)) if is_whole => whole,
            (_, None) => return Ok(Left::Nothing(names(&artifacts))),
            (_, Some(last)) => {
                parts.push(last);
                together(parts, &chosen)?
            }
        };
        Ok(Left::Results(Box::new(results)))
    }

    /// The results in an artifact. Those of strangers are stripped before anything looks at them.
    fn part(&self, artifact: &Artifact) -> Result<Results, CliError> {
        let name = || artifact.name.clone();
        let too_large = || FetchError::Artifact(ArtifactError::Packed { name: name() });
        if artifact.bytes > MOST_PACKED_BYTES {
            return Err(too_large().into());
        }
        let bytes = self.desk.github.download(artifact.id, MOST_PACKED_BYTES);
        let bytes = bytes.map_err(CliError::Refused)?.ok_or_else(too_large)?;
        let results = results_of(&artifact.name, &bytes).map_err(FetchError::Artifact)?;
        if !self.run.is_of_strangers() {
            return Ok(results);
        }
        let absurd = |source| FetchError::Absurd { name: name(), source };
        Ok(stripped(&results).map_err(absurd)?)
    }

    /// What the results tell: those of our own run as they are, those of strangers as judged again.
    fn tale(&self, results: Results, pull: &Pull, notices: &mut Notices) -> Result<Tale, CliError> {
        if !self.run.is_of_strangers() {
            return own::tale(results, self.args);
        }
        let branch = &self.repository.default_branch;
        let config = settings::trusted(self.args, self.desk, branch, notices)?;
        let tool = this_program();
        let merge = pull.merge_commit.as_deref();
        let ours = Ours { config: &config, tool: &tool, head: &self.run.head, merge };
        let Judged { mut results, claims } = judged(results, ours);
        let other_base = self.other_base(&results, &pull.base_branch, notices)?;
        let origin = Origin::Contributor(Unverified { other_base, ..unverified(claims) });
        // A part that is lost, or could not be prepared, does not excuse what the others show.
        let (failure, shard) = (results.failure.take(), results.shard.take());
        let mut tale = Tale::of_results(results, origin, &config.compare.fail_on, trusted_exit);
        if let Said::Results(results, _) = &mut tale.said {
            (results.failure, results.shard) = (failure, shard);
        }
        Ok(tale)
    }

    /// What base is said to be of, where the branch that the pull request wants to change does not
    /// have it: a base of the contributor's own could make anything of head.
    fn other_base(
        &self,
        results: &Results,
        branch: &str,
        notices: &mut Notices,
    ) -> Result<Option<String>, CliError> {
        let mut bases = claimed_bases(results).into_iter();
        let Some(base) = bases.next() else { return Ok(None) };
        // GitHub would take a shorter one too, or a branch's name.
        if base.len() < FULL_COMMIT || bases.next().is_some() {
            return Ok(Some(base));
        }
        let is_there = match self.desk.github.has_commit(branch, &base) {
            Err(refusal) if refusal.is_missing_permission() => {
                notices.say(format!("base counts as not found on {}: {refusal}", plain(branch)));
                false
            }
            other => other.map_err(CliError::Refused)?,
        };
        Ok((!is_there).then_some(base))
    }

    /// A run without an artifact. One that ended well had nothing to measure, as with a draft: that
    /// is no news, but a comment of an earlier push must not go on as if it were of this one.
    fn absent(&self, others: &[String], notices: &mut Notices) -> (Tale, Option<Mode>) {
        let ending = plain(self.run.conclusion.as_deref().unwrap_or_default());
        let name = plain(&self.artifact_name());
        let why = format!("It ended with `{ending}` and has no artifact {name}.");
        // Only the log is told: a contributor names these.
        notices.say(format!("run {}: {why} {}", self.run.id, told_others(others)));
        let is_news = !matches!(ending.as_str(), "success" | "skipped" | "neutral");
        (Tale::of_nothing(Lack::Missing, why), (!is_news).then_some(Mode::Never))
    }
}

/// What each is called, and whether GitHub has thrown it away.
fn names(artifacts: &[Artifact]) -> Vec<String> {
    let word = |artifact: &Artifact| if artifact.expired { " (expired)" } else { "" };
    artifacts.iter().map(|artifact| format!("{}{}", artifact.name, word(artifact))).collect()
}

/// What there is instead: the usual mistake is another `key` in one of the two workflows.
fn told_others(names: &[String]) -> String {
    if names.is_empty() {
        return "It has no artifacts at all.".to_owned();
    }
    let shown: Vec<String> = names.iter().take(MOST_NAMED).map(|name| plain(name)).collect();
    let more = if names.len() > MOST_NAMED { " and more" } else { "" };
    format!(
        "It has {}{more}; `key` (or `--artifact-name`) must be the same in both workflows.",
        shown.join(", ")
    )
}

/// The results of several shards in one, whichever of them there are.
fn together(parts: Vec<Results>, chosen: &[Chosen]) -> Result<Results, FetchError> {
    let name = |chosen: &Chosen| format!("artifact `{}`", chosen.artifact.name);
    let names: Vec<String> = chosen.iter().map(name).collect();
    merge::together(parts).map_err(|error| FetchError::Parts(error.named(&names)))
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
        other_base: None,
    }
}

/// Results that are not used are told like a failure: no older table may stand for them.
fn refused(error: &FetchError, notices: &mut Notices) -> Tale {
    let text = plain(&whole_message(error));
    let text: String = text.chars().take(LONGEST_ERROR).collect();
    notices.say(&text);
    Tale { exit: error.exit(), ..Tale::of_nothing(Lack::Unusable, text) }
}
