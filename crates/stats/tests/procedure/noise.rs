//! Error rates: on recorded noise with fresh coins, where it is at hand, and on hostile simulated noise.
//!
//! Every bound allows three standard deviations of the count itself. Seeds are fixed, so the outcome is too.

use bench_stats::{Coin, Decision, Rule, Sequence};

use crate::support::{Source, later_over_earlier, noise_folder, rule};

const MAX_BLOCKS: usize = 60;

/// One comparison of equals: `later(i)` is how much slower the later half of block `i` was, whichever side that was.
fn replay(
    rule: Rule,
    source: &mut Source,
    mut later: impl FnMut(&mut Source, usize) -> f64,
) -> Sequence {
    replay_with_effect(rule, 0.0, source, &mut later)
}

fn replay_with_effect(
    rule: Rule,
    effect: f64,
    source: &mut Source,
    later: &mut impl FnMut(&mut Source, usize) -> f64,
) -> Sequence {
    let mut sequence = Sequence::new(rule);
    for index in 0..MAX_BLOCKS {
        let noise = later(source, index);
        let coin = source.coin();
        if sequence.push(effect + coin.sign() * noise, coin).is_some() {
            break;
        }
    }
    sequence
}

fn is_alarm(sequence: &Sequence) -> bool {
    matches!(sequence.decision(), Some(Decision::Slower | Decision::Faster))
}

/// The most alarms that `replays` comparisons of equals may bring at `rate` each.
fn allowed(replays: usize, rate: f64) -> f64 {
    let mean = replays as f64 * rate;
    mean + 3.0 * mean.sqrt()
}

fn count_alarms(replays: usize, mut run: impl FnMut() -> Sequence) -> f64 {
    (0..replays).filter(|_| is_alarm(&run())).count() as f64
}

#[test]
fn recorded_noise_with_fresh_coins_alarms_within_its_bound() {
    let Some(folder) = noise_folder() else { return };
    let recorded: Vec<Vec<f64>> = ["s1_oversubscribed", "s2_nice15", "s3_normal"]
        .iter()
        .flat_map(|name| {
            ['w', 'c'].map(|clock| {
                later_over_earlier(&folder.join(format!("{name}.csv.gz")), "fine", clock)
            })
        })
        .flat_map(|kernels| kernels.into_values())
        .collect();
    assert!(recorded.len() > 60, "{} sequences", recorded.len());
    let mut source = Source(1);
    let replays = 20_000;
    // Family of 100: .05 / 100 = 5e-4 each.
    let alarms = count_alarms(replays, || {
        let noise = &recorded[source.below(recorded.len())];
        let start = source.below(noise.len());
        replay(rule(100), &mut source, |_, index| noise[(start + index) % noise.len()])
    });
    assert!(alarms <= allowed(replays, 5e-4), "{alarms} alarms");
}

#[test]
fn five_per_cent_more_work_in_recorded_cpu_time_is_found_seven_times_in_ten() {
    let Some(folder) = noise_folder() else { return };
    let mut kernels = later_over_earlier(&folder.join("s2_nice15.csv.gz"), "fine", 'c');
    // It starts an interpreter that does nothing: no work to add five per cent to.
    kernels.remove("cmd");
    let (mut source, replays, mut found) = (Source(2), 200, 0);
    for noise in kernels.values() {
        for _ in 0..replays {
            let start = source.below(noise.len());
            let mut later = |_: &mut Source, index: usize| noise[(start + index) % noise.len()];
            let sequence = replay_with_effect(rule(100), 1.05_f64.ln(), &mut source, &mut later);
            found += usize::from(sequence.decision() == Some(Decision::Slower));
        }
    }
    let share = found as f64 / (replays * kernels.len()) as f64;
    assert!((0.65..=0.75).contains(&share), "found {share}");
}

/// The sharpest rule: no tolerance and no threshold to hide behind, 5 % for a family of one.
fn sharp() -> Rule {
    Rule { tolerance: 0.0, threshold: 1e-9, alpha_unchanged: 0.0, ..rule(1) }
}

#[test]
fn a_fixed_cost_of_going_second_never_alarms_above_its_bound() {
    let mut source = Source(3);
    let replays = 3_000;
    let alarms = count_alarms(replays, || replay(sharp(), &mut source, |_, _| 0.02));
    assert!(alarms <= allowed(replays, 0.05), "{alarms} alarms");
}

#[test]
fn bursts_and_wild_outliers_never_alarm_above_the_bound() {
    let mut source = Source(4);
    let replays = 3_000;
    let alarms = count_alarms(replays, || {
        let mut burst = 1.0;
        replay(sharp(), &mut source, |source, _| {
            if source.below(8) == 0 {
                burst = if burst > 1.0 { 1.0 } else { 20.0 };
            }
            let wild = if source.below(10) == 0 { 50.0 } else { 1.0 };
            0.01 * burst * wild * source.normal()
        })
    });
    assert!(alarms <= allowed(replays, 0.05), "{alarms} alarms");
}

#[test]
fn the_interval_covers_the_truth_at_the_moment_of_decision() {
    let mut source = Source(5);
    let (replays, truth) = (1_000, 1.05_f64.ln());
    let missed = (0..replays)
        .filter(|_| {
            let mut later = |source: &mut Source, _: usize| 0.025 * source.normal();
            let interval = replay_with_effect(rule(20), truth, &mut source, &mut later).interval();
            interval.low.is_some_and(|low| low > truth)
                || interval.high.is_some_and(|high| high < truth)
        })
        .count() as f64;
    assert!(missed <= allowed(replays, 0.05), "{missed} of {replays} missed");
}

#[test]
fn a_change_of_the_threshold_is_called_equal_no_more_often_than_allowed() {
    let mut source = Source(6);
    let replays = 2_000;
    let wrong = (0..replays)
        .filter(|_| {
            let mut later = |source: &mut Source, _: usize| 0.02 * source.normal();
            let sequence =
                replay_with_effect(rule(100), rule(100).threshold, &mut source, &mut later);
            sequence.decision() == Some(Decision::Equal)
        })
        .count() as f64;
    assert!(wrong <= allowed(replays, 0.05), "{wrong} of {replays}");
}

#[test]
fn coins_are_fair() {
    let mut source = Source(7);
    let heads = (0..10_000).filter(|_| source.coin() == Coin::Heads).count();
    assert!((4_850..5_150).contains(&heads), "{heads}");
}
