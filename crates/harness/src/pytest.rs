//! The `pytest-benchmark` harness: tests that use the `benchmark` fixture, of pytest-benchmark or of
//! pytest-codspeed, unmodified.

use crate::python::ready::{Program, PythonReady};
use crate::python::{WORKER, WORKER_NAME, installer, plain};
use crate::steps::Steps;
use crate::{
    BenchmarksFrom, Defaults, Detected, EnvironmentKind, EnvironmentSettings, Harness, Language,
    Ready, Site, Tree,
};
use bench_results::Failure;
use std::collections::BTreeSet;
use std::path::Path;

/// Drives pytest suites.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PytestBenchmark;

const PYTEST_WORKER: &str = include_str!("python/pytest_worker.py");

/// Both workers are modules in directories of their own.
const BOOT: &str = "import sys; sys.path[0:1] = sys.argv[1].split('|'); import pytest_worker; del sys.path[0:2]; pytest_worker.main()";

/// Seconds one set-up or slice of a test may take.
const TIMEOUT_S: u32 = 60;

/// Packages whose fixture is called `benchmark`; naming one of them gives a suite away.
const PLUGINS: [&str; 2] = ["pytest-benchmark", "pytest-codspeed"];

impl Harness for PytestBenchmark {
    fn name(&self) -> &'static str {
        "pytest-benchmark"
    }

    /// Tests often stand beside the package they import: each side runs its own.
    fn defaults(&self) -> Defaults {
        Defaults { benchmarks_from: BenchmarksFrom::Each, ..Defaults::default() }
    }

    fn language(&self) -> Option<Language> {
        Some(Language::Python)
    }

    fn traces(&self) -> &'static str {
        "pytest-benchmark or pytest-codspeed in the requirements"
    }

    fn detect(&self, tree: &dyn Tree) -> Vec<Detected> {
        let evidence = tree.files().iter().find(|path| {
            is_requirements(path) && tree.read(path).is_some_and(|bytes| names_plugin(&bytes))
        });
        let Some(evidence) = evidence else { return Vec::new() };
        let places = test_directories(tree.files());
        let detected = |directory: &str| Detected {
            directory: directory.into(),
            config: None,
            evidence: evidence.clone(),
        };
        places.iter().map(|directory| detected(directory)).collect()
    }

    fn prepare(&self, site: &Site<'_>) -> Result<Box<dyn Ready>, Failure> {
        let environment = match site.suite.environment {
            EnvironmentKind::Own => with_pytest(site.environment),
            // The job's own has what its suite needs.
            EnvironmentKind::Current => site.environment.clone(),
        };
        let site = &Site { environment: &environment, ..*site };
        let steps = Steps::new(site);
        let mut side = plain::side(&steps)?;
        side.facts.harness_version = plugin_version(&side.facts.packages);
        let worker = installer::script(&steps, "pytest_worker.py", PYTEST_WORKER)?;
        let base = installer::script(&steps, WORKER_NAME, WORKER)?;
        let program = Program {
            boot: BOOT,
            arguments: arguments(site, &[&worker, &base]),
            suite_digest: plain::digest(site),
            has_package: false,
            forks: true,
        };
        Ok(Box::new(PythonReady::new(site, side, program)))
    }
}

/// pytest and the plug-in are installed where the user's requirements do not say which.
fn with_pytest(settings: &EnvironmentSettings) -> EnvironmentSettings {
    let mut settings = settings.clone();
    let names = |wanted: &str| settings.requirements.iter().any(|found| found.contains(wanted));
    let missing: Vec<String> = match PLUGINS.iter().any(|plugin| names(plugin)) {
        true => Vec::new(),
        false => vec![PLUGINS[0].to_owned()],
    };
    settings.requirements.extend(missing);
    settings
}

/// The version of the plug-in that is installed.
fn plugin_version(packages: &[String]) -> Option<String> {
    let of = |plugin: &&str| {
        let name = format!("{plugin}==");
        packages.iter().find_map(|package| package.strip_prefix(&name))
    };
    PLUGINS.iter().find_map(of).map(ToOwned::to_owned)
}

/// What the worker is given: where the modules are, where pytest runs, and pytest's own arguments.
fn arguments(site: &Site<'_>, modules: &[&Path; 2]) -> Vec<String> {
    let places: Vec<String> =
        modules.iter().filter_map(|file| Some(file.parent()?.display().to_string())).collect();
    let mut arguments =
        vec![places.join("|"), site.suite_root.display().to_string(), TIMEOUT_S.to_string()];
    if let Some(config) = &site.suite.config {
        let config = site.suite.directory.join(config);
        arguments.extend(["-c".to_owned(), config.display().to_string()]);
    }
    if !site.suite.directory.as_os_str().is_empty() {
        arguments.push(site.suite.directory.display().to_string());
    }
    arguments.extend(site.suite.arguments.iter().cloned());
    arguments
}

fn is_requirements(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_list = name.contains("requirements") || directory.ends_with("requirements");
    let is_list = is_list && Path::new(name).extension().is_some_and(|e| e == "txt" || e == "in");
    let is_project = ["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py"];
    is_list || directory.is_empty() && is_project.contains(&name)
}

fn names_plugin(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_lowercase().replace('_', "-");
    PLUGINS.iter().any(|plugin| text.contains(plugin))
}

/// The outermost directories with test files whose path speaks of benchmarks, else those with any test
/// file: only what uses the fixture is measured.
fn test_directories(files: &[String]) -> BTreeSet<&str> {
    let tests: Vec<&str> = files.iter().map(String::as_str).filter(|path| is_test(path)).collect();
    let speaks = |path: &&&str| path.to_lowercase().contains("bench");
    let named: Vec<&str> = tests.iter().filter(speaks).copied().collect();
    let chosen = if named.is_empty() { tests } else { named };
    let directory =
        |path: &&str| path.rsplit_once('/').map_or("", |(directory, _)| directory).len();
    let directories: BTreeSet<&str> = chosen.iter().map(|path| &path[..directory(path)]).collect();
    let is_below = |inner: &str, outer: &str| {
        outer.is_empty() && !inner.is_empty()
            || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
    };
    let is_outermost = |place: &&&str| !directories.iter().any(|other| is_below(place, other));
    directories.iter().filter(is_outermost).copied().collect()
}

/// What pytest collects from by default.
fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".py")
        .is_some_and(|stem| stem.starts_with("test_") || stem.ends_with("_test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_where_tests_speak_of_benchmarks() {
        let files =
            ["tests/test_a.py", "tests/benchmarks/test_b.py", "tests/benchmarks/deep/test_c.py"];
        let files = files.map(ToOwned::to_owned);
        assert_eq!(test_directories(&files).into_iter().collect::<Vec<_>>(), ["tests/benchmarks"]);
        assert_eq!(test_directories(&files[..1]).into_iter().collect::<Vec<_>>(), ["tests"]);
        assert!(test_directories(&[]).is_empty());
        let root = ["test_bench.py".to_owned()];
        assert_eq!(test_directories(&root).into_iter().collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn only_lists_of_requirements_are_read() {
        assert!(is_requirements("requirements-dev.txt") && is_requirements("requirements/test.in"));
        assert!(is_requirements("pyproject.toml") && !is_requirements("sub/pyproject.toml"));
        assert!(names_plugin(b"pytest_benchmark>=4") && !names_plugin(b"pytest"));
    }

    #[test]
    fn the_plugin_is_installed_unless_one_is_named() {
        let with = |requirements: &[&str]| {
            let requirements = requirements.iter().map(ToString::to_string).collect();
            with_pytest(&EnvironmentSettings { requirements, ..Default::default() }).requirements
        };
        assert_eq!(with(&["numpy"]), ["numpy", "pytest-benchmark"]);
        assert_eq!(with(&["pytest-codspeed==3"]), ["pytest-codspeed==3"]);
    }
}
