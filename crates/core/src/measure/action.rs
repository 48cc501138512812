//! What the measuring machine asks its driver to do, and what the driver answers.
//!
//! Outcomes are what the journal stores: replaying them through a fresh machine gives the same
//! state, which is how a run is resumed and how `results.json` is derived after a crash.

use bench_harness::{MetricPlan, Reported, SliceReading, StatePair, ValueReading};
use bench_results::{Clock, Failure, Redactor, Schedule, SideName};
use serde::{Deserialize, Serialize};

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Start this group's workers and load what these cases need.
    Open {
        /// Index of the suite × environment.
        group: usize,
        /// The round, from 0.
        round: u32,
        /// Cases that will be served, in order.
        cases: Vec<usize>,
        /// Whether a second worker of base is needed, for a sentinel.
        twin: bool,
    },
    /// Get to know a case: calibrate, test its routing and its state.
    Pilot(Pilot),
    /// Measure one block.
    Block(BlockOrder),
    /// End this group's workers.
    Close {
        /// The group.
        group: usize,
    },
    /// There is nothing left to do.
    Done(bench_results::StoppedBy),
}

/// What a pilot has to find out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pilot {
    /// The case.
    pub case: usize,
    /// Which side is opened first.
    pub first: SideName,
    /// Whether to test if a fresh state matters (rule 9).
    pub state_test: bool,
}

/// How to measure one block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockOrder {
    /// The case.
    pub case: usize,
    /// The round, from 0.
    pub round: u32,
    /// Position in the benchmark's random stream.
    pub position: u32,
    /// How both sides run.
    pub schedule: Schedule,
    /// The clock that counts.
    pub clock: Clock,
    /// The side that goes first.
    pub first: SideName,
    /// A bit per slice pair: set = base first.
    pub pairs: u64,
    /// Calls per slice.
    pub loops: u64,
    /// Whether each call gets a fresh set-up.
    pub fresh: bool,
    /// Untimed CPU time before each slice, nanoseconds.
    pub lead_in_ns: u64,
    /// A call's expected duration, nanoseconds; bounds warm-up and the number of slices.
    pub call_ns: f64,
    /// CPU time of both sides together after which a block ends, nanoseconds.
    pub cpu_target_ns: u64,
    /// Whether both sides keep to one core.
    pub pinned: bool,
    /// Base against base.
    pub sentinel: bool,
}

/// What came of an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// Workers stand, or a side's could not be started.
    Opened {
        /// Wall time, seconds.
        cost_s: f64,
        /// Why a side has no worker.
        failure: Option<Failure>,
    },
    /// A pilot ended.
    Pilot {
        /// The case.
        case: usize,
        /// Wall time, seconds.
        cost_s: f64,
        /// What was found, or what failed.
        result: Result<PilotReading, CaseFailure>,
    },
    /// A block ended.
    Block(Box<BlockReading>),
    /// Workers ended.
    Closed {
        /// Wall time, seconds.
        cost_s: f64,
    },
    /// A signal arrived: nothing more is to be done.
    Interrupted,
}

impl Outcome {
    /// The same without the secrets that a benchmark printed: it goes into a file.
    #[must_use]
    pub fn redacted(&self, redactor: &Redactor) -> Self {
        let mut outcome = self.clone();
        match &mut outcome {
            Self::Opened { failure: Some(failure), .. } => redactor.failure(failure),
            Self::Pilot { result: Err(failure), .. } => failure.redact(redactor),
            Self::Block(block) => {
                block.sides.iter_mut().for_each(|side| match side {
                    Ok(LaunchReading { value: Some(ValueReading::Text(text)), .. }) => {
                        redactor.replace(text);
                    }
                    Ok(_) => {}
                    Err(failure) => failure.redact(redactor),
                });
            }
            _ => {}
        }
        outcome
    }
}

/// What went wrong with a case on a side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaseFailure {
    /// The benchmark says it does not apply.
    Skipped {
        /// The side.
        side: SideName,
        /// Its words.
        reason: String,
    },
    /// Set-up, run, tear-down, exit or timeout went wrong.
    Failed(Failure),
}

impl CaseFailure {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Skipped { reason, .. } => redactor.replace(reason),
            Self::Failed(failure) => redactor.failure(failure),
        }
    }

    /// The side it happened on.
    #[must_use]
    pub fn side(&self) -> SideName {
        match self {
            Self::Skipped { side, .. } => *side,
            Self::Failed(failure) => failure.side.unwrap_or(SideName::Head),
        }
    }
}

/// What a pilot found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PilotReading {
    /// Calls per slice, found on base.
    pub loops: u64,
    /// The same where each call gets a fresh set-up.
    pub fresh_loops: u64,
    /// One call on base: CPU, or wall where it mostly waits, nanoseconds.
    pub call_ns: f64,
    /// Timed, unpinned, alone: base, head.
    pub probes: [Activity; 2],
    /// Base's time per call alone and alternated on one core (the cache detector), nanoseconds.
    pub shared: Option<[f64; 2]>,
    /// The state test, if it was asked for: base, head.
    pub state: Option<[Vec<StatePair>; 2]>,
    /// Nanoseconds one set-up takes on base.
    pub setup_ns: u64,
    /// Whether the benchmark's prepared inputs differ from run to run on base itself (rule 5).
    pub inputs_differ: bool,
    /// Metrics that both sides reported and that nobody could know before a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<MetricPlan>,
}

/// How a process spent its time in timed code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    /// Wall, nanoseconds.
    pub wall_ns: u64,
    /// CPU of the whole process, nanoseconds.
    pub cpu_ns: u64,
    /// CPU of the calling thread, nanoseconds; none for commands.
    pub thread_cpu_ns: Option<u64>,
    /// Waiting for a core though ready to run, nanoseconds; none where it cannot be read.
    pub run_delay_ns: Option<u64>,
    /// Voluntary context switches.
    pub voluntary_switches: u64,
    /// Timed stretches these are the sum of.
    pub repetitions: u32,
}

impl Activity {
    /// Adds one slice.
    pub fn add(&mut self, slice: &SliceReading) {
        let SliceReading(cpu, wall, thread, delay, switches) = *slice;
        let first = self.repetitions == 0;
        self.cpu_ns += cpu;
        self.wall_ns += wall;
        self.voluntary_switches += switches;
        let sum =
            |so_far: Option<u64>, now: Option<u64>| if first { now } else { Some(so_far? + now?) };
        self.thread_cpu_ns = sum(self.thread_cpu_ns, Some(thread));
        self.run_delay_ns = sum(self.run_delay_ns, delay);
        self.repetitions += 1;
    }

    /// Adds another stretch.
    pub fn merge(&mut self, other: &Self) {
        if self.repetitions == 0 {
            *self = *other;
            return;
        }
        self.wall_ns += other.wall_ns;
        self.cpu_ns += other.cpu_ns;
        self.voluntary_switches += other.voluntary_switches;
        self.repetitions += other.repetitions;
        self.thread_cpu_ns = self.thread_cpu_ns.zip(other.thread_cpu_ns).map(|(a, b)| a + b);
        self.run_delay_ns = self.run_delay_ns.zip(other.run_delay_ns).map(|(a, b)| a + b);
    }
}

/// What a block measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockReading {
    /// The case.
    pub case: usize,
    /// Whether it was base against base.
    pub sentinel: bool,
    /// Position in the benchmark's random stream.
    pub position: u32,
    /// The side that went first.
    pub first: SideName,
    /// Wall time of the whole block, seconds.
    pub cost_s: f64,
    /// Milliseconds since measuring began.
    pub started_ms: u64,
    /// The core; none when unpinned.
    pub core: Option<u32>,
    /// Load average at its start.
    pub load: Option<f64>,
    /// How it was run.
    pub schedule: Schedule,
    /// The clock that counts.
    pub clock: Clock,
    /// Base's and head's launch, or what failed.
    pub sides: [Result<LaunchReading, CaseFailure>; 2],
}

/// One launch of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchReading {
    /// Timed slices in run order. A program that runs by itself: one, the whole process.
    pub slices: Vec<SliceReading>,
    /// Calls per slice.
    pub loops: u64,
    /// The value, for benchmarks that give one.
    pub value: Option<ValueReading>,
    /// Peak resident memory of the process, bytes.
    pub max_rss_bytes: Option<u64>,
    /// What a program that measures itself reported; its times count, not the process's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<Box<Reported>>,
}

impl LaunchReading {
    /// Time per call of each slice by a clock, nanoseconds; where the program reported its own
    /// times, those.
    #[must_use]
    pub fn times(&self, clock: Clock) -> Vec<f64> {
        if let Some(reported) = &self.reported {
            return match clock {
                Clock::Cpu => reported.cpu_ns.clone(),
                Clock::Wall => reported.wall_ns.clone(),
            };
        }
        let pick = |slice: &SliceReading| match clock {
            Clock::Cpu => slice.0,
            Clock::Wall => slice.1,
        };
        self.slices.iter().map(|slice| pick(slice) as f64 / self.loops as f64).collect()
    }

    /// How the process spent its time in timed code.
    #[must_use]
    pub fn activity(&self) -> Activity {
        let mut activity = Activity::default();
        self.slices.iter().for_each(|slice| activity.add(slice));
        activity
    }
}
