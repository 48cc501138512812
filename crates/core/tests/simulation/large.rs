//! Suites of thousands: planning takes time in proportion, or these tests would take minutes.

use super::bench::Bench;
use super::run::Ask;
use super::world::World;
use bench_results::StoppedBy;

#[test]
fn five_thousand_benchmarks_are_planned_and_measured_in_proportion() {
    let benches: Vec<Bench> = (0..5000).map(|nth| Bench::timed(&format!("b{nth}"))).collect();
    let ask = Ask { repeat: Some(3), sentinels: true, ..Ask::default() };
    let ran = ask.run(World::new(1, benches));
    assert_eq!(ran.stopped, StoppedBy::Done);
    // Pilots, three blocks each, three of each sentinel, and four rounds' opening and closing.
    assert_eq!(ran.actions.len(), 5000 * 4 + 3 * 3 + 2 * 4);
}

#[test]
fn five_thousand_benchmarks_whose_workers_do_not_start_end_after_two_rounds() {
    let benches: Vec<Bench> = (0..5000).map(|nth| Bench::timed(&format!("b{nth}"))).collect();
    let world = World { broken_rounds: vec![0, 1], ..World::new(1, benches) };
    let ran = Ask::default().run(world);
    assert_eq!(ran.results().summary.counts.failed, 5000);
    assert_eq!(ran.actions.len(), 4);
}
