//! The driver's end of the worker protocol: starts a worker, asks it, and gets rid of a benchmark
//! that does not come back, keeping the worker where that is possible.

use crate::{Reply, Request};
use bench_process::{
    Channel, Interrupt, LaunchError, Launcher, LineError, Lines, Process, Ready, Signal, Spec,
    Status, Watch, wait_any,
};
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

/// What a killed benchmark's worker may take to say so.
const PATIENCE: Duration = Duration::from_secs(10);
/// What a worker may take to end by itself.
const FAREWELL: Duration = Duration::from_millis(500);

/// A live worker. Dropping it kills it, the benchmark it serves, and all they have started.
#[derive(Debug)]
pub struct Worker {
    process: Process,
    lines: Lines,
    open: Option<u32>,
    pending: Option<Pending>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pending {
    /// Served by a child of the worker, or by the worker itself.
    Open { fork: bool },
    /// Served by a child of the worker.
    InChild,
    /// Served by the worker itself.
    InWorker,
    /// Served by the opened benchmark's process.
    Measured,
    /// The same; afterwards nothing is open.
    Close,
}

/// Why a worker gave no answer. Only after [`WorkerError::TimedOut`] with `usable` it can be asked
/// again.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// It could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// No answer in time. What was being served has been killed.
    #[error("no answer within {} s", .after.as_secs_f64())]
    TimedOut {
        /// What it was given.
        after: Duration,
        /// Whether the worker itself goes on; nothing is open in it.
        usable: bool,
    },
    /// The worker ended.
    #[error("the worker ended ({})", .0.map_or_else(|| "nobody knows how".to_owned(), |s| s.to_string()))]
    Ended(Option<Status>),
    /// A signal asked us to stop; the worker is as it was.
    #[error("interrupted")]
    Interrupted(Signal),
    /// The connection broke, or carried something else than answers.
    #[error("the worker's answer could not be read: {0}")]
    Line(LineError),
}

impl Worker {
    /// Starts a worker. Its channel must be [`Channel::Socket`], as [`crate::Ready::worker`] makes
    /// it.
    ///
    /// # Errors
    /// [`WorkerError::Launch`]; [`WorkerError::Line`] where the system refuses the socket.
    pub fn start(launcher: &Launcher, spec: &Spec) -> Result<Self, WorkerError> {
        debug_assert_eq!(spec.channel, Channel::Socket);
        let mut process = launcher.start(spec)?;
        let stream = process.take_channel().ok_or(WorkerError::Line(LineError::Closed))?;
        let lines = Lines::new(stream).map_err(|error| WorkerError::Line(error.into()))?;
        Ok(Self { process, lines, open: None, pending: None })
    }

    /// The number of the worker's process.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.process.child_pid()
    }

    /// Sends a request and waits for the answer.
    ///
    /// # Errors
    /// Any [`WorkerError`] but `Launch`. A benchmark that fails or dies is no error but a
    /// [`Reply`].
    pub fn ask(
        &mut self,
        request: &Request,
        timeout: Duration,
        interrupt: &Interrupt,
    ) -> Result<Reply, WorkerError> {
        self.send(request)?;
        self.receive(timeout, interrupt)
    }

    /// Sends a request without waiting: two workers can then be at work at once.
    ///
    /// # Errors
    /// [`WorkerError::Ended`], [`WorkerError::Line`].
    pub fn send(&mut self, request: &Request) -> Result<(), WorkerError> {
        let deadline = Instant::now() + PATIENCE;
        self.pending = Some(pending(request));
        self.lines
            .send(request, Some(deadline), &Interrupt::never())
            .map_err(|error| self.broken(error))
    }

    /// Waits for the answer to what was sent; kills what serves it when `timeout` passes.
    ///
    /// # Errors
    /// As [`Worker::ask`].
    pub fn receive(
        &mut self,
        timeout: Duration,
        interrupt: &Interrupt,
    ) -> Result<Reply, WorkerError> {
        let deadline = Instant::now().checked_add(timeout);
        match self.lines.receive::<Reply>(deadline, interrupt) {
            Ok(reply) => {
                self.note(&reply);
                Ok(reply)
            }
            Err(LineError::TimedOut) => {
                let usable = self.kill_served();
                Err(WorkerError::TimedOut { after: timeout, usable })
            }
            Err(LineError::Interrupted(signal)) => Err(WorkerError::Interrupted(signal)),
            Err(error) => Err(self.broken(error)),
        }
    }

    /// Asks the worker to end and waits a moment; then it is killed with all it has started.
    pub fn quit(self) {
        Self::quit_all([self]);
    }

    /// The same for several, which end at the same time.
    pub fn quit_all(workers: impl IntoIterator<Item = Self>) {
        let ask = |mut worker: Self| worker.send(&Request::Quit).is_ok().then_some(worker);
        let asked: Vec<Self> = workers.into_iter().filter_map(ask).collect();
        let deadline = Instant::now() + FAREWELL;
        for mut worker in asked {
            let ended = worker.process.wait(Some(deadline), &Interrupt::never());
            tracing::trace!(?ended, "worker quit");
        }
    }

    fn note(&mut self, reply: &Reply) {
        match reply {
            Reply::Opened(opened) => self.open = Some(opened.pid),
            Reply::Closed(_) | Reply::Died(_) => self.open = None,
            Reply::Failed(_) if self.pending == Some(Pending::Close) => self.open = None,
            _ => {}
        }
        self.pending = None;
    }

    /// Kills the process that serves the pending request. True if the worker then says that it
    /// died: any other answer crossed the kill, and order in the channel can't be trusted.
    fn kill_served(&mut self) -> bool {
        let served = match self.pending {
            Some(Pending::Measured | Pending::Close) => self.open,
            Some(Pending::Open { fork: true } | Pending::InChild) => self.only_child(),
            _ => None,
        };
        let killed = served.is_some_and(kill_group);
        let deadline = Some(Instant::now() + PATIENCE);
        let usable = killed
            && matches!(
                self.lines.receive::<Reply>(deadline, &Interrupt::never()),
                Ok(Reply::Died(_))
            );
        if !usable {
            self.process.kill(Duration::ZERO);
        }
        self.open = None;
        self.pending = None;
        usable
    }

    /// The worker's only child, where the system lists children: a benchmark that hangs in its
    /// set-up has not told its number yet.
    fn only_child(&self) -> Option<u32> {
        let worker = self.process.child_pid()?;
        let listed = std::fs::read_to_string(format!("/proc/{worker}/task/{worker}/children"));
        let mut children = listed.ok()?.split_whitespace().map(str::parse).collect::<Vec<_>>();
        let only = children.pop()?.ok()?;
        children.is_empty().then_some(only)
    }

    fn broken(&mut self, error: LineError) -> WorkerError {
        if !matches!(error, LineError::Closed) {
            self.process.kill(Duration::ZERO);
            return WorkerError::Line(error);
        }
        let deadline = Some(Instant::now() + FAREWELL);
        let exit = self.process.wait(deadline, &Interrupt::never()).ok();
        WorkerError::Ended(exit.map(|exit| exit.status))
    }
}

/// A worker has news when an answer has come, whole or in part.
impl Watch for Worker {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.lines.descriptor()
    }

    fn has_news(&self) -> bool {
        self.lines.has_news()
    }
}

/// Waits until one of two workers has answered; gives its index, none when `deadline` passes.
///
/// # Errors
/// [`WorkerError::Interrupted`], [`WorkerError::Line`].
pub fn first_of(
    workers: [&Worker; 2],
    deadline: Instant,
    interrupt: &Interrupt,
) -> Result<Option<usize>, WorkerError> {
    match wait_any(&[workers[0], workers[1]], Some(deadline), interrupt) {
        Ok(Ready::At(index)) => Ok(Some(index)),
        Ok(Ready::TimedOut) => Ok(None),
        Ok(Ready::Interrupted(signal)) => Err(WorkerError::Interrupted(signal)),
        Err(error) => Err(WorkerError::Line(error.into())),
    }
}

fn pending(request: &Request) -> Pending {
    match request {
        Request::List | Request::SetupCache { .. } => Pending::InChild,
        Request::Load { .. } | Request::Quit => Pending::InWorker,
        Request::Open(open) => Pending::Open { fork: open.fork },
        Request::Measure(_) | Request::State { .. } => Pending::Measured,
        Request::Close => Pending::Close,
    }
}

fn kill_group(leader: u32) -> bool {
    use nix::sys::signal::{Signal::SIGKILL, killpg};
    // 0 and 1 would mean ourselves and everybody.
    let Some(group) = i32::try_from(leader).ok().filter(|&group| group > 1) else { return false };
    killpg(nix::unistd::Pid::from_raw(group), SIGKILL).is_ok()
}
