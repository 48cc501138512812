//! The procedure gives the numbers that a second, slow and literal implementation gave (`data/vectors.py`).

use bench_stats::{Coin, Decision, Sequence, confidence_interval, log_e, scales};
use serde::Deserialize;

use crate::support::rule;

/// What the second implementation worked out for one comparison, up to its decision.
#[derive(Deserialize)]
struct Vector {
    name: String,
    family: usize,
    raw: Vec<f64>,
    coins: Vec<i8>,
    corrected: Vec<f64>,
    scales: Vec<f64>,
    log_e_tolerance_up: Vec<f64>,
    decision: Option<String>,
    counted: usize,
    log_e: [f64; 4],
    alone: [Option<f64>; 2],
    interval: [Option<f64>; 2],
    detectable: Option<f64>,
}

fn vectors() -> Vec<Vector> {
    serde_json::from_str(include_str!("data/vectors.json")).expect("the vectors are JSON")
}

fn run(vector: &Vector) -> Sequence {
    let mut sequence = Sequence::new(rule(vector.family));
    for (&d, &coin) in vector.raw.iter().zip(&vector.coins) {
        sequence.push(d, if coin > 0 { Coin::Heads } else { Coin::Tails });
    }
    sequence
}

fn close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{what}: {found} for {expected}");
    }
}

fn ends_close(found: (Option<f64>, Option<f64>), expected: [Option<f64>; 2], what: &str) {
    for (found, expected) in [(found.0, expected[0]), (found.1, expected[1])] {
        assert_eq!(found.is_some(), expected.is_some(), "{what}");
        close(found.as_slice(), expected.as_slice(), what);
    }
}

#[test]
fn order_effects_are_taken_out_as_the_second_implementation_does() {
    let mut corrections = 0;
    for vector in vectors() {
        let sequence = run(&vector);
        close(sequence.corrected(), &vector.corrected, &vector.name);
        corrections += sequence
            .raw()
            .iter()
            .zip(sequence.corrected())
            .filter(|(raw, corrected)| raw != corrected)
            .count();
    }
    assert!(corrections > 0, "no vector has an order effect");
}

#[test]
fn scales_and_wealth_agree_after_every_block() {
    for vector in vectors() {
        close(&scales(&vector.corrected), &vector.scales, &vector.name);
        close(
            &log_e(&vector.corrected, rule(1).tolerance, 1.0),
            &vector.log_e_tolerance_up,
            &vector.name,
        );
    }
}

#[test]
fn decisions_come_at_the_same_block_with_the_same_wealth() {
    for vector in vectors() {
        let sequence = run(&vector);
        let word = sequence.decision().map(|decision| match decision {
            Decision::Slower => "slower",
            Decision::Faster => "faster",
            Decision::Equal => "equal",
        });
        assert_eq!(
            (word, sequence.len()),
            (vector.decision.as_deref(), vector.counted),
            "{}",
            vector.name
        );
        let found = sequence.log_e();
        let found = [found.slower, found.faster, found.not_slower, found.not_faster];
        close(&found, &vector.log_e, &vector.name);
    }
}

#[test]
fn intervals_and_detectable_sizes_agree() {
    for vector in vectors() {
        let sequence = run(&vector);
        ends_close(confidence_interval(&vector.corrected, 40.0), vector.alone, &vector.name);
        let interval = sequence.interval();
        ends_close((interval.low, interval.high), vector.interval, &vector.name);
        close(sequence.detectable().as_slice(), vector.detectable.as_slice(), &vector.name);
    }
}
