//! asv: a results file of version 2. Units and types stand in `benchmarks.json`, which is another
//! file: the names tell what is measured.

use super::bounds::{MOST_PARAMS, bounded};
use super::json::{as_number, shown};
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
    let columns = Columns::of(&columns);
    results.flat_map(|(name, cells)| rows(&bounded(name), columns, cells)).collect()
}

/// Where a result has what.
#[derive(Clone, Copy)]
struct Columns {
    params: Option<usize>,
    result: Option<usize>,
    samples: Option<usize>,
}

impl Columns {
    fn of(names: &[&str]) -> Self {
        let at = |name: &str| names.iter().position(|found| *found == name);
        Self { params: at("params"), result: at("result"), samples: at("samples") }
    }
}

/// A few parameters make more combinations than there is memory. Of a function without any result so
/// many are told apart; where there are more, it has one row that stands for all.
const MOST_WITHOUT_RESULT: usize = 1000;

fn rows(name: &str, columns: Columns, cells: &Value) -> Vec<Reading> {
    let cell = |column: Option<usize>| cells.get(column?).filter(|cell| !cell.is_null());
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let lists: Vec<Vec<String>> = list(cell(columns.params))
        .iter()
        .map(|values| {
            let values = values.as_array().into_iter().flatten();
            values.map(|value| bounded(shown(value)).into_owned()).collect()
        })
        .collect();
    if lists.len() > MOST_PARAMS {
        let status = Status::Unreadable(format!("{} parameters", lists.len()));
        return vec![Reading::without(name, what(name).0, status)];
    }
    let (metric, factor) = what(name);
    // Without any result at all the whole function failed.
    let results = match cell(columns.result) {
        Some(Value::Array(results)) => results.clone(),
        Some(one) => vec![one.clone()],
        None => vec![Value::Null],
    };
    let samples = list(cell(columns.samples));
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
    if cell(columns.result).is_none() && all > MOST_WITHOUT_RESULT {
        return vec![row(0).with_params(Vec::new())];
    }
    let count = if cell(columns.result).is_none() { all } else { all.min(results.len().max(1)) };
    (0..if lists.is_empty() { 1 } else { count }).map(row).collect()
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
