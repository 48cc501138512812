//! Scripted noise: what a hostile machine does to a block, as a function of what is measured and when.
//!
//! Everything is drawn from (world, benchmark, position, purpose), never from "the next number", so
//! that an interrupted run meets the same noise when it goes on.

use bench_results::SideName;

/// A source of numbers that is cheap enough for millions of blocks: SplitMix64 (Steele, Lea and
/// Flood 2014).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn of(parts: &[u64]) -> Self {
        let mut draws = Self(0x9e37_79b9_7f4a_7c15);
        for part in parts {
            draws.0 ^= part.wrapping_mul(0xd6e8_feb8_6659_fd93);
            draws.next();
        }
        draws
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Above 0 and below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    pub(crate) fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }
}

/// How a machine misbehaves (statistics, section 8: the same environments).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Noise {
    /// Standard deviation 1 %.
    Clean,
    /// 2.5 %, and one launch in twenty is much slower.
    Spikes,
    /// A neighbour takes up to 30 % now and then, from both sides or from one.
    Bursts,
    /// The machine becomes slower and slower, and wanders.
    Drift,
    /// Every process has a speed of its own, ± 3 %.
    Layout,
    /// One launch in seven is slower by a factor without bound.
    Heavy,
    /// A clock that ticks in 2 %.
    Ticks,
    /// Whoever goes second is 2 % slower, and hardly anything else varies.
    Order,
}

impl Noise {
    pub(crate) const ALL: [Self; 8] = [
        Self::Clean,
        Self::Spikes,
        Self::Bursts,
        Self::Drift,
        Self::Layout,
        Self::Heavy,
        Self::Ticks,
        Self::Order,
    ];

    /// The factor by which one launch of an unchanged benchmark is slower than nominal. `key`
    /// names the launch, `at_s` is when it runs, `second` whether the other side went first.
    pub(crate) fn factor(self, key: &[u64], at_s: f64, second: bool) -> f64 {
        let mut draws = Draws::of(key);
        let small = 0.01 * draws.normal();
        let log = match self {
            Self::Clean => small,
            Self::Spikes if draws.chance(0.05) => small - 0.1 * draws.unit().ln(),
            Self::Spikes => 2.5 * small,
            Self::Bursts => small + burst(at_s),
            Self::Drift => small + wander(at_s),
            Self::Layout if draws.chance(0.5) => small + 0.03,
            Self::Layout => small - 0.03,
            Self::Heavy if draws.chance(0.15) => small - draws.unit().ln() / 1.2,
            Self::Heavy => small,
            Self::Ticks => (small / 0.02).round() * 0.02,
            Self::Order => 0.0015 * draws.normal() + if second { 0.02 } else { 0.0 },
        };
        log.exp()
    }
}

/// A neighbour that comes for half a second at a time, one time in five.
fn burst(at_s: f64) -> f64 {
    let mut draws = Draws::of(&[(2.0 * at_s) as u64]);
    if draws.chance(0.2) { 0.05 + 0.25 * draws.unit() } else { 0.0 }
}

/// A tenth slower over the first minute, with a slow swing on it.
fn wander(at_s: f64) -> f64 {
    0.1 * (at_s / 60.0).min(1.0) + 0.05 * (at_s / 7.0).sin()
}

/// A number that names a benchmark.
pub(crate) fn name_key(id: &str) -> u64 {
    id.bytes().fold(7, |key, byte| Draws::of(&[key, u64::from(byte)]).next())
}

/// The number of a side.
pub(crate) fn side_key(side: SideName) -> u64 {
    side.index() as u64
}
