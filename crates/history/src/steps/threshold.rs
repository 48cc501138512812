//! How great the rank statistic must be: the value that one flat series in a thousand exceeds.

/// Lengths and their thresholds, the .999 quantile of the greatest statistic over random permutations
/// (40,000 to a million of them), made by `crates/history/examples/thresholds.rs`. Short lengths stand
/// one by one, since the statistic takes few values there; from 1,024 on the chance in the simulation
/// is smoothed out.
const TABLE: [(usize, f64); 48] = [
    (8, 2.309),
    (9, 2.449),
    (10, 2.611),
    (11, 2.739),
    (12, 2.882),
    (13, 3.000),
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

/// The lengths that the table holds.
pub fn lengths() -> impl Iterator<Item = usize> {
    TABLE.iter().map(|(n, _)| *n)
}

/// The threshold for a series of `n` values: a change is significant where the greatest statistic is
/// above it. Between two lengths of the table, the greater one's.
#[must_use]
pub fn threshold(n: usize) -> f64 {
    let longest = TABLE[TABLE.len() - 1].1;
    TABLE.iter().find(|(length, _)| *length >= n).map_or(longest, |(_, threshold)| *threshold)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_series_need_more_and_the_longest_as_much_as_the_last() {
        assert!(TABLE.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1));
        assert!((threshold(33) - 3.640).abs() < 1e-12);
        assert!((threshold(1_000_000) - 4.430).abs() < 1e-12);
    }

    #[test]
    fn eight_values_can_never_be_significant() {
        // Four below four: 10 − 18 = −8, over sqrt(4·4·9/12) = 3.464.
        assert!(8.0 / 12.0_f64.sqrt() <= threshold(8) + 1e-3);
    }
}
