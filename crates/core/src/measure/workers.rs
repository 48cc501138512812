//! The live workers of a round: base, head, and base's twin where a sentinel rides along.

use super::driver::{Tools, Trouble};
use crate::seed::RoundDraws;
use bench_harness::{Reply, Request, Worker, WorkerError};
use bench_process::{Output, Spec};
use bench_results::SideName;
use std::path::Path;
use std::time::Duration;

/// Importing a large suite takes a while.
const LOAD_TIMEOUT: Duration = Duration::from_secs(300);

/// Which worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Base,
    Head,
    /// A second worker of base.
    Twin,
}

impl Slot {
    /// The side whose build it runs.
    pub(super) fn side(self) -> SideName {
        match self {
            Self::Base | Self::Twin => SideName::Base,
            Self::Head => SideName::Head,
        }
    }

    /// The directory name of its own; all of equal length.
    pub(super) fn directory(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Head => "head",
            Self::Twin => "twin",
        }
    }
}

/// The workers of the open group.
#[derive(Debug)]
pub(super) struct Workers {
    group: usize,
    draws: RoundDraws,
    load: Request,
    slots: [Option<Worker>; 3],
}

impl Workers {
    /// Starts the workers in the order of the round's coin and lets them import at the same time.
    pub(super) fn start(
        tools: &Tools<'_>,
        group: usize,
        draws: &RoundDraws,
        cases: &[usize],
        twin: bool,
    ) -> Result<Self, Trouble> {
        let mut names: Vec<String> =
            cases.iter().map(|&case| tools.cases[case].function().to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        let load = Request::Load { benchmarks: names };
        let mut workers = Self { group, draws: draws.clone(), load, slots: [None, None, None] };
        let second = if draws.first == SideName::Base { Slot::Head } else { Slot::Base };
        let first = if draws.first == SideName::Base { Slot::Base } else { Slot::Head };
        let order: Vec<Slot> =
            [first, second].into_iter().chain(twin.then_some(Slot::Twin)).collect();
        for &slot in &order {
            workers.slots[slot as usize] = Some(workers.begin(tools, slot)?);
        }
        for &slot in &order {
            workers.await_loaded(tools, slot)?;
        }
        Ok(workers)
    }

    /// No live worker: for benchmarks that have a process of their own.
    pub(super) fn none(group: usize, draws: RoundDraws) -> Self {
        Self {
            group,
            draws,
            load: Request::Load { benchmarks: Vec::new() },
            slots: [None, None, None],
        }
    }

    /// Starts a worker and sends it what to load, without waiting.
    fn begin(&self, tools: &Tools<'_>, slot: Slot) -> Result<Worker, Trouble> {
        let ready = tools.groups[self.group].side(slot.side());
        let side = slot.side();
        let spec = ready.worker(self.draws.seeds).ok_or_else(|| {
            Trouble::failed(side, "start", "this harness has no worker", String::new())
        })?;
        let start = || -> Result<Worker, WorkerError> {
            let mut worker = Worker::start(tools.launcher, &spec)?;
            worker.send(&self.load)?;
            Ok(worker)
        };
        start().map_err(|error| trouble(side, &error, String::new()))
    }

    fn await_loaded(&mut self, tools: &Tools<'_>, slot: Slot) -> Result<(), Trouble> {
        let side = slot.side();
        let Some(worker) = &mut self.slots[slot as usize] else { return Ok(()) };
        match worker.receive(LOAD_TIMEOUT, tools.interrupt) {
            Ok(Reply::Failed(failure)) => {
                Err(Trouble::failed(side, &failure.stage, failure.message, failure.details))
            }
            Ok(_) => Ok(()),
            Err(error) => Err(trouble(side, &error, String::new())),
        }
    }

    /// The live worker of a slot; one that was lost is started anew, with the round's seeds.
    pub(super) fn get(&mut self, tools: &Tools<'_>, slot: Slot) -> Result<&mut Worker, Trouble> {
        if self.slots[slot as usize].is_none() {
            self.slots[slot as usize] = Some(self.begin(tools, slot)?);
            self.await_loaded(tools, slot)?;
        }
        self.slots[slot as usize].as_mut().ok_or(Trouble::Interrupted)
    }

    /// Two live workers at once.
    pub(super) fn pair(&self, slots: [Slot; 2]) -> Option<(&Worker, &Worker)> {
        let [base, head] = slots.map(|slot| self.slots[slot as usize].as_ref());
        base.zip(head)
    }

    /// Drops a worker that can no longer be asked.
    pub(super) fn lose(&mut self, slot: Slot) {
        self.slots[slot as usize] = None;
    }

    /// A worker of its own for one launch: nothing ran in it before. What it prints goes to a file.
    pub(super) fn fresh(
        &self,
        tools: &Tools<'_>,
        slot: Slot,
        output: &Path,
    ) -> Result<Worker, Trouble> {
        fresh_worker(tools, self.group, slot, &self.draws, output)
    }

    /// Ends all workers.
    pub(super) fn quit(self) {
        Worker::quit_all(self.slots.into_iter().flatten());
    }
}

/// Starts a worker that has loaded nothing.
pub(super) fn fresh_worker(
    tools: &Tools<'_>,
    group: usize,
    slot: Slot,
    draws: &RoundDraws,
    output: &Path,
) -> Result<Worker, Trouble> {
    let side = slot.side();
    let spec = tools.groups[group].side(side).worker(draws.seeds).ok_or_else(|| {
        Trouble::failed(side, "start", "this harness has no worker", String::new())
    })?;
    let output = Output::Append(output.to_path_buf());
    let spec = Spec { stdout: output, stderr: Output::SameAsStdout, ..spec };
    Worker::start(tools.launcher, &spec).map_err(|error| trouble(side, &error, String::new()))
}

/// A worker's error in the words of a case's failure.
pub(super) fn trouble(side: SideName, error: &WorkerError, tail: String) -> Trouble {
    let stage = match error {
        WorkerError::Interrupted(_) => return Trouble::Interrupted,
        WorkerError::TimedOut { .. } => "timeout",
        WorkerError::Launch(_) => "start",
        WorkerError::Ended(_) => "exit",
        WorkerError::Line(_) => "protocol",
    };
    Trouble::failed(side, stage, error.to_string(), tail)
}
