//! The projects below `examples`, as they stand there: a change of a tenth either way is found, and
//! what is left alone is unchanged.

use super::tools::{
    catch2_main, has_catch2, has_go, has_google_benchmark, path_with_gungraun, wants_all,
};
use crate::support::repository::Repository;
use crate::support::results::ResultsFile;
use crate::support::run::Finished;
use std::path::{Path, PathBuf};

/// How the work of one function grows by a tenth, and that of another shrinks, in each language.
const CHANGES: [(&str, &str); 8] = [
    ("SLOWER: u64 = 1000;", "SLOWER: u64 = 1100;"),
    ("FASTER: u64 = 1000;", "FASTER: u64 = 900;"),
    ("long SLOWER = 1000;", "long SLOWER = 1100;"),
    ("long FASTER = 1000;", "long FASTER = 900;"),
    ("workSlower = 1000", "workSlower = 1100"),
    ("workFaster = 1000", "workFaster = 900"),
    ("SLOWER = 20000000", "SLOWER = 22000000"),
    ("FASTER = 20000000", "FASTER = 18000000"),
];

/// An example's files: paths and contents.
pub(super) fn files(example: &str) -> Vec<(String, String)> {
    let root = directory(example);
    let mut found = Vec::new();
    let mut open = vec![root.clone()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            if path.is_dir() {
                // What somebody who tried it has left.
                if name != "target" && name != ".bench-action" {
                    open.push(path);
                }
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                let path = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                found.push((path, text));
            }
        }
    }
    found
}

pub(super) fn directory(example: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example)
}

/// The same files where head does more of one thing and less of another.
pub(super) fn changed(files: &[(String, String)]) -> Vec<(String, String)> {
    let change = |(path, text): &(String, String)| {
        let new = CHANGES.iter().fold(text.clone(), |text, (old, new)| text.replace(old, new));
        (new != *text).then(|| (path.clone(), new))
    };
    let changed: Vec<_> = files.iter().filter_map(change).collect();
    assert!(!changed.is_empty(), "nothing in the example could be changed");
    changed
}

/// A repository of these files.
pub(super) fn repository(base: &[(String, String)], head: &[(String, String)]) -> Repository {
    Repository::new(&borrowed(base), &borrowed(head))
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

/// An example's results, where head has changed, with what was printed.
fn run(example: &str, suite: &str, variables: &[(&str, &str)]) -> (ResultsFile, Finished) {
    let base = files(example);
    let repository = repository(&base, &changed(&base));
    let run = repository.run(&["--suite", suite, "--seed", example, "--time-budget", "9m"]);
    let run = variables.iter().fold(run, |run, (name, value)| run.env(name, value));
    let finished = run.finish();
    (ResultsFile::read(&repository.last()), finished)
}

/// Slower, faster and same are found to be what they are.
fn finds_the_true_changes((results, finished): &(ResultsFile, Finished), ids: [&str; 3]) {
    assert_eq!(finished.exit, Some(0), "{finished}");
    for (id, verdict) in ids.iter().zip(["regressed", "improved", "unchanged"]) {
        assert_eq!(results.verdict(id), verdict, "{id}: {finished}");
    }
}

/// Both sides shared a core although the harness only knows a monotonic clock.
fn shares_a_core((results, finished): &(ResultsFile, Finished), id: &str) {
    let row = results.row(id);
    assert_eq!((&row["schedule"], &row["clock"]), (&"duet".into(), &"cpu".into()), "{finished}");
    assert!(results.counted(id) <= 20, "{finished}");
}

#[test]
fn criterion_shares_a_core_and_finds_the_true_changes() {
    if wants_all() {
        let ran = run("criterion", "criterion", &[]);
        let ids = ["criterion/slower", "criterion/faster", "criterion/same/10"];
        finds_the_true_changes(&ran, ids);
        shares_a_core(&ran, ids[0]);
    }
}

#[test]
fn divan_shares_a_core_and_finds_the_true_changes() {
    if wants_all() {
        let ran = run("divan", "divan", &[]);
        let ids = ["divan/speed::slower", "divan/speed::faster", "divan/speed::same::10"];
        finds_the_true_changes(&ran, ids);
        shares_a_core(&ran, ids[0]);
    }
}

#[test]
fn libtest_shares_a_core_and_finds_the_true_changes() {
    if wants_all() {
        let ran = run("libtest", "libtest", &[]);
        let ids = ["libtest/slower", "libtest/faster", "libtest/same"];
        finds_the_true_changes(&ran, ids);
        shares_a_core(&ran, ids[0]);
    }
}

#[test]
fn instructions_are_compared_as_they_are_counted() {
    if !wants_all() {
        return;
    }
    let Some(path) = path_with_gungraun() else { return };
    let ran = run("gungraun", "gungraun", &[("PATH", &path)]);
    let id = |name: &str| format!("gungraun/speed::all::{name}");
    let [slower, faster, same] = ["slower", "faster", "same::ten"].map(id);
    finds_the_true_changes(&ran, [&slower, &faster, &same]);
    let (results, finished) = ran;
    assert_eq!(results.row(&same)["pairing"], "exact", "{finished}");
    let counted = [&same, &slower].map(|id| results.counted(id));
    assert_eq!(counted, [1, 2], "equal at once; a difference is launched again: {finished}");
    let ratio = results.row(&slower)["change"]["ratio"].as_f64().unwrap();
    assert!((1.05..1.11).contains(&ratio), "{finished}");
    assert_eq!(results.row(&format!("{slower} [L1hits]"))["verdict"], serde_json::Value::Null);
}

#[test]
fn google_benchmark_finds_the_true_changes() {
    if has_google_benchmark() {
        let ran = run("google-benchmark", "google-benchmark", &[]);
        let id = |name: &str| format!("google-benchmark/BM_{name}");
        let [slower, faster, same] = ["slower", "faster", "same/10"].map(id);
        finds_the_true_changes(&ran, [&slower, &faster, &same]);
        shares_a_core(&ran, &slower);
    }
}

#[test]
fn catch2_shares_a_core_and_finds_the_true_changes() {
    if has_catch2() && wants_all() {
        let main = catch2_main(&directory("catch2").join("main.cpp"));
        let ran = run("catch2", "catch2", &[("CATCH_MAIN", main.to_str().unwrap())]);
        let ids = ["catch2/slower/slower", "catch2/faster/faster", "catch2/same/ten times/same"];
        finds_the_true_changes(&ran, ids);
        shares_a_core(&ran, ids[0]);
    }
}

#[test]
fn go_finds_no_change_but_the_true_ones() {
    if has_go() {
        let (results, finished) = run("go", "go", &[]);
        let verdict =
            |name: &str| results.verdict(&format!("go/example.org/kernels.Benchmark{name}"));
        // By the wall, on a machine with other work, a tenth may stay open.
        let may_be = |name: &str, found: &str| {
            let verdict = verdict(name);
            assert!([found, "inconclusive"].contains(&verdict), "{name}: {verdict} {finished}");
        };
        may_be("Slower", "regressed");
        may_be("Faster", "improved");
        may_be("Same/times=10", "unchanged");
    }
}

#[test]
fn commands_share_a_core_and_the_true_changes_are_found() {
    let ran = run("command", "tool", &[]);
    finds_the_true_changes(&ran, ["tool/slower", "tool/faster", "tool/same"]);
    shares_a_core(&ran, "tool/slower");
}
