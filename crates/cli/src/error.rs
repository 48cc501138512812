//! Everything that ends a subcommand early, with the exit code each stands for.

use crate::exit::Exit;
use std::path::PathBuf;

/// Why a subcommand could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// Part of the contract, not of this version.
    #[error("bench-action {0}: comes in a later version; nothing was done")]
    Later(&'static str),
    /// `-C DIR`.
    #[error("-C {path}: {source}; name an existing directory")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// Standard output was closed or is full.
    #[error("the report could not be written to standard output: {0}")]
    Output(std::io::Error),
    /// The job's variables or its event file.
    #[error(transparent)]
    GitHub(#[from] crate::github::EventError),
}

impl CliError {
    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Later(_) | Self::Directory { .. } | Self::GitHub(_) => Exit::Usage,
            Self::Output(_) => Exit::Defect,
        }
    }
}

/// An error and all its causes in one text; a cause that its parent already quotes is left out.
pub(crate) fn whole_message(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = error.source();
    }
    message
}
