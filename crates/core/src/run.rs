//! A run from its plan to its results: prepare, register, measure, judge, record.

mod error;

pub use error::RunError;

use crate::absent::{nothing_falls_to, why_nothing};
use crate::bays;
use crate::config::Config;
use crate::events::{Event, Listener};
use crate::journal::{self, Begin, Entry, Unfinished};
use crate::judge;
use crate::matching::Matched;
use crate::measure::action::Outcome;
use crate::measure::drive::{Perform, drive, replay};
use crate::measure::driver::{Cores, Driver, Tools, clock_for_programs};
use crate::measure::machine::Machine;
use crate::measure::slowed::Slowed;
use crate::plan::Plan;
use crate::prepare::{self, Prepared, Workshop};
use crate::record::{self, remove};
use crate::registration::{Registration, match_group, new_machine};
use crate::seed::Seed;
use crate::sides::{Sides, SidesError};
use crate::{skeleton, turn};
use bench_process::{Capabilities, IdleWatch, Interrupt, Launcher, LockError, MachineLock};
use bench_results::{Journal, Results, RunFailure, SideName, StoppedBy};
use std::path::Path;
use std::time::Instant;

/// Everything a run is given besides its configuration.
pub struct Job<'a> {
    /// What is compared.
    pub sides: &'a Sides<'a>,
    /// Our own directory (`.bench-action`).
    pub state: &'a Path,
    /// Where results go.
    pub out: &'a Path,
    /// Starts programs.
    pub launcher: &'a Launcher,
    /// SIGINT and SIGTERM.
    pub interrupt: &'a Interrupt,
    /// For the results file: command line, version, runner.
    pub identity: skeleton::Identity,
    /// How much longer head's times are taken to be than they are, as a fraction; 0 but in a
    /// self-test.
    pub slower_by: f64,
}

/// Runs a plan. What could be found out is in the results, also where a side could not be prepared
/// or a signal arrived; `results.json` is written on every way out.
///
/// # Errors
/// When our own files cannot be written, or the machine is taken.
pub fn run(
    job: &Job<'_>,
    config: &Config,
    plan: &Plan<'_>,
    listener: &mut dyn Listener,
) -> Result<Results, RunError> {
    let _project = claim(job, listener)?;
    make_directory(job.out)?;
    let earlier = journal::unfinished(job.out);
    salvage(job, earlier.as_ref());
    remove_build_logs(job.out)?;
    let started = Instant::now();
    let prepared = match prepare_all(job, config, plan, listener) {
        Ok(prepared) => prepared,
        Err(failure) => return not_prepared(job, config, plan, failure, earlier.as_ref()),
    };
    let prepare_s = started.elapsed().as_secs_f64();
    let stage = Registration::new(job, config, plan, prepared, prepare_s);
    stage
        .begin
        .results
        .warnings
        .iter()
        .for_each(|warning| listener.event(&Event::Warning(warning.clone())));
    if stage.cases.is_empty() {
        return unmeasured(job, config, &stage, StoppedBy::Done, earlier.as_ref());
    }
    listener.event(&Event::Planned {
        benchmarks: stage.cases.len(),
        family: stage.begin.results.plan.family_size,
        budget_s: stage.begin.results.settings.time_budget_s,
        repeat: stage.begin.results.settings.repeat,
    });
    match turn::on_machine(job.interrupt, listener) {
        Ok(_machine) => measure(job, config, &stage, earlier, listener),
        Err(LockError::Interrupted(_)) => {
            unmeasured(job, config, &stage, StoppedBy::Signal, earlier.as_ref())
        }
        Err(error) => Err(error.into()),
    }
}

/// Takes the project's directory, for as long as the value lives.
///
/// # Errors
/// When the directory cannot be made, or another run has it and does not end.
pub fn claim(job: &Job<'_>, listener: &mut dyn Listener) -> Result<MachineLock, RunError> {
    let project = job.state.parent().unwrap_or(job.state);
    crate::git::home(project)
        .map_err(|source| RunError::Io { path: job.state.to_owned(), source })?;
    Ok(turn::in_project(job.state, job.interrupt, listener)?)
}

/// The results of a run that the diff alone makes needless.
///
/// # Errors
/// When the results cannot be written.
pub fn nothing_to_compare(
    job: &Job<'_>,
    config: &Config,
    plan: &Plan<'_>,
    why: &str,
) -> Result<Results, RunError> {
    make_directory(job.out)?;
    remove_build_logs(job.out)?;
    let mut results = skeleton::skeleton(&job.identity, config, Some(plan), &[], 0.0);
    results.warnings.push(why.to_owned());
    judge::judge(&mut results);
    remove_evidence(job.out, journal::unfinished(job.out).as_ref())?;
    finish(job, results, None)
}

/// The results of a run whose sides were not found.
///
/// # Errors
/// When the results cannot be written.
pub fn not_found(
    identity: &skeleton::Identity,
    config: &Config,
    error: &SidesError,
    out: &Path,
) -> Result<Results, RunError> {
    make_directory(out)?;
    remove_build_logs(out)?;
    let mut results = skeleton::skeleton(identity, config, None, &[], 0.0);
    if error.is_interrupt() {
        results.stopped_by = StoppedBy::Signal;
    } else {
        results.failure = Some(RunFailure {
            side: error.side(&config.compare),
            stage: "checkout".to_owned(),
            message: error.to_string(),
            stderr_tail: String::new(),
        });
    }
    judge::judge(&mut results);
    remove_evidence(out, journal::unfinished(out).as_ref())?;
    complete(identity, results, None, out)
}

/// Prepares without measuring, for `list`: what there is, of all shards.
///
/// # Errors
/// The side that could not be prepared.
pub fn discover(
    job: &Job<'_>,
    config: &Config,
    plan: &Plan<'_>,
    listener: &mut dyn Listener,
) -> Result<Vec<Matched>, RunFailure> {
    let prepared = prepare_all(job, config, plan, listener)?;
    let matched = |(at, prepared): (usize, &Prepared)| match_group(config, plan, at, prepared, 0);
    Ok(prepared.iter().enumerate().map(matched).collect())
}

fn make_directory(path: &Path) -> Result<(), RunError> {
    std::fs::create_dir_all(path).map_err(|source| RunError::Io { path: path.to_owned(), source })
}

fn prepare_all(
    job: &Job<'_>,
    config: &Config,
    plan: &Plan<'_>,
    listener: &mut dyn Listener,
) -> Result<Vec<Prepared>, RunFailure> {
    let workshop = Workshop {
        project: job.state.parent().unwrap_or(job.state),
        state: job.state,
        out: job.out,
        launcher: job.launcher,
        interrupt: job.interrupt,
        timeout: config.compare.prepare_timeout,
        has_clock: clock_for_programs(job.state).is_some(),
    };
    bays::prepare_all(job, config, plan, &workshop, listener)
}

/// An earlier run that died left a journal: its results file is made from it now.
fn salvage(job: &Job<'_>, earlier: Option<&Unfinished>) {
    let Some(Unfinished { begin, outcomes, by_signal: false }) = earlier else { return };
    let mut machine = new_machine(begin, &begin.results.seed);
    replay(&mut machine, outcomes.clone());
    let mut results = record::results(begin, &machine, StoppedBy::Crash, &[]);
    if let Err(error) = record::write(&mut results, Some((begin, &machine)), job.out) {
        tracing::warn!(%error, "the results of the run that died could not be written");
    }
}

fn not_prepared(
    job: &Job<'_>,
    config: &Config,
    plan: &Plan<'_>,
    failure: RunFailure,
    earlier: Option<&Unfinished>,
) -> Result<Results, RunError> {
    let mut results = skeleton::skeleton(&job.identity, config, Some(plan), &[], 0.0);
    results.stopped_by =
        if job.interrupt.received().is_some() { StoppedBy::Signal } else { StoppedBy::Done };
    results.failure = (results.stopped_by == StoppedBy::Done).then_some(failure);
    judge::judge(&mut results);
    remove_evidence(job.out, earlier)?;
    finish(job, results, None)
}

fn unmeasured(
    job: &Job<'_>,
    config: &Config,
    stage: &Registration,
    stopped_by: StoppedBy,
    earlier: Option<&Unfinished>,
) -> Result<Results, RunError> {
    let machine = stage.machine(&stage.begin.results.seed);
    let mut results = record::results(&stage.begin, &machine, stopped_by, &config.accepts);
    // A module that could not be loaded has said already why nothing was found in it.
    let is_explained = !results.warnings.is_empty() && stage.unwanted.is_empty();
    let is_empty = results.benchmarks.is_empty() && stopped_by == StoppedBy::Done;
    if is_empty && results.plan.found > 0 {
        results.warnings.insert(0, nothing_falls_to(config, results.plan.found));
    } else if is_empty && !is_explained {
        let why = why_nothing(config, &stage.unwanted, bench_harness::all());
        results.warnings.insert(0, why);
    }
    remove_evidence(job.out, earlier)?;
    finish(job, results, None)
}

fn finish(
    job: &Job<'_>,
    results: Results,
    measured: Option<(&Begin, &Machine)>,
) -> Result<Results, RunError> {
    SideName::BOTH.iter().for_each(|side| redact_log(job, *side));
    complete(&job.identity, results, measured, job.out)
}

/// What an earlier run built says nothing of this one.
fn remove_build_logs(out: &Path) -> Result<(), RunError> {
    SideName::BOTH.iter().try_for_each(|side| Ok(remove(&prepare::build_log(out, *side))?))
}

/// Takes secrets out of results and writes them.
fn complete(
    identity: &skeleton::Identity,
    mut results: Results,
    measured: Option<(&Begin, &Machine)>,
    out: &Path,
) -> Result<Results, RunError> {
    identity.redactor.results(&mut results);
    results.finished = Some(skeleton::now());
    record::write(&mut results, measured, out)?;
    Ok(results)
}

/// What an earlier run measured must not lie beside results that it does not belong to. The journal
/// of one that can still be taken up stays: it names its own plan, and the next run goes on from it.
fn remove_evidence(out: &Path, earlier: Option<&Unfinished>) -> Result<(), RunError> {
    if earlier.is_none() {
        remove(&journal::path(out))?;
    }
    Ok(remove(&out.join(record::SAMPLES_FILE))?)
}

/// Builds print what they like into their log.
fn redact_log(job: &Job<'_>, side: SideName) {
    let path = prepare::build_log(job.out, side);
    let Ok(bytes) = std::fs::read(&path) else { return };
    let text = String::from_utf8_lossy(&bytes);
    let shown = job.identity.redactor.text(&text);
    if shown != text
        && let Err(error) = std::fs::write(&path, shown.as_bytes())
    {
        tracing::warn!(%error, "secrets could not be taken out of {}", path.display());
    }
}

fn measure(
    job: &Job<'_>,
    config: &Config,
    stage: &Registration,
    earlier: Option<Unfinished>,
    listener: &mut dyn Listener,
) -> Result<Results, RunError> {
    let scratch = job.state.join("run");
    make_directory(&scratch)?;
    let clock = clock_for_programs(job.state);
    let (begin, mut machine, mut journal) = start_or_resume(job, config, stage, earlier, listener)?;
    let seed = Seed::new(&begin.compared.0, &begin.compared.1, &begin.results.seed);
    let tools = Tools {
        launcher: job.launcher,
        interrupt: job.interrupt,
        groups: &stage.groups,
        cases: &stage.cases,
        scratch: &scratch,
        clock: clock.as_ref(),
    };
    let mut driver = Driver::new(tools, cores(config), seed);
    if let Some(open) = machine.open().cloned() {
        driver.perform(&open);
    }
    let mut note = |outcome: &Outcome| {
        let outcome = Box::new(outcome.redacted(&job.identity.redactor));
        journal.append(&Entry::Outcome { outcome })
    };
    let mut slowed;
    let performer: &mut dyn Perform = if job.slower_by > 0.0 {
        slowed = Slowed::new(&mut driver, job.slower_by);
        &mut slowed
    } else {
        &mut driver
    };
    let stopped = drive(&mut machine, performer, &mut note, listener);
    drop(driver);
    listener.event(&Event::Finished);
    let stopped_by = *stopped.as_ref().unwrap_or(&StoppedBy::Crash);
    let results = record::results(&begin, &machine, stopped_by, &config.accepts);
    let written = finish(job, results, Some((&begin, &machine)));
    let stopped_by = stopped?;
    journal.append(&Entry::End { stopped_by })?;
    written
}

/// Takes up the interrupted run of the same plan, if there is one; else starts a new journal.
fn start_or_resume(
    job: &Job<'_>,
    config: &Config,
    stage: &Registration,
    earlier: Option<Unfinished>,
    listener: &mut dyn Listener,
) -> Result<(Begin, Machine, Journal), RunError> {
    let same_seed = |seed: &str| config.compare.seed.as_deref().is_none_or(|wanted| wanted == seed);
    let earlier = earlier
        .filter(|earlier| earlier.is_of(&stage.begin) && same_seed(&earlier.begin.results.seed));
    let Some(earlier) = earlier else {
        let journal = journal::begin(job.out, stage.begin.clone())?;
        return Ok((stage.begin.clone(), stage.machine(&stage.begin.results.seed), journal));
    };
    let begin = earlier.begin;
    let mut machine = new_machine(&begin, &begin.results.seed);
    let outcomes = earlier.outcomes.len();
    let taken = replay(&mut machine, earlier.outcomes);
    tracing::debug!(outcomes, taken, "journal taken up");
    listener.event(&Event::Warning(format!(
        "an interrupted run of the same plan is taken up: {:.1} s of measuring are kept",
        machine.elapsed_s()
    )));
    Ok((begin, machine, Journal::resume(&journal::path(job.out))?))
}

fn cores(config: &Config) -> Cores {
    if !Capabilities::of_this_system().affinity {
        return Cores::Unpinned;
    }
    let allowed = bench_process::allowed_cores();
    let wanted = config.compare.cpu_list.as_ref();
    let usable =
        allowed.into_iter().filter(|core| wanted.is_none_or(|list| list.contains(core))).collect();
    Cores::Watched(IdleWatch::new(usable))
}
