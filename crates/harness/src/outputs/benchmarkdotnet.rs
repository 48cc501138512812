//! BenchmarkDotNet: `--exporters fulljson`, always nanoseconds.

use super::json::{array, number, numbers, text};
use super::units::named;
use super::{Document, Format, Reading, Status};
use bench_results::{Metric, Param};
use serde_json::Value;

pub(super) const FORMAT: Format = Format {
    harness: "benchmarkdotnet",
    label: "BenchmarkDotNet's full JSON report",
    document: Some(Document { is, read }),
    lines: None,
};

fn is(document: &Value) -> bool {
    document.get("Benchmarks").is_some_and(Value::is_array)
        && (document.get("HostEnvironmentInfo").is_some() || document.get("Title").is_some())
}

fn read(document: &Value) -> Vec<Reading> {
    let benchmarks = array(document, "Benchmarks");
    let jobs: Vec<Option<&str>> = benchmarks.iter().map(job).collect();
    let several_jobs = jobs.windows(2).any(|pair| pair[0] != pair[1]);
    let rows = benchmarks.iter().zip(jobs);
    rows.flat_map(|(benchmark, job)| rows_of(benchmark, job.filter(|_| several_jobs))).collect()
}

/// `Type.Method: Job-NFPNDJ(…) [n=1]` -> `Job-NFPNDJ(…)`. Two jobs share a full name.
fn job(benchmark: &Value) -> Option<&str> {
    let (_, job) = text(benchmark, "DisplayInfo")?.split_once(": ")?;
    Some(job.split_once(" [").map_or(job, |(job, _)| job))
}

fn rows_of(benchmark: &Value, job: Option<&str>) -> Vec<Reading> {
    let full = text(benchmark, "FullName").or_else(|| text(benchmark, "MethodTitle"));
    let full = full.unwrap_or("unnamed");
    let shown = text(benchmark, "Parameters").unwrap_or("");
    // The full name has the parameters in it as well: `A.B(n: 1)`.
    let name = if shown.is_empty() { full } else { full.split_once('(').map_or(full, |(n, _)| n) };
    let mut params = parameters(shown);
    params.extend(job.map(|job| Param::new("job", job)));
    let Some(statistics) = benchmark.get("Statistics").filter(|found| found.is_object()) else {
        let status = Status::Error("it has no statistics: it failed".into());
        return vec![Reading::without(name, Metric::time(), status).with_params(params)];
    };
    let time = Reading::new(name, Metric::time(), number(statistics, "Mean"));
    let samples = numbers(statistics, "OriginalValues");
    let time = if samples.is_empty() { time } else { time.with_samples(samples) };
    let memory = benchmark.get("Memory");
    let allocated = memory.and_then(|memory| number(memory, "BytesAllocatedPerOperation"));
    let allocated = allocated
        .map(|bytes| Reading::new(name, named("allocated", "bytes"), Some(bytes)).beside());
    [Some(time), allocated]
        .into_iter()
        .flatten()
        .map(|row| row.with_params(params.clone()))
        .collect()
}

/// `N=100&Kind=a`, the form of the summary's key; in old versions separated by commas.
fn parameters(shown: &str) -> Vec<Param> {
    let parts = shown.split(['&']).flat_map(|part| part.split(", "));
    parts
        .filter_map(|part| part.split_once('='))
        .map(|(name, value)| Param::new(name.trim(), value.trim()))
        .collect()
}
