//! pyperf: `--output`; each run is a process of its own.

use super::bounds::bounded;
use super::json::{array, as_number, text};
use super::reading::{mean, median};
use super::units::{metric, named};
use super::{Document, Format, Reading};
use serde_json::Value;

pub(super) const FORMAT: Format = Format {
    harness: "pyperf",
    label: "pyperf's JSON",
    document: Some(Document { is, read }),
    lines: None,
};

fn is(document: &Value) -> bool {
    array(document, "benchmarks").first().is_some_and(|benchmark| benchmark.get("runs").is_some())
        && (document.get("version").is_some() || document.get("metadata").is_some())
}

fn read(document: &Value) -> Vec<Reading> {
    let common = document.get("metadata");
    let name = common.and_then(|common| text(common, "name")).unwrap_or("unnamed");
    let (unit, name) = (common.and_then(|common| text(common, "unit")), bounded(name));
    array(document, "benchmarks").iter().map(|benchmark| row(benchmark, unit, &name)).collect()
}

/// Metadata may stand in the benchmark, in its runs, or once for the file.
fn row(benchmark: &Value, common_unit: Option<&str>, common_name: &str) -> Reading {
    let runs = array(benchmark, "runs");
    let places = std::iter::once(benchmark).chain(runs).filter_map(|place| place.get("metadata"));
    let found = |key: &str| places.clone().find_map(|place| text(place, key));
    let unit = match found("unit").or(common_unit) {
        None | Some("second") => "s",
        Some("byte") => "bytes",
        Some(other) => other,
    };
    // Runs of calibration have warm-ups only.
    let values = |run: &Value| array(run, "values").iter().filter_map(as_number).collect();
    let mut launches: Vec<Vec<f64>> = runs.iter().map(values).collect();
    let (of, factor) = match unit {
        "bytes" => (named("memory", "bytes"), 1.0),
        unit => metric(1.0, unit),
    };
    launches.iter_mut().flatten().for_each(|value| *value *= factor);
    let means: Vec<f64> = launches.iter().filter_map(|launch| mean(launch)).collect();
    Reading::new(found("name").unwrap_or(common_name), of, median(&means)).with_launches(launches)
}
