//! The workflows: the files of `examples/workflows`, word for word but for what a repository has of
//! its own.

use super::repository::Repository;
use super::{Draft, pin};
use crate::args::{InitArgs, More};
use bench_harness::Language;
use std::path::Path;

macro_rules! example {
    ($name:literal) => {
        include_str!(concat!("../../../../../examples/workflows/", $name))
    };
}

const PAIR: &str = example!("bench.yml");
const COMMENT: &str = example!("bench-comment.yml");
const NO_FORKS: &str = example!("pull-request.yml");
const ONE_JOB: &str = example!("one-job.yml");
const BY_LABEL: &str = example!("by-label.yml");
const SHARDS: &str = example!("shards.yml");

/// Where a project's set-up goes.
const SETUP: &str = "      # Here the project's own set-up, if it needs one: interpreters, compilers, \
    system packages.\n";
/// What the examples call what each repository calls its own.
const DEFAULT_BRANCH: &str = "branches: [main]";
const REFERENCE: &str = "base: v1.0.0 #";
const LABEL: &str = "'benchmark'";
const FOUR: &str = "shard: [1, 2, 3, 4]";
const OF_FOUR: &str = "}}/4\n";
/// Begins the job that reports, at the end of a workflow that does not rely on a second one.
const REPORT: &str =
    "\n  # Runs no code of the pull request, and therefore may hold a token that writes.\n";

const SETUP_PYTHON: &str = "actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0";
const SETUP_GO: &str = "actions/setup-go@b7ad1dad31e06c5925ef5d2fc7ad053ef454303e # v7.0.0";
const SETUP_NODE: &str = "actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0";

/// Everything that goes below `.github/workflows`.
pub(super) fn drafts(args: &InitArgs, repository: &Repository, commit: &str) -> Vec<Draft> {
    let fill = |text: &str| {
        let branch = format!("branches: [{}]", quoted(&repository.default_branch));
        let reference = repository.commit.as_deref().unwrap_or("v1.0.0");
        text.replace(pin::UNKNOWN, commit)
            .replace(REFERENCE, &format!("base: {reference} #"))
            .replace(SETUP, &setup(repository))
            .replace(DEFAULT_BRANCH, &branch)
    };
    let measure = Draft {
        path: ".github/workflows/bench.yml",
        text: fill(&measuring(args)),
        purpose: "measures pull requests",
    };
    let comment = Draft {
        path: ".github/workflows/bench-comment.yml",
        text: fill(COMMENT),
        purpose: "posts what it has found, for forks too",
    };
    let mut drafts = vec![measure];
    drafts.extend(has_trusted_half(args).then_some(comment));
    for more in &args.with {
        let (path, example, purpose) = further(*more);
        if drafts.iter().all(|draft| draft.path != path) {
            drafts.push(Draft { path, text: fill(example), purpose });
        }
    }
    drafts
}

/// Whether a second workflow posts what the first has measured.
pub(super) fn has_trusted_half(args: &InitArgs) -> bool {
    !args.no_forks && !args.one_job
}

fn measuring(args: &InitArgs) -> String {
    match (args.shards, &args.label) {
        (Some(count), _) => {
            let all: Vec<String> = (1..=count).map(|shard| shard.to_string()).collect();
            let text = if has_trusted_half(args) { without_report(SHARDS) } else { SHARDS };
            text.replace(FOUR, &format!("shard: [{}]", all.join(", ")))
                .replace(OF_FOUR, &format!("}}}}/{count}\n"))
                .replace("runner, on four:", "runner, on several:")
        }
        // A quote is doubled in an expression; the comment above it names the example's own.
        (None, Some(label)) => BY_LABEL
            .replace(LABEL, &format!("'{}'", label.replace('\'', "''")))
            .replace("the label \"benchmark\"", "one label"),
        (None, None) if args.one_job => ONE_JOB.into(),
        (None, None) if args.no_forks => NO_FORKS.into(),
        (None, None) => PAIR.into(),
    }
}

/// Up to the job that reports.
fn without_report(example: &str) -> &str {
    example.split_once(REPORT).map_or(example, |(measuring, _)| measuring)
}

fn further(more: More) -> (&'static str, &'static str, &'static str) {
    match more {
        More::WarmCache => (
            ".github/workflows/bench-warm-cache.yml",
            example!("warm-cache.yml"),
            "builds the default branch at each push",
        ),
        More::Rerun => {
            (".github/workflows/bench-rerun.yml", example!("rerun.yml"), "measures again, by hand")
        }
        More::SlashBench => (
            ".github/workflows/bench-slash.yml",
            example!("slash-bench.yml"),
            "measures again when somebody comments /bench",
        ),
        More::History => (
            ".github/workflows/bench-history.yml",
            example!("history.yml"),
            "measures and records the default branch every night",
        ),
    }
}

/// The steps that make a runner ready. Without any, the place where they would go stays marked.
fn setup(repository: &Repository) -> String {
    let steps = repository.languages.iter().filter_map(|language| match language {
        // rustup is on the runner, and gets what rust-toolchain.toml asks for.
        Language::Rust => None,
        Language::Python => Some(python(repository)),
        Language::Go => Some(go(repository)),
        Language::JavaScript => Some(node(repository)),
    });
    let steps: String = steps.collect();
    if steps.is_empty() { SETUP.into() } else { steps }
}

fn python(repository: &Repository) -> String {
    let with = match (&repository.pythons, repository.python_file) {
        (versions, _) if versions.len() == 1 => {
            versions.iter().map(|version| format!("python-version: {}", quoted(version))).collect()
        }
        (versions, _) if !versions.is_empty() => {
            let lines = versions.iter().map(|version| format!("\n            {version}"));
            format!("python-version: |{}", lines.collect::<String>())
        }
        (_, Some(file)) => format!("python-version-file: {file}"),
        (_, None) => "python-version: \"3.x\"".to_owned(),
    };
    step("Set up Python", SETUP_PYTHON, &[with])
}

fn go(repository: &Repository) -> String {
    let place = repository.go_module.as_deref().unwrap_or(Path::new(""));
    let file = place.join("go.mod").display().to_string();
    let with = [format!("go-version-file: {}", quoted(&file)), "cache: false".into()];
    step("Set up Go", SETUP_GO, &with)
}

fn node(repository: &Repository) -> String {
    let with = match repository.node_file {
        Some(file) => format!("node-version-file: {file}"),
        None => "node-version: lts/*".to_owned(),
    };
    step("Set up Node", SETUP_NODE, &[with])
}

fn step(name: &str, uses: &str, with: &[String]) -> String {
    let with: String = with.iter().map(|line| format!("          {line}\n")).collect();
    format!("      - name: {name}\n        uses: {uses}\n        with:\n{with}")
}

/// A YAML scalar: as it is where nothing in it could mean anything else, else quoted as JSON is.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/_-.".contains(c);
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_plain);
    if is_word { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}
