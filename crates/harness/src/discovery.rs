//! What a harness finds in a suite, without running any benchmark.

use bench_results::{Metric, Param};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything found on one side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Discovery {
    /// Every benchmark and parameter combination, in the suite's order.
    pub benchmarks: Vec<Benchmark>,
    /// Parts of the suite that could not be loaded; the rest is not hidden by them.
    #[serde(default)]
    pub broken: Vec<BrokenModule>,
    /// Commit or digest of the benchmark code.
    #[serde(default)]
    pub suite_digest: Option<String>,
    /// Things a person should know, one sentence each.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// A part of the suite that could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrokenModule {
    /// Its name, as the names of its benchmarks begin.
    pub module: String,
    /// The error, one line.
    pub message: String,
    /// The traceback or the end of what was printed.
    pub details: String,
}

impl BrokenModule {
    /// Whether a benchmark of this name would be in it.
    #[must_use]
    pub fn holds(&self, benchmark: &str) -> bool {
        benchmark
            .strip_prefix(&self.module)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest.starts_with("::"))
    }
}

/// One measurable case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Benchmark {
    /// The harness's own name, without parameters. Benchmarks of equal name are combinations of
    /// one function.
    pub name: String,
    /// A friendlier name, where the suite gives one.
    #[serde(default)]
    pub pretty_name: Option<String>,
    /// Parameters, in order.
    #[serde(default)]
    pub params: Vec<Param>,
    /// Which combination of its function this is, in the harness's own counting.
    #[serde(default)]
    pub index: u64,
    /// What is measured; the first is the primary metric.
    #[serde(default = "time")]
    pub metrics: Vec<MetricPlan>,
    /// How it is measured.
    #[serde(default = "plain_steps")]
    pub how: HowMeasured,
    /// Seconds that one set-up or one slice may take.
    #[serde(default = "a_minute")]
    pub timeout_s: f64,
    /// Digest of its source, where known: benchmarks whose code differs between sides are told.
    #[serde(default)]
    pub version: Option<String>,
    /// Benchmarks of equal key share a prepared cache, made once per side and run.
    #[serde(default)]
    pub cache_key: Option<String>,
    /// Seconds that making this cache may take; without it the longest timeout of those that share it.
    #[serde(default)]
    pub cache_timeout_s: Option<f64>,
    /// Why it will not run though it was found (its own skip, known before running).
    #[serde(default)]
    pub skip: Option<String>,
}

/// One metric of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricPlan {
    /// What is measured.
    pub metric: Metric,
    /// Whether it is judged (and counts in K) or only shown.
    #[serde(default = "yes")]
    pub gated: bool,
    /// Whether the harness declares that it repeats exactly (instruction counts).
    #[serde(default)]
    pub exact: bool,
}

// What a worker may leave out of a benchmark.

fn time() -> Vec<MetricPlan> {
    vec![MetricPlan { metric: Metric::time(), gated: true, exact: false }]
}

fn plain_steps() -> HowMeasured {
    HowMeasured::Stepped { hooks: false, number: None }
}

fn a_minute() -> f64 {
    60.0
}

fn yes() -> bool {
    true
}

/// How a benchmark is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HowMeasured {
    /// A worker that runs n calls on request, timed slice by slice.
    Stepped {
        /// Whether hooks run around calls, so that a fresh state may matter (rule 9).
        #[serde(default)]
        hooks: bool,
        /// Calls per set-up that the suite demands, if it does.
        #[serde(default)]
        number: Option<u64>,
    },
    /// A worker that starts a process of its own per call (`timeraw_`): long, never batched.
    SteppedProcess,
    /// A worker that returns one value per launch (`track_`, `mem_`).
    Value,
    /// The same, in a process that has done nothing else (`peakmem_`).
    FreshValue,
    /// A program that runs by itself; the system's accounting tells its time and memory.
    Opaque,
    /// A program that runs by itself and measures itself; what it leaves is read afterwards.
    Reported {
        /// The clocks its times can be had on.
        clock: OwnClock,
        /// What a launch takes whatever it is asked for, seconds; 0 where that is next to nothing.
        #[serde(default)]
        launch_s: f64,
        /// Times that a launch gives up its core by itself: for its start, for files that it writes.
        #[serde(default)]
        switches: u32,
    },
}

/// The clocks that a harness's own times can be had on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OwnClock {
    /// It reports CPU time beside wall time.
    Both,
    /// It asks the C library for a monotonic clock, which a preloaded one can answer with CPU time.
    Preloaded,
    /// Wall time, and nothing of ours reaches it.
    Wall,
    /// It reports no time (instruction counts).
    None,
}

impl OwnClock {
    /// Whether its times can be CPU times, so that both sides may share a core.
    #[must_use]
    pub fn counts_cpu(self) -> bool {
        matches!(self, Self::Both | Self::Preloaded)
    }
}
