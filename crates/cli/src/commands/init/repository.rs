//! What `init` finds out of a repository instead of asking for it.

use crate::commands::here::suite_and_place;
use crate::commands::tree::{WorkingTree, git};
use crate::error::CliError;
use crate::terminal::plain;
use bench_core::config::{Config, Flags};
use bench_core::plan;
use bench_core::skeleton::today;
use bench_harness::{Language, Tree as _};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What is known of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Repository {
    pub(super) default_branch: String,
    /// Its newest commit as the remote has it, else the current one; none in a new repository.
    pub(super) commit: Option<String>,
    /// As a person is told of them.
    pub(super) suites: Vec<String>,
    /// What has to be set up before a side can be built.
    pub(super) languages: BTreeSet<Language>,
    /// Pythons that the suites ask for by their version.
    pub(super) pythons: BTreeSet<String>,
    /// The file that says which Python, where there is one.
    pub(super) python_file: Option<&'static str>,
    /// Where the Go module is that has benchmarks.
    pub(super) go_module: Option<PathBuf>,
    /// The file that says which Node, where there is one.
    pub(super) node_file: Option<&'static str>,
}

impl Repository {
    /// Reads the working tree; builds nothing.
    pub(super) fn look(tree: &WorkingTree) -> Result<Self, CliError> {
        let harnesses = bench_harness::all();
        let mut config = Config::load(&Flags::default(), &tree.root, harnesses, today())?;
        config.detect(tree, harnesses)?;
        let branch = default_branch(tree);
        let mut seen = Self {
            commit: commit(tree, &branch),
            default_branch: branch,
            suites: config
                .suites
                .iter()
                .map(|suite| plain(&suite_and_place(&suite.settings)))
                .collect(),
            python_file: python_file(tree),
            node_file: [".nvmrc", ".node-version"].into_iter().find(|file| has(tree, file)),
            ..Self::default()
        };
        for group in plan::groups(&config, tree)? {
            let Some(language) = group.harness.language() else { continue };
            seen.languages.insert(language);
            if language == Language::Python {
                let wanted = group.environments.iter().filter_map(|one| one.python.clone());
                seen.pythons.extend(wanted.filter(|python| is_version(python)));
            }
            if language == Language::Go {
                seen.go_module.get_or_insert_with(|| group.suite.settings.directory.clone());
            }
        }
        Ok(seen)
    }

    /// One line.
    pub(super) fn summary(&self) -> String {
        let suites = match self.suites.as_slice() {
            [] => "no suite".to_owned(),
            suites => suites.join(", "),
        };
        format!("{suites}; default branch {}", plain(&self.default_branch))
    }
}

/// Where `setup-python` reads a version from.
fn python_file(tree: &WorkingTree) -> Option<&'static str> {
    let says = |file: &str, word: &str| {
        let bytes = if has(tree, file) { tree.read(file) } else { None };
        bytes.is_some_and(|bytes| String::from_utf8_lossy(&bytes).contains(word))
    };
    let files = [(".python-version", ""), ("pyproject.toml", "requires-python")];
    files.into_iter().find(|(file, word)| says(file, word)).map(|(file, _)| file)
}

fn has(tree: &WorkingTree, path: &str) -> bool {
    tree.files().iter().any(|file| file == path)
}

/// `3.12`, as opposed to the path of an interpreter.
fn is_version(python: &str) -> bool {
    python.starts_with(|c: char| c.is_ascii_digit())
        && python.chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn commit(tree: &WorkingTree, branch: &str) -> Option<String> {
    [format!("refs/remotes/origin/{branch}"), "HEAD".to_owned()].iter().find_map(|name| {
        let found = git(&tree.root, &["rev-parse", "--verify", "--quiet", name])?;
        Some(found.trim().to_owned()).filter(|id| !id.is_empty())
    })
}

/// As the remote has it; else the one of two usual names that is there; else the current one.
fn default_branch(tree: &WorkingTree) -> String {
    let ask = |arguments: &[&str]| {
        let answer = git(&tree.root, arguments)?.trim().to_owned();
        (!answer.is_empty()).then_some(answer)
    };
    let at_remote = || {
        let name = ask(&["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"])?;
        name.strip_prefix("origin/").map(str::to_owned)
    };
    let usual = || {
        let is_there = |name: &&str| {
            ask(&["rev-parse", "--verify", "--quiet", &format!("refs/heads/{name}")]).is_some()
        };
        ["main", "master"].into_iter().find(is_there).map(str::to_owned)
    };
    let current = || ask(&["symbolic-ref", "--quiet", "--short", "HEAD"]);
    at_remote().or_else(usual).or_else(current).unwrap_or_else(|| "main".into())
}
