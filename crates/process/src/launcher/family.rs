//! The program with all its descendants: their ends, what they used, and how they are made to end.

use std::collections::HashSet;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::time::TimeVal;
use nix::time::{ClockId, clock_gettime};
use nix::unistd::{Pid, getpgrp};

use super::{Signals, run_delay};
use crate::protocol::{Report, Status, Usage};
use crate::table::{descendants, ignore_gone, orphans, signal_all, signal_each};

/// A process that SIGKILL has not ended in this time is stuck in the kernel, on a dead network
/// file system for instance; waiting longer would only hang us as well.
const LAST_RESORT: Duration = Duration::from_secs(10);
/// Between two looks at the processes that remain, unless one of them ends before.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

pub(super) struct Family {
    program: Pid,
    beginning: Beginning,
    run_delay_ns: Option<u64>,
    end: Option<(Status, Usage)>,
    left_behind: HashSet<i32>,
}

/// When a program began, and what its process had been through by then.
#[derive(Clone, Copy)]
pub(super) struct Beginning {
    pub(super) ns: u64,
    pub(super) run_delay_ns: Option<u64>,
}

impl Family {
    pub(super) fn new(program: u32, beginning: Beginning) -> Self {
        // The kernel's process numbers are positive `int`s.
        let program = Pid::from_raw(program.cast_signed());
        Self { program, beginning, run_delay_ns: None, end: None, left_behind: HashSet::new() }
    }

    pub(super) fn pid(&self) -> u32 {
        self.program.as_raw().cast_unsigned()
    }

    pub(super) fn program_ended(&self) -> bool {
        self.end.is_some()
    }

    /// Takes leave of everyone who has ended; true if somebody is left. Orphans are taken at once,
    /// lest a program that makes many of them run out of process numbers.
    pub(super) fn reap(&mut self) -> bool {
        let now = monotonic_ns();
        loop {
            let ended = match next_ended() {
                Ok(Some(pid)) => pid,
                Ok(None) => return true,
                Err(_) => return false,
            };
            if ended == self.program {
                self.run_delay_ns = self.run_delay();
            }
            match wait4(ended) {
                Ok(Some((pid, status, usage))) if pid == self.program => {
                    let wall_ns = now.saturating_sub(self.beginning.ns);
                    self.end = Some((status, self.account(wall_ns, &usage)));
                }
                Ok(Some(_)) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Since it began: on a busy machine a process just forked waits for its first turn.
    fn run_delay(&self) -> Option<u64> {
        run_delay::of(self.program)?.checked_sub(self.beginning.run_delay_ns?)
    }

    fn account(&self, wall_ns: u64, usage: &libc::rusage) -> Usage {
        // Linux counts in KiB, macOS in bytes.
        let unit = if cfg!(target_os = "linux") { 1024 } else { 1 };
        Usage {
            wall_ns,
            cpu_ns: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
            max_rss_bytes: count(usage.ru_maxrss) * unit,
            voluntary_switches: count(usage.ru_nvcsw),
            involuntary_switches: count(usage.ru_nivcsw),
            run_delay_ns: self.run_delay_ns,
            left_behind: 0,
        }
    }

    /// SIGTERM to the program and all its descendants.
    pub(super) fn ask_to_end(&self) {
        signal_all(&descendants(Pid::this()), getpgrp(), Signal::SIGTERM);
        self.signal_group(Signal::SIGTERM);
    }

    /// Kills those of the program's descendants that have lost the parent they had, and lets the
    /// program go on; gives their number. One by one: they may share a group with the program.
    pub(super) fn kill_orphans(&mut self, signals: &Signals) -> u32 {
        let mut killed = HashSet::new();
        let deadline = Instant::now() + LAST_RESORT;
        loop {
            self.reap();
            let orphans = orphans(Pid::this(), self.program);
            if orphans.is_empty() || self.program_ended() || Instant::now() >= deadline {
                return u32::try_from(killed.len()).unwrap_or(u32::MAX);
            }
            killed.extend(orphans.iter().map(|entry| entry.pid));
            signal_each(&orphans, Signal::SIGKILL);
            signals.wait_until(Instant::now() + LOOK_AGAIN);
        }
    }

    /// Gives those who remain after the program a moment to end by themselves.
    pub(super) fn see_off(&mut self, patience: Duration, signals: &Signals) {
        let deadline = Instant::now() + patience;
        while self.reap() && Instant::now() < deadline {
            signals.wait_until(deadline);
        }
    }

    /// Kills whoever is left, until nobody is.
    pub(super) fn end(mut self, signals: &Signals) -> Report {
        let outlived = self.program_ended();
        let deadline = Instant::now() + LAST_RESORT;
        let mut survivors = 0;
        while self.reap() {
            let alive = descendants(Pid::this());
            if outlived {
                self.left_behind.extend(alive.iter().map(|entry| entry.pid));
            }
            if Instant::now() >= deadline {
                survivors = u32::try_from(alive.len()).unwrap_or(u32::MAX);
                break;
            }
            signal_all(&alive, getpgrp(), Signal::SIGKILL);
            self.signal_group(Signal::SIGKILL);
            signals.wait_until(Instant::now() + LOOK_AGAIN);
        }
        self.report(survivors)
    }

    /// For systems whose process table we do not read. Not once the program is reaped on Linux,
    /// because its number may belong to somebody else by then.
    fn signal_group(&self, signal: Signal) {
        if self.end.is_none() || cfg!(not(target_os = "linux")) {
            ignore_gone(killpg(self.program, signal));
        }
        if self.end.is_none() {
            ignore_gone(kill(self.program, signal));
        }
    }

    fn report(&self, survivors: u32) -> Report {
        let nothing = Usage {
            wall_ns: monotonic_ns().saturating_sub(self.beginning.ns),
            cpu_ns: 0,
            max_rss_bytes: 0,
            voluntary_switches: 0,
            involuntary_switches: 0,
            run_delay_ns: None,
            left_behind: 0,
        };
        let (status, usage) = self.end.unwrap_or((Status::Signal(libc::SIGKILL), nothing));
        let left_behind = u32::try_from(self.left_behind.len()).unwrap_or(u32::MAX);
        Report { status, usage: Usage { left_behind, ..usage }, survivors }
    }
}

/// Now, in the clock of [`Usage::wall_ns`]. The same for all processes of the machine.
pub(super) fn monotonic_ns() -> u64 {
    // This clock exists on every system we run on, and starts at or after zero.
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(Duration::ZERO, Duration::from);
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}

/// A child that has ended and can still be looked at; `Ok(None)` while none has, an error when there is
/// none.
#[cfg(target_os = "linux")]
fn next_ended() -> Result<Option<Pid>, Errno> {
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: all zeroes is a valid value of this plain structure.
    let mut ended: libc::siginfo_t = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live value of the right type.
    Errno::result(unsafe { libc::waitid(libc::P_ALL, 0, &raw mut ended, options) })?;
    // SAFETY: what `waitid` fills in, or the zero it leaves, is this field.
    let pid = unsafe { ended.si_pid() };
    Ok((pid > 0).then(|| Pid::from_raw(pid)))
}

/// Elsewhere nothing is looked at: any child.
#[cfg(not(target_os = "linux"))]
fn next_ended() -> Result<Option<Pid>, Errno> {
    Ok(Some(Pid::from_raw(-1)))
}

/// `wait4(2)` on this child; `Ok(None)` while it has not ended, an error when it is not there.
/// The only call that gives one child's usage: the sum over all children would include orphans.
fn wait4(child: Pid) -> Result<Option<(Pid, Status, libc::rusage)>, Errno> {
    let mut status = 0;
    // SAFETY: all zeroes is a valid value of this plain structure of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to live values of the right types.
    let pid =
        unsafe { libc::wait4(child.as_raw(), &raw mut status, libc::WNOHANG, &raw mut usage) };
    let pid = Pid::from_raw(Errno::result(pid)?);
    let status = ExitStatus::from_raw(status);
    let status = match (status.code(), status.signal()) {
        (Some(code), _) => Status::Code(code),
        (None, signal) => Status::Signal(signal.unwrap_or_default()),
    };
    Ok((pid.as_raw() > 0).then_some((pid, status, usage)))
}

fn nanoseconds(time: libc::timeval) -> u64 {
    let time = TimeVal::from(time);
    count(time.tv_sec()) * 1_000_000_000 + count(time.tv_usec()) * 1000
}

/// The kernel counts in signed numbers that are never negative.
fn count(number: impl TryInto<u64>) -> u64 {
    number.try_into().unwrap_or_default()
}
