//! One run of git: an environment of our own, no terminal, output captured, ended on a signal.

use super::error::GitError;
use bench_process::Interrupt;
use bench_results::Redactor;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Variables with which a caller of ours (a hook, for instance) may point git somewhere else.
const MISLEADING: [&str; 13] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_NAMESPACE",
    "GIT_QUARANTINE_PATH",
];

/// Settings for every run. `safe.directory`: containers run jobs as another user than the one who
/// cloned, and code of the repository is about to be run anyway. The speed limits bound a transfer
/// that has stalled. Nothing may start a daemon or tidy up behind our back.
const SETTINGS: [(&str, &str); 14] = [
    ("safe.directory", "*"),
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.splitIndex", "false"),
    ("core.quotePath", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("fetch.unpackLimit", "1"),
    ("http.lowSpeedLimit", "1000"),
    ("http.lowSpeedTime", "30"),
    ("init.templateDir", ""),
];

/// Lines of git's own words that a message quotes.
const QUOTED_LINES: usize = 6;

/// One run of git, being put together.
#[must_use]
pub(crate) struct Git<'a> {
    arguments: Vec<OsString>,
    directory: PathBuf,
    variables: Vec<(OsString, OsString)>,
    settings: Vec<(String, String)>,
    stdin: Option<Vec<u8>>,
    interrupt: &'a Interrupt,
}

/// How a run ended.
pub(crate) struct Output {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl<'a> Git<'a> {
    /// Git in this directory.
    pub(crate) fn new(directory: &Path, interrupt: &'a Interrupt) -> Self {
        let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Self {
            arguments: Vec::new(),
            directory: directory.to_path_buf(),
            variables: Vec::new(),
            settings: SETTINGS.map(own).to_vec(),
            stdin: None,
            interrupt,
        }
    }

    /// The repository itself, whatever the directory is.
    pub(crate) fn git_dir(self, path: &Path) -> Self {
        self.variable("GIT_DIR", path)
    }

    /// More arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(mut self, more: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(more.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// One more variable.
    pub(crate) fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// More settings, as with `-c`, but unseen by other users of the machine.
    pub(crate) fn settings(mut self, more: &[(String, String)]) -> Self {
        self.settings.extend_from_slice(more);
        self
    }

    /// What it reads; nothing by default.
    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Runs it to its end, whatever that is.
    pub(crate) fn output(&self) -> Result<Output, GitError> {
        tracing::debug!(directory = %self.directory.display(), "{}", self.typed());
        let capture = || tempfile::tempfile().map_err(GitError::file(std::env::temp_dir()));
        let (mut stdout, mut stderr) = (capture()?, capture()?);
        let duplicate = |file: &File| {
            file.try_clone().map(Stdio::from).map_err(GitError::file(std::env::temp_dir()))
        };
        let child = self
            .command()
            .stdin(self.input()?)
            .stdout(duplicate(&stdout)?)
            .stderr(duplicate(&stderr)?)
            .spawn()
            .map_err(GitError::Missing)?;
        let status = self.wait(child)?;
        let read = |file: &mut File| contents(file).map_err(GitError::file(std::env::temp_dir()));
        Ok(Output { status, stdout: read(&mut stdout)?, stderr: read(&mut stderr)? })
    }

    /// Runs it; anything but success is an error.
    pub(crate) fn run(&self) -> Result<Vec<u8>, GitError> {
        let output = self.output()?;
        if output.status.success() { Ok(output.stdout) } else { Err(self.failed(&output)) }
    }

    /// The same, as text without the end of its last line.
    pub(crate) fn text(&self) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.run()?).trim_end().to_owned())
    }

    /// The text of a command that answers "no" with an exit status of 1.
    pub(crate) fn answer(&self) -> Result<Option<String>, GitError> {
        let output = self.output()?;
        match output.status.code() {
            Some(0) => Ok(Some(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())),
            Some(1) => Ok(None),
            _ => Err(self.failed(&output)),
        }
    }

    /// The error that a failed run is.
    pub(crate) fn failed(&self, output: &Output) -> GitError {
        let said = String::from_utf8_lossy(&output.stderr);
        let said: Vec<&str> = said.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
        let said = said[said.len().saturating_sub(QUOTED_LINES)..].join("\n  ");
        let said = if said.is_empty() { output.status.to_string() } else { said };
        let redactor = Redactor::default();
        GitError::Failed {
            command: redactor.text(&self.typed()).into_owned(),
            directory: self.directory.clone(),
            said: redactor.text(&said).into_owned(),
        }
    }

    fn typed(&self) -> String {
        let words = self.arguments.iter().map(|word| word.to_string_lossy());
        std::iter::once("git".into()).chain(words).collect::<Vec<_>>().join(" ")
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.args(&self.arguments).current_dir(&self.directory);
        for name in MISLEADING {
            command.env_remove(name);
        }
        command
            .env("LC_ALL", "C")
            .env_remove("LANGUAGE")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_LFS_SKIP_SMUDGE", "1")
            .env("GIT_DEFAULT_REF_FORMAT", "files");
        // Settings that came from outside this way (credentials of a CI service) stay before ours.
        let given = std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse().ok());
        let first: usize = given.unwrap_or(0);
        for (nth, (name, value)) in self.settings.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{}", first + nth), name);
            command.env(format!("GIT_CONFIG_VALUE_{}", first + nth), value);
        }
        command.env("GIT_CONFIG_COUNT", (first + self.settings.len()).to_string());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    fn input(&self) -> Result<Stdio, GitError> {
        let Some(bytes) = &self.stdin else { return Ok(Stdio::null()) };
        let file = || -> io::Result<File> {
            let mut file = tempfile::tempfile()?;
            file.write_all(bytes)?;
            file.rewind()?;
            Ok(file)
        };
        file().map(Stdio::from).map_err(GitError::file(std::env::temp_dir()))
    }

    /// Looks more and more rarely: most runs take a millisecond or two, a fetch takes minutes.
    fn wait(&self, mut child: Child) -> Result<ExitStatus, GitError> {
        let mut pause = Duration::from_micros(250);
        loop {
            if let Some(status) = child.try_wait().map_err(GitError::Missing)? {
                // Ctrl-C reaches git as well, and may end it before we look.
                let stopped = !status.success() && self.interrupt.received().is_some();
                return if stopped { Err(GitError::Interrupted) } else { Ok(status) };
            }
            if self.interrupt.received().is_some() {
                // It may have ended by itself meanwhile, which is just as well.
                child.kill().and_then(|()| child.wait().map(drop)).ok();
                return Err(GitError::Interrupted);
            }
            std::thread::sleep(pause);
            pause = (pause * 5 / 4).min(Duration::from_millis(20));
        }
    }
}

fn contents(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The parts of output that was asked for with `-z`.
pub(crate) fn zero_separated(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output.split(|byte| *byte == 0).filter(|part| !part.is_empty())
}
