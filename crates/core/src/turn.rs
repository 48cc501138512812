//! Waiting one's turn: one run at a time in a project, one measurement at a time on a machine.

use crate::events::{Event, Listener};
use bench_process::{Interrupt, LockError, MachineLock, Wait, machine_lock_path};
use std::path::Path;
use std::time::Duration;

/// How long a run waits for another.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// Takes the directory `state` for one run: another would lay out its sides over ours.
///
/// # Errors
/// When a signal ends the wait, or the other run does not end.
pub(crate) fn in_project(
    state: &Path,
    interrupt: &Interrupt,
    listener: &mut dyn Listener,
) -> Result<MachineLock, LockError> {
    take(&state.join("lock"), "another run works in this project", interrupt, listener)
}

/// Takes the machine for measuring: another measurement would be noise to ours.
///
/// # Errors
/// When a signal ends the wait, or the other measurement does not end.
pub(crate) fn on_machine(
    interrupt: &Interrupt,
    listener: &mut dyn Listener,
) -> Result<MachineLock, LockError> {
    let path = machine_lock_path();
    take(path, "another measurement runs on this machine", interrupt, listener)
}

fn take(
    path: &Path,
    what: &str,
    interrupt: &Interrupt,
    listener: &mut dyn Listener,
) -> Result<MachineLock, LockError> {
    let holder = match MachineLock::acquire(path, Wait::Fail, interrupt) {
        Err(LockError::Held { holder }) => holder,
        other => return other,
    };
    let holder = holder.map(|holder| format!(" ({holder})")).unwrap_or_default();
    listener.event(&Event::Warning(format!("{what}{holder}: waiting for its end")));
    MachineLock::acquire(path, Wait::For(PATIENCE), interrupt)
}
