//! pytest-benchmark: `--benchmark-json`, seconds per iteration.

use super::json::{array, number, numbers, params, text};
use super::{Document, Format, Reading};
use bench_results::Metric;
use serde_json::Value;

pub(super) const FORMAT: Format = Format {
    harness: "pytest-benchmark",
    label: "pytest-benchmark's JSON",
    document: Some(Document { is, read }),
    lines: None,
};

fn is(document: &Value) -> bool {
    let rows = array(document, "benchmarks");
    document.get("machine_info").is_some() && document.get("commit_info").is_some()
        || rows
            .first()
            .is_some_and(|row| row.get("fullname").is_some() && row.get("stats").is_some())
}

fn read(document: &Value) -> Vec<Reading> {
    array(document, "benchmarks").iter().map(row).collect()
}

/// The full name is the node id, which has the parameters in it: `f.py::test[3-a]`.
fn row(benchmark: &Value) -> Reading {
    let full = text(benchmark, "fullname").or_else(|| text(benchmark, "name")).unwrap_or("unnamed");
    let mut params = params(benchmark.get("params"));
    // What could not be written down is written with its address, which is another in each run.
    if params.iter().any(|param| param.value.starts_with("UNSERIALIZABLE[")) {
        params.clear();
    }
    let name = match full.split_once('[') {
        Some((name, _)) if !params.is_empty() => name,
        _ => full,
    };
    let stats = benchmark.get("stats").unwrap_or(&Value::Null);
    let samples: Vec<f64> = numbers(stats, "data").into_iter().map(|s| s * 1e9).collect();
    let center = number(stats, "median").or_else(|| number(stats, "mean")).map(|s| s * 1e9);
    let reading = Reading::new(name, Metric::time(), center);
    let rounds = number(stats, "rounds").map(|rounds| rounds as u64);
    let reading =
        if samples.is_empty() { reading.with_count(rounds) } else { reading.with_samples(samples) };
    reading.with_params(params)
}
