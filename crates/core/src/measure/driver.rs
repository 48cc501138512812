//! Does what the machine asks: plain blocking code, and nothing else of ours awake meanwhile.

use super::action::{
    Action, BlockOrder, BlockReading, CaseFailure, LaunchReading, Outcome, Pilot, PilotReading,
};
use super::caches::Caches;
use super::group::Group;
use super::session::Session;
use super::workers::{Slot, Workers};
use super::{opaque, stepped};
use crate::case::Case;
use crate::seed::Seed;
use bench_harness::HowMeasured;
use bench_process::{CpuClock, IdleWatch, Interrupt, Launcher, Pinned, pin_self};
use bench_results::{Failure, Schedule, SideName};
use std::path::Path;
use std::time::{Duration, Instant};

/// Why an action was not carried out to its end.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The case failed on a side.
    Case(CaseFailure),
    /// A signal arrived.
    Interrupted,
}

impl Trouble {
    pub(super) fn failed(
        side: SideName,
        stage: &str,
        message: impl Into<String>,
        tail: String,
    ) -> Self {
        Self::Case(CaseFailure::Failed(Failure {
            side: Some(side),
            stage: stage.to_owned(),
            message: message.into(),
            stderr_tail: tail,
        }))
    }
}

/// Which process serves a benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Isolation {
    /// A forked child of the round's worker, until one does not come back.
    Fork,
    /// The same; one has come back.
    ForkForGood,
    /// A worker of its own.
    Spawn,
}

/// Where blocks may run.
#[derive(Debug)]
pub enum Cores {
    /// Pinned, on the least busy of some cores.
    Watched(IdleWatch),
    /// The system cannot pin.
    Unpinned,
}

/// What never changes while a run is measured.
#[derive(Clone, Copy, Debug)]
pub struct Tools<'a> {
    /// Starts programs.
    pub launcher: &'a Launcher,
    /// SIGINT and SIGTERM.
    pub interrupt: &'a Interrupt,
    /// Suites in environments, both sides ready.
    pub groups: &'a [Group],
    /// The cases.
    pub cases: &'a [Case],
    /// A directory of the run's own; emptied as needed.
    pub scratch: &'a Path,
    /// To be preloaded into programs that time themselves.
    pub clock: Option<&'a CpuClock>,
}

/// The clock for programs that time themselves, in our own directory; without it they are timed on
/// the wall.
#[must_use]
pub fn clock_for_programs(state: &Path) -> Option<CpuClock> {
    CpuClock::install(&state.join("clock"))
        .inspect_err(|error| tracing::warn!(%error, "the CPU clock could not be written"))
        .unwrap_or_default()
}

/// Carries out the machine's actions.
#[derive(Debug)]
pub struct Driver<'a> {
    tools: Tools<'a>,
    cores: Cores,
    seed: Seed,
    began: Instant,
    workers: Option<Workers>,
    caches: Caches,
    isolation: Vec<Isolation>,
}

impl<'a> Driver<'a> {
    /// A driver that starts its clock now.
    #[must_use]
    pub fn new(tools: Tools<'a>, cores: Cores, seed: Seed) -> Self {
        Self {
            tools,
            cores,
            seed,
            began: Instant::now(),
            workers: None,
            caches: Caches::default(),
            isolation: tools.groups.iter().map(first_isolation).collect(),
        }
    }

    /// Carries out one action. `Done` is not for a driver and is answered as interrupted.
    pub fn perform(&mut self, action: &Action) -> Outcome {
        let started = Instant::now();
        match action {
            Action::Open { group, round, cases, twin } => {
                self.open(*group, *round, cases, *twin, started)
            }
            Action::Pilot(pilot) => self.pilot(pilot, started),
            Action::Block(order) => self.block(order, started),
            Action::Close { .. } => {
                if let Some(workers) = self.workers.take() {
                    workers.quit();
                }
                Outcome::Closed { cost_s: started.elapsed().as_secs_f64() }
            }
            Action::Done(_) => Outcome::Interrupted,
        }
    }

    fn open(
        &mut self,
        group: usize,
        round: u32,
        cases: &[usize],
        twin: bool,
        started: Instant,
    ) -> Outcome {
        let names = &self.tools.groups[group];
        let draws = self.seed.round(&names.suite, &names.environment, round);
        let workers = match self.isolation[group] {
            // Each block starts its own.
            Isolation::Spawn => Ok(Workers::none(group, draws)),
            Isolation::Fork | Isolation::ForkForGood => {
                Workers::start(&self.tools, group, &draws, cases, twin)
            }
        };
        let opened = workers.and_then(|mut workers| {
            let made = self.caches.make(&self.tools, &mut workers, cases);
            self.workers = Some(workers);
            made
        });
        let failure = match opened {
            Ok(()) | Err(Trouble::Case(CaseFailure::Skipped { .. })) => None,
            Err(Trouble::Interrupted) => return Outcome::Interrupted,
            Err(Trouble::Case(CaseFailure::Failed(failure))) => Some(failure),
        };
        Outcome::Opened { cost_s: started.elapsed().as_secs_f64(), failure }
    }

    fn pilot(&mut self, pilot: &Pilot, started: Instant) -> Outcome {
        let case = &self.tools.cases[pilot.case];
        let core = self.pick_core();
        let result = match self.pilot_reading(case, pilot, core) {
            Ok(reading) => Ok(reading),
            Err(Trouble::Case(failure)) => Err(failure),
            Err(Trouble::Interrupted) => return Outcome::Interrupted,
        };
        Outcome::Pilot { case: pilot.case, cost_s: started.elapsed().as_secs_f64(), result }
    }

    fn pilot_reading(
        &mut self,
        case: &Case,
        pilot: &Pilot,
        core: Option<usize>,
    ) -> Result<PilotReading, Trouble> {
        if case.runs_by_itself() {
            return opaque::pilot(&self.tools, case, pilot);
        }
        if case.gives_value() {
            return Ok(stepped::nothing_to_learn(self.caches.differ(case)));
        }
        let first = self.session(case, |session| session.pilot(pilot, core));
        let hangs =
            matches!(&first, Err(Trouble::Case(CaseFailure::Failed(f))) if f.stage == "timeout");
        if hangs && self.isolation[case.group] == Isolation::Fork {
            // Threads and fork do not always agree: the first that does not come back from a forked
            // child is tried once in a process of its own, as all others of its suite are then.
            self.isolation[case.group] = Isolation::Spawn;
            let second = self.session(case, |session| session.pilot(pilot, core));
            if second.is_err() {
                self.isolation[case.group] = Isolation::ForkForGood;
            }
            return second;
        }
        if first.is_ok() && self.isolation[case.group] == Isolation::Fork {
            self.isolation[case.group] = Isolation::ForkForGood;
        }
        first
    }

    /// Runs with both sides' workers at hand.
    fn session<T>(
        &mut self,
        case: &Case,
        run: impl FnOnce(&mut Session<'_>) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        self.session_on([Slot::Base, Slot::Head], 0, case, run)
    }

    fn session_on<T>(
        &mut self,
        slots: [Slot; 2],
        round: u32,
        case: &Case,
        run: impl FnOnce(&mut Session<'_>) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let standing = self.workers.take();
        let stood = standing.is_some();
        // Without workers it is a benchmark of which each value has a process of its own: its seeds
        // are the round's all the same.
        let mut workers = standing.unwrap_or_else(|| {
            let group = &self.tools.groups[case.group];
            Workers::none(case.group, self.seed.round(&group.suite, &group.environment, round))
        });
        let isolation = match case.how() {
            HowMeasured::FreshValue => Isolation::Spawn,
            _ => self.isolation[case.group],
        };
        let mut session =
            Session::new(self.tools, case, &mut workers, slots, isolation, &self.caches);
        let result = run(&mut session);
        let closed = session.close();
        self.workers = stood.then_some(workers);
        result.and_then(|result| closed.map(|()| result))
    }

    fn block(&mut self, order: &BlockOrder, started: Instant) -> Outcome {
        let case = &self.tools.cases[order.case];
        let core = self.core_for(order);
        let load = bench_process::load1();
        let started_ms =
            u64::try_from(started.duration_since(self.began).as_millis()).unwrap_or(u64::MAX);
        let sides = {
            let _pinned = self.place_driver(order, core);
            match case.runs_by_itself() {
                true => opaque::block(&self.tools, case, order, core),
                false => self.session_on(slots(order), order.round, case, |session| {
                    session.block(order, core)
                }),
            }
        };
        // A failed side is part of the reading; only a signal ends a block without one.
        let Ok(sides) = sides else { return Outcome::Interrupted };
        self.forgive(core, &sides);
        Outcome::Block(Box::new(BlockReading {
            case: order.case,
            sentinel: order.sentinel,
            position: order.position,
            first: order.first,
            cost_s: started.elapsed().as_secs_f64(),
            started_ms,
            core: core.and_then(|core| u32::try_from(core).ok()),
            load,
            schedule: order.schedule,
            clock: order.clock,
            sides,
        }))
    }

    /// The least busy core, anew for each block; none on the wall clock (which must see
    /// parallelism) and for values.
    fn core_for(&mut self, order: &BlockOrder) -> Option<usize> {
        let pins = order.pinned && !self.tools.cases[order.case].gives_value();
        if pins { self.pick_core() } else { None }
    }

    /// The least busy core, where the system can pin.
    fn pick_core(&mut self) -> Option<usize> {
        match &mut self.cores {
            Cores::Watched(watch) => watch.pick(),
            Cores::Unpinned => None,
        }
    }

    /// The driver hands turns over on the block's own core, and keeps off it in a duet (rule 12).
    fn place_driver(&self, order: &BlockOrder, core: Option<usize>) -> Option<Pinned> {
        let core = core?;
        let others = || {
            bench_process::allowed_cores()
                .into_iter()
                .filter(|&other| other != core)
                .collect::<Vec<_>>()
        };
        match order.schedule {
            Schedule::Alternate => pin_self(core).ok(),
            Schedule::Duet | Schedule::Sequential => Pinned::to(&others()).ok(),
        }
    }

    /// What the block used itself does not make its core a busy one.
    fn forgive(&mut self, core: Option<usize>, sides: &[Result<LaunchReading, CaseFailure>; 2]) {
        let (Cores::Watched(watch), Some(core)) = (&mut self.cores, core) else { return };
        let used = sides.iter().flatten().map(|launch| launch.activity().cpu_ns).sum();
        watch.forgive(core, Duration::from_nanos(used));
    }
}

/// Forks are tried where both sides' workers know how.
fn first_isolation(group: &Group) -> Isolation {
    let forks = group.ready.iter().all(|side| side.forks());
    if forks { Isolation::Fork } else { Isolation::Spawn }
}

/// The workers of a block: base against head, or against its own twin.
fn slots(order: &BlockOrder) -> [Slot; 2] {
    [Slot::Base, if order.sentinel { Slot::Twin } else { Slot::Head }]
}
