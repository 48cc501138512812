//! Harnesses whose suites are compiled programs, the real ones, unmodified.

mod environments;
mod examples;
pub(crate) mod names;
mod tools;

use crate::support::repository::Repository;
use crate::support::results::ResultsFile;
use tools::{has_go, has_google_benchmark, is_debug_library};

const GOOGLE_SUITE: &str = include_str!("../suites/google_benchmark.cpp");
const GOOGLE_CONFIGURATION: &str = r#"[[suite]]
harness = "google-benchmark"
build = ["c++ -O2 -o kernels_bench kernels.cpp -lbenchmark -lpthread"]
programs = ["*_bench"]
"#;

/// Kernels with so much work; head does a tenth more of one thing and a tenth less of another.
fn google_benchmark(extra: &str) -> Repository {
    let suite = |slower: &str, faster: &str, waits: &str| {
        GOOGLE_SUITE
            .replace("SLOWER_UNITS", slower)
            .replace("FASTER_UNITS", faster)
            .replace("WAITS_US", waits)
    };
    let (base, head) = (suite("1000", "1000", "0"), suite("1100", "900", extra));
    Repository::new(
        &[("kernels.cpp", &base), ("bench-action.toml", GOOGLE_CONFIGURATION)],
        &[("kernels.cpp", &head)],
    )
}

fn id(name: &str) -> String {
    format!("google-benchmark/{name}")
}

#[test]
fn google_benchmark_shares_a_core_and_finds_the_true_changes() {
    if !has_google_benchmark() {
        return;
    }
    let repository = google_benchmark("0");
    let finished = repository.run(&["--seed", "google"]).finish();
    let results = ResultsFile::read(&repository.last());
    let verdict = |name: &str| results.verdict(&id(name)).to_owned();
    assert_eq!(verdict("BM_slower"), "regressed", "{finished}");
    assert_eq!(verdict("BM_slower_wall/real_time"), "regressed", "{finished}");
    assert_eq!(verdict("BM_faster"), "improved", "{finished}");
    for same in ["BM_same", "BM_argument/8", "BM_odd<f(a[0]), '+*'>"] {
        assert_eq!(verdict(same), "unchanged", "{same}: {finished}");
    }
    let row = results.row(&id("BM_slower"));
    assert_eq!((&row["schedule"], &row["clock"]), (&"duet".into(), &"cpu".into()));
    let counter = results.row(&id("BM_same [hits]"));
    assert_eq!((&counter["verdict"], &counter["base"]["center"]), (&().into(), &3.0.into()));
    // Debian's library was built so; where another is installed, there is nothing to tell.
    let told = results.0["warnings"].to_string();
    assert_eq!(told.contains("was built as DEBUG"), is_debug_library(), "{told}");
    let failed = results.row(&id("BM_fails"));
    assert_eq!(failed["verdict"], "failed");
    assert_eq!(failed["failure"]["message"], "on purpose");
}

#[test]
fn what_waits_is_measured_on_the_wall_although_a_clock_could_be_preloaded() {
    if !has_google_benchmark() {
        return;
    }
    let repository = google_benchmark("2000");
    let only = ["--filter", "BM_may_wait", "--repeat", "6", "--seed", "waits"];
    let finished = repository.run(&only).finish();
    let results = ResultsFile::read(&repository.last());
    let row = results.row(&id("BM_may_wait/real_time"));
    assert_eq!(row["clock"], "wall", "{finished}");
    assert!(row["change"]["ratio"].as_f64().is_some_and(|ratio| ratio > 10.0), "{finished}");
}

#[test]
fn a_program_that_was_not_built_is_named_with_its_place() {
    let configuration =
        "[[suite]]\nharness = \"google-benchmark\"\nprograms = [\"build/*_bench\"]\n";
    let repository =
        Repository::new(&[("bench-action.toml", configuration), ("a", "1")], &[("a", "2")]);
    let finished = repository.run(&[]).expect(21);
    let told = finished.to_string();
    assert!(told.contains("no program named like") && told.contains("`build/*_bench`"), "{told}");
    assert!(
        told.contains("head could not list its benchmarks"),
        "what base lacks has been added: {told}"
    );
}

const GO_SUITE: &str = include_str!("../suites/kernels_test.go.txt");

#[test]
fn go_benchmarks_of_several_packages_are_found_and_judged() {
    if !has_go() {
        return;
    }
    let module = ("go.mod", "module example.org/kernels\n\ngo 1.19\n");
    let suite = |slower: &str, faster: &str| {
        GO_SUITE.replace("SLOWER_UNITS", slower).replace("FASTER_UNITS", faster)
    };
    let (base, head) = (suite("1000", "1000"), suite("1300", "700"));
    let other = suite("1000", "1000");
    let repository = Repository::new(
        &[module, ("kernels_test.go", &base), ("sub/kernels_test.go", &other)],
        &[("kernels_test.go", &head), ("sub/data.txt", "head")],
    );
    let only = ["--suite", "go", "--filter", "lower|aster|Fails|-16", "--seed", "go"];
    let finished = repository.run(&only).finish();
    let results = ResultsFile::read(&repository.last());
    let verdict = |name: &str| results.verdict(&format!("go/example.org/{name}")).to_owned();
    // By the wall, on a machine with other work, a verdict may stay open; sizes must be right.
    let ratio = |name: &str| {
        results.row(&format!("go/example.org/{name}"))["change"]["ratio"].as_f64().unwrap()
    };
    assert!((1.15..1.5).contains(&ratio("kernels.BenchmarkSlower/n=1.5#01")), "{finished}");
    assert!((0.6..0.85).contains(&ratio("kernels.BenchmarkFaster")), "{finished}");
    assert_eq!(verdict("kernels.BenchmarkFails"), "failed", "{finished}");
    assert!(results.counted("go/example.org/kernels/sub.BenchmarkReads/a-16") > 0, "{finished}");
    let row = results.row("go/example.org/kernels.BenchmarkFaster");
    assert_eq!((&row["schedule"], &row["clock"]), (&"sequential".into(), &"wall".into()));
    assert!(results.ids().iter().any(|id| id.ends_with("BenchmarkFaster [B/op]")), "{finished}");
}
