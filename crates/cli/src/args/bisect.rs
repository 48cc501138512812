//! Flags of `bisect`.

use clap::Args;
use std::path::PathBuf;

/// Flags of `bisect`.
#[derive(Args, Clone, Debug)]
pub(crate) struct BisectArgs {
    /// A commit before the change
    #[arg(value_name = "GOOD")]
    pub(crate) good: String,
    /// A commit with the change
    #[arg(value_name = "BAD")]
    pub(crate) bad: String,
    /// The benchmark, by its id or what matches that one alone
    #[arg(long, value_name = "REGEX", required_unless_present = "run")]
    pub(crate) filter: Option<String>,
    /// Instead of a benchmark: a command of the shell that prints a number above zero, run in a
    /// checkout of each commit; what it builds there stays until the end
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["filter", "config", "suite"])]
    pub(crate) run: Option<String>,
    /// Also the commits that were merged, in topological order; branches that went on beside each
    /// other can mislead it [default: the first parents only, where a merge stands for its branch]
    #[arg(long)]
    pub(crate) all_parents: bool,
    /// Forget what an interrupted bisection of the same range has found out
    #[arg(long)]
    pub(crate) afresh: bool,
    /// The configuration file [default: bench-action.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Only this suite
    #[arg(long, value_name = "NAME")]
    pub(crate) suite: Option<String>,
}
