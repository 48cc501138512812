//! Steps are found, and only steps, over many generated histories.

mod random;

use bench_history::steps::{Rule, SHORTEST_SERIES, find};
use proptest::prelude::*;
use random::Random;

/// 200 commits: steps `(index, log size)`, a drift over all, noise `sd`, a share of outliers.
fn history(seed: u64, steps: &[(usize, f64)], drift: f64, sd: f64, outliers: f64) -> Vec<f64> {
    let mut random = Random(seed.wrapping_mul(0x1234_5678_9abc_def1));
    (0..200)
        .map(|i| {
            let level: f64 = steps.iter().filter(|(at, _)| i >= *at).map(|(_, size)| size).sum();
            let wild =
                if random.uniform() < outliers { 0.1 * -random.uniform().ln_1p() } else { 0.0 };
            level + drift * i as f64 / 200.0 + sd * random.normal() + wild.abs()
        })
        .collect()
}

const RULE: Rule = Rule { least: 0.0198 };

/// How often the steps were found, over many seeds.
struct Tally {
    found: usize,
    exact: usize,
    in_range: usize,
    covered: usize,
    missed: usize,
    false_ones: usize,
}

fn tally(steps: &[(usize, f64)], drift: f64, sd: f64, outliers: f64, seeds: u64) -> Tally {
    let mut tally = Tally { found: 0, exact: 0, in_range: 0, covered: 0, missed: 0, false_ones: 0 };
    for seed in 0..seeds {
        let found = find(&history(seed, steps, drift, sd, outliers), RULE);
        for (at, size) in steps {
            let hit = found.steps.iter().find(|step| step.at.abs_diff(*at) <= 5);
            let Some(hit) = hit else {
                tally.missed += 1;
                continue;
            };
            tally.found += 1;
            tally.exact += usize::from(hit.at == *at);
            tally.in_range += usize::from(hit.range.0 <= *at && *at <= hit.range.1);
            tally.covered += usize::from(hit.low <= *size && *size <= hit.high);
        }
        let known = |at: usize| steps.iter().any(|(step, _)| step.abs_diff(at) <= 5);
        tally.false_ones += found.steps.iter().filter(|step| !known(step.at)).count();
    }
    tally
}

const THREE_PERCENT: (usize, f64) = (70, 0.029_559);
const MINUS_TEN: (usize, f64) = (130, -0.105_361);

/// Noise of an estimate from ten or so blocks that spread by 3 %.
const NOISE: f64 = 0.01;

const SEEDS: u64 = 500;

#[test]
fn a_flat_series_has_no_step() {
    for (drift, sd, outliers) in [(0.0, 0.003, 0.0), (0.0, NOISE, 0.05), (0.0, 0.03, 0.1)] {
        let tally = tally(&[], drift, sd, outliers, SEEDS);
        assert!(tally.false_ones <= 1, "{} in {SEEDS} at {sd}", tally.false_ones);
    }
}

#[test]
fn a_slow_drift_is_no_step() {
    for drift in [0.04, -0.08, 0.16] {
        for outliers in [0.0, 0.05] {
            let tally = tally(&[], drift, NOISE, outliers, SEEDS);
            assert!(tally.false_ones <= 8, "{} in {SEEDS} at {drift}", tally.false_ones);
        }
    }
}

#[test]
fn a_slow_drift_is_reported_as_one_with_its_size() {
    for seed in 0..50 {
        let found = find(&history(seed, &[], 0.08, NOISE, 0.0), RULE);
        let [drift] = found.drifts.as_slice() else { panic!("seed {seed}: {:?}", found.drifts) };
        assert!((drift.size - 0.08).abs() < 0.02, "{drift:?}");
        assert!(drift.from == 0 && drift.to == 199);
    }
}

/// Of 6 and 7 values ranks cannot be sure, whatever the size: then it is not called a drift either.
#[test]
fn the_shortest_series_that_can_show_a_step_is_as_long_as_is_said() {
    let shows = |length: usize| {
        (1..length).any(|at| {
            let values: Vec<f64> =
                (0..length).map(|i| i as f64 * 1e-4 + if i < at { 0.0 } else { 1.0 }).collect();
            !find(&values, RULE).steps.is_empty()
        })
    };
    let shown: Vec<usize> = (1..20).filter(|length| shows(*length)).collect();
    assert_eq!(shown, (SHORTEST_SERIES..20).collect::<Vec<_>>());
}

#[test]
fn a_step_in_too_short_a_series_is_no_drift() {
    for seed in 0..50 {
        let values = &history(seed, &[(6, 0.18)], 0.0, 0.005, 0.0)[..13];
        assert_eq!(find(values, RULE).drifts, [], "seed {seed}");
    }
}

#[test]
fn steps_are_found_where_they_are_also_beside_a_drift() {
    let steps = [THREE_PERCENT, MINUS_TEN];
    for drift in [0.0, 0.04, 0.08] {
        for outliers in [0.0, 0.05] {
            let tally = tally(&steps, drift, NOISE, outliers, SEEDS);
            let all = steps.len() * SEEDS as usize;
            assert!(tally.missed <= all / 50, "{} of {all} missed", tally.missed);
            assert!(tally.in_range >= all * 94 / 100, "{} of {all} in range", tally.in_range);
            assert!(tally.exact >= all * 84 / 100, "{} of {all} exact", tally.exact);
            assert!(tally.false_ones <= SEEDS as usize / 50, "{} false", tally.false_ones);
        }
    }
}

#[test]
fn without_a_drift_the_size_is_in_its_interval() {
    let tally = tally(&[THREE_PERCENT, MINUS_TEN], 0.0, NOISE, 0.0, SEEDS);
    assert!(tally.covered * 100 >= tally.found * 92, "{} of {}", tally.covered, tally.found);
}

#[test]
fn a_staircase_is_not_taken_for_a_slope() {
    let stairs = [(50, 0.03), (100, 0.03), (150, 0.03)];
    let tally = tally(&stairs, 0.0, NOISE, 0.0, 200);
    assert!(tally.missed <= 12 && tally.false_ones <= 4, "{} {}", tally.missed, tally.false_ones);
}

/// With k values after it, all above the others, the statistic is sqrt(3k(n−k)/(n+1)): of 200 values
/// at least six must be above, since 3·6·194/201 = 17.4 and the threshold's square is 17.1.
#[test]
fn a_change_shows_once_six_commits_have_followed_it() {
    let tally = tally(&[(194, 0.15)], 0.0, NOISE, 0.0, 200);
    assert!(tally.missed == 0, "{} missed", tally.missed);
}

proptest! {
    #[test]
    fn what_is_found_does_not_depend_on_level_or_direction(seed: u64, level in -5.0..5.0f64) {
        let values = history(seed, &[THREE_PERCENT, MINUS_TEN], 0.0, NOISE, 0.02);
        let places = |values: &[f64]| -> Vec<usize> {
            find(values, RULE).steps.iter().map(|step| step.at).collect()
        };
        let turned: Vec<f64> = values.iter().map(|value| level - value).collect();
        prop_assert_eq!(places(&values), places(&turned));
        prop_assert_eq!(find(&values, RULE), find(&values, RULE));
    }

    #[test]
    fn any_series_is_survived(values in prop::collection::vec(-1e6..1e6f64, 0..120)) {
        let found = find(&values, RULE);
        for step in found.steps {
            prop_assert!(step.range.0 <= step.at && step.at <= step.range.1);
            prop_assert!(step.range.1 < values.len() && step.low <= step.high);
        }
    }
}
