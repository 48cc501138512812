//! A run from its plan to its results: prepare, register, measure, judge, record.

use crate::assemble::{RowContext, blank};
use crate::case::Case;
use crate::config::{Config, Identical};
use crate::events::{Event, Listener};
use crate::journal::{self, Begin, Entry};
use crate::judge::{self, reason};
use crate::matching::{self, Matched, Registered};
use crate::measure::action::Outcome;
use crate::measure::drive::{drive, replay};
use crate::measure::driver::{Cores, Driver, Tools};
use crate::measure::group::Group;
use crate::measure::machine::{Machine, Settings as MachineSettings};
use crate::measure::state::Limits;
use crate::plan::Plan;
use crate::prepare::{self, Prepared, Workshop};
use crate::record::{self, RecordError};
use crate::seed::Seed;
use crate::sides::Sides;
use crate::skeleton;
use crate::track::Bound;
use bench_process::{
    Capabilities, IdleWatch, Interrupt, Launcher, LockError, MachineLock, Wait, machine_lock_path,
};
use bench_results::{
    Journal, JournalError, Pairing, Results, RunFailure, SideName, StoppedBy, Verdict,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a run waits for another measurement on the same machine.
const LOCK_PATIENCE: Duration = Duration::from_secs(60 * 60);

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
}

/// A run that could not end as it should.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file or directory of ours.
    #[error("{path}: {source}; is the disk full, or the directory not writable?")]
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// Another measurement runs on this machine.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The journal could not be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The results could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Stopped by a signal before anything was measured.
    #[error("interrupted before anything was measured")]
    Interrupted,
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
    make_directory(job.out)?;
    salvage(job);
    let started = Instant::now();
    let prepared = match prepare_all(job, config, plan, listener) {
        Ok(prepared) => prepared,
        Err(failure) => return not_prepared(job, config, plan, failure),
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
        return nothing_to_measure(job, config, &stage);
    }
    listener.event(&Event::Planned {
        benchmarks: stage.cases.len(),
        family: stage.begin.results.plan.family_size,
        budget_s: stage.begin.results.settings.time_budget_s,
    });
    let _lock = lock(job, listener)?;
    measure(job, config, &stage, listener)
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
    let mut results = skeleton::skeleton(&job.identity, config, plan, &[], 0.0);
    results.warnings.push(why.to_owned());
    finish(job, results, None)
}

/// Prepares without measuring: for `list`.
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
    };
    for side in SideName::BOTH {
        job.sides.lay_out(side, config).map_err(|error| RunFailure {
            side,
            stage: "checkout".to_owned(),
            message: job.identity.redactor.text(&error.to_string()).into_owned(),
            stderr_tail: String::new(),
        })?;
    }
    let groups = plan.groups.iter().enumerate();
    groups
        .map(|(at, planned)| prepare::prepare(&workshop, planned, &plan.sides, at, listener))
        .collect()
}

/// An earlier run that died left a journal: its results file is made from it now.
fn salvage(job: &Job<'_>) {
    let Some(unfinished) = journal::unfinished(job.out).filter(|unfinished| !unfinished.by_signal)
    else {
        return;
    };
    let begin = unfinished.begin;
    let mut machine = new_machine(&begin, &begin.results.seed);
    replay(&mut machine, unfinished.outcomes);
    let mut results = record::results(&begin, &machine, StoppedBy::Crash, &[]);
    if let Err(error) = record::write(&mut results, Some((&begin, &machine)), job.out) {
        tracing::warn!(%error, "the results of the run that died could not be written");
    }
}

fn not_prepared(
    job: &Job<'_>,
    config: &Config,
    plan: &Plan<'_>,
    failure: RunFailure,
) -> Result<Results, RunError> {
    let mut results = skeleton::skeleton(&job.identity, config, plan, &[], 0.0);
    results.stopped_by =
        if job.interrupt.received().is_some() { StoppedBy::Signal } else { StoppedBy::Done };
    results.failure = (results.stopped_by == StoppedBy::Done).then_some(failure);
    finish(job, results, None)
}

fn nothing_to_measure(
    job: &Job<'_>,
    config: &Config,
    stage: &Registration,
) -> Result<Results, RunError> {
    let machine = stage.machine(&stage.begin.results.seed);
    let results = record::results(&stage.begin, &machine, StoppedBy::Done, &config.accepts);
    finish(job, results, None)
}

fn finish(
    job: &Job<'_>,
    mut results: Results,
    measured: Option<(&Begin, &Machine)>,
) -> Result<Results, RunError> {
    judge::judge(&mut results);
    results.finished = Some(skeleton::now());
    record::write(&mut results, measured, job.out)?;
    Ok(results)
}

fn lock(job: &Job<'_>, listener: &mut dyn Listener) -> Result<MachineLock, RunError> {
    let path = machine_lock_path();
    match MachineLock::acquire(path, Wait::Fail, job.interrupt) {
        Err(held @ LockError::Held { .. }) => {
            listener.event(&Event::Warning(format!("{held}: waiting for its end")));
            Ok(MachineLock::acquire(path, Wait::For(LOCK_PATIENCE), job.interrupt)?)
        }
        other => Ok(other?),
    }
}

/// What is registered before any data.
struct Registration {
    begin: Begin,
    cases: Vec<Case>,
    groups: Vec<Group>,
}

impl Registration {
    fn new(
        job: &Job<'_>,
        config: &Config,
        plan: &Plan<'_>,
        prepared: Vec<Prepared>,
        prepare_s: f64,
    ) -> Self {
        let mut results = skeleton::skeleton(&job.identity, config, plan, &prepared, prepare_s);
        let seed = Seed::new(&plan.compared.0, &plan.compared.1, &results.seed);
        let (mut cases, mut known) = (Vec::new(), Vec::new());
        for (at, group) in prepared.iter().enumerate() {
            let Matched { cases: matched, rows } = match_group(config, plan, at, group, 0);
            known.extend(rows);
            if group.identical && config.compare.identical == Identical::Skip {
                known.extend(
                    matched
                        .iter()
                        .flat_map(|case| identical_rows(&plan_context(plan, at, 0), case)),
                );
            } else {
                cases.extend(matched);
            }
        }
        let Registered { cases, left_out, family, budget_s, all_would_take_s } =
            matching::register(cases, &config.compare, &seed);
        for (at, _) in plan.groups.iter().enumerate() {
            let of_group: Vec<&Case> = left_out.iter().filter(|case| case.group == at).collect();
            known.extend(matching::left_out_rows(&plan_context(plan, at, family), &of_group));
        }
        results.benchmarks = known;
        skeleton::register(
            &mut results,
            config,
            &cases,
            left_out.len(),
            family,
            (budget_s, all_would_take_s),
        );
        for row in &mut results.benchmarks {
            row.family = family;
            row.machine =
                results.machines.first().map(|machine| machine.id.clone()).unwrap_or_default();
        }
        let names =
            |group: &Group| (group.suite.clone(), group.environment.clone(), group.harness.clone());
        let groups: Vec<Group> = prepared.into_iter().map(|prepared| prepared.group).collect();
        let begin = Begin {
            results,
            cases: cases.clone(),
            groups: groups.iter().map(names).collect(),
            compared: plan.compared.clone(),
        };
        Self { begin, cases, groups }
    }

    fn machine(&self, seed: &str) -> Machine {
        new_machine(&self.begin, seed)
    }
}

fn plan_context<'a>(plan: &'a Plan<'_>, at: usize, family: u64) -> RowContext<'a> {
    let planned = &plan.groups[at];
    RowContext {
        comparison: &planned.name,
        machine: "",
        suite: &planned.suite.settings.name,
        harness: planned.harness.name(),
        family,
    }
}

fn match_group(
    config: &Config,
    plan: &Plan<'_>,
    at: usize,
    prepared: &Prepared,
    family: u64,
) -> Matched {
    let [base, head] = &prepared.discoveries;
    matching::matched(
        at,
        plan.groups[at].suite,
        &config.compare,
        &plan_context(plan, at, family),
        [base, head],
    )
}

/// Builds that are the same in what matters are not run (rule 18).
fn identical_rows(context: &RowContext<'_>, case: &Case) -> Vec<bench_results::Row> {
    let row = |metric: usize| {
        let mut row =
            blank(context, &case.id, &case.benchmark[1], metric, case.metrics[metric].rule);
        row.pairing = Pairing::Identical;
        row.verdict = row.verdict.map(|_| Verdict::Unchanged);
        row.reason = Some(reason::IDENTICAL.to_owned());
        row
    };
    (0..case.metrics.len()).filter(|&metric| case.metrics[metric].plan.gated).map(row).collect()
}

/// The machine of a registered run; its seed may be an earlier run's that is taken up again.
fn new_machine(begin: &Begin, seed: &str) -> Machine {
    let settings = &begin.results.settings;
    let bound = Bound {
        alpha: settings.alpha,
        alpha_unchanged: settings.alpha_unchanged,
        family: begin.results.plan.family_size.max(1),
    };
    let machine = MachineSettings {
        limits: Limits { bound, max_blocks: settings.max_blocks, repeat: settings.repeat },
        budget_s: settings.time_budget_s,
        seed: Seed::new(&begin.compared.0, &begin.compared.1, seed),
        groups: begin
            .groups
            .iter()
            .map(|(suite, environment, _)| (suite.clone(), environment.clone()))
            .collect(),
        sentinels: true,
    };
    Machine::new(machine, begin.cases.clone())
}

fn measure(
    job: &Job<'_>,
    config: &Config,
    stage: &Registration,
    listener: &mut dyn Listener,
) -> Result<Results, RunError> {
    let scratch = job.state.join("run");
    make_directory(&scratch)?;
    let (begin, mut machine, mut journal) = start_or_resume(job, config, stage, listener)?;
    let seed = Seed::new(&begin.compared.0, &begin.compared.1, &begin.results.seed);
    let tools = Tools {
        launcher: job.launcher,
        interrupt: job.interrupt,
        groups: &stage.groups,
        cases: &stage.cases,
        scratch: &scratch,
    };
    let mut driver = Driver::new(tools, cores(config), seed);
    if let Some(open) = machine.open().cloned() {
        driver.perform(&open);
    }
    let mut note =
        |outcome: &Outcome| journal.append(&Entry::Outcome { outcome: Box::new(outcome.clone()) });
    let stopped = drive(&mut machine, &mut driver, &mut note, listener);
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
    listener: &mut dyn Listener,
) -> Result<(Begin, Machine, Journal), RunError> {
    let plan = &stage.begin.results.plan.digest;
    let same_seed = |seed: &str| config.compare.seed.as_deref().is_none_or(|wanted| wanted == seed);
    let earlier = journal::unfinished(job.out).filter(|earlier| {
        earlier.begin.results.plan.digest == *plan && same_seed(&earlier.begin.results.seed)
    });
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
