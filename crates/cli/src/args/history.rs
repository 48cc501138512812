//! Flags of `history` and its subcommands.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Flags of `history`.
#[derive(Args, Clone, Debug)]
pub(crate) struct HistoryArgs {
    #[command(subcommand)]
    pub(crate) command: HistoryCommand,
}

/// The subcommands of `history`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum HistoryCommand {
    /// Store the results of commits of the default branch, measured against a pinned reference
    Record(RecordArgs),
    /// The series in the terminal
    Show(ShowArgs),
    /// Take out again what `record --samples` has kept of a commit
    Samples(SamplesArgs),
    /// Find the commits that changed a benchmark, and say which are new
    Detect(DetectArgs),
    /// Write the dashboard: static pages that need no server
    Publish(PublishArgs),
    /// Take over what asv or github-action-benchmark have kept
    Import(ImportArgs),
    /// Note in a file of the repository that a change is known and wanted
    Acknowledge(AcknowledgeArgs),
}

/// Where the history is.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Where the history is")]
pub(crate) struct StoreArgs {
    /// A plain directory, instead of a branch
    #[arg(long, value_name = "DIR", conflicts_with = "branch")]
    pub(crate) dir: Option<PathBuf>,
    /// The branch it is on, which shares no commit with the project
    #[arg(long, value_name = "NAME", default_value = "bench-history")]
    pub(crate) branch: String,
    /// The repository with that branch and with the commits, an address or a path [default: this
    /// repository's remote; in a job without a checkout, the job's]
    #[arg(long, value_name = "URL")]
    pub(crate) remote: Option<String>,
    /// The branch whose commits are recorded [default: the one the remote's HEAD names]
    #[arg(long, value_name = "NAME")]
    pub(crate) default_branch: Option<String>,
}

/// Flags of `history record`.
#[derive(Args, Clone, Debug)]
pub(crate) struct RecordArgs {
    /// Results of `bench-action run --base REFERENCE --head COMMIT` [default:
    /// .bench-action/last/results.json]
    #[arg(value_name = "RESULTS", conflicts_with = "range")]
    pub(crate) results: Vec<PathBuf>,
    /// Measure the commits after A up to B and record them; those that are recorded already are left
    /// out, so that it can be interrupted
    #[arg(long, value_name = "A..B", requires = "reference")]
    pub(crate) range: Option<String>,
    /// Of the range, only every N-th commit, counted from B
    #[arg(long, value_name = "N", default_value = "1", requires = "range", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) every: u32,
    /// What the commits of the range are measured against
    #[arg(long, value_name = "REV", requires = "range")]
    pub(crate) reference: Option<String>,
    /// Of the range, only benchmarks whose id matches (repeatable)
    #[arg(long, value_name = "REGEX", requires = "range")]
    pub(crate) filter: Vec<String>,
    /// Of the range, exactly N blocks for each benchmark and commit [default: as many as each decision
    /// needs]
    #[arg(long, value_name = "N", requires = "range")]
    pub(crate) repeat: Option<u32>,
    /// Keep the raw measurements as well, on a branch of their own, that of the history with `-samples`
    /// after its name; in a directory, below `samples`
    #[arg(long)]
    pub(crate) samples: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// Flags of `history samples`.
#[derive(Args, Clone, Debug)]
pub(crate) struct SamplesArgs {
    /// The commit's id, or its first digits
    #[arg(value_name = "COMMIT")]
    pub(crate) commit: String,
    /// A directory for the files, one below it for each run of the commit
    #[arg(long, value_name = "DIR", default_value = ".bench-action/samples")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// Flags of `history show`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ShowArgs {
    /// Only benchmarks whose id matches
    #[arg(value_name = "REGEX")]
    pub(crate) filter: Option<String>,
    /// Of the newest N commits alone
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<usize>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// What counts as a change.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "What counts as a change")]
pub(crate) struct ChangeArgs {
    /// The smallest change of level that is reported
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = super::values::percent)]
    pub(crate) threshold: f64,
    /// Look at imported absolute values as well; what is found there is often the machine
    #[arg(long)]
    pub(crate) absolute: bool,
}

/// Flags of `history detect`.
#[derive(Args, Clone, Debug)]
pub(crate) struct DetectArgs {
    /// Only what no earlier detection has reported
    #[arg(long)]
    pub(crate) new: bool,
    /// Do not remember in the history what was reported
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The form of the report; markdown is for a job's summary
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) format: ChangesFormat,
    #[command(flatten)]
    pub(crate) tell: TellArgs,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// Where new changes are told besides.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Where new changes for the worse are told on GitHub")]
pub(crate) struct TellArgs {
    /// In one comment on the pull request that brought them, where it is certain which, and for 90
    /// days
    #[arg(long)]
    pub(crate) comment: bool,
    /// In one issue, which is kept up to date while it is open
    #[arg(long)]
    pub(crate) issue: bool,
    /// The repository [default: the one this job runs in]
    #[arg(long, value_name = "OWNER/NAME")]
    pub(crate) repository: Option<String>,
    /// Tells apart the comments and issues of several histories
    #[arg(long, value_name = "KEY", default_value = "history")]
    pub(crate) key: String,
}

/// How `history detect` prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChangesFormat {
    #[default]
    Terminal,
    Markdown,
}

/// Flags of `history publish`.
#[derive(Args, Clone, Debug)]
pub(crate) struct PublishArgs {
    /// A directory for the pages; files of an earlier dashboard in it are replaced
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// The project's name [default: that of its repository]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// What a commit's id is put after to link it [default: from the remote's address]
    #[arg(long, value_name = "URL")]
    pub(crate) commit_url: Option<String>,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// Flags of `history import`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ImportArgs {
    /// asv's results directory, or github-action-benchmark's data.js
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// Flags of `history acknowledge`.
#[derive(Args, Clone, Debug)]
pub(crate) struct AcknowledgeArgs {
    /// The benchmark's id, as reports name it
    #[arg(value_name = "BENCHMARK")]
    pub(crate) benchmark: String,
    /// A commit of the change
    #[arg(long, value_name = "COMMIT")]
    pub(crate) commit: String,
    /// Why it is right as it is
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// The last day it holds, such as 2027-03-01
    #[arg(long, value_name = "DAY")]
    pub(crate) until: String,
    /// Only in this environment [default: in all]
    #[arg(long, value_name = "NAME")]
    pub(crate) environment: Option<String>,
}
