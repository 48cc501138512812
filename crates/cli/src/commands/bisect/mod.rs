//! `bench-action bisect`: which commit changed a benchmark. The decisions are `bench_history`'s; here
//! they are carried out, each by a run of two commits against each other.

mod report;
mod runs;
mod script;

use crate::args::{BisectArgs, GlobalArgs};
use crate::commands::HistoryError;
use crate::error::CliError;
use crate::exit::Exit;
use crate::terminal;
use bench_core::git::{CommitFacts, HOME, Parents, Repository};
use bench_history::bisect::{Action, Ended, Notes, Outcome};
use bench_process::{Interrupt, Launcher};
use runs::{Between, Runs};
use script::Script;
use std::path::{Path, PathBuf};

/// Where the notes of a bisection are.
const NOTES: &str = "bisect.json";

/// How two commits are measured against each other.
trait Measure {
    /// Whether notes about this benchmark are about what is asked for.
    fn is_wanted(&self, benchmark: &str) -> bool;

    /// The two ends, by the whole procedure.
    fn ends(&self, good: &str, bad: &str) -> Result<Between, CliError>;

    /// Some blocks of a commit against the good end; none where a signal came.
    fn blocks(
        &self,
        good: &str,
        commit: &str,
        benchmark: &str,
    ) -> Result<Option<Vec<Outcome>>, CliError>;

    /// The whole procedure on what was found; none where a signal came.
    fn confirm(
        &self,
        before: &str,
        commit: &str,
        notes: &Notes,
    ) -> Result<Option<Vec<Outcome>>, CliError>;

    /// What a positive and a negative effect are called.
    fn words(&self) -> (&'static str, &'static str);
}

/// Finds the commit.
pub(crate) fn bisect(args: &BisectArgs, global: &GlobalArgs) -> Result<Exit, CliError> {
    let interrupt = Interrupt::install().map_err(CliError::Signals)?;
    search(args, global, &interrupt).map_err(|error| error.by_signal(&interrupt))
}

fn search(args: &BisectArgs, global: &GlobalArgs, interrupt: &Interrupt) -> Result<Exit, CliError> {
    let here = std::env::current_dir()
        .map_err(|source| CliError::Unreadable { path: ".".into(), source })?;
    let repository = Repository::open(&here, interrupt).map_err(HistoryError::from)?;
    let parents = if args.all_parents { Parents::All } else { Parents::First };
    let commits = repository.between(&args.good, &args.bad, parents).map_err(HistoryError::from)?;
    let good = repository.facts(&args.good).map_err(HistoryError::from)?;
    let Some(good) = good.filter(|_| !commits.is_empty()) else {
        let (good, bad) = (args.good.clone(), args.bad.clone());
        return Err(HistoryError::NoneBetween { good, bad }.into());
    };
    let home = repository.root().join(HOME);
    let work = home.join("bisect-work");
    let runs: Box<dyn Measure> = match &args.run {
        None => Box::new(Runs { args, global, interrupt, out: home.join("bisect") }),
        Some(command) => {
            std::fs::create_dir_all(&work)
                .map_err(|source| CliError::File { path: work.clone(), source })?;
            Box::new(Script {
                repository: &repository,
                command: command.clone(),
                launcher: Launcher::current().map_err(CliError::Signals)?,
                interrupt,
                work: work.clone(),
            })
        }
    };
    let path = home.join(NOTES);
    let Some(mut notes) = begin(args, &*runs, &path, &good, &commits)? else {
        return Ok(if interrupt.received().is_some() {
            Exit::Interrupted
        } else {
            Exit::Inconclusive
        });
    };
    drive(&mut notes, &*runs, &path, &commits)?;
    let bisection = notes.bisection();
    let Some(ended) = bisection.ended() else {
        terminal::say("interrupted; the same command goes on from here");
        return Ok(Exit::Interrupted);
    };
    terminal::print(&report::report(&notes, &bisection, &ended, &good, &commits, runs.words()))?;
    // A finished search is not taken up again.
    let _gone = std::fs::remove_file(&path);
    script::tidy(&work)?;
    Ok(match ended {
        Ended::Culprit(_) | Ended::Range { .. } => Exit::Done,
        Ended::NotConfirmed { .. } => Exit::Inconclusive,
    })
}

/// The notes of an interrupted search, else new ones once the ends are measured; none where they do
/// not differ, or a signal came.
fn begin(
    args: &BisectArgs,
    runs: &dyn Measure,
    path: &PathBuf,
    good: &CommitFacts,
    commits: &[CommitFacts],
) -> Result<Option<Notes>, CliError> {
    let ids: Vec<String> = commits.iter().map(|commit| commit.id.clone()).collect();
    let earlier = std::fs::read_to_string(path).unwrap_or_default();
    let earlier = Notes::read(&earlier, &good.id, &ids)
        .filter(|notes| !args.afresh && runs.is_wanted(&notes.benchmark));
    if let Some(notes) = earlier {
        terminal::say(&format!("taken up after {} measurements", notes.outcomes.len()));
        return Ok(Some(notes));
    }
    let bad = ids.last().map_or(args.bad.as_str(), String::as_str);
    terminal::say(&format!("{} commits; first the two ends against each other", ids.len()));
    match runs.ends(&good.id, bad)? {
        Between::Differ { benchmark, ends, .. } => {
            let notes = Notes::new(good.id.clone(), ids, benchmark, ends);
            crate::report::write(path, &notes.to_json())?;
            Ok(Some(notes))
        }
        Between::Alike { words } => {
            terminal::print(&format!("nothing to look for: {}\n", terminal::plain(&words)))?;
            Ok(None)
        }
        Between::Stopped => Ok(None),
    }
}

/// Does what the machine says, and notes what came of it, until it stops or a signal comes.
fn drive(
    notes: &mut Notes,
    runs: &dyn Measure,
    path: &Path,
    commits: &[CommitFacts],
) -> Result<(), CliError> {
    loop {
        let bisection = notes.bisection();
        let outcomes = match bisection.next() {
            Action::Stop => return Ok(()),
            Action::Measure(at) => {
                let (first, last) = bisection.range();
                let Some(commit) = commits.get(at) else { return Ok(()) };
                say(&format!("one of {}: against the good end", last - first + 1), commit);
                runs.blocks(&notes.good, &commit.id, &notes.benchmark)?
            }
            Action::Confirm(first, last) => {
                let (Some(first), Some(last)) = (commits.get(first), commits.get(last)) else {
                    return Ok(());
                };
                say("confirming: against the commit before", last);
                runs.confirm(&format!("{}^", first.id), &last.id, notes)?
            }
        };
        let Some(outcomes) = outcomes else { return Ok(()) };
        apply(notes, outcomes);
        crate::report::write(path, &notes.to_json())?;
    }
}

/// Applies as many outcomes as belong to the action: a run yields several blocks, and the machine may
/// have heard enough before the last of them.
fn apply(notes: &mut Notes, outcomes: Vec<Outcome>) {
    let asked = notes.bisection().next();
    for outcome in outcomes {
        if notes.bisection().next() != asked {
            return;
        }
        notes.outcomes.push(outcome);
    }
}

fn say(what: &str, commit: &CommitFacts) {
    let short = commit.id.get(..10).unwrap_or(&commit.id);
    terminal::say(&terminal::plain(&format!("{what}: {short} {}", commit.subject)));
}
