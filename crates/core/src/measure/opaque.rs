//! Blocks and pilots of programs that run by themselves: whole processes, timed by the system's
//! accounting, or programs that measure themselves and are read afterwards.

use super::action::{Activity, BlockOrder, CaseFailure, LaunchReading, Pilot, PilotReading};
use super::driver::{Tools, Trouble};
use super::routing::{STOOD_STILL, probed};
use crate::case::Case;
use bench_harness::{
    Launch, MetricPlan, NotReported, Opaque, OwnClock, Reported, SliceReading, Wish,
};
use bench_process::{Exit, Interrupt, Output, Process, Spec, Start, Status, WaitError, capture};
use bench_results::{Clock, Metric, Schedule, SideName};
use bench_stats::median;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Runs of each side in the pilot: how it uses the machine is seen in several, or in so many
/// nanoseconds. Counts use no clock.
const PILOT_RUNS: u32 = 3;
const COUNTING_PILOT_RUNS: u32 = 1;
const PILOT_NS: u64 = 3_000_000_000;

/// Samples of each run in the pilot and how long each should be, nanoseconds.
const PILOT_LENGTH: Length =
    Length { samples: 3, sample_ns: 2_000_000, call_ns: 0.0, clock: Clock::Wall };

/// A block's samples: so long each, nanoseconds, and no more than so many. Those of both sides are
/// compared one by one (rule 11), so that many short ones are worth more than one long one.
const SAMPLE_NS: f64 = 2.5e6;
const MOST_SAMPLES: f64 = 20.0;

/// A program comes on if it has had so small a part of the time one has waited: less than what is left
/// of a core that many share, more than what waking up now and then takes.
const LEAST_OF_PATIENCE: u32 = 50;

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
    let mut looks = [Vec::new(), Vec::new()];
    let mut base_ns = Vec::new();
    let mut reported: [Option<Box<Reported>>; 2] = [None, None];
    let runs = if case.counts() { COUNTING_PILOT_RUNS } else { PILOT_RUNS };
    for _ in 0..runs {
        for side in [pilot.first, pilot.first.other()] {
            let launch = run_one(tools, case, side, None, PILOT_LENGTH)?;
            looks[side.index()].push(launch.activity());
            if side == SideName::Base {
                let own = median(&launch.times(Clock::Wall)).filter(|_| launch.reported.is_some());
                base_ns.push(own.unwrap_or(launch.slices[0].0 as f64));
            }
            reported[side.index()] = launch.reported;
        }
        let wall_ns = |looks: &Vec<Activity>| looks.iter().map(|look| look.wall_ns).sum::<u64>();
        if looks.iter().all(|looks| wall_ns(looks) >= PILOT_NS) {
            break;
        }
    }
    Ok(PilotReading {
        metrics: beside(case, &reported),
        loops: 1,
        fresh_loops: 1,
        call_ns: median(&base_ns).unwrap_or(0.0),
        probes: looks.map(|looks| probed(case, &looks)),
        shared: None,
        state: None,
        setup_ns: 0,
        inputs_differ: false,
    })
}

/// What both sides report beside the metrics that are known: shown, never judged.
fn beside(case: &Case, [base, head]: &[Option<Box<Reported>>; 2]) -> Vec<MetricPlan> {
    let (Some(base), Some(head)) = (base, head) else { return Vec::new() };
    let is_known = |metric: &Metric| case.metrics.iter().any(|m| m.plan.metric.name == metric.name);
    let new =
        |(metric, _): &&(Metric, f64)| !is_known(metric) && base.value(&metric.name).is_some();
    let plan = |metric: &Metric| MetricPlan { metric: metric.clone(), gated: false, exact: false };
    head.values.iter().filter(new).map(|(metric, _)| plan(metric)).collect()
}

/// How much a launch of a program that measures itself should measure, and on which clock.
#[derive(Clone, Copy, Debug)]
struct Length {
    samples: u32,
    sample_ns: u64,
    call_ns: f64,
    clock: Clock,
}

impl Length {
    /// After what time one looks whether a launch comes on when its clock counts CPU time: a program
    /// that waits for its next tick would wait for ever.
    fn patience(self) -> Duration {
        const FOR_THE_REST: Duration = Duration::from_secs(20);
        const TIMES: u32 = 50;
        FOR_THE_REST + Duration::from_nanos(self.sample_ns) * self.samples * TIMES
    }

    fn of(order: &BlockOrder) -> Self {
        let sample_ns = order.call_ns.max(SAMPLE_NS);
        let samples = (order.cpu_target_ns as f64 / 2.0 / sample_ns).clamp(1.0, MOST_SAMPLES);
        Self {
            samples: samples as u32,
            sample_ns: sample_ns as u64,
            call_ns: order.call_ns,
            clock: order.clock,
        }
    }
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
        Schedule::Sequential => {
            sides.map(|side| run_one(tools, case, side, core, Length::of(order)))
        }
        Schedule::Duet | Schedule::Alternate => duet(tools, case, sides, core, Length::of(order)),
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
    length: Length,
) -> [Result<LaunchReading, Trouble>; 2] {
    let start = Start::OnRelease;
    let mut held = sides.map(|side| Running::prepare(tools, case, side, core, start, length));
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
    length: Length,
) -> Result<LaunchReading, Trouble> {
    Running::prepare(tools, case, side, core, Start::AtOnce, length)?.finish(tools)
}

/// A program that was started, or is held.
struct Running<'a> {
    process: Process,
    case: &'a Case,
    side: SideName,
    clock: Clock,
    /// Where the clock is preloaded: after what time its CPU time is looked at.
    patience: Option<Duration>,
    expect_exit: i32,
    timeout: Duration,
    /// What the launch leaves, and its messages.
    left: PathBuf,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl<'a> Running<'a> {
    /// Runs the untimed preparation and starts the program.
    fn prepare(
        tools: &Tools<'_>,
        case: &'a Case,
        side: SideName,
        core: Option<usize>,
        start: Start,
        length: Length,
    ) -> Result<Self, Trouble> {
        let benchmark = &case.benchmark[side.index()];
        let Length { samples, sample_ns, call_ns, clock, .. } = length;
        let left = emptied(tools, side)?;
        let preloads = clock == Clock::Cpu && case.own_clock() == Some(OwnClock::Preloaded);
        let clocks = tools.clock.filter(|_| preloads);
        let wish = Wish { left: &left, samples, sample_ns, call_ns, clock: clocks };
        let stdout = wish.stdout();
        let launch = tools.groups[case.group].side(side).launch(benchmark, &wish);
        let Launch::Opaque(Opaque { prepare, run, expect_exit, timeout }) = launch else {
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
        let stderr = left.join("stderr.txt");
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
        Ok(Self {
            process,
            case,
            side,
            clock,
            patience: clocks.map(|_| length.patience()),
            expect_exit,
            timeout,
            left,
            stdout,
            stderr,
        })
    }

    fn release(&mut self) {
        // That it could not be released shows in the wait that follows.
        let _ = self.process.release();
    }

    fn finish(mut self, tools: &Tools<'_>) -> Result<LaunchReading, Trouble> {
        let exit = self.wait(tools.interrupt).map_err(|error| self.trouble(&error))?;
        if exit.status != Status::Code(self.expect_exit) {
            let message = format!("{exit}, expected exit status {}", self.expect_exit);
            return Err(Trouble::failed(self.side, "exit", message, self.tail()));
        }
        let reported = match self.case.own_clock() {
            Some(clock) => Some(Box::new(self.reported(tools, clock)?)),
            None => None,
        };
        Ok(LaunchReading { reported, ..reading(&exit) })
    }

    /// Waits for its end, within its timeout. Under a preloaded clock it has to come on all the while:
    /// harnesses that choose themselves how long they measure may take long on a busy machine.
    fn wait(&mut self, interrupt: &Interrupt) -> Result<Exit, WaitError> {
        let start = Instant::now();
        let mut spent = Duration::ZERO;
        loop {
            let left = self.timeout.saturating_sub(start.elapsed());
            let patience = self.patience.map_or(left, |patience| patience.min(left));
            let ended = self.process.wait(Instant::now().checked_add(patience), interrupt);
            let is_out_of_patience = matches!(ended, Err(WaitError::TimedOut)) && patience < left;
            let now = self.process.cpu_time().unwrap_or(spent);
            if !is_out_of_patience || now < spent + patience / LEAST_OF_PATIENCE {
                return ended;
            }
            spent = now;
        }
    }

    /// What a program that measures itself has left.
    fn reported(&self, tools: &Tools<'_>, clock: OwnClock) -> Result<Reported, Trouble> {
        let benchmark = &self.case.benchmark[self.side.index()];
        let ready = tools.groups[self.case.group].side(self.side);
        let mut reported =
            ready.read(benchmark, &self.left).map_err(|why| self.not_reported(why))?;
        if self.clock == Clock::Cpu && clock == OwnClock::Preloaded {
            reported.cpu_ns = std::mem::take(&mut reported.wall_ns);
        }
        Ok(reported)
    }

    fn not_reported(&self, why: NotReported) -> Trouble {
        match why {
            NotReported::Skipped(reason) => {
                Trouble::Case(CaseFailure::Skipped { side: self.side, reason })
            }
            NotReported::Failed(message) => {
                Trouble::failed(self.side, "output", message, self.tail())
            }
        }
    }

    fn trouble(&mut self, error: &WaitError) -> Trouble {
        match error {
            WaitError::Interrupted(_) => return Trouble::Interrupted,
            WaitError::TimedOut if self.patience.is_some() => {
                self.process.kill(Duration::ZERO);
                let message = "its CPU time stands still: it waits".to_owned();
                return Trouble::failed(self.side, STOOD_STILL, message, self.tail());
            }
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

    /// The end of its messages. Some harnesses print them where their results go.
    fn tail(&self) -> String {
        let of = |file: &Path| capture::tail(file, TAIL_BYTES, TAIL_LINES).unwrap_or_default();
        let told = of(&self.stderr);
        if told.trim().is_empty() { of(&self.stdout) } else { told }
    }
}

/// An empty directory for what a launch leaves: a file of an earlier one must not be taken for its
/// own.
fn emptied(tools: &Tools<'_>, side: SideName) -> Result<PathBuf, Trouble> {
    let left = tools.scratch.join(side.word());
    let removed = std::fs::remove_dir_all(&left).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    });
    removed.and_then(|()| std::fs::create_dir_all(&left)).map_err(|error| {
        Trouble::failed(side, "start", format!("{}: {error}", left.display()), String::new())
    })?;
    Ok(left)
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
        reported: None,
    }
}
