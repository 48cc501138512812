//! Why there is nothing to measure, in words that say what was looked for and what to do.

use crate::config::{Config, FILE_NAME, Pattern};
use bench_harness::Harness;

/// Ids shown as examples.
const EXAMPLES: usize = 2;

/// Why neither side has a benchmark that was asked for. `unwanted` are the ids that filters left
/// out, of both sides.
#[must_use]
pub fn why_nothing(config: &Config, unwanted: &[String], harnesses: &[&dyn Harness]) -> String {
    if config.suites.is_empty() {
        return no_suite(harnesses);
    }
    if unwanted.is_empty() {
        return nothing_found(config);
    }
    let flags = flags(&config.compare.filters);
    let keys = config.suites.iter().filter_map(|suite| {
        let filter = suite.filter.as_ref()?;
        Some(format!("the filter `{}` of suite {}", filter.as_str(), suite.settings.name))
    });
    let filters: Vec<String> = flags.chain(keys).collect();
    no_match(&filters, unwanted)
}

/// That all the benchmarks there are, so many of them, fall to other shards.
#[must_use]
pub fn nothing_falls_to(config: &Config, found: u64) -> String {
    let shard = config.compare.shard.as_ref();
    let part = shard.map_or_else(String::new, |shard| format!(" {}/{}", shard.index, shard.count));
    let benchmarks = if found == 1 { "benchmark falls" } else { "benchmarks fall" };
    format!("nothing for shard{part}: the {found} {benchmarks} to others")
}

/// That filters, as they were written, match none of these ids, of which there is at least one.
pub(crate) fn no_match(filters: &[String], ids: &[String]) -> String {
    let mut ids: Vec<&String> = ids.iter().collect();
    ids.sort();
    ids.dedup();
    let examples: Vec<String> = ids.iter().take(EXAMPLES).map(|id| format!("`{id}`")).collect();
    let there_are = match ids.len() {
        1 => "the only one there is".to_owned(),
        n => format!("there are {n}, such as"),
    };
    format!("no benchmark matches {}; {there_are} {}", filters.join(" or "), examples.join(" and "))
}

/// Filters of the command line, as they were written.
pub(crate) fn flags(filters: &[Pattern]) -> impl Iterator<Item = String> {
    filters.iter().map(|filter| format!("`--filter {}`", filter.as_str()))
}

fn no_suite(harnesses: &[&dyn Harness]) -> String {
    let traces: Vec<&str> = harnesses.iter().map(|harness| harness.traces()).collect();
    let traces: Vec<&str> = traces.into_iter().filter(|words| !words.is_empty()).collect();
    format!(
        "no suite was found among head's files, which were searched for {}; name one in {FILE_NAME} with \
         `[[suite]]`, or commands to be timed with `[[suite.benchmark]]`",
        traces.join(" and for ")
    )
}

fn nothing_found(config: &Config) -> String {
    let names: Vec<&str> = config.suites.iter().map(|suite| suite.settings.name.as_str()).collect();
    let suites = if names.len() == 1 { "suite" } else { "suites" };
    format!("no benchmarks were found in {suites} {}", names.join(", "))
}
