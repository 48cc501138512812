//! From the noise of a machine to what it can see, and how long that takes. Pure.

use super::measure::Noise;
use bench_stats::{Rule, outlook};
use serde::Serialize;

/// The suite that a sight is told for: the more results, the more evidence each needs.
const SUITE: usize = 100;
/// The defaults of `run`.
const ALPHA: f64 = 0.05;
const THRESHOLD: f64 = 0.03;
const TOLERANCE: f64 = 0.01;
const MAX_BLOCKS: usize = 60;
/// Changes that one asks for.
const CHANGES: [f64; 4] = [0.03, 0.05, 0.10, 0.20];
/// A machine that does not see even this in the most blocks a run gives is of no use.
const USELESS_ABOVE: f64 = 0.10;

/// What it takes to see a change of one size, nine times in ten.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sight {
    /// The change, as a fraction.
    pub change: f64,
    /// Blocks of each benchmark; null where the run's limit of 60 would not do.
    pub blocks: Option<u32>,
    /// Seconds for each benchmark of a millisecond or less; null likewise.
    pub seconds: Option<f64>,
}

/// Whether the machine can be trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trust {
    /// Whether it can.
    pub ok: bool,
    /// Why not.
    pub reason: Option<String>,
}

/// What a schedule can see, for a suite of a hundred results and the defaults of `run`.
#[must_use]
pub fn sights(noise: &Noise) -> Vec<Sight> {
    let sight = |change: f64| {
        let enough = |blocks: &usize| {
            outlook::detectable(&rule(), *blocks, noise.spread)
                .is_some_and(|seen| seen.exp_m1() <= change)
        };
        let blocks = (1..=MAX_BLOCKS).find(enough).and_then(|blocks| u32::try_from(blocks).ok());
        let seconds = blocks.map(|blocks| f64::from(blocks) * noise.block_s);
        Sight { change, blocks, seconds }
    };
    let smallest = smallest(noise);
    smallest.into_iter().chain(CHANGES).map(sight).collect()
}

/// The smallest change that a run's limit of blocks shows.
fn smallest(noise: &Noise) -> Option<f64> {
    outlook::detectable(&rule(), MAX_BLOCKS, noise.spread).map(f64::exp_m1)
}

fn rule() -> Rule {
    Rule {
        alpha: ALPHA,
        family: SUITE,
        tolerance: TOLERANCE.ln_1p(),
        threshold: THRESHOLD.ln_1p(),
        alpha_unchanged: ALPHA,
        min_blocks: 6,
        scale: 1.0,
    }
}

/// A machine is not to be trusted where a program differs from itself, and of no use where none of
/// the schedules sees a change of 10 %.
#[must_use]
pub fn trust(schedules: &[Noise]) -> Trust {
    let alarm = schedules.iter().find(|noise| noise.differs);
    let best = schedules.iter().filter_map(smallest).reduce(f64::min);
    let reason = match (alarm, best) {
        (Some(noise), _) => {
            Some(format!("in the {} schedule a program differed from itself", noise.schedule))
        }
        (None, Some(best)) if best > USELESS_ABOVE => Some(format!(
            "its noise hides changes below {:.0} % in every schedule, even with {MAX_BLOCKS} blocks",
            best * 100.0
        )),
        _ => None,
    };
    Trust { ok: reason.is_none(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bench_results::{Clock, Schedule};

    fn noise(spread: f64) -> Noise {
        Noise {
            schedule: Schedule::Alternate,
            clock: Clock::Cpu,
            blocks: 60,
            spread,
            low: Some(-0.001),
            high: Some(0.001),
            differs: false,
            block_s: 0.1,
        }
    }

    #[test]
    fn a_quiet_machine_sees_little_changes_and_a_noisy_one_only_large_ones() {
        let blocks = |spread| sights(&noise(spread)).iter().map(|s| s.blocks).collect::<Vec<_>>();
        // The smallest comes first, and takes all blocks there are.
        let quiet = blocks(0.005);
        assert_eq!(quiet[0], Some(60));
        assert!(quiet[2].is_some_and(|n| n < 20), "{quiet:?}");
        let noisy = blocks(0.05);
        assert_eq!(noisy[1], None, "3 % in noise of 5 %: {noisy:?}");
        assert!(noisy[4].is_some(), "{noisy:?}");
        let seconds = sights(&noise(0.005))[2];
        assert_eq!(seconds.seconds, seconds.blocks.map(|n| f64::from(n) * 0.1));
    }

    #[test]
    fn a_machine_is_not_trusted_when_equals_differ_or_everything_drowns() {
        assert_eq!(trust(&[noise(0.004)]), Trust { ok: true, reason: None });
        assert_eq!(trust(&[]), Trust { ok: true, reason: None }, "nothing was measured");
        let odd = Noise { differs: true, ..noise(0.004) };
        assert!(trust(&[noise(0.004), odd]).reason.unwrap().contains("differed from itself"));
        assert!(trust(&[noise(0.3)]).reason.unwrap().contains("hides changes"));
        assert!(trust(&[noise(0.3), noise(0.01)]).ok, "the best schedule counts");
    }
}
