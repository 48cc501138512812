//! Which benchmarks of both sides belong together, which are registered for measuring, and rows
//! for the others. Everything here happens before any data is seen.

use crate::assemble::{RowContext, blank};
use crate::case::{Case, CaseMetric, Margins};
use crate::config::{Compare, Coverage, Rules, Suite};
use crate::judge::reason;
use crate::seed::Seed;
use crate::shard::Partition;
use bench_harness::{Benchmark, BrokenModule, Discovery, MetricPlan};
use bench_results::{Failure, Row, RowRule, SideName, Verdict, benchmark_id};
use std::collections::{BTreeMap, BTreeSet};

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

impl Matched {
    /// The ids of what there is, measured or not.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let cases = self.cases.iter().map(|case| case.id.as_str());
        cases.chain(self.rows.iter().map(|row| row.benchmark.as_str()))
    }

    /// Keeps what falls to this shard.
    pub fn keep(&mut self, partition: &Partition) {
        self.cases.retain(|case| partition.is_ours(&case.id));
        self.rows.retain(|row| partition.is_ours(&row.benchmark));
    }
}

/// Who measures what of all that was found.
#[must_use]
pub fn partition(found: &[Matched], compare: &Compare) -> Partition {
    let cases = found.iter().flat_map(|group| &group.cases);
    Partition::new(compare.shard.as_ref(), cases.map(|case| case.id.as_str()))
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
        let margins = Margins::new(rules, self.compare);
        let metrics = head
            .metrics
            .iter()
            .map(|plan| CaseMetric { plan: plan.clone(), rule: margins.of(plan) })
            .collect();
        matched.cases.push(Case {
            id,
            group: self.group,
            benchmark: [base.clone(), head.clone()],
            metrics,
            margins,
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

/// The margins that a metric is judged by.
pub(crate) fn margins(plan: &MetricPlan, rules: Rules, compare: &Compare) -> RowRule {
    Margins::new(rules, compare).of(plan)
}

/// What is registered: K, the budget, and the cases that are measured.
#[derive(Debug)]
pub struct Registered {
    /// To be measured by this shard, in planned order.
    pub cases: Vec<Case>,
    /// Left out by the budget (rule 16), and this shard's to tell of.
    pub left_out: Vec<Case>,
    /// The plan that all shards share.
    pub whole: Whole,
    /// Seconds of measuring, of this shard.
    pub budget_s: f64,
}

/// The plan of all shards together: each comes to the same.
#[derive(Debug)]
pub struct Whole {
    /// The ids of what is measured, and by which shard, in planned order.
    pub planned: Vec<(String, Option<u32>)>,
    /// How many are left out by the budget.
    pub left_out: usize,
    /// K.
    pub family: u64,
    /// What there is time for, seconds, and what all combinations would take, where some are left out.
    pub too_little: Option<TooLittle>,
}

/// Time that cannot hold every combination, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooLittle {
    /// The budgets of all shards.
    pub there_is: f64,
    /// What every combination would take.
    pub all_would_take: f64,
}

/// Fixes K, the budget and the combinations before any data (rules 15 and 16), for all shards, and
/// then takes this one's part.
#[must_use]
pub fn register(
    cases: Vec<Case>,
    compare: &Compare,
    seed: &Seed,
    partition: &Partition,
) -> Registered {
    let cost_s = |case: &Case| EXPECTED_COST_S + EXPECTED_LAUNCHES * case.launch_s();
    let all_would_take: f64 = cases.iter().map(cost_s).sum();
    let shards = compare.shard.as_ref().map_or(1, |shard| shard.count);
    let there_is = budget_s(&cases, compare, shards);
    let adaptive = compare.repeat.is_none() && compare.coverage == Coverage::Budgeted;
    let too_many = adaptive && all_would_take > there_is;
    let (kept, left_out) =
        if too_many { one_per_function(cases, seed) } else { (cases, Vec::new()) };
    let whole = Whole {
        planned: kept.iter().map(|c| (c.id.clone(), partition.shard_of(&c.id))).collect(),
        left_out: left_out.len(),
        family: family(&kept),
        too_little: (!left_out.is_empty()).then_some(TooLittle { there_is, all_would_take }),
    };
    let ours = |cases: Vec<Case>| -> Vec<Case> {
        cases.into_iter().filter(|case| partition.is_ours(&case.id)).collect()
    };
    let cases = ours(kept);
    Registered { budget_s: budget_s(&cases, compare, 1), cases, left_out: ours(left_out), whole }
}

/// What measuring these may take, where so many shards have a budget of their own each.
fn budget_s(cases: &[Case], compare: &Compare, shards: u32) -> f64 {
    let shards = f64::from(shards);
    if let Some(budget) = compare.time_budget {
        return budget.as_secs_f64() * shards;
    }
    let rows = cases.iter().flat_map(|case| &case.metrics).filter(|m| m.plan.gated).count();
    let launches_s: f64 = cases.iter().map(Case::launch_s).sum();
    let default = BUDGET_PER_ROW_S * rows as f64 + BUDGET_LAUNCHES * launches_s;
    default.min(LONGEST_DEFAULT_BUDGET_S * shards)
}

/// K: gated rows that are not declared exact.
fn family(cases: &[Case]) -> u64 {
    let gated = |metric: &&CaseMetric| metric.plan.gated && !metric.plan.exact;
    cases.iter().map(|case| case.metrics.iter().filter(gated).count() as u64).sum()
}

/// A seeded choice of one combination of each function: by name alone, so that neither the order they
/// were found in nor a combination that another commit has besides changes it.
fn one_per_function(cases: Vec<Case>, seed: &Seed) -> (Vec<Case>, Vec<Case>) {
    let seed = seed.selection();
    let mut first: BTreeMap<(usize, String), (u64, String)> = BTreeMap::new();
    let function = |case: &Case| (case.group, case.function().to_owned());
    for case in &cases {
        let rank = (seed.rank("combination", &case.id), case.id.clone());
        let least = first.entry(function(case)).or_insert_with(|| rank.clone());
        *least = rank.min(least.clone());
    }
    cases
        .into_iter()
        .partition(|case| first.get(&function(case)).is_some_and(|(_, chosen)| *chosen == case.id))
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
