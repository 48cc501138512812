//! Suites that say nothing of their project: it is what `pyproject.toml` at the root builds.

use super::installer::Installer;
use super::project::{Commands, Recipe};
use super::sides::Side;
use super::{environments, interpreters, sides};
use crate::Site;
use crate::steps::Steps;
use bench_results::{Failure, hex};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// One side, made as the site's suite and environment say.
///
/// # Errors
/// There is no Python, or the project could not be built or installed.
pub(crate) fn side(steps: &Steps<'_>) -> Result<Side, Failure> {
    let site = steps.site;
    std::fs::create_dir_all(site.work)
        .map_err(|error| steps.io("environment", site.work, &error))?;
    let tools = environments::for_tools(site);
    let host = interpreters::find(steps, None, &tools)?;
    let installer = Installer::find(steps, &host, &tools)?;
    sides::make(steps, &recipe(site), &installer, &host)
}

/// Of the suite's files, and pytest's configuration at the root: what both sides must have in common
/// to run the same benchmarks. Its commit where the files cannot be read.
pub(crate) fn digest(site: &Site<'_>) -> Option<String> {
    digest_of(site).map_or_else(|_| site.suite_commit.map(Into::into), Some)
}

/// How the project at the root is built: the usual way, or by the suite's own commands.
pub(crate) fn recipe(site: &Site<'_>) -> Recipe {
    Recipe {
        project: project_name(site.suite_root).unwrap_or_else(|| "project".to_owned()),
        subdirectory: PathBuf::new(),
        directory: site.suite_root.to_owned(),
        environment_type: None,
        commands: Commands::default().overridden_by(site.suite),
        command_timeout: site.timeout.as_secs_f64(),
        harness_version: None,
    }
}

fn digest_of(site: &Site<'_>) -> std::io::Result<String> {
    const AT_ROOT: [&str; 5] =
        ["conftest.py", "pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"];
    let root = site.suite_root;
    let mut files: Vec<PathBuf> = AT_ROOT.iter().map(|name| root.join(name)).collect();
    files.retain(|path| path.is_file());
    files_below(&root.join(&site.suite.directory), &mut files)?;
    files.sort();
    files.dedup();
    let mut digest = Sha256::new();
    for file in &files {
        let place = file.strip_prefix(root).unwrap_or(file);
        digest.update(place.as_os_str().as_encoded_bytes());
        digest.update(bench_results::file_digest(file)?);
    }
    Ok(hex(&digest.finalize()))
}

fn files_below(directory: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_made = name == "__pycache__" || name.to_string_lossy().starts_with('.');
        match (is_made, entry.file_type()?) {
            (true, _) => {}
            (_, kind) if kind.is_dir() => files_below(&entry.path(), files)?,
            (_, kind) if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
    Ok(())
}

fn project_name(root: &Path) -> Option<String> {
    let text = std::fs::read_to_string(root.join("pyproject.toml")).ok()?;
    let table: toml::Table = text.parse().ok()?;
    Some(table.get("project")?.get("name")?.as_str()?.to_owned())
}
