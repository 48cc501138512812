//! What a comparison can still achieve: the smallest change it could see, and the blocks it still needs.
//!
//! The formulas are fits to simulated comparisons with normal noise (heavy tails need about 1.4 times the blocks). They
//! decide what to measure next and what to tell the reader, never a decision itself.

use crate::sequence::Rule;

/// Giving up is not considered before this many blocks: the spread is too uncertain.
const LEAST_FOR_FUTILITY: usize = 14;

/// The estimate is taken to be off by up to this many standard errors before hope is given up.
const DOUBT: f64 = 1.5;

/// Blocks still needed, each `None` where that decision is out of reach at the present estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Until slower or faster is decided.
    pub alarm: Option<f64>,
    /// Until equal is decided.
    pub equal: Option<f64>,
}

/// Smallest change, as a log ratio, that `blocks` blocks with a robust spread of `spread` would have seen nine times in ten.
///
/// `max(τ + 1.4·sd·(1.57·L / (n − 1.45·L))^0.4, δ + 1.6·sd/√n)` with `L = ln(2K/α)`: the first is the forecast of
/// [`Forecast::alarm`] solved for the change, the second asks that the estimate pass the threshold. `None` for
/// `n ≤ 1.45·L`, where no change is large enough.
pub fn detectable(rule: &Rule, blocks: usize, spread: f64) -> Option<f64> {
    let (count, needed) = (blocks as f64, rule.log_alarm());
    let spare = count - 1.45 * needed;
    if spare <= 0.0 {
        return None;
    }
    let by_evidence = rule.tolerance + 1.4 * spread * (1.57 * needed / spare).powf(0.4);
    let by_estimate = rule.threshold + 1.6 * spread / count.sqrt();
    Some(by_evidence.max(by_estimate))
}

/// Blocks still needed after `blocks`, if the true log ratio is `center` and a block spreads by `scale`.
pub fn forecast(rule: &Rule, blocks: usize, center: f64, scale: f64) -> Forecast {
    let still = |total: f64| (total - blocks as f64).max(0.0);
    Forecast {
        alarm: blocks_to_alarm(rule, center, scale).map(still),
        equal: blocks_to_equal(rule, center, scale).map(still),
    }
}

/// Whether `max_blocks` in all are too few whether the true log ratio is `center` or 1.5 standard errors to either side.
pub fn is_futile(rule: &Rule, blocks: usize, center: f64, scale: f64, max_blocks: usize) -> bool {
    let error = DOUBT * scale / (blocks as f64).sqrt();
    let within_reach = |center: f64| {
        let needed = [blocks_to_alarm(rule, center, scale), blocks_to_equal(rule, center, scale)];
        needed.into_iter().flatten().any(|total| total <= max_blocks as f64)
    };
    blocks >= LEAST_FOR_FUTILITY
        && ![center, center - error, center + error].into_iter().any(within_reach)
}

/// `1.45·L + 1.57·L·r^−2.5` with `r = (|center| − τ)/scale`.
fn blocks_to_alarm(rule: &Rule, center: f64, scale: f64) -> Option<f64> {
    let (needed, reach) = (rule.log_alarm(), (center.abs() - rule.tolerance) / scale);
    (reach > 0.0).then(|| 1.45 * needed + 1.57 * needed * reach.powf(-2.5))
}

/// `4.5 + 8.5·r^−2.2` with `r = (δ − |center|)/scale`.
fn blocks_to_equal(rule: &Rule, center: f64, scale: f64) -> Option<f64> {
    let reach = (rule.threshold - center.abs()) / scale;
    (reach > 0.0).then(|| 4.5 + 8.5 * reach.powf(-2.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule {
        alpha: 0.05,
        family: 100,
        tolerance: 0.01,
        threshold: 0.03,
        alpha_unchanged: 0.05,
        min_blocks: 6,
        scale: 1.0,
    };

    #[test]
    fn the_forecast_agrees_with_the_planning_table() {
        // Median blocks to an alarm at K = 100, by r = (change − tolerance) / sd.
        for (reach, blocks) in [(0.75, 39.0), (1.0, 25.0), (1.5, 18.0), (2.0, 15.0), (3.0, 14.0)] {
            let total = forecast(&RULE, 0, 0.01 + reach * 0.02, 0.02).alarm.unwrap();
            assert!((total / blocks - 1.0).abs() < 0.1, "r = {reach}: {total} for {blocks}");
        }
        // Median blocks to equal, by r = threshold / sd.
        for (reach, blocks) in [(0.5, 44.0), (1.0, 13.0), (1.5, 8.0), (2.0, 6.0)] {
            let total = forecast(&RULE, 0, 0.0, 0.03 / reach).equal.unwrap();
            assert!((total / blocks - 1.0).abs() < 0.1, "r = {reach}: {total} for {blocks}");
        }
    }

    #[test]
    fn blocks_already_there_are_not_needed_again() {
        let (none, ten) = (forecast(&RULE, 0, 0.05, 0.02), forecast(&RULE, 10, 0.05, 0.02));
        assert!((none.alarm.unwrap() - ten.alarm.unwrap() - 10.0).abs() < 1e-9);
        assert_eq!(forecast(&RULE, 1000, 0.05, 0.02).alarm, Some(0.0));
    }

    #[test]
    fn a_decision_out_of_reach_has_no_forecast() {
        assert_eq!(forecast(&RULE, 0, 0.005, 0.02).alarm, None);
        assert_eq!(forecast(&RULE, 0, -0.04, 0.02).equal, None);
    }

    #[test]
    fn twelve_blocks_see_no_change_in_a_family_of_a_hundred_however_large() {
        // 1.45 · ln 4000 = 12.03.
        assert_eq!(detectable(&RULE, 12, 0.01), None);
        assert!(detectable(&RULE, 13, 0.01).is_some());
    }

    #[test]
    fn the_detectable_change_is_never_below_the_threshold_and_shrinks_with_blocks() {
        assert_eq!(detectable(&RULE, 60, 0.0), Some(0.03));
        assert!(detectable(&RULE, 60, 0.05).unwrap() < detectable(&RULE, 20, 0.05).unwrap());
        // n = 40, sd = .05, L = 8.294: .01 + .07 · (13.02 / 27.97)^.4 = .0616; .03 + .08 / √40 = .0426.
        assert!((detectable(&RULE, 40, 0.05).unwrap() - 0.0616).abs() < 1e-4);
    }

    #[test]
    fn hope_is_given_up_only_when_every_likely_truth_is_out_of_reach() {
        // On the threshold, with noise ten times as large: neither decision within 60 blocks.
        assert!(is_futile(&RULE, 14, 0.03, 0.3, 60));
        assert!(!is_futile(&RULE, 13, 0.03, 0.3, 60));
        // The same estimate with little noise: an alarm takes some 20 blocks.
        assert!(!is_futile(&RULE, 14, 0.03, 0.02, 60));
        // .04 with a spread of .08 takes 163 blocks, but 1.5 errors further out, at .072, 37 would do.
        assert!(!is_futile(&RULE, 14, 0.04, 0.08, 60));
        assert!(!is_futile(&RULE, 14, -0.04, 0.08, 60));
        assert!(is_futile(&RULE, 14, 0.04, 0.08, 36));
    }
}
