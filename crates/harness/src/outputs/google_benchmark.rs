//! Google Benchmark: `--benchmark_out_format=json`. Rows of equal `run_name` are repetitions in one
//! process.

use super::bounds::bounded;
use super::json::{array, as_number, number, text};
use super::reading::median;
use super::units::{named, nanoseconds};
use super::{Document, Format, Reading, Status};
use bench_results::Metric;
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) const FORMAT: Format = Format {
    harness: "google-benchmark",
    label: "Google Benchmark's JSON",
    document: Some(Document { is, read }),
    lines: None,
};

/// Members of a row that are no counters of the user's.
const OWN: [&str; 18] = [
    "name",
    "run_name",
    "run_type",
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "real_time",
    "cpu_time",
    "time_unit",
    "aggregate_name",
    "aggregate_unit",
    "cv",
    "rms",
    "allocs_per_iter",
    "max_bytes_used",
];

fn is(document: &Value) -> bool {
    let rows = array(document, "benchmarks");
    document.get("context").is_some_and(|context| {
        context.get("library_build_type").is_some() || context.get("num_cpus").is_some()
    }) || rows.first().is_some_and(|row| row.get("real_time").is_some())
}

fn read(document: &Value) -> Vec<Reading> {
    let mut order: Vec<Key<'_>> = Vec::new();
    let mut groups: BTreeMap<Key<'_>, Vec<&Value>> = BTreeMap::new();
    for row in array(document, "benchmarks") {
        let Some(name) = text(row, "run_name").or_else(|| text(row, "name")) else { continue };
        let index = |key: &str| number(row, key).map_or(-1, |index| index as i64);
        let key = (name, index("family_index"), index("per_family_instance_index"));
        let rows = groups.entry(key).or_insert_with(|| {
            order.push(key);
            Vec::new()
        });
        rows.push(row);
    }
    order.iter().flat_map(|key| rows(&bounded(key.0), &groups[key])).collect()
}

/// Two registrations may have the same name: their numbers tell them apart, where there are any.
type Key<'v> = (&'v str, i64, i64);

fn rows(name: &str, rows: &[&Value]) -> Vec<Reading> {
    if let Some(status) = rows.iter().find_map(|row| failure(row)) {
        return vec![Reading::without(name, Metric::time(), status)];
    }
    let is_repetition =
        |row: &&&Value| text(row, "run_type").is_none_or(|kind| kind == "iteration");
    let repetitions: Vec<&Value> = rows.iter().filter(is_repetition).copied().collect();
    if repetitions.is_empty() {
        return aggregates(name, rows);
    }
    let times = |key: &str| -> Vec<f64> {
        let time = |row: &&Value| Some(number(row, key)? * factor(row));
        repetitions.iter().filter_map(time).collect()
    };
    let mut found = vec![sampled(name, Metric::time(), times("real_time"))];
    found.push(sampled(name, cpu_time(), times("cpu_time")).beside());
    found.retain(|row| row.is_primary || row.center.is_some());
    found.extend(counters(&repetitions).into_iter().map(|(counter, values)| {
        sampled(name, named(counter, counter_unit(counter)), values).beside()
    }));
    found
}

/// Errors and skips have times of zero, which would read as infinitely fast.
fn failure(row: &Value) -> Option<Status> {
    let is_set = |key: &str| row.get(key).is_some_and(|value| value.as_bool() != Some(false));
    let message = |key: &str| text(row, key).unwrap_or("").to_owned();
    if is_set("error_occurred") {
        return Some(Status::Error(message("error_message")));
    }
    is_set("skipped").then(|| Status::Skipped(message("skip_message")))
}

/// A file of aggregates alone: the median, else the mean.
fn aggregates(name: &str, rows: &[&Value]) -> Vec<Reading> {
    let of = |kind: &str| rows.iter().find(|row| text(row, "aggregate_name") == Some(kind));
    let Some(row) = of("median").or_else(|| of("mean")) else { return Vec::new() };
    let count = rows.iter().find_map(|row| number(row, "repetitions")).map(|count| count as u64);
    let center =
        |metric: Metric, value: Option<f64>| Reading::new(name, metric, value).with_count(count);
    let time = |key: &str| Some(number(row, key)? * factor(row));
    let (real, cpu) = (time("real_time"), time("cpu_time"));
    let mut found = vec![center(Metric::time(), real.or(cpu))];
    if real.is_some() && cpu.is_some() {
        found.push(center(cpu_time(), cpu).beside());
    }
    found.extend(counters(&[*row]).into_iter().map(|(counter, values)| {
        center(named(counter, counter_unit(counter)), values.first().copied()).beside()
    }));
    found
}

fn cpu_time() -> Metric {
    Metric { name: "cpu-time".into(), ..Metric::time() }
}

fn factor(row: &Value) -> f64 {
    text(row, "time_unit").and_then(nanoseconds).unwrap_or(1.0)
}

fn sampled(name: &str, metric: Metric, values: Vec<f64>) -> Reading {
    Reading::new(name, metric, median(&values)).with_samples(values)
}

fn counters<'r>(rows: &[&'r Value]) -> BTreeMap<&'r str, Vec<f64>> {
    let mut found: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let members = rows.iter().filter_map(|row| row.as_object()).flatten();
    let numeric = members.filter(|(_, value)| value.is_number());
    for (key, value) in numeric.filter(|(key, _)| !OWN.contains(&key.as_str())) {
        if let Some(value) = as_number(value) {
            found.entry(key).or_default().push(value);
        }
    }
    found
}

fn counter_unit(counter: &str) -> &str {
    match counter {
        "bytes_per_second" => "bytes/s",
        "items_per_second" => "items/s",
        _ => "count",
    }
}
