//! How values spread, as a smooth outline.

use std::f64::consts::TAU;

/// Points of an outline.
const POINTS: u32 = 28;

/// Gaussian kernel density of `values` at evenly spaced places from `low` to `high`, with Silverman's
/// bandwidth (0.9 · min(sd, IQR/1.34) · n^−1/5; Silverman 1986, eq. 3.31), but never finer than the
/// outline is drawn. Pairs of place and density, the latter per length of the whole range.
pub(super) fn density(values: &[f64], (low, high): (f64, f64)) -> Vec<(f64, f64)> {
    let length = high - low;
    if values.is_empty() || !length.is_normal() {
        return Vec::new();
    }
    // What lies far beyond the range is in it nowhere.
    let share = |value: &f64| ((value - low) / length).clamp(-9.0, 9.0);
    let shares: Vec<f64> = values.iter().map(share).collect();
    let n = count(values.len());
    let bandwidth = (0.9 * spread(&shares) * n.powf(-0.2)).max(1.0 / f64::from(POINTS));
    let height = 1.0 / (n * bandwidth * TAU.sqrt());
    let kernel = |distance: f64| height * (-0.5 * (distance / bandwidth).powi(2)).exp();
    (0..=POINTS)
        .map(|i| f64::from(i) / f64::from(POINTS))
        .map(|place| (low + place * length, shares.iter().map(|v| kernel(place - v)).sum()))
        .collect()
}

/// The smaller of the standard deviation and the scaled distance of the quartiles.
fn spread(values: &[f64]) -> f64 {
    let n = count(values.len());
    let mean = values.iter().sum::<f64>() / n;
    let sd = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: usize| sorted.get(sorted.len().saturating_sub(1) * share / 4).copied();
    let distance = at(3).zip(at(1)).map_or(0.0, |(upper, lower)| upper - lower) / 1.34;
    if distance > 0.0 { sd.min(distance) } else { sd }
}

fn count(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_holds_all_of_the_values() {
        // The integral of a density is 1 where the range holds its tails.
        let values: Vec<f64> = (0..50).map(|i| 10.0 + f64::from(i % 10) / 10.0).collect();
        let outline = density(&values, (8.0, 13.0));
        let area: f64 = outline.iter().map(|(_, d)| d / f64::from(POINTS)).sum();
        assert!((area - 1.0).abs() < 0.02, "{area}");
    }

    #[test]
    fn equal_values_have_an_outline_and_none_has_none() {
        assert!(density(&[3.0; 5], (2.0, 4.0)).iter().all(|(_, d)| d.is_finite()));
        assert!(density(&[], (2.0, 4.0)).is_empty());
    }
}
