//! `self-test`: the gate proved on a real suite.

use crate::support::repository::Repository;
use crate::support::results::ResultsFile;

const SUITE: &str = "\
def time_work():
    sum(range(2000))
";

#[test]
fn equal_sides_stay_green_and_a_slower_head_is_found() {
    let repository = Repository::new(&[("benchmarks/work.py", SUITE)], &[]);
    let finished = repository
        .bench_action(&["self-test", "--inject", "15%", "--time-budget", "30s", "--seed", "gate"])
        .expect(0);
    assert!(finished.stdout.contains("✓  equal sides: no alarm"), "{finished}");
    assert!(finished.stdout.contains("✓  a head 15.0 % slower: 1 found"), "{finished}");
    let out = repository.root().join(".bench-action/self-test");
    let slower = ResultsFile::read(&out.join("slower"));
    assert_eq!(slower.verdict("asv/work.time_work"), "regressed", "{finished}");
    let report = std::fs::read_to_string(out.join("slower/report.md")).unwrap();
    assert!(report.contains("taken to be 15% longer than they are"), "{report}");
}

#[test]
fn a_gate_that_finds_nothing_is_no_gate() {
    let repository = Repository::new(&[("benchmarks/work.py", SUITE)], &[]);
    let finished = repository
        .bench_action(&["self-test", "--inject", "1%", "--repeat", "2", "--seed", "gate"])
        .expect(13);
    assert!(finished.stdout.contains("✗  a head 1.0 % slower: nothing was found"), "{finished}");
    let finished = repository.bench_action(&["self-test", "--inject", "much"]).expect(2);
    assert!(finished.stderr.contains("--inject: `much` is no percentage"), "{finished}");
}
