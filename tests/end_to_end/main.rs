//! The binary from outside: real repositories, real suites, real faults. Needs git, python3 and, the
//! first time, the package registry.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]
#![expect(clippy::print_stderr, reason = "a test that skips says so")]

mod builds;
mod commands;
mod comment;
mod doctor;
mod environments;
#[path = "../../crates/comment/tests/fake/mod.rs"]
mod fake;
mod faults;
mod flags;
mod history;
mod interruption;
mod names;
mod native;
mod outputs;
mod provenance;
mod pytest;
mod raw_data;
mod reports;
#[path = "../../crates/history/tests/results_file/mod.rs"]
mod results_file;
mod scripts;
mod self_test;
mod shards;
mod sides;
mod snippet;
mod support;
mod untouched;
mod workers;
