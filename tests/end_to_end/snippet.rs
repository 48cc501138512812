//! `snippet`: statements and commands from the command line, with real interpreters and revisions.

use crate::support::repository::Repository;
use crate::support::results::ResultsFile;

/// Its results, apart from those of runs.
fn results(repository: &Repository) -> ResultsFile {
    ResultsFile::read(&repository.root().join(".bench-action/snippet"))
}

#[test]
fn two_statements_are_compared_without_a_repository() {
    let place = Repository::empty();
    let arguments = ["snippet", "sum(range(n))", "--against", "sum([i for i in range(n)])"];
    let finished =
        place.bench_action(&arguments).args(&["-P", "n=100,1000", "--seed", "against"]).expect(0);
    let results = results(&place);
    for n in ["100", "1000"] {
        let id = format!("snippet/sum(range(n))(n={n})");
        assert_eq!(results.verdict(&id), "improved", "{finished}");
    }
    assert!(finished.stdout.contains("base  sum([i for i in range(n)])"), "{finished}");
}

#[test]
fn revisions_are_compared_as_they_are_and_nothing_is_built() {
    let work = |size: u32| format!("def work():\n    return sum(range({size}))\n");
    let repository = Repository::new(
        &[("src/tool.py", &work(1000)), ("_build/backend.py", "raise SystemExit('built')\n")],
        &[("src/tool.py", &work(1500))],
    );
    let arguments = ["snippet", "-s", "import tool", "tool.work()", "--base", "HEAD~1"];
    let finished = repository
        .bench_action(&arguments)
        .args(&["--fail-on", "regression", "--paste"])
        .expect(10);
    assert_eq!(results(&repository).verdict("snippet/tool.work()"), "regressed", "{finished}");
    assert!(finished.stdout.starts_with("### ▲ 1 slower"), "{finished}");
    assert!(!repository.last().exists(), "a snippet's results are not a run's");
}

#[test]
fn what_a_set_up_makes_are_fast_locals_and_may_be_changed() {
    let place = Repository::empty();
    let arguments = ["snippet", "-s", "n = 0", "-s", "s = '''a\nb'''", "n += len(s)"];
    let finished = place
        .bench_action(&arguments)
        .args(&["--against", "n += len(s)", "--repeat", "2", "--seed", "locals"])
        .expect(0);
    let results = results(&place);
    assert_eq!(results.row("snippet/n += len(s)")["blocks_used"], 2, "{finished}");
}

#[test]
fn variables_tell_sides_of_one_interpreter_apart() {
    let place = Repository::empty();
    let finished = place
        .bench_action(&["snippet", "-s", "import os; n = int(os.environ['SIZE'])", "sum(range(n))"])
        .args(&["--base-var", "SIZE=1000", "--head-var", "SIZE=500", "--seed", "variables"])
        .expect(0);
    assert_eq!(results(&place).verdict("snippet/sum(range(n))"), "improved", "{finished}");
}

#[test]
fn mistakes_in_code_are_shown_as_python_shows_them() {
    let place = Repository::empty();
    let finished = place.bench_action(&["snippet", "unknown", "--against", "1"]).expect(20);
    assert!(finished.stdout.contains("NameError: name 'unknown' is not defined"), "{finished}");
    assert!(!finished.stdout.contains("_worker.py"), "none of our own lines: {finished}");
    let finished = place.bench_action(&["snippet", "a b", "--against", "1"]).expect(21);
    assert!(finished.stdout.contains("SyntaxError: invalid syntax"), "{finished}");
    assert!(!finished.stdout.contains("_worker.py"), "none of our own lines: {finished}");
}

#[test]
fn slips_on_the_command_line_are_usage() {
    let place = Repository::empty();
    let cases: [(&[&str], &str); 8] = [
        (&["snippet"], "STATEMENT"),
        (&["snippet", "1"], "outside of a git repository: give a second statement with --against"),
        (&["snippet", "1", "2", "--against", "3"], "--against compares one with one, and 2"),
        (&["snippet", "1", "-P", "n"], "-P n is no name with values, write it like `-P n=10,1000`"),
        (&["snippet", "1", "-P", "n=1", "-P", "n=2"], "-P n is given twice"),
        (
            &["snippet", "1", "--build", "--base-path", ".", "--head-path", "."],
            "'--build[=<COMMAND>]' cannot be used with",
        ),
        (&["snippet", "--command", "a 'b"], "has a quote that is never closed"),
        (&["snippet", "--command", "true", "--build"], "such as --build='cargo build --release'"),
    ];
    for (arguments, words) in cases {
        let finished = place.bench_action(arguments).expect(2);
        assert!(finished.stderr.contains(words), "{arguments:?}: {finished}");
    }
}

#[test]
fn two_commands_are_compared_as_whole_processes() {
    let place = Repository::empty();
    place.write(&[("count.py", "import sys\nsum(range(int(sys.argv[1])))\n")]);
    let finished = place
        .bench_action(&["snippet", "--command", "python3 count.py 6000000"])
        .args(&["--against", "python3 count.py 3000000", "--seed", "commands"])
        .expect(0);
    let results = results(&place);
    let row = results.row("command/python3 count.py 6000000");
    assert_eq!(row["verdict"], "regressed", "{finished}");
}

#[test]
fn an_interpreter_is_found_by_its_name() {
    let place = Repository::empty();
    let finished = place
        .bench_action(&["snippet", "sum(range(100))", "--repeat", "2"])
        .args(&["--base-python", "python3", "--head-python", "python3"])
        .expect(0);
    assert_eq!(results(&place).row("snippet/sum(range(100))")["blocks_used"], 2, "{finished}");
}

/// As many calls as make a millisecond of base would take head minutes each time.
#[test]
fn a_call_that_got_a_hundred_thousand_times_slower_is_measured() {
    let place = Repository::empty();
    let finished = place
        .bench_action(&["snippet", "sum(range(100000))", "--against", "pass"])
        .args(&["--seed", "slower", "--time-budget", "60s"])
        .expect(0);
    let results = results(&place);
    assert_eq!(results.verdict("snippet/sum(range(100000))"), "regressed", "{finished}");
}

#[test]
fn sides_of_one_build_are_told_apart_and_statements_are_not_divided() {
    let place = Repository::empty();
    let finished = place
        .bench_action(&["snippet", "-s", "import math", "math.sqrt(2.5)", "--repeat", "2"])
        .args(&["--base-var", "MODE=a", "--head-var", "MODE=b", "--paste"])
        .expect(0);
    assert!(finished.stdout.contains(" with `MODE=a` → "), "{finished}");
    assert!(finished.stdout.contains(" with `MODE=b` · "), "{finished}");
    assert!(finished.stdout.contains("| `math.sqrt(2.5)` <sub>"), "{finished}");
}
