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

/// The first blocks, of which nothing is known yet, and the bounds of what comes later. 16 kernels of .3
/// to 3 ms, two of them changed, were judged in 10.4 s with 36 and 20 ms, in 9.8 s with 26 and 15 ms
/// (medians of six runs of each, in which all verdicts were right).
const FIRST_NS: u64 = 38_000_000;
const SHORTEST_NS: u64 = 24_000_000;
const LONGEST_NS: u64 = 100_000_000;

/// Rows from which processes per second matter most, and the bound there.
const LARGE_FAMILY: u64 = 200;
const LONGEST_OF_MANY_NS: u64 = 50_000_000;

/// Blocks that are looked at, and fewest before any of them is believed.
const RECENT: usize = 8;
const FEWEST: usize = 2;

/// What the error within a block may be, as a share of the threshold. Simulated with K = 16, errors
/// up to this take hardly more blocks than none at all (6 to 7.5 for equal, 11 to 12 for +5 %): the
/// smallest number decides, not the noise. At the whole threshold they take twice as many.
const SHARE_OF_THRESHOLD: f64 = 0.6;

/// The length of the next block, by the blocks of earlier rounds alone (rule 3): as long as brings
/// the error within it to what it may be, since an error falls with the root of the time.
pub(super) fn cpu_target_ns(case: &Case, state: &CaseState, family: u64) -> u64 {
    let (Some(metric), Some(error)) = (case.metrics.first(), error_within(state)) else {
        return FIRST_NS;
    };
    let longest = if family <= LARGE_FAMILY { LONGEST_NS } else { LONGEST_OF_MANY_NS };
    let times = error / (SHARE_OF_THRESHOLD * metric.rule.threshold.ln_1p());
    let needed = (FIRST_NS as f64 * times * times) as u64;
    needed.clamp(SHORTEST_NS, longest)
}

/// Usual standard error of the recent blocks' log ratios, had each been as long as the first: their
/// median, since one block in a disturbed moment says nothing about the next.
fn error_within(state: &CaseState) -> Option<f64> {
    let errors: Vec<f64> = state.blocks[state.superseded..]
        .iter()
        .rev()
        .filter(|block| block.schedule != Schedule::Sequential)
        .filter_map(|block| {
            let [Ok(base), Ok(head)] = &block.sides else { return None };
            let spent: u64 = base.slices.iter().chain(&head.slices).map(|slice| slice.0).sum();
            within_error(block).map(|error| error * (spent as f64 / FIRST_NS as f64).sqrt())
        })
        .take(RECENT)
        .collect();
    if errors.len() < FEWEST { None } else { median(&errors) }
}
