//! mitata: `run({ format: { json: … } })`; nanoseconds.

use super::bounds::bounded;
use super::json::{array, number, numbers, shown, text};
use super::{Document, Format, Reading, Status};
use bench_results::{Metric, Param};
use serde_json::Value;
use std::borrow::Cow;

pub(super) const FORMAT: Format = Format {
    harness: "mitata",
    label: "mitata's JSON",
    document: Some(Document { is, read }),
    lines: None,
};

fn is(document: &Value) -> bool {
    array(document, "benchmarks")
        .first()
        .is_some_and(|found| found.get("runs").is_some() && found.get("alias").is_some())
}

fn read(document: &Value) -> Vec<Reading> {
    let groups = array(document, "layout").iter().map(|group| text(group, "name").map(bounded));
    let groups: Vec<Option<Cow<'_, str>>> = groups.collect();
    array(document, "benchmarks").iter().flat_map(|benchmark| rows(benchmark, &groups)).collect()
}

/// Names repeat across groups, which are numbers into the layout.
fn rows(benchmark: &Value, groups: &[Option<Cow<'_, str>>]) -> Vec<Reading> {
    let alias = bounded(text(benchmark, "alias").unwrap_or("unnamed"));
    let group = number(benchmark, "group").and_then(|at| groups.get(at as usize)?.as_ref());
    let path =
        group.map_or_else(|| alias.clone().into_owned(), |group| format!("{group} > {alias}"));
    array(benchmark, "runs")
        .iter()
        .map(|run| {
            let args = run.get("args").and_then(Value::as_object).into_iter().flatten();
            let params: Vec<Param> =
                args.map(|(name, value)| Param::new(name.clone(), shown(value))).collect();
            // Without arguments of its own a run is called as the benchmark is.
            row(&path, run).with_params(params)
        })
        .collect()
}

fn row(name: &str, run: &Value) -> Reading {
    if let Some(error) = run.get("error").filter(|error| !error.is_null()) {
        let message = text(error, "message").map_or_else(|| shown(error), ToOwned::to_owned);
        return Reading::without(name, Metric::time(), Status::Error(message));
    }
    let stats = run.get("stats").unwrap_or(&Value::Null);
    let center = number(stats, "p50").or_else(|| number(stats, "avg"));
    let row = Reading::new(name, Metric::time(), center);
    let samples = numbers(stats, "samples");
    if samples.is_empty() { row } else { row.with_samples(samples) }
}
