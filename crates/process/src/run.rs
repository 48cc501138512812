//! Runs a program to its end: builds, version checks, everything that is not measured.

use std::time::{Duration, Instant};

use crate::client::{Exit, Launcher};
use crate::error::WaitError;
use crate::interrupt::Interrupt;
use crate::spec::Spec;

/// What a program that is no longer wanted gets for tidying up.
const GRACE: Duration = Duration::from_secs(2);

/// Starts `spec` and waits for its end, at most for `timeout`. A program that takes longer, or is
/// interrupted, is killed with all its descendants before this returns.
///
/// # Errors
/// Any [`WaitError`]; an exit code other than zero is no error.
pub fn run(
    launcher: &Launcher,
    spec: &Spec,
    timeout: Option<Duration>,
    interrupt: &Interrupt,
) -> Result<Exit, WaitError> {
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let mut process = launcher.start(spec)?;
    let result = process.wait(deadline, interrupt);
    if let Err(WaitError::TimedOut | WaitError::Interrupted(_)) = result {
        process.kill(GRACE);
    }
    result
}
