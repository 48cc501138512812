//! Does the first call after a fresh set-up take a different time from a call on something already used?

use statrs::distribution::{Binomial, DiscreteCDF};

use crate::robust::median;

/// A median ratio beyond 10 % either way is worth acting upon.
const LEAST_CHANGE: f64 = 0.10;

/// Pairs from which there are enough to be strict.
const MANY: usize = 40;

/// Chance, by coin tosses alone, of as many equal signs as are asked for: with many pairs, and with fewer.
const STRICT: f64 = 0.005;
const LENIENT: f64 = 0.02;

/// Whether state matters, from `ln(first call / later call)` of pairs run in random order.
///
/// It does if the median is beyond 10 % (±ln 1.1) and so many pairs have its sign that chance hardly explains it: 29 of 40,
/// 12 of 15, and accordingly for other counts. Pairs that are no finite number are skipped, a ratio of exactly 1 has no sign.
pub fn state_matters(log_ratios: &[f64]) -> bool {
    let ratios: Vec<f64> = log_ratios.iter().copied().filter(|ratio| ratio.is_finite()).collect();
    let Some(center) = median(&ratios) else { return false };
    let agreeing = ratios.iter().filter(|ratio| *ratio * center > 0.0).count();
    center.abs() > LEAST_CHANGE.ln_1p() && agreeing >= signs_needed(ratios.len())
}

/// The fewest of `pairs` that must share a sign; more than there are where no number of them would do.
fn signs_needed(pairs: usize) -> usize {
    let level = if pairs >= MANY { STRICT } else { LENIENT };
    let Ok(tosses) = Binomial::new(0.5, pairs as u64) else { return pairs + 1 };
    // `sf(k)` is the probability of more than k heads.
    (1..=pairs).find(|&count| tosses.sf(count as u64 - 1) <= level).unwrap_or(pairs + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(agreeing: usize, of: usize, size: f64) -> Vec<f64> {
        (0..of).map(|index| if index < agreeing { size } else { -0.01 }).collect()
    }

    #[test]
    fn twenty_nine_of_forty_and_twelve_of_fifteen_are_needed() {
        assert_eq!(signs_needed(40), 29);
        assert_eq!(signs_needed(15), 12);
    }

    #[test]
    fn one_sign_fewer_does_not_do() {
        for (needed, of) in [(29, 40), (12, 15)] {
            assert!(state_matters(&pairs(needed, of, 0.2)));
            assert!(!state_matters(&pairs(needed - 1, of, 0.2)));
        }
    }

    #[test]
    fn either_direction_matters_but_not_ten_per_cent_or_less() {
        assert!(state_matters(&pairs(40, 40, 0.096)));
        assert!(!state_matters(&pairs(40, 40, 0.095)));
        assert!(state_matters(&[-0.2; 40]));
    }

    #[test]
    fn too_few_pairs_prove_nothing() {
        assert!(!state_matters(&[]));
        assert!(!state_matters(&[3.0; 5]));
        assert!(state_matters(&[3.0; 6]));
        assert!(!state_matters(&[f64::NAN; 40]));
    }
}
