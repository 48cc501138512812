//! Flags of `merge`.

use super::values::Format;
use bench_core::config::Flags;
use clap::Args;
use std::path::PathBuf;

/// Flags of `merge`.
#[derive(Args, Clone, Debug)]
pub(crate) struct MergeArgs {
    /// The results files of all shards, or the directories they are in, in any order
    #[arg(value_name = "RESULTS", required_unless_present = "machine")]
    pub(crate) results: Vec<PathBuf>,
    /// Instead of shards: the results of the same comparison on a machine that the report calls NAME
    /// (repeatable: one for each). They get a section each, and a table of where they disagree
    #[arg(long, value_name = "NAME=RESULTS", conflicts_with = "results")]
    pub(crate) machine: Vec<String>,
    /// What makes the exit code other than 0: any of regression, failure, inconclusive, separated
    /// by commas; or never [default: failure]
    #[arg(long, value_name = "CAUSES")]
    fail_on: Option<String>,
    /// The configuration file, of which only fail-on is read [default: bench-action.toml, where there
    /// is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Also write results.json, report.md, report.html and the joined samples there; without it no
    /// file is written
    #[arg(long, value_name = "DIR", help_heading = "Report")]
    pub(crate) out: Option<PathBuf>,
    /// The form of the report on standard output
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Report")]
    pub(crate) format: Format,
}

impl MergeArgs {
    /// The first layer of the configuration.
    pub(crate) fn flags(&self) -> Flags {
        Flags { fail_on: self.fail_on.clone(), config: self.config.clone(), ..Flags::default() }
    }
}
