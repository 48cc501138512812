//! The `snippet` harness: Python statements from the command line, timed as `python -m timeit` would,
//! without a suite.

use crate::python::ready::{Program, PythonReady};
use crate::python::{WORKER, WORKER_NAME, installer, plain, sides};
use crate::steps::Steps;
use crate::{
    BenchmarksFrom, Defaults, Detected, EnvironmentKind, Harness, Ready, Site, SnippetSettings,
    Subject, Tree,
};
use bench_results::{Failure, SideName, hex};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Times statements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Snippet;

const SNIPPET_WORKER: &str = include_str!("python/snippet_worker.py");

/// Both workers are modules in directories of their own.
const BOOT: &str = "import sys; sys.path[0:1] = sys.argv[1].split('|'); import snippet_worker; del sys.path[0:2]; snippet_worker.main()";

/// Seconds one set-up or slice may take.
const TIMEOUT_S: u32 = 60;

/// Build back ends of projects with compiled parts, which are not there in a plain checkout.
const COMPILING: [&str; 8] = [
    "meson-python",
    "scikit-build",
    "cython",
    "numpy",
    "pybind11",
    "nanobind",
    "maturin",
    "setuptools-rust",
];

impl Harness for Snippet {
    fn name(&self) -> &'static str {
        "snippet"
    }

    fn defaults(&self) -> Defaults {
        Defaults {
            benchmarks_from: BenchmarksFrom::Each,
            environment: EnvironmentKind::Current,
            ..Defaults::default()
        }
    }

    /// Statements stand on the command line and nowhere else.
    fn detect(&self, _: &dyn Tree) -> Vec<Detected> {
        Vec::new()
    }

    fn prepare(&self, site: &Site<'_>) -> Result<Box<dyn Ready>, Failure> {
        let steps = Steps::new(site);
        std::fs::create_dir_all(site.work)
            .map_err(|error| steps.io("environment", site.work, &error))?;
        let Some(snippet) = &site.suite.snippet else {
            let message = "this suite has no statements; give them to `bench-action snippet`";
            return Err(steps.failure("environment", message.to_owned()));
        };
        let task = Task::of(snippet, site.side);
        let file = site.work.join("snippet.json");
        let text = serde_json::to_string(&task).unwrap_or_default();
        std::fs::write(&file, &text).map_err(|error| steps.io("environment", &file, &error))?;
        let side = side(&steps)?;
        let worker = installer::script(&steps, "snippet_worker.py", SNIPPET_WORKER)?;
        let base = installer::script(&steps, WORKER_NAME, WORKER)?;
        let program = Program {
            boot: BOOT,
            arguments: vec![modules(&[&worker, &base]), shown(&file), TIMEOUT_S.to_string()],
            suite_digest: Some(hex(&Sha256::digest(&text))),
            has_package: false,
            forks: true,
        };
        Ok(Box::new(PythonReady::new(site, side, program)))
    }
}

/// What the worker of one side is given.
#[derive(Serialize)]
struct Task<'a> {
    setup: &'a str,
    /// Name and source; the names are the same on both sides.
    statements: Vec<(String, &'a str)>,
    parameters: &'a [(String, Vec<String>)],
}

impl<'a> Task<'a> {
    fn of(snippet: &'a SnippetSettings, side: SideName) -> Self {
        let source = |statement: &'a String| match (&snippet.against, side) {
            (Some(against), SideName::Base) => against,
            _ => statement,
        };
        let statements =
            snippet.statements.iter().map(|text| (one_line(text), source(text).as_str())).collect();
        Self { setup: &snippet.setup, statements, parameters: &snippet.parameters }
    }
}

/// A statement in one line, as its name.
fn one_line(statement: &str) -> String {
    let lines = statement.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ")
}

/// Where a side's statements run. A commit that is not built is imported from its files as they are.
fn side(steps: &Steps<'_>) -> Result<sides::Side, Failure> {
    let site = steps.site;
    let recipe = plain::recipe(site);
    match (site.subject, site.suite.environment) {
        (Subject::Python { interpreter }, _) => sides::existing(steps, &recipe, interpreter),
        (Subject::Path { directory }, _) => sides::path_first(steps, &recipe, directory),
        (Subject::Commit { checkout, .. }, EnvironmentKind::Current) => {
            let mut side = sides::path_first(steps, &recipe, &importable(checkout))?;
            side.facts.warnings.extend(unbuilt(checkout));
            Ok(side)
        }
        (Subject::Commit { .. }, EnvironmentKind::Own) => plain::side(steps),
    }
}

/// The directory that a project's packages are imported from.
fn importable(checkout: &Path) -> PathBuf {
    let src = checkout.join("src");
    if src.is_dir() { src } else { checkout.to_owned() }
}

/// What is missing in a checkout of a project with compiled parts.
fn unbuilt(checkout: &Path) -> Option<String> {
    let text = std::fs::read_to_string(checkout.join("pyproject.toml")).ok()?;
    let table: toml::Table = text.parse().ok()?;
    let requires = table.get("build-system")?.get("requires")?.as_array()?;
    let names = requires.iter().filter_map(|name| Some(name.as_str()?.to_lowercase()));
    let found = names.filter_map(|name| COMPILING.into_iter().find(|tool| name.starts_with(tool)));
    let tool = found.into_iter().next()?;
    Some(format!(
        "the project is built with {tool}, so that its compiled parts are missing in its plain files: \
         --build builds and installs each side"
    ))
}

fn modules(files: &[&Path; 2]) -> String {
    files.iter().filter_map(|file| Some(shown(file.parent()?))).collect::<Vec<_>>().join("|")
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snippet() -> SnippetSettings {
        SnippetSettings {
            statements: vec!["a = 1\n\nb(a)".into()],
            against: Some("c".into()),
            ..SnippetSettings::default()
        }
    }

    #[test]
    fn both_sides_know_a_statement_by_one_name() {
        let snippet = snippet();
        let task = |side| Task::of(&snippet, side).statements;
        assert_eq!(task(SideName::Head), [("a = 1; b(a)".to_owned(), "a = 1\n\nb(a)")]);
        assert_eq!(task(SideName::Base), [("a = 1; b(a)".to_owned(), "c")]);
    }

    #[test]
    fn projects_with_compiled_parts_are_recognised() {
        let checkout = tempfile::tempdir().unwrap();
        let with = |text: &str| {
            std::fs::write(checkout.path().join("pyproject.toml"), text).unwrap();
            unbuilt(checkout.path()).is_some()
        };
        assert!(with("[build-system]\nrequires = ['Cython>=3', 'setuptools']"));
        assert!(!with("[build-system]\nrequires = ['setuptools']"));
        assert!(!with("[project]\nname = 'x'"));
    }
}
