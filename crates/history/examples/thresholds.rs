//! Prints the table of `crates/history/src/steps/threshold.rs`: for each length, the rank statistic that one
//! flat series in a thousand exceeds. `cargo run --release -p bench-history --example thresholds`.

use bench_history::steps::{SHORTEST_SIDE, greatest_statistic, lengths};

#[expect(clippy::print_stdout, reason = "what it is for")]
fn main() {
    for n in lengths() {
        let permutations = (2_000_000_000 / n / 8).clamp(40_000, 1_000_000);
        println!("    ({n}, {:.3}),", quantile(n, permutations));
    }
}

/// The smallest value that 999 in a thousand permutations of `n` ranks do not exceed.
fn quantile(n: usize, permutations: usize) -> f64 {
    let mut ranks: Vec<f64> = (1..=n).map(|rank| rank as f64).collect();
    let mut random = 0x5eed_u64 ^ n as u64;
    let mut found: Vec<f64> = (0..permutations)
        .map(|_| {
            shuffle(&mut ranks, &mut random);
            greatest_statistic(&ranks, SHORTEST_SIDE).map_or(0.0, |(_, z)| z)
        })
        .collect();
    found.sort_by(f64::total_cmp);
    found[(permutations * 999).div_ceil(1000) - 1]
}

fn shuffle(ranks: &mut [f64], random: &mut u64) {
    for last in (1..ranks.len()).rev() {
        let other = (u128::from(split_mix(random)) * (last as u128 + 1)) >> 64;
        ranks.swap(last, other as usize);
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
