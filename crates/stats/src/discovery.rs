//! Choosing among a whole family at a false-discovery rate instead of "no false alarm at all" (e-BH, Wang and Ramdas 2022).
//!
//! An option: of the comparisons it calls changed, a share of `alpha` at most is false on average. Stronger than the family
//! bound when much has changed, the same when nothing has.

use crate::family::alarm_threshold;
use crate::sequence::{Decision, LogE};

/// One comparison as it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The log wealth now, not its greatest value so far; for a decided comparison that at its decision.
    pub log_e: LogE,
    /// The estimate, as a log ratio.
    pub center: f64,
}

impl Candidate {
    /// The direction the estimate points in and the log wealth for it, if the estimate reaches the threshold.
    fn claim(&self, threshold: f64) -> Option<(Decision, f64)> {
        if self.center >= threshold {
            Some((Decision::Slower, self.log_e.slower))
        } else if self.center <= -threshold {
            Some((Decision::Faster, self.log_e.faster))
        } else {
            None
        }
    }
}

/// The decision for each candidate, in their order: `None` where it is not selected.
///
/// Finds the largest `k` such that at least `k` candidates whose estimate reaches `threshold` have a wealth of at least
/// `2·family/(k·alpha)`, and selects those. To be called at moments that do not depend on the coins to come, with every
/// candidate of the family; what was selected once is to be kept with its wealth of then.
pub fn select_discoveries(
    candidates: &[Candidate],
    family: usize,
    alpha: f64,
    threshold: f64,
) -> Vec<Option<Decision>> {
    let claims: Vec<_> = candidates.iter().map(|candidate| candidate.claim(threshold)).collect();
    let mut wealths: Vec<f64> = claims.iter().flatten().map(|(_, log_e)| *log_e).collect();
    wealths.sort_by(|a, b| b.total_cmp(a));
    let needed = |selected: usize| (alarm_threshold(family, alpha) / selected as f64).ln();
    let least = (1..=wealths.len())
        .rev()
        .map(|k| (k, needed(k)))
        .find(|(k, needed)| wealths[k - 1] >= *needed);
    let selected =
        |(decision, log_e)| least.is_some_and(|(_, needed)| log_e >= needed).then_some(decision);
    claims.into_iter().map(|claim| claim.and_then(selected)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(center: f64, e: f64) -> Candidate {
        let (slower, faster) = if center > 0.0 { (e.ln(), -9.0) } else { (-9.0, e.ln()) };
        Candidate { log_e: LogE { slower, faster, not_slower: 0.0, not_faster: 0.0 }, center }
    }

    #[test]
    fn a_single_discovery_needs_what_the_family_bound_asks() {
        // 2 · 10 / .05 = 400.
        let select = |e| select_discoveries(&[candidate(0.1, e)], 10, 0.05, 0.03);
        assert_eq!(select(401.0), vec![Some(Decision::Slower)]);
        assert_eq!(select(399.0), vec![None]);
    }

    #[test]
    fn several_discoveries_lower_the_bar_for_each_other() {
        // Three reach 400 / 3 = 133.3; the fourth misses 100.
        let all = [
            candidate(0.1, 134.0),
            candidate(-0.1, 150.0),
            candidate(0.1, 99.0),
            candidate(0.2, 140.0),
        ];
        let selected = select_discoveries(&all, 10, 0.05, 0.03);
        assert_eq!(
            selected,
            vec![Some(Decision::Slower), Some(Decision::Faster), None, Some(Decision::Slower)]
        );
    }

    #[test]
    fn the_largest_possible_selection_is_made() {
        // The first alone reaches 400; both reach 200.
        let both = [candidate(0.1, 1000.0), candidate(0.1, 201.0)];
        assert_eq!(select_discoveries(&both, 10, 0.05, 0.03), vec![Some(Decision::Slower); 2]);
    }

    #[test]
    fn a_small_estimate_is_no_discovery_and_lowers_no_bar() {
        let all = [candidate(0.02, 1e9), candidate(0.1, 300.0)];
        assert_eq!(select_discoveries(&all, 10, 0.05, 0.03), vec![None, None]);
    }

    #[test]
    fn no_candidates_no_discoveries() {
        assert!(select_discoveries(&[], 10, 0.05, 0.03).is_empty());
    }
}
