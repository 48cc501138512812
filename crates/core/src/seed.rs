//! The run's only randomness: named streams derived from what is compared and the run's seed.
//!
//! Every draw is addressed (stream, position), never "the next one", so that a void block, a
//! resumed run or another order of benchmarks cannot shift what any other draw gives. The coin of a
//! block is fixed before its first measurement and owes nothing to earlier results (rule 4).

use bench_harness::RoundSeeds;
use bench_results::SideName;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};
use sha2::{Digest as _, Sha256};

/// What all streams of one comparison share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    base: String,
    head: String,
    run: String,
}

/// The draws of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockCoins {
    /// The side that is opened, set up, released and read first.
    pub first: SideName,
    /// One fair bit per slice pair: set = base goes first in that pair.
    pub pairs: u64,
}

/// The draws of one round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundDraws {
    /// The side whose worker is started first.
    pub first: SideName,
    /// Seeds of the workers, equal on both sides.
    pub seeds: RoundSeeds,
}

impl Seed {
    /// `base` and `head` identify the compared builds (commit, or digest of tree or interpreter).
    #[must_use]
    pub fn new(base: &str, head: &str, run: &str) -> Self {
        Self { base: base.to_owned(), head: head.to_owned(), run: run.to_owned() }
    }

    /// The draws of what is measured at all, and of what comes first where time may run out. They come
    /// from the run's seed alone: commits that are measured with the same seed are measured alike, as
    /// a series of commits needs.
    #[must_use]
    pub fn selection(&self) -> Self {
        Self::new("", "", &self.run)
    }

    /// A random rank, which owes nothing to what else there is: what is added or removed moves no other.
    #[must_use]
    pub fn rank(&self, purpose: &str, item: &str) -> u64 {
        self.stream(&["rank", purpose, item], 0).next_u64()
    }

    /// The draws of a benchmark's block at a position of its stream.
    #[must_use]
    pub fn block(&self, benchmark: &str, position: u32) -> BlockCoins {
        let mut stream = self.stream(&[benchmark], position);
        let first = side_of(stream.next_u32());
        BlockCoins { first, pairs: stream.next_u64() }
    }

    /// The draws of a suite's round.
    #[must_use]
    pub fn round(&self, suite: &str, environment: &str, round: u32) -> RoundDraws {
        let mut stream = self.stream(&[suite, environment, "round"], round);
        let first = side_of(stream.next_u32());
        let padding = stream.next_u32() % 4096;
        let seeds = RoundSeeds { hash: stream.next_u32(), random: stream.next_u32(), padding };
        RoundDraws { first, seeds }
    }

    /// A random order of `items`, for a purpose and a position.
    pub fn shuffle<T>(&self, purpose: &str, position: u32, items: &mut [T]) {
        let mut stream = self.stream(&["order", purpose], position);
        for last in (1..items.len()).rev() {
            // The bias of a remainder of 64 random bits is below 2^-32 for any suite.
            let chosen = (stream.next_u64() % (last as u64 + 1)) as usize;
            items.swap(last, chosen);
        }
    }

    /// A fair sign per item, for statistics that need fresh ones.
    #[must_use]
    pub fn signs(&self, purpose: &str, count: usize) -> Vec<bool> {
        let mut stream = self.stream(&["signs", purpose], 0);
        (0..count).map(|_| stream.next_u32() & 1 == 1).collect()
    }

    fn stream(&self, names: &[&str], position: u32) -> ChaCha8Rng {
        let mut hasher = Sha256::new();
        for part in [self.base.as_str(), &self.head]
            .into_iter()
            .chain(names.iter().copied())
            .chain([self.run.as_str()])
        {
            // The length keeps ("a", "bc") apart from ("ab", "c").
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let digest = hasher.finalize();
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        let mut stream = ChaCha8Rng::seed_from_u64(u64::from_le_bytes(first));
        stream.set_stream(u64::from(position));
        stream
    }
}

fn side_of(bits: u32) -> SideName {
    if bits & 1 == 1 { SideName::Head } else { SideName::Base }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_repeat_for_equal_seeds_and_differ_otherwise() {
        let seed = Seed::new("a", "b", "run");
        assert_eq!(seed.block("x", 3), Seed::new("a", "b", "run").block("x", 3));
        let pairs: std::collections::HashSet<u64> =
            (0..100).map(|at| seed.block("x", at).pairs).collect();
        assert_eq!(pairs.len(), 100);
        assert_ne!(seed.block("x", 3).pairs, Seed::new("a", "b", "other").block("x", 3).pairs);
        assert_ne!(Seed::new("ab", "c", "").block("x", 0), Seed::new("a", "bc", "").block("x", 0));
    }

    #[test]
    fn the_coin_is_fair() {
        let seed = Seed::new("a", "b", "run");
        let heads = (0..4000).filter(|&at| seed.block("x", at).first == SideName::Head).count();
        // 2000 ± 5 sd of sqrt(4000)/2 = 31.6.
        assert!((1842..2158).contains(&heads), "{heads}");
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        Seed::new("a", "b", "run").shuffle("round", 1, &mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
