//! What is registered before any data: K, the budget, the combinations and the shards.

use super::bench::Bench;
use bench_core::case::Case;
use bench_core::config::{Config, Flags};
use bench_core::matching::{Registered, register};
use bench_core::seed::Seed;
use bench_core::shard::Partition;
use bench_harness::{HowMeasured, OwnClock};
use std::collections::BTreeSet;
use std::path::Path;

/// Twenty functions with ten combinations each.
fn cases() -> Vec<Case> {
    let case = |nth: usize| Bench::timed(&format!("f{}(n={})", nth / 10, nth % 10)).case();
    (0..200).map(case).collect()
}

fn registered(cases: Vec<Case>, flags: &Flags, seed: &str) -> Registered {
    registered_of(cases, flags, &Seed::new("base", "head", seed))
}

fn registered_of(cases: Vec<Case>, flags: &Flags, seed: &Seed) -> Registered {
    let nowhere = Path::new("/nonexistent");
    let config = Config::load(flags, nowhere, &[], jiff::civil::date(2026, 11, 30))
        .expect("the flags are right");
    let shard = config.compare.shard.as_ref();
    let partition = Partition::new(shard, cases.iter().map(|case| case.id.as_str()));
    register(cases, &config.compare, seed, &partition)
}

fn budget(text: &str) -> Flags {
    Flags { time_budget: Some(text.to_owned()), ..Flags::default() }
}

fn ids(cases: &[Case]) -> BTreeSet<String> {
    cases.iter().map(|case| case.id.clone()).collect()
}

#[test]
fn one_combination_per_function_is_registered_when_the_budget_cannot_hold_all() {
    let registered = registered(cases(), &budget("60s"), "run");
    assert_eq!((registered.cases.len(), registered.left_out.len()), (20, 180));
    assert_eq!(registered.whole.family, 20, "K counts what is registered");
    let functions: BTreeSet<&str> = registered.cases.iter().map(Case::function).collect();
    assert_eq!(functions.len(), 20);
    assert!(registered.whole.too_little.unwrap().all_would_take > 60.0);
}

#[test]
fn the_choice_of_combinations_follows_the_seed_and_not_the_order_they_were_found_in() {
    let chosen = |cases: Vec<Case>, seed: &str| ids(&registered(cases, &budget("60s"), seed).cases);
    let mut reversed = cases();
    reversed.reverse();
    assert_eq!(chosen(cases(), "a"), chosen(reversed, "a"));
    assert_ne!(chosen(cases(), "a"), chosen(cases(), "b"));
}

#[test]
fn commits_of_a_series_have_the_same_combinations_whatever_they_add_or_remove() {
    let of = |head: &str, cases: Vec<Case>| {
        ids(&registered_of(cases, &budget("60s"), &Seed::new("base", head, "history")).cases)
    };
    let before = of("a", cases());
    assert_eq!(before, of("b", cases()));
    let mut more = cases();
    more.extend((0..20).map(|nth| Bench::timed(&format!("f{nth}(n=10)")).case()));
    let moved = before.difference(&of("c", more)).count();
    assert!(moved < 8, "{moved} of 20 moved, where two are to be expected");
    let mut fewer = cases();
    fewer.retain(|case| before.contains(&case.id) || !case.id.ends_with("(n=5)"));
    assert_eq!(before, of("d", fewer));
}

#[test]
fn everything_is_registered_where_it_fits_or_is_asked_for() {
    let roomy = registered(cases(), &budget("10m"), "run");
    assert_eq!((roomy.cases.len(), roomy.whole.family, roomy.whole.too_little), (200, 200, None));
    let all = Flags { all: true, ..budget("60s") };
    assert_eq!(registered(cases(), &all, "run").cases.len(), 200);
    let repeated = Flags { repeat: Some(3), ..budget("60s") };
    assert_eq!(registered(cases(), &repeated, "run").cases.len(), 200);
}

#[test]
fn shards_measure_everything_once_between_them_and_share_k() {
    let mut seen = BTreeSet::new();
    let mut measured = 0;
    for index in 1..=3 {
        let flags = Flags { shard: Some(format!("{index}/3")), ..budget("10m") };
        let shard = registered(cases(), &flags, "run");
        assert_eq!((shard.whole.family, shard.whole.planned.len()), (200, 200));
        measured += shard.cases.len();
        seen.extend(ids(&shard.cases));
    }
    assert_eq!((seen.len(), measured), (200, 200));
}

#[test]
fn shards_choose_the_same_combinations_and_tell_of_the_others_once() {
    let shards = (1..=4).map(|index| {
        let flags = Flags { shard: Some(format!("{index}/4")), ..budget("60s") };
        registered(cases(), &flags, "run")
    });
    let (mut planned, mut left_out) = (BTreeSet::new(), BTreeSet::new());
    for shard in shards {
        let there_is = shard.whole.too_little.expect("240 s cannot hold 200").there_is;
        assert_eq!((shard.budget_s, there_is), (60.0, 240.0), "each has a budget of its own");
        assert_eq!((shard.whole.family, shard.whole.left_out), (20, 180));
        for (ids, cases) in [(&mut planned, &shard.cases), (&mut left_out, &shard.left_out)] {
            cases.iter().for_each(|case| assert!(ids.insert(case.id.clone()), "{}", case.id));
        }
    }
    assert_eq!((planned.len(), left_out.len()), (20, 180));
}

#[test]
fn more_shards_have_time_for_more() {
    let of = |shard: Option<&str>| {
        let flags = Flags { shard: shard.map(str::to_owned), ..budget("60s") };
        registered(cases(), &flags, "run").whole.planned.len()
    };
    // 200 combinations of 2.3 s each: 460 s.
    assert_eq!([of(None), of(Some("1/7")), of(Some("1/8"))], [20, 20, 200]);
}

#[test]
fn the_default_budget_is_ten_seconds_a_row_and_ten_minutes_at_most() {
    let of = |count: usize| {
        registered(cases().split_off(200 - count), &Flags::default(), "run").budget_s
    };
    assert_eq!((of(0), of(7), of(200)), (0.0, 70.0, 600.0));
}

#[test]
fn what_is_launched_slowly_has_a_budget_to_match() {
    let mut cases = cases();
    cases.truncate(2);
    let how = HowMeasured::Reported { clock: OwnClock::Preloaded, launch_s: 1.5, switches: 2 };
    cases[0].benchmark[1].how = how;
    // Ten seconds each, and 2 · (14 + 3) launches of the first.
    assert_eq!(registered(cases, &Flags::default(), "run").budget_s, 20.0 + 34.0 * 1.5);
}

#[test]
fn rows_that_are_declared_exact_or_only_shown_are_not_in_k() {
    let mut cases = cases();
    cases.truncate(3);
    cases[0].metrics[0].plan.exact = true;
    cases[1].metrics[0].plan.gated = false;
    let registered = registered(cases, &Flags::default(), "run");
    assert_eq!(registered.whole.family, 1);
    assert_eq!(registered.budget_s, 20.0, "but the exact one takes time all the same");
}
