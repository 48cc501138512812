//! Harnesses whose suites are compiled programs, the real ones, unmodified.

use crate::support::repository::Repository;
use crate::support::results::ResultsFile;
use std::path::Path;

const GOOGLE_SUITE: &str = include_str!("suites/google_benchmark.cpp");
const GOOGLE_CONFIGURATION: &str = r#"[[suite]]
harness = "google-benchmark"
build = ["c++ -O2 -o kernels_bench kernels.cpp -lbenchmark -lpthread"]
programs = ["*_bench"]
"#;

/// Whether Google Benchmark is installed; says so where it is not.
fn has_google_benchmark() -> bool {
    let places = ["/usr/include", "/usr/local/include", "/opt/homebrew/include"];
    let has = places.iter().any(|place| Path::new(place).join("benchmark/benchmark.h").is_file());
    if !has {
        eprintln!("skipped: Google Benchmark is not installed (Debian: libbenchmark-dev)");
    }
    has
}

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
    assert!(told.contains("head could not be built"), "what base lacks has been added: {told}");
}

const GO_SUITE: &str = include_str!("suites/kernels_test.go.txt");

/// Whether Go is installed; says so where it is not.
fn has_go() -> bool {
    let has = std::process::Command::new("go").arg("version").output().is_ok();
    if !has {
        eprintln!("skipped: go is not installed (Debian: golang-go)");
    }
    has
}

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

/// Whether tests that build for minutes are wanted; says so where they are not.
fn wants_all() -> bool {
    let wants = std::env::var_os("BENCH_ACTION_TEST_ALL").is_some();
    if !wants {
        eprintln!("skipped: it builds for a minute; `cargo xtask test --all` runs it");
    }
    wants
}

/// A package with a bench target; head does a tenth more of one thing and a tenth less of another.
fn package(dependency: &str, benches: &str) -> Repository {
    let manifest = format!(
        "[package]\nname = \"kernels\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[lib]\nbench = false\n\n\
         [dev-dependencies]\n{dependency}\n\n[[bench]]\nname = \"speed\"\nharness = false\n"
    );
    let library = |slower: u32, faster: u32| {
        format!(
            "pub const SLOWER: u64 = {slower};\npub const FASTER: u64 = {faster};\n\
             #[inline(never)]\npub fn work(units: u64) -> u64 {{\n    \
             (0..units).fold(1, |x, unit| std::hint::black_box(x ^ (x << 13) ^ (x >> 7) ^ unit))\n}}\n"
        )
    };
    let (base, head) = (library(1000, 1000), library(1100, 900));
    Repository::new(
        &[("Cargo.toml", &manifest), ("src/lib.rs", &base), ("benches/speed.rs", benches)],
        &[("src/lib.rs", &head)],
    )
}

/// Both sides share a core although the harness only knows a monotonic clock.
fn shares_a_core(repository: &Repository, harness: &str, names: [&str; 4]) {
    let finished = repository.run(&["--suite", harness, "--seed", harness]).finish();
    let results = ResultsFile::read(&repository.last());
    let id = |name: &str| format!("{harness}/{name}");
    for (name, verdict) in names.iter().zip(["regressed", "improved", "unchanged", "unchanged"]) {
        assert_eq!(results.verdict(&id(name)), verdict, "{name}: {finished}");
    }
    let row = results.row(&id(names[0]));
    assert_eq!((&row["schedule"], &row["clock"]), (&"duet".into(), &"cpu".into()), "{finished}");
    assert!(results.counted(&id(names[0])) <= 20, "{finished}");
}

#[test]
fn criterion_shares_a_core_and_finds_the_true_changes() {
    if !wants_all() {
        return;
    }
    let criterion = "criterion = { version = \"0.8\", default-features = false }";
    let repository = package(criterion, include_str!("suites/criterion.rs.txt"));
    let names = ["slower", "faster", "same", "group (odd) [x.y]/f/10"];
    shares_a_core(&repository, "criterion", names);
}

#[test]
fn divan_shares_a_core_and_finds_the_true_changes() {
    if !wants_all() {
        return;
    }
    let repository = package("divan = \"0.1.21\"", include_str!("suites/divan.rs.txt"));
    let names = ["speed::slower", "speed::faster", "speed::same", "speed::inner::sized::10"];
    shares_a_core(&repository, "divan", names);
}
