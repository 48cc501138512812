//! Blocks and pilots of programs that run by themselves: whole processes, timed by the system's
//! accounting.

use super::action::{Activity, BlockOrder, CaseFailure, LaunchReading, Pilot, PilotReading};
use super::driver::{Tools, Trouble};
use crate::case::Case;
use bench_harness::{Launch, Opaque, SliceReading};
use bench_process::{Exit, Output, Process, Spec, Start, Status, WaitError, capture};
use bench_results::{Schedule, SideName};
use bench_stats::median;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Runs of each side in the pilot.
const PILOT_RUNS: u32 = 3;

/// How much of a program's messages goes into a failure.
const TAIL_BYTES: u64 = 8 << 10;
const TAIL_LINES: usize = 20;

type Launches = [Result<LaunchReading, CaseFailure>; 2];

/// Runs each side alone and unpinned, in turns: how does it use the machine?
pub(super) fn pilot(
    tools: &Tools<'_>,
    case: &Case,
    pilot: &Pilot,
) -> Result<PilotReading, Trouble> {
    let mut probes = [Activity::default(); 2];
    let mut base_ns = Vec::new();
    for _ in 0..PILOT_RUNS {
        for side in [pilot.first, pilot.first.other()] {
            let launch = run_one(tools, case, side, None)?;
            if side == SideName::Base {
                base_ns.push(launch.slices[0].0 as f64);
            }
            probes[side.index()].merge(&launch.activity());
        }
    }
    Ok(PilotReading {
        loops: 1,
        fresh_loops: 1,
        call_ns: median(&base_ns).unwrap_or(0.0),
        probes,
        shared: None,
        state: None,
        setup_ns: 0,
        inputs_differ: false,
    })
}

/// One launch of each side: both at once on one core, or one after the other.
pub(super) fn block(
    tools: &Tools<'_>,
    case: &Case,
    order: &BlockOrder,
    core: Option<usize>,
) -> Result<Launches, Trouble> {
    let sides = [order.first, order.first.other()];
    let mut launches = match order.schedule {
        Schedule::Sequential => sides.map(|side| run_one(tools, case, side, core)),
        Schedule::Duet | Schedule::Alternate => duet(tools, case, sides, core),
    };
    if order.first == SideName::Head {
        launches.reverse();
    }
    let [base, head] = launches;
    Ok([case_result(base)?, case_result(head)?])
}

fn case_result(
    result: Result<LaunchReading, Trouble>,
) -> Result<Result<LaunchReading, CaseFailure>, Trouble> {
    match result {
        Ok(launch) => Ok(Ok(launch)),
        Err(Trouble::Case(failure)) => Ok(Err(failure)),
        Err(Trouble::Interrupted) => Err(Trouble::Interrupted),
    }
}

/// Both are held until both stand ready; the coin says which is let go first.
fn duet(
    tools: &Tools<'_>,
    case: &Case,
    sides: [SideName; 2],
    core: Option<usize>,
) -> [Result<LaunchReading, Trouble>; 2] {
    let mut held = sides.map(|side| Running::prepare(tools, case, side, core, Start::OnRelease));
    for running in held.iter_mut().flatten() {
        running.release();
    }
    held.map(|running| running?.finish(tools))
}

fn run_one(
    tools: &Tools<'_>,
    case: &Case,
    side: SideName,
    core: Option<usize>,
) -> Result<LaunchReading, Trouble> {
    Running::prepare(tools, case, side, core, Start::AtOnce)?.finish(tools)
}

/// A program that was started, or is held.
struct Running {
    process: Process,
    side: SideName,
    expect_exit: i32,
    timeout: Duration,
    stderr: PathBuf,
}

impl Running {
    /// Runs the untimed preparation and starts the program.
    fn prepare(
        tools: &Tools<'_>,
        case: &Case,
        side: SideName,
        core: Option<usize>,
        start: Start,
    ) -> Result<Self, Trouble> {
        let benchmark = &case.benchmark[side.index()];
        let launch = tools.groups[case.group].side(side).launch(benchmark);
        let Launch::Opaque(Opaque { prepare, run, expect_exit, timeout, .. }) = launch else {
            return Err(Trouble::failed(
                side,
                "start",
                "this benchmark cannot be started by itself",
                String::new(),
            ));
        };
        if let Some(prepare) = prepare {
            untimed(tools, side, &prepare, timeout)?;
        }
        let own = tools.scratch.join(side.word());
        let stderr = own.join("stderr.txt");
        std::fs::create_dir_all(&own).map_err(|error| {
            Trouble::failed(side, "start", format!("{}: {error}", own.display()), String::new())
        })?;
        let spec = Spec {
            stderr: Output::File(stderr.clone()),
            cores: core.map(|core| vec![core]),
            start,
            ..run
        };
        let process = tools
            .launcher
            .start(&spec)
            .map_err(|error| Trouble::failed(side, "start", error.to_string(), String::new()))?;
        Ok(Self { process, side, expect_exit, timeout, stderr })
    }

    fn release(&mut self) {
        // That it could not be released shows in the wait that follows.
        let _ = self.process.release();
    }

    fn finish(mut self, tools: &Tools<'_>) -> Result<LaunchReading, Trouble> {
        let deadline = Instant::now().checked_add(self.timeout);
        let exit =
            self.process.wait(deadline, tools.interrupt).map_err(|error| self.trouble(&error))?;
        if exit.status != Status::Code(self.expect_exit) {
            let message = format!("{exit}, expected exit status {}", self.expect_exit);
            return Err(Trouble::failed(self.side, "exit", message, self.tail()));
        }
        Ok(reading(&exit))
    }

    fn trouble(&mut self, error: &WaitError) -> Trouble {
        match error {
            WaitError::Interrupted(_) => return Trouble::Interrupted,
            WaitError::TimedOut => {
                self.process.kill(Duration::ZERO);
                let message =
                    format!("not done within its timeout of {} s", self.timeout.as_secs_f64());
                return Trouble::failed(self.side, "timeout", message, self.tail());
            }
            _ => {}
        }
        Trouble::failed(self.side, "start", error.to_string(), self.tail())
    }

    fn tail(&self) -> String {
        capture::tail(&self.stderr, TAIL_BYTES, TAIL_LINES).unwrap_or_default()
    }
}

fn untimed(
    tools: &Tools<'_>,
    side: SideName,
    spec: &Spec,
    timeout: Duration,
) -> Result<(), Trouble> {
    match bench_process::run(tools.launcher, spec, Some(timeout), tools.interrupt) {
        Ok(exit) if exit.success() => Ok(()),
        Ok(exit) => Err(Trouble::failed(side, "prepare", exit.to_string(), String::new())),
        Err(WaitError::Interrupted(_)) => Err(Trouble::Interrupted),
        Err(error) => Err(Trouble::failed(side, "prepare", error.to_string(), String::new())),
    }
}

/// A whole run is one slice; its CPU time counts every process it waited for.
fn reading(exit: &Exit) -> LaunchReading {
    let usage = &exit.usage;
    let slice = SliceReading(
        usage.cpu_ns,
        usage.wall_ns,
        usage.cpu_ns,
        usage.run_delay_ns,
        usage.voluntary_switches,
    );
    LaunchReading {
        slices: vec![slice],
        loops: 1,
        value: None,
        max_rss_bytes: Some(usage.max_rss_bytes),
    }
}
