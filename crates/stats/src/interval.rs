//! The log ratios that the blocks have not ruled out.

use crate::evidence::{final_log_e, scales};

/// How far out an end is looked for, in log ratio: beyond `e^64` it counts as unbounded.
const REACH: f64 = 64.0;

/// The search for an end starts from this half-width: a factor of `e` either way.
const FIRST_WIDTH: f64 = 1.0;

/// An end is known once its bracket is this narrow, far below anything a clock can tell.
const RESOLUTION: f64 = 1e-13;

/// An interval of log ratios with the confidence it has at the moment it is read, however that moment was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end, as a log ratio; `None` is unbounded.
    pub low: Option<f64>,
    /// Upper end, as a log ratio; `None` is unbounded.
    pub high: Option<f64>,
    /// Probability, between 0 and 1, with which such an interval covers the true log ratio.
    pub confidence: f64,
}

/// The interval from these blocks alone, `side_threshold` being the wealth that rules a value out on either side.
///
/// 40 a side gives 95 %, 20 gives 90 %. The lower end is the `m` at which wealth against "at most m" equals the threshold;
/// wealth falls as `m` grows, so halving a bracket finds it.
pub fn confidence_interval(d: &[f64], side_threshold: f64) -> (Option<f64>, Option<f64>) {
    let scales = scales(d);
    let low = lower_end(d, &scales, side_threshold.ln());
    let high = lower_end(&mirrored(d), &scales, side_threshold.ln());
    (low, high.map(|end| -end))
}

/// The intersection of the intervals after each block: as valid as any one of them, and never wider.
///
/// Where the true ratio moves during the run the intersection can become empty; then the interval of all blocks together
/// is given, which is valid on its own.
pub(crate) fn running_interval(d: &[f64], side_threshold: f64) -> (Option<f64>, Option<f64>) {
    let scales = scales(d);
    let low = greatest_lower_end(d, &scales, side_threshold.ln());
    let high = greatest_lower_end(&mirrored(d), &scales, side_threshold.ln()).map(|end| -end);
    match (low, high) {
        (Some(low), Some(high)) if low > high => confidence_interval(d, side_threshold),
        ends => ends,
    }
}

/// The negated values: an upper end is a lower end seen from the other side. Scales are the same for both.
fn mirrored(d: &[f64]) -> Vec<f64> {
    d.iter().map(|value| -value).collect()
}

/// The greatest lower end after any block. One look at the wealth tells whether a block moves it, so few are searched for.
fn greatest_lower_end(d: &[f64], scales: &[f64], log_threshold: f64) -> Option<f64> {
    (1..=d.len()).fold(None, |best, count| {
        let (d, scales) = (&d[..count], &scales[..count]);
        let moves = best.is_none_or(|end| final_log_e(d, scales, end) >= log_threshold);
        if moves { lower_end(d, scales, log_threshold).or(best) } else { best }
    })
}

/// The greatest `m` that is ruled out as "at most m".
fn lower_end(d: &[f64], scales: &[f64], log_threshold: f64) -> Option<f64> {
    let ruled_out = |boundary: f64| final_log_e(d, scales, boundary) >= log_threshold;
    let widths = || {
        std::iter::successors(Some(FIRST_WIDTH), |width| Some(2.0 * width))
            .take_while(|width| *width <= REACH)
    };
    let mut low = widths().map(|width| -width).find(|end| ruled_out(*end))?;
    let mut high = widths().find(|end| !ruled_out(*end))?;
    while high - low > RESOLUTION {
        let middle = f64::midpoint(low, high);
        if ruled_out(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks that agree with `center` to within half a per cent.
    fn tight(center: f64) -> Vec<f64> {
        (0..20).map(|index| center + 0.005 * f64::from(index % 5 - 2) / 2.0).collect()
    }

    #[test]
    fn a_ratio_of_eight_is_found_though_the_search_starts_at_e() {
        let (low, high) = confidence_interval(&tight(8.0_f64.ln()), 40.0);
        let (low, high) = (low.unwrap().exp(), high.unwrap().exp());
        assert!((7.93..8.0).contains(&low), "{low}");
        assert!((8.0..8.07).contains(&high), "{high}");
    }

    #[test]
    fn a_ratio_of_a_tenth_is_found_too() {
        let (low, high) = confidence_interval(&tight(0.1_f64.ln()), 40.0);
        let (low, high) = (low.unwrap().exp(), high.unwrap().exp());
        assert!((0.0991..0.1).contains(&low), "{low}");
        assert!((0.1..0.1009).contains(&high), "{high}");
    }

    #[test]
    fn six_blocks_cannot_bound_anything_at_95_per_cent_but_seven_can() {
        assert_eq!(confidence_interval(&[0.0; 6], 40.0), (None, None));
        let (low, high) = confidence_interval(&[0.0; 7], 40.0);
        assert!(low.is_some() && high.is_some());
        assert!(confidence_interval(&[0.0; 6], 20.0).0.is_some());
        assert_eq!(confidence_interval(&[], 20.0), (None, None));
    }

    #[test]
    fn a_ratio_beyond_reach_is_left_unbounded() {
        assert_eq!(confidence_interval(&[70.0; 10], 40.0), (None, None));
        assert_eq!(confidence_interval(&[-70.0; 10], 40.0), (None, None));
    }

    #[test]
    fn the_end_is_where_wealth_meets_the_threshold() {
        let d = tight(0.02);
        let (low, high) = confidence_interval(&d, 40.0);
        for (end, direction) in [(low.unwrap(), 1.0), (high.unwrap(), -1.0)] {
            let wealth = crate::evidence::log_e(&d, end, direction);
            assert!((wealth.last().unwrap() - 40.0_f64.ln()).abs() < 1e-9);
        }
    }

    #[test]
    fn the_running_interval_lies_inside_the_last_one_and_inside_every_earlier_one() {
        let d = [
            0.03, -0.01, 0.02, 0.05, 0.0, 0.01, 0.02, -0.2, 0.3, 0.02, -0.1, 0.04, 0.2, -0.3, 0.1,
            0.02,
        ];
        let (low, high) = running_interval(&d, 40.0);
        for count in 1..=d.len() {
            let (alone_low, alone_high) = confidence_interval(&d[..count], 40.0);
            assert!(alone_low.is_none_or(|end| end <= low.unwrap()));
            assert!(alone_high.is_none_or(|end| end >= high.unwrap()));
        }
    }

    #[test]
    fn an_empty_intersection_gives_way_to_the_interval_of_all_blocks() {
        let moving: Vec<f64> = [0.0; 12].into_iter().chain([0.5; 60]).collect();
        assert_eq!(running_interval(&moving, 40.0), confidence_interval(&moving, 40.0));
    }
}
