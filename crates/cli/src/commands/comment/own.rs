//! What is reported of a results file of this repository.

use super::{Desk, Subject, Tale, told_commit};
use crate::args::CommentArgs;
use crate::commands::verify::verdicts;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report;
use bench_comment::{Commit, GitHub as _, Pull};
use bench_core::compare::again;
use bench_core::config::{Compare, Config};
use bench_core::skeleton::today;
use bench_render::{Lack, Origin};
use bench_results::{ReadError, Results, read_sound};
use std::io::ErrorKind;
use std::path::PathBuf;

/// What the file tells; with `--nothing`, that there is none.
pub(super) fn subject(args: &CommentArgs, desk: &Desk) -> Result<Subject, CliError> {
    let results = results(args)?;
    let number = args.pr.or(desk.event.pull).ok_or(CliError::NoPullRequest)?;
    let pull = desk.github.pull(number).map_err(CliError::Refused)?;
    let stands_at = told_commit(|| format!("pull request {number}"), &pull.head)?;
    let measured = results.as_ref().ok().and_then(|(_, results)| measured(results, &pull));
    let head = measured.unwrap_or(stands_at);
    let tale = match results {
        Ok((path, results)) => tale(verdicts(&path, &results)?, args)?,
        Err(why) => Tale::of_nothing(Lack::Missing, why),
    };
    let (run, attempt) = (desk.reporter.run, desk.reporter.attempt);
    let (is_of_strangers, mode, page) = (false, None, None);
    Ok(Subject { pull: number, head, run, attempt, tale, is_of_strangers, mode, page })
}

/// The results, or why there are none.
fn results(args: &CommentArgs) -> Result<Result<(PathBuf, Results), String>, CliError> {
    let path = args.results.clone().map_or_else(report::last, Ok)?;
    match (read_sound(&path), &args.nothing) {
        (Ok(results), _) => Ok(Ok((path, results))),
        (Err(ReadError::Io { source, .. }), Some(why)) if source.kind() == ErrorKind::NotFound => {
            Ok(Err(why.clone()))
        }
        (Err(error), _) => Err(error.into()),
    }
}

/// The pull request's commit that was measured. There is none where it was the merge of both, which is
/// measured for its head, or a build that does not say what it was made from.
fn measured(results: &Results, pull: &Pull) -> Option<Commit> {
    let id = results.comparisons.first().map(|comparison| comparison.head.as_str());
    let side = results.sides.iter().find(|side| Some(side.id.as_str()) == id);
    let commit =
        side?.commit.as_deref().filter(|commit| Some(*commit) != pull.merge_commit.as_deref());
    Commit::new(commit?)
}

/// Results of this repository's own run, which are believed. Flags of the verdict judge them again,
/// and `--fail-on` makes the exit code follow the verdict; else it was the measuring job's to say.
pub(super) fn tale(results: Results, args: &CommentArgs) -> Result<Tale, CliError> {
    let flags = args.flags();
    let config = Config::from_text(&flags, None, "", bench_harness::all(), today())?;
    let stored = results.settings.clone();
    let kept = |given: &Option<String>, ours, theirs| if given.is_some() { ours } else { theirs };
    let compare = Compare {
        threshold: kept(&flags.threshold, config.compare.threshold, stored.threshold),
        tolerance: kept(&flags.tolerance, config.compare.tolerance, stored.tolerance),
        alpha: kept(&flags.alpha, config.compare.alpha, stored.alpha),
        fail_threshold: kept(
            &flags.fail_threshold,
            config.compare.fail_threshold,
            stored.fail_threshold,
        ),
        ..config.compare
    };
    let has_changed =
        flags.threshold.is_some() || flags.tolerance.is_some() || flags.alpha.is_some();
    let mut results = if has_changed { again(&results, &compare, &[]) } else { results };
    results.settings.fail_threshold = compare.fail_threshold;
    let decides_exit = flags.fail_on.is_some();
    let exit = |outcome| if decides_exit { outcome } else { Exit::Done };
    Ok(Tale::of_results(results, Origin::Own, &compare.fail_on, exit))
}
