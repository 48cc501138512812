//! The false-alarm bound and the power, over thousands of suites.

use super::bench::Bench;
use super::noise::Noise;
use super::run::Ask;
use super::world::{Obedience, World};
use bench_core::assemble::primary_verdict;
use bench_results::{RowRule, Verdict};

/// No margin at all: the bound then rests on the coin alone, and it is felt.
const SHARP: RowRule = RowRule { threshold: 0.002, tolerance: 0.0, absolute: 0.0 };

/// Whether any benchmark that did not change is said to have.
fn alarms(ask: &Ask, world: World) -> bool {
    let ran = ask.run(world);
    let is_alarm = |verdict| matches!(verdict, Verdict::Regressed | Verdict::Improved);
    ran.machine.states().iter().any(|state| is_alarm(primary_verdict(state)))
}

fn unchanged_suite(size: usize, noise: Noise, rule: RowRule) -> Vec<Bench> {
    let bench = |nth: usize| Bench { rule, ..Bench::timed(&format!("b{nth}")).noisy(noise) };
    (0..size).map(bench).collect()
}

/// How many of `suites` alarm, each of two benchmarks, in these kinds of noise by turns.
fn count(suites: u64, noises: &[Noise], rule: RowRule, obedience: Obedience) -> usize {
    let suite = |seed: u64| {
        let noise = noises[seed as usize % noises.len()];
        let ask = Ask { seed: seed.to_string(), max_blocks: 20, ..Ask::default() };
        let world = World::new(seed, unchanged_suite(2, noise, rule));
        alarms(&ask, World { obedience, ..world })
    };
    (0..suites).filter(|&seed| suite(seed)).count()
}

/// What 5 % of so many suites may come to by chance: three standard deviations more.
fn allowed(suites: u64) -> usize {
    let mean = 0.05 * suites as f64;
    (mean + 3.0 * (0.95 * mean).sqrt()) as usize
}

#[test]
fn eight_thousand_suites_without_a_change_keep_the_bound() {
    let alarms = count(8_000, &Noise::ALL, super::bench::RULE, Obedience::Coin);
    assert!(alarms <= allowed(8_000), "{alarms} of 8,000 suites alarmed");
}

#[test]
fn two_thousand_suites_judged_without_any_margin_keep_the_bound() {
    let alarms = count(2_000, &Noise::ALL, SHARP, Obedience::Coin);
    assert!(alarms <= allowed(2_000), "{alarms} of 2,000 suites alarmed");
    assert!(alarms > 0, "a bound that is never felt is not tested");
}

#[test]
fn a_driver_that_ignored_the_coin_would_alarm_nearly_always_where_order_matters() {
    let coin = count(40, &[Noise::Order], SHARP, Obedience::Coin);
    let ignored = count(40, &[Noise::Order], SHARP, Obedience::AlwaysBase);
    assert!(coin <= allowed(40), "{coin} of 40 suites alarmed");
    assert!(ignored >= 36, "only {ignored} of 40 suites alarmed");
}

#[test]
fn true_changes_are_found_in_every_kind_of_noise_and_nothing_else_is() {
    for (nth, noise) in Noise::ALL.into_iter().enumerate() {
        let benches = vec![
            Bench::timed("slower").slower(1.15).noisy(noise),
            Bench::timed("faster").slower(1.0 / 1.15).noisy(noise),
            Bench::timed("equal").noisy(noise),
        ];
        let ran = Ask::default().run(World::new(nth as u64, benches));
        assert_eq!(ran.verdict("slower"), Verdict::Regressed, "{noise:?}");
        assert_eq!(ran.verdict("faster"), Verdict::Improved, "{noise:?}");
        assert_ne!(ran.verdict("equal"), Verdict::Regressed, "{noise:?}");
        assert_ne!(ran.verdict("equal"), Verdict::Improved, "{noise:?}");
    }
}
