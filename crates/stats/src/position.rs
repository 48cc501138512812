//! Takes out what going second costs, where the blocks so far show that it costs something.

use crate::evidence::next_scale;
use crate::robust::median;
use crate::sequence::Coin;

/// Blocks of either coin before an order effect is believed.
const LEAST_PER_COIN: usize = 3;

/// An order effect counts from this many standard errors; below, correcting would only add noise.
const LEAST_ERRORS: f64 = 2.5;

/// What to subtract from the next `d`, whose coin is `coin`, judging from the blocks before it.
///
/// The coin says whether the second side ran second, so `coin · d` estimates how much slower the later one is:
/// `π = (median over heads + median over tails) / 2`. Applied where `|π| > 2.5·s/√n`, with `s` the scale for the next
/// block and `n` the blocks so far. Using earlier blocks only, it leaves the bets fair.
pub(crate) fn order_shift(raw: &[f64], coins: &[Coin], corrected: &[f64], coin: Coin) -> f64 {
    let Some(effect) = order_effect(raw, coins) else { return 0.0 };
    let error = next_scale(corrected) / (raw.len() as f64).sqrt();
    if effect.abs() > LEAST_ERRORS * error { coin.sign() * effect } else { 0.0 }
}

/// How much slower the later side of a block is, as a log ratio; `None` with fewer than three blocks of either coin.
fn order_effect(raw: &[f64], coins: &[Coin]) -> Option<f64> {
    let middle = |wanted: Coin| {
        let slower_later: Vec<f64> = raw
            .iter()
            .zip(coins)
            .filter(|(_, coin)| **coin == wanted)
            .map(|(d, coin)| coin.sign() * d)
            .collect();
        if slower_later.len() < LEAST_PER_COIN { None } else { median(&slower_later) }
    };
    Some(f64::midpoint(middle(Coin::Heads)?, middle(Coin::Tails)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Coin::{Heads, Tails};

    const COINS: [Coin; 6] = [Heads, Tails, Heads, Tails, Heads, Tails];

    #[test]
    fn a_pure_order_effect_is_taken_out_whole() {
        let raw: Vec<f64> = COINS.iter().map(|coin| 0.03 * coin.sign()).collect();
        let shift = order_shift(&raw, &COINS, &[0.0; 6], Heads);
        assert!((shift - 0.03).abs() < 1e-15);
        assert!((order_shift(&raw, &COINS, &[0.0; 6], Tails) + 0.03).abs() < 1e-15);
    }

    #[test]
    fn a_real_difference_is_not_mistaken_for_an_order_effect() {
        assert_eq!(order_shift(&[0.05; 6], &COINS, &[0.05; 6], Heads), 0.0);
    }

    #[test]
    fn an_effect_within_the_noise_is_left_in() {
        // Gate with a corrected spread of 0: 2.5 · √(.0012 / 9) / √6 = .0118.
        let raw: Vec<f64> = COINS.iter().map(|coin| 0.011 * coin.sign()).collect();
        assert_eq!(order_shift(&raw, &COINS, &[0.0; 6], Heads), 0.0);
    }

    #[test]
    fn two_blocks_of_one_coin_prove_no_order_effect() {
        let coins = [Heads, Heads, Heads, Heads, Tails, Tails];
        let raw: Vec<f64> = coins.iter().map(|coin| 0.5 * coin.sign()).collect();
        assert_eq!(order_shift(&raw, &coins, &[0.0; 6], Heads), 0.0);
    }
}
