//! One run of the binary, in an environment that does not depend on where the tests run.

use super::{DEADLINE, wait_until};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Variables of a CI job, or that would change what the binary or its tools do.
const SCRUBBED: [&str; 14] = [
    "GITHUB_",
    "RUNNER_",
    "ACTIONS_",
    "GH_",
    "GIT_",
    "BENCH_",
    "ASV_",
    "PYTHON",
    "VIRTUAL_ENV",
    "CONDA_",
    "CARGO_",
    "NO_COLOR",
    "CLICOLOR",
    "COLUMNS",
];

/// A run that has not been started.
pub(crate) struct Run {
    command: Command,
}

impl Run {
    /// The binary with these arguments, in this directory.
    pub(crate) fn new(directory: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench-action"));
        command.args(arguments).current_dir(directory).stdin(Stdio::null());
        let is_scrubbed =
            |name: &str| name == "CI" || SCRUBBED.iter().any(|prefix| name.starts_with(prefix));
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_none_or(is_scrubbed) {
                command.env_remove(name);
            }
        }
        command.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")]);
        Self { command }
    }

    /// The same with an argument more.
    pub(crate) fn arg(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// The same with arguments more.
    pub(crate) fn args(mut self, arguments: &[&str]) -> Self {
        self.command.args(arguments);
        self
    }

    /// The same with a variable set.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Starts it.
    pub(crate) fn start(mut self) -> Running {
        let outputs = tempfile::tempdir().unwrap();
        let file = |name: &str| File::create(outputs.path().join(name)).unwrap();
        self.command.stdout(file("stdout")).stderr(file("stderr"));
        let child = self.command.spawn().unwrap();
        Running { child, outputs }
    }

    /// Runs it to its end.
    pub(crate) fn finish(self) -> Finished {
        self.start().finish(DEADLINE)
    }

    /// Runs it to its end and expects this exit code.
    pub(crate) fn expect(self, exit: i32) -> Finished {
        let finished = self.finish();
        assert_eq!(finished.exit, Some(exit), "{finished}");
        finished
    }
}

/// A run that was started. Its output goes to files, so that it never waits for a reader.
pub(crate) struct Running {
    child: Child,
    outputs: tempfile::TempDir,
}

impl Running {
    /// Its process.
    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }

    /// What it has said on standard error so far.
    pub(crate) fn stderr(&self) -> String {
        self.output("stderr")
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: nix::sys::signal::Signal) {
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(self.pid()), signal).unwrap();
    }

    /// Whether it is still there.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for its end.
    pub(crate) fn finish(mut self, patience: Duration) -> Finished {
        let ended = wait_until(patience, || !self.is_running());
        assert!(ended, "still running after {patience:?}:\n{}", self.stderr());
        let exit = self.child.wait().unwrap().code();
        Finished { exit, stdout: self.output("stdout"), stderr: self.stderr() }
    }

    fn output(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.outputs.path().join(name)).unwrap()).into_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After a failed assertion; its launchers then end the rest.
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// A run that has ended.
#[derive(Debug)]
pub(crate) struct Finished {
    /// Its exit code; none where a signal ended it.
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl std::fmt::Display for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { exit, stdout, stderr } = self;
        write!(f, "exit {exit:?}\n--- stdout\n{stdout}\n--- stderr\n{stderr}")
    }
}
