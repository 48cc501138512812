//! What tests need from package registries, kept under `target/test-cache`.

use crate::failure::Failure;
use crate::workspace;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The asv that our discovery and figures are compared with.
const ASV: &[&str] = &["asv==0.6.5", "virtualenv==20.35.4"];

/// An interpreter that can `import asv`; made on first use.
pub(crate) fn asv() -> Result<PathBuf, Failure> {
    let directory = workspace::target()?.join("test-cache").join("asv");
    let python = directory.join("bin/python");
    // Written last, so that a directory that was left half done is made again.
    let stamp = directory.join("requirements.txt");
    let wanted = ASV.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) {
        return Ok(python);
    }
    if directory.exists() {
        std::fs::remove_dir_all(&directory).map_err(Failure::io(&directory))?;
    }
    make(&directory, &python)?;
    std::fs::write(&stamp, wanted).map_err(Failure::io(&stamp))?;
    Ok(python)
}

/// With uv where there is one, else with Python's own means.
fn make(directory: &Path, python: &Path) -> Result<(), Failure> {
    if workspace::output(Command::new("uv").arg("--version")).is_ok() {
        workspace::output(Command::new("uv").args(["venv", "--quiet"]).arg(directory))?;
        let mut install = Command::new("uv");
        install.args(["pip", "install", "--quiet", "--python"]).arg(python).args(ASV);
        return workspace::output(&mut install).map(drop);
    }
    workspace::output(Command::new("python3").args(["-m", "venv"]).arg(directory))?;
    let mut install = Command::new(python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(ASV);
    workspace::output(&mut install).map(drop)
}
