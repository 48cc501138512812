//! What is taken from a results file, and which files are refused.

use bench_history::{Caps, Commit, Measured, TakeError, load, take};
use bench_results::{Results, read};
use serde_json::{Value, json};

const BASE: &str = "1111111111111111111111111111111111111111";
const HEAD: &str = "2222222222222222222222222222222222222222";

fn side(id: &str, commit: &str) -> Value {
    json!({"id": id, "label": "main", "revision": commit, "commit": commit, "dirty": false,
        "diff_digest": null, "environment": "default", "kind": "built", "artifacts": []})
}

fn row(name: &str, better: &str, d: &[f64]) -> Value {
    let block = |(index, d): (usize, &f64)| {
        json!({"index": index, "order": index, "started_ms": 0, "core": null, "coin": "base",
            "d": d, "corrected": d, "counted": true, "load": null})
    };
    let blocks: Vec<Value> = d.iter().enumerate().map(block).collect();
    let side = |center: f64| json!({"center": center, "wall": null, "samples": []});
    json!({"id": format!("asv/{name}"), "benchmark": format!("asv/{name}"), "comparison": "c",
        "machine": "m", "suite": "asv", "harness": "asv", "name": name, "params": [],
        "metric": "time", "unit": "ns", "better": better, "verdict": "unchanged", "reason": null,
        "stage": "measured", "schedule": "alternate", "clock": "cpu", "pairing": "paired",
        "labels": [], "rule": {"threshold": 0.03, "tolerance": 0.01, "absolute": 0.0},
        "blocks_used": d.len(), "decided_at": null, "family": 1, "log_e": null,
        "change": {"kind": "ratio", "ratio": 1.0, "low": null, "high": null, "confidence": 0.95,
            "detectable": null},
        "routing": null, "calibration": null, "void": {"base": 0, "head": 0, "reasons": []},
        "noise": null, "cost_s": 1.0, "source": null, "base": side(100.0), "head": side(110.0),
        "blocks": blocks, "failure": null})
}

fn file(rows: &[Value]) -> Value {
    json!({"schema": "bench-action/results/v1",
        "tool": {"name": "bench-action", "version": "1", "commit": null},
        "created": "2026-01-01T00:00:00Z", "command": [], "config": {"digest": "d"}, "seed": "s",
        "settings": {"alpha": 0.05, "alpha_unchanged": 0.05, "threshold": 0.03, "tolerance": 0.01,
            "fail_threshold": 0.03, "threshold_absolute_ns": 0.0, "max_blocks": 60, "repeat": null,
            "time_budget_s": 10.0},
        "plan": {"digest": "p", "family_size": 1, "planned": 1, "screened": 0}, "shard": null,
        "sides": [side("base", BASE), side("head", HEAD)],
        "comparisons": [{"id": "c", "base": "base", "head": "head"}],
        "environments": [{"name": "default", "python": "3.12.1", "packages": [], "variables": {}}],
        "harnesses": [],
        "machines": [{"id": "m", "cpu": "Processor", "cores": 2, "memory": null, "os": "linux",
            "kernel": null, "virtualization": null, "governor": null, "turbo": null, "load": null,
            "limits": [], "runner": null}],
        "benchmarks": rows, "sentinel": [], "trust": {"ok": true, "reason": null}, "failure": null,
        "summary": {"verdict": "unchanged", "counts": {"regressed": 0, "improved": 0, "unchanged": 1,
            "inconclusive": 0, "added": 0, "removed": 0, "failed": 0, "skipped": 0, "accepted": 0},
            "time": {"prepare_s": 1.0, "measure_s": 1.0}},
        "finished": null, "stopped_by": "done", "samples_file": null, "warnings": []})
}

fn results(file: &Value) -> Results {
    read(file.to_string().as_bytes(), "results.json", bench_results::Caps::default()).unwrap()
}

fn commit() -> Commit {
    Commit { id: HEAD.into(), committed: 1_700_000_000, subject: "faster".into() }
}

/// The log ratio and error taken of a row.
fn taken(row: Value) -> Option<(f64, f64)> {
    let taken = take(&results(&file(&[row])), &commit()).ok()?;
    let point = taken[0].0.points[0]?;
    point.log_ratio.zip(point.error)
}

#[test]
fn the_estimate_is_that_of_hodges_and_lehmann_and_its_error_that_of_its_blocks() {
    // Pairwise means of 1, 2, 5 (in hundredths) have the median 2.5; MAD 1, so s = 1.4826.
    let (ratio, error) = taken(row("a", "lower", &[0.01, 0.02, 0.05])).unwrap();
    assert!((ratio - 0.025).abs() < 1e-12);
    assert!((error - 0.014826 / 3.0_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn of_what_more_is_better_the_ratio_of_the_values_is_taken() {
    // Blocks say that head is 2 % worse, so its value is smaller.
    let (ratio, _) = taken(row("rate", "higher", &[0.02, 0.02, 0.02])).unwrap();
    assert!((ratio + 0.02).abs() < 1e-12);
}

#[test]
fn identical_builds_and_exact_metrics_have_no_error() {
    let mut same = row("same", "lower", &[]);
    (same["pairing"], same["change"]) = (json!("identical"), Value::Null);
    assert_eq!(taken(same), Some((0.0, 0.0)));
    let mut exact = row("bytes", "lower", &[]);
    (exact["pairing"], exact["change"]["ratio"]) = (json!("exact"), json!(1.25));
    assert_eq!(taken(exact), Some((1.25_f64.ln(), 0.0)));
}

#[test]
fn what_failed_was_not_paired_or_has_no_ratio_is_not_recorded() {
    for (field, value) in [("verdict", json!("failed")), ("pairing", json!("unpaired"))] {
        let mut row = row("a", "lower", &[0.01; 6]);
        row[field] = value;
        assert_eq!(take(&results(&file(&[row])), &commit()), Err(TakeError::Nothing), "{field}");
    }
    let mut difference = row("a", "lower", &[]);
    difference["change"]["kind"] = json!("difference");
    assert_eq!(taken(difference), None);
}

#[test]
fn a_record_can_be_stored_and_read_again() {
    let taken = take(
        &results(&file(&[row("b", "lower", &[0.01; 6]), row("a", "lower", &[0.0; 6])])),
        &commit(),
    );
    let (record, catalog) = taken.unwrap().remove(0);
    assert_eq!(
        catalog.benchmarks.iter().map(|e| e.id.as_str()).collect::<Vec<_>>(),
        ["asv/a", "asv/b"]
    );
    let files = record.clone().files(&catalog);
    assert!(
        files[1].path.starts_with(&format!("records/22/{HEAD}/asv.default.m.")),
        "{}",
        files[1].path
    );
    let history = load(files, Caps::default()).unwrap();
    assert_eq!(history.records[0].points, record.points);
    assert_eq!(history.records[0].reference.as_ref().unwrap().commit, BASE);
}

#[test]
fn only_two_clean_commits_that_can_be_trusted_are_recorded() {
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut file = file(&[row("a", "lower", &[0.0; 6])]);
        change(&mut file);
        Measured::of(&results(&file)).unwrap_err().to_string()
    };
    let dirty = refused(&|file| file["sides"][1]["dirty"] = json!(true));
    assert!(dirty.contains("head is no commit but a working tree with changes"), "{dirty}");
    let existing = refused(&|file| file["sides"][0]["commit"] = Value::Null);
    assert!(existing.contains("base is no commit but an existing build"), "{existing}");
    let short = refused(&|file| file["sides"][0]["commit"] = json!("../../etc"));
    assert!(short.contains("without a full commit id"), "{short}");
    let trust = refused(&|file| file["trust"] = json!({"ok": false, "reason": "base differs"}));
    assert!(trust.contains("base differs"), "{trust}");
}

#[test]
fn a_history_of_another_version_is_refused_by_its_name() {
    let (record, catalog) =
        take(&results(&file(&[row("a", "lower", &[0.0; 6])])), &commit()).unwrap().remove(0);
    let [_, mut file] = record.files(&catalog);
    file.path = "format.json".into();
    file.bytes = br#"{"schema":"bench-action/history/v9"}"#.to_vec();
    let refusal = load([file], Caps::default()).unwrap_err().to_string();
    assert!(refusal.contains("history/v9"), "{refusal}");
}
