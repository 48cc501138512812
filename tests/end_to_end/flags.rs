//! What flags promise: exact numbers of blocks, equal plans for equal seeds, a choice among the
//! benchmarks, and mistakes that are named.

use crate::support::repository::Repository;
use crate::support::results::{ResultsFile, blocks};
use serde_json::Value;
use std::sync::LazyLock;

static STEADY: LazyLock<Repository> = LazyLock::new(|| {
    Repository::new(&[("benchmarks/steady.py", include_str!("suites/steady.py"))], &[])
});

fn run(arguments: &[&str], out: &str) -> ResultsFile {
    let out = STEADY.beside(out);
    STEADY.run(arguments).arg("--out").arg(&out).expect(0);
    ResultsFile::read(&out)
}

/// Which side the coin let go first, block by block, for each row.
fn coins(results: &ResultsFile) -> Vec<(String, Vec<String>)> {
    let of_row = |row: &Value| {
        let coins = blocks(row).iter().map(|block| format!("{} {}", block["index"], block["coin"]));
        (row["id"].to_string(), coins.collect())
    };
    results.rows().iter().map(of_row).collect()
}

/// The rows in the order in which each of their blocks was measured.
fn order(results: &ResultsFile) -> Vec<String> {
    let mut order: Vec<(u64, String)> = results
        .rows()
        .iter()
        .flat_map(|row| blocks(row).iter().map(|block| (block, row["id"].to_string())))
        .map(|(block, id)| (block["started_ms"].as_u64().unwrap(), id))
        .collect();
    order.sort();
    order.into_iter().map(|(_, id)| id).collect()
}

#[test]
fn a_number_of_blocks_is_kept_exactly_and_a_seed_repeats_the_plan() {
    let arguments = ["--repeat", "2", "--seed", "once upon a time"];
    let [first, again] = ["first", "again"].map(|out| run(&arguments, out));
    for id in first.ids() {
        assert_eq!(first.counted(id), 2, "{id}");
    }
    assert_eq!(first.0["seed"], "once upon a time");
    assert_eq!(first.0["plan"], again.0["plan"]);
    assert_eq!(coins(&first), coins(&again));
    assert_eq!(order(&first), order(&again));
    let other = run(&["--repeat", "2", "--seed", "another"], "other");
    assert_ne!(coins(&first), coins(&other));
}

#[test]
fn a_filter_chooses_by_id_and_several_add_up() {
    let some = run(&["--repeat", "1", "--filter", "time_a$", "--filter", "track_"], "some");
    assert_eq!(some.ids(), ["asv/steady.time_a", "asv/steady.track_d"]);
}

#[test]
fn a_filter_without_a_match_is_named_beside_what_there_is() {
    let says = "no benchmark matches `--filter ^time_a`; there are 4, such as";
    let filter = ["--base", "HEAD~1", "--filter", "^time_a"];
    let out = STEADY.beside("unmatched");
    let run = STEADY.bench_action(&[&["run"][..], &filter].concat()).arg("--out").arg(&out);
    let finished = run.expect(20);
    let text = finished.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(says) && text.contains("asv/steady.time_a"), "{finished}");
    let list = STEADY.bench_action(&[&["list"][..], &filter].concat()).expect(20);
    assert!(list.stderr.contains(says) && list.stdout.is_empty(), "{list}");
}

#[test]
fn shards_share_the_benchmarks_out() {
    let shards = ["1/2", "2/2"].map(|shard| {
        let name = shard.replace('/', "-of-");
        run(&["--repeat", "1", "--shard", shard], &name)
    });
    let mut ids: Vec<&str> = shards.iter().flat_map(ResultsFile::ids).collect();
    ids.sort_unstable();
    let all = ["time_a", "time_b", "time_c", "track_d"].map(|name| format!("asv/steady.{name}"));
    assert_eq!(ids, all);
}

#[test]
fn a_suite_can_be_chosen_and_one_that_is_not_there_is_a_mistake() {
    let chosen = run(&["--repeat", "1", "--suite", "asv", "--filter", "track_d"], "chosen");
    assert_eq!(chosen.ids(), ["asv/steady.track_d"]);
    let finished = STEADY.run(&["--suite", "avs"]).expect(2);
    assert!(finished.stderr.contains("avs") && finished.stderr.contains("asv"), "{finished}");
}

#[test]
fn a_dry_run_prints_the_plan_and_makes_nothing() {
    let repository =
        Repository::new(&[("benchmarks/steady.py", include_str!("suites/steady.py"))], &[]);
    std::fs::remove_dir_all(repository.root().join(".bench-action")).unwrap();
    let finished = repository.run(&["--dry-run"]).expect(0);
    for revision in ["HEAD~1", "HEAD"] {
        let commit = repository.git(&["rev-parse", revision]);
        assert!(finished.stdout.contains(&commit), "{finished}");
    }
    for words in [
        "suite asv",
        "`bench-action list`",
        "threshold 3% (5% for peak memory)",
        "time budget: 10 s for each benchmark (more where a launch takes long by itself), at most 10 min",
        "fail-on: failure",
    ] {
        assert!(finished.stdout.contains(words), "{words}: {finished}");
    }
    let flags = ["--dry-run", "--filter", "time_a", "--time-budget=90s", "--threshold=2%"];
    let finished = repository.run(&flags).expect(0);
    for words in ["filter: time_a", "time budget: 90 s", "threshold 2%, "] {
        assert!(finished.stdout.contains(words), "{words}: {finished}");
    }
    let finished = repository.run(&["--dry-run", "--format", "json"]).expect(2);
    assert!(finished.stderr.contains("--format"), "{finished}");
    assert!(!repository.root().join(".bench-action").exists());
}

#[test]
fn a_list_names_what_there_is_without_running_it() {
    let lines = STEADY.bench_action(&["list", "--base", "HEAD~1"]).expect(0);
    let ids = "asv/steady.time_a\nasv/steady.time_b\nasv/steady.time_c\nasv/steady.track_d\n";
    assert_eq!(lines.stdout, ids);
    let json = STEADY.bench_action(&["list", "--base", "HEAD~1", "--format", "json"]).expect(0);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json[0]["id"], "asv/steady.time_a");
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_what_was_meant() {
    let repository = Repository::new(
        &[("bench-action.toml", "[compare]\nthreshhold = \"5%\"\n"), ("benchmarks/a.py", "")],
        &[],
    );
    let finished = repository.run(&[]).expect(2);
    for words in ["bench-action.toml:2", "threshhold", "`threshold`"] {
        assert!(finished.stderr.contains(words), "{words}: {finished}");
    }
    assert!(!repository.last().join("results.json").exists());
}

#[test]
fn values_that_cannot_be_are_mistakes() {
    for arguments in [
        ["--threshold", "minus three"],
        ["--filter", "("],
        ["--time-budget", "10 parsecs"],
        ["--fail-on", "everything"],
        ["--shard", "3/2"],
        ["--cpu-list", "a-b"],
        ["--cpu-list", "65535"],
        ["--seed", ""],
        ["--no-such-flag", "1"],
    ] {
        let finished = STEADY.run(&arguments).expect(2);
        let flag = arguments[0].trim_start_matches('-');
        assert!(finished.stderr.contains(flag), "{arguments:?}: {finished}");
    }
}

#[test]
fn alone_it_says_what_it_sees_here() {
    let finished = STEADY.bench_action(&[]).expect(0);
    for words in ["Usage", "asv (asv: asv.conf.json)"] {
        assert!(finished.stdout.contains(words), "{words}: {finished}");
    }
}

#[test]
fn a_repository_without_a_suite_is_never_green() {
    let repository = Repository::new(&[], &[("asv.conf.json", "")]);
    repository.git(&["rm", "--quiet", "asv.conf.json"]);
    repository.commit("no suite");
    let finished = repository.run(&["--fail-on", "never"]).expect(20);
    for words in ["no suite was found", "asv*.conf.json", "bench-action.toml", "[[suite]]"] {
        assert!(finished.stdout.contains(words), "{words}: {finished}");
    }
    let finished = repository.bench_action(&["list", "--base", "HEAD~1"]).expect(20);
    assert!(finished.stderr.contains("no suite was found"), "{finished}");
}

#[test]
fn results_of_a_run_that_measured_nothing_stand_alone() {
    let repository = Repository::new(&[], &[("asv.conf.json", "")]);
    repository.git(&["rm", "--quiet", "asv.conf.json"]);
    repository.commit("no suite");
    let stale = ["journal.jsonl", "samples.jsonl.gz", "base-build.log", "head-build.log"];
    for name in stale {
        repository.write(&[(&format!(".bench-action/last/{name}"), "of an earlier run\n")]);
    }
    repository.run(&[]).expect(20);
    assert!(repository.last().join("results.json").exists());
    for name in stale {
        assert!(!repository.last().join(name).exists(), "{name}");
    }
}
