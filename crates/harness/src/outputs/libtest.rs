//! libtest's `#[bench]`, and criterion's `--output-format bencher`, which writes the same:
//! `test NAME ... bench:  13,967.30 ns/iter (+/- 266.64)`.

use super::bounds::{Numbers, bounded};
use super::units::metric;
use super::{Format, Lines, Reading, Status};
use bench_results::Metric;

pub(super) const FORMAT: Format = Format {
    harness: "libtest",
    label: "the text of libtest's #[bench]",
    document: None,
    lines: Some(Lines { is, read }),
};

/// Results have this between name and number, whatever else was printed there.
const RESULT: &str = "bench:";

fn is(line: &str) -> bool {
    line.starts_with("test ") && line.contains(" ... ") && line.contains(RESULT)
        || line.trim_start().starts_with(RESULT) && line.contains("/iter")
}

fn read(text: &str) -> Result<Vec<Reading>, String> {
    let mut readings = Vec::new();
    let mut packages = Numbers::default();
    let mut package = packages.of("");
    // A name whose result comes on a later line: something was printed in between.
    let mut pending = None;
    for line in text.lines() {
        if let Some(running) = line.trim_start().strip_prefix("Running ") {
            package = packages.of(running);
        }
        let (name, rest) =
            match line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) {
                Some((name, rest)) => (Some(name), rest),
                None => (pending, line),
            };
        let Some(name) = name else { continue };
        pending = None;
        match outcome(name.trim(), rest) {
            Some(reading) => readings.push((package, reading)),
            None if is_ended(rest) => {}
            None => pending = Some(name),
        }
    }
    Ok(qualified(readings, &packages.names()))
}

/// Several binaries may have benchmarks of one name: those are told apart by the binary.
fn qualified(readings: Vec<(usize, Reading)>, packages: &[&str]) -> Vec<Reading> {
    let mut seen = std::collections::BTreeMap::new();
    let binaries = packages.iter().map(|running| bounded(binary(running)));
    let binaries: Vec<_> = binaries.collect();
    for (package, reading) in &readings {
        seen.entry(reading.name.clone())
            .or_insert_with(std::collections::BTreeSet::new)
            .insert(*package);
    }
    readings
        .into_iter()
        .map(|(package, mut reading)| {
            if seen.get(&reading.name).is_some_and(|packages| packages.len() > 1) {
                reading.name =
                    bounded(format!("{}::{}", binaries[package], reading.name)).into_owned();
            }
            reading
        })
        .collect()
}

/// `benches/a.rs (target/release/deps/a-f36c88332bd25d23)` -> `a`.
fn binary(running: &str) -> &str {
    let path = running.rsplit_once('(').map_or(running, |(_, path)| path.trim_end_matches(')'));
    let file = path.rsplit('/').next().unwrap_or(path);
    file.rsplit_once('-').map_or(file, |(stem, _)| stem)
}

/// Tests that are no benchmarks.
fn is_ended(rest: &str) -> bool {
    rest.starts_with("ignored") || rest.starts_with("ok")
}

fn outcome(name: &str, rest: &str) -> Option<Reading> {
    if rest.trim() == "FAILED" {
        return Some(Reading::without(name, Metric::time(), Status::Error("it failed".into())));
    }
    let (_, result) = rest.split_once(RESULT)?;
    Some(value(name, result).unwrap_or_else(|| Reading::unreadable(name, rest)))
}

/// `13,967.30 ns/iter (+/- 266.64) = 512 MB/s`
fn value(name: &str, result: &str) -> Option<Reading> {
    let mut words = result.split_whitespace();
    let number: f64 = words.next()?.replace(',', "").parse().ok()?;
    let (metric, factor) = metric(1.0, words.next()?);
    Some(Reading::new(name, metric, Some(number * factor)))
}
