//! Flags of `comment`.

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
}

/// When a comment is created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    #[default]
    Always,
    Changes,
    Never,
}
