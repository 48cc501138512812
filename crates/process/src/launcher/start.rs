//! Makes everything ready for a program, so that only fork and exec remain; then starts it.

use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{self, SigHandler, Signal};
use nix::unistd::{Pid, getppid, setsid};

use super::family::{Beginning, Family, monotonic_ns};
use super::{run_delay, take_channel};
use crate::CHANNEL_VARIABLE;
use crate::cores::Pinned;
use crate::protocol::{Failure, Stage};
use crate::spec::{Addresses, Channel, Input, Limits, Output, Spec};

/// In place of a run-queue delay.
const UNKNOWN: u64 = u64::MAX;

pub(super) struct Prepared {
    command: Command,
    /// Where the child writes its [`Beginning`], in two numbers, when it is about to become the program.
    clock: PipeReader,
    channel: Option<OwnedFd>,
    pinned: Option<Pinned>,
}

impl Prepared {
    pub(super) fn new(spec: &Spec) -> Result<Self, Failure> {
        let session = |what| move |error: io::Error| Failure::new(Stage::Session, what, &error);
        lead().map_err(session("session"))?;
        let mut command = Command::new(&spec.program);
        command.args(&spec.arguments).env_clear().envs(spec.environment.iter());
        connect(&mut command, spec)?;
        let channel = match spec.channel {
            Channel::None => None,
            Channel::Socket => Some(take_channel().map_err(session("channel"))?),
        };
        match &channel {
            Some(channel) => command.env(CHANNEL_VARIABLE, channel.as_raw_fd().to_string()),
            None => command.env_remove(CHANNEL_VARIABLE),
        };
        let (clock, writer) = io::pipe().map_err(session("clock"))?;
        command.process_group(0);
        let in_child = in_child(spec.limits, spec.addresses, Pid::this(), writer);
        // SAFETY: the closure only makes system calls; it neither allocates nor takes a lock.
        unsafe { command.pre_exec(in_child) };
        enter(&spec.directory)?;
        let pinned = spec.cores.as_deref().map(pin).transpose()?;
        Ok(Self { command, clock, channel, pinned })
    }

    /// The launcher leaves the program's core again, so that it does not wake there, in the middle
    /// of the other side's work, when the program ends.
    pub(super) fn start(self, spec: &Spec) -> Result<Family, Failure> {
        let Self { mut command, mut clock, channel, pinned } = self;
        let failed =
            |error: io::Error| Failure::new(Stage::Program, spec.program.display(), &error);
        let child = command.spawn().map_err(failed)?;
        drop((command, channel, pinned));
        let mut told = [[0; size_of::<u64>()]; 2];
        clock.read_exact(told.as_flattened_mut()).map_err(failed)?;
        let [ns, run_delay_ns] = told.map(u64::from_ne_bytes);
        let run_delay_ns = Some(run_delay_ns).filter(|ns| *ns != UNKNOWN);
        Ok(Family::new(child.id(), Beginning { ns, run_delay_ns }))
    }
}

/// Away from the terminal and its Ctrl-C, and next of kin to every orphan among our descendants.
fn lead() -> io::Result<()> {
    setsid()?;
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true)?;
    Ok(())
}

fn connect(command: &mut Command, spec: &Spec) -> Result<(), Failure> {
    let stdin = match &spec.stdin {
        Input::Null => Stdio::null(),
        Input::File(path) => File::open(path)
            .map_err(|error| Failure::new(Stage::Input, path.display(), &error))?
            .into(),
    };
    let stdout = open(&spec.stdout)?;
    let stderr = match (&spec.stderr, &stdout) {
        (Output::SameAsStdout, Some(stdout)) => Some(
            stdout
                .try_clone()
                .map_err(|error| Failure::new(Stage::Output, "standard output", &error))?,
        ),
        (other, _) => open(other)?,
    };
    let stdio = |file: Option<File>| file.map_or_else(Stdio::null, Stdio::from);
    command.stdin(stdin).stdout(stdio(stdout)).stderr(stdio(stderr));
    Ok(())
}

fn open(output: &Output) -> Result<Option<File>, Failure> {
    let mut options = OpenOptions::new();
    let (path, options) = match output {
        Output::Null | Output::SameAsStdout => return Ok(None),
        Output::File(path) => (path, options.write(true).create(true).truncate(true)),
        Output::Append(path) => (path, options.append(true).create(true)),
    };
    let failed = |error| Failure::new(Stage::Output, path.display(), &error);
    options.open(path).map(Some).map_err(failed)
}

/// Done here and not by the child, where a missing directory would look like a missing program.
fn enter(directory: &Path) -> Result<(), Failure> {
    std::env::set_current_dir(directory)
        .map_err(|error| Failure::new(Stage::Directory, directory.display(), &error))
}

/// Before the fork, so that the child is born on its core.
fn pin(cores: &[usize]) -> Result<Pinned, Failure> {
    let list = || cores.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    Pinned::to(cores).map_err(|error| Failure::new(Stage::Cores, list(), &error))
}

fn in_child(
    limits: Limits,
    addresses: Addresses,
    launcher: Pid,
    mut clock: PipeWriter,
) -> impl FnMut() -> io::Result<()> {
    move || {
        die_with(launcher)?;
        default_signals();
        lower(Resource::RLIMIT_CORE, Some(0))?;
        lower(Resource::RLIMIT_FSIZE, limits.file_size)?;
        offer_to_the_oom_killer();
        if addresses == Addresses::Fixed {
            fix_addresses();
        }
        lower(Resource::RLIMIT_AS, limits.address_space)?;
        let run_delay_ns = run_delay::own().unwrap_or(UNKNOWN);
        let told = [monotonic_ns(), run_delay_ns].map(u64::to_ne_bytes);
        clock.write_all(told.as_flattened())
    }
}

/// Holds from the next `exec` on.
fn fix_addresses() {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::personality::{self, Persona};
        if let Ok(persona) = personality::get() {
            let _ = personality::set(persona | Persona::ADDR_NO_RANDOMIZE);
        }
    }
}

/// Should the launcher be killed, the kernel kills the program.
fn die_with(launcher: Pid) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
    // It may have died before we could ask for that.
    if getppid() == launcher { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
}

/// What our parent ignored, as under `nohup`, is ignored over `exec` as well, unlike what has a
/// handler.
fn default_signals() {
    for signal in Signal::iterator() {
        // SAFETY: no handler of ours is replaced that this process would still need. SIGKILL and
        // SIGSTOP are refused, and need no resetting.
        let _ = unsafe { signal::signal(signal, SigHandler::SigDfl) };
    }
}

/// Only ever lowers, which cannot be refused.
fn lower(resource: Resource, limit: Option<u64>) -> io::Result<()> {
    if let Some(limit) = limit {
        let (_, hard) = getrlimit(resource)?;
        let limit = hard.min(limit);
        setrlimit(resource, limit, limit)?;
    }
    Ok(())
}

/// Where memory runs out, the program that took it should go, not the one that measures, nor the
/// user's session. Where the system knows no such thing, nothing is lost.
fn offer_to_the_oom_killer() {
    if cfg!(target_os = "linux") {
        drop(std::fs::write("/proc/self/oom_score_adj", "1000"));
    }
}
