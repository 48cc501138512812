//! Why a run could not end as it should.

use crate::record::RecordError;
use bench_process::LockError;
use bench_results::JournalError;
use std::path::PathBuf;

/// A run that could not end as it should.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file or directory of ours.
    #[error("{path}: {source}; is the disk full, or the directory not writable?")]
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// Another run does not end.
    #[error(transparent)]
    Lock(LockError),
    /// The journal could not be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The results could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Stopped by a signal while another run had the project's directory.
    #[error("interrupted while waiting for another run in this project; nothing was done")]
    Interrupted,
}

impl From<LockError> for RunError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Interrupted(_) => Self::Interrupted,
            other => Self::Lock(other),
        }
    }
}
