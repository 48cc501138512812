//! Flags of `demo`, `schema` and `completions`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Flags of `demo`.
#[derive(Args, Clone, Debug)]
pub(crate) struct DemoArgs {
    /// A new or empty directory for the results [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Keep the repository beside them, with everything the run wrote
    #[arg(long)]
    pub(crate) keep: bool,
}

/// Flags of `schema`.
#[derive(Args, Clone, Debug)]
pub(crate) struct SchemaArgs {
    /// Which schema
    #[arg(value_enum, value_name = "NAME")]
    pub(crate) name: SchemaName,
}

/// What there is a schema of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaName {
    /// bench-action.toml
    Config,
    /// results.json
    Results,
    /// The lines between this program and a worker
    Worker,
}

/// Flags of `completions`.
#[derive(Args, Clone, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}
