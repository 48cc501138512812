//! The workspace seen from outside: its root, its tracked files, what cargo knows of it.

use crate::failure::Failure;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// The cargo that runs this task.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(option_env!("CARGO").unwrap_or("cargo"));
    command.current_dir(root());
    command
}

/// Paths of the tracked files and of those about to be, relative to the root, `/` between parts.
pub(crate) fn files() -> Result<Vec<String>, Failure> {
    let mut git = Command::new("git");
    git.current_dir(root()).args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "--deduplicate",
        "-z",
    ]);
    let list = String::from_utf8_lossy(&output(&mut git)?).into_owned();
    let present = |path: &&str| root().join(path).is_file();
    Ok(list
        .split('\0')
        .filter(|path| !path.is_empty())
        .filter(present)
        .map(str::to_owned)
        .collect())
}

/// A tracked file's text; none for files that are not UTF-8.
pub(crate) fn text(path: &str) -> Result<Option<String>, Failure> {
    let bytes = std::fs::read(root().join(path)).map_err(Failure::io(path))?;
    Ok(String::from_utf8(bytes).ok())
}

/// What `cargo metadata` says; `--no-deps` for our own packages alone.
pub(crate) fn metadata(arguments: &[&str]) -> Result<Value, Failure> {
    let bytes = output(cargo().args(["metadata", "--format-version=1"]).args(arguments))?;
    serde_json::from_slice(&bytes).map_err(|error| Failure::Malformed {
        what: "cargo metadata".into(),
        message: error.to_string(),
    })
}

/// The members of a JSON array; nothing for anything else.
pub(crate) fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A JSON string; empty for anything else.
pub(crate) fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Where builds go, and what tests fetch.
pub(crate) fn target() -> Result<PathBuf, Failure> {
    Ok(PathBuf::from(string(&metadata(&["--no-deps"])?["target_directory"])))
}

/// Runs a program that must succeed, and returns what it printed; its messages pass through.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let output = command
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|source| Failure::Start { program: program(command), source })?;
    succeeded(command, output.status).map(|()| output.stdout)
}

/// Runs a program that must succeed; everything it prints passes through.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let status =
        command.status().map_err(|source| Failure::Start { program: program(command), source })?;
    succeeded(command, status)
}

fn succeeded(command: &Command, status: std::process::ExitStatus) -> Result<(), Failure> {
    if status.success() {
        return Ok(());
    }
    let words: Vec<_> = std::iter::once(command.get_program()).chain(command.get_args()).collect();
    let command = words.join(OsStr::new(" ")).to_string_lossy().into_owned();
    Err(Failure::Command { command, status })
}

fn program(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}
