//! Benchmarks that do everything a benchmark should not: each is told of by itself, and the others
//! go on.

use crate::support::processes;
use crate::support::repository::Repository;
use crate::support::results::{ResultsFile, blocks};
use crate::support::run::Finished;
use serde_json::Value;
use std::sync::LazyLock;

/// One run of them all; its repository stays for runs of a few of them.
struct Faults {
    repository: Repository,
    finished: Finished,
    results: ResultsFile,
}

static FAULTS: LazyLock<Faults> = LazyLock::new(|| {
    let files = &[
        ("benchmarks/faults.py", include_str!("suites/faults.py")),
        ("benchmarks/broken_on_base.py", include_str!("suites/broken_on_base.py")),
        ("benchmarks/broken_on_head.py", include_str!("suites/broken_on_head.py")),
    ];
    let repository = Repository::new(files, &[]);
    let finished = repository.run(&["--repeat", "2", "--time-budget", "20m"]).finish();
    processes::assert_none_left(repository.mark());
    let results = ResultsFile::read(&repository.last());
    Faults { repository, finished, results }
});

fn row(name: &str) -> &'static Value {
    FAULTS.results.row(&format!("asv/faults.{name}"))
}

/// Asserts that a benchmark failed on a side at a stage; gives message and end of its output.
fn failure(name: &str, side: &str, stage: &str) -> (String, String) {
    let row = row(name);
    assert_eq!(row["verdict"], "failed", "{name}: {row:#}");
    let failure = &row["failure"];
    assert_eq!((&failure["side"], &failure["stage"]), (&side.into(), &stage.into()), "{failure:#}");
    let text = |field: &str| failure[field].as_str().unwrap().to_owned();
    let (message, tail) = (text("message"), text("stderr_tail"));
    assert!(!message.is_empty() && !message.contains('\n'), "{name}: {message:?}");
    (message, tail)
}

fn assert_measured(name: &str) {
    let row = row(name);
    assert!(row["failure"].is_null(), "{name}: {row:#}");
    let counted = blocks(row).iter().filter(|block| block["counted"] == true).count();
    assert_eq!(counted, 2, "{name}: {row:#}");
}

#[test]
fn the_others_go_on() {
    assert_measured("time_good");
    assert_measured("track_good");
}

#[test]
fn a_benchmark_may_print_what_it_likes_and_close_its_descriptors() {
    assert_measured("time_prints_rubbish");
    assert_measured("time_closes_its_descriptors");
}

#[test]
fn a_benchmark_may_change_the_directory_and_leave_children() {
    // That none of the children is left was seen when the run had ended.
    assert_measured("time_changes_directory");
    assert_measured("LeavesChildren.time_it");
}

#[test]
fn a_benchmark_that_hangs_fails_by_its_timeout() {
    for name in ["time_hangs", "time_spins", "time_hangs_on_deaf_ears"] {
        let (message, _) = failure(name, "base", "timeout");
        assert!(message.contains("its timeout of 1 s"), "{name}: {message}");
    }
}

#[test]
fn a_benchmark_that_dies_tells_by_which_signal() {
    for (name, signal) in
        [("time_aborts", "SIGABRT"), ("time_segfaults", "SIGSEGV"), ("time_is_killed", "SIGKILL")]
    {
        let (message, _) = failure(name, "base", "exit");
        assert!(message.contains(signal), "{name}: {message}");
    }
}

#[test]
fn the_end_of_what_it_printed_goes_with_its_failure() {
    let (_, tail) = failure("time_aborts", "base", "exit");
    assert!(tail.contains("about to abort"), "{tail}");
    // And nothing of what others printed.
    let (_, tail) = failure("time_segfaults", "base", "exit");
    assert!(tail.contains("Segmentation fault") && !tail.contains("abort"), "{tail}");
}

#[test]
fn a_benchmark_that_exits_has_failed_whatever_its_status() {
    let (message, _) = failure("time_exits_at_once", "base", "exit");
    assert!(message.contains('0'), "{message}");
    let row = row("time_exits");
    assert_eq!(row["verdict"], "failed", "{row:#}");
}

#[test]
fn a_benchmark_that_closes_everything_is_measured_or_has_failed() {
    match row("time_closes_everything")["verdict"].as_str() {
        Some("failed") => {
            let (message, _) = failure("time_closes_everything", "base", "run");
            assert!(message.contains("closed descriptors that are not its own"), "{message}");
        }
        _ => assert_measured("time_closes_everything"),
    }
}

#[test]
fn an_exception_is_told_with_its_stage_and_its_traceback() {
    for (name, stage, words) in [
        ("time_raises", "run", "the body is broken"),
        ("RaisesInSetup.time_it", "setup", "the setup is broken"),
        ("RaisesInTeardown.time_it", "teardown", "the teardown is broken"),
        ("RaisesInSetupCache.time_it", "setup_cache", "the cache is broken"),
    ] {
        let (message, tail) = failure(name, "base", stage);
        assert!(message.contains(words), "{name}: {message}");
        assert!(tail.contains("Traceback") && tail.contains("faults.py"), "{name}: {tail}");
    }
}

#[test]
fn a_cache_has_a_timeout_of_its_own() {
    let (message, _) = failure("HangsInSetupCache.time_it", "base", "timeout");
    assert!(message.contains("2 s"), "{message}");
}

#[test]
fn a_value_that_is_no_number_is_a_failure_that_says_what_it_is() {
    for (name, words) in [
        ("track_not_a_number", "the value is not a number"),
        ("track_a_text", "not a number but `"),
    ] {
        let (message, _) = failure(name, "base", "value");
        assert!(message.contains(words), "{name}: {message}");
    }
}

#[test]
fn what_only_one_side_has_is_added_or_removed() {
    assert_eq!(row("time_added")["verdict"], "added");
    assert_eq!(row("time_removed")["verdict"], "removed");
}

#[test]
fn a_module_that_one_side_cannot_load_is_that_sides_fault_alone() {
    let on_base = FAULTS.results.row("asv/broken_on_base.time_it");
    assert_eq!(on_base["verdict"], "added");
    assert!(on_base["reason"].as_str().unwrap().contains("no such thing on base"), "{on_base:#}");
    let on_head = FAULTS.results.row("asv/broken_on_head.time_it");
    assert_eq!(on_head["verdict"], "failed");
    assert_eq!(on_head["failure"]["side"], "head");
    assert_eq!(on_head["failure"]["stage"], "import");
}

#[test]
fn a_failure_on_one_side_names_the_side() {
    assert!(failure("time_fails_on_head", "head", "run").0.contains("head is broken"));
    assert!(failure("time_fails_on_base", "base", "run").0.contains("base is broken"));
}

#[test]
fn the_report_tells_of_every_failure() {
    let Faults { finished, repository, .. } = &*FAULTS;
    let markdown = std::fs::read_to_string(repository.last().join("report.md")).unwrap();
    for name in ["time_hangs", "time_aborts", "time_fails_on_head"] {
        assert!(finished.stdout.contains(name), "{name}: {finished}");
        assert!(markdown.contains(name), "{name}: {markdown}");
    }
    assert!(!finished.stdout.contains("\x1b[2J") && !markdown.contains('\x1b'));
}

#[test]
fn a_failure_on_head_alone_makes_the_exit_code() {
    assert_eq!(FAULTS.finished.exit, Some(12), "{}", FAULTS.finished);
}

/// The exit code of a run of a few of them.
fn exit_of(filter: &str, arguments: &[&str]) -> Option<i32> {
    let out = FAULTS.repository.beside(&format!("out-{}", filter.replace('|', "-")));
    let run = FAULTS.repository.run(&["--repeat", "1", "--filter", filter]);
    let run = arguments.iter().fold(run, |run, argument| run.arg(argument));
    run.arg("--out").arg(out).finish().exit
}

#[test]
fn a_failure_that_is_not_heads_fault_fails_nothing() {
    assert_eq!(exit_of("time_good|time_fails_on_base|time_raises", &[]), Some(0));
}

#[test]
fn a_failure_on_head_fails_only_where_it_should() {
    assert_eq!(exit_of("time_good|time_fails_on_head", &["--fail-on", "never"]), Some(0));
}

#[test]
fn where_nothing_could_be_measured_it_is_never_green() {
    assert_eq!(exit_of("time_raises", &["--fail-on", "never"]), Some(20));
    assert_eq!(exit_of("time_of_no_such_name", &["--fail-on", "never"]), Some(20));
}
