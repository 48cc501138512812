//! Flags of `comment`.

use super::run::DecisionArgs;
use bench_core::config::Flags;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Flags of `comment`.
#[derive(Args, Clone, Debug)]
pub(crate) struct CommentArgs {
    /// A results file [default: .bench-action/last/results.json]
    #[arg(value_name = "RESULTS")]
    pub(crate) results: Option<PathBuf>,
    /// The pull request [default: the one that started this job]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) pr: Option<u64>,
    /// The repository [default: the one this job runs in]
    #[arg(long, value_name = "OWNER/NAME")]
    pub(crate) repository: Option<String>,
    /// Tells apart several comments on one pull request
    #[arg(long, value_name = "KEY", default_value = "bench")]
    pub(crate) key: String,
    /// When a comment is created; one that exists is always brought up to date
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub(crate) when: When,
    /// A template of your own
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// Where the whole report can be had
    #[arg(long, value_name = "URL")]
    pub(crate) report_url: Option<String>,
    /// Print the comment and what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Where there is no results file, say so on the pull request, with this reason, above the last
    /// results; without it that is an error
    #[arg(long, value_name = "REASON")]
    pub(crate) nothing: Option<String>,
    /// Also set a check of this name on the commit that was measured; neutral for a fork's numbers
    #[arg(long, value_name = "NAME")]
    pub(crate) check_run: Option<String>,
    #[command(flatten)]
    pub(crate) trusted: TrustedArgs,
    #[command(flatten)]
    pub(crate) decision: DecisionArgs,
}

/// Where the results of another run are had.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "The results of another run")]
pub(crate) struct TrustedArgs {
    /// A finished run of this repository, whose artifact is read instead of a file. A fork's supplies
    /// samples and nothing else: they are judged again, by the flags below and bench-action.toml as
    /// it is on the default branch
    #[arg(long, value_name = "N", conflicts_with_all = ["results", "nothing"],
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) run_id: Option<u64>,
    /// Its artifact, without the ending for shard and attempt [default: bench-result-KEY]
    #[arg(long, value_name = "NAME", requires = "run_id")]
    pub(crate) artifact_name: Option<String>,
    /// The file of the workflow it must be of, such as .github/workflows/bench.yml [default: that
    /// of the run that started this job]
    #[arg(long, value_name = "PATH", requires = "run_id")]
    pub(crate) workflow: Option<String>,
}

impl CommentArgs {
    /// The first layer of the configuration that results are judged again by.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = Flags::default();
        self.decision.fill(&mut flags);
        flags
    }
}

/// When a comment is created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    #[default]
    Always,
    Changes,
    Never,
}
