//! The asv harness from outside: real Python, real suites, real builds. Needs python3 and, the first
//! time, the package registry.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

mod prepare;
mod support;
mod worker;

#[test]
#[ignore = "not a test: what a launcher runs"]
#[expect(clippy::exit, reason = "the launcher's exit code is the program's")]
fn launcher_of_this_program() {
    std::process::exit(bench_process::launch_main());
}
