//! Flags of the subcommands that read files and measure nothing.

use super::run::DecisionArgs;
use super::values::Format;
use bench_core::config::Flags;
use clap::Args;
use std::path::PathBuf;

/// Flags of `compare`.
#[derive(Args, Clone, Debug)]
pub(crate) struct CompareArgs {
    /// A results file, whose base is the base; or output of any harness; or a directory with one such
    /// output for each launch
    #[arg(value_name = "BASE")]
    pub(crate) base: PathBuf,
    /// The same for head. The same results file as BASE is judged again as it stands
    #[arg(value_name = "HEAD")]
    pub(crate) head: PathBuf,
    /// Read the output as this harness's, instead of recognising it by its content
    #[arg(long, value_name = "NAME")]
    pub(crate) harness: Option<String>,
    /// Only benchmarks whose id matches (repeatable: one match is enough). An id is suite/name; in
    /// a file of a harness, harness/name
    #[arg(long, value_name = "REGEX")]
    pub(crate) filter: Vec<String>,
    #[command(flatten)]
    pub(crate) decision: DecisionArgs,
    #[command(flatten)]
    pub(crate) report: CompareReportArgs,
}

/// Where the report of `compare` goes.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Report")]
pub(crate) struct CompareReportArgs {
    /// Also write results.json, report.md and report.html there; without it no file is written
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// The form of the report on standard output
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) format: Format,
}

impl CompareArgs {
    /// The first layer of the configuration.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = Flags { filters: self.filter.clone(), ..Flags::default() };
        self.decision.fill(&mut flags);
        flags
    }
}

/// Flags of `render`.
#[derive(Args, Clone, Debug)]
pub(crate) struct RenderArgs {
    /// A results file of ours, or the csv made of one [default: .bench-action/last/results.json, here or
    /// further up]
    #[arg(value_name = "RESULTS")]
    pub(crate) results: Option<PathBuf>,
    /// The form of the report: csv is one line per launch and can be read again, table one per benchmark
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Every slice as CSV, from the samples file beside the results, instead of a report
    #[arg(long, conflicts_with_all = ["format", "template"])]
    pub(crate) slices: bool,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// A template of your own, for markdown
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// First judge the samples again, and fail where a verdict or a figure in the file differs
    #[arg(long)]
    pub(crate) verify: bool,
    /// With --verify: fail unless this file is the report of these results, to the letter
    #[arg(long, value_name = "FILE", requires = "verify")]
    pub(crate) report: Option<PathBuf>,
}
