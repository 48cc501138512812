//! benchmark.js: `name x 3,841,725 ops/sec ±9.88% (33 runs sampled)`.

use super::units::named;
use super::{Format, Lines, Reading};

pub(super) const FORMAT: Format = Format {
    harness: "benchmark.js",
    label: "the text of benchmark.js",
    document: None,
    lines: Some(Lines { is, read }),
};

const UNIT: &str = " ops/sec";

fn is(line: &str) -> bool {
    !line.trim_start().starts_with(['{', '[', '"']) && line.contains(" x ") && line.contains(UNIT)
}

fn read(text: &str) -> Result<Vec<Reading>, String> {
    let lines = text.lines().filter(|line| is(line));
    Ok(lines
        .map(|line| row(line).unwrap_or_else(|| Reading::unreadable("unreadable", line)))
        .collect())
}

/// Names may have ` x ` in them: the last one before the rate counts.
fn row(line: &str) -> Option<Reading> {
    let (before, after) = line.rsplit_once(UNIT)?;
    let (name, rate) = before.rsplit_once(" x ")?;
    let rate: f64 = rate.trim().replace(',', "").parse().ok()?;
    let runs =
        after.rsplit_once('(').and_then(|(_, runs)| runs.split_whitespace().next()?.parse().ok());
    Some(Reading::new(name.trim(), named("throughput", "ops/s"), Some(rate)).with_count(runs))
}
