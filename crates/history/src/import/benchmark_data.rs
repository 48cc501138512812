//! github-action-benchmark: `data.js`, a script that assigns one JSON document. It is parsed, never run.

use super::{ImportError, Imported, Origin, Value, is_commit, machine, record};
use crate::record::Commit;
use bench_results::Better;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What stands before the document.
const ASSIGNMENT: &str = "window.BENCHMARK_DATA";

/// Tools whose values are better when there is more of them.
const MORE_IS_BETTER: [&str; 3] = ["benchmarkjs", "pytest", "customBiggerIsBetter"];

#[derive(Deserialize)]
struct Data {
    entries: BTreeMap<String, Vec<Run>>,
}

#[derive(Deserialize)]
struct Run {
    commit: RunCommit,
    /// When it ran, in milliseconds since 1970.
    date: i64,
    tool: String,
    benches: Vec<Bench>,
}

#[derive(Deserialize)]
struct RunCommit {
    id: String,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
struct Bench {
    name: String,
    value: f64,
    unit: String,
}

/// Reads the text of a `data.js`.
///
/// # Errors
/// When it is none, or holds no run.
pub fn benchmark_data(text: &str, place: &str) -> Result<Imported, ImportError> {
    let malformed = |message: String| ImportError::Malformed { place: place.to_owned(), message };
    let text = text.trim();
    let document = match text.strip_prefix(ASSIGNMENT) {
        Some(rest) => rest.trim_start().strip_prefix('=').unwrap_or(rest),
        None if text.starts_with('{') => text,
        None => return Err(malformed(format!("it does not begin with `{ASSIGNMENT} = `"))),
    };
    let document = document.trim().trim_end_matches(';');
    let data: Data =
        serde_json::from_str(document).map_err(|error| malformed(error.to_string()))?;
    let mut imported = Imported::default();
    for (suite, runs) in data.entries {
        for run in runs {
            if is_commit(&run.commit.id) {
                imported.records.push(one(&suite, run));
            } else {
                let id: String = run.commit.id.chars().take(60).collect();
                imported.passed_over.push(format!("{suite}: `{id}` is no full commit id"));
            }
        }
    }
    if imported.records.is_empty() {
        Err(ImportError::Nothing(place.to_owned()))
    } else {
        Ok(imported)
    }
}

fn one(suite: &str, run: Run) -> (crate::Record, crate::Catalog) {
    let better =
        if MORE_IS_BETTER.contains(&run.tool.as_str()) { Better::Higher } else { Better::Lower };
    let values = run.benches.into_iter().map(|bench| value(bench, better)).collect();
    let origin = Origin {
        tool: "github-action-benchmark",
        measured: String::new(),
        commit: Commit {
            id: run.commit.id,
            committed: run.date / 1000,
            subject: run.commit.message.lines().next().unwrap_or_default().to_owned(),
        },
        suite: suite.to_owned(),
        harness: run.tool,
        environment: "default".to_owned(),
        python: None,
        machine: machine("unknown"),
    };
    record(origin, values)
}

fn value(bench: Bench, better: Better) -> Value {
    let unit = bench.unit.trim();
    let time = unit.strip_suffix("/iter").or(unit.strip_suffix("/op")).unwrap_or(unit);
    let factor = match time {
        "ns" => Some(1.0),
        "us" | "µs" | "μs" => Some(1e3),
        "ms" => Some(1e6),
        "s" | "sec" | "seconds" => Some(1e9),
        _ => None,
    };
    Value {
        name: bench.name,
        params: Vec::new(),
        metric: if factor.is_some() { "time" } else { "value" }.to_owned(),
        unit: if factor.is_some() { "ns" } else { unit }.to_owned(),
        better,
        value: bench.value * factor.unwrap_or(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &str = r#"window.BENCHMARK_DATA = {
  "lastUpdate": 1700000000000,
  "repoUrl": "https://github.com/o/r",
  "entries": {
    "Rust": [{
      "commit": {"author": {}, "id": "0123456789012345678901234567890123456789", "message": "Faster\n\nmuch", "url": "x"},
      "date": 1700000000000, "tool": "cargo",
      "benches": [{"name": "fib 20", "value": 37.5, "range": "± 2", "unit": "us/iter"},
                  {"name": "fib 20", "value": 1.0, "unit": "ns/iter"}]
    }],
    "Python": [{
      "commit": {"id": "0123456789012345678901234567890123456789", "message": ""},
      "date": 1700000000000, "tool": "pytest",
      "benches": [{"name": "test_fib", "value": 41000, "unit": "iter/sec", "extra": "mean: 24"}]
    }, {"commit": {"id": "main"}, "date": 1, "tool": "pytest", "benches": []}]
  }
}"#;

    #[test]
    fn every_run_becomes_a_record_of_absolute_values() {
        let imported = benchmark_data(DATA, "data.js").unwrap();
        let [(python, of_python), (rust, of_rust)] = imported.records.as_slice() else {
            panic!("two")
        };
        assert_eq!(of_python.benchmarks[0].better, Better::Higher);
        assert_eq!(python.points[0].unwrap().value, Some(41_000.0));
        assert_eq!((rust.suite.as_str(), rust.commit.subject.as_str()), ("Rust", "Faster"));
        assert_eq!((of_rust.benchmarks.len(), of_rust.benchmarks[0].unit.as_str()), (1, "ns"));
        assert_eq!(rust.points[0].unwrap().value, Some(37_500.0));
        assert_eq!(imported.passed_over, ["Python: `main` is no full commit id"]);
    }

    #[test]
    fn what_is_no_such_file_is_refused_and_nothing_in_it_is_run() {
        for text in
            ["", "alert(1)", "window.BENCHMARK_DATA = alert(1)", "window.BENCHMARK_DATA = {}"]
        {
            assert!(benchmark_data(text, "data.js").is_err(), "{text}");
        }
    }
}
