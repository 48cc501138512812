//! Two groups of values that were not measured against each other: rank statistics.
//!
//! Weaker than a comparison by blocks: nothing rules out that the circumstances changed between the
//! two groups. A small p says that they differ, not why.

use crate::robust::median;
use statrs::distribution::{ContinuousCDF as _, Normal};

/// Group sizes up to which the distribution is counted out; above, it is normal to all purposes.
const EXACT_UP_TO: usize = 40;

/// What two groups say about the shift from the first to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Hodges–Lehmann estimate: the median of all differences `second − first`.
    pub estimate: f64,
    /// Lower end of its interval; `None` where there are too few values for the confidence.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Two-sided p of the Mann–Whitney test of "no difference".
    pub p: f64,
}

/// The shift between two groups, with its distribution-free interval of the given confidence
/// (Hollander, Wolfe and Chicken, section 4.3). `None` where a group is empty or has values that are
/// not finite.
#[must_use]
pub fn shift(first: &[f64], second: &[f64], confidence: f64) -> Option<Shift> {
    if first.iter().chain(second).any(|value| !value.is_finite()) {
        return None;
    }
    let mut differences: Vec<f64> =
        first.iter().flat_map(|a| second.iter().map(move |b| b - a)).collect();
    let estimate = median(&differences)?;
    differences.sort_by(f64::total_cmp);
    let distribution = RankSum::new(first.len(), second.len());
    let skip = distribution.quantile((1.0 - confidence) / 2.0);
    let low = skip.map(|skip| differences[skip]);
    let high = skip.map(|skip| differences[differences.len() - 1 - skip]);
    Some(Shift { estimate, low, high, p: p_value(&differences, first, second, &distribution) })
}

/// Two-sided p: twice the smaller tail, at most 1. Ties count half on either side, which makes the
/// exact distribution conservative; the normal one is corrected for them.
fn p_value(differences: &[f64], first: &[f64], second: &[f64], exact: &RankSum) -> f64 {
    let above = differences.iter().filter(|d| **d > 0.0).count() as f64;
    let equal = differences.iter().filter(|d| **d == 0.0).count() as f64;
    let u = above + equal / 2.0;
    let smaller = u.min(differences.len() as f64 - u);
    let tail = match exact {
        RankSum::Counted(cumulative) => cumulative[smaller.floor() as usize],
        RankSum::Normal { .. } => normal_tail(smaller, first, second),
    };
    (2.0 * tail).min(1.0)
}

/// Lower tail of the normal approximation, with continuity and tie corrections.
fn normal_tail(u: f64, first: &[f64], second: &[f64]) -> f64 {
    let (n, m) = (first.len() as f64, second.len() as f64);
    let mut all: Vec<f64> = first.iter().chain(second).copied().collect();
    all.sort_by(f64::total_cmp);
    let ties: f64 =
        all.chunk_by(|a, b| a == b).map(|run| (run.len() as f64).powi(3) - run.len() as f64).sum();
    let total = n + m;
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    Normal::standard().cdf((u + 0.5 - n * m / 2.0) / variance.sqrt())
}

/// The distribution of U, the number of pairs in which the second value is the larger.
#[derive(Debug)]
enum RankSum {
    /// P(U ≤ u) for u = 0, 1, …
    Counted(Vec<f64>),
    Normal {
        mean: f64,
        sd: f64,
    },
}

impl RankSum {
    fn new(n: usize, m: usize) -> Self {
        if n <= EXACT_UP_TO && m <= EXACT_UP_TO {
            return Self::Counted(cumulative(n, m));
        }
        let (n, m) = (n as f64, m as f64);
        Self::Normal { mean: n * m / 2.0, sd: (n * m * (n + m + 1.0) / 12.0).sqrt() }
    }

    /// How many differences may be left out at each end: the largest `k` with P(U < k + 1) ≤ `tail`,
    /// that is P(U ≤ k) ≤ tail. `None` where even leaving out none is too bold.
    fn quantile(&self, tail: f64) -> Option<usize> {
        match self {
            Self::Counted(cumulative) => cumulative.iter().rposition(|p| *p <= tail),
            Self::Normal { mean, sd } => {
                let k = mean + sd * Normal::standard().inverse_cdf(tail) - 0.5;
                (k >= 0.0).then_some(k as usize)
            }
        }
    }
}

/// P(U ≤ u) by counting: the Gaussian binomial coefficients, built one value at a time.
fn cumulative(n: usize, m: usize) -> Vec<f64> {
    let most = n * m;
    let mut counts = vec![0.0; most + 1];
    counts[0] = 1.0;
    // Multiply by (1 − q^(m+i)) / (1 − q^i) for i = 1..=n.
    for i in 1..=n {
        for u in (m + i..=most).rev() {
            counts[u] -= counts[u - m - i];
        }
        for u in i..=most {
            counts[u] += counts[u - i];
        }
    }
    let total: f64 = counts.iter().sum();
    let running = counts.iter().scan(0.0, |sum: &mut f64, count| {
        *sum += count;
        Some(*sum / total)
    });
    running.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_is_that_of_the_tables() {
        // n = 3, m = 3: 20 orders; U = 0, 1, 2 in 1, 1, 2 of them.
        let cumulative = cumulative(3, 3);
        for (u, expected) in [(0, 1.0 / 20.0), (1, 2.0 / 20.0), (2, 4.0 / 20.0), (9, 1.0)] {
            assert!((cumulative[u] - expected).abs() < 1e-12, "{u}");
        }
    }

    #[test]
    fn groups_apart_have_the_smallest_p_there_is() {
        // 5 against 5, no overlap: 2 / C(10, 5) = 2 / 252.
        let shift =
            shift(&[1.0, 2.0, 3.0, 4.0, 5.0], &[11.0, 12.0, 13.0, 14.0, 15.0], 0.95).unwrap();
        assert!((shift.p - 2.0 / 252.0).abs() < 1e-12);
        assert_eq!(shift.estimate, 10.0);
        assert!(shift.low.unwrap() > 0.0);
    }

    #[test]
    fn too_few_values_give_an_unbounded_interval() {
        let shift = shift(&[1.0, 2.0], &[11.0, 12.0], 0.95).unwrap();
        assert_eq!((shift.low, shift.high), (None, None));
        assert!(shift.p > 0.3);
    }

    #[test]
    fn equal_groups_have_a_p_of_one() {
        let same = [1.0; 8];
        assert_eq!(shift(&same, &same, 0.95).unwrap().p, 1.0);
        assert_eq!(shift(&[1.0; 60], &[1.0; 60], 0.95).unwrap().p, 1.0);
    }

    #[test]
    fn counted_and_normal_agree_where_both_hold() {
        let first: Vec<f64> = (0..40).map(f64::from).collect();
        let second: Vec<f64> = (0..40).map(|x| f64::from(x) + 9.5).collect();
        let exact = shift(&first, &second, 0.95).unwrap().p;
        let normal = 2.0 * normal_tail(40.0 * 40.0 - 1135.0, &first, &second);
        // U counted by hand: sum over i of values of `first` below i + 9.5 = 10 + 11 + … + 39 + 10·40.
        assert!((exact - normal).abs() < 2e-3, "{exact} {normal}");
    }
}
