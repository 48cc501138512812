//! A suite that is spread over machines, and what is merged of it.

use crate::support::repository::Repository;
use crate::support::results::ResultsFile;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Seven quick commands, of which one fails on head and one is on head alone.
fn configuration(names: &[&str]) -> String {
    let head =
        "[[suite]]\nname = \"cli\"\nharness = \"command\"\nbenchmarks-from = \"each\"\n".to_owned();
    names.iter().fold(head, |text, name| {
        let run = if *name == "fails" { "sh fails.sh" } else { "true" };
        text + &format!("[[suite.benchmark]]\nname = \"{name}\"\nrun = \"{run}\"\n")
    })
}

const NAMES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "fails"];

fn repository() -> Repository {
    let base = configuration(&NAMES);
    let files = [("bench-action.toml", base.as_str()), ("fails.sh", "true\n")];
    Repository::new(&files, &[("fails.sh", "exit 3\n")])
}

/// Runs a shard; gives its directory.
fn shard(repository: &Repository, index: u32, count: u32, exit: i32) -> PathBuf {
    let out = repository.beside(&format!("shard-{index}-of-{count}"));
    let arguments = ["--suite", "cli", "--repeat", "2", "--fail-on", "never"];
    let run = repository.run(&arguments).arg(format!("--shard={index}/{count}"));
    run.arg("--out").arg(&out).expect(exit);
    out
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What is in a samples file.
fn samples(directory: &Path) -> BTreeSet<String> {
    let slices = bench_results::read_samples(&directory.join("samples.jsonl.gz")).unwrap();
    slices.iter().map(|slices| format!("{slices:?}")).collect()
}

#[test]
fn shards_are_run_apart_and_merged_into_the_whole_and_a_lost_one_is_named() {
    let repository = repository();
    let [one, two] = [1, 2].map(|index| shard(&repository, index, 2, 0));
    let merged = repository.beside("merged");
    let file = one.join("results.json");
    let merge = ["merge", text(&two), text(&file), "--out", text(&merged)];
    let finished = repository.bench_action(&merge).expect(12);
    assert!(finished.stdout.contains("✗ 1 failed"), "{finished}");

    let results = ResultsFile::read(&merged);
    let of_each = |name: &&str| [format!("cli/{name}"), format!("cli/{name} [peak-memory]")];
    let ids: Vec<String> = NAMES.iter().flat_map(of_each).collect();
    assert_eq!(results.ids(), ids);
    assert_eq!(results.verdict("cli/fails"), "failed");
    assert!(results.rows().iter().all(|row| row["family"] == 7), "K is that of the whole suite");
    assert_eq!(results.0["shard"], json!({"index": 0, "count": 2, "missing": []}));
    assert_eq!(results.0["machines"].as_array().unwrap().len(), 2);
    let parts = [ResultsFile::read(&one), ResultsFile::read(&two)];
    for part in &parts {
        for row in part.rows() {
            assert_eq!(results.row(row["id"].as_str().unwrap())["verdict"], row["verdict"]);
        }
    }
    let all: BTreeSet<String> = samples(&one).union(&samples(&two)).cloned().collect();
    assert_eq!(samples(&merged), all);
    assert!(!all.is_empty());
    for report in ["report.md", "report.html"] {
        assert!(merged.join(report).is_file());
    }
    repository.bench_action(&["render", text(&merged.join("results.json")), "--verify"]).expect(0);

    let alone = repository.bench_action(&["merge", text(&one), "--fail-on", "never"]).expect(20);
    let told = "A part is missing: 1 of 2 shards";
    assert!(alone.stdout.contains(told) && alone.stdout.contains("are missing: 2"), "{alone}");
    assert!(!repository.last().exists(), "without --out nothing is written");

    let twice = repository.bench_action(&["merge", text(&one), text(&one)]).expect(2);
    assert!(twice.stderr.contains("both are shard 1 of 2"), "{twice}");
    let into = repository.bench_action(&["merge", text(&one), text(&two), "--out", text(&one)]);
    let into = into.expect(2);
    assert!(into.stderr.contains("would be overwritten"), "{into}");

    repository.write(&[("fails.sh", "exit 4\n")]);
    repository.commit("another head");
    let other = shard(&repository, 2, 2, 0);
    let mixed = repository.bench_action(&["merge", text(&one), text(&other)]).expect(2);
    for words in [text(&one), text(&other), "one compares", "name both commits"] {
        assert!(mixed.stderr.contains(words), "{words}: {mixed}");
    }
}

#[test]
fn a_shard_with_nothing_to_do_says_so_and_is_done() {
    let base = configuration(&["a"]);
    let repository = Repository::new(&[("bench-action.toml", &base)], &[]);
    let runs = (1..=2).map(|index| {
        let out = repository.beside(&format!("shard-{index}"));
        let run = repository.run(&["--suite", "cli", "--repeat", "1", "--out", text(&out)]);
        (run.arg(format!("--shard={index}/2")).expect(0), out)
    });
    let runs: Vec<_> = runs.collect();
    let idle = runs.iter().filter(|(_, out)| ResultsFile::read(out).rows().is_empty());
    let idle: Vec<_> = idle.collect();
    assert_eq!(idle.len(), 1);
    assert!(idle[0].0.stdout.contains("the 1 benchmark falls to others"), "{}", idle[0].0);
    let merge = ["merge", text(&runs[0].1), text(&runs[1].1)];
    let finished = repository.bench_action(&merge).expect(0);
    assert!(!finished.stdout.contains("falls to others"), "{finished}");
}

/// Runs a shard in an attempt of a workflow's run; gives its directory.
fn in_job(
    repository: &Repository,
    index: u32,
    [run, attempt]: [&str; 2],
    more: &[&str],
) -> PathBuf {
    let out = repository.beside(&format!("run-{run}-{attempt}-shard-{index}"));
    let arguments = ["--suite", "cli", "--repeat", "1", "--fail-on", "never", "--out", text(&out)];
    let all = [&arguments, more].concat();
    let shard = repository.run(&all).arg(format!("--shard={index}/2"));
    let shard = shard.env("GITHUB_ACTIONS", "true").env("GITHUB_RUN_ID", run);
    shard.env("GITHUB_RUN_ATTEMPT", attempt).expect(0);
    out
}

#[test]
fn a_shard_that_is_run_again_is_merged_with_the_first_attempts_of_the_others() {
    let repository = repository();
    let one = in_job(&repository, 1, ["99", "1"], &[]);
    let again = in_job(&repository, 2, ["99", "2"], &[]);
    let merge = |parts: [&PathBuf; 2]| {
        repository.bench_action(&["merge", text(parts[0]), text(parts[1]), "--fail-on", "never"])
    };
    merge([&one, &again]).expect(0);
    assert_eq!(ResultsFile::read(&again).0["seed"], "99");
    // Another run has other coins, and a seed that was given is stronger.
    let other = in_job(&repository, 2, ["100", "1"], &[]);
    let refused = merge([&one, &other]).expect(2);
    assert!(refused.stderr.contains("`99` and `100`"), "{refused}");
    let given = in_job(&repository, 2, ["101", "1"], &["--seed", "99"]);
    merge([&one, &given]).expect(0);
}

/// One run's results as the shards of as many machines would have written them.
fn split(results: &Value, count: usize) -> Vec<Value> {
    let rows = results["benchmarks"].as_array().unwrap();
    let part = |index: usize| {
        let ours = rows.iter().enumerate().filter(|(at, _)| at % count == index - 1);
        let mut part = results.clone();
        part["benchmarks"] = ours.map(|(_, row)| row.clone()).collect();
        part["shard"] = json!({"index": index, "count": count, "missing": []});
        part
    };
    (1..=count).map(part).collect()
}

#[test]
fn shards_of_one_run_merge_to_its_verdicts_exactly() {
    let repository = repository();
    repository.run(&["--suite", "cli", "--repeat", "8", "--fail-on", "never"]).expect(0);
    let one = ResultsFile::read(&repository.last());
    for count in [2, 8] {
        let files: Vec<PathBuf> = split(&one.0, count)
            .iter()
            .enumerate()
            .map(|(at, part)| {
                let path = repository.beside(&format!("{count}-{at}.json"));
                fs::write(&path, part.to_string()).unwrap();
                path
            })
            .collect();
        let out = repository.beside(&format!("merged-{count}"));
        let merge = repository.bench_action(&["merge", "--out", text(&out), "--fail-on", "never"]);
        files.iter().fold(merge, |merge, file| merge.arg(file)).expect(0);
        let merged = ResultsFile::read(&out);
        assert_eq!(merged.ids(), one.ids());
        for (merged, row) in merged.rows().iter().zip(one.rows()) {
            for field in ["verdict", "reason", "log_e", "change", "decided_at", "family", "blocks"]
            {
                assert_eq!(merged[field], row[field], "{}: {field}", row["id"]);
            }
        }
        assert_eq!(merged.0["summary"]["verdict"], one.0["summary"]["verdict"]);
        assert_eq!(merged.0["summary"]["counts"], one.0["summary"]["counts"]);
    }
}

#[test]
fn the_part_of_a_shard_is_listed_and_planned_and_follows_the_costs() {
    let repository = repository();
    let ids = |shard: &str, costs: &[&str]| -> BTreeSet<String> {
        let arguments = ["list", "--base", "HEAD~1", "--suite", "cli", "--shard", shard];
        let list =
            costs.iter().fold(repository.bench_action(&arguments), |run, more| run.arg(more));
        list.expect(0).stdout.lines().map(str::to_owned).collect()
    };
    let all: BTreeSet<String> = NAMES.iter().map(|name| format!("cli/{name}")).collect();
    let [one, two] = ["1/2", "2/2"].map(|shard| ids(shard, &[]));
    assert!(one.is_disjoint(&two));
    assert_eq!(one.union(&two).cloned().collect::<BTreeSet<_>>(), all);
    let plan = ["--suite", "cli", "--shard", "2/2", "--dry-run"];
    let plan = repository.run(&plan).expect(0).stdout;
    assert!(plan.contains(&format!("benchmarks: {} of 7", two.len())), "{plan}");
    assert!(plan.contains("shard: 2/2, by a hash of the ids"), "{plan}");

    repository.run(&["--suite", "cli", "--repeat", "1", "--fail-on", "never"]).expect(0);
    let costs = repository.last().join("results.json");
    let mut known = ResultsFile::read(&repository.last()).0;
    for row in known["benchmarks"].as_array_mut().unwrap() {
        row["cost_s"] = json!(if row["id"] == "cli/d" { 60.0 } else { 1.0 });
    }
    fs::write(&costs, known.to_string()).unwrap();
    let by_cost = ["--shard-costs", text(&costs)];
    assert_eq!(ids("1/2", &by_cost), BTreeSet::from(["cli/d".to_owned()]));
    assert_eq!(ids("2/2", &by_cost).len(), 6);
}
