//! The procedure gives the numbers of the golden vectors kept with the recorded noise, where that is at hand.

use bench_stats::{Coin, Decision, Sequence, confidence_interval, log_e, scales};
use serde::Deserialize;

use crate::support::{noise_folder, rule};

#[derive(Deserialize)]
struct Golden {
    name: String,
    d: Vec<f64>,
    scale: Vec<f64>,
    log_e_up_m0: Vec<f64>,
    log_e_dn_m0: Vec<f64>,
    log_e_up_d0: Vec<f64>,
    verdict_code: i8,
    verdict_block: usize,
    cs95: [f64; 2],
}

fn golden() -> Vec<Golden> {
    let Some(folder) = noise_folder() else { return Vec::new() };
    let text =
        std::fs::read_to_string(folder.join("golden.json")).expect("the golden vectors open");
    let cases: Vec<Golden> = serde_json::from_str(&text).expect("the golden vectors are JSON");
    assert!(!cases.is_empty());
    cases
}

fn close(found: &[f64], expected: &[f64], within: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < within, "{what}: {found} for {expected}");
    }
}

#[test]
fn scales_agree() {
    for case in golden() {
        close(&scales(&case.d), &case.scale, 1e-6, &case.name);
    }
}

#[test]
fn wealth_agrees_after_every_block() {
    for case in golden() {
        close(&log_e(&case.d, 0.0, 1.0), &case.log_e_up_m0, 1e-9, &case.name);
        close(&log_e(&case.d, 0.0, -1.0), &case.log_e_dn_m0, 1e-9, &case.name);
        close(&log_e(&case.d, 1.01_f64.ln(), 1.0), &case.log_e_up_d0, 1e-9, &case.name);
    }
}

#[test]
fn intervals_at_the_last_block_agree() {
    for case in golden() {
        let (low, high) = confidence_interval(&case.d, 40.0);
        close(&[low.unwrap(), high.unwrap()], &case.cs95, 1e-9, &case.name);
    }
}

#[test]
fn decisions_agree_and_come_at_the_same_block() {
    for case in golden() {
        let mut sequence = Sequence::new(rule(100));
        for &d in &case.d {
            // The vectors take `d` as given; coins that never vary leave no order effect to correct.
            sequence.push(d, Coin::Heads);
        }
        let code = match sequence.decision() {
            Some(Decision::Slower) => 1,
            Some(Decision::Faster) => -1,
            Some(Decision::Equal) => 2,
            None => 0,
        };
        assert_eq!(
            (code, sequence.len()),
            (case.verdict_code, case.verdict_block),
            "{}",
            case.name
        );
    }
}
