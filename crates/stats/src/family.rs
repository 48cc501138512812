//! What a family of many comparisons demands of each, so that any false alarm at all stays rare.

use crate::evidence::greatest_log_e;
use crate::sequence::{Decision, Rule, Sequence};

/// Level and number of sentinels: together they ask for a wealth of 2·3/.01 = 600 from either side.
const SENTINEL_ALPHA: f64 = 0.01;
const SENTINELS: usize = 3;

/// Wealth at which one of `family` two-sided comparisons may call an alarm: `2·family/alpha`.
///
/// Each of the `2·family` one-sided tests then errs with probability at most `alpha/(2·family)` (Ville), and any of them
/// with probability at most `alpha` (Bonferroni), whatever their dependence and whatever else changed.
pub fn alarm_threshold(family: usize, alpha: f64) -> f64 {
    2.0 * family as f64 / alpha
}

/// The fewest blocks that can bring an alarm in a family of `family` at `alpha`, however large the change: a won bet
/// multiplies wealth by less than 2. 1 where no finite wealth is asked for.
pub fn minimum_blocks(family: usize, alpha: f64) -> usize {
    let needed = alarm_threshold(family, alpha).ln();
    let mut blocks = 1;
    while needed.is_finite() && greatest_log_e(blocks) < needed {
        blocks += 1;
    }
    blocks
}

/// What a comparison of one side with itself says about the machinery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sentinel {
    /// Too few blocks for an alarm: it says nothing.
    NotDecided,
    /// No difference was found where there is none.
    Quiet,
    /// A difference was found where there is none: nothing measured alongside is to be trusted.
    Alarm,
}

impl Rule {
    /// The rule for up to three sentinels beside a family: two-sided wealth 600 against "no difference at all", an
    /// estimate of at least `tolerance`, at least 11 blocks, and never `Equal`, so that it watches to the end.
    pub fn sentinel(tolerance: f64) -> Self {
        Self {
            alpha: SENTINEL_ALPHA,
            family: SENTINELS,
            tolerance: 0.0,
            threshold: tolerance,
            alpha_unchanged: 0.0,
            min_blocks: minimum_blocks(SENTINELS, SENTINEL_ALPHA),
            scale: 1.0,
        }
    }
}

/// Reads a sequence that was run under [`Rule::sentinel`].
pub fn sentinel(sequence: &Sequence) -> Sentinel {
    match sequence.decision() {
        Some(Decision::Slower | Decision::Faster) => Sentinel::Alarm,
        _ if sequence.len() < sequence.rule().min_blocks => Sentinel::NotDecided,
        _ => Sentinel::Quiet,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequence::Coin;

    #[test]
    fn the_fewest_blocks_for_an_alarm_grow_with_the_logarithm_of_the_family() {
        let table =
            [(1, 7), (10, 11), (20, 12), (50, 13), (100, 14), (200, 15), (500, 17), (1000, 18)];
        for (family, blocks) in table {
            assert_eq!(minimum_blocks(family, 0.05), blocks, "family of {family}");
        }
    }

    #[test]
    fn an_alarm_comes_at_the_fewest_blocks_when_the_change_is_large() {
        for family in [1, 20, 300] {
            let mut sequence = Sequence::new(Rule { family, alpha: 0.05, ..Rule::sentinel(0.01) });
            let fewest = minimum_blocks(family, 0.05).max(sequence.rule().min_blocks);
            while sequence.push(5.0, Coin::Heads).is_none() {}
            assert_eq!(sequence.len(), fewest);
        }
    }

    #[test]
    fn a_sentinel_needs_eleven_blocks_to_say_anything() {
        let after = |blocks: usize, d: f64| {
            let mut sequence = Sequence::new(Rule::sentinel(0.01));
            for _ in 0..blocks {
                sequence.push(d, Coin::Heads);
            }
            sentinel(&sequence)
        };
        assert_eq!(after(10, 0.5), Sentinel::NotDecided);
        assert_eq!(after(11, 0.5), Sentinel::Alarm);
        assert_eq!(after(11, -0.5), Sentinel::Alarm);
        assert_eq!(after(11, 0.001), Sentinel::Quiet);
        // 1.2 % is beyond the tolerance by the estimate; beyond doubt it need only differ from nothing.
        assert_eq!(after(20, 0.012), Sentinel::Alarm);
        // A steady .9 % is beyond doubt, but within the tolerance.
        assert_eq!(after(60, 0.009), Sentinel::Quiet);
    }

    #[test]
    fn an_impossible_level_does_not_search_forever() {
        assert_eq!(minimum_blocks(10, 0.0), 1);
    }
}
