//! Results as `run` writes them, made up: which benchmark is how much slower is known to the digit.

use serde_json::{Value, json};
use std::io::{Cursor, Write as _};
use zip::write::SimpleFileOptions;

/// Blocks of a row; more than any decision needs here.
const BLOCKS: u32 = 24;

/// A judged row of a time, so many times slower on head, as its own run saw it.
pub(crate) fn row(name: &str, ratio: f64, verdict: &str) -> Value {
    let noise = |block: u32| f64::from((block * 7) % 5) * 0.0005 - 0.001;
    let base = |block: u32| 1e6 * (1.0 + noise(block));
    let head = |block: u32| ratio * 1e6 * (1.0 + noise(block + 2));
    let coin = |block: u32| if block.is_multiple_of(2) { "base" } else { "head" };
    let block = |at: u32| {
        json!({
            "index": at, "order": at, "started_ms": at * 100, "core": 0, "coin": coin(at),
            "d": (head(at) / base(at)).ln(), "corrected": null, "counted": true, "load": 0.1,
        })
    };
    let side = |name: &str, value: &dyn Fn(u32) -> f64| {
        let sample = |at: u32| {
            json!({
                "block": at, "first": coin(at) == name, "value": value(at), "cpu_ns": 1_000_000,
                "wall_ns": 1_000_000, "loops": 10, "max_rss_bytes": 1_000_000,
                "voluntary_switches": 0,
            })
        };
        json!({ "center": 1e6, "wall": 1e6, "samples": (0..BLOCKS).map(sample).collect::<Vec<_>>() })
    };
    json!({
        "id": format!("suite/{name}"), "benchmark": format!("suite/{name}"), "comparison": "main",
        "machine": "machine", "suite": "suite", "harness": "command", "name": name, "params": [],
        "metric": "time", "unit": "ns", "better": "lower", "verdict": verdict, "reason": null,
        "stage": "measured", "schedule": "alternate", "clock": "cpu", "pairing": "paired",
        "labels": [], "rule": { "threshold": 0.03, "tolerance": 0.01, "absolute": 0.0 },
        "blocks_used": BLOCKS, "decided_at": null, "family": 1, "log_e": null,
        "change": {
            "kind": "ratio", "ratio": ratio, "low": ratio, "high": ratio, "confidence": 0.95,
            "detectable": 0.01,
        },
        "routing": null, "calibration": null, "void": { "base": 0, "head": 0, "reasons": [] },
        "noise": null, "cost_s": 1.0, "source": null,
        "base": side("base", &base), "head": side("head", &head),
        "blocks": (0..BLOCKS).map(block).collect::<Vec<_>>(), "failure": null,
    })
}

/// A row without samples: added, removed, skipped or failed.
pub(crate) fn bare(name: &str, verdict: &str) -> Value {
    let mut row = row(name, 1.0, verdict);
    (row["base"], row["head"], row["change"]) = (Value::Null, Value::Null, Value::Null);
    row["blocks"] = json!([]);
    row
}

/// A results file of these rows, for the commit of this letter.
pub(crate) fn results(letter: char, rows: &[Value]) -> Value {
    let side = |id: &str, digit: char| {
        json!({
            "id": id, "label": id, "revision": id, "commit": digit.to_string().repeat(40),
            "subject": null, "version": null, "dirty": false, "diff_digest": null,
            "environment": "main", "kind": "built", "artifacts": [], "prepare_s": 1.0,
            "cached": false,
        })
    };
    json!({
        "schema": "bench-action/results/v1",
        "tool": { "name": "bench-action", "version": "0.1.0", "commit": null },
        "created": "2026-12-01T10:00:00Z",
        "command": ["bench-action", "run", "--time-budget", "1m"],
        "config": { "digest": "c".repeat(64) }, "seed": "99:1",
        "settings": {
            "alpha": 0.05, "alpha_unchanged": 0.05, "threshold": 0.03, "tolerance": 0.01,
            "fail_threshold": 0.03, "threshold_absolute_ns": 0.0, "max_blocks": 60, "repeat": null,
            "time_budget_s": 60.0,
        },
        "plan": {
            "digest": "d".repeat(64), "family_size": rows.len(), "planned": rows.len(),
            "screened": 0,
        },
        "shard": null, "sides": [side("base", '2'), side("head", letter)],
        "comparisons": [{ "id": "main", "base": "base", "head": "head" }],
        "environments": [{ "name": "main", "python": null, "packages": [], "variables": {} }],
        "harnesses": [{ "name": "command", "version": null, "suite_commit": null }],
        "machines": [{
            "id": "machine", "cpu": "a processor", "cores": 2, "memory": 1_000_000_000,
            "os": "linux", "kernel": null, "virtualization": null, "governor": null, "turbo": null,
            "load": null, "limits": [], "runner": null,
        }],
        "benchmarks": rows, "sentinel": [], "trust": { "ok": true, "reason": null },
        "failure": null,
        "summary": summary(rows),
        "finished": "2026-12-01T10:01:00Z", "stopped_by": "done", "samples_file": null,
        "warnings": [],
    })
}

/// What the rows come to.
fn summary(rows: &[Value]) -> Value {
    let count = |verdict: &str| rows.iter().filter(|row| row["verdict"] == verdict).count();
    let first = ["failed", "regressed", "inconclusive", "improved", "unchanged"];
    let verdict = first.into_iter().find(|verdict| count(verdict) > 0).unwrap_or("empty");
    json!({
        "verdict": verdict,
        "counts": {
            "regressed": count("regressed"), "improved": count("improved"),
            "unchanged": count("unchanged"), "inconclusive": count("inconclusive"),
            "added": count("added"), "removed": count("removed"), "failed": count("failed"),
            "skipped": count("skipped"), "accepted": 0,
        },
        "time": { "prepare_s": 2.0, "measure_s": 3.0, "sliced_s": 1.0 },
    })
}

/// An artifact with these files.
pub(crate) fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// The artifact of a results file.
pub(crate) fn artifact(results: &Value) -> Vec<u8> {
    packed(&[("results.json", results.to_string().as_bytes())])
}
