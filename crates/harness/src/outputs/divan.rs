//! divan: a tree of text with columns; there is no other form.

use super::bounds::bounded;
use super::units::nanoseconds;
use super::{Format, Lines, Reading, Status};
use bench_results::Metric;

pub(super) const FORMAT: Format = Format {
    harness: "divan",
    label: "divan's table",
    document: None,
    lines: Some(Lines { is, read }),
};

const MEDIAN: usize = 2;
const SAMPLES: usize = 4;

fn is(line: &str) -> bool {
    line.contains("fastest") && line.contains("slowest") && line.contains('│')
}

/// A name is printed before its benchmark runs and the cells after, so that what the benchmark itself
/// prints stands between them.
fn read(text: &str) -> Result<Vec<Reading>, String> {
    let mut readings = Vec::new();
    // Each with all that is above it.
    let mut path: Vec<String> = Vec::new();
    let mut awaits_cells = false;
    for line in text.lines() {
        if is(line) {
            let name = line.split("fastest").next().unwrap_or("").trim();
            path = vec![bounded(name).into_owned()];
            awaits_cells = false;
            continue;
        }
        let Some((depth, rest)) = branch(line).filter(|_| !path.is_empty()) else {
            let found = path.last().filter(|_| awaits_cells).and_then(|name| late(name, line));
            awaits_cells &= found.is_none();
            readings.extend(found);
            continue;
        };
        let (name, cells) = columns(rest);
        // The second row of a benchmark with counters has no name.
        if name.is_empty() {
            continue;
        }
        path.truncate(depth);
        let above = path.last().map_or("", String::as_str);
        let whole = bounded(format!("{above}::{name}")).into_owned();
        readings.extend(row(&whole, &cells));
        awaits_cells = !rest.contains('│');
        path.push(whole);
    }
    Ok(readings)
}

/// The cells of a benchmark that has printed something, where they are these.
fn late(name: &str, line: &str) -> Option<Reading> {
    let cells: Vec<&str> = line.split('│').map(str::trim).collect();
    let is_row = cells.len() > SAMPLES && time(cells[MEDIAN]).is_some();
    row(name, &cells).filter(|_| is_row)
}

/// How deep a line is in the tree, and what comes after `├─ ` or `╰─ `.
fn branch(line: &str) -> Option<(usize, &str)> {
    let at = line.find(['├', '╰'])?;
    let before = &line[..at];
    if !before.chars().all(|c| c == ' ' || c == '│') {
        return None;
    }
    let rest = line[at..].trim_start_matches(['├', '╰']).trim_start_matches('─');
    Some((before.chars().count() / 3 + 1, rest))
}

/// The name, and the cells after it. A name ends where the first number of the first cell begins: two
/// spaces before it.
fn columns(rest: &str) -> (&str, Vec<&str>) {
    let cells: Vec<&str> = rest.split('│').collect();
    let first = cells.first().copied().unwrap_or("").trim();
    // Without cells, what is after the name is what the benchmark has printed.
    let end = if cells.len() == 1 { first.find("  ") } else { first.rfind("  ") };
    let (name, fastest) = match end {
        Some(at) => (first[..at].trim(), first[at..].trim()),
        None => (first, ""),
    };
    let mut values = vec![fastest];
    values.extend(cells.iter().skip(1).map(|cell| cell.trim()));
    (name, values)
}

fn row(name: &str, cells: &[&str]) -> Option<Reading> {
    let median = cells.get(MEDIAN).copied().unwrap_or("");
    if cells.first().is_some_and(|cell| cell.contains("(ignored)")) || name.ends_with("(ignored)") {
        let name = name.trim_end_matches("(ignored)").trim();
        return Some(Reading::without(name, Metric::time(), Status::Skipped("ignored".into())));
    }
    if median.is_empty() {
        return None;
    }
    let count = cells.get(SAMPLES).and_then(|cell| cell.parse().ok());
    Some(match time(median) {
        Some(value) => Reading::new(name, Metric::time(), Some(value)).with_count(count),
        None => Reading::unreadable(name, median),
    })
}

/// `2.916 µs`
fn time(cell: &str) -> Option<f64> {
    let (number, unit) = cell.split_once(' ')?;
    Some(number.replace(',', "").parse::<f64>().ok()? * nanoseconds(unit)?)
}
