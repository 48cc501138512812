//! What other tools of continuous benchmarking take from scripts: github-action-benchmark's list of
//! values, and bencher's metric format.

use super::bounds::bounded;
use super::json::{as_number, number, text};
use super::units::{metric, named};
use super::{Document, Format, Reading};
use bench_results::{Better, Metric};
use serde_json::Value;

pub(super) const GITHUB_ACTION_BENCHMARK: Format = Format {
    harness: "custom",
    label: "github-action-benchmark's custom JSON",
    document: Some(Document { is: is_list, read: read_list }),
    lines: None,
};

pub(super) const BENCHER: Format = Format {
    harness: "custom",
    label: "bencher's metric format",
    document: Some(Document { is: is_measures, read: read_measures }),
    lines: None,
};

fn is_list(document: &Value) -> bool {
    document.as_array().and_then(|rows| rows.first()).is_some_and(|row| {
        text(row, "name").is_some() && row.get("value").is_some() && text(row, "unit").is_some()
    })
}

/// Whether more is better is a setting of that tool and not of the file: the unit tells.
fn read_list(document: &Value) -> Vec<Reading> {
    let rows = document.as_array().into_iter().flatten();
    rows.map(|row| {
        let name = text(row, "name").unwrap_or("unnamed");
        let (metric, factor) = metric(1.0, text(row, "unit").unwrap_or(""));
        Reading::new(name, metric, number(row, "value").map(|value| value * factor))
    })
    .collect()
}

/// `{benchmark: {measure: {value, …}}}`, every one of them.
fn is_measures(document: &Value) -> bool {
    let has_values = |measures: &Value| {
        measures.as_object().is_some_and(|measures| {
            !measures.is_empty() && measures.values().all(|measure| measure.get("value").is_some())
        })
    };
    document.as_object().is_some_and(|rows| !rows.is_empty() && rows.values().all(has_values))
}

fn read_measures(document: &Value) -> Vec<Reading> {
    let rows = document.as_object().into_iter().flatten();
    rows.flat_map(|(name, measures)| {
        let (name, measures) = (bounded(name), measures.as_object());
        // Which one stands for the benchmark must not depend on which others there are.
        let built_in = ["latency", "throughput"];
        let stands =
            built_in.iter().find(|known| measures.is_some_and(|m| m.contains_key(**known)));
        let stands = stands.copied().map(ToOwned::to_owned);
        measures.into_iter().flatten().enumerate().map(move |(at, (measure, found))| {
            let value = found.get("value").and_then(as_number);
            let row = Reading::new(&*name, measured(measure), value);
            let is_first = stands.as_ref().map_or(at == 0, |stands| stands == measure);
            if is_first { row } else { row.beside() }
        })
    })
    .collect()
}

/// The measures that tool has built in; the unit of any other is not in the file.
fn measured(measure: &str) -> Metric {
    match measure {
        "latency" => Metric::time(),
        "throughput" => Metric { better: Better::Higher, ..named("throughput", "operations/s") },
        other => named(other, "unit"),
    }
}
