//! A results file before anything is measured: who, what, where, and what is registered.

use crate::config::Config;
use crate::matching::{TooLittle, Whole};
use crate::plan::Plan;
use crate::prepare::Prepared;
use crate::{record, shard};
use bench_process::Machine;
use bench_results::{
    ComparisonInfo, ConfigInfo, Counts, EnvironmentInfo, HarnessInfo, MachineInfo, PlanInfo,
    Redactor, Results, SCHEMA, Settings, ShardInfo, SideInfo, StoppedBy, Summary, TimeSpent,
    ToolInfo, Trust, WholeVerdict, hex, is_revision,
};
use bench_stats::minimum_blocks;
use sha2::{Digest as _, Sha256};

/// What a run knows of itself.
#[derive(Clone, Debug)]
pub struct Identity {
    /// This program.
    pub tool: ToolInfo,
    /// Its command line.
    pub command: Vec<String>,
    /// The CI runner, where there is one.
    pub runner: Option<String>,
    /// The seed, where neither flag nor file gives one.
    pub seed: String,
    /// Keeps secrets out of what is written.
    pub redactor: Redactor,
}

/// The present moment, RFC 3339 in UTC.
#[must_use]
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The present day, in UTC.
#[must_use]
pub fn today() -> jiff::civil::Date {
    // The first ten characters of a timestamp are its date.
    now().get(..10).and_then(|date| date.parse().ok()).unwrap_or_default()
}

/// A file with everything but benchmarks; without a plan where the sides were not even found.
#[must_use]
pub fn skeleton(
    identity: &Identity,
    config: &Config,
    plan: Option<&Plan<'_>>,
    prepared: &[Prepared],
    prepare_s: f64,
) -> Results {
    let planned = plan.iter().flat_map(|plan| &plan.warnings);
    let mut warnings: Vec<String> = config.warnings.iter().chain(planned).cloned().collect();
    warnings.extend(prepared.iter().flat_map(|group| group.warnings.iter().cloned()));
    let mut seen = std::collections::BTreeSet::new();
    warnings.retain(|warning| seen.insert(warning.clone()));
    let redact = |text: &String| identity.redactor.text(text).into_owned();
    Results {
        schema: SCHEMA.to_owned(),
        tool: identity.tool.clone(),
        created: now(),
        command: identity.redactor.arguments(&identity.command),
        config: ConfigInfo { digest: config.digest() },
        seed: seed(identity, config, plan),
        settings: record::settings(
            config,
            config.compare.time_budget.map_or(0.0, |budget| budget.as_secs_f64()),
        ),
        plan: PlanInfo { digest: String::new(), family_size: 0, planned: 0, screened: 0, found: 0 },
        shard: config.compare.shard.as_ref().map(|shard| ShardInfo {
            index: shard.index,
            count: shard.count,
            missing: Vec::new(),
        }),
        sides: plan.map_or_else(Vec::new, |plan| sides(plan, prepared)),
        comparisons: plan.map_or_else(Vec::new, comparisons),
        environments: unique(
            prepared.iter().flat_map(|group| group.environments.iter().rev().cloned()),
        ),
        harnesses: unique_harnesses(prepared),
        machines: vec![machine(identity.runner.clone())],
        benchmarks: Vec::new(),
        sentinel: Vec::new(),
        trust: Trust { ok: true, reason: None },
        failure: None,
        summary: Summary {
            verdict: WholeVerdict::Empty,
            counts: Counts::default(),
            time: TimeSpent { prepare_s, measure_s: 0.0, sliced_s: 0.0 },
        },
        finished: None,
        stopped_by: StoppedBy::Done,
        samples_file: None,
        warnings: warnings.iter().map(redact).collect(),
    }
}

/// The seed that was given; else one that all shards share, or one drawn for this run.
fn seed(identity: &Identity, config: &Config, plan: Option<&Plan<'_>>) -> String {
    let of_shards = |plan: &Plan<'_>| shard::seed(&plan.compared.0, &plan.compared.1);
    let shared = || config.compare.shard.as_ref().and(plan).map(of_shards);
    let given = config.compare.seed.clone().or_else(shared);
    given.unwrap_or_else(|| identity.seed.clone())
}

/// Fills in what is registered: K, the budget, and the plan's digest.
///
/// `found` is how many benchmarks there are on either side, `budget_s` this shard's own budget.
pub fn register(
    results: &mut Results,
    config: &Config,
    whole: &Whole,
    found: usize,
    budget_s: f64,
) {
    results.settings = record::settings(config, budget_s);
    results.plan = PlanInfo {
        digest: plan_digest(results, whole),
        family_size: whole.family,
        planned: whole.planned.len() as u64,
        screened: whole.left_out as u64,
        found: found as u64,
    };
    if let Some(TooLittle { there_is, all_would_take }) = whole.too_little {
        let shards = match &config.compare.shard {
            Some(shard) => format!(" of {} shards", shard.count),
            None => String::new(),
        };
        results.warnings.push(format!(
            "the time budget{shards} of {} cannot hold all {} combinations: one of each function is measured, \
             chosen by the seed; all of them would take about {} (--all, or a longer --time-budget)",
            duration(there_is),
            whole.planned.len() + whole.left_out,
            duration(all_would_take),
        ));
    }
    if !config.compare.estimates_only {
        results.warnings.extend(too_few_blocks(&results.settings, whole.family));
    }
}

/// A cap on the blocks below what any verdict takes: the run goes ahead, its samples may be what is
/// wanted, but nobody waits for a decision that cannot come.
fn too_few_blocks(settings: &Settings, family: u64) -> Option<String> {
    let needed = match usize::try_from(family).ok()? {
        0 => return None,
        family => minimum_blocks(family, settings.alpha),
    };
    let (flag, blocks) = match settings.repeat {
        Some(blocks) => ("--repeat", blocks),
        None => ("--max-blocks", settings.max_blocks),
    };
    ((blocks as usize) < needed).then(|| {
        format!(
            "{flag} {blocks} is too small for any change to be called: among {} it takes {needed} blocks or more",
            if family == 1 { "1 benchmark".to_owned() } else { format!("{family} benchmarks") },
        )
    })
}

/// Digest of the whole plan: what is compared, how, and who measures what. It is the same for all
/// shards, and for a run that is taken up again.
fn plan_digest(results: &Results, whole: &Whole) -> String {
    let mut hasher = Sha256::new();
    for side in &results.sides {
        let name = side.commit.as_ref().unwrap_or(&side.label);
        hasher.update(format!("{name:?}{:?}", side.diff_digest));
    }
    hasher.update(&results.config.digest);
    for (id, shard) in &whole.planned {
        hasher.update(format!("{id:?}{shard:?}"));
    }
    hex(&hasher.finalize())
}

/// Seconds as a person says them: `45 s`, `12 min`, `5 h`.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Base and head of every comparison: a side is a revision in an environment.
fn sides(plan: &Plan<'_>, prepared: &[Prepared]) -> Vec<SideInfo> {
    let names = names(plan);
    let of = |name: &&str| [0, 1].map(|at| side(plan, prepared, name, at, names.len()));
    match names.is_empty() {
        true => plan.infos.to_vec(),
        false => names.iter().flat_map(of).collect(),
    }
}

/// One side of a comparison, as the suites made it that take part.
fn side(
    plan: &Plan<'_>,
    prepared: &[Prepared],
    name: &str,
    at: usize,
    comparisons: usize,
) -> SideInfo {
    let groups: Vec<&Prepared> =
        prepared.iter().filter(|group| group.group.environment == name).collect();
    let facts = || groups.iter().map(|group| group.group.ready[at].facts());
    let planned = || plan.groups.iter().find(|group| group.name == name);
    let environment = groups.first().map(|group| group.environments[at].name.clone());
    let environment =
        environment.or_else(|| Some(planned()?.environments[at].name.clone())).unwrap_or_default();
    let mut artifacts: Vec<_> = facts().flat_map(|facts| facts.artifacts.clone()).collect();
    artifacts.dedup();
    let info = plan.infos[at].clone();
    SideInfo {
        id: side_id(&info.id, name, comparisons),
        version: facts().find_map(|facts| facts.project_version.clone()),
        artifacts,
        details: facts().flat_map(|facts| facts.details.clone()).collect(),
        commit: info
            .commit
            .or_else(|| facts().find_map(|facts| revision(facts.revision.as_deref()?))),
        prepare_s: groups.iter().fold(0.0, |sum, group| sum + group.seconds[at]),
        cached: !groups.is_empty() && facts().all(|facts| facts.cached),
        environment,
        ..info
    }
}

/// The commit that a build says it is of, where what it says is one.
fn revision(said: &str) -> Option<String> {
    let said = said.trim().to_ascii_lowercase();
    is_revision(&said).then_some(said)
}

/// `base`; where there are several comparisons, `base in openblas`.
fn side_id(side: &str, comparison: &str, comparisons: usize) -> String {
    if comparisons > 1 { format!("{side} in {comparison}") } else { side.to_owned() }
}

fn comparisons(plan: &Plan<'_>) -> Vec<ComparisonInfo> {
    let names = names(plan);
    let [base, head] = &plan.infos;
    let comparison = |name: &&str| ComparisonInfo {
        id: (*name).to_owned(),
        base: side_id(&base.id, name, names.len()),
        head: side_id(&head.id, name, names.len()),
        machine: None,
    };
    names.iter().map(comparison).collect()
}

/// What the comparisons are called, in order.
fn names<'p>(plan: &'p Plan<'_>) -> Vec<&'p str> {
    let mut names: Vec<&str> = plan.groups.iter().map(|group| group.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn unique(environments: impl Iterator<Item = EnvironmentInfo>) -> Vec<EnvironmentInfo> {
    let mut kept: Vec<EnvironmentInfo> = Vec::new();
    for environment in environments {
        if !kept.iter().any(|other| other.name == environment.name) {
            kept.push(environment);
        }
    }
    kept
}

fn unique_harnesses(prepared: &[Prepared]) -> Vec<HarnessInfo> {
    let mut kept: Vec<HarnessInfo> = Vec::new();
    for group in prepared {
        if !kept.contains(&group.harness) {
            kept.push(group.harness.clone());
        }
    }
    kept
}

fn machine(runner: Option<String>) -> MachineInfo {
    let machine = Machine::read();
    let cores = machine.allowed_cores.len().max(1);
    MachineInfo {
        id: machine.id,
        name: None,
        cpu: machine.cpu,
        cores: u32::try_from(cores).unwrap_or(u32::MAX),
        memory: machine.memory_bytes,
        os: machine.os.unwrap_or_else(|| std::env::consts::OS.to_owned()),
        kernel: machine.kernel,
        virtualization: machine.virtualization,
        governor: machine.governor,
        turbo: machine.turbo,
        load: machine.load1,
        limits: limits(&machine.limits),
        runner,
    }
}

/// Limits of the control group, as text.
fn limits(limits: &bench_process::CgroupLimits) -> Vec<String> {
    let cpus = limits.cpus.map(|cpus| format!("{cpus} processors"));
    let memory = limits.memory_bytes.map(|bytes| format!("{} MiB of memory", bytes >> 20));
    cpus.into_iter().chain(memory).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capped(repeat: Option<u32>, max_blocks: u32) -> Settings {
        Settings {
            alpha: 0.05,
            alpha_unchanged: 0.05,
            threshold: 0.03,
            tolerance: 0.01,
            fail_threshold: 0.03,
            threshold_absolute_ns: 0.0,
            max_blocks,
            repeat,
            time_budget_s: 60.0,
        }
    }

    #[test]
    fn a_cap_below_what_any_change_takes_is_said_at_the_start() {
        let words = too_few_blocks(&capped(Some(6), 60), 12).unwrap();
        assert!(words.starts_with("--repeat 6 is too small"), "{words}");
        assert!(words.contains("among 12 benchmarks it takes 11 blocks or more"), "{words}");
        let words = too_few_blocks(&capped(None, 5), 1).unwrap();
        assert!(words.starts_with("--max-blocks 5 is too small"), "{words}");
        assert!(words.contains("among 1 benchmark it takes 7"), "{words}");
    }

    #[test]
    fn a_cap_that_is_large_enough_is_not_spoken_of() {
        assert_eq!(too_few_blocks(&capped(Some(11), 60), 12), None);
        // Exact rows need one block.
        assert_eq!(too_few_blocks(&capped(Some(1), 60), 0), None);
    }
}
