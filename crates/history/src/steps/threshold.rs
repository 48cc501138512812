//! How great the rank statistic must be: the value that one flat series in a thousand exceeds.

/// Points that a series has before it can show a step: in a shorter one even the largest, in its middle,
/// could be chance.
pub const SHORTEST_SERIES: usize = 14;

/// Lengths and their thresholds, the .999 quantile of the greatest statistic over random permutations
/// (40,000 to a million of them), made by `crates/history/examples/thresholds.rs`. Short lengths stand
/// one by one, since the statistic takes few values there; from 1,024 on the chance in the simulation
/// is smoothed out.
const TABLE: [(usize, f64); 42] = [
    (14, 3.098),
    (15, 3.182),
    (16, 3.228),
    (17, 3.272),
    (18, 3.306),
    (19, 3.348),
    (20, 3.382),
    (21, 3.411),
    (22, 3.429),
    (23, 3.465),
    (24, 3.467),
    (25, 3.504),
    (26, 3.530),
    (27, 3.549),
    (28, 3.552),
    (29, 3.579),
    (30, 3.588),
    (31, 3.609),
    (32, 3.620),
    (34, 3.640),
    (36, 3.667),
    (38, 3.684),
    (40, 3.715),
    (44, 3.743),
    (48, 3.784),
    (56, 3.825),
    (64, 3.861),
    (80, 3.917),
    (96, 3.950),
    (128, 4.013),
    (160, 4.057),
    (192, 4.077),
    (256, 4.135),
    (384, 4.176),
    (512, 4.199),
    (768, 4.261),
    (1024, 4.285),
    (2048, 4.320),
    (4096, 4.360),
    (8192, 4.400),
    (12288, 4.415),
    (16384, 4.430),
];

/// What the table's figures may be too low by. The statistic of a short series takes few values, and one
/// that is equal to the threshold must not pass.
const ROUNDING: f64 = 5e-4;

/// The lengths that the table holds.
pub fn lengths() -> impl Iterator<Item = usize> {
    TABLE.iter().map(|(n, _)| *n)
}

/// The threshold for a series of `n` values: a change is significant where the greatest statistic is
/// above it. Between two lengths of the table, the greater one's.
#[must_use]
pub fn threshold(n: usize) -> f64 {
    if n < SHORTEST_SERIES {
        return f64::INFINITY;
    }
    let longest = TABLE[TABLE.len() - 1].1;
    let found = TABLE.iter().find(|(length, _)| *length >= n);
    found.map_or(longest, |(_, threshold)| *threshold) + ROUNDING
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_series_need_more_and_the_longest_as_much_as_the_last() {
        assert!(TABLE.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1));
        assert!((threshold(33) - 3.6405).abs() < 1e-12);
        assert!((threshold(1_000_000) - 4.4305).abs() < 1e-12);
    }

    /// Of `n` values in order of a step in their middle, this many orders are as good.
    #[test]
    fn a_series_is_long_enough_once_its_best_step_is_rarer_than_one_in_a_thousand() {
        let choices = |n: u64| (1..=n / 2).fold(1, |product, k| product * (n + 1 - k) / k);
        assert!(
            choices(SHORTEST_SERIES as u64 - 1) < 2000 && choices(SHORTEST_SERIES as u64) > 2000
        );
        assert!(threshold(SHORTEST_SERIES - 1).is_infinite());
    }
}
