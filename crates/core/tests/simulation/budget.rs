//! The budget is kept, and spent on decisions.

use super::bench::Bench;
use super::noise::Noise;
use super::run::{Ask, Ran};
use super::world::World;
use bench_core::judge::reason;
use bench_results::{StoppedBy, Verdict};
use std::collections::BTreeSet;

fn suite(size: usize) -> Vec<Bench> {
    let noise = [Noise::Clean, Noise::Bursts, Noise::Heavy, Noise::Order];
    let bench = |nth: usize| Bench {
        group: nth % 2,
        ratio: if nth.is_multiple_of(10) { 1.1 } else { 1.0 },
        ..Bench::timed(&format!("b{nth}")).noisy(noise[nth % noise.len()])
    };
    (0..size).map(bench).collect()
}

fn ran(size: usize, budget_s: f64) -> Ran {
    let ask = Ask { budget_s, groups: 2, sentinels: true, ..Ask::default() };
    ask.run(World::new(1, suite(size)))
}

#[test]
fn the_budget_is_overrun_by_one_action_and_a_close_at_most() {
    for budget_s in [0.0, 0.1, 0.5, 1.0, 3.3, 7.0, 20.0, 55.5, 120.0] {
        let ran = ran(40, budget_s);
        let spent = ran.machine.elapsed_s();
        assert!(spent <= budget_s + 0.25 + 0.02, "{spent} s of {budget_s} s");
        assert_eq!(ran.stopped, StoppedBy::Budget, "{budget_s} s");
    }
}

#[test]
fn a_run_without_any_budget_starts_nothing() {
    let ran = ran(5, 0.0);
    assert!(ran.actions.is_empty());
    assert_eq!(ran.results().summary.counts.skipped, 5);
}

#[test]
fn what_was_never_reached_is_skipped_for_want_of_time_and_counted() {
    let results = ran(40, 30.0).results();
    let never: Vec<_> = results.benchmarks.iter().filter(|row| row.blocks.is_empty()).collect();
    assert!(!never.is_empty());
    for row in &never {
        assert_eq!(row.verdict, Some(Verdict::Skipped), "{}", row.id);
        assert_eq!(row.reason.as_deref(), Some(reason::TIME_BUDGET), "{}", row.id);
    }
    assert_eq!(results.summary.counts.skipped as usize, never.len());
}

#[test]
fn commits_of_a_series_are_cut_at_the_same_benchmarks() {
    let reached = |head: &str, seed: &str| -> BTreeSet<String> {
        let (head, seed) = (head.to_owned(), seed.to_owned());
        let ask = Ask { budget_s: 30.0, groups: 2, head, seed, ..Ask::default() };
        let rows = ask.run(World::new(1, suite(40))).results().benchmarks;
        rows.into_iter().filter(|row| !row.blocks.is_empty()).map(|row| row.id).collect()
    };
    let (first, second) = (reached("a", "history"), reached("b", "history"));
    let all = first.len().max(second.len());
    // How many are reached differs a little: what a decision takes is chance.
    assert!(first.intersection(&second).count() + 2 >= all, "{first:?} {second:?}");
    let other = reached("a", "other");
    assert!(first.intersection(&other).count() + 2 < all, "{first:?} {other:?}");
}

#[test]
fn a_short_budget_brings_some_to_a_decision_instead_of_all_to_none() {
    for (size, budget_s) in [(40, 30.0), (40, 60.0), (200, 60.0), (1000, 120.0)] {
        let counts = ran(size, budget_s).results().summary.counts;
        let decided = counts.unchanged + counts.regressed + counts.improved;
        // A block costs .25 s and a decision about 8 of them, more where it is an alarm.
        assert!(f64::from(decided) >= budget_s / 6.0, "{budget_s} s: {counts:?}");
        assert!(counts.inconclusive <= decided, "{budget_s} s: {counts:?}");
    }
}

#[test]
fn an_ample_budget_is_not_spent() {
    let ran = ran(40, 1000.0);
    assert_eq!(ran.stopped, StoppedBy::Done);
    assert!(ran.machine.elapsed_s() < 400.0, "{} s", ran.machine.elapsed_s());
    let counts = ran.results().summary.counts;
    assert_eq!((counts.skipped, counts.improved), (0, 0), "{counts:?}");
    assert_eq!(counts.regressed, 4, "{counts:?}");
}

#[test]
fn time_that_is_left_never_exceeds_the_budget() {
    let ran = ran(40, 50.0);
    let progress = ran.machine.progress();
    assert!(progress.elapsed_s + progress.left_s <= 50.3);
    assert_eq!(progress.total, 40);
    let ended = ran.machine.states().iter().filter(|state| state.has_ended()).count();
    assert_eq!(progress.decided, ended);
}
