//! What must not matter does not: which side is called first, and the unit of time.

use bench_stats::{Coin, Decision, Sequence, paired_log_ratio};
use proptest::prelude::*;

use crate::support::rule;

/// Blocks of a few slices a side, around a common effect, with the coin of each.
fn blocks() -> impl Strategy<Value = Vec<(Vec<f64>, Vec<f64>, Coin)>> {
    let slices = || prop::collection::vec(0.9..1.1_f64, 3..8);
    (0.7..1.4_f64).prop_flat_map(move |effect| {
        let coin = prop::bool::ANY.prop_map(|heads| if heads { Coin::Heads } else { Coin::Tails });
        let block = (slices(), slices(), coin).prop_map(move |(base, head, coin)| {
            (base, head.iter().map(|value| effect * value).collect(), coin)
        });
        prop::collection::vec(block, 1..60)
    })
}

fn run(d: impl IntoIterator<Item = (f64, Coin)>) -> Sequence {
    let mut sequence = Sequence::new(rule(5));
    for (d, coin) in d {
        sequence.push(d, coin);
    }
    sequence
}

proptest! {
    #[test]
    fn swapping_the_sides_inverts_everything(blocks in blocks()) {
        let d: Vec<(f64, Coin)> =
            blocks.iter().map(|(base, head, coin)| (paired_log_ratio(base, head).unwrap(), *coin)).collect();
        let (one, other) = (run(d.clone()), run(d.iter().map(|(d, coin)| (-d, coin.flipped()))));
        prop_assert_eq!(one.decision(), other.decision().map(Decision::reversed));
        prop_assert_eq!(one.decided_at(), other.decided_at());
        prop_assert_eq!(one.center(), -other.center());
        prop_assert_eq!(one.log_e().slower, other.log_e().faster);
        prop_assert_eq!(one.log_e().not_slower, other.log_e().not_faster);
        prop_assert_eq!(one.interval().low, other.interval().high.map(|end| -end));
        prop_assert_eq!(one.detectable(), other.detectable());
    }

    #[test]
    fn swapping_the_slices_negates_the_log_ratio(blocks in blocks()) {
        for (base, head, _) in &blocks {
            let (one, other) = (paired_log_ratio(base, head).unwrap(), paired_log_ratio(head, base).unwrap());
            prop_assert!((one + other).abs() < 1e-15);
        }
    }

    #[test]
    fn the_unit_of_time_changes_nothing(blocks in blocks(), exponent in -30..30_i32) {
        // A power of two, so that not even rounding differs.
        let unit = 2.0_f64.powi(exponent);
        let scaled = |values: &[f64]| values.iter().map(|value| unit * value).collect::<Vec<f64>>();
        let plain = run(blocks.iter().map(|(base, head, coin)| (paired_log_ratio(base, head).unwrap(), *coin)));
        let other = run(blocks.iter().map(|(base, head, coin)| {
            (paired_log_ratio(&scaled(base), &scaled(head)).unwrap(), *coin)
        }));
        prop_assert_eq!(plain.decision(), other.decision());
        prop_assert_eq!(plain.raw(), other.raw());
        prop_assert_eq!(plain.interval(), other.interval());
    }

    #[test]
    fn an_equal_decision_never_contradicts_its_own_interval(blocks in blocks()) {
        let sequence =
            run(blocks.iter().map(|(base, head, coin)| (paired_log_ratio(base, head).unwrap(), *coin)));
        let (interval, rule) = (sequence.interval(), *sequence.rule());
        match sequence.decision() {
            Some(Decision::Equal) => {
                prop_assert!(interval.low.unwrap() >= -rule.threshold && interval.high.unwrap() <= rule.threshold);
            }
            Some(Decision::Slower) => prop_assert!(interval.low.unwrap() >= rule.tolerance),
            Some(Decision::Faster) => prop_assert!(interval.high.unwrap() <= -rule.tolerance),
            None => {}
        }
    }

    #[test]
    fn any_numbers_at_all_are_taken_without_a_panic(
        d in prop::collection::vec(prop::num::f64::ANY, 0..40),
        heads in prop::collection::vec(prop::bool::ANY, 40),
    ) {
        let coins = heads.into_iter().map(|heads| if heads { Coin::Heads } else { Coin::Tails });
        let sequence = run(d.into_iter().zip(coins));
        let (interval, forecast) = (sequence.interval(), sequence.forecast());
        prop_assert!(interval.low.is_none_or(f64::is_finite) && interval.high.is_none_or(f64::is_finite));
        prop_assert!(forecast.alarm.is_none_or(|blocks| blocks >= 0.0));
        let _ = sequence.futility(60);
    }
}
