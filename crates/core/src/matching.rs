//! Which benchmarks of both sides belong together, which are registered for measuring, and rows
//! for the others. Everything here happens before any data is seen.

use crate::assemble::{RowContext, blank};
use crate::case::{Case, CaseMetric};
use crate::config::{Compare, Coverage, Rules, Suite};
use crate::judge::reason;
use crate::seed::Seed;
use bench_harness::{Benchmark, BrokenModule, Discovery, MetricPlan};
use bench_results::{Failure, Metric, Row, RowRule, SideName, Verdict, benchmark_id};
use std::collections::{BTreeMap, BTreeSet};

/// Less than this of peak memory never counts: it moves in pages and arenas (statistics, section 4.8).
const MEMORY_FLOOR_BYTES: f64 = 1024.0 * 1024.0;

/// What a registered benchmark is expected to cost at least, seconds: 8 blocks and the pilot. What its
/// launches take besides: two a block, and about as many as 3 blocks have for the pilot.
const EXPECTED_COST_S: f64 = 8.0 * 0.25 + 0.3;
const EXPECTED_LAUNCHES: f64 = 2.0 * (8.0 + 3.0);

/// Launches of a row that the default budget has room for.
const BUDGET_LAUNCHES: f64 = 2.0 * (14.0 + 3.0);

/// The default budget: so much per judged row (exact ones take time too), and never more than the second.
const BUDGET_PER_ROW_S: f64 = 10.0;
const LONGEST_DEFAULT_BUDGET_S: f64 = 600.0;

/// The benchmarks of one group, sorted out.
#[derive(Debug, Default)]
pub struct Matched {
    /// To be measured.
    pub cases: Vec<Case>,
    /// Known already: added, removed, failed to load, skipped by the suite.
    pub rows: Vec<Row>,
    /// Ids that a filter left out.
    pub unwanted: Vec<String>,
}

/// Matches both sides' benchmarks by name and parameters (not by index: what a parameter is called
/// may depend on the side).
#[must_use]
pub fn matched(
    group: usize,
    suite: &Suite,
    compare: &Compare,
    context: &RowContext<'_>,
    [base, head]: [&Discovery; 2],
) -> Matched {
    let sorter = Sorter { group, suite, compare, context };
    let by_key: BTreeMap<Key<'_>, &Benchmark> =
        base.benchmarks.iter().map(|b| (key(b), b)).collect();
    let on_head: BTreeSet<Key<'_>> = head.benchmarks.iter().map(key).collect();
    let extremes = extremes(&head.benchmarks);
    let mut matched = Matched::default();
    for (at, benchmark) in head.benchmarks.iter().enumerate() {
        match by_key.get(&key(benchmark)) {
            Some(other) => sorter.both(&mut matched, other, benchmark, extremes.contains(&at)),
            None => sorter.one_sided(&mut matched, benchmark, SideName::Head, &base.broken),
        }
    }
    for benchmark in base.benchmarks.iter().filter(|b| !on_head.contains(&key(b))) {
        sorter.one_sided(&mut matched, benchmark, SideName::Base, &head.broken);
    }
    matched
}

type Key<'a> = (&'a str, Vec<&'a str>);

fn key(benchmark: &Benchmark) -> Key<'_> {
    (&benchmark.name, benchmark.params.iter().map(|param| param.value.as_str()).collect())
}

/// Positions of each function's first and last combination.
fn extremes(benchmarks: &[Benchmark]) -> BTreeSet<usize> {
    let mut ends: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (at, benchmark) in benchmarks.iter().enumerate() {
        ends.entry(&benchmark.name).and_modify(|(_, last)| *last = at).or_insert((at, at));
    }
    ends.into_values().flat_map(|(first, last)| [first, last]).collect()
}

struct Sorter<'a> {
    group: usize,
    suite: &'a Suite,
    compare: &'a Compare,
    context: &'a RowContext<'a>,
}

impl Sorter<'_> {
    /// The benchmark's id, where it is wanted.
    fn id(&self, matched: &mut Matched, benchmark: &Benchmark) -> Option<String> {
        let id = benchmark_id(self.context.suite, &benchmark.name, &benchmark.params);
        if self.suite.wants(&id, self.compare) {
            return Some(id);
        }
        matched.unwanted.push(id);
        None
    }

    fn both(&self, matched: &mut Matched, base: &Benchmark, head: &Benchmark, is_extreme: bool) {
        let Some(id) = self.id(matched, head) else { return };
        let skip = head.skip.as_ref().map(|words| (SideName::Head, words));
        let skip = skip.or(base.skip.as_ref().map(|words| (SideName::Base, words)));
        if let Some((side, words)) = skip {
            let words = if words.is_empty() { format!("skipped by {side}") } else { words.clone() };
            return matched.rows.push(self.row(&id, head, Verdict::Skipped, Some(words)));
        }
        let rules = self.suite.rules(&id, self.compare);
        let metrics = head
            .metrics
            .iter()
            .map(|plan| CaseMetric { plan: plan.clone(), rule: margins(plan, rules, self.compare) })
            .collect();
        matched.cases.push(Case {
            id,
            group: self.group,
            benchmark: [base.clone(), head.clone()],
            metrics,
            schedule: rules.schedule,
            clock: rules.clock,
            is_extreme,
        });
    }

    /// Only one side has it: because it is new or gone, or because the other cannot load it.
    fn one_sided(
        &self,
        matched: &mut Matched,
        benchmark: &Benchmark,
        on: SideName,
        broken: &[BrokenModule],
    ) {
        let Some(id) = self.id(matched, benchmark) else { return };
        let culprit = broken.iter().find(|module| module.holds(&benchmark.name));
        let (verdict, words) = match (on, culprit) {
            (SideName::Head, None) => (Verdict::Added, None),
            (SideName::Base, None) => (Verdict::Removed, None),
            (SideName::Head, Some(module)) => (
                Verdict::Added,
                Some(format!("base cannot load `{}`: {}", module.module, module.message)),
            ),
            (SideName::Base, Some(_)) => (Verdict::Failed, None),
        };
        let mut row = self.row(&id, benchmark, verdict, words);
        row.failure = culprit.filter(|_| verdict == Verdict::Failed).map(|module| Failure {
            side: Some(SideName::Head),
            stage: "import".to_owned(),
            message: format!("`{}` cannot be loaded: {}", module.module, module.message),
            stderr_tail: module.details.clone(),
        });
        matched.rows.push(row);
    }

    fn row(
        &self,
        id: &str,
        benchmark: &Benchmark,
        verdict: Verdict,
        reason: Option<String>,
    ) -> Row {
        let rules = self.suite.rules(id, self.compare);
        let rule = margins(&benchmark.metrics[0], rules, self.compare);
        let mut row = blank(self.context, id, benchmark, &benchmark.metrics[0], rule);
        row.verdict = Some(verdict);
        row.reason = reason;
        row
    }
}

fn margins(plan: &MetricPlan, rules: Rules, compare: &Compare) -> RowRule {
    let (threshold, tolerance) = (rules.threshold, compare.tolerance);
    if plan.metric.name == Metric::peak_memory().name {
        RowRule { threshold: rules.memory_threshold, tolerance, absolute: MEMORY_FLOOR_BYTES }
    } else if plan.metric.is_time() {
        RowRule { threshold, tolerance, absolute: compare.threshold_absolute_ns }
    } else {
        RowRule { threshold, tolerance, absolute: 0.0 }
    }
}

/// What is registered: K, the budget, and the cases that are measured.
#[derive(Debug)]
pub struct Registered {
    /// To be measured, in planned order.
    pub cases: Vec<Case>,
    /// Left out by the budget (rule 16).
    pub left_out: Vec<Case>,
    /// K.
    pub family: u64,
    /// Seconds of measuring.
    pub budget_s: f64,
    /// What all combinations would take, seconds, where some are left out.
    pub all_would_take_s: Option<f64>,
}

/// Fixes K, the budget and the combinations before any data (rules 15 and 16).
#[must_use]
pub fn register(cases: Vec<Case>, compare: &Compare, seed: &Seed) -> Registered {
    let budget_of = |cases: &[Case]| {
        let rows = cases.iter().flat_map(|case| &case.metrics).filter(|m| m.plan.gated).count();
        let launches_s: f64 = cases.iter().map(Case::launch_s).sum();
        let default = BUDGET_PER_ROW_S * rows as f64 + BUDGET_LAUNCHES * launches_s;
        let default = default.min(LONGEST_DEFAULT_BUDGET_S);
        compare.time_budget.map_or(default, |budget| budget.as_secs_f64())
    };
    let cost_s = |case: &Case| EXPECTED_COST_S + EXPECTED_LAUNCHES * case.launch_s();
    let all_s: f64 = cases.iter().map(cost_s).sum();
    let adaptive = compare.repeat.is_none() && compare.coverage == Coverage::Budgeted;
    let too_many = adaptive && all_s > budget_of(&cases);
    let (kept, left_out) =
        if too_many { one_per_function(cases, seed) } else { (cases, Vec::new()) };
    Registered {
        family: family(&kept),
        budget_s: budget_of(&kept),
        cases: shard(kept, compare.shard),
        all_would_take_s: (!left_out.is_empty()).then_some(all_s),
        left_out,
    }
}

/// K: gated rows that are not declared exact.
fn family(cases: &[Case]) -> u64 {
    let gated = |metric: &&CaseMetric| metric.plan.gated && !metric.plan.exact;
    cases.iter().map(|case| case.metrics.iter().filter(gated).count() as u64).sum()
}

/// A seeded choice of one combination of each function.
fn one_per_function(cases: Vec<Case>, seed: &Seed) -> (Vec<Case>, Vec<Case>) {
    let mut functions: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate() {
        functions.entry((case.group, case.function().to_owned())).or_default().push(at);
    }
    let mut chosen = BTreeSet::new();
    for ((group, name), mut at) in functions {
        // By name, so that the choice does not depend on the order they were found in.
        at.sort_by(|&a, &b| cases[a].id.cmp(&cases[b].id));
        seed.shuffle(&format!("combination {group} {name}"), 0, &mut at);
        chosen.extend(at.first().copied());
    }
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for (at, case) in cases.into_iter().enumerate() {
        if chosen.contains(&at) { kept.push(case) } else { left_out.push(case) }
    }
    (kept, left_out)
}

/// Shards share K; each measures every `count`-th case.
fn shard(cases: Vec<Case>, shard: Option<(u32, u32)>) -> Vec<Case> {
    let Some((index, count)) = shard else { return cases };
    let is_ours =
        |at: &usize| *at as u64 % u64::from(count.max(1)) == u64::from(index.saturating_sub(1));
    cases.into_iter().enumerate().filter(|(at, _)| is_ours(at)).map(|(_, case)| case).collect()
}

/// Rows for combinations that the budget left out.
#[must_use]
pub fn left_out_rows(context: &RowContext<'_>, cases: &[&Case]) -> Vec<Row> {
    let row = |case: &&Case| {
        let CaseMetric { plan, rule } = &case.metrics[0];
        let mut row = blank(context, &case.id, &case.benchmark[1], plan, *rule);
        row.verdict = Some(Verdict::Skipped);
        row.reason = Some(reason::BUDGET.to_owned());
        row
    };
    cases.iter().map(row).collect()
}
