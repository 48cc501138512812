//! What is registered before any data: K, the budget, the cases, and rows for everything else.

use crate::assemble::{RowContext, blank};
use crate::case::{Case, CaseMetric};
use crate::config::{Config, Identical, percent};
use crate::journal::Begin;
use crate::judge::reason;
use crate::matching::{self, Matched, Registered};
use crate::measure::group::Group;
use crate::measure::machine::{Machine, Settings as MachineSettings};
use crate::measure::state::Limits;
use crate::plan::Plan;
use crate::prepare::Prepared;
use crate::run::Job;
use crate::seed::Seed;
use crate::skeleton;
use crate::track::Bound;
use bench_results::{Pairing, Row, Verdict};
use std::collections::BTreeSet;

/// What a self-test does to head must stand in its results.
fn on_purpose(slower_by: f64) -> Option<String> {
    (slower_by > 0.0).then(|| {
        format!(
            "head's times are taken to be {} longer than they are: a self-test",
            percent(slower_by)
        )
    })
}

/// What is registered before any data.
pub(crate) struct Registration {
    pub(crate) begin: Begin,
    pub(crate) cases: Vec<Case>,
    pub(crate) groups: Vec<Group>,
    /// Ids that a filter left out.
    pub(crate) unwanted: Vec<String>,
}

impl Registration {
    pub(crate) fn new(
        job: &Job<'_>,
        config: &Config,
        plan: &Plan<'_>,
        prepared: Vec<Prepared>,
        prepare_s: f64,
    ) -> Self {
        let mut results =
            skeleton::skeleton(&job.identity, config, Some(plan), &prepared, prepare_s);
        results.warnings.extend(on_purpose(job.slower_by));
        let seed = Seed::new(&plan.compared.0, &plan.compared.1, &results.seed);
        let found: Vec<Matched> = prepared
            .iter()
            .enumerate()
            .map(|(at, group)| match_group(config, plan, at, group, 0))
            .collect();
        let partition = matching::partition(&found, &config.compare);
        let ids: BTreeSet<String> =
            found.iter().flat_map(Matched::ids).map(str::to_owned).collect();
        let (mut cases, mut known, mut unwanted) = (Vec::new(), Vec::new(), Vec::new());
        for (at, (group, matched)) in prepared.iter().zip(found).enumerate() {
            known.extend(matched.rows);
            unwanted.extend(matched.unwanted);
            if group.identical && config.compare.identical == Identical::Skip {
                let context = plan_context(plan, at, 0);
                known.extend(matched.cases.iter().flat_map(|case| identical_rows(&context, case)));
            } else {
                cases.extend(matched.cases);
            }
        }
        known.retain(|row| partition.is_ours(&row.benchmark));
        let Registered { cases, left_out, whole, budget_s } =
            matching::register(cases, &config.compare, &seed, &partition);
        for (at, _) in plan.groups.iter().enumerate() {
            let of_group: Vec<&Case> = left_out.iter().filter(|case| case.group == at).collect();
            known.extend(matching::left_out_rows(&plan_context(plan, at, whole.family), &of_group));
        }
        results.benchmarks = known;
        skeleton::register(&mut results, config, &whole, ids.len(), budget_s);
        for row in &mut results.benchmarks {
            row.family = whole.family;
            row.machine =
                results.machines.first().map(|machine| machine.id.clone()).unwrap_or_default();
        }
        job.identity.redactor.results(&mut results);
        let names =
            |group: &Group| (group.suite.clone(), group.environment.clone(), group.harness.clone());
        let groups: Vec<Group> = prepared.into_iter().map(|prepared| prepared.group).collect();
        let begin = Begin {
            results,
            cases: cases.clone(),
            groups: groups.iter().map(names).collect(),
            compared: plan.compared.clone(),
        };
        Self { begin, cases, groups, unwanted }
    }

    pub(crate) fn machine(&self, seed: &str) -> Machine {
        new_machine(&self.begin, seed)
    }
}

fn plan_context<'a>(plan: &'a Plan<'_>, at: usize, family: u64) -> RowContext<'a> {
    let planned = &plan.groups[at];
    RowContext {
        comparison: &planned.name,
        machine: "",
        suite: &planned.suite.settings.name,
        harness: planned.harness.name(),
        family,
    }
}

pub(crate) fn match_group(
    config: &Config,
    plan: &Plan<'_>,
    at: usize,
    prepared: &Prepared,
    family: u64,
) -> Matched {
    let [base, head] = &prepared.discoveries;
    matching::matched(
        at,
        plan.groups[at].suite,
        &config.compare,
        &plan_context(plan, at, family),
        [base, head],
    )
}

/// Builds that are the same in what matters are not run (rule 18).
fn identical_rows(context: &RowContext<'_>, case: &Case) -> Vec<Row> {
    let row = |metric: usize| {
        let CaseMetric { plan, rule } = &case.metrics[metric];
        let mut row = blank(context, &case.id, &case.benchmark[1], plan, *rule);
        row.pairing = Pairing::Identical;
        row.verdict = row.verdict.map(|_| Verdict::Unchanged);
        row.reason = Some(reason::IDENTICAL.to_owned());
        row
    };
    (0..case.metrics.len()).filter(|&metric| case.metrics[metric].plan.gated).map(row).collect()
}

/// The machine of a registered run; its seed may be an earlier run's that is taken up again.
pub(crate) fn new_machine(begin: &Begin, seed: &str) -> Machine {
    let settings = &begin.results.settings;
    let bound = Bound {
        alpha: settings.alpha,
        alpha_unchanged: settings.alpha_unchanged,
        family: begin.results.plan.family_size.max(1),
    };
    let machine = MachineSettings {
        limits: Limits { bound, max_blocks: settings.max_blocks, repeat: settings.repeat },
        budget_s: settings.time_budget_s,
        seed: Seed::new(&begin.compared.0, &begin.compared.1, seed),
        groups: begin
            .groups
            .iter()
            .map(|(suite, environment, _)| (suite.clone(), environment.clone()))
            .collect(),
        sentinels: true,
    };
    Machine::new(machine, begin.cases.clone())
}
