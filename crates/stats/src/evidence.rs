//! A test by betting: how fast does a bettor against "the log ratio is at most m" get rich?
//!
//! Before each block the bettor stakes part of the wealth on the block's `d` lying above `m`. If `d` is as likely below as
//! above, each bet is fair, and wealth that started at 1 ever reaches `1/a` with probability at most `a`, whenever one
//! looks (Ville's inequality). So wealth is evidence, and it may be read after every block.

use std::f64::consts::LN_2;

use crate::robust::robust_sd;

/// A bettor spreads the wealth over bets of three strengths, each clipped so that no single block can ruin it.
const CLIPS: [f64; 3] = [1.0, 2.0, 4.0];

/// The spread assumed before anything was seen, and how many blocks that guess weighs.
const PRIOR_SCALE: f64 = 0.02;
const PRIOR_WEIGHT: f64 = 3.0;

/// Blocks before the observed spread has a say.
const LEARNING_BLOCKS: usize = 3;

/// No spread is believed to be smaller than this: clocks have ticks.
const LEAST_SCALE: f64 = 5e-4;

/// The scale for the block that follows `past`: it depends on earlier blocks only, or the bet would not be fair.
///
/// `max(5e-4, √((3·0.02² + n·s²) / (3 + n)))` with `s` the robust standard deviation of the `n` past values; 0.02 for
/// `n < 3`.
pub fn next_scale(past: &[f64]) -> f64 {
    if past.len() < LEARNING_BLOCKS {
        return PRIOR_SCALE;
    }
    let seen = robust_sd(past).unwrap_or(PRIOR_SCALE);
    let weight = past.len() as f64;
    let variance =
        (PRIOR_WEIGHT * PRIOR_SCALE.powi(2) + weight * seen.powi(2)) / (PRIOR_WEIGHT + weight);
    variance.sqrt().max(LEAST_SCALE)
}

/// The scale each of `d` was judged with, see [`next_scale`].
pub fn scales(d: &[f64]) -> Vec<f64> {
    (0..d.len()).map(|index| next_scale(&d[..index])).collect()
}

/// Log wealth against "the log ratio lies at `boundary` or on the other side of it", after each of `d`.
///
/// `direction` +1 tests "at most `boundary`", −1 tests "at least `boundary`".
pub fn log_e(d: &[f64], boundary: f64, direction: f64) -> Vec<f64> {
    let mut wealth = Wealth::new(boundary, direction);
    let after_bet = |(&d, scale): (&f64, f64)| {
        wealth.bet(d, scale);
        wealth.log()
    };
    d.iter().zip(scales(d)).map(after_bet).collect()
}

/// The wealth of one bettor, block by block, with the greatest it has had.
#[derive(Clone, Debug)]
pub(crate) struct Wealth {
    boundary: f64,
    direction: f64,
    bets: Bets,
    highest: f64,
}

impl Wealth {
    /// Wealth 1, not yet staked.
    pub(crate) fn new(boundary: f64, direction: f64) -> Self {
        Self { boundary, direction, bets: Bets::default(), highest: 0.0 }
    }

    /// One bet, on a block that gave `d`, with the scale known before it.
    pub(crate) fn bet(&mut self, d: f64, scale: f64) {
        self.bets.settle(self.direction * (d - self.boundary) / scale);
        self.highest = self.highest.max(self.log());
    }

    /// Log of the wealth now.
    pub(crate) fn log(&self) -> f64 {
        self.bets.log()
    }

    /// Log of the greatest wealth so far, the start (0) included.
    pub(crate) fn highest(&self) -> f64 {
        self.highest
    }
}

/// Log wealth against "at most `boundary`" at the end of `d`, whose scales are known: what [`log_e`] ends with.
pub(crate) fn final_log_e(d: &[f64], scales: &[f64], boundary: f64) -> f64 {
    let mut bets = Bets::default();
    for (d, scale) in d.iter().zip(scales) {
        bets.settle((d - boundary) / scale);
    }
    bets.log()
}

/// Log wealth of the bets of each strength.
///
/// `ln E = ln Σ_c ⅓ Π_i 2·sigmoid(clip(2·z_i, −c, c))` over `c` in {1, 2, 4}, with `z_i = direction·(d_i − boundary)/s_i`.
/// The factors for `z` and `−z` average to 1: the bet is fair. A `z` of 0 changes nothing.
#[derive(Clone, Debug, Default)]
struct Bets([f64; CLIPS.len()]);

impl Bets {
    fn settle(&mut self, z: f64) {
        for (log_wealth, clip) in self.0.iter_mut().zip(CLIPS) {
            *log_wealth += log_factor((2.0 * z).clamp(-clip, clip));
        }
    }

    fn log(&self) -> f64 {
        log_mean_exp(&self.0)
    }
}

/// The greatest log wealth `blocks` blocks can bring, reached when every bet is won in full.
pub(crate) fn greatest_log_e(blocks: usize) -> f64 {
    log_mean_exp(&CLIPS.map(|clip| blocks as f64 * log_factor(clip)))
}

/// `ln(2·sigmoid(x))`.
fn log_factor(x: f64) -> f64 {
    LN_2 - (-x).exp().ln_1p()
}

/// `ln` of the mean of the exponentials, safe where the exponentials themselves would overflow.
fn log_mean_exp(logs: &[f64; CLIPS.len()]) -> f64 {
    let greatest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = logs.iter().map(|log| (log - greatest).exp()).sum();
    greatest + (total / CLIPS.len() as f64).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bet_and_its_mirror_image_average_to_one() {
        for x in [0.0, 0.3, 1.0, 3.9] {
            let mean = f64::midpoint(log_factor(x).exp(), log_factor(-x).exp());
            assert!((mean - 1.0).abs() < 1e-15, "{x}");
        }
    }

    #[test]
    fn a_value_on_the_boundary_leaves_wealth_alone() {
        assert_eq!(log_e(&[0.01; 5], 0.01, 1.0), vec![0.0; 5]);
    }

    #[test]
    fn one_bad_block_costs_a_bounded_factor() {
        // ⅓ (2σ(−1) + 2σ(−2) + 2σ(−4)), however bad it was.
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let bound = (2.0 / 3.0 * (sigmoid(-1.0) + sigmoid(-2.0) + sigmoid(-4.0))).ln();
        for bad in [-1.0, -50.0, -1e9] {
            assert!((log_e(&[bad], 0.0, 1.0)[0] - bound).abs() < 1e-12);
        }
    }

    #[test]
    fn the_scale_ignores_the_block_it_is_for() {
        let calm = [0.01, -0.01, 0.0, 0.005];
        let wild = [0.01, -0.01, 0.0, 9.0];
        assert_eq!(scales(&calm), scales(&wild));
        // Three blocks with a median absolute deviation of .01: √((3·.0004 + 3·(1.4826·.01)²) / 6).
        let expected = ((0.0012 + 3.0 * 0.014_826_f64.powi(2)) / 6.0).sqrt();
        assert!((scales(&calm)[3] - expected).abs() < 1e-15);
    }

    #[test]
    fn the_scale_has_a_floor() {
        assert_eq!(next_scale(&vec![0.0; 10_000]), LEAST_SCALE);
    }
}
