//! The table of exit codes: each code, and each pair of neighbours in the order of precedence.

use super::*;
use serde_json::{Value, json};

const ALL: [FailOn; 3] = [FailOn::Regression, FailOn::Failure, FailOn::Inconclusive];

fn change(ratio: f64) -> Value {
    json!({"kind": "ratio", "ratio": ratio, "low": null, "high": null, "confidence": 0.95,
           "detectable": null})
}

pub(crate) fn row(verdict: &str) -> Value {
    json!({
        "id": "asv/a", "benchmark": "asv/a", "comparison": "c", "machine": "m", "suite": "asv",
        "harness": "asv", "name": "a", "params": [], "metric": "time", "unit": "ns",
        "better": "lower", "verdict": verdict, "reason": null, "stage": "measured",
        "schedule": "alternate", "clock": "cpu", "pairing": "paired", "labels": [],
        "rule": {"threshold": 0.03, "tolerance": 0.01, "absolute": 0.0},
        "blocks_used": 14, "decided_at": null, "family": 1, "log_e": null,
        "change": change(1.1), "routing": null, "calibration": null,
        "void": {"base": 0, "head": 0, "reasons": []}, "noise": null, "cost_s": 1.0,
        "source": null, "base": null, "head": null, "blocks": [], "failure": null,
    })
}

fn failed(side: &str) -> Value {
    let mut row = row("failed");
    row["blocks_used"] = json!(0);
    row["change"] = Value::Null;
    row["failure"] = json!({"side": side, "stage": "run", "message": "m", "stderr_tail": ""});
    row
}

pub(crate) fn with(mut row: Value, key: &str, value: Value) -> Value {
    row[key] = value;
    row
}

pub(crate) fn results(rows: &[Value]) -> Value {
    json!({
        "schema": "bench-action/results/v1",
        "tool": {"name": "bench-action", "version": "0", "commit": null},
        "created": "2026-01-01T00:00:00Z", "command": [], "config": {"digest": ""}, "seed": "s",
        "settings": {"alpha": 0.05, "alpha_unchanged": 0.05, "threshold": 0.03, "tolerance": 0.01,
            "fail_threshold": 0.03, "threshold_absolute_ns": 0.0, "max_blocks": 60, "repeat": null,
            "time_budget_s": 60.0},
        "plan": {"digest": "", "family_size": 1, "planned": 1, "screened": 0},
        "shard": null, "sides": [], "comparisons": [], "environments": [], "harnesses": [],
        "machines": [], "benchmarks": rows, "sentinel": [],
        "trust": {"ok": true, "reason": null}, "failure": null,
        "summary": {"verdict": "unchanged", "counts": {"regressed": 0, "improved": 0,
            "unchanged": 0, "inconclusive": 0, "added": 0, "removed": 0, "failed": 0, "skipped": 0,
            "accepted": 0}, "time": {"prepare_s": 0.0, "measure_s": 0.0}},
        "finished": null, "stopped_by": "done", "samples_file": null, "warnings": [],
    })
}

fn untrusted(results: Value) -> Value {
    with(results, "trust", json!({"ok": false, "reason": "sentinel"}))
}

fn unprepared(results: Value) -> Value {
    let failure = json!({"side": "head", "stage": "build", "message": "m", "stderr_tail": ""});
    with(results, "failure", failure)
}

fn exit(results: Value, fail_on: &[FailOn]) -> Exit {
    let results: Results = serde_json::from_value(results).unwrap();
    Exit::of_results(&results, &fail_on.iter().copied().collect())
}

fn exit_of(rows: &[Value], fail_on: &[FailOn]) -> Exit {
    exit(results(rows), fail_on)
}

#[test]
fn the_help_lists_every_code_with_its_number() {
    let codes = [
        Exit::Done,
        Exit::Defect,
        Exit::Usage,
        Exit::Regressed,
        Exit::Inconclusive,
        Exit::Failed,
        Exit::Untrustworthy,
        Exit::NothingMeasured,
        Exit::NotPrepared,
        Exit::GitHub,
        Exit::Interrupted,
        Exit::Terminated,
    ];
    let listed: Vec<u8> =
        HELP.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
    assert_eq!(listed, codes.map(|exit| exit as u8));
}

#[test]
fn each_cause_fails_only_where_fail_on_names_it() {
    let cases = [
        (row("regressed"), FailOn::Regression, Exit::Regressed),
        (row("inconclusive"), FailOn::Inconclusive, Exit::Inconclusive),
        (failed("head"), FailOn::Failure, Exit::Failed),
    ];
    for (bad, cause, code) in cases {
        let rows = [row("unchanged"), bad];
        assert_eq!(exit_of(&rows, &[cause]), code);
        let others: Vec<FailOn> = ALL.into_iter().filter(|other| *other != cause).collect();
        assert_eq!(exit_of(&rows, &others), Exit::Done);
        assert_eq!(exit_of(&rows, &[]), Exit::Done);
    }
}

#[test]
fn where_several_apply_the_first_in_the_documented_order_wins() {
    let all = [failed("head"), row("regressed"), row("inconclusive")];
    assert_eq!(
        exit(unprepared(untrusted(results(&[failed("head")]))), &ALL),
        Exit::NothingMeasured
    );
    assert_eq!(exit(unprepared(untrusted(results(&all))), &ALL), Exit::NotPrepared);
    assert_eq!(exit(untrusted(results(&all)), &ALL), Exit::Untrustworthy);
    assert_eq!(exit_of(&all, &ALL), Exit::Failed);
    assert_eq!(exit_of(&all[1..], &ALL), Exit::Regressed);
    assert_eq!(exit_of(&all[2..], &ALL), Exit::Inconclusive);
}

#[test]
fn an_untrustworthy_run_fails_whatever_fail_on_says() {
    assert_eq!(exit(untrusted(results(&[row("unchanged")])), &[]), Exit::Untrustworthy);
}

#[test]
fn a_regression_fails_only_from_the_fail_threshold_on() {
    let at = |ratio: f64, better: &str| {
        let row = with(with(row("regressed"), "change", change(ratio)), "better", json!(better));
        let mut results = results(&[row]);
        results["settings"]["fail_threshold"] = json!(0.10);
        exit(results, &ALL)
    };
    assert_eq!(at(1.099, "lower"), Exit::Done);
    assert_eq!(at(1.101, "lower"), Exit::Regressed);
    // Throughput: head/base of 1/1.1 is as large a change as 1.1 is of a time.
    assert_eq!(at(0.92, "higher"), Exit::Done);
    assert_eq!(at(0.90, "higher"), Exit::Regressed);
}

#[test]
fn a_difference_is_held_against_the_threshold_relative_to_base() {
    let at = |difference: f64, base: f64| {
        let mut row = row("regressed");
        row["change"] = change(difference);
        row["change"]["kind"] = json!("difference");
        row["base"] = json!({"center": base, "wall": null, "samples": []});
        exit_of(&[row], &ALL)
    };
    assert_eq!(at(2.0, 100.0), Exit::Done);
    assert_eq!(at(4.0, 100.0), Exit::Regressed);
    assert_eq!(at(1.0, 0.0), Exit::Regressed);
}

#[test]
fn an_accepted_regression_never_fails() {
    let accepted = with(row("regressed"), "labels", json!(["accepted"]));
    assert_eq!(exit_of(&[accepted], &ALL), Exit::Done);
}

#[test]
fn a_benchmark_that_was_only_screened_never_fails() {
    let screened = with(row("inconclusive"), "reason", json!("screened"));
    assert_eq!(exit_of(&[screened, row("unchanged")], &ALL), Exit::Done);
}

#[test]
fn a_benchmark_that_fails_on_base_is_no_fault_of_head() {
    assert_eq!(exit_of(&[row("unchanged"), failed("base")], &ALL), Exit::Done);
}

#[test]
fn nothing_on_head_is_never_green() {
    assert_eq!(exit_of(&[], &[]), Exit::NothingMeasured);
    assert_eq!(exit_of(&[row("removed")], &[]), Exit::NothingMeasured);
}

#[test]
fn a_suite_of_which_every_benchmark_got_another_name_is_never_green() {
    assert_eq!(exit_of(&[row("removed"), row("added")], &[]), Exit::NothingMeasured);
    assert_eq!(exit_of(&[row("removed"), row("added"), row("unchanged")], &[]), Exit::Done);
}

fn shard(index: u32, missing: &[u32], found: u64, rows: &[Value]) -> Value {
    let mut results = results(rows);
    results["shard"] = json!({"index": index, "count": 4, "missing": missing});
    results["plan"]["found"] = json!(found);
    results
}

#[test]
fn a_shard_with_nothing_to_do_is_done_if_there_is_anything_at_all() {
    assert_eq!(exit(shard(2, &[], 7, &[]), &ALL), Exit::Done);
    assert_eq!(exit(shard(2, &[], 7, &[row("removed")]), &ALL), Exit::Done);
    assert_eq!(exit(shard(2, &[], 0, &[]), &ALL), Exit::NothingMeasured);
    assert_eq!(exit(shard(2, &[], 7, &[failed("head")]), &[]), Exit::NothingMeasured);
}

#[test]
fn a_merge_without_one_of_its_shards_is_never_green() {
    assert_eq!(exit(shard(0, &[], 7, &[row("unchanged")]), &[]), Exit::Done);
    assert_eq!(exit(shard(0, &[3], 7, &[row("unchanged")]), &[]), Exit::NothingMeasured);
    assert_eq!(exit(shard(0, &[], 7, &[row("removed")]), &[]), Exit::NothingMeasured);
}

#[test]
fn benchmarks_on_both_sides_of_which_none_could_be_measured_are_never_green() {
    let skipped = with(with(row("skipped"), "blocks_used", json!(0)), "change", Value::Null);
    let unstarted = with(with(row("inconclusive"), "blocks_used", json!(0)), "change", Value::Null);
    for rows in [vec![failed("head")], vec![skipped, row("added")], vec![unstarted]] {
        assert_eq!(exit_of(&rows, &[]), Exit::NothingMeasured);
    }
}

#[test]
fn only_added_benchmarks_and_identical_builds_are_green() {
    assert_eq!(exit_of(&[row("added")], &ALL), Exit::Done);
    let identical = with(row("unchanged"), "pairing", json!("identical"));
    assert_eq!(exit_of(&[with(identical, "blocks_used", json!(0))], &ALL), Exit::Done);
}

#[test]
fn a_side_that_could_not_be_prepared_is_told_apart_from_a_suite_without_benchmarks() {
    assert_eq!(exit(unprepared(results(&[])), &[]), Exit::NotPrepared);
}
