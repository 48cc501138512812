//! hyperfine: `--export-json`; every time is a process of its own.

use super::json::{array, number, numbers, params, text};
use super::units::named;
use super::{Document, Format, Reading, Status};
use bench_results::Metric;
use serde_json::Value;

pub(super) const FORMAT: Format = Format {
    harness: "hyperfine",
    label: "hyperfine's JSON",
    document: Some(Document { is, read }),
    lines: None,
};

fn is(document: &Value) -> bool {
    array(document, "results").first().is_some_and(|result| {
        text(result, "command").is_some()
            && (result.get("times").is_some() || result.get("mean").is_some())
    })
}

fn read(document: &Value) -> Vec<Reading> {
    array(document, "results").iter().flat_map(rows).collect()
}

fn rows(result: &Value) -> Vec<Reading> {
    let name = text(result, "command").unwrap_or("unnamed");
    let params = params(result.get("parameters"));
    let times = numbers(result, "times").into_iter().map(|s| vec![s * 1e9]);
    let center = number(result, "median").or_else(|| number(result, "mean")).map(|s| s * 1e9);
    if let Some(code) = numbers(result, "exit_codes").into_iter().find(|code| *code != 0.0) {
        let status = Status::Error(format!("the command ended with exit status {code}"));
        return vec![Reading::without(name, Metric::time(), status).with_params(params)];
    }
    let mut time = Reading::new(name, Metric::time(), center);
    if times.len() > 0 {
        time = time.with_launches(times);
    }
    let bytes = numbers(result, "memory_usage_byte");
    let memory = super::reading::median(&bytes).map(|center| {
        Reading::new(name, named("peak-memory", "bytes"), Some(center))
            .with_launches(bytes.iter().map(|bytes| vec![*bytes]))
            .beside()
    });
    std::iter::once(time).chain(memory).map(|row| row.with_params(params.clone())).collect()
}
