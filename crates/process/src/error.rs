//! What can go wrong between wanting a program run and knowing how it ended.

use std::io;
use std::path::PathBuf;

use crate::interrupt::Signal;
use crate::protocol::Failure;

/// Why a program did not start.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// Our own launcher could not be started.
    #[error("cannot start the launcher `{exe}`: {source}")]
    Launcher {
        /// The launcher's program.
        exe: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The launcher could not start the program, and says why.
    #[error("{0}")]
    Refused(Failure),
    /// The launcher died, or was silent for 30 s.
    #[error("the launcher of `{program}` gave no answer: {reason}")]
    NoAnswer {
        /// The program to be started.
        program: PathBuf,
        /// What came instead.
        reason: String,
    },
}

/// Why the end of a program is not known.
#[derive(Debug, thiserror::Error)]
pub enum WaitError {
    /// The deadline passed; the program goes on.
    #[error("it did not end in time")]
    TimedOut,
    /// A signal asked us to stop; the program goes on.
    #[error("interrupted")]
    Interrupted(Signal),
    /// It never started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// Its launcher is gone without a word, and whatever was found of the program was killed.
    #[error("its launcher was lost: {reason}")]
    Lost {
        /// What was seen of it.
        reason: String,
    },
    /// The system's own errors.
    #[error("cannot wait: {0}")]
    Io(#[from] io::Error),
}
