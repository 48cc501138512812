//! `bench-action history record`: results into the history, or a range of commits measured for it.

use super::HistoryError;
use super::place::Place;
use crate::args::{GlobalArgs, RecordArgs};
use crate::commands::project::Project;
use crate::error::CliError;
use crate::exit::Exit;
use crate::progress::Display;
use crate::{github, report, terminal};
use bench_core::config::Flags;
use bench_core::git::{CommitFacts, Mainline, Parents};
use bench_core::merge::whole_file;
use bench_core::record::RESULTS_FILE;
use bench_history::samples::pack;
use bench_history::{Commit, Measured, StoredFile, take};
use bench_process::Interrupt;
use bench_results::{Failure, Results, Row, SideName, StoppedBy};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// The seed of every run that is made for a history: where time is short, all commits have the same
/// benchmarks and combinations then, and no series has holes.
pub(crate) const SEED: &str = "history";

/// Of what a failing build or benchmark has printed, so many lines are shown.
const SAID_LINES: usize = 15;

/// Records what was measured, or measures it first.
pub(super) fn record(
    args: &RecordArgs,
    global: &GlobalArgs,
    interrupt: &Interrupt,
) -> Result<Exit, CliError> {
    let job = github::Job::from_environment()?;
    if job.is_some_and(|job| job.pull_request.is_some()) {
        return Err(HistoryError::PullRequest.into());
    }
    let place = Place::open(&args.store, interrupt)?;
    match &args.range {
        Some(range) => record_range(args, range, &place, global, interrupt),
        None => record_files(args, &place),
    }
}

fn record_files(args: &RecordArgs, place: &Place<'_>) -> Result<Exit, CliError> {
    let last = [PathBuf::from(report::LAST)];
    let paths = if args.results.is_empty() { &last[..] } else { &args.results };
    let mainline = place.mainline()?;
    let (mut files, mut samples, mut commits) = (Vec::new(), Vec::new(), Vec::new());
    for path in paths {
        let results = bench_results::read_path(path)?;
        let (commit, new) = taken(&results, path, &mainline, place)?;
        if args.samples {
            samples.extend(raw(&results, path, &commit)?);
        }
        commits.push(commit.get(..10).unwrap_or(&commit).to_owned());
        files.extend(new);
    }
    commits.dedup();
    let what = commits.join(", ");
    // Before the records, so that who finds one finds its samples.
    keep(&samples, &what, place)?;
    let added = place.add(&files, &format!("record {what}"))?;
    let shown = terminal::plain(&place.shown());
    terminal::print(&match added {
        0 => format!("{what} was recorded before in {shown}; nothing is new\n"),
        _ => format!("recorded {what} in {shown}\n"),
    })?;
    Ok(Exit::Done)
}

/// What is stored of a results file, with its commit.
fn taken(
    results: &Results,
    path: &Path,
    mainline: &Mainline,
    place: &Place<'_>,
) -> Result<(String, Vec<StoredFile>), HistoryError> {
    let refused = |error| HistoryError::Take { path: path.to_owned(), error };
    let measured = Measured::of(results).map_err(refused)?;
    let Some(facts) = mainline.get(&measured.commit) else {
        return Err(HistoryError::NotOnBranch {
            commit: measured.commit,
            branch: mainline.branch.clone(),
            place: place.project(),
        });
    };
    let records = take(results, &commit(facts)).map_err(refused)?;
    let files = records.into_iter().flat_map(|(record, catalog)| record.files(&catalog));
    Ok((measured.commit, files.collect()))
}

/// What is kept of a results file besides: itself, and the slices where they lie beside it.
fn raw(results: &Results, path: &Path, commit: &str) -> Result<Vec<StoredFile>, HistoryError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| HistoryError::Measurements { path, source }
    };
    let whole = std::fs::read(path).map_err(failed(path))?;
    let slices = whole_file(path, results);
    if let Some(Err(missing)) = &slices {
        let missing = missing.display().to_string();
        terminal::say(&terminal::plain(&format!(
            "{missing}: not there, or not what it was; left out"
        )));
    }
    let slices = match slices.and_then(Result::ok) {
        Some(file) => Some(std::fs::read(&file).map_err(failed(&file))?),
        None => None,
    };
    pack(commit, &whole, slices).map_err(failed(path))
}

fn keep(samples: &[StoredFile], what: &str, place: &Place<'_>) -> Result<(), HistoryError> {
    if samples.is_empty() {
        return Ok(());
    }
    place.add_samples(samples, &format!("samples of {what}"))?;
    let bytes: usize = samples.iter().map(|file| file.bytes.len()).sum();
    let shown = terminal::plain(&place.samples_shown());
    terminal::say(&format!("kept the samples of {what} ({} kB) in {shown}", bytes.div_ceil(1000)));
    Ok(())
}

pub(super) fn commit(facts: &CommitFacts) -> Commit {
    let CommitFacts { id, committed, subject } = facts.clone();
    Commit { id, committed, subject }
}

/// Measures every N-th commit of a range that is not recorded yet, the newest first: so a range that
/// is interrupted has what matters most.
fn record_range(
    args: &RecordArgs,
    range: &str,
    place: &Place<'_>,
    global: &GlobalArgs,
    interrupt: &Interrupt,
) -> Result<Exit, CliError> {
    let Some((from, to)) = range.split_once("..").filter(|(a, b)| !a.is_empty() && !b.is_empty())
    else {
        return Err(HistoryError::Range(range.to_owned()).into());
    };
    let repository = place.repository.as_ref().ok_or(HistoryError::NoRepository)?;
    let mainline = place.mainline()?;
    let commits = repository.between(from, to, Parents::First).map_err(HistoryError::from)?;
    let recorded = place.load_or_empty()?;
    let recorded: HashSet<&str> =
        recorded.records.iter().map(|record| record.commit.id.as_str()).collect();
    let every = usize::try_from(args.every).unwrap_or(usize::MAX);
    let wanted: Vec<&CommitFacts> = commits
        .iter()
        .rev()
        .step_by(every)
        .filter(|commit| !recorded.contains(commit.id.as_str()))
        .collect();
    let out = tempfile::tempdir()
        .map_err(|source| CliError::File { path: std::env::temp_dir(), source })?;
    let mut failed = 0;
    for (nth, facts) in wanted.iter().enumerate() {
        let short = facts.id.get(..10).unwrap_or(&facts.id);
        terminal::say(&format!(
            "{} of {}: {short} {}",
            nth + 1,
            wanted.len(),
            terminal::plain(&facts.subject)
        ));
        let results = measure(args, &facts.id, out.path(), global, interrupt)?;
        if results.stopped_by == StoppedBy::Signal {
            return Ok(Exit::Interrupted);
        }
        // Without the reference no commit can be measured.
        if let Some(failure) = results.failure.as_ref().filter(|it| it.side == SideName::Base) {
            return Err(CliError::NotPrepared(failure.clone()));
        }
        match taken(&results, Path::new(short), &mainline, place) {
            Ok((commit, files)) => {
                if args.samples {
                    keep(&raw(&results, &out.path().join(RESULTS_FILE), &commit)?, short, place)?;
                }
                place.add(&files, &format!("record {short}"))?;
            }
            // A commit that does not build is no reason to leave out the others.
            Err(HistoryError::Take { error, .. }) => {
                failed += 1;
                terminal::say(&terminal::plain(&format!("not recorded: {error}")));
                if let Some(said) = said(&results) {
                    terminal::say(&terminal::plain(&said));
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
    let shown = terminal::plain(&place.shown());
    let done = wanted.len() - failed;
    let before = commits.iter().filter(|one| recorded.contains(one.id.as_str())).count();
    terminal::print(&format!(
        "recorded {done} of {} commits in {shown}; {failed} could not be measured, {before} were there\n",
        commits.len()
    ))?;
    Ok(if done + before == 0 && failed > 0 { Exit::NotPrepared } else { Exit::Done })
}

/// What the build said that failed, or the first benchmark that did, or why none was begun: its last
/// lines, each indented.
fn said(results: &Results) -> Option<String> {
    let of_row = |row: &Row| {
        let Failure { side, stage, message, stderr_tail } = row.failure.clone()?;
        let whose = side.map_or_else(String::new, |side| format!(" of {side}"));
        Some((format!("{}: {stage}{whose} failed: {message}", row.id), stderr_tail))
    };
    let (first, tail) = match &results.failure {
        Some(it) => (format!("the {} of {} said:", it.stage, it.side), it.stderr_tail.clone()),
        None => match results.benchmarks.iter().find_map(of_row) {
            Some(failed) => failed,
            None => (of_reasons(results)?, String::new()),
        },
    };
    let lines: Vec<&str> = tail.lines().collect();
    let last = lines.iter().skip(lines.len().saturating_sub(SAID_LINES));
    let all = std::iter::once(first.as_str()).chain(last.copied());
    Some(all.map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n"))
}

/// Why nothing was measured though nothing failed: the commonest reason of the rows.
fn of_reasons(results: &Results) -> Option<String> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in results.benchmarks.iter().filter_map(|row| row.reason.as_deref()) {
        *reasons.entry(reason).or_default() += 1;
    }
    let (reason, rows) = reasons.into_iter().max_by_key(|&(_, rows)| rows)?;
    Some(format!("{rows} of {}: {reason}", results.benchmarks.len()))
}

fn measure(
    args: &RecordArgs,
    head: &str,
    out: &Path,
    global: &GlobalArgs,
    interrupt: &Interrupt,
) -> Result<Results, CliError> {
    let flags = Flags {
        base: args.reference.clone(),
        head: Some(head.to_owned()),
        filters: args.filter.clone(),
        repeat: args.repeat,
        estimates_only: true,
        seed: Some(SEED.to_owned()),
        ..Flags::default()
    };
    let project = Project::open_for_results(flags, Some(out), interrupt)?;
    let plan = project.plan()?;
    let job = project.job(out);
    Ok(bench_core::run::run(&job, &project.config, &plan, &mut Display::new(global))?)
}
