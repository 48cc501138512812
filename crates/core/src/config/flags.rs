//! The first layer: exactly what the command line gave.

use std::path::PathBuf;

/// What the command line gave, unchecked; empty where it said nothing. Values stay text, so that
/// a mistake in a flag and the same mistake in the file are found by the same code.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// `--config FILE`.
    pub config: Option<PathBuf>,
    /// `--base REV`.
    pub base: Option<String>,
    /// `--head REV`.
    pub head: Option<String>,
    /// The branch or commit that the base is taken from, where the caller knows it (a pull
    /// request's own base branch).
    pub base_branch: Option<String>,
    /// `--base-python PATH`.
    pub base_python: Option<PathBuf>,
    /// `--head-python PATH`.
    pub head_python: Option<PathBuf>,
    /// `--base-path DIR`.
    pub base_path: Option<PathBuf>,
    /// `--head-path DIR`.
    pub head_path: Option<PathBuf>,
    /// `--base-env NAME`.
    pub base_environment: Option<String>,
    /// `--head-env NAME`.
    pub head_environment: Option<String>,
    /// `--environment NAME`, repeated; `all` = all of them.
    pub environments: Vec<String>,
    /// `--base-var K=V`, repeated.
    pub base_variables: Vec<String>,
    /// `--head-var K=V`, repeated.
    pub head_variables: Vec<String>,
    /// `--suite NAME`, repeated.
    pub suites: Vec<String>,
    /// `--filter REGEX`, repeated.
    pub filters: Vec<String>,
    /// `--repeat N`.
    pub repeat: Option<u32>,
    /// `--max-blocks N`.
    pub max_blocks: Option<u32>,
    /// `--time-budget 10m`.
    pub time_budget: Option<String>,
    /// `--schedule auto|duet|alternate|sequential`.
    pub schedule: Option<String>,
    /// `--clock auto|cpu|wall`.
    pub clock: Option<String>,
    /// `--threshold 3%`.
    pub threshold: Option<String>,
    /// `--fail-threshold 10%`.
    pub fail_threshold: Option<String>,
    /// `--tolerance 1%`.
    pub tolerance: Option<String>,
    /// `--alpha 0.05`.
    pub alpha: Option<String>,
    /// `--seed TEXT`.
    pub seed: Option<String>,
    /// `--cpu-list 0,2-3`.
    pub cpu_list: Option<String>,
    /// `--shard I/N`.
    pub shard: Option<String>,
    /// `--shard-costs FILE`.
    pub shard_costs: Option<PathBuf>,
    /// `--fail-on regression,failure,inconclusive` or `never`.
    pub fail_on: Option<String>,
    /// `--all`.
    pub all: bool,
    /// `--measure-identical`.
    pub measure_identical: bool,
    /// Sizes are wanted and no verdicts, as for a history.
    pub estimates_only: bool,
}
