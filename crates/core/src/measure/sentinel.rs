//! The sentinels: base against base, riding along, to show that the machinery itself is to be trusted
//! (rule 17).

use super::action::BlockReading;
use super::machine::{Machine, Settings, by_id};
use crate::case::Case;
use crate::track::Track;

/// Blocks a sentinel gets at most (statistics, section 4.7).
const SENTINEL_BLOCKS: usize = 14;

/// One sentinel per so many benchmarks, three at most: a sentinel costs as much as a benchmark.
const BENCHMARKS_PER_SENTINEL: usize = 20;

/// Blocks of the run's own for each block of a sentinel, at least.
const CASES_PER_RIDE: usize = 4;

/// Base against base, beside a case.
#[derive(Clone, Debug)]
pub struct SentinelState {
    /// The case it copies.
    pub case: usize,
    /// Its evidence.
    pub track: Track,
    /// Its blocks.
    pub blocks: Vec<BlockReading>,
    /// The position of each in the whole run.
    pub orders: Vec<u32>,
    /// Next position of its stream.
    pub position: u32,
}

impl Machine {
    /// Sentinels of a group that can and still want to be measured. They ride also when the case they
    /// copy is done with, but only in rounds whose own blocks outweigh theirs: they must not prolong a
    /// run.
    pub(super) fn open_sentinels(&self, group: usize, blocks: usize) -> Vec<usize> {
        if !self.outweighs_sentinels(blocks) {
            return Vec::new();
        }
        let wants = |s: &&SentinelState| {
            let is_routed =
                self.states[s.case].route.is_some() && self.states[s.case].pilot.is_some();
            self.cases[s.case].group == group && is_routed && s.blocks.len() < SENTINEL_BLOCKS
        };
        self.sentinels.iter().filter(wants).map(|s| s.case).collect()
    }

    /// Whether a round of so many blocks of its own carries sentinels. Where there are too few
    /// benchmarks for that in any round, every so many rounds are taken together: beside one statement a
    /// sentinel in each round would take as long as what was asked for.
    fn outweighs_sentinels(&self, blocks: usize) -> bool {
        let outweighed = CASES_PER_RIDE * self.sentinels.len();
        if self.cases.len() >= outweighed {
            return blocks >= outweighed;
        }
        let rounds = outweighed.div_ceil(self.cases.len().max(1));
        blocks > 0 && (self.round as usize).is_multiple_of(rounds)
    }

    /// Takes in a sentinel's block.
    pub(super) fn sentinel_measured(&mut self, block: BlockReading, order: u32) {
        let case = &self.cases[block.case];
        let better = case.metrics[0].plan.metric.better;
        let pair = crate::evidence::pair(case.reading(0), better, &block);
        let Some(sentinel) = self.sentinels.iter_mut().find(|s| s.case == block.case) else {
            return;
        };
        sentinel.position = block.position + 1;
        if let Some(pair) = pair {
            sentinel.track.push(pair, block.first);
        }
        sentinel.blocks.push(block);
        sentinel.orders.push(order);
    }
}

/// A seeded choice of timed, batched cases; the same whatever the outcomes.
pub(super) fn choose(settings: &Settings, cases: &[Case]) -> Vec<SentinelState> {
    if !settings.sentinels {
        return Vec::new();
    }
    let is_timed =
        |case: &usize| matches!(cases[*case].how(), bench_harness::HowMeasured::Stepped { .. });
    let mut eligible: Vec<usize> = by_id(cases).into_iter().filter(is_timed).collect();
    settings.seed.shuffle("sentinels", 0, &mut eligible);
    eligible.truncate(cases.len().div_ceil(BENCHMARKS_PER_SENTINEL).min(3));
    let state = |case: usize| SentinelState {
        case,
        track: Track::sentinel(cases[case].metrics[0].rule),
        blocks: Vec::new(),
        orders: Vec::new(),
        position: 0,
    };
    eligible.into_iter().map(state).collect()
}
