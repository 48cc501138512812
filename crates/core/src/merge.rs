//! Results of several shards become those of the whole run; those of several machines one report.
//!
//! The shards measured disjoint parts of one plan, each with its own machine and all with one K, so
//! that their rows stand side by side as they are: judging them together gives the verdicts that one
//! run over the same samples would have given. What is merged may come from strangers: it is checked
//! here and trusted nowhere.

mod agreement;
mod error;
mod frame;
mod machines;
mod samples;

pub use error::{MergeError, Refusal};
pub use machines::{OfMachine, of_machines};
pub use samples::{Joined, join as join_samples, join_of_machines, whole_file};

use crate::judge;
use crate::shard::MOST_SHARDS;
use bench_results::{Caps, Results, Row, ShardInfo, StoppedBy};
use std::collections::BTreeMap;

/// One shard's results, and which of those that were given they are (from 0).
struct Part {
    at: usize,
    index: u32,
    results: Results,
}

impl Part {
    /// Whether it got as far as registering the plan.
    fn is_planned(&self) -> bool {
        !self.results.plan.digest.is_empty()
    }

    /// Whether it was stopped before it had anything to tell: as good as lost.
    fn is_lost(&self) -> bool {
        let results = &self.results;
        !self.is_planned() && results.failure.is_none() && results.stopped_by != StoppedBy::Done
    }
}

/// Puts the results of a run's shards together, in any order. A shard that is not among them is in
/// `shard.missing`; one whose side could not be prepared is told in `failure`, and the rest reported.
///
/// The shards' samples files are not looked at: see [`join_samples`].
///
/// # Errors
/// When they are not shards of one run: see [`Refusal`].
pub fn together(shards: Vec<Results>) -> Result<Results, MergeError> {
    let (count, parts) = parts(shards)?;
    agreement::check(&parts)?;
    let missing = missing(count, &parts);
    let mut whole = frame::whole(&parts)?;
    whole.shard = Some(ShardInfo { index: 0, count, missing });
    let (rows, sentinel) = rows(parts, whole.plan.family_size)?;
    (whole.benchmarks, whole.sentinel) = (rows, sentinel);
    judge::judge(&mut whole);
    Ok(whole)
}

/// The parts in order, of how many: each is a shard of as many as the others are, and none is there
/// twice.
fn parts(shards: Vec<Results>) -> Result<(u32, Vec<Part>), MergeError> {
    let mut parts: BTreeMap<u32, Part> = BTreeMap::new();
    let mut of = None;
    for (at, results) in shards.into_iter().enumerate() {
        let (index, count) = match &results.shard {
            Some(shard) if (1..=shard.count).contains(&shard.index) => (shard.index, shard.count),
            Some(ShardInfo { index: index @ 1.., count, .. }) => {
                let refusal = Refusal::OutOfRange { index: *index, count: *count };
                return Err(MergeError::at([at], refusal));
            }
            _ => return Err(MergeError::at([at], Refusal::NoShard)),
        };
        if count > MOST_SHARDS {
            return Err(MergeError::at([at], Refusal::TooMany { count }));
        }
        let (first, all) = *of.get_or_insert((at, count));
        if count != all {
            return Err(MergeError::at([first, at], Refusal::Counts(all, count)));
        }
        if let Some(same) = parts.get(&index) {
            return Err(MergeError::at([same.at, at], Refusal::Twice { index, count }));
        }
        parts.insert(index, Part { at, index, results });
    }
    let Some((_, count)) = of else { return Err(MergeError::at([], Refusal::Nothing)) };
    Ok((count, parts.into_values().collect()))
}

/// The shards that nothing is known of.
fn missing(count: u32, parts: &[Part]) -> Vec<u32> {
    let is_there = |index| parts.iter().any(|part| part.index == index && !part.is_lost());
    (1..=count).filter(|index| !is_there(*index)).collect()
}

/// Every row once, in the order of every results file, and the sentinels of every machine.
fn rows(parts: Vec<Part>, family: u64) -> Result<(Vec<Row>, Vec<Row>), MergeError> {
    let (mut rows, mut sentinel) = (Vec::new(), Vec::new());
    let most = Caps::default().rows;
    for part in parts {
        let Part { at, index, results } = part;
        let of_shard = |mut row: Row| {
            row.machine = frame::machine_id(&row.machine, index);
            row.family = family;
            row
        };
        rows.extend(results.benchmarks.into_iter().map(|row| (at, of_shard(row))));
        sentinel.extend(results.sentinel.into_iter().map(of_shard));
        if rows.len() + sentinel.len() > most {
            return Err(MergeError::at([at], Refusal::Rows { most }));
        }
    }
    rows.sort_by(|(_, a), (_, b)| (&a.comparison, &a.id).cmp(&(&b.comparison, &b.id)));
    let twice = rows.windows(2).find(|pair| match pair {
        [(_, a), (_, b)] => (&a.comparison, &a.id) == (&b.comparison, &b.id),
        _ => false,
    });
    if let Some([(first, row), (second, _)]) = twice {
        return Err(MergeError::at([*first, *second], Refusal::Row { id: row.id.clone() }));
    }
    Ok((rows.into_iter().map(|(_, row)| row).collect(), sentinel))
}
