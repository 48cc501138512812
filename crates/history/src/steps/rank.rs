//! The rank statistic of a change of level.

/// Fewest points on either side of a split: with less, a change cannot be told from two outliers.
pub const SHORTEST_SIDE: usize = 4;

/// The split with the greatest statistic, and the statistic:
/// `Z(t) = |r_1 + … + r_t − t(n+1)/2| / sqrt(t(n−t)(n+1)/12)`, with at least `side` values on either
/// side. The split `t` counts the values before it. `None` for too few values.
#[must_use]
pub fn greatest_statistic(ranks: &[f64], side: usize) -> Option<(usize, f64)> {
    let n = ranks.len() as f64;
    let mut sum = 0.0;
    let mut greatest: Option<(usize, f64)> = None;
    for (index, rank) in ranks.iter().enumerate() {
        sum += rank;
        let split = index + 1;
        if split < side || ranks.len() - split < side {
            continue;
        }
        let t = split as f64;
        let deviation = (sum - t * (n + 1.0) / 2.0).abs();
        let z = deviation / (t * (n - t) * (n + 1.0) / 12.0).sqrt();
        if greatest.is_none_or(|(_, most)| z > most) {
            greatest = Some((split, z));
        }
    }
    greatest
}

/// Ranks from 1; equal values share the middle of theirs.
pub(super) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for tied in order.chunk_by(|a, b| values[*a].total_cmp(&values[*b]).is_eq()) {
        let middle = before as f64 + (tied.len() as f64 + 1.0) / 2.0;
        tied.iter().for_each(|index| ranks[*index] = middle);
        before += tied.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_the_middle_of_their_ranks() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 9.0]), [2.5, 1.0, 2.5, 4.0]);
    }

    #[test]
    fn the_statistic_is_greatest_where_low_meets_high() {
        // Ranks 1..=5 then 6..=10: sum of five is 15, expected 27.5; sqrt(5·5·11/12) = 4.787.
        let values: Vec<f64> = (1..=10).map(f64::from).collect();
        let (split, z) = greatest_statistic(&ranks(&values), SHORTEST_SIDE).unwrap();
        assert_eq!(split, 5);
        assert!((z - 12.5 / (275.0_f64 / 12.0).sqrt()).abs() < 1e-12);
        assert_eq!(greatest_statistic(&ranks(&values[..7]), SHORTEST_SIDE), None);
    }
}
