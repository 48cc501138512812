//! Middle and spread of numbers among which some are wildly off.

use crate::sequence::Coin;

/// Makes the median absolute deviation of a normal sample estimate its standard deviation.
const NORMAL_CONSISTENCY: f64 = 1.4826;

/// The pairing is suspect when pairs spread more than this many times as wide as single samples of one side.
const BROKEN_PAIRING: f64 = 2.0;

/// The median, or `None` for no values. An even count gives the mean of the middle two.
///
/// Values must not be NaN.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    // The midpoint of the two middle values, also where their sum is beyond what a number holds.
    Some(f64::midpoint(lower, *upper))
}

/// The median absolute deviation from the median, unscaled, or `None` for no values.
pub fn mad(values: &[f64]) -> Option<f64> {
    let center = median(values)?;
    let deviations: Vec<f64> = values.iter().map(|value| (value - center).abs()).collect();
    median(&deviations)
}

/// Robust standard deviation, 1.4826 · MAD: what the standard deviation would be were the outliers not there.
///
/// `None` for no values; 0 for one.
pub fn robust_sd(values: &[f64]) -> Option<f64> {
    mad(values).map(|deviation| NORMAL_CONSISTENCY * deviation)
}

/// The Hodges-Lehmann estimate: the median of the means of all pairs, each value with itself included.
///
/// Nearly as precise as the mean for well-behaved values, nearly as robust as the median. Quadratic in memory. `None` for
/// no values.
pub fn hodges_lehmann(values: &[f64]) -> Option<f64> {
    let means: Vec<f64> = values
        .iter()
        .enumerate()
        .flat_map(|(index, first)| {
            values[index..].iter().map(move |second| f64::midpoint(*first, *second))
        })
        .collect();
    median(&means)
}

/// The log ratio of one block: the median over slices `i` of `ln(head[i] / base[i])`.
///
/// Slices with the same index were neighbours in time, so that a machine that changes speed changes both. Of unequal
/// lengths the common beginning counts: what one side did alone after the other had finished is no comparison. `None`
/// where nothing is common or any common value is zero, negative or not finite, since it has no logarithm.
pub fn paired_log_ratio(base: &[f64], head: &[f64]) -> Option<f64> {
    median(&log_ratios(base, head)?).filter(|ratio| ratio.is_finite())
}

/// Standard error of [`paired_log_ratio`] as the slices of one block show it: `sqrt(pi/2) sd / sqrt(n)`, the
/// asymptotic error of a median of normal values, with the robust deviation for sd.
///
/// It covers what varies within a block, not what a process brings with it. `None` as for the ratio itself, and for
/// fewer than two slices.
pub fn paired_standard_error(base: &[f64], head: &[f64]) -> Option<f64> {
    let ratios = log_ratios(base, head)?;
    let median_inflation = (std::f64::consts::PI / 2.0).sqrt();
    let sd = if ratios.len() < 2 { None } else { robust_sd(&ratios) };
    sd.map(|sd| median_inflation * sd / (ratios.len() as f64).sqrt())
        .filter(|error| error.is_finite())
}

fn log_ratios(base: &[f64], head: &[f64]) -> Option<Vec<f64>> {
    let usable = |value: f64| value.is_finite() && value > 0.0;
    base.iter()
        .zip(head)
        .map(|(&base, &head)| (usable(base) && usable(head)).then(|| (head / base).ln()))
        .collect()
}

/// The spread seen between equals: robust standard deviation of `± ln(b[2i+1] / b[2i])` over consecutive samples of one
/// side.
///
/// The caller brings one fresh coin per pair; without random signs a steady drift would shrink the spread to nothing.
/// Pairs beyond the last coin, and pairs with a value that has no logarithm, are left out; `None` when fewer than two
/// pairs are left.
pub fn noise_floor(samples: &[f64], signs: &[Coin]) -> Option<f64> {
    let steps: Vec<f64> = samples
        .chunks_exact(2)
        .zip(signs)
        .filter_map(|(pair, sign)| Some(sign.sign() * paired_log_ratio(&pair[..1], &pair[1..])?))
        .collect();
    if steps.len() < 2 { None } else { robust_sd(&steps) }
}

/// Whether blocks spread so much wider than samples of one side that pairing them must have gone wrong.
///
/// Samples of one side lie further apart in time than the two halves of a block, so `spread` is normally the smaller.
pub fn pairing_is_broken(spread: f64, noise_floor: f64) -> bool {
    spread > BROKEN_PAIRING * noise_floor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_count_takes_the_middle_of_the_two_in_the_middle() {
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[9.0, 1.0, 3.0]), Some(3.0));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn one_wild_value_moves_neither_middle_nor_spread() {
        // Deviations from 3: 2, 1, 0, 1, 997; their median is 1.
        assert_eq!(mad(&[1.0, 2.0, 3.0, 4.0, 1000.0]), Some(1.0));
        assert_eq!(robust_sd(&[1.0, 2.0, 3.0, 4.0, 1000.0]), Some(1.4826));
    }

    #[test]
    fn hodges_lehmann_is_the_median_of_all_pairwise_means() {
        // Means: 1, 1.5, 3, 2, 3.5, 5, sorted 1 1.5 2 3 3.5 5.
        assert_eq!(hodges_lehmann(&[1.0, 2.0, 5.0]), Some(2.5));
        assert_eq!(hodges_lehmann(&[]), None);
    }

    #[test]
    fn slices_are_paired_by_index_over_the_common_beginning() {
        let ratio = paired_log_ratio(&[1.0, 2.0, 4.0], &[2.0, 4.0, 4.0, 900.0]).unwrap();
        assert!((ratio - 2.0_f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn a_slice_without_a_logarithm_voids_the_block() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(paired_log_ratio(&[1.0, bad], &[1.0, 1.0]), None);
            assert_eq!(paired_log_ratio(&[1.0, 1.0], &[1.0, bad]), None);
        }
        assert_eq!(paired_log_ratio(&[], &[1.0]), None);
        assert_eq!(paired_log_ratio(&[f64::MIN_POSITIVE], &[f64::MAX]), None);
    }

    #[test]
    fn the_error_within_a_block_is_that_of_a_median() {
        // Log ratios 0, ln 2, 2 ln 2: their MAD is ln 2.
        let error = paired_standard_error(&[1.0; 3], &[1.0, 2.0, 4.0]).unwrap();
        let expected = (std::f64::consts::PI / 6.0).sqrt() * NORMAL_CONSISTENCY * 2.0_f64.ln();
        assert!((error - expected).abs() < 1e-15, "{error}");
        assert_eq!(paired_standard_error(&[1.0; 3], &[2.0; 3]), Some(0.0));
        assert_eq!(paired_standard_error(&[1.0], &[2.0]), None);
        assert_eq!(paired_standard_error(&[1.0, 0.0], &[2.0, 1.0]), None);
    }

    #[test]
    fn a_steady_drift_shows_in_the_noise_floor_once_signs_are_drawn() {
        let drifting: Vec<f64> = (0..40).map(|step| 1.01_f64.powi(step)).collect();
        let signs: Vec<Coin> =
            (0..20).map(|index| if index % 2 == 0 { Coin::Heads } else { Coin::Tails }).collect();
        // Every step is ± ln 1.01 around a middle of 0.
        let floor = noise_floor(&drifting, &signs).unwrap();
        assert!((floor - NORMAL_CONSISTENCY * 1.01_f64.ln()).abs() < 1e-12);
        assert_eq!(noise_floor(&drifting[..3], &signs), None);
    }

    #[test]
    fn a_pairing_wider_than_twice_the_floor_is_broken() {
        assert!(pairing_is_broken(0.05, 0.02));
        assert!(!pairing_is_broken(0.04, 0.02));
    }
}
