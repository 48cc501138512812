//! Which of the harnesses' own tools are here; what is not says so.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Says why a test does not run.
fn found(is_there: bool, otherwise: &str) -> bool {
    if !is_there {
        eprintln!("skipped: {otherwise}");
    }
    is_there
}

fn is_header(path: &str) -> bool {
    let places = ["/usr/include", "/usr/local/include", "/opt/homebrew/include"];
    places.iter().any(|place| Path::new(place).join(path).is_file())
}

/// Whether a program starts and says its version.
fn answers(program: impl AsRef<std::ffi::OsStr>, word: &str) -> bool {
    Command::new(program).arg(word).output().is_ok_and(|output| output.status.success())
}

/// Whether tests that take minutes are wanted.
pub(super) fn wants_all() -> bool {
    let wants = std::env::var_os("BENCH_ACTION_TEST_ALL").is_some();
    found(wants, "it takes minutes; `cargo xtask test --all` runs it")
}

/// Whether Google Benchmark is installed.
pub(super) fn has_google_benchmark() -> bool {
    let is_there = is_header("benchmark/benchmark.h");
    found(is_there, "Google Benchmark is not installed (Debian: libbenchmark-dev)")
}

/// Whether its library says of itself that it was built for debugging.
pub(super) fn is_debug_library() -> bool {
    let place = tempfile::tempdir().unwrap();
    let (source, program) = (place.path().join("a.cpp"), place.path().join("a"));
    let text = "#include <benchmark/benchmark.h>\nstatic void f(benchmark::State &s) { for (auto _ : s) {} }\n\
                BENCHMARK(f);\nBENCHMARK_MAIN();\n";
    std::fs::write(&source, text).unwrap();
    let mut compiler = Command::new("c++");
    compiler.arg(&source).arg("-o").arg(&program).args(["-lbenchmark", "-lpthread"]);
    assert!(compiler.status().unwrap().success());
    let output = Command::new(&program).arg("--benchmark_format=json").output().unwrap();
    String::from_utf8_lossy(&output.stdout).contains("\"library_build_type\": \"debug\"")
}

/// Whether Go is installed.
pub(super) fn has_go() -> bool {
    found(answers("go", "version"), "go is not installed (Debian: golang-go)")
}

/// Whether Catch2 2 is installed.
pub(super) fn has_catch2() -> bool {
    found(is_header("catch2/catch.hpp"), "Catch2 2 is not installed (Debian: catch2)")
}

/// Catch2's own part, compiled once and kept: it takes minutes.
pub(super) fn catch2_main(source: &Path) -> PathBuf {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("catch2-main.o");
    if !kept.is_file() {
        // Another test may do the same at the same time.
        let made = kept.with_extension(std::process::id().to_string());
        let mut compiler = Command::new("c++");
        compiler.args(["-O2", "-c"]).arg(source).arg("-o").arg(&made);
        assert!(compiler.status().unwrap().success());
        std::fs::rename(&made, &kept).unwrap();
    }
    kept
}

/// A `PATH` with gungraun's runner in it; it is installed below `target` where it is missing.
pub(super) fn path_with_gungraun() -> Option<String> {
    if !found(answers("valgrind", "--version"), "valgrind is not installed (Debian: valgrind)") {
        return None;
    }
    let path = std::env::var("PATH").unwrap();
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tools");
    if !kept.join("bin/gungraun-runner").is_file() {
        // Without optimisation it is there four times as soon, and starts as fast.
        let words = ["install", "gungraun-runner@0.20.0", "--locked", "--debug", "--root"];
        let installed = Command::new("cargo").args(words).arg(&kept).status();
        if !found(installed.is_ok_and(|status| status.success()), "no gungraun-runner to be had") {
            return None;
        }
    }
    Some(format!("{}:{path}", kept.join("bin").display()))
}
