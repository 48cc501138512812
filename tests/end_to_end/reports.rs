//! Files that a run leaves, read again: rendered in every form, held against their evidence,
//! compared, and described by schemas.

use crate::support::repository::Repository;
use crate::support::results::ResultsFile;
use crate::support::run::{Finished, Run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A run whose verdicts are known.
struct Known {
    repository: Repository,
    finished: Finished,
    results: ResultsFile,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let suite = ("benchmarks/values.py", include_str!("suites/values.py"));
    let repository = Repository::new(&[suite], &[]);
    let finished = repository
        .run(&["--max-blocks", "8", "--fail-on", "regression", "--seed", "known"])
        .finish();
    let results = ResultsFile::read(&repository.last());
    Known { repository, finished, results }
});

fn results_path() -> PathBuf {
    KNOWN.repository.last().join("results.json")
}

fn render(results: &Path, arguments: &[&str]) -> Run {
    let path = results.to_str().unwrap();
    let all: Vec<&str> = ["render", path].iter().chain(arguments).copied().collect();
    KNOWN.repository.bench_action(&all)
}

#[test]
fn verdicts_follow_from_the_values() {
    for (name, verdict) in
        [("track_slower", "regressed"), ("track_faster", "improved"), ("track_same", "unchanged")]
    {
        assert_eq!(KNOWN.results.verdict(&format!("asv/values.{name}")), verdict);
    }
    assert!(KNOWN.results.counted("asv/values.time_steady") > 0);
}

#[test]
fn a_regression_makes_the_exit_code_when_it_was_asked_for() {
    assert_eq!(KNOWN.finished.exit, Some(10), "{}", KNOWN.finished);
}

#[test]
fn the_file_tells_all_that_the_contract_names() {
    let file = &KNOWN.results.0;
    for field in [
        "schema",
        "tool",
        "created",
        "command",
        "config",
        "seed",
        "settings",
        "plan",
        "shard",
        "sides",
        "comparisons",
        "environments",
        "harnesses",
        "machines",
        "benchmarks",
        "sentinel",
        "trust",
        "failure",
        "summary",
        "finished",
        "stopped_by",
        "samples_file",
        "warnings",
    ] {
        assert!(file.get(field).is_some(), "{field}");
    }
    let samples = file["samples_file"]["file"].as_str().unwrap();
    assert!(KNOWN.repository.last().join(samples).is_file());
}

#[test]
fn a_file_renders_in_every_form_and_without_colours_where_none_are_wanted() {
    for (format, words) in [
        ("terminal", "track_slower"),
        ("markdown", "<details>"),
        ("json", "\"schema\""),
        ("html", "<!doctype html>"),
        ("csv", "asv/values.track_slower"),
    ] {
        let text = render(&results_path(), &["--format", format]).expect(0).stdout;
        assert!(text.to_lowercase().contains(&words.to_lowercase()), "{format}: {text}");
        assert!(!text.contains('\x1b'), "{format}");
    }
    let json = render(&results_path(), &["--format", "json"]).expect(0).stdout;
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), KNOWN.results.0);
}

#[test]
fn what_was_printed_and_written_is_what_renders_again() {
    let [markdown, html] = ["md", "html"].map(|ending| {
        fs::read_to_string(KNOWN.repository.last().join(format!("report.{ending}"))).unwrap()
    });
    assert_eq!(render(&results_path(), &["--format", "markdown"]).expect(0).stdout, markdown);
    assert_eq!(render(&results_path(), &["--format", "html"]).expect(0).stdout, html);
}

#[test]
fn stored_verdicts_are_held_against_the_evidence() {
    render(&results_path(), &["--verify"]).expect(0);
    let mut file = KNOWN.results.0.clone();
    let rows = file["benchmarks"].as_array_mut().unwrap();
    let row = rows.iter_mut().find(|row| row["id"] == "asv/values.track_slower").unwrap();
    row["verdict"] = "unchanged".into();
    let tampered = KNOWN.repository.beside("tampered.json");
    fs::write(&tampered, file.to_string()).unwrap();
    let finished = render(&tampered, &["--verify"]).expect(13);
    for words in ["asv/values.track_slower", "unchanged", "regressed"] {
        assert!(finished.stderr.contains(words), "{words}: {finished}");
    }
}

/// The known results with one value changed, as a file of its own.
fn changed(name: &str, change: impl Fn(&mut Value)) -> PathBuf {
    let mut file = KNOWN.results.0.clone();
    change(&mut file);
    assert_ne!(file, KNOWN.results.0, "{name} changes nothing");
    let path = KNOWN.repository.beside(name);
    fs::write(&path, file.to_string()).unwrap();
    path
}

fn row_of<'a>(file: &'a mut Value, id: &str) -> &'a mut Value {
    let rows = file["benchmarks"].as_array_mut().unwrap();
    rows.iter_mut().find(|row| row["id"] == id).unwrap()
}

#[test]
fn every_figure_is_held_against_the_evidence() {
    let id = "asv/values.track_slower";
    let ratio = changed("ratio.json", |file| row_of(file, id)["change"]["ratio"] = 1.4.into());
    let value = changed("value.json", |file| {
        row_of(file, id)["head"]["samples"][0]["value"] = 149.0.into();
    });
    let center = changed("center.json", |file| file["sentinel"][0]["base"]["center"] = 1.0.into());
    let trust = changed("trust.json", |file| file["trust"]["reason"] = "none".into());
    let counts = changed("counts.json", |file| file["summary"]["counts"]["regressed"] = 0.into());
    for (path, words) in [
        (
            ratio,
            "benchmarks[asv/values.track_slower].change.ratio is stored as 1.4, the evidence says 1.5",
        ),
        (value, "asv/values.track_slower"),
        (center, "sentinel["),
        (trust, "trust"),
        (counts, "summary.counts.regressed is stored as 0"),
    ] {
        let finished = render(&path, &["--verify"]).expect(13);
        assert!(finished.stderr.contains(words), "{words}: {finished}");
    }
}

#[test]
fn a_report_is_held_against_the_results_that_it_is_of() {
    let report = |name: &str| KNOWN.repository.last().join(name).to_str().unwrap().to_owned();
    let (markdown, html) = (report("report.md"), report("report.html"));
    for file in [&markdown, &html] {
        render(&results_path(), &["--verify", "--report", file]).expect(0);
    }
    // One figure of the report.
    let text = fs::read_to_string(&markdown).unwrap();
    let (before, after) = text.split_once("+50").unwrap();
    let figure = KNOWN.repository.beside("figure.md");
    fs::write(&figure, format!("{before}+40{after}")).unwrap();
    let figure = render(&results_path(), &["--verify", "--report"]).arg(&figure).expect(13);
    for words in ["figure.md", "line ", "+40", "+50"] {
        assert!(figure.stderr.contains(words), "{words}: {figure}");
    }
    // Another run of the same commits.
    let other = KNOWN.repository.beside("other-run");
    let run = KNOWN.repository.run(&["--max-blocks", "8", "--seed", "other", "--out"]);
    run.arg(&other).expect(0);
    for name in ["report.md", "report.html"] {
        let other = render(&results_path(), &["--verify", "--report"]).arg(other.join(name));
        let other = other.expect(13);
        assert!(other.stderr.contains("it is of another run"), "{other}");
    }
    // Other results: one commit, one fact of the machine.
    let commit = changed("commit.json", |file| {
        file["sides"][0]["commit"] = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00".into();
    });
    let kernel = changed("kernel.json", |file| file["machines"][0]["kernel"] = "0.0.1".into());
    for path in [commit, kernel] {
        render(&path, &["--verify", "--report", &html]).expect(13);
    }
    let alone = render(&results_path(), &["--report", &html]).expect(2);
    assert!(alone.stderr.contains("--verify"), "{alone}");
}

#[test]
fn samples_of_another_run_are_not_taken_for_those_of_these_results() {
    let place = KNOWN.repository.beside("apart");
    fs::create_dir_all(&place).unwrap();
    let (results, samples) = (place.join("results.json"), place.join("samples.jsonl.gz"));
    fs::copy(results_path(), &results).unwrap();
    render(&results, &["--verify"]).expect(0);
    fs::copy(KNOWN.repository.last().join("samples.jsonl.gz"), &samples).unwrap();
    render(&results, &["--verify"]).expect(0);
    fs::write(&samples, "others").unwrap();
    let finished = render(&results, &["--verify"]).expect(13);
    assert!(finished.stderr.contains("not the samples file"), "{finished}");
}

#[test]
fn a_file_compared_with_itself_keeps_its_verdicts() {
    let path = results_path();
    let out = KNOWN.repository.beside("compared");
    let path = path.to_str().unwrap();
    let run = KNOWN.repository.bench_action(&["compare", path, path]).arg("--out").arg(&out);
    run.expect(0);
    let verdicts = |results: &ResultsFile| -> Vec<Value> {
        results.rows().iter().map(|row| row["verdict"].clone()).collect()
    };
    assert_eq!(verdicts(&ResultsFile::read(&out)), verdicts(&KNOWN.results));
}

#[test]
fn a_file_that_is_none_is_a_mistake_and_is_named() {
    let other = KNOWN.repository.beside("other.json");
    fs::write(&other, "{\"schema\": \"somebody/else/v9\"}").unwrap();
    let finished = render(&other, &[]).expect(2);
    assert!(finished.stderr.contains("other.json"), "{finished}");
    let finished = render(Path::new("no-such-file.json"), &[]).expect(2);
    assert!(finished.stderr.contains("no-such-file.json"), "{finished}");
    fs::write(&other, "{\n\"benchmarks\": []}").unwrap();
    let finished = render(&other, &[]).expect(2);
    assert!(finished.stderr.contains("it has no `schema`; what a harness wrote"), "{finished}");
    assert!(finished.stderr.contains("`bench-action compare`"), "{finished}");
    assert_eq!(finished.stderr.matches("line").count(), 0, "{finished}");
}

#[test]
fn the_last_results_are_found_from_below_and_their_want_is_told() {
    let below = KNOWN.repository.root().join("benchmarks");
    let finished = Run::new(&below, &["render"]).expect(0);
    assert!(finished.stdout.contains("values.track_slower"), "{finished}");
    let nowhere = tempfile::tempdir().unwrap();
    let finished = Run::new(nowhere.path(), &["render"]).expect(2);
    assert!(finished.stderr.contains("run `bench-action run` first"), "{finished}");
    let finished = render(&results_path(), &["--format=markdown", "--template=nope"]).expect(2);
    assert!(finished.stderr.contains("nope: ") && !finished.stderr.contains("disk"), "{finished}");
}

#[test]
fn every_schema_is_one() {
    for name in ["config", "results", "worker"] {
        let finished = KNOWN.repository.bench_action(&["schema", name]).expect(0);
        let schema: Value = serde_json::from_str(&finished.stdout).unwrap();
        assert!(schema["$schema"].is_string(), "{name}");
    }
}
