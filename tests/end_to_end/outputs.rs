//! `compare` on what other tools have written.

use crate::support::results::ResultsFile;
use crate::support::run::{Finished, Run};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Ten launches of go benchmarks in a directory each; `factor` times as slow where it is not 1.
fn launches(directory: &Path, name: &str, factor: f64) {
    let place = directory.join(name);
    fs::create_dir_all(&place).unwrap();
    for launch in 0..10 {
        let noise = 1.0 + f64::from(launch * 7 % 10) / 1000.0;
        let text = format!(
            "goos: linux\npkg: p\nBenchmarkSame-2 \t 100 \t {:.3} ns/op\nBenchmarkSlow-2 \t 100 \t {:.3} ns/op\nBenchmarkOnly{name}-2 \t 1 \t 5 ns/op\n",
            1000.0 * noise,
            1000.0 * noise * factor,
        );
        fs::write(place.join(format!("{launch}.txt")), text).unwrap();
    }
}

fn compare(directory: &TempDir, arguments: &[&str]) -> Run {
    let all: Vec<&str> = ["compare"].iter().chain(arguments).copied().collect();
    Run::new(directory.path(), &all)
}

fn judged(directory: &TempDir, arguments: &[&str]) -> (Finished, ResultsFile) {
    let finished = compare(directory, &[arguments, &["--out", "out"]].concat()).expect(0);
    (finished, ResultsFile::read(&directory.path().join("out")))
}

#[test]
fn directories_with_a_file_for_each_launch_are_judged() {
    let directory = TempDir::new().unwrap();
    launches(directory.path(), "Base", 1.0);
    launches(directory.path(), "Head", 1.2);
    let (finished, results) = judged(&directory, &["Base", "Head"]);
    assert_eq!(results.verdict("go/p.BenchmarkSlow"), "regressed", "{finished}");
    // Never unchanged: nothing was randomised.
    assert_eq!(results.verdict("go/p.BenchmarkSame"), "inconclusive");
    assert_eq!(results.verdict("go/p.BenchmarkOnlyHead"), "added");
    assert_eq!(results.verdict("go/p.BenchmarkOnlyBase"), "removed");
    let row = results.row("go/p.BenchmarkSlow");
    assert_eq!(row["pairing"], "unpaired");
    assert!((row["change"]["ratio"].as_f64().unwrap() - 1.2).abs() < 0.01);
    assert!(row["labels"].as_array().unwrap().contains(&"not randomised".into()));
    assert!(finished.stdout.contains("BenchmarkSlow"), "{finished}");
}

#[test]
fn one_launch_of_each_is_never_a_verdict() {
    let directory = TempDir::new().unwrap();
    let hyperfine = |mean: f64| format!(r#"{{"results": [{{"command": "a b", "mean": {mean}}}]}}"#);
    fs::write(directory.path().join("base.json"), hyperfine(1.0)).unwrap();
    fs::write(directory.path().join("head.json"), hyperfine(2.0)).unwrap();
    let (finished, results) = judged(&directory, &["base.json", "head.json"]);
    let row = results.row("hyperfine/a b");
    assert_eq!(row["verdict"], "inconclusive", "{finished}");
    assert!(row["reason"].as_str().unwrap().contains("launches of each side are needed"), "{row}");
    assert!((row["change"]["ratio"].as_f64().unwrap() - 2.0).abs() < 1e-9);
    assert!(row["labels"].as_array().unwrap().contains(&"no raw samples".into()));
}

#[test]
fn what_failed_on_a_side_is_told_of_that_side() {
    let directory = TempDir::new().unwrap();
    let libtest = |b: &str| format!("test a ... bench: 5 ns/iter (+/- 1)\ntest b ... {b}\n");
    fs::write(directory.path().join("base.txt"), libtest("bench: 5 ns/iter (+/- 1)")).unwrap();
    fs::write(directory.path().join("head.txt"), libtest("FAILED")).unwrap();
    let finished = compare(&directory, &["base.txt", "head.txt", "--out", "out"]).expect(12);
    let results = ResultsFile::read(&directory.path().join("out"));
    let row = results.row("libtest/b");
    assert_eq!(
        (&row["verdict"], &row["failure"]["side"]),
        (&"failed".into(), &"head".into()),
        "{finished}"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_named_with_what_was_expected() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("a.json"), "{\"context\": {").unwrap();
    let finished = compare(&directory, &["a.json", "a.json"]).expect(2);
    assert!(finished.stderr.contains("a.json: the file is cut short"), "{finished}");
    let finished = compare(&directory, &["missing.json", "a.json"]).expect(2);
    assert!(finished.stderr.contains("missing.json"), "{finished}");
    let finished = compare(&directory, &["a.json", "a.json", "--harness", "x"]).expect(2);
    assert!(finished.stderr.contains("no reader for `x`"), "{finished}");
    fs::write(directory.path().join("p.toml"), "[project]\nname = 'x'\n").unwrap();
    let finished = compare(&directory, &["p.toml", "p.toml"]).expect(2);
    for words in ["p.toml: the file is neither JSON nor", "`[project]`", "pytest-benchmark"] {
        assert!(finished.stderr.contains(words), "{words}: {finished}");
    }
    simple(&directory, "s.json", "ns", &[1.0]);
    let finished = compare(&directory, &["s.json", "s.json", "--harness", "criterion"]).expect(2);
    for words in ["not what criterion writes", "or name simple"] {
        assert!(finished.stderr.contains(words), "{words}: {finished}");
    }
}

#[test]
fn files_without_a_common_benchmark_are_never_green() {
    let directory = TempDir::new().unwrap();
    simple(&directory, "base.json", "ns", &[1.0; 8]);
    let text = fs::read_to_string(directory.path().join("base.json")).unwrap();
    fs::write(directory.path().join("head.json"), text.replace("\"n\"", "\"m\"")).unwrap();
    let finished = compare(&directory, &["base.json", "head.json"]).expect(20);
    assert!(finished.stdout.contains("no benchmark is on both sides"), "{finished}");
    assert!(!finished.stdout.contains("build"), "{finished}");
    let finished = compare(&directory, &["base.json", "base.json", "--filter", "zzz"]).expect(20);
    let text = finished.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let says = "no benchmark matches `--filter zzz`; the only one there is `simple/n`";
    assert!(text.contains(says), "{finished}");
    let finished = compare(&directory, &["base.json", "base.json"]).expect(0);
    assert_eq!(finished.stdout.matches("not randomised").count(), 1, "{finished}");
    assert!(finished.stdout.contains("8 launches of each side"), "{finished}");
}

/// Launches in our simple form, one list of values.
fn simple(directory: &TempDir, file: &str, unit: &str, values: &[f64]) {
    let launches: Vec<[f64; 1]> = values.iter().map(|value| [*value]).collect();
    let text = format!(
        r#"{{"schema": "bench-action/simple/v1", "benchmarks": [{{"name": "n", "unit": "{unit}", "launches": {launches:?}}}]}}"#
    );
    fs::write(directory.path().join(file), text).unwrap();
}

#[test]
fn zeros_are_evidence_too() {
    let directory = TempDir::new().unwrap();
    simple(&directory, "base.json", "count", &[0., 0., 0., 0., 1., 1., 1., 1.]);
    simple(&directory, "head.json", "count", &[0., 0., 0., 0., 2., 2., 2., 2.]);
    let (_, results) = judged(&directory, &["base.json", "head.json"]);
    assert_eq!(results.verdict("simple/n"), "inconclusive");
    simple(&directory, "base.json", "bytes", &[0.; 8]);
    simple(
        &directory,
        "head.json",
        "bytes",
        &[5001., 5002., 5003., 5004., 5005., 5006., 5007., 5008.],
    );
    let (_, results) = judged(&directory, &["base.json", "head.json"]);
    assert_eq!(results.verdict("simple/n"), "regressed");
    assert_eq!(results.row("simple/n")["change"]["kind"], "difference");
}

#[test]
fn what_is_measured_in_another_unit_is_not_compared() {
    let directory = TempDir::new().unwrap();
    simple(&directory, "base.json", "MB", &[2000.; 10]);
    simple(&directory, "head.json", "GB", &[2.; 10]);
    let (_, results) = judged(&directory, &["base.json", "head.json"]);
    let row = results.row("simple/n");
    assert_eq!((&row["verdict"], row["change"].is_null()), (&"inconclusive".into(), true));
    assert!(row["reason"].as_str().unwrap().contains("base has value in MB"), "{row}");
}

#[test]
fn very_many_launches_are_judged_too() {
    let directory = TempDir::new().unwrap();
    let many: Vec<f64> = (0..20_000).map(|at| 100.0 + f64::from(at % 7)).collect();
    simple(&directory, "base.json", "ns", &many);
    simple(&directory, "head.json", "ns", &many);
    let (_, results) = judged(&directory, &["base.json", "head.json"]);
    assert_eq!(results.verdict("simple/n"), "inconclusive");
}
