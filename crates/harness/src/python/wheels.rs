//! Wheels of a commit: built once, kept by everything the build depends on, digested by what
//! matters in them.

use super::store::Entry;
use crate::steps::{Step, Steps};
use bench_process::Environment;
use bench_results::{Artifact, Failure};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What a build made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Build {
    /// File name of the wheel; none where the commands made none.
    pub(crate) wheel: Option<String>,
    pub(crate) artifacts: Vec<Artifact>,
}

impl Build {
    /// The version in a wheel's name.
    pub(crate) fn version(&self) -> Option<&str> {
        self.wheel.as_deref()?.split('-').nth(1)
    }
}

/// The entry for a build, locked.
pub(crate) fn entry(steps: &Steps<'_>, key: &str) -> Result<Entry, Failure> {
    let shelf = steps.site.cache.join("wheels");
    Entry::lock(&shelf, key).map_err(|error| steps.io("build", &shelf, &error))
}

/// Looks at what a build left in its entry and marks it as complete, if it is a wheel.
pub(crate) fn finish(
    steps: &Steps<'_>,
    entry: &Entry,
    python: &Path,
    environment: &Environment,
) -> Result<Build, Failure> {
    let io = |error: &std::io::Error| steps.io("build", &entry.directory, error);
    let Some(wheel) = only_wheel(&entry.directory).map_err(|error| io(&error))? else {
        return Ok(Build::default());
    };
    let artifacts = digests(steps, python, &entry.directory.join(&wheel), environment)?;
    let build = Build { wheel: Some(wheel), artifacts };
    entry.complete(&build).map_err(|error| io(&error))?;
    Ok(build)
}

/// The only wheel in a directory; none where there is none, or several, as asv has it.
pub(crate) fn only_wheel(directory: &Path) -> std::io::Result<Option<String>> {
    let mut wheels = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let is_wheel = Path::new(&name).extension().is_some_and(|e| e.eq_ignore_ascii_case("whl"));
        wheels.extend(is_wheel.then_some(name));
    }
    Ok(wheels.pop().filter(|_| wheels.is_empty()))
}

fn digests(
    steps: &Steps<'_>,
    python: &Path,
    wheel: &Path,
    environment: &Environment,
) -> Result<Vec<Artifact>, Failure> {
    let script = include_str!("digest.py");
    let words = [&python.display().to_string(), "-c", script, &wheel.display().to_string()];
    let printed = steps.capture("build", &Step::new(words, environment, steps.site.work))?;
    let artifact = |line: &str| {
        let (name, sha256) = line.rsplit_once(' ')?;
        Some(Artifact { name: name.to_owned(), sha256: sha256.to_owned() })
    };
    Ok(printed.lines().filter_map(artifact).collect())
}

/// A version that a build falls back to when it can't find the project's own.
pub(crate) fn is_fallback(version: &str) -> bool {
    let public = version.split('+').next().unwrap_or(version);
    matches!(public, "0" | "0.0" | "0.0.0" | "unknown")
        || public.starts_with("0.1.dev")
        || public.starts_with("0.0.0.dev")
        || version.contains("unknown")
}

/// Path of a build's wheel in its entry.
pub(crate) fn path(entry: &Entry, build: &Build) -> Option<PathBuf> {
    build.wheel.as_ref().map(|wheel| entry.directory.join(wheel))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fallback_versions_are_recognised() {
        for version in ["0.0.0", "0.1.dev1+gabc", "0+unknown", "0+untagged.1.gabc", "0.1.dev0"] {
            assert!(is_fallback(version), "{version}");
        }
        for version in ["0.1", "0.1.0", "1.0.dev1", "10.0.0", "0.2.dev3+g1"] {
            assert!(!is_fallback(version), "{version}");
        }
    }

    #[test]
    fn several_wheels_are_none() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str| std::fs::write(directory.path().join(name), "").unwrap();
        assert_eq!(only_wheel(directory.path()).unwrap(), None);
        file("a-1-py3-none-any.whl");
        file("a-1.tar.gz");
        assert_eq!(only_wheel(directory.path()).unwrap().as_deref(), Some("a-1-py3-none-any.whl"));
        file("b-1-py3-none-any.whl");
        assert_eq!(only_wheel(directory.path()).unwrap(), None);
    }
}
