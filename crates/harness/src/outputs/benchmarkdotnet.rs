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
    // The full name has the parameters in it, `A.B(n: 1)`, and no one can tell where one of them ends.
    let name = full;
    let params: Vec<Param> = job.map(|job| Param::new("job", job)).into_iter().collect();
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
