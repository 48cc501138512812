//! Everything of a merged results file but its rows.

use super::{MergeError, Part, Refusal};
use bench_results::{
    Artifact, EnvironmentInfo, MachineInfo, Results, RunFailure, SideInfo, StoppedBy, TimeSpent,
};
use std::collections::{BTreeMap, BTreeSet};

/// Packages that are named where an environment is not the same on all shards.
const PACKAGES_NAMED: usize = 3;

/// Flags of a command that make it a shard's; each takes a value.
const OF_A_SHARD: [&str; 2] = ["--shard", "--shard-costs"];

/// The whole without rows: what all shards share, and what each has of its own.
///
/// # Errors
/// When there are no parts.
pub(super) fn whole(parts: &[Part]) -> Result<Results, MergeError> {
    let all = || parts.iter().map(|part| &part.results);
    let first = all()
        .find(|results| !results.plan.digest.is_empty())
        .or_else(|| all().find(|results| !results.sides.is_empty()))
        .or_else(|| all().next())
        .ok_or_else(|| MergeError::at([], Refusal::Nothing))?;
    let ends: Option<Vec<&String>> = all().map(|results| results.finished.as_ref()).collect();
    let mut whole = Results {
        command: without_shard(&first.command),
        created: all().map(|results| &results.created).min().cloned().unwrap_or_default(),
        finished: ends.and_then(|ends| ends.into_iter().max()).cloned(),
        sides: first.sides.iter().map(|side| side_of_all(side, parts)).collect(),
        comparisons: distinct(all().flat_map(|results| &results.comparisons), |it| it.id.clone()),
        environments: distinct(all().flat_map(|r| &r.environments), |it| it.name.clone()),
        harnesses: distinct(all().flat_map(|r| &r.harnesses), |it| {
            (it.name.clone(), it.version.clone())
        }),
        machines: parts.iter().flat_map(machines).collect(),
        benchmarks: Vec::new(),
        sentinel: Vec::new(),
        failure: failures(parts).next(),
        stopped_by: all()
            .map(|results| results.stopped_by)
            .max_by_key(gravity)
            .unwrap_or(StoppedBy::Done),
        samples_file: None,
        warnings: warnings(parts),
        ..first.clone()
    };
    whole.settings.time_budget_s =
        all().map(|results| results.settings.time_budget_s).fold(0.0, f64::max);
    whole.summary.time = all().map(|results| results.summary.time).fold(NO_TIME, sum);
    Ok(whole)
}

/// What a machine is called in a merged file: those of two shards may be of one kind and are two.
pub(super) fn machine_id(id: &str, shard: u32) -> String {
    if id.is_empty() { String::new() } else { format!("{id}-{shard}") }
}

fn machines(part: &Part) -> impl Iterator<Item = MachineInfo> {
    let machines = part.results.machines.iter();
    machines
        .map(|machine| MachineInfo { id: machine_id(&machine.id, part.index), ..machine.clone() })
}

/// A side as all shards made it: its cost is theirs together, its artifacts those of each machine.
fn side_of_all(side: &SideInfo, parts: &[Part]) -> SideInfo {
    let made = || parts.iter().flat_map(|part| &part.results.sides).filter(|it| it.id == side.id);
    let artifact = |it: &Artifact| (it.name.clone(), it.sha256.clone());
    SideInfo {
        prepare_s: made().map(|it| it.prepare_s).sum(),
        cached: made().all(|it| it.cached),
        artifacts: distinct(made().flat_map(|it| &it.artifacts), artifact),
        ..side.clone()
    }
}

/// The first of each, in order.
fn distinct<'a, T: Clone + 'a, K: Ord>(
    items: impl Iterator<Item = &'a T>,
    key: impl Fn(&T) -> K,
) -> Vec<T> {
    let mut seen = BTreeSet::new();
    items.filter(|item| seen.insert(key(item))).cloned().collect()
}

const NO_TIME: TimeSpent = TimeSpent { prepare_s: 0.0, measure_s: 0.0, sliced_s: 0.0 };

pub(super) fn sum(a: TimeSpent, b: TimeSpent) -> TimeSpent {
    TimeSpent {
        prepare_s: a.prepare_s + b.prepare_s,
        measure_s: a.measure_s + b.measure_s,
        sliced_s: a.sliced_s + b.sliced_s,
    }
}

/// The whole stopped as its worst part did.
pub(super) fn gravity(stopped_by: &StoppedBy) -> u8 {
    match stopped_by {
        StoppedBy::Done => 0,
        StoppedBy::Budget => 1,
        StoppedBy::Signal => 2,
        StoppedBy::Crash => 3,
    }
}

/// The command without what made it a shard's: it then measures the whole suite.
fn without_shard(command: &[String]) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = command.iter();
    while let Some(word) = rest.next() {
        match word.split_once('=') {
            _ if OF_A_SHARD.contains(&word.as_str()) => drop(rest.next()),
            Some((flag, _)) if OF_A_SHARD.contains(&flag) => {}
            _ => words.push(word.clone()),
        }
    }
    words
}

/// Sides that could not be prepared, each with the shard it happened on.
fn failures(parts: &[Part]) -> impl Iterator<Item = RunFailure> {
    parts.iter().filter_map(|part| {
        let failure = part.results.failure.as_ref()?;
        Some(RunFailure {
            message: format!("{}: {}", name(part), failure.message),
            ..failure.clone()
        })
    })
}

/// `shard 2 of 4`.
fn name(part: &Part) -> String {
    let count = part.results.shard.as_ref().map_or(0, |shard| shard.count);
    format!("shard {} of {count}", part.index)
}

/// What the shards say, each sentence once, and what only their comparison shows.
fn warnings(parts: &[Part]) -> Vec<String> {
    let lost = parts.iter().filter(|part| part.is_lost());
    let lost =
        lost.map(|part| format!("{} was stopped before it had measured anything", name(part)));
    let more_failures = failures(parts).skip(1).map(|failure| {
        format!("{} could not be prepared ({}): {}", failure.side, failure.stage, failure.message)
    });
    let said = parts.iter().flat_map(|part| {
        // The first sentence of a shard that got nothing says just that.
        let skipped = usize::from(
            part.is_planned() && part.results.benchmarks.is_empty() && part.results.plan.found > 0,
        );
        part.results.warnings.iter().skip(skipped).cloned()
    });
    let all = lost.chain(more_failures).chain(environments(parts)).chain(said);
    let mut seen = BTreeSet::new();
    all.filter(|warning| seen.insert(warning.clone())).collect()
}

/// An environment that was made from other packages on another machine.
fn environments(parts: &[Part]) -> Vec<String> {
    let mut first: BTreeMap<&str, &EnvironmentInfo> = BTreeMap::new();
    let mut warnings = Vec::new();
    for part in parts {
        for environment in &part.results.environments {
            let known = *first.entry(&environment.name).or_insert(environment);
            if let Some(differences) = differences(known, environment) {
                warnings.push(format!(
                    "environment {} is not the same on {}: {differences}; pin its packages",
                    environment.name,
                    name(part)
                ));
            }
        }
    }
    warnings
}

/// What an environment has that another of its name has not.
fn differences(known: &EnvironmentInfo, other: &EnvironmentInfo) -> Option<String> {
    let of = |environment: &EnvironmentInfo| -> BTreeSet<String> {
        let python = environment.python.iter().map(|version| format!("Python {version}"));
        python.chain(environment.packages.iter().cloned()).collect()
    };
    let (known, other) = (of(known), of(other));
    let more: Vec<&String> = other.difference(&known).collect();
    let named: Vec<&str> = more.iter().take(PACKAGES_NAMED).map(|it| it.as_str()).collect();
    match (more.len().saturating_sub(PACKAGES_NAMED), known == other) {
        (_, true) => None,
        (0, _) if more.is_empty() => Some("packages are missing".to_owned()),
        (0, _) => Some(named.join(", ")),
        (more, _) => Some(format!("{} and {more} more", named.join(", "))),
    }
}
