//! Sides that cannot be built, and builds that need not be measured.

use crate::support::processes;
use crate::support::repository::{Files, Repository};
use crate::support::results::ResultsFile;

const SUITE: (&str, &str) = ("benchmarks/values.py", include_str!("suites/values.py"));
const BROKEN: (&str, &str) = ("_build/backend.py", "raise RuntimeError(\"this does not build\")\n");
const WORKING: (&str, &str) = ("_build/backend.py", include_str!("support/project/backend.py"));

fn fails_to_build(base: Files<'_>, head: Files<'_>, side: &str, other: &str) {
    let repository = Repository::new(base, head);
    let finished = repository.run(&[]).expect(21);
    processes::assert_none_left(repository.mark());
    let results = ResultsFile::read(&repository.last());
    let failure = &results.0["failure"];
    assert_eq!((&failure["side"], &failure["stage"]), (&side.into(), &"build".into()), "{failure}");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains(&format!("{other} was prepared")), "{message}");
    assert!(failure["stderr_tail"].as_str().unwrap().contains("this does not build"), "{failure}");
    assert_eq!(results.rows().len(), 0);
    assert_eq!(results.0["summary"]["verdict"], "failed");
    // What happened, where, and what was printed: also on the screen.
    for words in [side, "build", "this does not build"] {
        assert!(finished.stdout.contains(words), "{words}: {finished}");
    }
    assert!(!finished.stderr.contains("measuring"), "{finished}");
}

#[test]
fn a_build_that_fails_on_head_is_told_and_nothing_is_measured() {
    fails_to_build(&[SUITE], &[BROKEN], "head", "base");
}

#[test]
fn a_build_that_fails_on_base_is_told_and_nothing_is_measured() {
    fails_to_build(&[SUITE, BROKEN], &[WORKING], "base", "head");
}

#[test]
fn a_suite_that_base_cannot_load_at_all_is_new() {
    let module = "from kernel import SIDE\nassert SIDE == 'head'\ndef time_it(): pass\n";
    let repository = Repository::new(&[("benchmarks/fresh.py", module)], &[]);
    let finished = repository.run(&[]).expect(0);
    let results = ResultsFile::read(&repository.last());
    assert_eq!(results.verdict("asv/fresh.time_it"), "added", "{finished}");
    assert!(finished.stdout.contains("othing to compare"), "{finished}");
}

#[test]
fn a_suite_that_head_cannot_load_at_all_is_never_green() {
    let module = "from kernel import SIDE\nassert SIDE == 'base'\ndef time_it(): pass\n";
    let repository = Repository::new(&[("benchmarks/fresh.py", module)], &[]);
    let finished = repository.run(&["--fail-on", "never"]).expect(21);
    assert!(finished.stdout.contains("AssertionError"), "{finished}");
}

/// A repository whose last commit changes nothing that is built.
fn with_a_last_commit_of_words(configuration: &str) -> Repository {
    let repository = Repository::new(&[SUITE, ("bench-action.toml", configuration)], &[]);
    repository.write(&[("docs/guide.md", "Words.\n")]);
    repository.commit("words");
    repository
}

#[test]
fn where_only_ignored_paths_changed_there_is_nothing_to_compare() {
    let repository = with_a_last_commit_of_words("[compare]\nignore-paths = [\"docs/**\"]\n");
    let finished = repository.run(&[]).expect(0);
    assert!(finished.stdout.contains("othing to compare"), "{finished}");
    assert!(!finished.stderr.contains("preparing"), "{finished}");
    let results = ResultsFile::read(&repository.last());
    assert_eq!(results.0["summary"]["verdict"], "empty");
}

#[test]
fn identical_builds_are_unchanged_and_measured_only_when_asked_for() {
    let repository = with_a_last_commit_of_words("");
    repository.run(&[]).expect(0);
    let results = ResultsFile::read(&repository.last());
    for row in results.rows().iter().filter(|row| !row["verdict"].is_null()) {
        assert_eq!((&row["verdict"], &row["pairing"]), (&"unchanged".into(), &"identical".into()));
        assert_eq!(row["reason"], "identical-build");
        assert_eq!(row["blocks_used"], 0);
    }
    repository.run(&["--measure-identical", "--repeat", "1", "--filter", "time_steady"]).expect(0);
    assert_eq!(ResultsFile::read(&repository.last()).counted("asv/values.time_steady"), 1);
}
