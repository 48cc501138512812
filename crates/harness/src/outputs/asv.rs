//! asv: a results file of version 2. Units and types stand in `benchmarks.json`, which is another
//! file: the names tell what is measured.

use super::json::as_number;
use super::reading::median;
use super::units::named;
use super::{Document, Format, Reading, Status};
use bench_results::{Metric, Param};
use serde_json::Value;

pub(super) const FORMAT: Format = Format {
    harness: "asv",
    label: "asv's results",
    document: Some(Document { is, read }),
    lines: None,
};

fn is(document: &Value) -> bool {
    document.get("result_columns").is_some()
        && document.get("results").is_some_and(Value::is_object)
}

fn read(document: &Value) -> Vec<Reading> {
    let columns = document.get("result_columns").and_then(Value::as_array);
    let columns: Vec<&str> = columns.into_iter().flatten().filter_map(Value::as_str).collect();
    let results = document.get("results").and_then(Value::as_object).into_iter().flatten();
    results.flat_map(|(name, cells)| rows(name, &columns, cells)).collect()
}

/// A few parameters make more combinations than there is memory. Of a function without any result so
/// many are told apart; where there are more, it has one row that stands for all.
const MOST_WITHOUT_RESULT: usize = 1000;

fn rows(name: &str, columns: &[&str], cells: &Value) -> Vec<Reading> {
    let cell = |column: &str| {
        let at = columns.iter().position(|found| *found == column)?;
        cells.get(at).filter(|cell| !cell.is_null())
    };
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let lists: Vec<Vec<String>> = list(cell("params"))
        .iter()
        .map(|values| values.as_array().into_iter().flatten().map(shown).collect())
        .collect();
    let (metric, factor) = what(name);
    // Without any result at all the whole function failed.
    let results = match cell("result") {
        Some(Value::Array(results)) => results.clone(),
        Some(one) => vec![one.clone()],
        None => vec![Value::Null],
    };
    let samples = list(cell("samples"));
    let row = |at: usize| {
        let reading = match results.get(at) {
            Some(Value::Null) | None => {
                // Bare NaN, which means skipped, cannot be told from null once it is read.
                Reading::without(name, metric.clone(), Status::Error("failed or skipped".into()))
            }
            Some(result) => {
                let center = as_number(result).map(|value| value * factor);
                let raw: Vec<f64> = samples
                    .get(at)
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(as_number)
                    .map(|value| value * factor)
                    .collect();
                let center = median(&raw).or(center);
                let reading = Reading::new(name, metric.clone(), center);
                if raw.is_empty() { reading } else { reading.with_samples(raw) }
            }
        };
        reading.with_params(combination(&lists, at))
    };
    let all = lists.iter().fold(1_usize, |all, list| all.saturating_mul(list.len()));
    if cell("result").is_none() && all > MOST_WITHOUT_RESULT {
        return vec![row(0).with_params(Vec::new())];
    }
    let count = if cell("result").is_none() { all } else { all.min(results.len().max(1)) };
    (0..if lists.is_empty() { 1 } else { count }).map(row).collect()
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// The parameters of a combination: a product in row-major order. Their names are in another file.
fn combination(lists: &[Vec<String>], mut at: usize) -> Vec<Param> {
    let mut params: Vec<Param> = Vec::new();
    for (number, list) in lists.iter().enumerate().rev() {
        let value = list.get(at % list.len().max(1)).cloned().unwrap_or_default();
        params.push(Param::new(format!("param{}", number + 1), value));
        at /= list.len().max(1);
    }
    params.reverse();
    params
}

/// `suite.Class.time_x` is a time in seconds; `mem_` and `peakmem_` are bytes.
fn what(name: &str) -> (Metric, f64) {
    let function = name.rsplit('.').next().unwrap_or(name).to_lowercase();
    if function.starts_with("time") {
        (Metric::time(), 1e9)
    } else if function.starts_with("peakmem") {
        (Metric::peak_memory(), 1.0)
    } else if function.starts_with("mem") {
        (named("memory", "bytes"), 1.0)
    } else {
        (named("value", "unit"), 1.0)
    }
}
