//! Julia's BenchmarkTools: `BenchmarkTools.save`, of trials or of estimates; nanoseconds.

use super::bounds::bounded;
use super::json::{number, numbers};
use super::reading::median;
use super::units::named;
use super::{Document, Format, Reading};
use bench_results::Metric;
use serde_json::Value;

pub(super) const FORMAT: Format = Format {
    harness: "julia",
    label: "JSON of BenchmarkTools.save",
    document: Some(Document { is, read }),
    lines: None,
};

fn is(document: &Value) -> bool {
    document.get(0).is_some_and(|versions| {
        versions.get("Julia").is_some() || versions.get("BenchmarkTools").is_some()
    })
}

fn read(document: &Value) -> Vec<Reading> {
    let mut rows = Vec::new();
    let things = document.get(1).and_then(Value::as_array);
    for thing in things.into_iter().flatten() {
        collect("", thing, &mut rows);
    }
    rows
}

/// `["BenchmarkGroup", {data: {key: thing}}]` within each other; the reader of JSON bounds the depth.
fn collect(path: &str, thing: &Value, rows: &mut Vec<Reading>) {
    let (Some(kind), Some(body)) = (thing.get(0).and_then(Value::as_str), thing.get(1)) else {
        return;
    };
    match kind {
        "BenchmarkGroup" => {
            for (key, thing) in body.get("data").and_then(Value::as_object).into_iter().flatten() {
                let within = if path.is_empty() { key.clone() } else { format!("{path}/{key}") };
                collect(&bounded(within), thing, rows);
            }
        }
        "Trial" => {
            let times = numbers(body, "times");
            let row = Reading::new(name(path), Metric::time(), median(&times));
            rows.push(row.with_samples(times));
            memory(path, body, rows);
        }
        "TrialEstimate" => {
            rows.push(Reading::new(name(path), Metric::time(), number(body, "time")));
            memory(path, body, rows);
        }
        _ => {}
    }
}

fn memory(path: &str, body: &Value, rows: &mut Vec<Reading>) {
    let of = |key: &str, metric| Some(Reading::new(name(path), metric, Some(number(body, key)?)));
    rows.extend(of("memory", named("memory", "bytes")).map(Reading::beside));
    rows.extend(of("allocs", named("allocations", "count")).map(Reading::beside));
}

fn name(path: &str) -> &str {
    if path.is_empty() { "benchmark" } else { path }
}
