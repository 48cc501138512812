//! The words that parent and launcher exchange: one JSON value a line, after the [`crate::Spec`].

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};

/// What the parent asks. Closing the socket asks for `Kill` without grace.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Request {
    /// Start the program held by [`crate::Start::OnRelease`].
    Release,
    /// Kill whoever has lost the parent it had, and answer with `Swept`.
    KillOrphans,
    /// Ask the program to end, and after `grace_ms` milliseconds end it and all it left.
    Kill { grace_ms: u64 },
}

/// What the launcher answers: `Ready` (only where a release is awaited), `Started`, `Swept` for
/// each `KillOrphans`, then `Exited`;
/// or `Failed` instead of any of them, and nothing after.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reply {
    Ready,
    Started { pid: u32 },
    Swept { killed: u32 },
    Failed(Failure),
    Exited(Report),
}

/// How a program ended.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) status: Status,
    pub(crate) usage: Usage,
    /// Processes that outlived SIGKILL because the kernel does not let them go.
    pub(crate) survivors: u32,
}

/// What a program returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// It ended by itself with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(number) => match nix::sys::signal::Signal::try_from(number) {
                Ok(signal) => write!(f, "killed by {}", signal.as_str()),
                Err(_) => write!(f, "killed by signal {number}"),
            },
        }
    }
}

/// What a program used, as the kernel accounts for it: itself and every descendant that was waited
/// for by its own parent. Leftovers killed at the end are not in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// From just before `exec` to the moment the launcher saw the end, monotonic clock.
    pub wall_ns: u64,
    /// User and system time; the sum is exact to the microsecond on Linux, the split is not.
    pub cpu_ns: u64,
    /// Largest resident set of any one process. The launcher's own few megabytes are its floor.
    pub max_rss_bytes: u64,
    /// How often it gave up the core, to wait for something.
    pub voluntary_switches: u64,
    /// How often the core was taken from it.
    pub involuntary_switches: u64,
    /// Time its main thread was ready but had no core; `None` where the system does not tell.
    pub run_delay_ns: Option<u64>,
    /// Descendants that were still alive after the program had ended, and were killed.
    pub left_behind: u32,
}

/// Why the program did not start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What was being done.
    pub stage: Stage,
    /// The file, directory or program concerned.
    pub subject: String,
    /// The system's error number.
    pub errno: i32,
}

/// The steps of a launch that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Becoming the leader of a session and the one who adopts orphans.
    Session,
    /// Opening standard input.
    Input,
    /// Opening standard output or standard error.
    Output,
    /// Entering the working directory.
    Directory,
    /// Going to the cores.
    Cores,
    /// Starting the program.
    Program,
}

impl Failure {
    pub(crate) fn new(stage: Stage, subject: impl fmt::Display, error: &io::Error) -> Self {
        let errno = error.raw_os_error().unwrap_or(nix::libc::EINVAL);
        Self { stage, subject: subject.to_string(), errno }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, .. } = self;
        let cause = io::Error::from_raw_os_error(self.errno);
        match self.stage {
            Stage::Session => write!(f, "cannot set up the launcher ({subject}): {cause}"),
            Stage::Input => write!(f, "cannot open `{subject}` for standard input: {cause}"),
            Stage::Output => write!(f, "cannot write to `{subject}`: {cause}"),
            Stage::Directory => {
                write!(f, "cannot enter the working directory `{subject}`: {cause}")
            }
            Stage::Cores => write!(
                f,
                "cannot run on core {subject}: {cause}; --cpu-list names the cores that may be used"
            ),
            Stage::Program => {
                write!(f, "cannot start `{subject}`: {cause}; {}", remedy(self.errno))
            }
        }
    }
}

fn remedy(errno: i32) -> &'static str {
    match errno {
        nix::libc::ENOENT => {
            "is it installed, on the PATH, built where it is looked for, and does the interpreter in its first line exist?"
        }
        nix::libc::EACCES => "is it executable?",
        nix::libc::ENOEXEC => "is it built for this machine, or a script without a `#!` line?",
        nix::libc::EINVAL => "does an argument or a variable contain a NUL byte?",
        nix::libc::E2BIG => "its arguments and variables are too long",
        _ => "the system refused",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_thing_and_what_to_check() {
        let error = io::Error::from_raw_os_error(nix::libc::ENOENT);
        let text = Failure::new(Stage::Program, "target/release/tool", &error).to_string();
        assert!(text.contains("`target/release/tool`") && text.contains("PATH"), "{text}");
    }

    #[test]
    fn a_status_speaks_of_signals_by_name() {
        assert_eq!(Status::Signal(9).to_string(), "killed by SIGKILL");
        assert_eq!(Status::Signal(64).to_string(), "killed by signal 64");
        assert_eq!(Status::Code(3).to_string(), "exit code 3");
    }
}
