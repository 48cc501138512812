//! Which part of a suite this run measures, where a suite is spread over machines.
//!
//! Every shard finds the whole suite, registers the whole plan and judges with the whole K; only then
//! it keeps its own part. All metrics and environments of a benchmark fall to one shard, because they
//! share launches. Who measures what depends on the ids and on the costs alone, so that every shard
//! comes to the same partition without asking another.

use bench_results::Results;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// The run's seed where nobody gives one: shards must not each draw their own, or they would choose
/// different combinations. What is chosen still differs from one pair of commits to the next.
#[must_use]
pub fn seed(base: &str, head: &str) -> String {
    format!("shards {base} {head}")
}

/// More shards than any matrix has jobs; what a file says of others is no use.
pub const MOST_SHARDS: u32 = 1_000;

/// One part of a suite.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    /// 1-based.
    pub index: u32,
    /// How many there are, at most [`MOST_SHARDS`].
    pub count: u32,
    /// What benchmarks cost in an earlier run; empty = they are spread by a hash of their ids.
    pub costs: Costs,
}

/// Seconds of machine time by benchmark id, all metrics and environments together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Costs(BTreeMap<String, f64>);

impl Costs {
    /// What each benchmark of a run cost; those that were not run have none.
    #[must_use]
    pub fn of(results: &Results) -> Self {
        let mut costs: BTreeMap<String, f64> = BTreeMap::new();
        for row in results.benchmarks.iter().filter(|row| row.cost_s > 0.0) {
            *costs.entry(row.benchmark.clone()).or_default() += row.cost_s;
        }
        Self(costs)
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What a benchmark is expected to cost: one that is not known, as much as the others on average.
    fn expected(&self, id: &str) -> f64 {
        let average = || self.0.values().sum::<f64>() / self.0.len().max(1) as f64;
        self.0.get(id).copied().unwrap_or_else(average)
    }
}

/// Who measures what.
#[derive(Clone, Debug, Default)]
pub struct Partition {
    /// The part that is ours, of how many; none = everything is.
    own: Option<(u32, u32)>,
    /// The shards of those benchmarks that are spread by cost; the others go by their hash.
    by_cost: BTreeMap<String, u32>,
}

impl Partition {
    /// Spreads the benchmarks with these ids (in any order, repeated or not).
    #[must_use]
    pub fn new<'a>(shard: Option<&Shard>, ids: impl Iterator<Item = &'a str>) -> Self {
        let Some(shard) = shard else { return Self::default() };
        let by_cost = match shard.costs.is_empty() {
            true => BTreeMap::new(),
            false => longest_first(shard, ids),
        };
        Self { own: Some((shard.index, shard.count)), by_cost }
    }

    /// Whether this run has to measure, or to tell of, a benchmark.
    #[must_use]
    pub fn is_ours(&self, id: &str) -> bool {
        self.shard_of(id).is_none_or(|shard| self.own.is_some_and(|(own, _)| own == shard))
    }

    /// The 1-based shard of a benchmark; none for a run that is not spread.
    #[must_use]
    pub fn shard_of(&self, id: &str) -> Option<u32> {
        let (_, count) = self.own?;
        Some(self.by_cost.get(id).copied().unwrap_or_else(|| hashed(id, count)))
    }
}

/// Longest processing time first: each benchmark, the costliest first, goes to the shard that has
/// least to do by then (Graham 1969: at most a third longer than the best there is).
fn longest_first<'a>(shard: &Shard, ids: impl Iterator<Item = &'a str>) -> BTreeMap<String, u32> {
    let ids: BTreeSet<&str> = ids.collect();
    let mut costs: Vec<(f64, &str)> =
        ids.into_iter().map(|id| (shard.costs.expected(id), id)).collect();
    // Ids are in order already and stay so among equals: every shard sorts alike.
    costs.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut loads: Vec<(f64, u32)> = (1..=shard.count).map(|index| (0.0, index)).collect();
    let mut shards = BTreeMap::new();
    for (cost, id) in costs {
        let least = loads.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let Some((load, index)) = least else { break };
        *load += cost;
        shards.insert(id.to_owned(), *index);
    }
    shards
}

/// The shard that a hash of the id gives: it stays where it is when other benchmarks come and go.
fn hashed(id: &str, count: u32) -> u32 {
    let digest = Sha256::digest(id);
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    // The bias of a remainder of 64 bits is nothing.
    let nth = u64::from_le_bytes(first) % u64::from(count.max(1));
    u32::try_from(nth).unwrap_or(0) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(index: u32, count: u32, costs: &[(&str, f64)]) -> Shard {
        let costs = costs.iter().map(|(id, cost)| ((*id).to_owned(), *cost)).collect();
        Shard { index, count, costs: Costs(costs) }
    }

    fn ids(count: usize) -> Vec<String> {
        (0..count).map(|nth| format!("asv/f{nth}")).collect()
    }

    #[test]
    fn every_benchmark_falls_to_one_shard_whatever_the_order_they_are_found_in() {
        let costs = [("asv/f3", 40.0), ("asv/f7", 2.0), ("asv/gone", 9.0)];
        for costs in [&[][..], &costs] {
            let ids = ids(100);
            for count in [1, 2, 8] {
                let shards = (1..=count).map(|index| shard(index, count, costs));
                let forward: Vec<Partition> = shards
                    .clone()
                    .map(|s| Partition::new(Some(&s), ids.iter().map(String::as_str)))
                    .collect();
                let backward: Vec<Partition> = shards
                    .map(|s| Partition::new(Some(&s), ids.iter().rev().map(String::as_str)))
                    .collect();
                for id in &ids {
                    let owners = |all: &[Partition]| -> Vec<bool> {
                        all.iter().map(|partition| partition.is_ours(id)).collect()
                    };
                    assert_eq!(owners(&forward).iter().filter(|ours| **ours).count(), 1, "{id}");
                    assert_eq!(owners(&forward), owners(&backward), "{id}");
                }
            }
        }
    }

    #[test]
    fn the_hash_is_the_same_on_every_machine_and_in_every_version() {
        // The first eight bytes of SHA-256, little-endian, modulo 8, plus 1.
        assert_eq!(["asv/a", "asv/b", "cli/c"].map(|id| hashed(id, 8)), [2, 6, 7]);
    }

    #[test]
    fn costs_are_spread_so_that_shards_end_together() {
        let costs = [("a", 8.0), ("b", 5.0), ("c", 4.0), ("d", 3.0), ("e", 2.0)];
        let ids = || costs.iter().map(|(id, _)| *id);
        let partition = Partition::new(Some(&shard(1, 2, &costs)), ids());
        // 8 | 5, then 4 to the second, 3 to the first, 2 to the second: 11 and 11.
        let shards: Vec<u32> = ids().filter_map(|id| partition.shard_of(id)).collect();
        assert_eq!(shards, [1, 2, 2, 1, 2]);
    }

    #[test]
    fn a_benchmark_of_unknown_cost_counts_as_much_as_the_others_do_on_average() {
        let partition = Partition::new(
            Some(&shard(1, 2, &[("a", 6.0), ("b", 2.0)])),
            ["a", "b", "new"].into_iter(),
        );
        // 6 | 4 (the average), then 2 to the second.
        let shards = ["a", "new", "b"].map(|id| partition.shard_of(id));
        assert_eq!(shards, [Some(1), Some(2), Some(2)]);
    }

    #[test]
    fn a_run_that_is_not_spread_has_everything() {
        let partition = Partition::new(None, std::iter::empty());
        assert!(partition.is_ours("asv/a"));
        assert_eq!(partition.shard_of("asv/a"), None);
    }
}
