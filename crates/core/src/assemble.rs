//! From what the machine knows to the rows of the results file. Verdicts are the judge's.

use crate::case::{Case, CaseMetric};
use crate::evidence;
use crate::judge::reason;
use crate::measure::action::{BlockReading, CaseFailure, LaunchReading};
use crate::measure::machine::Machine;
use crate::measure::routing::{self, Route};
use crate::measure::sentinel::SentinelState;
use crate::measure::state::{CaseState, End, Phase};
use bench_harness::{Benchmark, MetricPlan};
use bench_results::{
    Block, BlockSlices, Calibration, Clock, Failure, Measured, Pairing, Param, Routing, Row,
    RowRule, Sample, Schedule, SideName, Stage, StoppedBy, Verdict, Void, row_id,
};
use bench_stats::{Decision, median};

/// What names a row, besides its metric.
#[derive(Clone, Debug)]
pub struct RowContext<'a> {
    /// `comparisons[].id`.
    pub comparison: &'a str,
    /// `machines[].id`.
    pub machine: &'a str,
    /// The suite's name.
    pub suite: &'a str,
    /// The harness's name.
    pub harness: &'a str,
    /// K.
    pub family: u64,
}

/// A row with nothing measured.
#[must_use]
pub fn blank(
    context: &RowContext<'_>,
    id: &str,
    benchmark: &Benchmark,
    plan: &MetricPlan,
    rule: RowRule,
) -> Row {
    let is_primary =
        benchmark.metrics.first().is_none_or(|first| first.metric.name == plan.metric.name);
    let params: Vec<Param> = benchmark.params.clone();
    Row {
        id: row_id(id, &plan.metric.name, is_primary),
        benchmark: id.to_owned(),
        comparison: context.comparison.to_owned(),
        machine: context.machine.to_owned(),
        suite: context.suite.to_owned(),
        harness: context.harness.to_owned(),
        name: benchmark.name.clone(),
        params,
        metric: plan.metric.name.clone(),
        unit: plan.metric.unit.clone(),
        better: plan.metric.better,
        verdict: plan.gated.then_some(Verdict::Inconclusive),
        reason: None,
        stage: Stage::Screened,
        schedule: None,
        clock: None,
        pairing: Pairing::Paired,
        labels: if plan.exact { vec!["exact".to_owned()] } else { Vec::new() },
        rule,
        blocks_used: 0,
        decided_at: None,
        family: context.family,
        log_e: None,
        change: None,
        routing: None,
        calibration: None,
        void: Void::default(),
        noise: None,
        cost_s: 0.0,
        source: None,
        base: None,
        head: None,
        blocks: Vec::new(),
        failure: None,
    }
}

/// The verdict on a case's primary metric as far as the machine can tell (for the progress display).
#[must_use]
pub fn primary_verdict(state: &CaseState) -> Verdict {
    match (&state.phase, state.finding().map(|finding| finding.decision())) {
        (Phase::Ended(End::Failed(CaseFailure::Skipped { .. })), _) => Verdict::Skipped,
        (Phase::Ended(End::Failed(CaseFailure::Failed(_))), _) => Verdict::Failed,
        (Phase::Ended(End::NotComparable(_)), _) => Verdict::Skipped,
        (Phase::Ended(End::Voids | End::InputsDiffer), _) => Verdict::Inconclusive,
        (_, Some(Decision::Slower)) => Verdict::Regressed,
        (_, Some(Decision::Faster)) => Verdict::Improved,
        (_, Some(Decision::Equal)) => Verdict::Unchanged,
        (_, None) => Verdict::Inconclusive,
    }
}

/// The rows of one case, one per metric, unjudged.
#[must_use]
pub fn case_rows(context: &RowContext<'_>, machine: &Machine, case: usize) -> Vec<Row> {
    let spec = &machine.cases()[case];
    let state = &machine.states()[case];
    let cut = match machine.stopped() {
        Some(StoppedBy::Budget) => reason::TIME_BUDGET,
        _ => reason::INTERRUPTED,
    };
    (0..spec.metrics.len()).map(|metric| case_row(context, spec, state, metric, cut)).collect()
}

/// `cut` says what kept an open case from more blocks.
fn case_row(
    context: &RowContext<'_>,
    spec: &Case,
    state: &CaseState,
    metric: usize,
    cut: &str,
) -> Row {
    let CaseMetric { plan, rule } = &spec.metrics[metric];
    let mut row = blank(context, &spec.id, &spec.benchmark[1], plan, *rule);
    fill_measured(&mut row, spec, metric, state.route.as_ref(), &Measurements::of_case(state));
    if let Some(route) = &state.route {
        fill_route(&mut row, spec, state, route);
    }
    row.void = void(state);
    row.cost_s = if metric == 0 { state.cost_s } else { 0.0 };
    if row.verdict.is_some() {
        fill_end(&mut row, state, cut);
    }
    row
}

/// The row of a sentinel: base stands on both sides.
#[must_use]
pub fn sentinel_row(context: &RowContext<'_>, machine: &Machine, sentinel: &SentinelState) -> Row {
    let spec = &machine.cases()[sentinel.case];
    let state = &machine.states()[sentinel.case];
    let CaseMetric { plan, rule } = &spec.metrics[0];
    let mut row = blank(context, &spec.id, &spec.benchmark[0], plan, *rule);
    row.id = format!("{} (base against base)", spec.id);
    fill_measured(&mut row, spec, 0, state.route.as_ref(), &Measurements::of_sentinel(sentinel));
    row.cost_s = sentinel.blocks.iter().map(|block| block.cost_s).sum();
    row
}

/// Why a case without a decision has none, and failures.
fn fill_end(row: &mut Row, state: &CaseState, cut: &str) {
    match &state.phase {
        Phase::Ended(End::Failed(CaseFailure::Failed(failure))) => {
            row.verdict = Some(Verdict::Failed);
            row.failure = Some(failure.clone());
        }
        Phase::Ended(End::Failed(CaseFailure::Skipped { side, reason })) => {
            row.verdict = Some(Verdict::Skipped);
            row.reason =
                Some(if reason.is_empty() { format!("skipped by {side}") } else { reason.clone() });
        }
        Phase::Ended(End::NotComparable(words)) => {
            row.verdict = Some(Verdict::Skipped);
            row.reason = Some(words.clone());
        }
        Phase::Ended(End::Voids) => {
            row.reason = Some(format!("{} {}", reason::FAILED_TOO_OFTEN, state.weaker_side()));
        }
        Phase::Ended(End::InputsDiffer) => row.reason = Some(reason::INPUTS_DIFFER.to_owned()),
        Phase::Ended(End::MaxBlocks) => row.reason = Some("as many blocks as allowed".to_owned()),
        Phase::Ended(End::Futile) => {
            row.reason = Some("as many blocks as allowed would not decide".to_owned())
        }
        Phase::Ended(End::Decided) => {}
        Phase::Waiting | Phase::Ready if state.blocks.is_empty() => {
            row.verdict = Some(Verdict::Skipped);
            row.reason = Some(cut.to_owned());
        }
        Phase::Waiting | Phase::Ready if state.counted() < crate::track::MIN_BLOCKS => {
            row.reason = Some(reason::SCREENED.to_owned());
        }
        Phase::Waiting | Phase::Ready => row.reason = Some(cut.to_owned()),
    }
}

/// The blocks of a row.
struct Measurements<'a> {
    blocks: &'a [BlockReading],
    /// The position of each in the whole run.
    orders: &'a [u32],
    /// Blocks before this index are superseded.
    superseded: usize,
}

impl<'a> Measurements<'a> {
    fn of_case(state: &'a CaseState) -> Self {
        Self { blocks: &state.blocks, orders: &state.orders, superseded: state.superseded }
    }

    fn of_sentinel(sentinel: &'a SentinelState) -> Self {
        Self { blocks: &sentinel.blocks, orders: &sentinel.orders, superseded: 0 }
    }
}

fn fill_measured(
    row: &mut Row,
    spec: &Case,
    metric: usize,
    route: Option<&Route>,
    measurements: &Measurements<'_>,
) {
    let Measurements { blocks, orders, superseded } = *measurements;
    if blocks.is_empty() {
        return;
    }
    let reading = spec.reading(metric);
    let is_time = spec.metrics[metric].plan.metric.is_time();
    row.schedule = route.map(|route| route.schedule);
    row.clock = route.map(|route| route.clock).filter(|_| is_time);
    let better = spec.metrics[metric].plan.metric.better;
    row.blocks = blocks
        .iter()
        .zip(orders)
        .enumerate()
        .map(|(at, (block, &order))| {
            let pair = evidence::pair(reading, better, block);
            Block {
                index: block.position,
                order,
                started_ms: block.started_ms,
                core: block.core,
                coin: block.first,
                d: pair.and_then(|pair| pair.d),
                corrected: None,
                counted: pair.is_some() && at >= superseded,
                load: block.load,
            }
        })
        .collect();
    row.base = measured(SideName::Base, reading, is_time, blocks);
    row.head = measured(SideName::Head, reading, is_time, blocks);
    if row.schedule == Some(Schedule::Alternate) && is_layout_sensitive(row, blocks) {
        row.labels.push("layout-sensitive".to_owned());
    }
}

fn measured(
    side: SideName,
    reading: evidence::Reading<'_>,
    is_time: bool,
    blocks: &[BlockReading],
) -> Option<Measured> {
    let launches: Vec<(&BlockReading, &LaunchReading)> = blocks
        .iter()
        .filter_map(|b| b.sides[side.index()].as_ref().ok().map(|launch| (b, launch)))
        .collect();
    let walls: Vec<f64> = launches
        .iter()
        .filter(|(block, _)| block.schedule != Schedule::Duet)
        .filter_map(|(_, launch)| median(&launch.times(Clock::Wall)))
        .collect();
    let samples: Vec<Sample> =
        launches.iter().map(|(block, launch)| sample(side, reading, block, launch)).collect();
    (!samples.is_empty()).then(|| Measured {
        center: None,
        wall: median(&walls).filter(|_| is_time),
        samples,
    })
}

fn sample(
    side: SideName,
    reading: evidence::Reading<'_>,
    block: &BlockReading,
    launch: &LaunchReading,
) -> Sample {
    let activity = launch.activity();
    Sample {
        block: block.position,
        first: block.first == side,
        value: evidence::value(reading, launch, block.clock),
        cpu_ns: activity.cpu_ns,
        wall_ns: activity.wall_ns,
        loops: launch.loops * launch.slices.len() as u64,
        max_rss_bytes: launch.max_rss_bytes,
        voluntary_switches: Some(activity.voluntary_switches),
    }
}

/// Blocks vary by more than 3 % although each of them is precise to 1 %: what varies is the process
/// (memory layout, alignment), and only more processes help.
fn is_layout_sensitive(row: &Row, blocks: &[BlockReading]) -> bool {
    let d: Vec<f64> = row.blocks.iter().filter(|b| b.counted).filter_map(|b| b.d).collect();
    let within: Vec<f64> = blocks.iter().filter_map(evidence::within_error).collect();
    let spread = bench_stats::robust_sd(&d).unwrap_or(0.0);
    d.len() >= 8 && spread > 0.03 && median(&within).is_some_and(|error| error < 0.01)
}

fn fill_route(row: &mut Row, spec: &Case, state: &CaseState, route: &Route) {
    let Some(pilot) = &state.pilot else { return };
    row.labels.extend(route.labels.iter().cloned());
    let probe =
        |side: SideName| bench_stats::route(&routing::for_stats(spec, &pilot.probes[side.index()]));
    let (base, head) = (probe(SideName::Base), probe(SideName::Head));
    let probed = pilot.probes[0].repetitions > 0;
    row.routing = Some(Routing {
        blocked_base: base.blocked.filter(|_| probed),
        blocked_head: head.blocked.filter(|_| probed),
        parallel_base: probed.then_some(base.cpu_ratio),
        parallel_head: probed.then_some(head.cpu_ratio),
        voluntary_switches: pilot.probes.iter().map(|probe| probe.voluntary_switches).sum(),
        decision: route.clock,
        reason: route.reason.clone(),
        demoted_at: route.demoted_at,
    });
    let ratio = |pairs: &Vec<_>| median(&routing::log_ratios(pairs)).map(f64::exp);
    row.calibration = probed.then(|| Calibration {
        loops: route.loops,
        slice_ns: pilot.call_ns * route.loops as f64,
        batched_ratio: pilot.state.as_ref().and_then(|[base, _]| ratio(base)),
    });
}

fn void(state: &CaseState) -> Void {
    let words = |failure: &CaseFailure| match failure {
        CaseFailure::Skipped { side, reason } => format!("{side} skipped: {reason}"),
        CaseFailure::Failed(Failure { side, stage, message, .. }) => {
            format!("{} {stage}: {message}", side.map_or("", SideName::word))
        }
    };
    Void {
        base: state.voids[0],
        head: state.voids[1],
        reasons: state.void_reasons.iter().map(words).collect(),
    }
}

/// Every slice of a case's blocks, for the samples file.
#[must_use]
pub fn slices(comparison: &str, spec: &Case, blocks: &[BlockReading]) -> Vec<BlockSlices> {
    let of = |block: &BlockReading, side: SideName| {
        let launch =
            block.sides[side.index()].as_ref().ok().filter(|launch| !launch.slices.is_empty())?;
        Some(BlockSlices {
            benchmark: spec.id.clone(),
            comparison: comparison.to_owned(),
            block: block.position,
            side,
            loops: launch.loops,
            cpu_ns: launch.slices.iter().map(|slice| slice.0).collect(),
            wall_ns: launch.slices.iter().map(|slice| slice.1).collect(),
            reported_ns: match launch.reported {
                Some(_) => launch.times(block.clock),
                None => Vec::new(),
            },
        })
    };
    blocks.iter().flat_map(|block| SideName::BOTH.map(|side| of(block, side))).flatten().collect()
}
