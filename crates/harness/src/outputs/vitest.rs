//! vitest bench: `--outputJson` of versions 1 to 4, and the JSON reporter of version 5; milliseconds.

use super::bounds::bounded;
use super::json::{array, number, numbers, text};
use super::{Document, Format, Reading, Status};
use bench_results::Metric;
use serde_json::Value;

pub(super) const FORMAT: Format = Format {
    harness: "vitest",
    label: "vitest's --outputJson",
    document: Some(Document { is, read }),
    lines: None,
};

pub(super) const FORMAT_5: Format = Format {
    harness: "vitest",
    label: "vitest 5's JSON report",
    document: Some(Document { is: is_5, read: read_5 }),
    lines: None,
};

fn is(document: &Value) -> bool {
    array(document, "files").first().is_some_and(|file| file.get("groups").is_some())
}

fn read(document: &Value) -> Vec<Reading> {
    let groups = array(document, "files").iter().flat_map(|file| array(file, "groups"));
    groups
        .flat_map(|group| {
            let path = bounded(text(group, "fullName").unwrap_or(""));
            array(group, "benchmarks").iter().map(move |benchmark| row(&path, benchmark))
        })
        .collect()
}

fn is_5(document: &Value) -> bool {
    document.get("testResults").is_some_and(Value::is_array)
}

fn read_5(document: &Value) -> Vec<Reading> {
    let tests = array(document, "testResults").iter().flat_map(|file| {
        let path = bounded(text(file, "name").map(base_name).unwrap_or_default());
        array(file, "assertionResults").iter().map(move |test| (path.clone(), test))
    });
    tests
        .flat_map(|(path, test)| {
            let name = text(test, "fullName").or_else(|| text(test, "title")).unwrap_or("");
            let path = bounded(format!("{path} > {name}"));
            let rows: Vec<Reading> =
                array(test, "benchmarks").iter().map(|benchmark| row(&path, benchmark)).collect();
            rows
        })
        .collect()
}

/// Absolute paths would differ between sides.
fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A benchmark that throws has no mean, and the tool ends with 0.
fn row(path: &str, benchmark: &Value) -> Reading {
    let name = text(benchmark, "name").unwrap_or("unnamed");
    let name = if path.is_empty() { name.to_owned() } else { format!("{path} > {name}") };
    let latency = benchmark.get("latency").filter(|found| found.is_object()).unwrap_or(benchmark);
    let Some(mean) = number(latency, "mean") else {
        let status = Status::Error("it has no mean: it threw, or was never run".into());
        return Reading::without(name, Metric::time(), status);
    };
    let reading = Reading::new(name, Metric::time(), Some(mean * 1e6));
    let samples: Vec<f64> = numbers(latency, "samples").into_iter().map(|ms| ms * 1e6).collect();
    let count = number(latency, "sampleCount").or_else(|| number(latency, "samplesCount"));
    if samples.is_empty() {
        reading.with_count(count.map(|count| count as u64))
    } else {
        reading.with_samples(samples)
    }
}
