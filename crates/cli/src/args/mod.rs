//! What a user may type: every subcommand and flag, exactly as typed. Defaults that the
//! configuration file may change are not filled in here but once, by `bench_core::config`.

mod action;
mod bisect;
mod comment;
mod doctor;
mod files;
mod history;
mod init;
mod merge;
mod other;
mod run;
mod self_test;
mod snippet;
mod values;

pub(crate) use action::{ActionArgs, Step};
pub(crate) use bisect::BisectArgs;
pub(crate) use comment::{CommentArgs, When};
pub(crate) use doctor::DoctorArgs;
pub(crate) use files::{CompareArgs, RenderArgs};
pub(crate) use history::{
    AcknowledgeArgs, ChangeArgs, ChangesFormat, DetectArgs, HistoryArgs, HistoryCommand,
    ImportArgs, PublishArgs, RecordArgs, SamplesArgs, ShowArgs, StoreArgs, TellArgs,
};
pub(crate) use init::{InitArgs, More};
pub(crate) use merge::MergeArgs;
pub(crate) use other::{CompletionsArgs, DemoArgs, SchemaArgs, SchemaName};
pub(crate) use run::{ListArgs, RunArgs};
pub(crate) use self_test::SelfTestArgs;
pub(crate) use snippet::SnippetArgs;
pub(crate) use values::{ColorChoice, Format, ListFormat, ProgressChoice};

use clap::{Args, CommandFactory as _, Parser, Subcommand};
use std::path::PathBuf;

/// Columns that help is wrapped to, so that generated documentation does not depend on a terminal.
const HELP_WIDTH: usize = 100;

/// Runs the benchmarks of two revisions side by side and tells what changed.
#[derive(Debug, Parser)]
#[command(
    name = "bench-action",
    version,
    max_term_width = HELP_WIDTH,
    disable_help_subcommand = true,
    after_long_help = crate::exit::HELP
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Flags that every subcommand takes, before or after its name.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct GlobalArgs {
    /// Go to this directory before anything else
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// Colour in the terminal; auto = where there is one, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t, global = true)]
    pub(crate) color: ColorChoice,
    /// Progress on standard error; auto = a bar on a terminal, else plain lines
    #[arg(long, value_name = "HOW", value_enum, default_value_t, global = true)]
    pub(crate) progress: ProgressChoice,
    /// Print the report and errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more of what is done; twice for every detail
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
}

/// The subcommands. Each is a stage that reads and writes files.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure base against head, print the report, write the results
    Run(Box<RunArgs>),
    /// Judge files that already exist
    Compare(CompareArgs),
    /// One-off: time a Python statement or a command on both sides, no suite needed
    Snippet(Box<SnippetArgs>),
    /// The benchmarks found, without running them; both sides are prepared (built) for it
    List(ListArgs),
    /// Results file to markdown, html, terminal, json, csv or table
    Render(RenderArgs),
    /// Create or update the one sticky comment from a results file
    Comment(CommentArgs),
    /// Results of several shards, or of several machines, to one results file
    Merge(MergeArgs),
    /// Results over time: record, show, samples, detect, publish, import, acknowledge
    History(HistoryArgs),
    /// Which commit between GOOD and BAD changed this benchmark
    Bisect(BisectArgs),
    /// What makes this machine noisy, and what would help
    Doctor(DoctorArgs),
    /// Prove the gate: equal sides stay green, an injected slowdown goes red
    SelfTest(Box<SelfTestArgs>),
    /// Write workflows for this repository, and a configuration where there is something to say
    Init(InitArgs),
    /// A complete run on a small repository made on the spot
    Demo(DemoArgs),
    /// JSON schema of the configuration, the results file or the worker protocol
    Schema(SchemaArgs),
    /// Completions for a shell, to standard output
    Completions(CompletionsArgs),
    /// One step of the GitHub Action, told by variables what to do
    #[command(hide = true)]
    Action(ActionArgs),
}

/// The command line as clap knows it, for completions and the short help.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests;
