//! Quantities that repeat exactly, such as instruction counts and sizes, need no statistics: they differ or they don't.

use crate::robust::median;
use crate::sequence::Decision;

/// Rounds each side needs before repetition proves anything.
const LEAST_ROUNDS: usize = 3;

/// Within-side range, relative to the median, below which a quantity is nearly exact.
const NEARLY: f64 = 0.001;

/// A nearly exact change is never smaller than half a per cent, nor than five times what one side does by itself.
const LEAST_NEARLY_EXACT_CHANGE: f64 = 0.005;
const RANGES_PER_CHANGE: f64 = 5.0;

/// How well a quantity repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Exactness {
    /// Fewer than three values on a side.
    TooFew,
    /// Every value of a side is the same.
    Exact {
        /// The value of the first side.
        base: f64,
        /// The value of the second side.
        head: f64,
    },
    /// Either side varies by less than .1 %.
    NearlyExact {
        /// Median of the first side.
        base: f64,
        /// Median of the second side.
        head: f64,
        /// The smallest change to believe in, as a log ratio.
        threshold: f64,
    },
    /// It varies: a matter for the sequential test.
    Noisy,
}

/// How well a quantity repeats, from one value per round and side, the rounds having different seeds.
///
/// Values that are no finite number are skipped.
pub fn exactness(base: &[f64], head: &[f64]) -> Exactness {
    let (Some(base), Some(head)) = (Repeats::of(base), Repeats::of(head)) else {
        return Exactness::TooFew;
    };
    let range = base.range.max(head.range);
    if range == 0.0 {
        Exactness::Exact { base: base.center, head: head.center }
    } else if range < NEARLY {
        let threshold = (RANGES_PER_CHANGE * range).max(LEAST_NEARLY_EXACT_CHANGE).ln_1p();
        Exactness::NearlyExact { base: base.center, head: head.center, threshold }
    } else {
        Exactness::Noisy
    }
}

/// Compares two exact values: `Slower` is the larger head. Where more is better, reverse it.
///
/// A change counts if it is at least `absolute_floor` in the values' own unit, and at least `threshold` as a log ratio (0:
/// any difference counts). Zero and negative values have no logarithm: there the difference is taken relative to base, and
/// from a base of zero any difference is large.
pub fn compare(base: f64, head: f64, threshold: f64, absolute_floor: f64) -> Decision {
    let difference = head - base;
    let relative = if base > 0.0 && head > 0.0 {
        (head / base).ln().abs()
    } else {
        difference.abs() / base.abs()
    };
    let counts = difference != 0.0 && difference.abs() >= absolute_floor && relative >= threshold;
    match (counts, difference > 0.0) {
        (false, _) => Decision::Equal,
        (true, true) => Decision::Slower,
        (true, false) => Decision::Faster,
    }
}

/// The values of one side.
struct Repeats {
    center: f64,
    /// Greatest less smallest, relative to the median; infinite where that is zero and they differ.
    range: f64,
}

impl Repeats {
    fn of(values: &[f64]) -> Option<Self> {
        let values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        let center = median(&values).filter(|_| values.len() >= LEAST_ROUNDS)?;
        let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let range = if greatest == smallest { 0.0 } else { (greatest - smallest) / center.abs() };
        Some(Self { center, range })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_equal_values_a_side_are_exact_and_two_are_too_few() {
        assert_eq!(exactness(&[5.0; 3], &[7.0; 3]), Exactness::Exact { base: 5.0, head: 7.0 });
        assert_eq!(exactness(&[5.0; 3], &[7.0; 2]), Exactness::TooFew);
        assert_eq!(exactness(&[5.0, f64::NAN, 5.0], &[7.0; 3]), Exactness::TooFew);
        assert_eq!(exactness(&[0.0; 3], &[-1.0; 3]), Exactness::Exact { base: 0.0, head: -1.0 });
    }

    #[test]
    fn a_range_below_a_thousandth_is_nearly_exact_with_a_bar_of_half_a_per_cent_or_five_ranges() {
        let base = [100_000.0, 100_020.0, 100_010.0];
        // Range 20 of 100 010: five times .0002 is below half a per cent.
        let expected = Exactness::NearlyExact {
            base: 100_010.0,
            head: 100_000.0,
            threshold: 0.005_f64.ln_1p(),
        };
        assert_eq!(exactness(&base, &[100_000.0; 3]), expected);
        // Just below a thousandth the bar stays at half a per cent: 5 · .001 = .005.
        assert_eq!(exactness(&base, &[100_000.0, 100_000.0, 100_200.0]), Exactness::Noisy);
    }

    #[test]
    fn values_that_vary_around_zero_are_noisy() {
        assert_eq!(exactness(&[-1.0, 0.0, 1.0], &[0.0; 3]), Exactness::Noisy);
    }

    #[test]
    fn any_difference_between_exact_values_counts_at_threshold_zero() {
        assert_eq!(compare(1000.0, 1001.0, 0.0, 0.0), Decision::Slower);
        assert_eq!(compare(1000.0, 999.0, 0.0, 0.0), Decision::Faster);
        assert_eq!(compare(1000.0, 1000.0, 0.0, 0.0), Decision::Equal);
    }

    #[test]
    fn a_change_must_reach_the_threshold_and_the_floor() {
        assert_eq!(compare(100.0, 104.0, 1.05_f64.ln(), 0.0), Decision::Equal);
        assert_eq!(compare(100.0, 106.0, 1.05_f64.ln(), 10.0), Decision::Equal);
        assert_eq!(compare(100.0, 111.0, 1.05_f64.ln(), 10.0), Decision::Slower);
    }

    #[test]
    fn zero_and_negative_values_are_compared_by_difference() {
        assert_eq!(compare(0.0, 1.0, 0.05, 0.0), Decision::Slower);
        assert_eq!(compare(0.0, 0.0, 0.0, 0.0), Decision::Equal);
        assert_eq!(compare(-100.0, -101.0, 0.05, 0.0), Decision::Equal);
        assert_eq!(compare(-100.0, -110.0, 0.05, 0.0), Decision::Faster);
        assert_eq!(compare(10.0, 0.0, 0.05, 0.0), Decision::Faster);
    }
}
