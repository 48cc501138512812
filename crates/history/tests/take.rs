//! What is taken from a results file, and which files are refused.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

mod results_file;

use bench_history::{Caps, Commit, Measured, TakeError, load, take};
use bench_results::{Results, read};
use results_file::{BASE, HEAD, file, row};
use serde_json::{Value, json};

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
