//! `--shard` and `--shard-costs`: which part of the suite, and what an earlier run says of its costs.

use super::flags::Flags;
use super::mistakes::Mistakes;
use super::values;
use crate::shard::{Costs, Shard};
use std::path::Path;

/// The flag that names the file with costs.
const COSTS: &str = "--shard-costs";

pub(crate) fn resolve(flags: &Flags, mistakes: &mut Mistakes<'_>) -> Option<Shard> {
    let given =
        flags.shard.as_deref().and_then(|text| mistakes.flag("--shard", values::shard(text)));
    let costs = flags.shard_costs.as_deref().map(costs);
    let costs = costs.and_then(|costs| mistakes.flag(COSTS, costs));
    if flags.shard_costs.is_some() && flags.shard.is_none() {
        mistakes.at_flag(COSTS, "needs --shard beside it");
    }
    given.map(|(index, count)| Shard { index, count, costs: costs.unwrap_or_default() })
}

fn costs(path: &Path) -> Result<Costs, String> {
    let results = bench_results::read_path(path)
        .map_err(|error| format!("{error}; every shard needs the same file, or none"))?;
    let costs = Costs::of(&results);
    match costs.is_empty() {
        true => Err(format!(
            "{}: nothing was measured in this run, so it tells no costs",
            path.display()
        )),
        false => Ok(costs),
    }
}
