//! The measuring machine: what to measure next, and when to stop.
//!
//! A pure state machine, `next() -> Action` and `apply(Outcome)`: no clock, no I/O, and no
//! randomness but the seeded draws. What it decides depends only on the cases, the limits, the seed
//! and the outcomes so far, so a run can be simulated, resumed and derived again from its journal.
//!
//! Invariants: what a round measures is fixed before its workers start; decisions fall at round
//! ends; a block's coin is a function of the benchmark and its position alone; K never changes.

use super::action::{Action, BlockOrder, BlockReading, CaseFailure, Outcome, Pilot, PilotReading};
use super::length;
use super::routing;
use super::sentinel::{self, SentinelState};
use super::state::{CaseState, End, Limits, Phase};
use crate::case::{Case, CaseMetric};
use crate::events::{Event, Progress};
use crate::seed::Seed;
use bench_harness::MetricPlan;
use bench_results::{Failure, StoppedBy, Verdict};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What the machine is told before it starts.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Limits for every case.
    pub limits: Limits,
    /// Budget of measuring, seconds.
    pub budget_s: f64,
    /// The draws.
    pub seed: Seed,
    /// Names of the groups (suite, environment): they name the round streams.
    pub groups: Vec<(String, String)>,
    /// Whether base is also compared with itself.
    pub sentinels: bool,
}

/// The state machine.
#[derive(Debug)]
pub struct Machine {
    pub(super) settings: Settings,
    pub(super) cases: Vec<Case>,
    pub(super) states: Vec<CaseState>,
    pub(super) sentinels: Vec<SentinelState>,
    /// All cases in the seeded order in which they are admitted.
    pub(super) admission: Vec<usize>,
    /// The cases whose pilot tests whether a fresh state matters.
    pub(super) state_tests: BTreeSet<usize>,
    pub(super) queue: VecDeque<Action>,
    pub(super) round: u32,
    pub(super) elapsed_s: f64,
    stopped: Option<StoppedBy>,
    round_runs: bool,
    /// The `Open` whose workers stand.
    open: Option<Action>,
    /// Per group and function: whether a fresh state matters, once tested.
    fresh: BTreeMap<(usize, String), bool>,
    news: Vec<Event>,
    /// The cases whose end was told.
    told: BTreeSet<usize>,
    /// How many of them have a verdict that says something.
    decided: usize,
    /// Where `elapsed_s` is expected to end, as of the last round's start.
    pub(super) expected_end_s: f64,
    /// Of `elapsed_s`: pilots, and the cases' own blocks. The rest (workers, sentinels) rides along.
    pub(super) pilots_cost_s: f64,
    pub(super) blocks_cost_s: f64,
    /// Position in the whole run of the next block.
    order: u32,
    pub(super) blocks_measured: u32,
}

impl Machine {
    /// A machine for these cases, in their planned order.
    #[must_use]
    pub fn new(settings: Settings, cases: Vec<Case>) -> Self {
        let states = cases.iter().map(|case| CaseState::new(case, settings.limits.bound)).collect();
        let sentinels = sentinel::choose(&settings, &cases);
        let mut admission = by_id(&cases);
        let seed = settings.seed.selection();
        admission.sort_by_cached_key(|&case| seed.rank("admission", &cases[case].id));
        Self {
            admission,
            state_tests: state_tests(&cases),
            told: BTreeSet::new(),
            decided: 0,
            settings,
            cases,
            states,
            sentinels,
            queue: VecDeque::new(),
            round: 0,
            elapsed_s: 0.0,
            stopped: None,
            round_runs: false,
            expected_end_s: 0.0,
            pilots_cost_s: 0.0,
            blocks_cost_s: 0.0,
            order: 0,
            blocks_measured: 0,
            open: None,
            fresh: BTreeMap::new(),
            news: Vec::new(),
        }
    }

    /// What to do next. Repeats its answer until an outcome is applied.
    #[expect(
        clippy::should_implement_trait,
        reason = "an answer repeats until its outcome is applied: no iterator"
    )]
    pub fn next(&mut self) -> Action {
        loop {
            if let Some(stopped) = self.stopped {
                return Action::Done(stopped);
            }
            self.skip_what_the_budget_cannot_hold();
            if let Some(action) = self.queue.front() {
                return action.clone();
            }
            self.begin_round();
        }
    }

    /// Ends the round that ran, and plans the next or stops.
    fn begin_round(&mut self) {
        if self.round_runs {
            self.end_round();
        }
        if self.has_budget() {
            self.plan_round();
        }
        self.round_runs = !self.queue.is_empty();
        if !self.round_runs {
            let unfinished = self.states.iter().any(|state| !state.has_ended());
            self.stopped = Some(if unfinished { StoppedBy::Budget } else { StoppedBy::Done });
        }
    }

    fn has_budget(&self) -> bool {
        self.elapsed_s < self.settings.budget_s
    }

    /// Takes in what came of the action that `next` gave.
    pub fn apply(&mut self, outcome: Outcome) {
        let action = self.queue.pop_front();
        match outcome {
            Outcome::Opened { cost_s, failure } => self.opened(action.as_ref(), cost_s, failure),
            Outcome::Pilot { case, cost_s, result } => self.piloted(case, cost_s, result),
            Outcome::Block(block) => self.measured(*block),
            Outcome::Closed { cost_s } => {
                self.elapsed_s += cost_s;
                self.open = None;
            }
            Outcome::Interrupted => {
                self.queue.clear();
                self.end_round();
                self.stopped = Some(StoppedBy::Signal);
            }
        }
    }

    /// Without workers nothing of the group can be measured: every case of the round lost a block.
    fn opened(&mut self, action: Option<&Action>, cost_s: f64, failure: Option<Failure>) {
        self.elapsed_s += cost_s;
        let Some(open @ Action::Open { cases, .. }) = action else { return };
        self.open = Some(open.clone());
        let Some(failure) = failure else { return };
        for &case in cases {
            self.states[case].pilot(0.0, Err(CaseFailure::Failed(failure.clone())));
            self.tell_end(case);
        }
        let served: BTreeSet<usize> = cases.iter().copied().collect();
        let is_served = |action: &Action| matches!(action, Action::Pilot(Pilot { case, .. }) | Action::Block(BlockOrder { case, .. }) if served.contains(case));
        self.queue.retain(|action| !is_served(action));
    }

    fn piloted(&mut self, case: usize, cost_s: f64, result: Result<PilotReading, CaseFailure>) {
        self.elapsed_s += cost_s;
        self.pilots_cost_s += cost_s;
        if let Some(pairs) = result.as_ref().ok().and_then(|pilot| pilot.state.as_ref()) {
            let says = routing::state_says_fresh(pairs);
            *self.fresh.entry(function(&self.cases[case])).or_default() |= says;
        }
        if let Ok(pilot) = &result {
            self.also(case, &pilot.metrics);
        }
        self.states[case].pilot(cost_s, result);
        self.tell_end(case);
    }

    /// Metrics that showed themselves in the pilot: never judged, so that K stays what it was.
    fn also(&mut self, case: usize, metrics: &[MetricPlan]) {
        for plan in metrics {
            let rule = self.cases[case].margins.of(plan);
            let plan = MetricPlan { gated: false, ..plan.clone() };
            self.cases[case].metrics.push(CaseMetric { plan, rule });
        }
        self.states[case].extend_tracks(&self.cases[case], self.settings.limits.bound);
    }

    /// Whether each call of this case gets a fresh set-up: the suite's own `number`, else this
    /// function's state test, on whichever combinations it was made.
    fn fresh_for(&self, case: usize) -> bool {
        let spec = &self.cases[case];
        if !spec.has_hooks() || spec.number().is_some() {
            // A demanded `number` is calls per set-up: the worker counts them.
            return spec.has_hooks();
        }
        // Untested (a set-up above a second): one call per set-up is always right.
        self.fresh.get(&function(spec)).copied().unwrap_or(true)
    }

    fn measured(&mut self, block: BlockReading) {
        self.elapsed_s += block.cost_s;
        let order = self.order;
        self.order += 1;
        if !block.sentinel {
            self.blocks_measured += 1;
            self.blocks_cost_s += block.cost_s;
            let case = block.case;
            self.states[case].block(&self.cases[case], block);
            self.states[case].orders.push(order);
            self.tell_end(case);
            return;
        }
        self.sentinel_measured(block, order);
    }

    fn end_round(&mut self) {
        for case in 0..self.cases.len() {
            if self.states[case].route.is_none() {
                let fresh = self.fresh_for(case);
                self.states[case].route(&self.cases[case], fresh);
            }
            let demoted = self.states[case].end_round(&self.cases[case], &self.settings.limits);
            if let Some(reason) = demoted {
                let benchmark = self.cases[case].id.clone();
                self.news.push(Event::Demoted { benchmark, reason });
            }
            self.tell_end(case);
        }
        self.round += 1;
    }

    /// Tells once that a case is done with.
    fn tell_end(&mut self, case: usize) {
        if self.states[case].has_ended() && self.told.insert(case) {
            let verdict = crate::assemble::primary_verdict(&self.states[case]);
            self.decided += usize::from(verdict != Verdict::Inconclusive);
            let benchmark = self.cases[case].id.clone();
            self.news.push(Event::Decided { benchmark, verdict });
        }
    }

    /// A budget may cut a round: finished blocks count, workers are still closed.
    fn skip_what_the_budget_cannot_hold(&mut self) {
        while let Some(action) = self.queue.front() {
            let measures =
                matches!(action, Action::Pilot(_) | Action::Block(_) | Action::Open { .. });
            if !measures || self.has_budget() {
                return;
            }
            self.queue.pop_front();
            if self.open.is_none() {
                // Workers that were never started need no closing.
                self.queue.retain(|action| !matches!(action, Action::Close { .. }));
            }
        }
    }

    /// The order for a block of a case (or of its sentinel).
    pub(super) fn block(&self, case: usize, sentinel: bool) -> Option<Action> {
        let spec = &self.cases[case];
        let state = &self.states[case];
        let (route, pilot) = (state.route.as_ref()?, state.pilot.as_ref()?);
        let position = match sentinel {
            true => self.sentinels.iter().find(|s| s.case == case)?.position,
            false => state.position,
        };
        let stream = if sentinel { format!("{} sentinel", spec.id) } else { spec.id.clone() };
        let coins = self.settings.seed.block(&stream, position);
        let family = self.settings.limits.bound.family;
        Some(Action::Block(BlockOrder {
            case,
            round: self.round,
            position,
            schedule: route.schedule,
            clock: route.clock,
            first: coins.first,
            pairs: coins.pairs,
            loops: route.loops,
            fresh: route.fresh,
            lead_in_ns: route.lead_in_ns,
            call_ns: pilot.call_ns,
            cpu_target_ns: length::cpu_target_ns(spec, state, family),
            pinned: route.pinned,
            sentinel,
        }))
    }

    /// What happened since it was last asked.
    pub fn news(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.news)
    }

    /// How far the run is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let end = self.expected_end_s.min(self.settings.budget_s);
        Progress {
            decided: self.decided,
            ended: self.told.len(),
            total: self.cases.len(),
            elapsed_s: self.elapsed_s,
            left_s: (end - self.elapsed_s).max(0.0),
            round: self.round,
        }
    }

    /// The `Open` whose workers should stand now: a resumed run has to start them again.
    #[must_use]
    pub fn open(&self) -> Option<&Action> {
        self.open.as_ref()
    }

    /// The cases, as planned.
    #[must_use]
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// What is known of each case.
    #[must_use]
    pub fn states(&self) -> &[CaseState] {
        &self.states
    }

    /// The sentinels.
    #[must_use]
    pub fn sentinels(&self) -> &[SentinelState] {
        &self.sentinels
    }

    /// Why it stopped; none while it has not.
    #[must_use]
    pub fn stopped(&self) -> Option<StoppedBy> {
        self.stopped
    }

    /// Seconds of measuring so far.
    #[must_use]
    pub fn elapsed_s(&self) -> f64 {
        self.elapsed_s
    }

    /// Why a case that is undecided has no more blocks.
    #[must_use]
    pub fn end(&self, case: usize) -> Option<&End> {
        match &self.states[case].phase {
            Phase::Ended(end) => Some(end),
            Phase::Waiting | Phase::Ready => None,
        }
    }
}

/// All cases by name: draws over this order do not depend on the order they were found in.
pub(super) fn by_id(cases: &[Case]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|&case| (&cases[case].id, cases[case].group));
    order
}

/// The function a case is a combination of.
fn function(case: &Case) -> (usize, String) {
    (case.group, case.function().to_owned())
}

/// Once per function: its first and last combination, or any where neither is measured (rule 9).
fn state_tests(cases: &[Case]) -> BTreeSet<usize> {
    let mut tests: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
    let wants = |case: &usize| cases[*case].has_hooks() && cases[*case].number().is_none();
    for case in by_id(cases).into_iter().filter(wants) {
        tests.entry(function(&cases[case])).or_default().push(case);
    }
    let chosen = |combinations: Vec<usize>| {
        let (mut ends, others): (Vec<usize>, Vec<usize>) =
            combinations.into_iter().partition(|&case| cases[case].is_extreme);
        if ends.is_empty() {
            ends.extend(others.first());
        }
        ends
    };
    tests.into_values().flat_map(chosen).collect()
}
