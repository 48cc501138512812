//! The parent's side of a launch: start, release, wait, kill.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal as SystemSignal;
use nix::unistd::{Pid, getpgrp};

use crate::error::{LaunchError, WaitError};
use crate::interrupt::Interrupt;
use crate::lines::{LineError, Lines};
use crate::protocol::{Reply, Report, Request, Status, Usage};
use crate::spec::{Channel, Spec, Start};
use crate::table::{session_of, signal_all};
use crate::wait::Watch;

/// A launch takes milliseconds; a launcher that is silent for this long is stuck, for instance on
/// a file system that does not answer.
const HANDSHAKE: Duration = Duration::from_secs(30);
/// What the launcher needs to kill everything, and then some.
const KILL_PATIENCE: Duration = Duration::from_secs(15);

/// How launchers are started: a program whose `main` calls [`crate::launch_main`].
///
/// A test program can be its own launcher: one ignored test calls it, and the arguments are that
/// test's name, `--exact` and `--ignored`.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// That program.
    pub exe: PathBuf,
    /// What makes it do so.
    pub arguments: Vec<OsString>,
}

impl Launcher {
    /// `exe launch`.
    pub fn new(exe: impl Into<PathBuf>) -> Self {
        Self { exe: exe.into(), arguments: vec!["launch".into()] }
    }

    /// This very program with the argument `launch`. On Linux it is found even when its file has
    /// been replaced meanwhile, so parent and launcher are always of the same version.
    ///
    /// # Errors
    /// If the system does not tell where the program is.
    pub fn current() -> io::Result<Self> {
        let own = Path::new("/proc/self/exe");
        if own.exists() { Ok(Self::new(own)) } else { std::env::current_exe().map(Self::new) }
    }

    /// Starts a launcher with `spec`. When this returns, the program is running, or with
    /// [`Start::OnRelease`] everything but the program is ready.
    ///
    /// # Errors
    /// A [`LaunchError`] that names the program, file, directory or core that was the reason.
    pub fn start(&self, spec: &Spec) -> Result<Process, LaunchError> {
        let failed = |source| LaunchError::Launcher { exe: self.exe.clone(), source };
        let (control, theirs) = UnixStream::pair().map_err(failed)?;
        let (channel, program_end) = channel(spec.channel).map_err(failed)?;
        // Standard input and output are the only descriptors that a child can be given without
        // another child that is started at the same moment getting them as well.
        let launcher = Command::new(&self.exe)
            .args(&self.arguments)
            .env_clear()
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(program_end)
            .spawn()
            .map_err(failed)?;
        let control = Lines::new(control).map_err(failed)?;
        let mut process =
            Process { launcher, control, channel, child_pid: None, state: State::Running };
        process.begin(spec)?;
        Ok(process)
    }
}

fn channel(wanted: Channel) -> io::Result<(Option<UnixStream>, Stdio)> {
    match wanted {
        Channel::None => Ok((None, Stdio::inherit())),
        Channel::Socket => {
            let (ours, theirs) = UnixStream::pair()?;
            Ok((Some(ours), OwnedFd::from(theirs).into()))
        }
    }
}

/// A program that was started, with its launcher. Dropping it kills the program and all the
/// program's descendants.
#[derive(Debug)]
pub struct Process {
    launcher: Child,
    control: Lines,
    channel: Option<UnixStream>,
    child_pid: Option<u32>,
    state: State,
}

#[derive(Debug)]
enum State {
    Running,
    Ended(Exit),
    /// The program never ran, or its launcher was lost.
    Void,
}

impl Process {
    /// The number of the launcher.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.launcher.id()
    }

    /// The number of the program, once it is known to have started.
    #[must_use]
    pub fn child_pid(&self) -> Option<u32> {
        self.child_pid
    }

    /// CPU time of the program so far, all its threads, without what it has started; to a hundredth of
    /// a second. Nothing where it has not started, has ended, or where the system does not tell (Linux
    /// does).
    #[must_use]
    pub fn cpu_time(&self) -> Option<Duration> {
        const TICK: Duration = Duration::from_millis(10);
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child_pid?)).ok()?;
        // A name may hold anything; behind it are plain fields, of which proc(5) counts these as the
        // 14th and 15th.
        let (_, fields) = stat.rsplit_once(')')?;
        let mut ticks = fields.split_ascii_whitespace().skip(11).map(str::parse::<u32>);
        Some(TICK * ticks.next()?.ok()?.checked_add(ticks.next()?.ok()?)?)
    }

    /// Our end of [`Channel::Socket`], if it has not been taken.
    #[must_use]
    pub fn channel(&self) -> Option<&UnixStream> {
        self.channel.as_ref()
    }

    /// Takes our end of [`Channel::Socket`], for a [`Lines`].
    pub fn take_channel(&mut self) -> Option<UnixStream> {
        self.channel.take()
    }

    /// Sets off a program that was held by [`Start::OnRelease`]. That it cannot be started shows
    /// in the next wait.
    ///
    /// # Errors
    /// [`WaitError::Lost`] if the launcher is gone.
    pub fn release(&mut self) -> Result<(), WaitError> {
        self.request(&Request::Release).map_err(|error| self.lost(&error))
    }

    /// What has become of the program, without waiting. To be asked when [`crate::wait_any`] says
    /// that there is news; `None` means that the news was not the end.
    ///
    /// # Errors
    /// [`WaitError::Launch`], [`WaitError::Lost`].
    pub fn try_wait(&mut self) -> Result<Option<Exit>, WaitError> {
        match self.state {
            State::Ended(exit) => return Ok(Some(exit)),
            State::Void => return Err(WaitError::Lost { reason: "it ended before".to_owned() }),
            State::Running => {}
        }
        loop {
            match self.control.try_receive() {
                Ok(Some(reply)) => {
                    if let Some(exit) = self.take(reply)? {
                        return Ok(Some(exit));
                    }
                }
                Ok(None) => return Ok(None),
                Err(error) => return Err(self.lost(&error)),
            }
        }
    }

    /// Waits for the end of the program. Neither the deadline nor a signal kills it.
    ///
    /// # Errors
    /// Any [`WaitError`].
    pub fn wait(
        &mut self,
        deadline: Option<Instant>,
        interrupt: &Interrupt,
    ) -> Result<Exit, WaitError> {
        use crate::wait::{Ready, wait_any};
        loop {
            if let Some(exit) = self.try_wait()? {
                return Ok(exit);
            }
            match wait_any(&[&*self], deadline, interrupt)? {
                Ready::At(_) => {}
                Ready::TimedOut => return Err(WaitError::TimedOut),
                Ready::Interrupted(signal) => return Err(WaitError::Interrupted(signal)),
            }
        }
    }

    /// Ends the program: SIGTERM, SIGKILL after `grace` (at once if that is zero). When this
    /// returns, neither the program nor any of its descendants is left. Gives its end, if it ever
    /// ran and the launcher could tell.
    pub fn kill(&mut self, grace: Duration) -> Option<Exit> {
        let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        let deadline = Instant::now().checked_add(grace + KILL_PATIENCE);
        // If the launcher is gone, waiting for it finds out.
        drop(self.request(&Request::Kill { grace_ms }));
        match self.wait(deadline, &Interrupt::never()) {
            Ok(exit) => Some(exit),
            Err(_) => {
                self.abandon();
                None
            }
        }
    }

    /// Kills those among the program's descendants whose own parent has ended, while the program
    /// goes on, and gives their number: what one benchmark leaves behind must not disturb the
    /// next. Cheap where there are none. Without adoption (see [`crate::Capabilities`]) none are
    /// found.
    ///
    /// # Errors
    /// [`WaitError::Launch`], [`WaitError::Lost`], [`WaitError::TimedOut`] if they cannot be killed.
    pub fn kill_orphans(&mut self) -> Result<u32, WaitError> {
        let deadline = Some(Instant::now() + KILL_PATIENCE);
        if self.try_wait()?.is_none() {
            self.request(&Request::KillOrphans).map_err(|error| self.lost(&error))?;
        }
        while matches!(self.state, State::Running) {
            match self.control.receive(deadline, &Interrupt::never()) {
                Ok(Reply::Swept { killed }) => return Ok(killed),
                Ok(reply) => drop(self.take(reply)?),
                Err(LineError::TimedOut) => return Err(WaitError::TimedOut),
                Err(error) => return Err(self.lost(&error)),
            }
        }
        // It has ended meanwhile; what was left is in its usage.
        Ok(0)
    }

    fn begin(&mut self, spec: &Spec) -> Result<(), LaunchError> {
        let never = Interrupt::never();
        let deadline = Some(Instant::now() + HANDSHAKE);
        let reply = match self.control.send(spec, deadline, &never) {
            Ok(()) => self.control.receive::<Reply>(deadline, &never),
            Err(error) => Err(error),
        };
        match (reply, spec.start) {
            (Ok(Reply::Started { pid }), _) => self.child_pid = Some(pid),
            (Ok(Reply::Ready), Start::OnRelease) => {}
            (Ok(Reply::Failed(failure)), _) => {
                self.finish(State::Void);
                return Err(LaunchError::Refused(failure));
            }
            (Ok(reply), _) => return Err(self.unstarted(spec, format!("it answered {reply:?}"))),
            (Err(error), _) => return Err(self.unstarted(spec, error.to_string())),
        }
        Ok(())
    }

    fn unstarted(&mut self, spec: &Spec, reason: String) -> LaunchError {
        self.abandon();
        LaunchError::NoAnswer { program: spec.program.clone(), reason }
    }

    fn request(&mut self, request: &Request) -> Result<(), LineError> {
        let deadline = Some(Instant::now() + HANDSHAKE);
        self.control.send(request, deadline, &Interrupt::never())
    }

    fn take(&mut self, reply: Reply) -> Result<Option<Exit>, WaitError> {
        match reply {
            Reply::Ready | Reply::Swept { .. } => Ok(None),
            Reply::Started { pid } => {
                self.child_pid = Some(pid);
                Ok(None)
            }
            Reply::Failed(failure) => {
                self.finish(State::Void);
                Err(LaunchError::Refused(failure).into())
            }
            Reply::Exited(Report { status, usage, survivors }) => {
                if survivors > 0 {
                    tracing::warn!(
                        "{survivors} processes cannot be killed: they are stuck in the kernel"
                    );
                }
                let exit = Exit { status, usage };
                self.finish(State::Ended(exit));
                Ok(Some(exit))
            }
        }
    }

    fn lost(&mut self, error: &LineError) -> WaitError {
        self.abandon();
        WaitError::Lost { reason: error.to_string() }
    }

    /// The launcher has said its last word and exits by itself.
    fn finish(&mut self, state: State) {
        self.state = state;
        drop(self.launcher.wait());
    }

    /// Does what a launcher that is gone, or does not answer, can no longer do. Its number stays
    /// ours until it is reaped, at the end.
    fn abandon(&mut self) {
        drop(self.launcher.kill());
        let session = Pid::from_raw(self.launcher.id().cast_signed());
        let deadline = Instant::now() + KILL_PATIENCE;
        loop {
            let alive = session_of(session);
            if alive.is_empty() || Instant::now() >= deadline {
                break;
            }
            signal_all(&alive, getpgrp(), SystemSignal::SIGKILL);
            thread::sleep(Duration::from_millis(5));
        }
        self.finish(State::Void);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.state, State::Running) {
            self.kill(Duration::ZERO);
        }
    }
}

impl Watch for Process {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.control.descriptor()
    }

    fn has_news(&self) -> bool {
        !matches!(self.state, State::Running) || self.control.has_news()
    }
}

/// How a program ended and what it used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// What it returned.
    pub status: Status,
    /// What it used.
    pub usage: Usage,
}

impl Exit {
    /// Whether it returned zero.
    #[must_use]
    pub fn success(&self) -> bool {
        self.status == Status::Code(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.status.fmt(f)
    }
}
