//! What the next round measures: fixed before its workers start, from earlier rounds alone (rule 3).

use super::action::{Action, Pilot};
use super::machine::Machine;
use super::state::CaseState;
use crate::track::Track;
use bench_results::SideName;

/// Expected cost of a block and of a pilot before any was measured, seconds.
const BLOCK_GUESS_S: f64 = 0.25;
const PILOT_GUESS_S: f64 = 0.3;

/// What rides along with a block, workers and sentinels, before any was measured: a share of it.
const OVERHEAD_GUESS: f64 = 0.25;

/// Blocks that an unchanged benchmark usually needs (rule 16).
const BLOCKS_GUESS: f64 = 8.0;

/// From this share of the budget on, the cheapest decisions come first.
const PRIORITY_FROM: f64 = 0.5;

impl Machine {
    /// Fills the queue with the next round; leaves it empty when nothing is left to do.
    pub(super) fn plan_round(&mut self) {
        let costs: Vec<f64> = (0..self.cases.len()).map(|case| self.expected_cost(case)).collect();
        self.expected_end_s = self.elapsed_s + costs.iter().sum::<f64>();
        let chosen = self.chosen(&costs);
        for group in 0..self.settings.groups.len() {
            let cases: Vec<usize> =
                chosen.iter().copied().filter(|&c| self.cases[c].group == group).collect();
            if !cases.is_empty() {
                self.plan_group(group, &cases);
            }
        }
    }

    fn plan_group(&mut self, group: usize, cases: &[usize]) {
        let mut served: Vec<usize> =
            cases.iter().copied().filter(|&case| self.cases[case].needs_worker()).collect();
        let blocks = served.iter().filter(|&&case| self.states[case].pilot.is_some()).count();
        let sentinels = self.open_sentinels(group, blocks);
        served.extend(sentinels.iter().filter(|case| !cases.contains(case)));
        let round = self.round;
        if !served.is_empty() {
            self.queue.push_back(Action::Open {
                group,
                round,
                cases: served.clone(),
                twin: !sentinels.is_empty(),
            });
        }
        for &case in cases {
            let action = self.measure(case);
            self.queue.extend(action);
        }
        for case in sentinels {
            let action = self.block(case, true);
            self.queue.extend(action);
        }
        if !served.is_empty() {
            self.queue.push_back(Action::Close { group });
        }
    }

    /// A block, or the pilot where it is still due.
    fn measure(&self, case: usize) -> Option<Action> {
        if self.states[case].pilot.is_some() {
            return self.block(case, false);
        }
        // A pilot is no evidence and needs no coin. Base first: where both sides fail, it is base's
        // failure that is told, and head has broken nothing.
        let first = SideName::Base;
        Some(Action::Pilot(Pilot { case, first, state_test: self.state_tests.contains(&case) }))
    }

    /// The cases of the next round in the order they are measured: as many as the budget can be
    /// expected to bring to a decision, at least one.
    fn chosen(&self, costs: &[f64]) -> Vec<usize> {
        let mut ranked = self.ranked(costs);
        let left = self.settings.budget_s - self.elapsed_s;
        let mut planned = 0.0;
        let mut fits = 0;
        for &case in &ranked {
            planned += costs[case];
            if fits > 0 && planned > left {
                break;
            }
            fits += 1;
        }
        ranked.truncate(fits);
        self.settings.seed.shuffle("round", self.round, &mut ranked);
        // Suites stay together, so that their workers are started once.
        ranked.sort_by_key(|&case| self.cases[case].group);
        ranked
    }

    /// Open cases, most worthwhile first: what was begun is brought to an end before anything new
    /// is begun, or a short budget would leave all of it open. New ones come in a seeded order, and
    /// once half of the budget is spent the cheapest decision comes first.
    fn ranked(&self, costs: &[f64]) -> Vec<usize> {
        let is_open = |case: &usize| !self.states[*case].has_ended();
        let is_new = |case: usize| self.states[case].pilot.is_none();
        let mut open: Vec<usize> = self.admission.iter().copied().filter(is_open).collect();
        if self.elapsed_s < PRIORITY_FROM * self.settings.budget_s {
            open.sort_by_key(|&case| is_new(case));
        } else {
            open.sort_by(|&a, &b| is_new(a).cmp(&is_new(b)).then(costs[a].total_cmp(&costs[b])));
        }
        open
    }

    /// Seconds until this case can be expected to be decided; 0 when it is done with.
    pub(super) fn expected_cost(&self, case: usize) -> f64 {
        let state = &self.states[case];
        if state.has_ended() {
            return 0.0;
        }
        let pilot = if state.pilot.is_some() { 0.0 } else { PILOT_GUESS_S };
        pilot + self.block_cost(state) * (1.0 + self.overhead()) * self.blocks_left(state)
    }

    fn blocks_left(&self, state: &CaseState) -> f64 {
        let done = state.counted() as f64;
        let limits = &self.settings.limits;
        if let Some(repeat) = limits.repeat {
            return (f64::from(repeat) - done).max(1.0);
        }
        let forecast = state.tracks.first().and_then(Track::forecast);
        let left = forecast.unwrap_or(BLOCKS_GUESS - done);
        left.clamp(1.0, (f64::from(limits.max_blocks) - done).max(1.0))
    }

    /// What starting and ending workers and running sentinels costs, as a share of the blocks' cost.
    fn overhead(&self) -> f64 {
        if self.blocks_measured == 0 || self.blocks_cost_s <= 0.0 {
            return OVERHEAD_GUESS;
        }
        let beside = self.elapsed_s - self.pilots_cost_s - self.blocks_cost_s;
        beside.max(0.0) / self.blocks_cost_s
    }

    /// The case's own mean, else the mean over all, else a guess.
    fn block_cost(&self, state: &CaseState) -> f64 {
        let mean = || self.blocks_cost_s / f64::from(self.blocks_measured);
        let overall = if self.blocks_measured == 0 { BLOCK_GUESS_S } else { mean() };
        state.block_cost().unwrap_or(overall)
    }
}
