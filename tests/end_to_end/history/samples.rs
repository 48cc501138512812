//! Raw measurements in the history: kept where they are asked for, taken out as they were, and nothing
//! that who only reads the series would have to fetch.

use super::{results, shown, with_origin};
use crate::support::repository::Repository;
use bench_results::{SamplesWriter, file_digest};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// A results file and, beside it, one with slices, which it names.
fn with_slices(repository: &Repository, commit: &str, reference: &str) -> PathBuf {
    let directory = repository.beside(&format!("run-{}", &commit[..10]));
    fs::create_dir_all(&directory).unwrap();
    let slices = directory.join("samples.jsonl.gz");
    SamplesWriter::create(&slices).unwrap().finish().unwrap();
    let text = fs::read_to_string(results(repository, commit, reference)).unwrap();
    let mut text: Value = serde_json::from_str(&text).unwrap();
    text["samples_file"] = json!({
        "file": "samples.jsonl.gz", "sha256": file_digest(&slices).unwrap(), "format": "jsonl",
    });
    let path = directory.join("results.json");
    fs::write(&path, text.to_string()).unwrap();
    path
}

/// Takes out the samples of a commit, and says what was written.
fn taken_out(repository: &Repository, commit: &str, place: &[&str]) -> Vec<PathBuf> {
    let out = shown(&repository.beside("out"));
    let samples = ["history", "samples", commit, "--out", &out];
    let said = repository.bench_action(&samples).args(place).expect(0);
    said.stdout.lines().map(PathBuf::from).collect()
}

#[test]
fn samples_are_kept_on_a_branch_of_their_own_and_come_out_as_they_were() {
    let (repository, origin, commits) = with_origin(3);
    let first = with_slices(&repository, &commits[1], &commits[0]);
    let second = results(&repository, &commits[2], &commits[0]);
    let record = ["history", "record", "--samples", &shown(&first), &second];
    let kept = repository.bench_action(&record).expect(0);
    assert!(kept.stderr.contains("branch bench-history-samples of"), "{kept}");
    let on = |branch: &str| {
        let list = ["--git-dir", &shown(&origin), "ls-tree", "-r", "--name-only", branch];
        repository.git(&list)
    };
    assert!(!on("bench-history").contains("samples"), "{}", on("bench-history"));
    assert_eq!(on("bench-history-samples").lines().count(), 4, "a mark, two runs, their slices");
    // The same once more adds nothing.
    repository.bench_action(&record).expect(0);
    let count = ["--git-dir", &shown(&origin), "rev-list", "--count", "bench-history-samples"];
    assert_eq!(repository.git(&count), "1");

    let files = taken_out(&repository, &commits[1][..8], &[]);
    let [whole, slices] = files.as_slice() else { panic!("{files:?}") };
    assert_eq!(fs::read(whole).unwrap(), fs::read(&first).unwrap());
    let beside = first.with_file_name("samples.jsonl.gz");
    assert_eq!(fs::read(slices).unwrap(), fs::read(beside).unwrap());
    let rendered = repository.bench_action(&["render", &shown(whole), "--format", "json"]);
    assert!(rendered.expect(0).stdout.contains("asv/time_it"));
    let files = taken_out(&repository, &commits[2], &[]);
    let [whole] = files.as_slice() else { panic!("{files:?}") };
    assert_eq!(fs::read(whole).unwrap(), fs::read(second).unwrap());

    let none = repository.bench_action(&["history", "samples", &commits[0]]).expect(2);
    assert!(none.stderr.contains("keeps no samples of commit"), "{none}");
    for few in ["a", "HEAD", "../../etc"] {
        let refused = repository.bench_action(&["history", "samples", few]).expect(2);
        assert!(refused.stderr.contains("is no commit id"), "{refused}");
    }
}

#[test]
fn samples_in_a_directory_are_no_part_of_the_series_and_a_damaged_one_is_named() {
    let (repository, _, commits) = with_origin(3);
    let store = repository.beside("store");
    let place = ["--dir", store.to_str().unwrap()];
    let first = shown(&with_slices(&repository, &commits[1], &commits[0]));
    let second = results(&repository, &commits[2], &commits[0]);
    repository.bench_action(&["history", "record", &second]).args(&place).expect(0);
    assert!(!store.join("samples").exists(), "nobody asked for them");
    let record = ["history", "record", "--samples", &first];
    repository.bench_action(&record).args(&place).expect(0);
    let files = taken_out(&repository, &commits[1], &place);
    assert_eq!(files.len(), 2);

    let run = files[0].parent().unwrap().file_name().unwrap();
    let packed = store.join("samples").join(&commits[1][..2]).join(&commits[1]).join(run);
    fs::write(packed.join("samples.jsonl.gz"), "cut").unwrap();
    let samples = ["history", "samples", &commits[1]];
    let damaged = repository.bench_action(&samples).args(&place).expect(2);
    assert!(damaged.stderr.contains("not the one that the results name"), "{damaged}");
    let shown = repository.bench_action(&["history", "show"]).args(&place).expect(0);
    assert!(shown.stdout.contains("2 commits"), "{shown}");
}
