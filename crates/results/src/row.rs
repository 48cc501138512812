//! One row of `benchmarks[]`: a benchmark × metric × comparison, down to launches and blocks.

use crate::{Better, Clock, Param, Schedule, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One benchmark's metric in one comparison: what was measured and what was concluded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// `suite/name(param=value, …)`, plus ` [metric]` for all but the benchmark's first metric.
    pub id: String,
    /// The id without the metric: equal for all metrics of one benchmark.
    pub benchmark: String,
    /// The `comparisons[].id` this row belongs to.
    pub comparison: String,
    /// The `machines[].id` it was measured on.
    pub machine: String,
    /// The suite's name.
    pub suite: String,
    /// The harness's name.
    pub harness: String,
    /// The benchmark's own name, without parameters.
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// The metric's name.
    pub metric: String,
    /// The metric's unit: `ns`, `bytes`, `count`, or the suite's own.
    pub unit: String,
    /// Which direction is an improvement.
    pub better: Better,
    /// The verdict; null for a metric that is shown but not judged.
    pub verdict: Option<Verdict>,
    /// Why, in a few words, where the verdict alone does not say it.
    pub reason: Option<String>,
    /// How far the benchmark got.
    pub stage: Stage,
    /// How its blocks ran both sides; null where it was not run.
    pub schedule: Option<Schedule>,
    /// The clock its times were read from; null for other metrics.
    pub clock: Option<Clock>,
    /// What kind of evidence the verdict rests on.
    pub pairing: Pairing,
    /// Short labels such as `cache-sensitive`, `accepted`, `state-matters`.
    pub labels: Vec<String>,
    /// The margins this row is judged by.
    pub rule: RowRule,
    /// Blocks that count as evidence.
    pub blocks_used: u32,
    /// The block (1-based, counted ones only) that decided; null if none did.
    pub decided_at: Option<u32>,
    /// K: the number of gated rows the false-alarm bound is shared among.
    pub family: u64,
    /// Natural logarithms of the four e-values.
    pub log_e: Option<LogE>,
    /// The change and its interval; null where nothing was compared.
    pub change: Option<Change>,
    /// What the routing test saw and decided.
    pub routing: Option<Routing>,
    /// Iterations per slice and how they were found.
    pub calibration: Option<Calibration>,
    /// Blocks lost on each side.
    pub void: Void,
    /// The noise seen.
    pub noise: Option<Noise>,
    /// Machine time spent on it, in seconds.
    pub cost_s: f64,
    /// The file a row was read from (`compare` only).
    pub source: Option<Source>,
    /// Base's measurements.
    pub base: Option<Measured>,
    /// Head's measurements.
    pub head: Option<Measured>,
    /// The blocks, in order.
    pub blocks: Vec<Block>,
    /// What went wrong, for `failed`.
    pub failure: Option<Failure>,
}

/// The margins of one row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RowRule {
    /// Smallest change that matters, as a fraction (0.03 = 3 %).
    pub threshold: f64,
    /// Bias that is forgiven, as a fraction.
    pub tolerance: f64,
    /// Differences below this never count, in the row's unit; 0 = no such floor.
    pub absolute: f64,
}

/// How far a benchmark got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Fewer blocks than a verdict needs.
    Screened,
    /// Measured until decided, or until a limit.
    Measured,
}

/// What kind of evidence a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// Randomised blocks of both sides.
    Paired,
    /// Samples of each side taken apart (files made by other tools).
    Unpaired,
    /// A metric that repeats exactly.
    Exact,
    /// Both builds are the same in what matters; nothing was run.
    Identical,
}

/// Natural logarithms of the running maxima of the four e-values (statistics, section 4.4).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogE {
    /// Evidence that head is slower by more than the tolerance.
    pub slower: f64,
    /// Evidence that head is faster by more than the tolerance.
    pub faster: f64,
    /// Evidence that head is not slower by the threshold.
    pub not_slower: f64,
    /// Evidence that head is not faster by the threshold.
    pub not_faster: f64,
}

/// Whether a change is a ratio or a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// head / base.
    Ratio,
    /// head − base, for values that may be zero or negative.
    Difference,
}

/// The change of a row. For `ratio` kinds all numbers are head/base; else head − base.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Ratio or difference.
    pub kind: ChangeKind,
    /// The estimate.
    pub ratio: f64,
    /// Lower end of the interval; null = unbounded.
    pub low: Option<f64>,
    /// Upper end of the interval; null = unbounded.
    pub high: Option<f64>,
    /// The interval's confidence, e.g. 0.95.
    pub confidence: f64,
    /// The smallest relative change that could have been seen, as a fraction (0.06 = 6 %);
    /// null = too few blocks.
    pub detectable: Option<f64>,
}

/// What the routing test saw: whether CPU time on one core tells the truth for this benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Routing {
    /// Share of the wall in which the process neither ran nor waited for the core, 0 to 1, base.
    pub blocked_base: Option<f64>,
    /// The same on head.
    pub blocked_head: Option<f64>,
    /// Process CPU over main-thread CPU (commands: CPU over wall), base.
    pub parallel_base: Option<f64>,
    /// The same on head.
    pub parallel_head: Option<f64>,
    /// Voluntary context switches inside timed code, both sides.
    pub voluntary_switches: u64,
    /// The clock chosen.
    pub decision: Clock,
    /// Why, in a few words.
    pub reason: String,
    /// The block before which the benchmark was demoted to the wall clock, if it was.
    pub demoted_at: Option<u32>,
}

/// Iterations per slice, found on base and used for both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Calibration {
    /// Calls per slice.
    pub loops: u64,
    /// How long such a slice took on base, in nanoseconds of its clock.
    pub slice_ns: f64,
    /// First call after a fresh set-up over a call on a used instance, base (the state test);
    /// null where there is no set-up hook.
    pub batched_ratio: Option<f64>,
}

/// Blocks that were lost, by the side that lost them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Void {
    /// Lost because of base.
    pub base: u32,
    /// Lost because of head.
    pub head: u32,
    /// Distinct reasons, in order of appearance.
    pub reasons: Vec<String>,
}

/// The noise of a row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Noise {
    /// Robust standard deviation of `d` over blocks, on the log scale.
    pub sd: f64,
    /// The same between consecutive base samples: the floor seen between equals.
    pub floor: Option<f64>,
}

/// The file a row was read from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// Path as given.
    pub file: String,
    /// SHA-256 of its bytes, hexadecimal.
    pub sha256: String,
    /// The format it was read as.
    pub format: String,
}

/// One side's measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// Median over counted samples, in the row's unit.
    pub center: Option<f64>,
    /// Median wall time in nanoseconds, shown beside CPU time; null for a duet.
    pub wall: Option<f64>,
    /// One entry per launch.
    pub samples: Vec<Sample>,
}

/// One launch of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// Index of its block.
    pub block: u32,
    /// Whether this side went first in the block.
    pub first: bool,
    /// The launch's value (median of its slices), in the row's unit; null where it has none.
    pub value: Option<f64>,
    /// CPU time in timed code, nanoseconds.
    pub cpu_ns: u64,
    /// Wall time in timed code, nanoseconds.
    pub wall_ns: u64,
    /// Calls made in timed code.
    pub loops: u64,
    /// Peak resident memory of the process, bytes.
    pub max_rss_bytes: Option<u64>,
    /// Voluntary context switches in timed code.
    pub voluntary_switches: Option<u64>,
}

/// One block: both sides launched and measured against each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// Index, from 0, in the benchmark's random stream.
    pub index: u32,
    /// Position in the whole run.
    pub order: u32,
    /// Milliseconds since the run began measuring.
    pub started_ms: u64,
    /// The core it ran on; null when unpinned.
    pub core: Option<u32>,
    /// `base` or `head`: the side the coin let go first.
    pub coin: crate::SideName,
    /// ln(head/base), positive = worse; null for a void block.
    pub d: Option<f64>,
    /// The same after the position correction.
    #[serde(default)]
    pub corrected: Option<f64>,
    /// Whether it counts as evidence (void and superseded blocks do not).
    pub counted: bool,
    /// Load average when it began.
    pub load: Option<f64>,
}

/// What went wrong, where, and the end of what was printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The side.
    #[serde(default)]
    pub side: Option<crate::SideName>,
    /// `import`, `setup_cache`, `setup`, `run`, `teardown`, `timeout`, `exit`, `build`, …
    pub stage: String,
    /// One line.
    pub message: String,
    /// The last lines of standard error, redacted.
    pub stderr_tail: String,
}
