//! The launcher: the small process between us and every program that is built, run or measured.
//!
//! It waits for three things at once: its parent's requests, the end of its children, and a signal
//! to stop. When its parent goes, so do the program and all the program's descendants.

mod family;
mod run_delay;
mod start;

use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::poll::PollFlags;
use nix::sys::signal::SigSet;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use crate::interrupt::Interrupt;
use crate::lines::{LineError, Lines};
use crate::protocol::{Reply, Report, Request};
use crate::spec::{Spec, Start};
use crate::wait::{Watch, wait_for};

use family::Family;
use start::Prepared;

/// How long a program that has ended may take to see its helpers off, before they count as left
/// behind: Python's resource tracker, the rest of a shell's pipeline.
const PATIENCE: Duration = Duration::from_millis(200);

/// The whole life of the process `bench-action launch`. To be called before anything else in
/// `main`: nothing the program does not need should delay it or take memory. The value is the exit
/// code of the process.
///
/// It expects what [`crate::Launcher`] sets up: the socket to the parent as standard input, the
/// program's channel, if it has one, as standard error. Standard output is not used, so that a test
/// program, which writes there, can be a launcher as well.
#[must_use]
pub fn launch_main() -> i32 {
    let Ok(mut control) = take_control() else { return 2 };
    // An error here means that the parent is gone, and with it whoever could be told.
    match serve(&mut control) {
        Ok(()) => 0,
        Err(_) => 1,
    }
}

fn take_control() -> io::Result<Lines> {
    close_on_exec();
    let control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    // Refuses what is no Unix socket: somebody has called the hidden subcommand by hand.
    control.local_addr()?;
    Lines::new(control)
}

/// What leaked into us from a CI service or from `make` must not reach the program.
fn close_on_exec() {
    let directory = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    for number in numbers.filter(|&number: &i32| number > 2).collect::<Vec<_>>() {
        // SAFETY: the descriptor is only used for this one call, which reports it if it has been
        // closed meanwhile; that of the directory just read is such a one.
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        let _ = fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC));
    }
}

fn serve(control: &mut Lines) -> Result<(), LineError> {
    let never = Interrupt::never();
    let spec: Spec = control.receive(None, &never)?;
    let signals = Signals::install()?;
    let prepared = match Prepared::new(&spec) {
        Ok(prepared) => prepared,
        Err(failure) => return control.send(&Reply::Failed(failure), None, &never),
    };
    if spec.start == Start::OnRelease {
        control.send(&Reply::Ready, None, &never)?;
        if !released(control, &signals)? {
            return Ok(());
        }
    }
    let family = match prepared.start(&spec) {
        Ok(family) => family,
        Err(failure) => return control.send(&Reply::Failed(failure), None, &never),
    };
    // Should the parent be gone already, `supervise` finds the socket closed and cleans up.
    let told = control.send(&Reply::Started { pid: family.pid() }, None, &never);
    let report = supervise(family, control, &signals);
    told?;
    control.send(&Reply::Exited(report), None, &never)
}

/// Waits for the word to start; false if the word is not to.
fn released(control: &mut Lines, signals: &Signals) -> Result<bool, LineError> {
    loop {
        match control.try_receive()? {
            Some(Request::Release) => return Ok(true),
            Some(Request::Kill { .. }) => return Ok(false),
            Some(Request::KillOrphans) => {
                control.send(&Reply::Swept { killed: 0 }, None, &Interrupt::never())?
            }
            None if signals.stop_wanted() => return Ok(false),
            None => wait(control, signals, None)?,
        }
    }
}

/// Waits for the end of the program, in one way or another, and for the end of all it started.
fn supervise(mut family: Family, control: &mut Lines, signals: &Signals) -> Report {
    let mut last_call: Option<Instant> = None;
    loop {
        if wait(control, signals, last_call).is_err() {
            // Unable to watch over the family, we must not leave it alone.
            return family.end(signals);
        }
        // First of all, because this takes the time.
        family.reap();
        if !family.program_ended() {
            let order = next_order(&mut family, control, signals);
            last_call = [last_call, order].into_iter().flatten().min();
        }
        if family.program_ended() {
            if last_call.is_none() {
                family.see_off(PATIENCE, signals);
            }
            return family.end(signals);
        }
        if signals.stop_wanted() || last_call.is_some_and(|last| last <= Instant::now()) {
            return family.end(signals);
        }
    }
}

/// Does what the parent wants, if anything; gives the moment by which all must have ended, if
/// that is what it wants.
fn next_order(family: &mut Family, control: &mut Lines, signals: &Signals) -> Option<Instant> {
    match control.try_receive() {
        Ok(Some(Request::Kill { grace_ms: 0 })) | Err(_) => Some(Instant::now()),
        Ok(Some(Request::Kill { grace_ms })) => {
            family.ask_to_end();
            Instant::now().checked_add(Duration::from_millis(grace_ms))
        }
        Ok(Some(Request::KillOrphans)) => {
            let killed = family.kill_orphans(signals);
            // That the parent is gone shows in the next turn.
            drop(control.send(&Reply::Swept { killed }, None, &Interrupt::never()));
            None
        }
        Ok(Some(Request::Release) | None) => None,
    }
}

fn wait(control: &Lines, signals: &Signals, until: Option<Instant>) -> io::Result<()> {
    // A second request may have come along with the first.
    if !control.has_news() {
        let awaited = [control.descriptor(), signals.wake.as_fd()];
        let awaited = awaited.map(|descriptor| (descriptor, PollFlags::POLLIN));
        wait_for(&awaited, until, &Interrupt::never())?;
    }
    signals.drain();
    Ok(())
}

/// The end of a child and the signals that ask us to stop, as one descriptor to wait on.
struct Signals {
    wake: UnixStream,
    stop: Arc<AtomicBool>,
}

impl Signals {
    /// Blocks none: the program inherits the mask, and should not know what our parent was given.
    fn install() -> io::Result<Self> {
        SigSet::empty().thread_set_mask()?;
        let (wake, sender) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            flag::register(signal, Arc::clone(&stop))?;
            low_level::pipe::register(signal, sender.try_clone()?)?;
        }
        low_level::pipe::register(SIGCHLD, sender)?;
        Ok(Self { wake, stop })
    }

    fn stop_wanted(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn drain(&self) {
        let mut bytes = [0; 64];
        while matches!((&self.wake).read(&mut bytes), Ok(1..)) {}
    }

    /// Until a child ends, or until `deadline`.
    fn wait_until(&self, deadline: Instant) {
        let awaited = [(self.wake.as_fd(), PollFlags::POLLIN)];
        // An error would only make the caller look again too early.
        drop(wait_for(&awaited, Some(deadline), &Interrupt::never()));
        self.drain();
    }
}

/// Moves the program's end of its channel from standard error, where it came in, to a number that
/// the program's own files do not take, and lets the program inherit it.
fn take_channel() -> io::Result<OwnedFd> {
    use std::os::fd::FromRawFd;
    let number = fcntl(io::stderr(), FcntlArg::F_DUPFD(10))?;
    // SAFETY: the number was just returned for a new descriptor, which nobody else owns.
    let channel = unsafe { OwnedFd::from_raw_fd(number) };
    let null = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    nix::unistd::dup2_stderr(null)?;
    debug_assert!(channel.as_raw_fd() >= 10);
    Ok(channel)
}
