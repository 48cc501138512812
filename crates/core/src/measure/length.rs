//! How much CPU time a block spends on its two sides together (rule 8).
//!
//! Most of what differs between blocks is what each process brings with it, which longer blocks do
//! not average away: short ones buy more processes. Only where the slices of a block scatter so far
//! that its own median is in doubt is more time better spent inside.

use super::state::CaseState;
use crate::case::Case;
use crate::evidence::within_error;
use bench_results::Schedule;
use bench_stats::median;

const SHORT_NS: u64 = 50_000_000;
const LONG_NS: u64 = 100_000_000;

/// Rows from which processes per second matter most: every block is short.
const LARGE_FAMILY: u64 = 200;

/// Blocks that are looked at, and fewest before any of them is believed.
const RECENT: usize = 8;
const FEWEST: usize = 2;

/// Most of the threshold that the error within a short block may be. Simulated with K = 16, noise of
/// 1 % takes no more blocks than none at all: the smallest number decides, not the noise.
const SHARE_OF_THRESHOLD: f64 = 0.3;

/// The length of the next block, by the blocks of earlier rounds alone (rule 3).
pub(super) fn cpu_target_ns(case: &Case, state: &CaseState, family: u64) -> u64 {
    let Some(metric) = case.metrics.first() else { return SHORT_NS };
    let most = SHARE_OF_THRESHOLD * metric.rule.threshold.ln_1p();
    let is_rough = family <= LARGE_FAMILY && error_within(state).is_some_and(|error| error > most);
    if is_rough { LONG_NS } else { SHORT_NS }
}

/// Usual standard error of the recent blocks' log ratios, had each been short: their median, since
/// one block in a disturbed moment says nothing about the next.
fn error_within(state: &CaseState) -> Option<f64> {
    let errors: Vec<f64> = state.blocks[state.superseded..]
        .iter()
        .rev()
        .filter(|block| block.schedule != Schedule::Sequential)
        .filter_map(|block| {
            let [Ok(base), Ok(head)] = &block.sides else { return None };
            let spent: u64 = base.slices.iter().chain(&head.slices).map(|slice| slice.0).sum();
            within_error(block).map(|error| error * as_if_short(spent))
        })
        .take(RECENT)
        .collect();
    if errors.len() < FEWEST { None } else { median(&errors) }
}

/// How much wider the error of a block would be that had stopped at the short length.
fn as_if_short(spent_ns: u64) -> f64 {
    (spent_ns as f64 / SHORT_NS as f64).max(1.0).sqrt()
}
