//! pytest-benchmark, the real one, on tests that nobody changed.

use crate::support::repository::Repository;
use crate::support::results::ResultsFile;

const TESTS: (&str, &str) = ("tests/test_speed.py", include_str!("suites/test_speed.py"));
const REQUIREMENTS: (&str, &str) = ("requirements-dev.txt", "pytest-benchmark==5.3.1\n");

/// The package under test; head does a tenth more of one thing and a tenth less of another.
fn kernel(slower: u32, faster: u32) -> String {
    format!(
        "SIDE = 0\nUNITS = {{\"slower\": {slower}, \"faster\": {faster}}}\n\n\ndef work(units):\n    total = 0\n    for number in range(units * 60):\n        total += number & 7\n    return total\n"
    )
}

fn repository() -> Repository {
    let (base, head) = (kernel(100, 100), kernel(110, 90));
    let package = "kernel/__init__.py";
    Repository::new(&[TESTS, REQUIREMENTS, (package, &base)], &[(package, &head)])
}

const ONLY: [&str; 2] = ["--suite", "pytest-benchmark"];

fn id(test: &str) -> String {
    format!("pytest-benchmark/tests/test_speed.py::{test}")
}

#[test]
fn true_changes_are_found_and_everything_else_is_told() {
    let repository = repository();
    let finished = repository.run(&[&ONLY[..], &["--seed", "pytest"]].concat()).finish();
    let results = ResultsFile::read(&repository.last());
    let verdict = |test: &str| results.verdict(&id(test)).to_owned();
    assert_eq!(verdict("test_slower"), "regressed", "{finished}");
    assert_eq!(verdict("test_faster"), "improved", "{finished}");
    for same in ["test_same", "test_class_like", "test_params(kind='a b', size=1)"] {
        assert_eq!(verdict(same), "unchanged", "{same}: {finished}");
    }
    assert!(results.counted(&id("test_pedantic")) > 0, "{finished}");
    for (test, stage) in [("test_wrong_result", "assert"), ("test_raises", "run")] {
        let row = results.row(&id(test));
        assert_eq!((&row["verdict"], &row["failure"]["stage"]), (&"failed".into(), &stage.into()));
    }
    assert!(
        results.row(&id("test_raises"))["failure"]["message"]
            .as_str()
            .unwrap()
            .contains("on purpose")
    );
    assert_eq!(results.row(&id("test_skips"))["reason"], "not today");
    assert_eq!(verdict("test_never_calls"), "skipped");
    assert!(!results.ids().iter().any(|found| found.contains("without_the_fixture")));
    assert!(results.ids().contains(&id("test_params(kind='x/[y]', size=2)").as_str()));
}

#[test]
fn a_module_that_cannot_be_imported_does_not_hide_the_others() {
    let broken = ("tests/test_broken.py", "import nothing_of_that_name\n");
    let repository = Repository::new(
        &[TESTS, REQUIREMENTS, broken, ("kernel/__init__.py", &kernel(100, 100))],
        &[("kernel/__init__.py", &kernel(110, 100))],
    );
    let filter =
        ["--filter", "test_same", "--repeat", "1", "--time-budget", "9m", "--fail-on", "never"];
    let finished = repository.run(&[&ONLY[..], &filter].concat()).expect(0);
    let results = ResultsFile::read(&repository.last());
    assert_eq!(results.counted(&id("test_same")), 1, "{finished}");
    assert!(results.0.to_string().contains("nothing_of_that_name"), "{finished}");
}

/// For pytest-codspeed: its fixture, and a whole test that has its mark.
const CODSPEED: &str = r#"
import pytest
from kernel import work


def test_call(benchmark):
    assert benchmark(work, 30) > 0


@pytest.mark.benchmark
def test_whole():
    work(30)


def test_neither():
    raise AssertionError("never run")
"#;

const CONFIGURED: &str = r#"
[[suite]]
name = "speed"
harness = "pytest-benchmark"
directory = "tests"
environments = ["codspeed"]

[[environment]]
name = "codspeed"
requirements = ["pytest-codspeed"]
"#;

#[test]
fn a_suite_for_codspeed_is_measured_alike() {
    let package = "kernel/__init__.py";
    let (base, head) = (kernel(100, 100), kernel(110, 100));
    let files =
        [("tests/test_a.py", CODSPEED), ("bench-action.toml", CONFIGURED), (package, &base)];
    let repository = Repository::new(&files, &[(package, &head)]);
    let finished =
        repository.run(&["--repeat", "1", "--time-budget", "9m", "--fail-on", "never"]).expect(0);
    let results = ResultsFile::read(&repository.last());
    assert_eq!(
        results.ids(),
        ["speed/tests/test_a.py::test_call", "speed/tests/test_a.py::test_whole"],
        "{finished}"
    );
    for id in results.ids() {
        assert_eq!(results.counted(id), 1, "{finished}");
    }
}
