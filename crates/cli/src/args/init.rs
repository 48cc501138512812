//! Flags of `init`.

use clap::{Args, ValueEnum};

/// Flags of `init`.
#[derive(Args, Clone, Debug)]
pub(crate) struct InitArgs {
    /// No pull requests come from forks: measure and report in one workflow of two jobs
    #[arg(long)]
    pub(crate) no_forks: bool,
    /// Measure and report in one job; weaker: it holds a token that writes while it runs the code
    #[arg(long, conflicts_with_all = ["no_forks", "shards", "label"])]
    pub(crate) one_job: bool,
    /// Spread the suite over N runners
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=64))]
    pub(crate) shards: Option<u32>,
    /// Measure only pull requests that carry this label
    #[arg(long, value_name = "LABEL", conflicts_with_all = ["no_forks", "shards"])]
    pub(crate) label: Option<String>,
    /// More workflows, separated by commas
    #[arg(long, value_name = "NAME,…", value_enum, value_delimiter = ',')]
    pub(crate) with: Vec<More>,
    /// The action's commit to pin [default: that of this version, asked of its repository]
    #[arg(long, value_name = "COMMIT", value_parser = commit)]
    pub(crate) pin: Option<String>,
    /// Print the files and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// A workflow besides those that measure and report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum More {
    /// Builds the default branch at each push, so that pull requests find their base built
    WarmCache,
    /// Measures a pull request again, by hand
    Rerun,
    /// The same by the comment "/bench"
    SlashBench,
    /// Measures the default branch every night and records it
    History,
}

fn commit(text: &str) -> Result<String, String> {
    let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    match text.len() == 40 && text.chars().all(is_hex) {
        true => Ok(text.to_owned()),
        false => Err("a commit has 40 of the characters 0-9 a-f".into()),
    }
}
