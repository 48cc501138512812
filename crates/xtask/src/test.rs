//! `cargo xtask test`: every test, with what tests need from package registries fetched first, and
//! what they have said to their fake GitHub checked last.

use crate::failure::Failure;
use crate::{fetch, openapi, say, workspace};

/// Runs the tests. `--all` adds those that take minutes: they look for `BENCH_ACTION_TEST_ALL`.
pub(crate) fn test(words: &[&str]) -> Result<(), Failure> {
    let (ours, cargos) = match words.iter().position(|word| *word == "--") {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (words, &words[words.len()..]),
    };
    let mut cargo = workspace::cargo();
    match ours {
        [] => {}
        ["--all"] => {
            cargo.env("BENCH_ACTION_TEST_ALL", "1");
        }
        _ => return Err(Failure::Usage),
    }
    match fetch::asv() {
        Ok(python) => {
            cargo.env("BENCH_ACTION_TEST_ASV", python);
        }
        Err(reason) => say(&format!("note: tests that run asv itself skip: {reason}")),
    }
    match fetch::pandas() {
        Ok(python) => {
            cargo.env("BENCH_ACTION_TEST_PANDAS", python);
        }
        Err(reason) => say(&format!("note: the examples for pandas are not run: {reason}")),
    }
    match fetch::linters() {
        Ok(programs) => {
            cargo.env("BENCH_ACTION_TEST_LINTERS", programs);
        }
        Err(reason) => say(&format!("note: tests that run linters skip: {reason}")),
    }
    let traffic = openapi::recording()?;
    cargo.env(openapi::VARIABLE, &traffic);
    workspace::run(cargo.args(["test", "--workspace"]).args(cargos))?;
    openapi::check(&traffic)
}
