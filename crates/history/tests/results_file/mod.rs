//! Results files as `bench-action run` writes them, made up.

use serde_json::{Value, json};

pub(crate) const BASE: &str = "1111111111111111111111111111111111111111";
pub(crate) const HEAD: &str = "2222222222222222222222222222222222222222";

fn side(id: &str, commit: &str) -> Value {
    json!({"id": id, "label": "main", "revision": commit, "commit": commit, "dirty": false,
        "diff_digest": null, "environment": "default", "kind": "built", "artifacts": []})
}

/// A row of a benchmark whose blocks have these log ratios.
pub(crate) fn row(name: &str, better: &str, d: &[f64]) -> Value {
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

/// A results file with these rows: head against base.
pub(crate) fn file(rows: &[Value]) -> Value {
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
