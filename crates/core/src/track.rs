//! The evidence of one row, block by block, and what it proves.
//!
//! The measuring machine asks it after every round whether to go on; the judge builds it anew from
//! a stored row. Both use this one piece, so that a stored file gives the verdicts it was stopped at.

use bench_results::{Better, RowRule, SideName};
use bench_stats::{Coin, Decision, Exactness, Interval, Rule, Sequence, exactness};

/// Fewest blocks before anything is decided (statistics, section 4.4).
pub(crate) const MIN_BLOCKS: usize = 6;

/// Smallest relative change of a value that repeats exactly, unless its harness declares it exact.
const EXACT_THRESHOLD: f64 = 0.005;

/// Blocks from which values that repeat exactly on either side, but differ, are a change.
const EXACT_CHANGE_BLOCKS: usize = 8;

/// What makes the false-alarm bound: equal for all rows of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Chance of any false alarm in the run.
    pub alpha: f64,
    /// Chance, per row, of calling a change of the threshold's size unchanged.
    pub alpha_unchanged: f64,
    /// Rows the bound is shared among (K), at least 1.
    pub family: u64,
}

/// How a row's values behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Times: always noisy.
    Noisy,
    /// Values that may turn out to repeat exactly.
    MayRepeat,
    /// Declared exact by the harness: any difference counts.
    DeclaredExact,
}

/// One block's contribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Base's value, in the row's unit.
    pub base: Option<f64>,
    /// Head's value.
    pub head: Option<f64>,
    /// ln(head/base), positive = worse; none where no ratio exists.
    pub d: Option<f64>,
}

/// What the evidence proves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Finding {
    /// By randomised blocks.
    Paired(Decision),
    /// By values that repeat exactly.
    Exact {
        /// Worse, better or equal (`Slower` = worse).
        decision: Decision,
        /// Base's value.
        base: f64,
        /// Head's value.
        head: f64,
    },
}

impl Finding {
    /// The decision; `Slower` means worse.
    #[must_use]
    pub fn decision(&self) -> Decision {
        match self {
            Self::Paired(decision) | Self::Exact { decision, .. } => *decision,
        }
    }
}

/// The evidence of one row.
#[derive(Clone, Debug)]
pub struct Track {
    sequence: Sequence,
    base: Vec<f64>,
    head: Vec<f64>,
    nature: Nature,
    better: Better,
    margins: RowRule,
    blocks: usize,
}

impl Track {
    /// No evidence yet. `attempt` is 1, or 2 after a demotion: thresholds are then doubled, so that the
    /// second attempt costs the bound half a row more and not a whole one.
    #[must_use]
    pub fn new(
        bound: Bound,
        margins: RowRule,
        nature: Nature,
        better: Better,
        attempt: u32,
    ) -> Self {
        let rule = Rule {
            alpha: bound.alpha,
            family: usize::try_from(bound.family.max(1)).unwrap_or(usize::MAX),
            tolerance: margins.tolerance.ln_1p(),
            threshold: margins.threshold.ln_1p(),
            alpha_unchanged: bound.alpha_unchanged,
            min_blocks: MIN_BLOCKS,
            scale: f64::from(attempt),
        };
        Self::with_rule(rule, margins, nature, better)
    }

    /// A sentinel: base against base (rule 17).
    #[must_use]
    pub fn sentinel(margins: RowRule) -> Self {
        let rule = Rule::sentinel(margins.tolerance.ln_1p());
        Self::with_rule(rule, margins, Nature::Noisy, Better::Lower)
    }

    fn with_rule(rule: Rule, margins: RowRule, nature: Nature, better: Better) -> Self {
        Self {
            sequence: Sequence::new(rule),
            base: Vec::new(),
            head: Vec::new(),
            nature,
            better,
            margins,
            blocks: 0,
        }
    }

    /// Adds a block. `first` is the side that went first.
    pub fn push(&mut self, pair: Pair, first: SideName) {
        self.blocks += 1;
        self.base.extend(pair.base);
        self.head.extend(pair.head);
        if let Some(d) = pair.d {
            self.sequence.push(d, coin(first));
        }
    }

    /// What is proved, if anything is.
    #[must_use]
    pub fn finding(&self) -> Option<Finding> {
        let paired = self.sequence.decision().map(Finding::Paired);
        match self.nature {
            Nature::Noisy => paired,
            Nature::MayRepeat => {
                match self.exact(EXACT_THRESHOLD.min(self.margins.threshold)) {
                    Some(exact) if self.is_believable(&exact) => Some(exact),
                    // A difference that may still prove exact is not called equal by wider margins.
                    Some(_) => paired.filter(|paired| paired.decision() != Decision::Equal),
                    None => paired,
                }
            }
            Nature::DeclaredExact => self.declared().or_else(|| self.exact(0.0)).or(paired),
        }
    }

    /// Values that are declared exact and have repeated so far: one launch of each side shows that they
    /// are equal, a second that a difference is no whim (of a hash seed, say).
    fn declared(&self) -> Option<Finding> {
        let (base, head) = (*self.base.first()?, *self.head.first()?);
        let has = |values: &[f64], value: f64| values.iter().all(|v| v.total_cmp(&value).is_eq());
        let repeats = has(&self.base, base) && has(&self.head, head);
        let is_told = base.total_cmp(&head).is_eq() || self.base.len().min(self.head.len()) >= 2;
        (repeats && is_told).then(|| self.compared(base, head, 0.0))
    }

    /// Three equal values are enough to call equal what repeats. A difference needs more: a metric that
    /// takes one of two values at random would else show one in thirty-two times.
    fn is_believable(&self, finding: &Finding) -> bool {
        finding.decision() == Decision::Equal || self.blocks >= EXACT_CHANGE_BLOCKS
    }

    fn exact(&self, threshold: f64) -> Option<Finding> {
        let (base, head, threshold) = match exactness(&self.base, &self.head) {
            Exactness::Exact { base, head } => (base, head, threshold.ln_1p()),
            Exactness::NearlyExact { base, head, threshold } => (base, head, threshold),
            Exactness::TooFew | Exactness::Noisy => return None,
        };
        Some(self.compared(base, head, threshold))
    }

    /// `threshold` is a log ratio.
    fn compared(&self, base: f64, head: f64, threshold: f64) -> Finding {
        let decision = bench_stats::exact::compare(base, head, threshold, self.margins.absolute);
        let decision = match self.better {
            Better::Lower => decision,
            Better::Higher => decision.reversed(),
        };
        Finding::Exact { decision, base, head }
    }

    /// Whether the values of each side have been the same, or nearly, so far.
    #[must_use]
    pub fn repeats(&self) -> bool {
        self.nature != Nature::Noisy && self.exact(0.0).is_some()
    }

    /// Blocks that carried evidence of any kind.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Whether more blocks, up to `max_blocks`, are not expected to decide anything.
    #[must_use]
    pub fn is_futile(&self, max_blocks: usize) -> bool {
        self.sequence.futility(max_blocks)
    }

    /// Blocks still needed, as far as can be told.
    #[must_use]
    pub fn forecast(&self) -> Option<f64> {
        if self.sequence.len() < MIN_BLOCKS {
            return None;
        }
        let forecast = self.sequence.forecast();
        forecast.alarm.into_iter().chain(forecast.equal).reduce(f64::min)
    }

    /// The sequential test itself.
    #[must_use]
    pub fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// The interval of the log ratio.
    #[must_use]
    pub fn interval(&self) -> Interval {
        self.sequence.interval()
    }

    /// Values of base, in order.
    #[must_use]
    pub fn base_values(&self) -> &[f64] {
        &self.base
    }
}

/// The coin of a block: heads = head went second.
fn coin(first: SideName) -> Coin {
    match first {
        SideName::Base => Coin::Heads,
        SideName::Head => Coin::Tails,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The decision after these pairs of values that are declared exact.
    fn decided(pairs: &[(f64, f64)]) -> Option<Decision> {
        let bound = Bound { alpha: 0.05, alpha_unchanged: 0.05, family: 1 };
        let margins = RowRule { threshold: 0.03, tolerance: 0.01, absolute: 0.0 };
        let mut track = Track::new(bound, margins, Nature::DeclaredExact, Better::Lower, 1);
        for &(base, head) in pairs {
            let d = Some((head / base).ln());
            track.push(Pair { base: Some(base), head: Some(head), d }, SideName::Base);
        }
        track.finding().map(|finding| finding.decision())
    }

    #[test]
    fn what_is_declared_exact_is_equal_at_once_and_different_when_it_repeats() {
        assert_eq!(decided(&[(254.0, 254.0)]), Some(Decision::Equal));
        assert_eq!(decided(&[(254.0, 255.0)]), None);
        assert_eq!(decided(&[(254.0, 255.0); 2]), Some(Decision::Slower));
        assert_eq!(decided(&[(255.0, 254.0); 2]), Some(Decision::Faster));
    }

    #[test]
    fn what_is_declared_exact_and_varies_is_judged_as_what_it_is() {
        assert_eq!(decided(&[(254.0, 255.0), (255.0, 255.0)]), None);
        // Within a thousandth on each side: half a per cent is the bar.
        let nearly = [(100_000.0, 100_100.0), (100_050.0, 100_100.0), (100_000.0, 100_150.0)];
        assert_eq!(decided(&nearly), Some(Decision::Equal));
    }
}
