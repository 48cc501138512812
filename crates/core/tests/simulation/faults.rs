//! Each fault gives its verdict and its reason, and the others go on.

use super::bench::{Bench, Fault, Values};
use super::noise::Noise;
use super::run::{Ask, Ran};
use super::world::World;
use bench_core::judge::reason;
use bench_core::measure::action::{Action, Activity, Outcome};
use bench_core::measure::routing::{for_stats, probed};
use bench_core::measure::state::End;
use bench_harness::HowMeasured;
use bench_results::{
    Better, ChangeKind, Clock, Metric, Pairing, Schedule, SideName, StoppedBy, Verdict,
};
use bench_stats::Occupation;

/// The benchmark beside a healthy one, which must come to its verdict whatever the other does.
fn beside(bench: Bench) -> Ran {
    let ran = Ask::default().run(World::new(5, vec![bench, Bench::timed("healthy")]));
    assert_eq!(ran.verdict("healthy"), Verdict::Unchanged);
    assert_eq!(ran.row("healthy").family, ran.results().plan.family_size, "K never shrinks");
    assert_eq!(ran.stopped, StoppedBy::Done);
    ran
}

#[test]
fn a_side_that_fails_at_every_pilot_is_failed() {
    for side in SideName::BOTH {
        let row = beside(Bench::timed("x").with(Fault::Pilots(side, 100))).row("x");
        assert_eq!(row.verdict, Some(Verdict::Failed));
        let failure = row.failure.unwrap();
        assert_eq!((failure.side, failure.stage.as_str()), (Some(side), "run"));
        assert_eq!(failure.stderr_tail, "Traceback");
        assert!(row.blocks.is_empty());
    }
}

#[test]
fn one_failed_pilot_is_forgiven() {
    let row = beside(Bench::timed("x").with(Fault::Pilots(SideName::Head, 1))).row("x");
    assert_eq!(row.verdict, Some(Verdict::Unchanged));
    assert_eq!((row.void.base, row.void.head), (0, 1));
}

#[test]
fn a_side_that_fails_in_its_first_two_blocks_is_failed() {
    for side in SideName::BOTH {
        let row = beside(Bench::timed("x").with(Fault::BlocksFrom(side, 0))).row("x");
        assert_eq!(row.verdict, Some(Verdict::Failed));
        assert_eq!(row.failure.unwrap().side, Some(side));
        assert_eq!(row.blocks.len(), 2, "a third would only fail again");
    }
}

#[test]
fn where_both_sides_fail_head_is_not_blamed() {
    let faults =
        SideName::BOTH.map(|side| Fault::BlocksFrom(side, 0)).into_iter().collect::<Vec<_>>();
    let row = beside(Bench { faults, ..Bench::timed("x") }).row("x");
    assert_eq!(row.failure.unwrap().side, Some(SideName::Base));
}

#[test]
fn a_failure_in_the_first_block_alone_uses_up_its_position() {
    let row = beside(Bench::timed("x").with(Fault::BlocksBelow(SideName::Base, 1))).row("x");
    assert_eq!(row.verdict, Some(Verdict::Unchanged));
    assert_eq!(row.void.base, 1);
    let positions: Vec<u32> = row.blocks.iter().map(|block| block.index).collect();
    assert_eq!(positions, (0..row.blocks.len() as u32).collect::<Vec<_>>());
    assert!(!row.blocks[0].counted);
    assert_eq!(row.blocks_used as usize, row.blocks.len() - 1);
}

#[test]
fn a_side_that_fails_now_and_then_is_inconclusive_from_one_block_in_ten_on() {
    let often = Bench::timed("x").noisy(Noise::Heavy).with(Fault::Every(SideName::Head, 3));
    let row = beside(often.clone()).row("x");
    assert_eq!(row.verdict, Some(Verdict::Inconclusive));
    assert_eq!(row.reason.as_deref(), Some("failed too often on head"));
    assert_eq!((row.void.base, row.void.head), (0, 3));
    let rarely = Bench { faults: vec![Fault::Every(SideName::Head, 15)], ..often };
    assert_eq!(beside(rarely).verdict("x"), Verdict::Unchanged);
}

#[test]
fn failing_often_withdraws_a_decision_that_more_blocks_were_asked_for_than_it_took() {
    let bench = Bench::timed("x").slower(1.2).with(Fault::BlocksFrom(SideName::Head, 25));
    let ask = Ask { repeat: Some(40), ..Ask::default() };
    let ran = ask.run(World::new(5, vec![bench]));
    assert_eq!(ran.machine.end(0), Some(&End::Voids));
    assert_eq!(ran.verdict("x"), Verdict::Inconclusive);
    assert!(ran.row("x").decided_at.is_some());
}

#[test]
fn a_skip_is_believed_at_once_and_a_hang_is_not_waited_for_again() {
    let skipped = beside(Bench::timed("x").with(Fault::Skips(SideName::Head))).row("x");
    assert_eq!(skipped.verdict, Some(Verdict::Skipped));
    assert_eq!(skipped.reason.as_deref(), Some("needs a newer compiler"));
    let hung = beside(Bench::timed("x").with(Fault::Hangs(SideName::Base)));
    let row = hung.row("x");
    assert_eq!(row.verdict, Some(Verdict::Failed));
    assert_eq!(row.failure.unwrap().stage, "timeout");
    let pilots = |action: &&Action| matches!(action, Action::Pilot(pilot) if pilot.case == 0);
    assert_eq!(hung.actions.iter().filter(pilots).count(), 1);
}

#[test]
fn what_stands_still_under_the_cpu_clock_goes_on_with_the_wall_and_has_not_failed() {
    let row = beside(Bench::command("x").with(Fault::StandsStill(SideName::Head, 3))).row("x");
    assert_eq!((row.verdict, row.clock), (Some(Verdict::Unchanged), Some(Clock::Wall)));
    assert_eq!((row.void.base, row.void.head), (0, 0));
    let routing = row.routing.unwrap();
    assert_eq!((routing.demoted_at, routing.reason.as_str()), (Some(4), "head started to wait"));
    assert!(row.blocks.iter().all(|block| !block.counted || block.index >= 4));
}

#[test]
fn a_benchmark_is_told_to_have_ended_once_however_it_ends() {
    let ask = Ask::default();
    let benches = vec![
        Bench::timed("a"),
        Bench::timed("b").with(Fault::Skips(SideName::Head)),
        Bench::timed("c").with(Fault::BlocksFrom(SideName::Head, 0)),
    ];
    let mut machine = ask.machine(&benches);
    let mut world = World::new(1, benches);
    let mut ended = Vec::new();
    loop {
        let action = machine.next();
        for event in machine.news() {
            if let bench_core::events::Event::Decided { benchmark, verdict } = event {
                ended.push((benchmark, verdict));
            }
        }
        if let Action::Done(_) = action {
            break;
        }
        let outcome = bench_core::measure::drive::Perform::perform(&mut world, &action);
        machine.apply(outcome);
    }
    ended.sort_by(|a, b| a.0.cmp(&b.0));
    let words: Vec<Verdict> = ended.iter().map(|(_, verdict)| *verdict).collect();
    assert_eq!(words, [Verdict::Unchanged, Verdict::Skipped, Verdict::Failed]);
}

#[test]
fn workers_that_cannot_be_started_once_cost_a_round_and_for_good_fail_the_group() {
    let benches = vec![Bench::timed("a"), Bench { group: 1, ..Bench::command("cli") }];
    let ask = Ask { groups: 2, ..Ask::default() };
    for once in [vec![0], vec![1]] {
        let ran = ask.run(World { broken_rounds: once, ..World::new(1, benches.clone()) });
        assert_eq!(ran.verdict("a"), Verdict::Unchanged);
        assert_eq!(ran.row("a").void.head, 1);
    }
    let never = (0..100).collect();
    let ran = ask.run(World { broken_rounds: never, ..World::new(1, benches) });
    assert_eq!(ran.row("a").failure.unwrap().stage, "import");
    assert_eq!(ran.verdict("cli"), Verdict::Unchanged, "a command needs no worker");
}

#[test]
fn an_interrupted_round_counts_what_it_finished() {
    let benches: Vec<Bench> = (0..4).map(|nth| Bench::timed(&format!("b{nth}"))).collect();
    // Round 0: open, four pilots, close. Round 1: open, two of four blocks.
    let world = World { interrupt_at: Some(9), ..World::new(1, benches) };
    let ran = Ask::default().run(world);
    assert_eq!(ran.stopped, StoppedBy::Signal);
    let rows = ran.results().benchmarks;
    assert_eq!(rows.iter().map(|row| row.blocks_used).sum::<u32>(), 2);
    for row in rows {
        match row.blocks.len() {
            0 => assert_eq!(
                (row.verdict, row.reason.as_deref()),
                (Some(Verdict::Skipped), Some(reason::INTERRUPTED))
            ),
            _ => assert_eq!(
                (row.verdict, row.reason.as_deref()),
                (Some(Verdict::Inconclusive), Some(reason::SCREENED))
            ),
        }
    }
}

#[test]
fn repeat_gives_exactly_so_many_counted_blocks() {
    let benches = vec![
        Bench::timed("equal"),
        Bench::timed("slower").slower(1.3),
        Bench::timed("flaky").with(Fault::Every(SideName::Base, 12)),
        Bench::timed("waits").noisy(Noise::Clean),
        Bench::value("exact", Values::Exact([1.0, 1.0])),
    ];
    for blocks in [1, 3, 6, 20] {
        let ask = Ask { repeat: Some(blocks), ..Ask::default() };
        let ran = ask.run(World::new(2, benches.clone()));
        for row in ran.results().benchmarks {
            assert_eq!(row.blocks_used, blocks, "{}", row.id);
        }
    }
}

#[test]
fn no_benchmark_gets_more_than_the_most_blocks_or_hopeless_ones() {
    let borderline = Bench::timed("x").slower(1.029).noisy(Noise::Spikes);
    let ask = Ask { max_blocks: 12, ..Ask::default() };
    let ran = ask.run(World::new(4, vec![borderline.clone()]));
    assert_eq!(ran.machine.end(0), Some(&End::MaxBlocks));
    assert_eq!(ran.row("x").blocks_used, 12);
    assert_eq!(ran.row("x").reason.as_deref(), Some("as many blocks as allowed"));
    let hopeless = Ask { max_blocks: 16, family: Some(5000), ..Ask::default() };
    let ran = hopeless.run(World::new(4, vec![borderline]));
    assert_eq!(ran.machine.end(0), Some(&End::Futile));
    assert_eq!(ran.row("x").reason.as_deref(), Some("as many blocks as allowed would not decide"));
}

#[test]
fn what_ends_without_a_verdict_is_not_counted_as_decided() {
    let benches = vec![Bench::timed("same"), Bench::timed("slower").slower(1.2)];
    let decided = |max_blocks| {
        let ask = Ask { max_blocks, ..Ask::default() };
        ask.run(World::new(5, benches.clone())).machine.progress().decided
    };
    assert_eq!((decided(60), decided(4)), (2, 0));
}

#[test]
fn a_side_that_starts_to_wait_is_demoted_to_the_wall_clock_once() {
    let row =
        beside(Bench { waits: Some((SideName::Head, 2..u32::MAX)), ..Bench::timed("x") }).row("x");
    let routing = row.routing.as_ref().unwrap();
    assert_eq!(routing.demoted_at, Some(4), "at the first look, after four blocks");
    assert_eq!((row.clock, row.schedule), (Some(Clock::Wall), Some(Schedule::Sequential)));
    let superseded: Vec<u32> =
        row.blocks.iter().filter(|block| !block.counted).map(|block| block.index).collect();
    assert_eq!(superseded, [0, 1, 2, 3]);
    // Its wall time is twice that of base.
    assert_eq!(row.verdict, Some(Verdict::Regressed));
    assert!((row.change.unwrap().ratio - 2.0).abs() < 0.1);
}

#[test]
fn what_waits_does_so_in_every_look_and_threads_show_in_any() {
    let look = |blocked_ns, cpu_ns| Activity {
        wall_ns: 100_000_000,
        cpu_ns,
        run_delay_ns: Some(100_000_000_u64.saturating_sub(cpu_ns + blocked_ns)),
        voluntary_switches: 1,
        repetitions: 1,
        ..Activity::default()
    };
    let (bound, waits, threads) =
        (look(0, 50_000_000), look(20_000_000, 60_000_000), look(0, 150_000_000));
    let case = Bench::command("x").case();
    let occupation = |looks: &[Activity]| {
        bench_stats::route(&for_stats(&case, &probed(&case, looks))).occupation
    };
    assert_eq!(occupation(&[waits, bound, waits]), Occupation::CpuBound);
    assert_eq!(occupation(&[waits, waits]), Occupation::Waits);
    assert_eq!(occupation(&[bound, waits, threads, threads]), Occupation::UsesThreads);
}

/// A busy machine can do that to a block.
#[test]
fn one_block_that_seems_to_wait_demotes_nothing() {
    let row = beside(Bench { waits: Some((SideName::Head, 2..3)), ..Bench::timed("x") }).row("x");
    let routing = row.routing.unwrap();
    assert_eq!((routing.demoted_at, row.clock), (None, Some(Clock::Cpu)));
    assert_eq!(row.verdict, Some(Verdict::Unchanged));
}

#[test]
fn a_failure_after_a_demotion_does_not_make_failed_what_has_measured_before() {
    let faults = vec![Fault::Every(SideName::Head, 3)];
    let bench = Bench { waits: Some((SideName::Head, 0..u32::MAX)), faults, ..Bench::timed("x") };
    // It waits from the start, so that the pilot sees it; `Auto` may not demote it later.
    assert_eq!(beside(bench.clone()).row("x").routing.unwrap().decision, Clock::Wall);
    let later = Bench { waits: Some((SideName::Head, 1..u32::MAX)), ..bench };
    assert_eq!(beside(later).verdict("x"), Verdict::Inconclusive);
}

#[test]
fn state_that_matters_on_the_last_combination_counts_for_all() {
    let hooks = HowMeasured::Stepped { hooks: true, number: None };
    let combination = |nth: usize| Bench {
        how: hooks.clone(),
        is_extreme: nth == 0 || nth == 4,
        first_call: if nth == 4 { 1.5 } else { 1.0 },
        ..Bench::timed(&format!("f(n={nth})"))
    };
    let ran = Ask::default().run(World::new(1, (0..5).map(combination).collect()));
    let tests = |action: &&Action| matches!(action, Action::Pilot(pilot) if pilot.state_test);
    assert_eq!(ran.actions.iter().filter(tests).count(), 2, "first and last only");
    for row in ran.results().benchmarks {
        assert!(row.labels.contains(&"state-matters".to_owned()), "{}", row.id);
    }
}

#[test]
fn inputs_that_differ_allow_no_verdict() {
    let row = beside(Bench { inputs_differ: true, ..Bench::timed("x").slower(2.0) }).row("x");
    assert_eq!(row.verdict, Some(Verdict::Inconclusive));
    assert_eq!(row.reason.as_deref(), Some(reason::INPUTS_DIFFER));
}

#[test]
fn values_are_judged_by_what_they_are() {
    let verdict = |values: Values| {
        let row = beside(Bench::value("x", values)).row("x");
        (row.verdict.unwrap(), row.pairing, row.blocks_used)
    };
    use Verdict::{Failed, Improved, Regressed, Unchanged};
    assert_eq!(verdict(Values::Exact([100.0, 100.0])), (Unchanged, Pairing::Exact, 3));
    assert_eq!(verdict(Values::Exact([100.0, 101.0])), (Regressed, Pairing::Exact, 8));
    assert_eq!(verdict(Values::Exact([0.0, -1.0])), (Improved, Pairing::Exact, 8));
    assert_eq!(verdict(Values::Within([1e6, 1e6], 5e-4)), (Unchanged, Pairing::Exact, 3));
    assert_eq!(verdict(Values::Within([1e6, 1.02e6], 5e-4)), (Regressed, Pairing::Exact, 8));
    let noisy = verdict(Values::Noisy([10.0, 12.0], 0.02));
    assert_eq!((noisy.0, noisy.1), (Regressed, Pairing::Paired));
    // Not a number on head alone, and text on both sides.
    assert_eq!(verdict(Values::Nan).0, Failed);
    assert_eq!(verdict(Values::Text).0, Failed);
}

#[test]
fn values_around_zero_that_vary_are_shown_and_not_judged() {
    let row = beside(Bench::value("x", Values::Around([-5.0, -5.0]))).row("x");
    assert_eq!(row.verdict, Some(Verdict::Skipped));
    assert_eq!(row.reason.as_deref(), Some("zero or negative values that vary"));
    assert!(row.base.unwrap().center.is_some());
}

#[test]
fn a_difference_from_zero_is_a_difference_and_no_ratio() {
    let row = beside(Bench::value("x", Values::Exact([0.0, 3.0]))).row("x");
    let change = row.change.unwrap();
    assert_eq!((change.kind, change.ratio), (ChangeKind::Difference, 3.0));
}

#[test]
fn values_at_the_ends_of_what_a_number_holds_leave_a_readable_file() {
    let extreme = Bench::value("x", Values::Exact([-1e308, 1e308]));
    let results = Ask::default().run(World::new(1, vec![extreme])).results();
    let text = bench_results::to_json(&results);
    let read = bench_results::read(text.as_bytes(), "memory", bench_results::Caps::default());
    assert_eq!(read.unwrap(), results);
}

#[test]
fn more_is_better_turns_the_verdict_and_not_the_ratio() {
    let metric = Metric { name: "rate".into(), unit: "count".into(), better: Better::Higher };
    let rate = |values| Bench {
        metrics: vec![super::bench::gated(metric.clone())],
        ..Bench::value("x", values)
    };
    for values in [Values::Noisy([10.0, 12.0], 0.02), Values::Exact([10.0, 12.0])] {
        let row = beside(rate(values)).row("x");
        assert_eq!(row.verdict, Some(Verdict::Improved));
        let change = row.change.unwrap();
        assert!(change.ratio > 1.15 && change.low.unwrap() > 1.0, "{change:?}");
    }
}

#[test]
fn a_command_is_judged_by_time_and_by_memory() {
    let bench = Bench { memory: [50 << 20, 60 << 20], ..Bench::command("x") };
    let ran = beside(bench);
    assert_eq!(ran.verdict("x"), Verdict::Unchanged);
    assert_eq!(ran.verdict("x [peak-memory]"), Verdict::Regressed);
    assert_eq!(ran.row("x").schedule, Some(Schedule::Duet));
    assert_eq!(ran.results().plan.family_size, 3);
}

#[test]
fn nothing_is_asked_for_after_an_interruption() {
    let ran = Ask::default()
        .run(World { interrupt_at: Some(3), ..World::new(1, vec![Bench::timed("x")]) });
    let mut machine = ran.machine;
    assert_eq!(ran.outcomes.last(), Some(&Outcome::Interrupted));
    assert_eq!(machine.next(), Action::Done(StoppedBy::Signal));
}
