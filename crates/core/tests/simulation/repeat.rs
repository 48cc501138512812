//! A run can be repeated, resumed, reordered, mirrored and scaled.

use super::bench::{Bench, Fault, Values};
use super::noise::Noise;
use super::run::{Ask, Ran};
use super::world::World;
use bench_core::measure::action::{Action, BlockReading, Outcome};
use bench_core::measure::drive::replay;
use bench_harness::HowMeasured;
use bench_results::{Change, Results, Row, SideName, StoppedBy, Verdict};

/// A bit of everything. Noise that does not depend on the time of day.
fn suite() -> Vec<Bench> {
    let hooks = HowMeasured::Stepped { hooks: true, number: None };
    vec![
        Bench::timed("equal"),
        Bench::timed("slower").slower(1.1),
        Bench::timed("faster").slower(0.9).noisy(Noise::Order),
        Bench::timed("heavy").noisy(Noise::Heavy),
        Bench::timed("flaky").with(Fault::Every(SideName::Head, 7)).noisy(Noise::Layout),
        Bench::timed("broken").with(Fault::BlocksFrom(SideName::Head, 0)),
        Bench::timed("late").with(Fault::Pilots(SideName::Base, 1)).slower(1.2),
        Bench { how: hooks.clone(), first_call: 1.5, is_extreme: false, ..Bench::timed("f(n=1)") },
        Bench { how: hooks, first_call: 1.5, ..Bench::timed("f(n=2)") },
        Bench { waits: Some((SideName::Head, 2..u32::MAX)), ..Bench::timed("waits") },
        Bench { group: 1, ..Bench::command("cli").slower(1.1) },
        Bench { group: 1, ..Bench::value("size", Values::Exact([100.0, 101.0])) },
        Bench { group: 1, ..Bench::value("text", Values::Text) },
    ]
}

fn ask() -> Ask {
    Ask { groups: 2, sentinels: true, budget_s: 400.0, ..Ask::default() }
}

fn text(results: &Results) -> String {
    bench_results::to_json(results)
}

/// Through the journal's lines and back.
fn journalled(outcomes: &[Outcome]) -> Vec<Outcome> {
    let line = |outcome: &Outcome| serde_json::to_string(outcome).expect("outcomes can be written");
    outcomes.iter().map(line).map(|line| serde_json::from_str(&line).expect("and read")).collect()
}

#[test]
fn outcomes_pass_through_the_journal_unchanged() {
    let ran = ask().run(World::new(3, suite()));
    assert_eq!(journalled(&ran.outcomes), ran.outcomes);
}

#[test]
fn a_run_interrupted_anywhere_and_resumed_ends_as_if_nothing_had_happened() {
    for budget_s in [400.0, 25.0] {
        let ask = Ask { budget_s, ..ask() };
        let whole = ask.run(World::new(3, suite()));
        let expected = text(&whole.results());
        for at in (0..whole.outcomes.len()).step_by(3) {
            let world = World::new(3, suite());
            let cut = ask.run(World { interrupt_at: Some(at), ..world.clone() });
            assert_eq!(cut.stopped, StoppedBy::Signal);
            assert_eq!(cut.outcomes.last(), Some(&Outcome::Interrupted));
            let resumed = ask.resume(world, journalled(&cut.outcomes));
            assert_eq!(text(&resumed.results()), expected, "interrupted at outcome {at}");
        }
    }
}

#[test]
fn a_resumed_run_knows_which_workers_should_stand() {
    let ask = ask();
    let whole = ask.run(World::new(3, suite()));
    for at in 0..whole.outcomes.len().min(120) {
        let mut machine = ask.machine(&suite());
        replay(&mut machine, whole.outcomes[..at].to_vec());
        let done = &whole.actions[..at];
        let last = done.iter().rfind(|a| matches!(a, Action::Open { .. } | Action::Close { .. }));
        let standing = last.filter(|action| matches!(action, Action::Open { .. }));
        assert_eq!(machine.open(), standing, "after {at} outcomes");
    }
}

#[test]
fn outcomes_of_another_plan_are_not_taken_in() {
    let whole = ask().run(World::new(3, suite()));
    let mut other = ask().machine(&suite()[..4]);
    assert!(replay(&mut other, whole.outcomes.clone()) < whole.outcomes.len());
}

#[test]
fn an_equal_seed_gives_the_same_actions_and_another_seed_other_coins() {
    let run = |seed: &str| Ask { seed: seed.to_owned(), ..ask() }.run(World::new(3, suite()));
    let (one, same, other) = (run("a"), run("a"), run("b"));
    assert_eq!(one.actions, same.actions);
    let coins = |ran: &Ran| -> Vec<_> {
        blocks(ran, 0).iter().map(|block| (block.position, block.first)).collect()
    };
    assert_ne!(coins(&one), coins(&other));
}

fn blocks(ran: &Ran, case: usize) -> Vec<&BlockReading> {
    ran.machine.states()[case].blocks.iter().collect()
}

#[test]
fn the_order_of_cases_changes_neither_coins_nor_rows() {
    let ask = Ask { budget_s: 1e6, ..ask() };
    let forward = ask.run(World::new(3, suite()));
    let mut reversed = suite();
    reversed.reverse();
    let backward = ask.run(World::new(3, reversed));
    let sorted = |ran: &Ran| {
        let mut results = ran.results();
        results.benchmarks.sort_by(|a, b| a.id.cmp(&b.id));
        for row in results.benchmarks.iter_mut().chain(&mut results.sentinel) {
            row.blocks.iter_mut().for_each(|block| block.started_ms = 0);
        }
        results.sentinel.sort_by(|a, b| a.id.cmp(&b.id));
        results
    };
    assert_eq!(text(&sorted(&forward)), text(&sorted(&backward)));
}

/// The same run seen from the other side: everything swapped, the coin too.
fn mirrored(outcome: &Outcome) -> Outcome {
    let mut outcome = outcome.clone();
    match &mut outcome {
        Outcome::Pilot { result: Ok(pilot), .. } => pilot.probes.reverse(),
        Outcome::Block(block) => {
            block.first = block.first.other();
            block.sides.reverse();
        }
        _ => {}
    }
    outcome
}

#[test]
fn swapping_the_sides_inverts_verdicts_and_intervals() {
    let healthy: Vec<Bench> = suite().into_iter().filter(|bench| bench.faults.is_empty()).collect();
    let there = ask().run(World::new(3, healthy.clone()));
    let mut machine = ask().machine(&healthy);
    let outcomes: Vec<Outcome> = there.outcomes.iter().map(mirrored).collect();
    assert_eq!(replay(&mut machine, outcomes.clone()), outcomes.len());
    assert_eq!(machine.next(), Action::Done(there.stopped), "it decides at the same moments");
    let back = Ran { machine, ..ask().run(World::new(3, Vec::new())) };
    let (there, back) = (there.results(), back.results());
    for (row, other) in there.benchmarks.iter().zip(&back.benchmarks) {
        assert_eq!(row.verdict.map(inverted), other.verdict, "{}", row.id);
        assert_eq!(row.change.is_some(), other.change.is_some(), "{}", row.id);
        row.change.zip(other.change).into_iter().for_each(|(a, b)| assert_inverse(&row.id, a, b));
    }
}

fn inverted(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Regressed => Verdict::Improved,
        Verdict::Improved => Verdict::Regressed,
        other => other,
    }
}

fn assert_inverse(id: &str, there: Change, back: Change) {
    let inverse = |a: f64, b: f64| (a * b - 1.0).abs() < 1e-9;
    assert!(inverse(there.ratio, back.ratio), "{id}: {there:?} {back:?}");
    for (low, high) in [(there.low, back.high), (there.high, back.low)] {
        assert_eq!(low.is_some(), high.is_some(), "{id}");
        assert!(low.zip(high).is_none_or(|(a, b)| inverse(a, b)), "{id}: {there:?} {back:?}");
    }
}

#[test]
fn twice_as_long_times_change_nothing_but_the_centers() {
    // Whole nanoseconds round differently, so changes agree to about a millionth only.
    let timed: Vec<Bench> =
        suite().into_iter().filter(|b| matches!(b.how, HowMeasured::Stepped { .. })).collect();
    let one = ask().run(World::new(3, timed.clone())).results();
    let two = ask().run(World { scale: 2.0, ..World::new(3, timed) }).results();
    for (a, b) in one.benchmarks.iter().zip(&two.benchmarks) {
        let facts = |row: &Row| (row.verdict, row.decided_at, row.schedule, row.labels.clone());
        assert_eq!(facts(a), facts(b), "{}", a.id);
        for (x, y) in a.change.iter().zip(&b.change) {
            assert!((x.ratio / y.ratio - 1.0).abs() < 1e-5, "{}", a.id);
        }
        for (x, y) in a.base.iter().zip(&b.base) {
            let centers = x.center.zip(y.center).map(|(x, y)| y / x);
            assert!(centers.is_none_or(|ratio| (ratio - 2.0).abs() < 1e-5), "{}", a.id);
        }
    }
}
