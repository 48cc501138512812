//! Real outputs with the values a person read from them. They are not part of this repository.

use crate::primary;
use bench_harness::outputs::{Reading, Status, read};
use bench_results::Better;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The cases, or none with a line saying so.
fn cases() -> Vec<PathBuf> {
    let shared = match std::env::var_os("BENCH_SHARED") {
        Some(named) => Some(PathBuf::from(named)),
        None => Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .map(|directory| directory.join("shared"))
            .find(|directory| directory.is_dir()),
    };
    let folder = shared.map(|shared| shared.join("fixtures/harness-outputs"));
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else {
        eprintln!(
            "skipped: no outputs of harnesses here (set BENCH_SHARED to a folder with fixtures)"
        );
        return Vec::new();
    };
    let list = |directory: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let found: Vec<PathBuf> = list(&folder).iter().flat_map(|harness| list(harness)).collect();
    assert!(found.len() > 10, "{found:?}");
    found
}

#[test]
fn real_outputs_are_read_as_a_person_reads_them() {
    for case in cases() {
        let expected = std::fs::read(case.join("expected.json")).unwrap();
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        let file = case.join(expected["file"].as_str().unwrap());
        let found = read(&file.display().to_string(), &std::fs::read(&file).unwrap(), None);
        if expected["parse"] == "error" {
            let error = found.unwrap_err().to_string();
            assert!(error.contains(&file.display().to_string()), "{error}");
            continue;
        }
        let found = found.unwrap();
        let rows: Vec<&Reading> =
            primary(&found).into_iter().filter(|row| !is_ignored(row)).collect();
        let wanted = expected["benchmarks"].as_array().unwrap();
        assert_eq!(rows.len(), wanted.len(), "{}: {rows:#?}", case.display());
        for (row, wanted) in rows.iter().zip(wanted) {
            check(&case, row, wanted);
        }
    }
}

/// What the person who read the files did not count.
fn is_ignored(row: &Reading) -> bool {
    matches!(row.status, Status::Skipped(_))
}

fn check(case: &Path, row: &Reading, wanted: &Value) {
    let place = format!("{}: {row:#?}\nwanted {wanted:#}", case.display());
    let params: Vec<String> =
        row.params.iter().map(|p| format!("{}={}", p.name, p.value)).collect();
    let name = match params.is_empty() {
        true => row.name.clone(),
        false => format!("{} {{{}}}", row.name, params.join(", ")),
    };
    assert_eq!(name, wanted["name"].as_str().unwrap(), "{place}");
    let status = match row.status {
        Status::Ok => "ok",
        Status::Skipped(_) => "skipped",
        Status::Error(_) => "error",
        Status::Unreadable(_) => "unreadable",
    };
    assert_eq!(status, wanted["status"], "{place}");
    if status != "ok" {
        return;
    }
    let better = if row.metric.better == Better::Lower { "lower" } else { "higher" };
    assert_eq!(better, wanted["better"], "{place}");
    let factor = if row.metric.is_time() { nanoseconds(&wanted["unit"]) } else { 1.0 };
    let center = wanted["central"]["value"].as_f64().unwrap() * factor;
    assert!((row.center.unwrap() / center - 1.0).abs() < 1e-9, "{place}");
    if let Some(samples) = wanted["samples"].as_array() {
        let samples: Vec<f64> = samples.iter().map(|s| s.as_f64().unwrap() * factor).collect();
        assert_eq!(row.launches[0].samples, samples, "{place}");
    }
    if let Some(count) = wanted["n_samples"].as_u64() {
        let found: u64 = row.launches.iter().map(|launch| launch.count.unwrap_or(1)).sum();
        assert_eq!(found, count, "{place}");
    }
}

fn nanoseconds(unit: &Value) -> f64 {
    match unit.as_str().unwrap().split('/').next().unwrap() {
        "ps" => 1e-3,
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        other => panic!("{other} is no time"),
    }
}
