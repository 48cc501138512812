//! The top level of `results.json`.

use crate::{EnvironmentInfo, HarnessInfo, MachineInfo, Row, SideInfo, SideName, WholeVerdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The schema's name and major version; a reader refuses any other major version.
pub const SCHEMA: &str = "bench-action/results/v1";

/// Everything one run, comparison or merge found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Results {
    /// `bench-action/results/v1`.
    pub schema: String,
    /// The program that wrote the file.
    pub tool: ToolInfo,
    /// When, RFC 3339 in UTC.
    pub created: String,
    /// The command line, secrets replaced.
    pub command: Vec<String>,
    /// The configuration it ran with.
    pub config: ConfigInfo,
    /// The run's seed: with it, the plan repeats exactly.
    pub seed: String,
    /// The settings of the decision.
    pub settings: Settings,
    /// What was registered before any data.
    pub plan: PlanInfo,
    /// Which shard this is; null for a whole run.
    pub shard: Option<ShardInfo>,
    /// Base first, then head, for every environment.
    pub sides: Vec<SideInfo>,
    /// Which sides are compared.
    pub comparisons: Vec<ComparisonInfo>,
    /// The environments.
    pub environments: Vec<EnvironmentInfo>,
    /// The harnesses used.
    pub harnesses: Vec<HarnessInfo>,
    /// The machines used.
    pub machines: Vec<MachineInfo>,
    /// One row per benchmark × metric × comparison.
    pub benchmarks: Vec<Row>,
    /// Base against base: rows like the others, outside K.
    pub sentinel: Vec<Row>,
    /// Whether the run can be believed.
    pub trust: Trust,
    /// Why nothing could be measured, where a side could not be prepared.
    pub failure: Option<RunFailure>,
    /// The whole in one word, and counts.
    pub summary: Summary,
    /// When it ended, RFC 3339 in UTC; null while unfinished.
    pub finished: Option<String>,
    /// Why it stopped.
    pub stopped_by: StoppedBy,
    /// Name of the file with every slice, beside this one, and its digest.
    pub samples_file: Option<crate::Source>,
    /// Things a reader should know, one sentence each.
    pub warnings: Vec<String>,
}

/// The program that wrote a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolInfo {
    /// `bench-action`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The commit it was built from, where known.
    pub commit: Option<String>,
}

/// The configuration of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigInfo {
    /// SHA-256 of the resolved configuration.
    pub digest: String,
}

/// The settings of the decision; shares are fractions (0.03 = 3 %).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// Bound on the chance of any false alarm in the run.
    pub alpha: f64,
    /// Bound, per benchmark, on calling a change of the threshold's size unchanged.
    pub alpha_unchanged: f64,
    /// Smallest change that matters.
    pub threshold: f64,
    /// Bias that is forgiven.
    pub tolerance: f64,
    /// A regression fails the job only from here on.
    pub fail_threshold: f64,
    /// Changes smaller than this, in nanoseconds, never count.
    pub threshold_absolute_ns: f64,
    /// Most blocks per benchmark.
    pub max_blocks: u32,
    /// Exactly this many blocks each; null when adaptive.
    pub repeat: Option<u32>,
    /// Budget of measuring, in seconds.
    pub time_budget_s: f64,
}

/// What was registered before any data was seen: the same for every shard of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanInfo {
    /// SHA-256 of the plan.
    pub digest: String,
    /// K: gated rows over all suites, environments and shards.
    pub family_size: u64,
    /// Benchmarks planned to be measured, by all shards together.
    pub planned: u64,
    /// Benchmarks found but left out by the budget.
    pub screened: u64,
    /// Benchmarks found on either side and asked for, environments counted once: what the rows of
    /// all shards together are of.
    #[serde(default)]
    pub found: u64,
}

/// One shard of a run that is spread over machines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShardInfo {
    /// 1-based; 0 in the results of a merge.
    pub index: u32,
    /// How many there are.
    pub count: u32,
    /// Shards a merge did not find.
    pub missing: Vec<u32>,
}

/// Two sides that are compared: one of a run's environments, or of the machines of a merge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonInfo {
    /// Unique in the file.
    pub id: String,
    /// The `sides[].id` of base.
    pub base: String,
    /// The `sides[].id` of head.
    pub head: String,
    /// The `machines[].id` it was measured on, in results of several machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
}

/// Whether the run can be believed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trust {
    /// False when the sentinel alarmed.
    pub ok: bool,
    /// Why; for a run too short to tell: `not decided`.
    pub reason: Option<String>,
}

/// Why a side could not be prepared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunFailure {
    /// The side.
    pub side: SideName,
    /// `checkout`, `environment`, `build`, `discover`.
    pub stage: String,
    /// What happened.
    pub message: String,
    /// The end of what was printed, redacted.
    pub stderr_tail: String,
}

/// The whole run in one word, and counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The first that applies, in the order of [`WholeVerdict`].
    pub verdict: WholeVerdict,
    /// Rows by verdict.
    pub counts: Counts,
    /// Where the time went.
    pub time: TimeSpent,
}

/// How many rows got which verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "each field is named after its verdict")]
pub struct Counts {
    pub regressed: u32,
    pub improved: u32,
    pub unchanged: u32,
    pub inconclusive: u32,
    pub added: u32,
    pub removed: u32,
    pub failed: u32,
    pub skipped: u32,
    /// Regressions that `[[accept]]` covers; also counted in `regressed`.
    pub accepted: u32,
}

/// Wall time of the stages, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeSpent {
    /// Preparing both sides.
    pub prepare_s: f64,
    /// Measuring.
    pub measure_s: f64,
    /// Of measuring: inside timed slices and their set-up hooks.
    #[serde(default)]
    pub sliced_s: f64,
}

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StoppedBy {
    /// Everything was decided or had its blocks.
    Done,
    /// The time budget ran out.
    Budget,
    /// SIGINT or SIGTERM.
    Signal,
    /// The process died; the file was made from the journal.
    Crash,
}
