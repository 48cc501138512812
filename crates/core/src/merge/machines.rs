//! Results of one comparison from several machines become one file with a comparison for each.
//!
//! The machines measured the same, each by a plan of its own. What one found stands as it stood: with `m`
//! machines both K of a row and alpha of the whole are `m` times what they were, so that every row is
//! judged by the same level as on its machine, and the bound on false alarms is the sum of theirs.

use super::frame::{gravity, sum};
use super::{MergeError, Refusal, agreement};
use crate::judge;
use bench_results::{
    Caps, ComparisonInfo, EnvironmentInfo, MachineInfo, PlanInfo, Results, Row, RunFailure,
    Settings, ShardInfo, SideInfo, hex,
};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// The results of one machine, under the name a person gives it.
#[derive(Clone, Debug)]
pub struct OfMachine {
    /// What the machine is called in the report.
    pub name: String,
    /// What it measured: a whole run, or all shards of one.
    pub results: Results,
}

impl OfMachine {
    /// What a comparison is called beside those of other machines.
    #[must_use]
    pub fn comparison(&self, id: &str) -> String {
        match self.results.comparisons.as_slice() {
            [_] => self.name.clone(),
            _ => self.named(id),
        }
    }

    fn named(&self, thing: &str) -> String {
        format!("{thing} on {}", self.name)
    }

    fn machine(&self, id: &str) -> String {
        if id.is_empty() { String::new() } else { format!("{id}-{}", self.name) }
    }
}

/// Puts the results of several machines into one file, judged again.
///
/// # Errors
/// When they are not of one comparison, or not whole: see [`Refusal`].
pub fn of_machines(runs: &[OfMachine]) -> Result<Results, MergeError> {
    check(runs)?;
    let environments = environments(runs);
    let mut whole = frame(runs)?;
    for run in runs {
        let own = |name: &String| own_environment(run, name, &environments);
        whole.sides.extend(run.results.sides.iter().map(|side| SideInfo {
            id: run.named(&side.id),
            environment: own(&side.environment),
            ..side.clone()
        }));
        whole.comparisons.extend(run.results.comparisons.iter().map(|it| comparison(run, it)));
        whole.machines.extend(run.results.machines.iter().map(|machine| MachineInfo {
            id: run.machine(&machine.id),
            name: Some(run.name.clone()),
            ..machine.clone()
        }));
        let row = |row: &Row| row_of(run, row, runs.len() as u64);
        whole.benchmarks.extend(run.results.benchmarks.iter().map(row));
        whole.sentinel.extend(run.results.sentinel.iter().map(row));
    }
    whole.environments = environments.into_values().flatten().collect();
    judge::judge(&mut whole);
    Ok(whole)
}

fn check(runs: &[OfMachine]) -> Result<(), MergeError> {
    let mut names = BTreeMap::new();
    for (at, run) in runs.iter().enumerate() {
        if let Some(first) = names.insert(&run.name, at) {
            return Err(MergeError::at([first, at], Refusal::SameMachine(run.name.clone())));
        }
        let is_whole = |shard: &ShardInfo| shard.index == 0 && shard.missing.is_empty();
        if !run.results.shard.as_ref().is_none_or(is_whole) {
            return Err(MergeError::at([at], Refusal::NotWhole));
        }
    }
    let (Some(first), true) = (runs.first(), runs.len() > 1) else {
        return Err(MergeError::at([], Refusal::OneMachine));
    };
    for (at, run) in runs.iter().enumerate().skip(1) {
        if let Some(why) = agreement::of_machines(&first.results, &run.results) {
            return Err(MergeError::at([0, at], why));
        }
    }
    let rows: usize = runs.iter().map(|run| run.results.benchmarks.len()).sum();
    let most = Caps::default().rows;
    if rows > most { Err(MergeError::at([], Refusal::Rows { most })) } else { Ok(()) }
}

/// Everything that is one for all machines.
fn frame(runs: &[OfMachine]) -> Result<Results, MergeError> {
    let all = || runs.iter().map(|run| &run.results);
    let first = all().next().ok_or_else(|| MergeError::at([], Refusal::OneMachine))?;
    let ends: Option<Vec<&String>> = all().map(|results| results.finished.as_ref()).collect();
    let failure = runs.iter().find_map(|run| {
        let failure = run.results.failure.as_ref()?;
        let message = format!("on {}: {}", run.name, failure.message);
        Some(RunFailure { message, ..failure.clone() })
    });
    let mut whole = Results {
        created: all().map(|results| &results.created).min().cloned().unwrap_or_default(),
        finished: ends.and_then(|ends| ends.into_iter().max()).cloned(),
        settings: Settings {
            alpha: first.settings.alpha * runs.len() as f64,
            time_budget_s: all().map(|it| it.settings.time_budget_s).fold(0.0, f64::max),
            ..first.settings.clone()
        },
        plan: plan(runs),
        shard: None,
        sides: Vec::new(),
        comparisons: Vec::new(),
        environments: Vec::new(),
        harnesses: Vec::new(),
        machines: Vec::new(),
        benchmarks: Vec::new(),
        sentinel: Vec::new(),
        failure,
        stopped_by: all()
            .map(|results| results.stopped_by)
            .max_by_key(gravity)
            .unwrap_or(first.stopped_by),
        samples_file: None,
        warnings: warnings(runs),
        ..first.clone()
    };
    for harness in all().flat_map(|results| &results.harnesses) {
        if !whole.harnesses.contains(harness) {
            whole.harnesses.push(harness.clone());
        }
    }
    whole.summary.time =
        all().skip(1).fold(first.summary.time, |time, it| sum(time, it.summary.time));
    Ok(whole)
}

/// All plans together.
fn plan(runs: &[OfMachine]) -> PlanInfo {
    let plans = || runs.iter().map(|run| &run.results.plan);
    let mut hasher = Sha256::new();
    plans().for_each(|plan| hasher.update(&plan.digest));
    PlanInfo {
        digest: hex(&hasher.finalize()),
        family_size: plans().map(|plan| plan.family_size).sum(),
        planned: plans().map(|plan| plan.planned).sum(),
        screened: plans().map(|plan| plan.screened).sum(),
        found: plans().map(|plan| plan.found).max().unwrap_or(0),
    }
}

fn comparison(run: &OfMachine, it: &ComparisonInfo) -> ComparisonInfo {
    let machine = run.results.machines.first().map(|machine| run.machine(&machine.id));
    ComparisonInfo {
        id: run.comparison(&it.id),
        base: run.named(&it.base),
        head: run.named(&it.head),
        machine: Some(machine.unwrap_or_else(|| run.name.clone())),
    }
}

fn row_of(run: &OfMachine, row: &Row, machines: u64) -> Row {
    Row {
        comparison: run.comparison(&row.comparison),
        machine: run.machine(&row.machine),
        family: row.family.max(1).saturating_mul(machines),
        ..row.clone()
    }
}

/// Every environment under its name; one that is not the same on all machines once for each.
type Environments = BTreeMap<String, Vec<EnvironmentInfo>>;

fn environments(runs: &[OfMachine]) -> Environments {
    let mut all: BTreeMap<&str, Vec<(&OfMachine, &EnvironmentInfo)>> = BTreeMap::new();
    for run in runs {
        for environment in &run.results.environments {
            all.entry(&environment.name).or_default().push((run, environment));
        }
    }
    let told = |of: Vec<(&OfMachine, &EnvironmentInfo)>| match of.as_slice() {
        [(_, first), rest @ ..] if rest.iter().all(|(_, other)| other == first) => {
            vec![(*first).clone()]
        }
        all => {
            let named = |(run, it): &(&OfMachine, &EnvironmentInfo)| EnvironmentInfo {
                name: run.named(&it.name),
                ..(*it).clone()
            };
            all.iter().map(named).collect()
        }
    };
    all.into_iter().map(|(name, of)| (name.to_owned(), told(of))).collect()
}

/// What an environment is called beside those of other machines.
fn own_environment(run: &OfMachine, name: &str, environments: &Environments) -> String {
    let is_shared = environments.get(name).is_none_or(|all| all.iter().any(|it| it.name == name));
    if is_shared { name.to_owned() } else { run.named(name) }
}

/// What a single machine says with its name, what all say once.
fn warnings(runs: &[OfMachine]) -> Vec<String> {
    let is_everywhere =
        |warning: &String| runs.iter().all(|run| run.results.warnings.contains(warning));
    let said = runs.iter().flat_map(|run| {
        run.results.warnings.iter().map(move |warning| match is_everywhere(warning) {
            true => warning.clone(),
            false => format!("on {}: {warning}", run.name),
        })
    });
    let has_commits = runs.iter().flat_map(|run| &run.results.sides).all(|it| it.commit.is_some());
    let unknown = (!has_commits).then(|| {
        "the builds say of no commit that they were made from it: whether they are the same on all \
         machines is not known"
            .to_owned()
    });
    let mut seen = BTreeSet::new();
    unknown.into_iter().chain(said).filter(|warning| seen.insert(warning.clone())).collect()
}
