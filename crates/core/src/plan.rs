//! What a run is going to do: sides, suites and environments. Printable, and nothing is built yet.

use crate::absent::why_nothing;
use crate::config::{Compare, Config, Pattern, Suite, percent};
use crate::environments;
use crate::prepare::{Planned, Side};
use crate::shard::{Partition, Shard};
use bench_harness::{HarnessError, Tree, by_name};
use bench_results::SideInfo;
use std::collections::BTreeSet;

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
    let (mut groups, mut own) = (Vec::new(), BTreeSet::new());
    for suite in &config.suites {
        groups.extend(groups_of(config, suite, tree, &mut own)?);
    }
    environments::check(config, &own)?;
    Ok(groups)
}

/// Adds the names of the harness's own environments to `names`.
fn groups_of<'a>(
    config: &'a Config,
    suite: &'a Suite,
    tree: &dyn Tree,
    names: &mut BTreeSet<String>,
) -> Result<Vec<Planned<'a>>, HarnessError> {
    let harness = by_name(&suite.settings.harness).ok_or_else(|| HarnessError {
        place: format!("suite `{}`", suite.settings.name),
        message: format!("there is no harness `{}`", suite.settings.harness),
    })?;
    let own = harness.environments(tree, &suite.settings)?;
    names.extend(own.iter().map(|environment| environment.name.clone()));
    let pairs = environments::pairs(suite, own, config);
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
    lines.push(benchmarks(config));
    lines.push(rule(&config.compare));
    lines.extend(limits(config));
    lines.extend(plan.warnings.iter().map(|warning| format!("warning: {warning}")));
    lines.join("\n") + "\n"
}

/// How many there are, where the configuration alone says it.
fn benchmarks(config: &Config) -> String {
    if config.suites.is_empty() {
        return why_nothing(config, &[], bench_harness::all());
    }
    let listed = config.suites.iter().all(|suite| !suite.settings.commands.is_empty());
    if !listed {
        return "benchmarks: known when both sides are prepared; `bench-action list` prepares them"
            .to_owned();
    }
    let wanted = config.suites.iter().flat_map(|suite| {
        let ids =
            suite.settings.commands.iter().map(|command| {
                bench_results::benchmark_id(&suite.settings.name, &command.name, &[])
            });
        ids.filter(|id| suite.wants(id, &config.compare))
    });
    let ids: Vec<String> = wanted.collect();
    let shard = config.compare.shard.as_ref();
    let partition = Partition::new(shard, ids.iter().map(String::as_str));
    let ours = ids.iter().filter(|id| partition.is_ours(id)).count();
    match shard {
        Some(_) => format!("benchmarks: {ours} of {}", ids.len()),
        None => format!("benchmarks: {ours}"),
    }
}

/// When a difference counts.
fn rule(compare: &Compare) -> String {
    let threshold = percent(compare.threshold);
    let memory = match compare.memory_threshold == compare.threshold {
        true => String::new(),
        false => format!(" ({} for peak memory)", percent(compare.memory_threshold)),
    };
    format!(
        "threshold {threshold}{memory}, tolerance {}, chance of any false alarm at most {}",
        percent(compare.tolerance),
        percent(compare.alpha)
    )
}

/// What bounds the run, narrows it, and makes it fail.
fn limits(config: &Config) -> Vec<String> {
    let compare = &config.compare;
    let budget = match compare.time_budget {
        Some(budget) => format!("{} s", budget.as_secs_f64()),
        None => {
            "10 s for each benchmark (more where a launch takes long by itself), at most 10 min"
                .to_owned()
        }
    };
    let blocks = match compare.repeat {
        Some(blocks) => format!("exactly {blocks}"),
        None => format!("at most {}", compare.max_blocks),
    };
    let mut lines = vec![format!("time budget: {budget}; blocks for each benchmark: {blocks}")];
    let causes: Vec<&str> = compare.fail_on.iter().map(|cause| cause.word()).collect();
    let causes = if causes.is_empty() { "never".to_owned() } else { causes.join(", ") };
    let from = percent(compare.fail_threshold);
    lines.push(format!("fail-on: {causes}; a regression fails from {from} on"));
    let filters: Vec<&str> = compare.filters.iter().map(Pattern::as_str).collect();
    let suites = config.suites.iter().filter_map(|suite| {
        Some(format!(
            "filter of suite {}: {}",
            suite.settings.name,
            suite.filter.as_ref()?.as_str()
        ))
    });
    if !filters.is_empty() {
        lines.push(format!("filter: {}", filters.join(" or ")));
    }
    lines.extend(suites);
    if let Some(shard) = &compare.shard {
        lines.push(part(shard));
    }
    let ignored = compare.ignore_paths.patterns();
    if !ignored.is_empty() {
        lines.push(format!("ignore-paths: {}", ignored.join(", ")));
    }
    if let Some(seed) = &compare.seed {
        lines.push(format!("seed: {seed}"));
    }
    lines
}

/// Which part, and how it is found.
fn part(shard: &Shard) -> String {
    let Shard { index, count, costs } = shard;
    let how = match costs.is_empty() {
        true => "by a hash of the ids",
        false => "by the costs of an earlier run",
    };
    format!(
        "shard: {index}/{count}, {how}; each shard has a time budget of its own, and all share K"
    )
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
