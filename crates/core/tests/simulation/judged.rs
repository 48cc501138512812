//! The judge finds in the rows what the machine stopped at, and the same thing each time.

use super::bench::{Bench, Values};
use super::noise::Noise;
use super::run::{Ask, Ran};
use super::world::World;
use bench_core::assemble::primary_verdict;
use bench_core::judge::{judge, reason};
use bench_results::{Caps, Pairing, Results, Verdict, WholeVerdict};

fn mixed(seed: u64) -> Vec<Bench> {
    let ratios = [0.85, 0.97, 1.0, 1.0, 1.03, 1.15];
    let timed = |nth: usize| {
        let noise = Noise::ALL[(nth + seed as usize) % Noise::ALL.len()];
        Bench::timed(&format!("b{nth}")).slower(ratios[nth % ratios.len()]).noisy(noise)
    };
    let mut benches: Vec<Bench> = (0..12).map(timed).collect();
    benches.push(Bench::command("cli").slower(1.2));
    benches.push(Bench::value("noisy", Values::Noisy([10.0, 12.0], 0.02)));
    benches.push(Bench::value("exact", Values::Exact([10.0, 10.0])));
    benches
}

fn runs() -> impl Iterator<Item = Ran> {
    (0..24).map(|seed: u64| {
        let ask = Ask {
            seed: seed.to_string(),
            budget_s: if seed.is_multiple_of(3) { 30.0 } else { 1e6 },
            repeat: (seed % 4 == 1).then_some(20),
            sentinels: true,
            ..Ask::default()
        };
        ask.run(World::new(seed, mixed(seed)))
    })
}

#[test]
fn the_judge_agrees_with_what_the_machine_decided() {
    for ran in runs() {
        let results = ran.results();
        for (case, state) in ran.machine.cases().iter().zip(ran.machine.states()) {
            let row = results.benchmarks.iter().find(|row| row.id == case.id).unwrap();
            if row.verdict == Some(Verdict::Skipped) {
                assert!(state.blocks.is_empty(), "{}", row.id);
                continue;
            }
            assert_eq!(row.verdict, Some(primary_verdict(state)), "{}", row.id);
            assert_eq!(row.blocks_used as usize, state.counted(), "{}", row.id);
        }
    }
}

fn reread(results: &Results) -> Results {
    let text = bench_results::to_json(results);
    bench_results::read(text.as_bytes(), "memory", Caps::default())
        .expect("what was written can be read")
}

#[test]
fn judging_again_changes_nothing_also_after_a_file_was_written_and_read() {
    for ran in runs() {
        let results = ran.results();
        let text = bench_results::to_json(&results);
        let mut again = results.clone();
        judge(&mut again);
        assert_eq!(bench_results::to_json(&again), text);
        let mut read = reread(&results);
        assert_eq!(read, results, "the file holds every number exactly");
        judge(&mut read);
        assert_eq!(bench_results::to_json(&read), text);
    }
}

#[test]
fn rows_that_were_written_before_they_were_judged_get_the_same_verdicts() {
    for ran in runs().take(6) {
        let mut read = reread(&ran.unjudged());
        judge(&mut read);
        assert_eq!(read, ran.results());
    }
}

#[test]
fn an_interval_agrees_with_its_verdict() {
    for row in runs().flat_map(|ran| ran.results().benchmarks) {
        let Some(change) = row.change.filter(|_| row.pairing == Pairing::Paired) else { continue };
        match row.verdict {
            Some(Verdict::Regressed) => assert!(change.low.unwrap() > 1.0, "{}", row.id),
            Some(Verdict::Improved) => assert!(change.high.unwrap() < 1.0, "{}", row.id),
            Some(Verdict::Unchanged) => {
                let bound = row.rule.threshold.ln_1p().exp();
                assert!(change.low.unwrap() > 1.0 / bound && change.high.unwrap() < bound);
                assert!((change.confidence - 0.9).abs() < 1e-12, "{}", row.id);
            }
            _ => assert!((change.confidence - 0.95).abs() < 1e-12, "{}", row.id),
        }
    }
}

/// A suite of two, one of which takes so many blocks, beside a twin of base that is so much slower and
/// rides in every second round.
fn with_twin(twin: f64, blocks: u32) -> Results {
    let ask = Ask { sentinels: true, repeat: Some(blocks), ..Ask::default() };
    let benches = vec![Bench::timed("a"), Bench::value("exact", Values::Exact([1.0, 2.0]))];
    ask.run(World { twin, ..World::new(1, benches) }).results()
}

#[test]
fn a_sentinel_that_alarms_makes_the_run_untrustworthy_and_timed_verdicts_inconclusive() {
    let results = with_twin(1.05, 28);
    assert!(!results.trust.ok);
    assert_eq!(results.summary.verdict, WholeVerdict::Untrustworthy);
    let [timed, exact] = results.benchmarks.as_slice() else { panic!("two rows") };
    assert_eq!(timed.verdict, Some(Verdict::Inconclusive));
    assert_eq!(timed.reason.as_deref(), Some(reason::UNTRUSTWORTHY));
    assert_eq!(exact.verdict, Some(Verdict::Regressed), "what repeats exactly needs no trust");
}

#[test]
fn a_quiet_sentinel_needs_eleven_blocks_to_say_so() {
    let enough = with_twin(1.0, 22);
    assert_eq!((enough.trust.ok, enough.trust.reason), (true, None));
    let few = with_twin(1.0, 21);
    assert_eq!((few.trust.ok, few.trust.reason.as_deref()), (true, Some(reason::NOT_DECIDED)));
    assert_eq!(few.sentinel[0].reason.as_deref(), Some(reason::NOT_DECIDED));
    assert_eq!(few.benchmarks[0].verdict, Some(Verdict::Unchanged));
}

#[test]
fn a_sentinel_never_gets_more_than_fourteen_blocks() {
    let results = with_twin(1.0, 40);
    assert_eq!(results.sentinel[0].blocks.len(), 14);
    assert_eq!(results.benchmarks[0].blocks.len(), 40);
}
