//! criterion.rs: its own text, the messages of cargo-criterion, and the files below `target/criterion`.

use super::json::{line_objects, number, numbers, text};
use super::reading::median;
use super::units::{metric, nanoseconds};
use super::{Format, Lines, Output, OutputError, Reading};
use bench_results::Metric;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(super) const MESSAGES: Format = Format {
    harness: "criterion",
    label: "the messages of cargo criterion --message-format=json",
    document: None,
    lines: Some(Lines { is: is_message, read: read_messages }),
};

pub(super) const TEXT: Format = Format {
    harness: "criterion",
    label: "criterion's text",
    document: None,
    lines: Some(Lines { is: is_result, read: read_text }),
};

// cargo-criterion

fn is_message(line: &str) -> bool {
    line.trim_start().starts_with('{') && line.contains("\"reason\":\"benchmark-complete\"")
}

fn read_messages(text_of_messages: &str) -> Result<Vec<Reading>, String> {
    let messages = line_objects(text_of_messages);
    Ok(messages
        .filter(|(line, _)| is_message(line))
        .map(|(line, message)| match message {
            Some(message) => of_message(&message),
            None => Reading::unreadable("unreadable", line),
        })
        .collect())
}

fn of_message(message: &Value) -> Reading {
    let (of, factor) = metric(1.0, text(message, "unit").unwrap_or("ns"));
    let totals = numbers(message, "measured_values");
    let samples = per_iteration(&numbers(message, "iteration_count"), &totals, factor);
    let estimate = |key: &str| number(message.get(key)?, "estimate").map(|value| value * factor);
    let center = estimate("typical").or_else(|| estimate("mean")).or_else(|| median(&samples));
    let row = Reading::new(text(message, "id").unwrap_or("unnamed"), of, center);
    if samples.is_empty() { row } else { row.with_samples(samples) }
}

fn per_iteration(iterations: &[f64], totals: &[f64], factor: f64) -> Vec<f64> {
    totals.iter().zip(iterations).map(|(total, count)| total / count.max(1.0) * factor).collect()
}

// Text

/// `name    time:   [320.62 ps 323.90 ps 327.55 ps]`; long names stand on the line before.
const RESULT: &str = "time:   [";

fn is_result(line: &str) -> bool {
    line.contains(RESULT)
}

fn read_text(text: &str) -> Result<Vec<Reading>, String> {
    let mut readings = Vec::new();
    let (mut running, mut count) = (None, None);
    let mut above = "";
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("Benchmarking ") {
            // A name may have a colon in it; what the line announces is after the last one.
            let announced = rest.rsplit_once(": ").filter(|(_, what)| is_progress(what));
            running = Some(announced.map_or(rest, |(name, _)| name).trim());
            count = announced.and_then(|(_, what)| collecting(what)).or(count);
        }
        let Some((before, interval)) = line.split_once(RESULT) else {
            above = line;
            continue;
        };
        // The change since an earlier run on the same disk is none between base and head.
        if interval.contains('%') {
            continue;
        }
        let name = match (before.trim(), running) {
            ("", Some(running)) => running,
            // A name has one result.
            ("", None) => std::mem::take(&mut above).trim(),
            (own, _) => own,
        };
        let name = if name.is_empty() { "unnamed" } else { name };
        let row = estimate(name, interval).unwrap_or_else(|| Reading::unreadable(name, line));
        readings.push(row.with_count(count.take()));
        running = None;
    }
    Ok(readings)
}

fn is_progress(what: &str) -> bool {
    ["Warming up", "Collecting", "Analyzing"].iter().any(|word| what.starts_with(word))
}

/// `Collecting 100 samples in …` -> 100
fn collecting(what: &str) -> Option<u64> {
    what.strip_prefix("Collecting ")?.split_whitespace().next()?.parse().ok()
}

/// The middle of `320.62 ps 323.90 ps 327.55 ps]`.
fn estimate(name: &str, interval: &str) -> Option<Reading> {
    let mut words = interval.trim_end().trim_end_matches(']').split_whitespace();
    let (value, unit): (f64, &str) = (words.nth(2)?.parse().ok()?, words.next()?);
    Some(Reading::new(name, Metric::time(), Some(value * nanoseconds(unit)?)))
}

// Files

/// Reads the newest run of every benchmark below a criterion directory; nothing where it is none.
///
/// # Errors
/// A file that cannot be read, or is cut short.
pub fn read_criterion_directory(directory: &Path) -> Result<Option<Output>, OutputError> {
    let mut places = Vec::new();
    benchmark_files(directory, 0, &mut places);
    if places.is_empty() {
        return Ok(None);
    }
    places.sort();
    let readings: Vec<Reading> =
        places.iter().map(|place| of_files(place)).collect::<Result<_, _>>()?;
    let readings = super::unique(readings);
    Ok(Some(Output {
        harness: "criterion",
        format: "the files of a criterion directory",
        readings,
    }))
}

/// Directories called `new` with a benchmark in them; `base` holds an earlier run.
fn benchmark_files(directory: &Path, depth: u32, found: &mut Vec<PathBuf>) {
    const DEEPEST: u32 = 6;
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()).filter(|path| path.is_dir()) {
        if path.ends_with("new") && path.join("sample.json").is_file() {
            found.push(path);
        } else if depth < DEEPEST {
            benchmark_files(&path, depth + 1, found);
        }
    }
}

fn of_files(place: &Path) -> Result<Reading, OutputError> {
    let (benchmark, sample) = (of_file(place, "benchmark.json")?, of_file(place, "sample.json")?);
    let samples = per_iteration(&numbers(&sample, "iters"), &numbers(&sample, "times"), 1.0);
    let name =
        text(&benchmark, "full_id").or_else(|| text(&benchmark, "title")).unwrap_or("unnamed");
    Ok(Reading::new(name, Metric::time(), median(&samples)).with_samples(samples))
}

fn of_file(place: &Path, name: &str) -> Result<Value, OutputError> {
    let path = place.join(name);
    let error = |message: String| OutputError { place: path.display().to_string(), message };
    let bytes = std::fs::read(&path).map_err(|source| error(source.to_string()))?;
    super::json::document(&super::text::decode(&bytes), |_| true).map_err(error)
}

/// The whole name of every benchmark below a criterion directory, by the title that its list shows.
pub(crate) fn names_by_title(directory: &Path) -> BTreeMap<String, String> {
    let mut places = Vec::new();
    benchmark_files(directory, 0, &mut places);
    let names = |place: &PathBuf| {
        let benchmark = of_file(place, "benchmark.json").ok()?;
        Some((text(&benchmark, "title")?.to_owned(), text(&benchmark, "full_id")?.to_owned()))
    };
    places.iter().filter_map(names).collect()
}
