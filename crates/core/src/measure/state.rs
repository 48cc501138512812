//! What the measuring machine knows of one case.

use super::action::{BlockReading, CaseFailure, PilotReading};
use super::routing::{self, Route};
use crate::case::Case;
use crate::evidence;
use crate::track::{Bound, Finding, Track};
use bench_results::{Clock, Failure, SideName};

/// Lost blocks from which a benchmark that measured before cannot be believed (with 10 %).
const MANY_VOIDS: u32 = 3;

/// Characters of a text that are shown where a number was expected.
const TEXT_SHOWN: usize = 80;

/// Where a case stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// Not yet looked at, or pushed back for want of budget.
    Waiting,
    /// Calibrated and routed: blocks may be measured.
    Ready,
    /// Done with.
    Ended(End),
}

/// Why a case is done with.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Every judged metric is decided, or has the blocks that were asked for.
    Decided,
    /// As many blocks as allowed, and no decision.
    MaxBlocks,
    /// More blocks would not be expected to decide.
    Futile,
    /// It failed before it measured anything, or gave something that is no number.
    Failed(CaseFailure),
    /// It failed too often to be believed.
    Voids,
    /// Its prepared inputs differ from run to run: no comparison would mean anything.
    InputsDiffer,
    /// Its values cannot be compared: zero or negative, and not exact.
    NotComparable(String),
}

/// What is known of one case.
#[derive(Clone, Debug)]
pub struct CaseState {
    /// Where it stands.
    pub phase: Phase,
    /// What the pilot found.
    pub pilot: Option<PilotReading>,
    /// How blocks are run.
    pub route: Option<Route>,
    /// All blocks, void and superseded ones too.
    pub blocks: Vec<BlockReading>,
    /// The position of each in the whole run.
    pub orders: Vec<u32>,
    /// Blocks before this index are superseded (the case was demoted).
    pub superseded: usize,
    /// Next position of the random stream.
    pub position: u32,
    /// Failed pilots and void blocks: base, head.
    pub voids: [u32; 2],
    /// Distinct reasons of voids, in order.
    pub void_reasons: Vec<CaseFailure>,
    /// The evidence of each metric.
    pub tracks: Vec<Track>,
    /// Why the CPU clock cannot go on, where a block under it did not come to an end.
    stood_still: Option<String>,
    /// Machine time spent, seconds.
    pub cost_s: f64,
    /// Of it, on blocks.
    pub block_cost_s: f64,
}

impl CaseState {
    /// Nothing known yet.
    pub fn new(case: &Case, bound: Bound) -> Self {
        Self {
            phase: Phase::Waiting,
            pilot: None,
            route: None,
            blocks: Vec::new(),
            orders: Vec::new(),
            superseded: 0,
            position: 0,
            voids: [0; 2],
            void_reasons: Vec::new(),
            tracks: tracks(case, bound, 1),
            stood_still: None,
            cost_s: 0.0,
            block_cost_s: 0.0,
        }
    }

    /// Makes room for metrics that showed themselves in the pilot, before the first block.
    pub fn extend_tracks(&mut self, case: &Case, bound: Bound) {
        let new = tracks(case, bound, 1).split_off(self.tracks.len().min(case.metrics.len()));
        self.tracks.extend(new);
    }

    /// Takes in a pilot.
    pub fn pilot(&mut self, cost_s: f64, result: Result<PilotReading, CaseFailure>) {
        self.cost_s += cost_s;
        match result {
            Ok(reading) => {
                self.phase = if reading.inputs_differ {
                    Phase::Ended(End::InputsDiffer)
                } else {
                    Phase::Ready
                };
                self.pilot = Some(reading);
            }
            Err(failure) => self.void(failure),
        }
    }

    /// Fixes how blocks run, once the round of the pilot is over: what its function's other
    /// combinations showed of their state counts too, whichever came first.
    pub fn route(&mut self, case: &Case, fresh: bool) {
        self.route = self.pilot.as_ref().map(|pilot| routing::first(case, pilot, fresh));
    }

    /// Takes in a block.
    pub fn block(&mut self, case: &Case, block: BlockReading) {
        self.cost_s += block.cost_s;
        self.block_cost_s += block.cost_s;
        // A void uses up its position (rule 4).
        self.position = block.position + 1;
        let failures: Vec<CaseFailure> =
            block.sides.iter().filter_map(|side| side.as_ref().err().cloned()).collect();
        if let Some(failure) = failures.iter().find(|failure| stood_still(failure)) {
            self.stood_still = Some(format!("{} started to wait", failure.side()));
            self.blocks.push(block);
            return;
        }
        if failures.is_empty() {
            self.count(case, &block);
        }
        self.blocks.push(block);
        failures.into_iter().for_each(|failure| self.void(failure));
    }

    fn count(&mut self, case: &Case, block: &BlockReading) {
        for (metric, track) in self.tracks.iter_mut().enumerate() {
            let better = case.metrics[metric].plan.metric.better;
            if let Some(pair) = evidence::pair(case.reading(metric), better, block) {
                track.push(pair, block.first);
            }
        }
    }

    fn void(&mut self, failure: CaseFailure) {
        self.voids[failure.side().index()] += 1;
        // Where both sides fail in one block it is base's failure that is told: head broke nothing.
        if !self.has_ended() && self.is_hopeless(&failure) {
            self.phase = Phase::Ended(End::Failed(failure.clone()));
        }
        if !self.void_reasons.contains(&failure) {
            self.void_reasons.push(failure);
        }
    }

    /// A skip will be repeated, and a benchmark that hangs would only burn its timeout again; other
    /// failures get a second chance before the benchmark is called failed.
    fn is_hopeless(&self, failure: &CaseFailure) -> bool {
        let nothing_measured = self.measured() == 0;
        let certain = match failure {
            CaseFailure::Skipped { .. } => true,
            CaseFailure::Failed(failure) => failure.stage == "timeout",
        };
        nothing_measured && (certain || self.voids.iter().any(|&count| count >= 2))
    }

    /// Whether it is done with.
    pub fn has_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended(_))
    }

    /// Blocks that were measured whole, superseded ones too.
    fn measured(&self) -> usize {
        self.blocks.iter().filter(|block| block.sides.iter().all(Result::is_ok)).count()
    }

    /// Blocks that count as evidence now.
    pub fn counted(&self) -> usize {
        self.tracks.first().map_or(0, Track::blocks)
    }

    /// What is proved about each judged metric; none while any is open.
    fn all_decided(&self, case: &Case) -> bool {
        let judged = self.judged(case);
        judged.iter().all(|track| track.finding().is_some())
    }

    fn judged<'a>(&'a self, case: &Case) -> Vec<&'a Track> {
        let gated = |metric: usize| case.metrics[metric].plan.gated;
        self.tracks
            .iter()
            .enumerate()
            .filter(|(metric, _)| gated(*metric))
            .map(|(_, track)| track)
            .collect()
    }

    /// The finding on the primary metric.
    pub fn finding(&self) -> Option<Finding> {
        self.tracks.first().and_then(Track::finding)
    }

    /// At the end of a round: is the case done with, or demoted? Gives the reason of a demotion.
    pub fn end_round(&mut self, case: &Case, limits: &Limits) -> Option<String> {
        if self.phase != Phase::Ready {
            return None;
        }
        let decided = self.all_decided(case);
        let n = self.counted();
        let due = n > 0 && (decided || n.is_multiple_of(routing::RECHECK_EVERY))
            || self.stood_still.is_some();
        if let Some(reason) = self.routing_failure(case).filter(|_| due) {
            self.demote(case, limits.bound, &reason);
            return Some(reason);
        }
        if let Some(end) = self.end(case, limits, decided) {
            self.phase = Phase::Ended(end);
        }
        None
    }

    fn end(&self, case: &Case, limits: &Limits, decided: bool) -> Option<End> {
        let n = self.counted();
        if let Some(failure) = self.not_a_number() {
            return Some(End::Failed(failure));
        }
        if let Some(words) = self.not_comparable(n) {
            return Some(End::NotComparable(words));
        }
        if self.is_unreliable() {
            return Some(End::Voids);
        }
        if let Some(repeat) = limits.repeat {
            return (n >= repeat as usize).then_some(End::Decided);
        }
        let max = limits.max_blocks as usize;
        if decided {
            Some(End::Decided)
        } else if n >= max {
            Some(End::MaxBlocks)
        } else {
            let open: Vec<&Track> =
                self.judged(case).into_iter().filter(|t| t.finding().is_none()).collect();
            (!open.is_empty() && open.iter().all(|track| track.is_futile(max)))
                .then_some(End::Futile)
        }
    }

    /// More than 10 % and at least three blocks lost (rule 14).
    fn is_unreliable(&self) -> bool {
        let lost = self.voids.iter().copied().max().unwrap_or(0);
        lost >= MANY_VOIDS && f64::from(lost) > 0.1 * (self.measured() as f64 + f64::from(lost))
    }

    /// A value that is no number, though the benchmark promised one: base's where both sides gave
    /// one, since head then broke nothing.
    fn not_a_number(&self) -> Option<CaseFailure> {
        use bench_harness::ValueReading;
        let last = self.blocks.last()?;
        let words = |value: &ValueReading| match value {
            ValueReading::Nan => Some("the value is not a number".to_owned()),
            ValueReading::Text(text) => {
                let text: String = text.chars().take(TEXT_SHOWN).collect();
                Some(format!("the value is not a number but `{text}`"))
            }
            ValueReading::Number(_) => None,
        };
        SideName::BOTH.into_iter().find_map(|side| {
            let launch = last.sides[side.index()].as_ref().ok()?;
            let message = words(launch.value.as_ref()?)?;
            Some(CaseFailure::Failed(Failure {
                side: Some(side),
                stage: "value".to_owned(),
                message,
                stderr_tail: String::new(),
            }))
        })
    }

    fn not_comparable(&self, n: usize) -> Option<String> {
        let primary = self.tracks.first()?;
        let no_ratio = primary.sequence().is_empty() && !primary.repeats();
        (n >= crate::track::MIN_BLOCKS && no_ratio)
            .then(|| "zero or negative values that vary".to_owned())
    }

    fn routing_failure(&self, case: &Case) -> Option<String> {
        let route = self.route.as_ref()?;
        if route.clock != Clock::Cpu
            || case.gives_value()
            || route.demoted_at.is_some()
            || !route.may_demote
        {
            return None;
        }
        if self.stood_still.is_some() {
            return self.stood_still.clone();
        }
        let recent = self.blocks[self.superseded..].iter().rev().take(routing::RECHECK_EVERY);
        routing::recheck(case, self.pilot.as_ref()?, recent)
    }

    fn demote(&mut self, case: &Case, bound: Bound, reason: &str) {
        let next = self.position;
        if let Some(route) = &mut self.route {
            route.demote(next, reason);
        }
        self.superseded = self.blocks.len();
        self.tracks = tracks(case, bound, 2);
    }

    /// Mean cost of its blocks so far, seconds.
    pub fn block_cost(&self) -> Option<f64> {
        (!self.blocks.is_empty()).then(|| self.block_cost_s / self.blocks.len() as f64)
    }

    /// The side that failed more.
    pub fn weaker_side(&self) -> SideName {
        if self.voids[0] > self.voids[1] { SideName::Base } else { SideName::Head }
    }
}

/// Limits that hold for every case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The false-alarm bound.
    pub bound: Bound,
    /// Most blocks per benchmark.
    pub max_blocks: u32,
    /// Exactly this many blocks.
    pub repeat: Option<u32>,
}

fn stood_still(failure: &CaseFailure) -> bool {
    matches!(failure, CaseFailure::Failed(failure) if failure.stage == routing::STOOD_STILL)
}

fn tracks(case: &Case, bound: Bound, attempt: u32) -> Vec<Track> {
    case.metrics
        .iter()
        .map(|m| {
            Track::new(bound, m.rule, crate::case::nature(&m.plan), m.plan.metric.better, attempt)
        })
        .collect()
}
