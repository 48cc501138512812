//! A session: both sides of a case opened in their workers, asked, and closed.

use super::action::{CaseFailure, LaunchReading};
use super::caches::Caches;
use super::driver::{Isolation, Tools, Trouble};
use super::workers::{Slot, Workers, trouble};
use crate::case::Case;
use bench_harness::{
    Closed, Died, Measure, Open, Opened, Reply, Request, SliceReading, Worker, WorkerError,
    first_of,
};
use bench_results::SideName;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a request may take beyond the benchmark's own timeout.
const SLACK: Duration = Duration::from_secs(5);

/// How much of a benchmark's output goes into a failure.
const TAIL_BYTES: u64 = 8 << 10;
const TAIL_LINES: usize = 20;

/// Both sides of one case, while they are open.
pub(super) struct Session<'s> {
    tools: Tools<'s>,
    pub(super) case: &'s Case,
    workers: &'s mut Workers,
    slots: [Slot; 2],
    isolation: Isolation,
    caches: &'s Caches,
    /// Workers of their own, where the isolation asks for them.
    own: [Option<Worker>; 2],
    opened: [Option<Opened>; 2],
    pub(super) readings: [LaunchReading; 2],
}

impl<'s> Session<'s> {
    pub(super) fn new(
        tools: Tools<'s>,
        case: &'s Case,
        workers: &'s mut Workers,
        slots: [Slot; 2],
        isolation: Isolation,
        caches: &'s Caches,
    ) -> Self {
        let reading = || LaunchReading {
            slices: Vec::new(),
            loops: 1,
            value: None,
            max_rss_bytes: None,
            reported: None,
        };
        Self {
            tools,
            case,
            workers,
            slots,
            isolation,
            caches,
            own: [None, None],
            opened: [None; 2],
            readings: [reading(), reading()],
        }
    }

    pub(super) fn open_both(
        &mut self,
        first: SideName,
        core: Option<usize>,
    ) -> Result<(), Trouble> {
        self.open(first, core)?;
        self.open(first.other(), core).map(drop)
    }

    pub(super) fn open(&mut self, side: SideName, core: Option<usize>) -> Result<Opened, Trouble> {
        if let Some(failure) = self.caches.failure(self.case) {
            return Err(Trouble::Case(failure));
        }
        let request = Request::Open(self.open_request(side, core)?);
        if self.isolation == Isolation::Spawn {
            let output = self.output(side);
            let worker = self.workers.fresh(&self.tools, self.slots[side.index()], &output)?;
            self.own[side.index()] = Some(worker);
        }
        let timeout = self.timeout(side);
        match self.ask(side, &request, timeout)? {
            Reply::Opened(opened) => {
                let opened = self.settled(side, opened, core)?;
                self.opened[side.index()] = Some(opened);
                Ok(opened)
            }
            Reply::Skipped(reason) => Err(Trouble::Case(CaseFailure::Skipped { side, reason })),
            other => Err(self.unexpected(side, &other)),
        }
    }

    /// A worker that serves by itself need not know its number, nor how to go to a core.
    fn settled(
        &mut self,
        side: SideName,
        opened: Opened,
        core: Option<usize>,
    ) -> Result<Opened, Trouble> {
        if self.isolation != Isolation::Spawn {
            return Ok(opened);
        }
        let own = self.worker(side)?.pid();
        let pid = if opened.pid == 0 { own.unwrap_or(0) } else { opened.pid };
        if let Some(Err(error)) = core.map(|core| bench_process::pin_process(pid, core)) {
            tracing::debug!(%error, pid, "could not be moved to its core");
        }
        Ok(Opened { pid, ..opened })
    }

    fn open_request(&self, side: SideName, core: Option<usize>) -> Result<Open, Trouble> {
        let benchmark = &self.case.benchmark[self.slots[side.index()].side().index()];
        let own = self.tools.scratch.join(self.slots[side.index()].directory());
        let cache =
            self.caches.directory(self.case, self.slots[side.index()].side()).map(Path::to_owned);
        let directory = cache.clone().unwrap_or_else(|| own.join("cwd"));
        let fresh = if cache.is_none() { empty(&directory) } else { std::fs::create_dir_all(&own) };
        // The worker appends; what another benchmark printed is not this one's.
        let fresh = fresh.and_then(|()| std::fs::write(self.output(side), ""));
        fresh.map_err(|error| {
            Trouble::failed(
                side,
                "setup",
                format!("{}: {error}", directory.display()),
                String::new(),
            )
        })?;
        Ok(Open {
            benchmark: benchmark.name.clone(),
            index: benchmark.index,
            fork: self.isolation != Isolation::Spawn,
            core: core.and_then(|core| u32::try_from(core).ok()),
            directory,
            cache,
            output: self.output(side),
        })
    }

    fn output(&self, side: SideName) -> PathBuf {
        self.tools.scratch.join(self.slots[side.index()].directory()).join("output.txt")
    }

    pub(super) fn measure(
        &mut self,
        side: SideName,
        request: Measure,
    ) -> Result<Vec<SliceReading>, Trouble> {
        let sent = self.worker(side)?.send(&Request::Measure(request));
        sent.map_err(|error| self.lost(side, &error))?;
        self.take_slices(side, request)
    }

    pub(super) fn take_slices(
        &mut self,
        side: SideName,
        Measure { loops, min_slices, slices: most, .. }: Measure,
    ) -> Result<Vec<SliceReading>, Trouble> {
        let least = min_slices.max(1);
        let timeout = self.timeout(side) * least;
        match self.receive(side, timeout)? {
            Reply::Slices(slices) => match u32::try_from(slices.len()) {
                Ok(count) if (least..=most.max(least)).contains(&count) => {
                    if least > 1 && slices.iter().all(|slice| slice.0 == 0 && slice.1 == 0) {
                        return Err(self.timeless(side, loops));
                    }
                    Ok(slices)
                }
                _ => Err(self.miscounted(side, slices.len(), least, most)),
            },
            other => Err(self.unexpected(side, &other)),
        }
    }

    pub(super) fn ask(
        &mut self,
        side: SideName,
        request: &Request,
        timeout: Duration,
    ) -> Result<Reply, Trouble> {
        let sent = self.worker(side)?.send(request);
        sent.map_err(|error| self.lost(side, &error))?;
        self.receive(side, timeout)
    }

    fn receive(&mut self, side: SideName, timeout: Duration) -> Result<Reply, Trouble> {
        let interrupt = self.tools.interrupt;
        match self.worker(side)?.receive(timeout, interrupt) {
            Ok(Reply::Failed(failure)) => {
                let tail = join(&failure.details, &self.tail(side));
                Err(Trouble::failed(side, &failure.stage, failure.message, tail))
            }
            Ok(Reply::Died(died)) => {
                self.opened[side.index()] = None;
                Err(Trouble::failed(side, "exit", how_it_died(&died), self.tail(side)))
            }
            Ok(reply) => Ok(reply),
            Err(error) => Err(self.lost(side, &error)),
        }
    }

    /// A worker that gave no answer: nothing is open in it, and it may be gone.
    pub(super) fn lost(&mut self, side: SideName, error: &WorkerError) -> Trouble {
        self.opened[side.index()] = None;
        let usable = matches!(
            error,
            WorkerError::TimedOut { usable: true, .. } | WorkerError::Interrupted(_)
        );
        if !usable {
            self.own[side.index()] = None;
            self.workers.lose(self.slots[side.index()]);
        }
        let tail = self.tail(side);
        if matches!(error, WorkerError::TimedOut { .. }) {
            let timeout = self.case.benchmark[side.index()].timeout_s;
            let message = format!("not done within its timeout of {timeout} s");
            return Trouble::failed(side, "timeout", message, tail);
        }
        trouble(side, error, tail)
    }

    pub(super) fn unexpected(&self, side: SideName, reply: &Reply) -> Trouble {
        Trouble::failed(side, "protocol", format!("the worker answered {reply:?}"), self.tail(side))
    }

    /// Slices are compared one by one: their number is part of the answer.
    fn miscounted(&self, side: SideName, got: usize, least: u32, most: u32) -> Trouble {
        let message = format!("the worker answered {got} slices; {least} to {most} were asked for");
        Trouble::failed(side, "protocol", message, self.tail(side))
    }

    /// One call may be over before the clock moves; several slices of a length that was found by
    /// trying are not.
    fn timeless(&self, side: SideName, loops: u64) -> Trouble {
        let message = format!(
            "the worker says that {loops} calls took no time, by the CPU's clock or the wall's, in any slice"
        );
        Trouble::failed(side, "protocol", message, self.tail(side))
    }

    pub(super) fn worker(&mut self, side: SideName) -> Result<&mut Worker, Trouble> {
        match self.isolation {
            Isolation::Spawn => self.own[side.index()].as_mut().ok_or_else(|| {
                Trouble::failed(side, "exit", "the benchmark's process is gone", String::new())
            }),
            Isolation::Fork | Isolation::ForkForGood => {
                self.workers.get(&self.tools, self.slots[side.index()])
            }
        }
    }

    fn both_workers(&mut self) -> Result<(&Worker, &Worker), Trouble> {
        let gone = || {
            Trouble::failed(
                SideName::Base,
                "exit",
                "the benchmark's process is gone",
                String::new(),
            )
        };
        let pair = match self.isolation {
            Isolation::Spawn => self.own[0].as_ref().zip(self.own[1].as_ref()),
            Isolation::Fork | Isolation::ForkForGood => self.workers.pair(self.slots),
        };
        pair.ok_or_else(gone)
    }

    pub(super) fn timeout(&self, side: SideName) -> Duration {
        Duration::from_secs_f64(self.case.benchmark[side.index()].timeout_s) + SLACK
    }

    fn tail(&self, side: SideName) -> String {
        bench_process::capture::tail(&self.output(side), TAIL_BYTES, TAIL_LINES).unwrap_or_default()
    }

    /// Closes what is open. A benchmark whose tear-down fails has failed, as with asv.
    pub(super) fn close(&mut self) -> Result<(), Trouble> {
        let [base, head] = SideName::BOTH.map(|side| self.close_side(side));
        base.and(head)
    }

    pub(super) fn close_side(&mut self, side: SideName) -> Result<(), Trouble> {
        let closed = match self.opened[side.index()].take() {
            Some(_) => self.tear_down(side),
            None => Ok(()),
        };
        if let Some(worker) = self.own[side.index()].take() {
            worker.quit();
        }
        closed
    }

    fn tear_down(&mut self, side: SideName) -> Result<(), Trouble> {
        let timeout = self.timeout(side);
        match self.ask(side, &Request::Close, timeout)? {
            Reply::Closed(Closed { max_rss_bytes }) => {
                self.readings[side.index()].max_rss_bytes = max_rss_bytes;
                Ok(())
            }
            other => Err(self.unexpected(side, &other)),
        }
    }

    pub(super) fn parts(&self) -> (&Case, bool) {
        (self.case, self.caches.differ(self.case))
    }

    /// Moves both opened processes to a core.
    pub(super) fn pin(&self, core: usize) -> bool {
        self.opened
            .iter()
            .flatten()
            .all(|opened| bench_process::pin_process(opened.pid, core).is_ok())
    }

    pub(super) fn in_order_of_arrival(
        &mut self,
        timeout: Duration,
    ) -> Result<[SideName; 2], Trouble> {
        let interrupt = self.tools.interrupt;
        let (base, head) = self.both_workers()?;
        let first = first_of([base, head], Instant::now() + timeout, interrupt)
            .map_err(|error| trouble(SideName::Base, &error, String::new()))?;
        Ok(match first {
            Some(1) => [SideName::Head, SideName::Base],
            _ => SideName::BOTH,
        })
    }
}

/// How a benchmark's process died, in words.
pub(super) fn how_it_died(died: &Died) -> String {
    match (died.code, died.signal) {
        (_, Some(9)) => "killed by SIGKILL: out of memory?".to_owned(),
        (_, Some(signal)) => bench_process::Status::Signal(signal).to_string(),
        (Some(code), None) => format!("ended its process with status {code}"),
        (None, None) => "ended its process".to_owned(),
    }
}

fn join(details: &str, tail: &str) -> String {
    [details, tail]
        .into_iter()
        .filter(|text| !text.trim().is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// An empty directory, whatever was there.
fn empty(directory: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::fs::create_dir_all(directory)
}
