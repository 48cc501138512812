//! What a run is going to do: sides, suites and environments. Printable, and nothing is built yet.

use crate::config::{Config, Suite};
use crate::prepare::{Planned, Side, environments};
use bench_harness::{HarnessError, Tree, by_name};
use bench_results::SideInfo;

/// A complete plan.
#[derive(Debug)]
pub struct Plan<'a> {
    /// Base and head.
    pub sides: [Side; 2],
    /// The same for the results file; versions and artifacts are filled in when they are built.
    pub infos: [SideInfo; 2],
    /// Suites in environments.
    pub groups: Vec<Planned<'a>>,
    /// What identifies base and head in the random streams: commit, or digest.
    pub compared: (String, String),
    /// Things a person should know.
    pub warnings: Vec<String>,
}

/// Plans every suite in every environment it asks for.
///
/// # Errors
/// A mistake in a harness's own configuration file.
pub fn groups<'a>(config: &'a Config, tree: &dyn Tree) -> Result<Vec<Planned<'a>>, HarnessError> {
    let mut groups = Vec::new();
    for suite in &config.suites {
        groups.extend(groups_of(config, suite, tree)?);
    }
    Ok(groups)
}

fn groups_of<'a>(
    config: &'a Config,
    suite: &'a Suite,
    tree: &dyn Tree,
) -> Result<Vec<Planned<'a>>, HarnessError> {
    let harness = by_name(&suite.settings.harness).ok_or_else(|| HarnessError {
        place: format!("suite `{}`", suite.settings.name),
        message: format!("there is no harness `{}`", suite.settings.harness),
    })?;
    let own = harness.environments(tree, &suite.settings)?;
    let pairs = environments(suite, own, &config.environments, &config.compare);
    Ok(pairs
        .into_iter()
        .map(|(name, environments)| Planned { suite, harness, environments, name })
        .collect())
}

/// The plan as text, for `--dry-run`.
#[must_use]
pub fn describe(plan: &Plan<'_>, config: &Config) -> String {
    let mut lines = Vec::new();
    for info in &plan.infos {
        let subject = info.subject.as_deref().unwrap_or_default();
        let commit = info.commit.as_deref().unwrap_or("(existing build)");
        lines.push(
            format!("{:<5} {commit}  {}  {subject}", info.id, info.label).trim_end().to_owned(),
        );
    }
    for group in &plan.groups {
        let settings = &group.suite.settings;
        let python = group.environments[1].python.as_deref().unwrap_or("the one on the PATH");
        let directory = match settings.directory.as_os_str().is_empty() {
            true => ".".to_owned(),
            false => settings.directory.display().to_string(),
        };
        lines.push(format!(
            "suite {} · {} in {directory} · environment {} · Python {python} · benchmarks from {}",
            settings.name,
            group.harness.name(),
            group.name,
            words(&settings.benchmarks_from),
        ));
    }
    let compare = &config.compare;
    lines.push(format!(
        "threshold {} %, tolerance {} %, chance of any false alarm at most {} %, at most {} blocks each",
        compare.threshold * 100.0,
        compare.tolerance * 100.0,
        compare.alpha * 100.0,
        compare.max_blocks
    ));
    lines.extend(plan.warnings.iter().map(|warning| format!("warning: {warning}")));
    lines.join("\n") + "\n"
}

fn words(from: &bench_harness::BenchmarksFrom) -> String {
    use bench_harness::BenchmarksFrom;
    match from {
        BenchmarksFrom::Head => "head".to_owned(),
        BenchmarksFrom::Base => "base".to_owned(),
        BenchmarksFrom::Each => "each side".to_owned(),
        BenchmarksFrom::Path(path) => path.display().to_string(),
    }
}
