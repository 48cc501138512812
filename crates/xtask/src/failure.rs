//! Why a task did not succeed.

use std::path::PathBuf;

/// Why a task did not succeed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// No such task.
    #[error("{}", crate::USAGE)]
    Usage,
    /// Something that a task needs, and how to get it.
    #[error("{0}")]
    Missing(&'static str),
    /// A program could not be started.
    #[error("{program} could not be started: {source}")]
    Start {
        /// Its name.
        program: String,
        /// The cause.
        source: std::io::Error,
    },
    /// A program said no.
    #[error("`{command}` failed ({status})")]
    Command {
        /// The whole command.
        command: String,
        /// How it ended.
        status: std::process::ExitStatus,
    },
    /// A file or directory.
    #[error("{path}: {source}")]
    Io {
        /// Which.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// Something that should be JSON or TOML.
    #[error("{what}: {message}")]
    Malformed {
        /// What was read.
        what: String,
        /// What is wrong with it.
        message: String,
    },
    /// What a check found, one per line.
    #[error("{check}: {count} found\n{list}", count = .findings.len(), list = .findings.join("\n"))]
    Findings {
        /// The check and its remedy.
        check: &'static str,
        /// One line each.
        findings: Vec<String>,
    },
}

impl Failure {
    /// For `map_err` on a file operation.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }

    /// Nothing where nothing was found.
    pub(crate) fn unless_empty(check: &'static str, findings: Vec<String>) -> Result<(), Self> {
        if findings.is_empty() { Ok(()) } else { Err(Self::Findings { check, findings }) }
    }
}
