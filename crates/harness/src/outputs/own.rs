//! A simple JSON of ours, for scripts and for harnesses without a format of their own:
//! `{"schema": "bench-action/simple/v1", "benchmarks": [{"name", "unit", "better"?, "value"?,
//! "samples"?, "launches"?, "params"?, "status"?, "message"?}]}`.

use super::json::{array, as_number, number, numbers, params, text};
use super::reading::median;
use super::units::metric;
use super::{Document, Format, Reading, Status};
use bench_results::Better;
use serde_json::Value;

pub(super) const FORMAT: Format = Format {
    harness: "simple",
    label: "bench-action's simple JSON",
    document: Some(Document { is, read }),
    lines: None,
};

fn is(document: &Value) -> bool {
    text(document, "schema").is_some_and(|schema| schema.starts_with("bench-action/simple/"))
}

fn read(document: &Value) -> Vec<Reading> {
    array(document, "benchmarks").iter().map(row).collect()
}

fn row(benchmark: &Value) -> Reading {
    let name = text(benchmark, "name").unwrap_or("unnamed");
    let (mut of, factor) = metric(1.0, text(benchmark, "unit").unwrap_or("ns"));
    match text(benchmark, "better") {
        Some("higher") => of.better = Better::Higher,
        Some("lower") => of.better = Better::Lower,
        _ => {}
    }
    if let Some(own) = text(benchmark, "metric") {
        own.clone_into(&mut of.name);
    }
    let params = params(benchmark.get("params"));
    let message = text(benchmark, "message").unwrap_or("").to_owned();
    match text(benchmark, "status") {
        None | Some("ok") => {}
        Some("skipped") => {
            return Reading::without(name, of, Status::Skipped(message)).with_params(params);
        }
        Some(_) => return Reading::without(name, of, Status::Error(message)).with_params(params),
    }
    let scaled = |values: Vec<f64>| -> Vec<f64> { values.iter().map(|v| v * factor).collect() };
    let samples = scaled(numbers(benchmark, "samples"));
    let launches: Vec<Vec<f64>> = array(benchmark, "launches")
        .iter()
        .map(|launch| launch.as_array().into_iter().flatten().filter_map(as_number).collect())
        .map(scaled)
        .collect();
    let all: Vec<f64> = samples.iter().chain(launches.iter().flatten()).copied().collect();
    let center = number(benchmark, "value").map(|value| value * factor).or_else(|| median(&all));
    let row = Reading::new(name, of, center).with_params(params);
    match (launches.is_empty(), samples.is_empty()) {
        (false, _) => row.with_launches(launches),
        (true, false) => row.with_samples(samples),
        (true, true) => row,
    }
}
