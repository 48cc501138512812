//! Both sides made ready: built, benchmarks discovered, identical builds recognised.
//!
//! The two sides are prepared at the same time, in threads that have ended before anything is
//! measured.

use crate::config::Suite;
use crate::events::{Event, Listener};
use crate::measure::group::Group;
use bench_harness::{
    BenchmarksFrom, Discovery, EnvironmentSettings, Facts, Harness, Ready, Site, Subject,
};
use bench_process::{Interrupt, Launcher};
use bench_results::{EnvironmentInfo, Failure, HarnessInfo, RunFailure, SideName};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// One side as planned: what it is a side of, and where its files are.
#[derive(Clone, Debug)]
pub struct Side {
    /// Which.
    pub name: SideName,
    /// What it is a side of.
    pub subject: Subject,
    /// Root of its own tree: the checkout, or the user's directory for existing builds.
    pub root: PathBuf,
    /// Its commit, where it has one.
    pub commit: Option<String>,
    /// What a person calls it.
    pub label: String,
}

/// A suite in a pair of environments, base's and head's.
#[derive(Clone)]
pub struct Planned<'a> {
    /// The suite.
    pub suite: &'a Suite,
    /// Its harness.
    pub harness: &'static dyn Harness,
    /// Base's and head's environment, their own variables included.
    pub environments: [EnvironmentSettings; 2],
    /// The name that comparisons go by.
    pub name: String,
}

impl std::fmt::Debug for Planned<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Planned")
            .field("suite", &self.suite.settings.name)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Where preparing happens.
#[derive(Clone, Copy, Debug)]
pub struct Workshop<'a> {
    /// Root of the user's project: relative paths of the configuration start here.
    pub project: &'a Path,
    /// `.bench-action`.
    pub state: &'a Path,
    /// Where build logs go.
    pub out: &'a Path,
    /// Starts programs.
    pub launcher: &'a Launcher,
    /// SIGINT and SIGTERM.
    pub interrupt: &'a Interrupt,
    /// What preparing a side may take.
    pub timeout: Duration,
    /// Whether a clock can be preloaded into what is measured.
    pub has_clock: bool,
}

/// A group made ready.
#[derive(Debug)]
pub struct Prepared {
    /// Both sides.
    pub group: Group,
    /// What was found on base and head.
    pub discoveries: [Discovery; 2],
    /// Whether both builds are the same in what matters.
    pub identical: bool,
    /// Base's and head's, for the results file; equal where both ran in one.
    pub environments: [EnvironmentInfo; 2],
    /// For the results file.
    pub harness: HarnessInfo,
    /// Seconds each side took.
    pub seconds: [f64; 2],
    /// Things a person should know.
    pub warnings: Vec<String>,
}

/// Prepares both sides of a planned suite at the same time: the group of this number in the plan, in
/// this environment where there are several.
///
/// # Errors
/// The first side that could not be prepared, with what the other side did.
pub fn prepare(
    workshop: &Workshop<'_>,
    planned: &Planned<'_>,
    sides: &[Side; 2],
    (number, environment): (usize, Option<&str>),
    listener: &mut dyn Listener,
) -> Result<Prepared, RunFailure> {
    let environment = environment.map(str::to_owned);
    for side in sides {
        listener.event(&Event::Preparing {
            side: side.name,
            environment: environment.clone(),
            label: side.label.clone(),
        });
    }
    let made = std::thread::scope(|scope| {
        let threads =
            [0, 1].map(|at| scope.spawn(move || one_side(workshop, planned, sides, at, number)));
        threads.map(|thread| thread.join().unwrap_or_else(|_| Err(panicked())))
    });
    let [base, head] = match made {
        [Ok(base), Ok(head)] => [base, head],
        [Err(failure), other] => return Err(failed(SideName::Base, failure, other.is_ok())),
        [other, Err(failure)] => return Err(failed(SideName::Head, failure, other.is_ok())),
    };
    for (side, made) in sides.iter().zip([&base, &head]) {
        let facts = made.ready.facts();
        listener.event(&Event::Prepared {
            side: side.name,
            environment: environment.clone(),
            seconds: made.seconds,
            cached: facts.cached,
            version: facts.project_version.clone(),
        });
    }
    let mut prepared = assemble(planned, base, head);
    prepared.warnings.extend(unbuilt(planned.suite, sides));
    Ok(prepared)
}

/// What the suite would have built, where builds exist already.
fn unbuilt(suite: &Suite, sides: &[Side; 2]) -> Option<String> {
    let exists = sides.iter().any(|side| !matches!(side.subject, Subject::Commit { .. }));
    (exists && !suite.settings.build.is_empty()).then(|| {
        format!(
            "suite {}: existing builds are not built, so that `build` was not run",
            suite.settings.name
        )
    })
}

/// A panic is a defect of ours; its own message is on stderr already.
pub(crate) fn panicked() -> Failure {
    Failure {
        side: None,
        stage: "defect".to_owned(),
        message: "preparing ended in a defect of bench-action; please report it".to_owned(),
        stderr_tail: String::new(),
    }
}

pub(crate) fn failed(side: SideName, failure: Failure, other_is_ready: bool) -> RunFailure {
    let other =
        if other_is_ready { format!("; {} was prepared", side.other()) } else { String::new() };
    RunFailure {
        side: failure.side.unwrap_or(side),
        stage: failure.stage,
        message: format!("{}{other}", failure.message),
        stderr_tail: failure.stderr_tail,
    }
}

/// Where what a side's build printed is kept.
pub(crate) fn build_log(out: &Path, side: SideName) -> PathBuf {
    out.join(format!("{side}-build.log"))
}

struct OneSide {
    ready: Box<dyn Ready>,
    discovery: Discovery,
    seconds: f64,
}

fn one_side(
    workshop: &Workshop<'_>,
    planned: &Planned<'_>,
    sides: &[Side; 2],
    at: usize,
    number: usize,
) -> Result<OneSide, Failure> {
    let started = Instant::now();
    let side = &sides[at];
    let (suite_root, suite_commit) =
        suite_of(&planned.suite.settings.benchmarks_from, workshop.project, sides, at);
    // `base` and `head` are of equal length, and so are all paths below: lengths of paths shift
    // stacks and environments.
    let work = workshop.state.join("work").join(format!("{}-{number}", side.name));
    // Its own while it is written: others are being prepared at the same time.
    let log = work.with_extension("log");
    // One that a run left which was killed.
    drop(std::fs::remove_file(&log));
    let made = std::fs::remove_dir_all(&work).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    });
    made.and_then(|()| std::fs::create_dir_all(&work)).map_err(|error| Failure {
        side: Some(side.name),
        stage: "prepare".to_owned(),
        message: format!("{}: {error}", work.display()),
        stderr_tail: String::new(),
    })?;
    let site = Site {
        side: side.name,
        subject: &side.subject,
        suite_root: &suite_root,
        suite_commit: suite_commit.as_deref(),
        suite: &planned.suite.settings,
        environment: &planned.environments[at],
        cache: &workshop.state.join("cache"),
        work: &work,
        log: &log,
        launcher: workshop.launcher,
        interrupt: workshop.interrupt,
        timeout: workshop.timeout,
        has_clock: workshop.has_clock,
    };
    let made = planned.harness.prepare(&site).and_then(|ready| {
        let discovery = ready.discover(workshop.launcher, workshop.interrupt)?;
        Ok((ready, discovery))
    });
    hand_in(&log, &build_log(workshop.out, side.name));
    let (ready, discovery) = made?;
    Ok(OneSide { ready, discovery, seconds: started.elapsed().as_secs_f64() })
}

/// Adds one preparation's log to its side's, in one go.
fn hand_in(log: &Path, whole: &Path) {
    let hand_in = || -> std::io::Result<()> {
        let printed = std::fs::read(log)?;
        let mut whole = std::fs::OpenOptions::new().create(true).append(true).open(whole)?;
        whole.write_all(&printed)?;
        std::fs::remove_file(log)
    };
    match hand_in() {
        // What printed nothing has no log.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => tracing::warn!(%error, "{} could not be added to", whole.display()),
        Ok(()) => {}
    }
}

/// Whose benchmark code this side runs.
fn suite_of(
    from: &BenchmarksFrom,
    project: &Path,
    sides: &[Side; 2],
    at: usize,
) -> (PathBuf, Option<String>) {
    let of = |at: usize| (sides[at].root.clone(), sides[at].commit.clone());
    match from {
        BenchmarksFrom::Head => of(1),
        BenchmarksFrom::Base => of(0),
        BenchmarksFrom::Each => of(at),
        BenchmarksFrom::Path(path) => (project.join(path), None),
    }
}

fn assemble(planned: &Planned<'_>, base: OneSide, head: OneSide) -> Prepared {
    let facts = head.ready.facts();
    let identical = is_identical(planned, &base, &head);
    let mut warnings = Vec::new();
    for (side, made) in SideName::BOTH.iter().zip([&base, &head]) {
        let broken = made.discovery.broken.iter().map(|module| {
            format!(
                "`{}` of suite {} cannot be loaded on {side}: {}",
                module.module, planned.suite.settings.name, module.message
            )
        });
        warnings.extend(
            made.ready
                .facts()
                .warnings
                .iter()
                .chain(&made.discovery.warnings)
                .cloned()
                .chain(broken),
        );
    }
    warnings.dedup();
    Prepared {
        identical,
        environments: [environment(planned, 0, base.ready.facts()), environment(planned, 1, facts)],
        harness: HarnessInfo {
            name: planned.harness.name().to_owned(),
            version: facts.harness_version.clone(),
            suite_commit: head.discovery.suite_digest.clone(),
        },
        seconds: [base.seconds, head.seconds],
        warnings,
        discoveries: [base.discovery, head.discovery],
        group: Group {
            suite: planned.suite.settings.name.clone(),
            environment: planned.name.clone(),
            harness: planned.harness.name().to_owned(),
            ready: [base.ready, head.ready],
        },
    }
}

/// The environment of one side. Where only variables of its own tell it from the other side's, its name
/// says whose it is.
fn environment(planned: &Planned<'_>, at: usize, facts: &Facts) -> EnvironmentInfo {
    let [base, head] = &planned.environments;
    let own = &planned.environments[at];
    let is_one = base.name != head.name || base.variables == head.variables;
    let side = SideName::BOTH[at];
    EnvironmentInfo {
        name: if is_one { own.name.clone() } else { format!("{} on {side}", own.name) },
        python: facts.python.clone(),
        packages: facts.packages.clone(),
        variables: variables(own, facts),
    }
}

/// What the environment sets, and what was set for want of it.
fn variables(environment: &EnvironmentSettings, facts: &Facts) -> BTreeMap<String, String> {
    let given = environment.variables.iter().chain(&environment.build_variables);
    facts.variables.iter().chain(given).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Equal in all that a benchmark can see: what was built, packages, interpreter, variables, suite.
fn is_identical(planned: &Planned<'_>, base: &OneSide, head: &OneSide) -> bool {
    let (b, h) = (base.ready.facts(), head.ready.facts());
    let seen =
        |facts: &Facts| (facts.artifacts.clone(), facts.packages.clone(), facts.python.clone());
    let [base_environment, head_environment] = &planned.environments;
    !h.artifacts.is_empty()
        && seen(b) == seen(h)
        && base_environment.variables == head_environment.variables
        && base_environment.run_variables == head_environment.run_variables
        && base_environment.prefix == head_environment.prefix
        && base.discovery.suite_digest == head.discovery.suite_digest
}
