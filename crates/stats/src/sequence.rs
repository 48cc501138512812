//! The sequential test of one comparison: blocks come in one by one, and after each it is decided or still open.

use crate::evidence::{Wealth, next_scale};
use crate::family::alarm_threshold;
use crate::interval::{Interval, running_interval};
use crate::outlook::{self, Forecast};
use crate::position::order_shift;
use crate::robust::{median, robust_sd};

/// Wealth that rules a value out on either side of a 95 % interval.
const SIDE_THRESHOLD: f64 = 40.0;

/// Which side of a block went first, drawn by a fair coin before the block ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coin {
    /// The second side of the comparison (the numerator of the ratio) ran second: +1.
    Heads,
    /// It ran first: −1.
    Tails,
}

impl Coin {
    /// +1 for heads, −1 for tails.
    pub fn sign(self) -> f64 {
        match self {
            Self::Heads => 1.0,
            Self::Tails => -1.0,
        }
    }

    /// The other face.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::Heads => Self::Tails,
            Self::Tails => Self::Heads,
        }
    }
}

/// What a comparison is held to. Fixed before its first block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Probability of any false `Slower` or `Faster` in the whole family, between 0 and 1.
    pub alpha: f64,
    /// Comparisons registered in the family, at least 1.
    pub family: usize,
    /// Bias that is forgiven, as a log ratio ≥ 0 (τ).
    pub tolerance: f64,
    /// Smallest change that matters, as a log ratio > 0 (δ).
    pub threshold: f64,
    /// Probability of calling a change of `threshold` equal, per comparison; 0 means never to decide `Equal`.
    pub alpha_unchanged: f64,
    /// Blocks before anything is decided.
    pub min_blocks: usize,
    /// Multiplies the wealth asked for: 1, or 2 where this is the second attempt at the same comparison.
    pub scale: f64,
}

impl Rule {
    /// Log wealth at which the comparison counts as slower or faster: `ln(scale · 2·family/alpha)`.
    pub fn log_alarm(&self) -> f64 {
        (self.scale * alarm_threshold(self.family, self.alpha)).ln()
    }

    /// Log wealth that each side needs for equal: `ln(scale / alpha_unchanged)`, infinite for never.
    pub fn log_equal(&self) -> f64 {
        (self.scale / self.alpha_unchanged).ln()
    }
}

/// What the blocks prove about the log ratio `d` of the second side to the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The ratio is above 1 beyond tolerance, and by the threshold as far as can be estimated.
    Slower,
    /// The same below 1.
    Faster,
    /// No change as large as the threshold, either way.
    Equal,
}

impl Decision {
    /// The decision with the sides swapped, or with a quantity of which more is better.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Slower => Self::Faster,
            Self::Faster => Self::Slower,
            Self::Equal => Self::Equal,
        }
    }
}

/// Log wealth of the four bettors of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogE {
    /// Against "at most +tolerance": evidence for slower.
    pub slower: f64,
    /// Against "at least −tolerance": evidence for faster.
    pub faster: f64,
    /// Against "at least +threshold": evidence that it is not slower by the threshold.
    pub not_slower: f64,
    /// Against "at most −threshold": evidence that it is not faster by the threshold.
    pub not_faster: f64,
}

/// One comparison, block by block.
///
/// The first decision freezes it: later blocks are not counted, neither in the decision nor in any number reported here,
/// so that what is reported is what was decided on. A block whose `d` is not finite is no evidence and is not counted.
#[derive(Clone, Debug)]
pub struct Sequence {
    rule: Rule,
    raw: Vec<f64>,
    coins: Vec<Coin>,
    corrected: Vec<f64>,
    slower: Wealth,
    faster: Wealth,
    not_slower: Wealth,
    not_faster: Wealth,
    decision: Option<Decision>,
}

impl Sequence {
    /// A comparison without blocks.
    pub fn new(rule: Rule) -> Self {
        Self {
            rule,
            raw: Vec::new(),
            coins: Vec::new(),
            corrected: Vec::new(),
            slower: Wealth::new(rule.tolerance, 1.0),
            faster: Wealth::new(-rule.tolerance, -1.0),
            not_slower: Wealth::new(rule.threshold, -1.0),
            not_faster: Wealth::new(-rule.threshold, 1.0),
            decision: None,
        }
    }

    /// Counts one block and returns the decision as it stands after it.
    ///
    /// `d` is the block's log ratio as measured; what going second costs is taken out here (see [`Self::corrected`]).
    /// Takes time in proportion to the blocks so far.
    pub fn push(&mut self, d: f64, coin: Coin) -> Option<Decision> {
        if self.decision.is_none() && d.is_finite() {
            self.count(d, coin);
            self.decision = self.judge();
        }
        self.decision
    }

    /// Freezes an open comparison with a decision reached outside it, such as one over the whole family.
    ///
    /// A decision already made stands.
    pub fn settle(&mut self, decision: Decision) {
        self.decision.get_or_insert(decision);
    }

    /// The decision, once there is one.
    pub fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// The number of blocks at which it was decided.
    pub fn decided_at(&self) -> Option<usize> {
        self.decision.map(|_| self.len())
    }

    /// Blocks counted.
    pub fn len(&self) -> usize {
        self.raw.len()
    }

    /// Whether no block was counted yet.
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// The rule it is held to.
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// The log ratios counted, as measured.
    pub fn raw(&self) -> &[f64] {
        &self.raw
    }

    /// The log ratios counted, less what going second was seen to cost in the blocks before each.
    pub fn corrected(&self) -> &[f64] {
        &self.corrected
    }

    /// The estimate: the median of the corrected log ratios; NaN without blocks.
    pub fn center(&self) -> f64 {
        median(&self.corrected).unwrap_or(f64::NAN)
    }

    /// The greatest log wealth each bettor has had, the start (0) included: this is what is compared with the thresholds.
    pub fn log_e(&self) -> LogE {
        self.each_wealth(Wealth::highest)
    }

    /// The log wealth each bettor has now, as needed for choosing among a whole family.
    pub fn current_log_e(&self) -> LogE {
        self.each_wealth(Wealth::log)
    }

    /// The running interval: 95 %, or, once decided `Equal`, `1 − 2·alpha_unchanged` (90 % by default), with which the
    /// decision agrees. Worked out at each call.
    ///
    /// The estimate is no part of its making: in about one comparison in a hundred, mostly noisy ones, the
    /// [`Self::center`] of all blocks lies a little outside, because some earlier block had ruled it out.
    pub fn interval(&self) -> Interval {
        let side = match self.decision {
            Some(Decision::Equal) if self.rule.alpha_unchanged > 0.0 => {
                1.0 / self.rule.alpha_unchanged
            }
            _ => SIDE_THRESHOLD,
        };
        let (low, high) = running_interval(&self.corrected, side);
        Interval { low, high, confidence: 1.0 - 2.0 / side }
    }

    /// Robust standard deviation of one block's corrected log ratio; `None` with fewer than two blocks.
    pub fn spread(&self) -> Option<f64> {
        if self.len() < 2 { None } else { robust_sd(&self.corrected) }
    }

    /// The smallest change, as a log ratio, that this many blocks with this spread would have seen nine times in ten;
    /// `None` where they are too few to see any. See [`outlook::detectable`].
    pub fn detectable(&self) -> Option<f64> {
        outlook::detectable(&self.rule, self.len(), self.spread()?)
    }

    /// How many more blocks a decision is likely to take.
    pub fn forecast(&self) -> Forecast {
        match median(&self.corrected) {
            Some(center) => {
                outlook::forecast(&self.rule, self.len(), center, next_scale(&self.corrected))
            }
            None => Forecast { alarm: None, equal: None },
        }
    }

    /// Whether no decision is to be hoped for within `max_blocks` in all. Never before the fourteenth block.
    pub fn futility(&self, max_blocks: usize) -> bool {
        let hopeless = |center| {
            outlook::is_futile(
                &self.rule,
                self.len(),
                center,
                next_scale(&self.corrected),
                max_blocks,
            )
        };
        self.decision.is_none() && median(&self.corrected).is_some_and(hopeless)
    }

    fn count(&mut self, d: f64, coin: Coin) {
        let scale = next_scale(&self.corrected);
        let corrected = d - order_shift(&self.raw, &self.coins, &self.corrected, coin);
        for wealth in
            [&mut self.slower, &mut self.faster, &mut self.not_slower, &mut self.not_faster]
        {
            wealth.bet(corrected, scale);
        }
        self.raw.push(d);
        self.coins.push(coin);
        self.corrected.push(corrected);
    }

    fn judge(&self) -> Option<Decision> {
        if self.len() < self.rule.min_blocks {
            return None;
        }
        let log_e = self.log_e();
        let (alarm, equal) = (self.rule.log_alarm(), self.rule.log_equal());
        if log_e.slower >= alarm && self.center() >= self.rule.threshold {
            Some(Decision::Slower)
        } else if log_e.faster >= alarm && self.center() <= -self.rule.threshold {
            Some(Decision::Faster)
        } else if log_e.not_slower >= equal && log_e.not_faster >= equal {
            Some(Decision::Equal)
        } else {
            None
        }
    }

    fn each_wealth(&self, read: impl Fn(&Wealth) -> f64) -> LogE {
        LogE {
            slower: read(&self.slower),
            faster: read(&self.faster),
            not_slower: read(&self.not_slower),
            not_faster: read(&self.not_faster),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(family: usize) -> Rule {
        Rule {
            alpha: 0.05,
            family,
            tolerance: 1.01_f64.ln(),
            threshold: 1.03_f64.ln(),
            alpha_unchanged: 0.05,
            min_blocks: 6,
            scale: 1.0,
        }
    }

    fn alternating(index: usize) -> Coin {
        if index.is_multiple_of(2) { Coin::Heads } else { Coin::Tails }
    }

    fn run(rule: Rule, d: &[f64]) -> Sequence {
        let mut sequence = Sequence::new(rule);
        for (index, &d) in d.iter().enumerate() {
            sequence.push(d, alternating(index));
        }
        sequence
    }

    #[test]
    fn equal_takes_six_blocks_and_its_interval_lies_within_the_threshold() {
        let sequence = run(rule(100), &[0.001, -0.002, 0.0, 0.003, -0.001, 0.002, 0.5, 0.5]);
        assert_eq!((sequence.decision(), sequence.decided_at()), (Some(Decision::Equal), Some(6)));
        let interval = sequence.interval();
        assert!((interval.confidence - 0.9).abs() < 1e-12);
        assert!(
            interval.low.unwrap() > -rule(100).threshold
                && interval.high.unwrap() < rule(100).threshold
        );
    }

    #[test]
    fn nothing_reported_moves_after_the_decision() {
        let decided = run(rule(100), &[0.06; 14]);
        assert_eq!((decided.decision(), decided.decided_at()), (Some(Decision::Slower), Some(14)));
        let mut later = decided.clone();
        assert_eq!(later.push(-3.0, Coin::Heads), Some(Decision::Slower));
        later.settle(Decision::Faster);
        assert_eq!(later.raw(), decided.raw());
        assert_eq!(later.log_e(), decided.log_e());
        assert_eq!(later.interval(), decided.interval());
        assert_eq!(later.decision(), decided.decision());
    }

    #[test]
    fn an_alarm_takes_an_estimate_of_the_threshold_too() {
        // 2.5 %: above the tolerance beyond doubt, below the threshold. Neither an alarm nor equal.
        let sequence = run(rule(1), &[0.025; 30]);
        assert!(sequence.log_e().slower > rule(1).log_alarm());
        assert_ne!(sequence.decision(), Some(Decision::Slower));
    }

    #[test]
    fn a_second_attempt_needs_twice_the_wealth() {
        let second = Rule { scale: 2.0, ..rule(100) };
        assert!((second.log_alarm() - 8000.0_f64.ln()).abs() < 1e-12);
        assert!((second.log_equal() - 40.0_f64.ln()).abs() < 1e-12);
        assert_eq!(run(second, &[0.06; 30]).decided_at(), Some(15));
    }

    #[test]
    fn without_blocks_nothing_is_known() {
        let empty = Sequence::new(rule(1));
        assert!(empty.is_empty() && empty.center().is_nan());
        assert_eq!((empty.spread(), empty.detectable(), empty.decided_at()), (None, None, None));
        assert_eq!(empty.forecast(), Forecast { alarm: None, equal: None });
        assert!(!empty.futility(0));
        assert_eq!(empty.interval(), Interval { low: None, high: None, confidence: 0.95 });
    }

    #[test]
    fn a_block_that_is_no_number_is_not_counted() {
        let mut sequence = run(rule(1), &[0.01; 3]);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            sequence.push(bad, Coin::Heads);
        }
        assert_eq!(sequence.len(), 3);
    }

    #[test]
    fn the_reported_wealth_is_the_greatest_so_far_and_the_current_one_is_at_hand() {
        let sequence = run(rule(100), &[0.05, 0.05, 0.05, -0.3]);
        assert!(sequence.log_e().slower > sequence.current_log_e().slower);
        assert!(sequence.log_e().faster == 0.0);
    }

    #[test]
    fn what_going_second_costs_is_taken_out() {
        let d: Vec<f64> = (0..60).map(|index| 0.03 * alternating(index).sign()).collect();
        let sequence = run(Rule { alpha_unchanged: 0.0, ..rule(100) }, &d);
        assert_eq!((sequence.len(), sequence.decision()), (60, None));
        assert_eq!(sequence.raw()[59], -0.03);
        assert!(sequence.corrected()[59].abs() < 1e-12);
    }
}
