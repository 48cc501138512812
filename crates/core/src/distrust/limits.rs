//! What no run writes, and what is therefore not taken.

use bench_results::{Better, Measured, Results, Row, benchmark_id};
use std::collections::BTreeSet;

/// Most blocks of a row: far more than any decision takes.
const MOST_BLOCKS: usize = 1_000;

/// Most sides, comparisons, machines and the like.
const MOST_PARTS: usize = 200;

/// Most bytes of a name that is not a benchmark's.
const LONGEST_WORD: usize = 1_000;

/// Largest number of nanoseconds, thirty years, and of bytes.
const LARGEST: f64 = 1e18;

/// Largest number in another unit.
const LARGEST_OF_ALL: f64 = 1e100;

/// Results that no run of this program writes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}; no run of bench-action writes that, so nothing of it is used")]
pub struct Absurd {
    /// Where.
    pub place: String,
    /// What is wrong.
    pub what: String,
}

/// Fails on the first thing that cannot be.
pub(super) fn check(results: &Results) -> Result<(), Absurd> {
    check_parts(results)?;
    let mut ids = BTreeSet::new();
    for row in &results.benchmarks {
        check_row(row, results)?;
        check_id(row)?;
        if !ids.insert((&row.id, &row.comparison)) {
            return Err(absurd(row, "it is there twice"));
        }
    }
    results.sentinel.iter().try_for_each(|row| check_row(row, results))
}

fn check_parts(results: &Results) -> Result<(), Absurd> {
    let wrong = |what: &str| Absurd { place: "the results".to_owned(), what: what.to_owned() };
    let most = [
        results.sides.len(),
        results.comparisons.len(),
        results.environments.len(),
        results.harnesses.len(),
        results.machines.len(),
    ];
    if most.into_iter().any(|count| count > MOST_PARTS) {
        return Err(wrong("more sides, comparisons, environments, harnesses or machines than any"));
    }
    let sides: BTreeSet<&str> = results.sides.iter().map(|side| side.id.as_str()).collect();
    let has = |id: &str| sides.contains(id);
    let ids = results.comparisons.iter().map(|comparison| comparison.id.as_str());
    let environments = results.sides.iter().map(|side| side.environment.as_str());
    let machines = results.machines.iter().map(|machine| machine.id.as_str());
    if sides.len() != results.sides.len() {
        return Err(wrong("two sides of one name"));
    }
    if !results.comparisons.iter().all(|c| has(&c.base) && has(&c.head)) {
        return Err(wrong("a comparison of sides that are not there"));
    }
    let measured_on = results.comparisons.iter().filter_map(|it| it.machine.as_deref());
    let ids = ids.chain(measured_on);
    if ids.chain(environments).chain(machines).chain(sides).any(is_long) {
        return Err(wrong("an over-long name"));
    }
    Ok(())
}

fn check_row(row: &Row, results: &Results) -> Result<(), Absurd> {
    let words = [&row.suite, &row.harness, &row.machine, &row.metric, &row.unit];
    if words.into_iter().any(|word| is_long(word)) {
        return Err(absurd(row, "an over-long name of its suite, metric or unit"));
    }
    if !results.comparisons.iter().any(|comparison| comparison.id == row.comparison) {
        return Err(absurd(row, "it belongs to no comparison"));
    }
    if row.unit == "ns" && row.better == Better::Higher {
        return Err(absurd(row, "a time of which more is better"));
    }
    let mut blocks = BTreeSet::new();
    if row.blocks.len() > MOST_BLOCKS || !row.blocks.iter().all(|b| blocks.insert(b.index)) {
        return Err(absurd(row, "too many blocks, or one of them twice"));
    }
    if row.blocks.iter().filter_map(|block| block.d).any(|d| !d.is_finite()) {
        return Err(absurd(row, "a block whose result is not a number"));
    }
    [&row.base, &row.head].into_iter().flatten().try_for_each(|side| check_side(row, side))
}

/// Its id is made of its parts: patterns of the settings and readers see the same name.
fn check_id(row: &Row) -> Result<(), Absurd> {
    let benchmark = benchmark_id(&row.suite, &row.name, &row.params);
    let metric = format!("{benchmark} [{}]", row.metric);
    let is_made_so = row.benchmark == benchmark && (row.id == benchmark || row.id == metric);
    if is_made_so { Ok(()) } else { Err(absurd(row, "its id is not made of its name")) }
}

fn check_side(row: &Row, side: &Measured) -> Result<(), Absurd> {
    let mut blocks = BTreeSet::new();
    if side.samples.len() > MOST_BLOCKS || !side.samples.iter().all(|s| blocks.insert(s.block)) {
        return Err(absurd(row, "too many samples, or two of one block"));
    }
    let (least, most) = match row.unit.as_str() {
        "ns" | "bytes" => (0.0, LARGEST),
        _ => (-LARGEST_OF_ALL, LARGEST_OF_ALL),
    };
    let fits = |value: f64| (least..=most).contains(&value);
    match side.samples.iter().filter_map(|sample| sample.value).find(|value| !fits(*value)) {
        Some(value) => Err(absurd(row, &format!("a sample of {value} {}", plain(&row.unit)))),
        None => Ok(()),
    }
}

fn is_long(word: &str) -> bool {
    word.len() > LONGEST_WORD
}

fn absurd(row: &Row, what: &str) -> Absurd {
    Absurd { place: format!("row `{}`", plain(&row.id)), what: what.to_owned() }
}

/// Text from elsewhere as it may stand in a message.
fn plain(text: &str) -> String {
    text.escape_debug().take(100).collect()
}
