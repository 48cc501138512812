//! Results with nothing in them but names and samples. Every field is named here: one that is added
//! to the file is not believed before somebody has thought about it.

use super::limits::{self, Absurd};
use super::{CLAIMED_IDENTICAL, CLAIMED_UNPAIRED};
use crate::judge::reason;
use bench_results::{
    Better, Block, Counts, EnvironmentInfo, Failure, HarnessInfo, MachineInfo, Measured, Pairing,
    PlanInfo, Results, Routing, Row, RunFailure, Sample, Settings, SideInfo, Stage, Summary,
    TimeSpent, ToolInfo, Trust, Verdict, Void, WholeVerdict,
};
use std::collections::BTreeMap;

/// Most characters of a sentence of the run's that is passed on.
const SENTENCE: usize = 300;

/// Most characters of what a failure printed; the end counts.
const OUTPUT: usize = 2_000;

/// Most characters of a short fact.
const WORD: usize = 80;

/// A block's result may differ from the ratio of its samples by this factor, because it is made of
/// finer ones; a larger difference is no result of these samples.
const FINER: f64 = 2.0;

/// Largest log ratio; a number could hold hardly more.
const LARGEST_RATIO: f64 = 100.0;

/// Samples and names, and of the rest what cannot deceive: what failed or was left out keeps saying
/// so, in few words. The settings stay as claims, for [`judged`](super::judged) to compare and replace.
///
/// # Errors
/// What no run writes: ids that are there twice or are not made of their parts, numbers out of all
/// proportion, blocks without end.
pub fn stripped(claimed: &Results) -> Result<Results, Absurd> {
    limits::check(claimed)?;
    Ok(Results {
        schema: claimed.schema.clone(),
        tool: tool(&claimed.tool),
        created: time_of_day(&claimed.created).unwrap_or_default(),
        command: Vec::new(),
        config: claimed.config.clone(),
        seed: if is_word(&claimed.seed) { claimed.seed.clone() } else { String::new() },
        settings: settings(&claimed.settings),
        plan: plan(&claimed.plan),
        shard: claimed.shard.clone(),
        sides: claimed.sides.iter().map(side).collect(),
        comparisons: claimed.comparisons.clone(),
        environments: claimed.environments.iter().map(environment).collect(),
        harnesses: claimed.harnesses.iter().map(harness).collect(),
        machines: claimed.machines.iter().map(machine).collect(),
        benchmarks: claimed.benchmarks.iter().map(row).collect(),
        sentinel: claimed.sentinel.iter().map(row).collect(),
        trust: Trust { ok: true, reason: None },
        failure: claimed.failure.as_ref().map(run_failure),
        summary: Summary {
            verdict: WholeVerdict::Empty,
            counts: Counts::default(),
            time: TimeSpent {
                prepare_s: seconds(claimed.summary.time.prepare_s),
                measure_s: seconds(claimed.summary.time.measure_s),
                sliced_s: seconds(claimed.summary.time.sliced_s),
            },
        },
        finished: claimed.finished.as_deref().and_then(time_of_day),
        stopped_by: claimed.stopped_by,
        samples_file: None,
        warnings: Vec::new(),
    })
}

fn tool(claimed: &ToolInfo) -> ToolInfo {
    ToolInfo {
        name: word(&claimed.name),
        version: word(&claimed.version),
        commit: claimed.commit.clone().filter(|commit| is_hex(commit)),
    }
}

fn settings(claimed: &Settings) -> Settings {
    Settings {
        alpha: claimed.alpha,
        alpha_unchanged: claimed.alpha_unchanged,
        threshold: claimed.threshold,
        tolerance: claimed.tolerance,
        fail_threshold: claimed.fail_threshold,
        threshold_absolute_ns: claimed.threshold_absolute_ns,
        max_blocks: claimed.max_blocks,
        repeat: claimed.repeat,
        time_budget_s: seconds(claimed.time_budget_s),
    }
}

fn plan(claimed: &PlanInfo) -> PlanInfo {
    PlanInfo {
        digest: Some(&claimed.digest).filter(|digest| is_hex(digest)).cloned().unwrap_or_default(),
        family_size: claimed.family_size,
        planned: claimed.planned,
        screened: claimed.screened,
        found: claimed.found,
    }
}

fn row(claimed: &Row) -> Row {
    let (verdict, words) = standing(claimed);
    let is_judged = !matches!(
        verdict,
        Some(Verdict::Added | Verdict::Removed | Verdict::Skipped | Verdict::Failed)
    );
    let has_samples = is_judged && words.as_deref() != Some(CLAIMED_UNPAIRED);
    let samples = |side: &Option<Measured>| side.as_ref().filter(|_| has_samples).map(measured);
    Row {
        id: claimed.id.clone(),
        benchmark: claimed.benchmark.clone(),
        comparison: claimed.comparison.clone(),
        machine: claimed.machine.clone(),
        suite: claimed.suite.clone(),
        harness: claimed.harness.clone(),
        name: claimed.name.clone(),
        params: claimed.params.clone(),
        metric: claimed.metric.clone(),
        unit: claimed.unit.clone(),
        better: claimed.better,
        verdict,
        reason: words,
        stage: Stage::Screened,
        schedule: claimed.schedule.filter(|_| has_samples),
        clock: claimed.clock.filter(|_| has_samples),
        pairing: Pairing::Paired,
        labels: labels(claimed),
        rule: claimed.rule,
        blocks_used: 0,
        decided_at: None,
        family: 0,
        log_e: None,
        change: None,
        routing: claimed.routing.as_ref().filter(|_| has_samples).map(routing),
        calibration: None,
        void: Void { base: claimed.void.base, head: claimed.void.head, reasons: Vec::new() },
        noise: None,
        cost_s: seconds(claimed.cost_s),
        source: None,
        base: samples(&claimed.base),
        head: samples(&claimed.head),
        blocks: if has_samples { blocks(claimed) } else { Vec::new() },
        failure: claimed.failure.as_ref().filter(|_| !is_judged).map(failure),
    }
}

/// What a row is before it is judged again, and why, if the run's own words count for that.
fn standing(claimed: &Row) -> (Option<Verdict>, Option<String>) {
    let told = || claimed.reason.as_deref().filter(|words| !words.is_empty()).map(sentence);
    let Some(verdict) = claimed.verdict else { return (None, None) };
    match (verdict, claimed.pairing) {
        (Verdict::Added | Verdict::Removed | Verdict::Skipped | Verdict::Failed, _) => {
            (Some(verdict), told())
        }
        (_, Pairing::Identical) => (Some(Verdict::Skipped), Some(CLAIMED_IDENTICAL.to_owned())),
        (_, Pairing::Unpaired) => (Some(Verdict::Inconclusive), Some(CLAIMED_UNPAIRED.to_owned())),
        (_, Pairing::Paired | Pairing::Exact) => {
            (Some(Verdict::Inconclusive), claimed.reason.clone().filter(|words| is_kept(words)))
        }
    }
}

/// Whether a reason keeps its meaning without being believed: it can only leave a row undecided.
fn is_kept(words: &str) -> bool {
    let of_side = words.strip_prefix(reason::FAILED_TOO_OFTEN);
    matches!(of_side, Some(" base" | " head"))
        || [reason::INPUTS_DIFFER, reason::TIME_BUDGET, reason::INTERRUPTED].contains(&words)
}

/// Of the labels one alone changes how values are judged, and of times it says nothing.
fn labels(claimed: &Row) -> Vec<String> {
    let is_exact = claimed.unit != "ns" && claimed.labels.iter().any(|label| label == "exact");
    if is_exact { vec!["exact".to_owned()] } else { Vec::new() }
}

fn measured(claimed: &Measured) -> Measured {
    let sample = |sample: &Sample| Sample {
        block: sample.block,
        first: sample.first,
        value: sample.value,
        cpu_ns: sample.cpu_ns,
        wall_ns: sample.wall_ns,
        loops: sample.loops,
        max_rss_bytes: sample.max_rss_bytes,
        voluntary_switches: sample.voluntary_switches,
    };
    Measured { center: None, wall: None, samples: claimed.samples.iter().map(sample).collect() }
}

/// Blocks, each with its result if that is one of its samples.
fn blocks(claimed: &Row) -> Vec<Block> {
    let values = |side: &Option<Measured>| -> BTreeMap<u32, f64> {
        let samples = side.iter().flat_map(|side| &side.samples);
        samples.filter_map(|sample| Some((sample.block, sample.value?))).collect()
    };
    let (base, head) = (values(&claimed.base), values(&claimed.head));
    let sign = match claimed.better {
        Better::Lower => 1.0,
        Better::Higher => -1.0,
    };
    let is_of_samples = |index: u32, d: f64| match (base.get(&index), head.get(&index)) {
        (Some(base), Some(head)) if *base > 0.0 && *head > 0.0 => {
            d.abs() <= LARGEST_RATIO && (d - sign * (head / base).ln()).abs() <= FINER.ln()
        }
        _ => false,
    };
    let block = |block: &Block| Block {
        index: block.index,
        order: block.order,
        started_ms: block.started_ms,
        core: block.core,
        coin: block.coin,
        d: block.d.filter(|d| is_of_samples(block.index, *d)),
        corrected: None,
        counted: block.counted,
        load: None,
    };
    claimed.blocks.iter().map(block).collect()
}

/// A second attempt is judged more strictly, and the clock is told.
fn routing(claimed: &Routing) -> Routing {
    Routing {
        blocked_base: None,
        blocked_head: None,
        parallel_base: None,
        parallel_head: None,
        voluntary_switches: 0,
        decision: claimed.decision,
        reason: String::new(),
        demoted_at: claimed.demoted_at,
    }
}

fn failure(claimed: &Failure) -> Failure {
    Failure {
        side: claimed.side,
        stage: word(&claimed.stage),
        message: sentence(&claimed.message),
        stderr_tail: end(&claimed.stderr_tail),
    }
}

fn run_failure(claimed: &RunFailure) -> RunFailure {
    RunFailure {
        side: claimed.side,
        stage: word(&claimed.stage),
        message: sentence(&claimed.message),
        stderr_tail: end(&claimed.stderr_tail),
    }
}

/// A side is its commit; what else it is called is the run's word.
fn side(claimed: &SideInfo) -> SideInfo {
    let commit = claimed.commit.as_ref().filter(|commit| is_hex(commit));
    let short = commit.and_then(|commit| commit.get(..7));
    SideInfo {
        id: claimed.id.clone(),
        label: short.unwrap_or("no commit").to_owned(),
        revision: String::new(),
        commit: commit.map(|commit| commit.to_ascii_lowercase()),
        subject: None,
        version: None,
        dirty: claimed.dirty,
        diff_digest: None,
        environment: claimed.environment.clone(),
        kind: claimed.kind,
        artifacts: Vec::new(),
        prepare_s: seconds(claimed.prepare_s),
        cached: claimed.cached,
        details: BTreeMap::new(),
    }
}

fn environment(claimed: &EnvironmentInfo) -> EnvironmentInfo {
    EnvironmentInfo {
        name: word(&claimed.name),
        python: claimed.python.as_deref().map(word),
        packages: Vec::new(),
        variables: BTreeMap::new(),
    }
}

fn harness(claimed: &HarnessInfo) -> HarnessInfo {
    HarnessInfo {
        name: word(&claimed.name),
        version: claimed.version.as_deref().map(word),
        suite_commit: claimed.suite_commit.clone().filter(|commit| is_hex(commit)),
    }
}

fn machine(claimed: &MachineInfo) -> MachineInfo {
    MachineInfo {
        id: claimed.id.clone(),
        name: claimed.name.as_deref().map(word),
        cpu: claimed.cpu.as_deref().map(word),
        cores: claimed.cores,
        memory: claimed.memory,
        os: word(&claimed.os),
        kernel: None,
        virtualization: claimed.virtualization.as_deref().map(word),
        governor: None,
        turbo: None,
        load: None,
        limits: Vec::new(),
        runner: claimed.runner.as_deref().map(word),
    }
}

fn sentence(text: &str) -> String {
    start(text, SENTENCE)
}

fn word(text: &str) -> String {
    start(text, WORD)
}

fn start(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn end(text: &str) -> String {
    let skipped = text.chars().count().saturating_sub(OUTPUT);
    text.chars().skip(skipped).collect()
}

/// Seconds that a run may take; else none.
fn seconds(claimed: f64) -> f64 {
    const YEAR: f64 = 366.0 * 86_400.0;
    if (0.0..YEAR).contains(&claimed) { claimed } else { 0.0 }
}

/// A time as we write it.
fn time_of_day(claimed: &str) -> Option<String> {
    claimed.parse::<jiff::Timestamp>().ok().map(|_| start(claimed, WORD))
}

fn is_hex(text: &str) -> bool {
    (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_word(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b":._-".contains(&byte);
    (1..=WORD).contains(&text.len()) && text.bytes().all(is_plain)
}
