//! Environment variables are read in few places, so that a run depends on what it shows and on
//! nothing else. (Clippy's `disallowed-methods` would fence tests in as well, which read theirs.)

use crate::failure::Failure;
use crate::workspace;

/// Where they may be read, and which.
const READERS: &[(&str, &str)] = &[
    ("crates/cli/src/commands/project.rs", "all, to know which values are secret"),
    ("crates/cli/src/github/mod.rs", "GITHUB_* and RUNNER_*, of the job"),
    ("crates/cli/src/terminal.rs", "NO_COLOR, COLUMNS"),
    ("crates/core/src/git/command.rs", "GIT_CONFIG_COUNT, to add to what the user set"),
    ("crates/process/src/environment.rs", "all, for builds and benchmarks"),
    ("crates/process/src/kernel.rs", "BENCH_ACTION_CHANNEL, which it is started with"),
];

/// Fails where one is read anywhere else.
pub(super) fn check() -> Result<(), Failure> {
    let mut findings = Vec::new();
    for path in workspace::files()?.iter().filter(|path| is_program(path)) {
        let text = workspace::text(path)?.unwrap_or_default();
        findings.extend(reads(&text).map(|line| format!("{path}:{line}")));
    }
    let check = "environment variables read outside the files that \
        crates/xtask/src/tidy/variables.rs lists";
    Failure::unless_empty(check, findings)
}

/// Rust that ends up in the binary, other than the known readers.
fn is_program(path: &str) -> bool {
    let is_source = path.starts_with("crates/") && path.contains("/src/") && path.ends_with(".rs");
    let is_known = READERS.iter().any(|(reader, _)| *reader == path);
    is_source && !is_known && !super::sources::is_test(path) && !path.starts_with("crates/xtask/")
}

/// Numbers of the lines before the tests that read a variable.
fn reads(text: &str) -> impl Iterator<Item = usize> {
    let program = text.lines().take(super::sources::lines_before_tests(text)).enumerate();
    program.filter(|(_, line)| line.contains("env::var")).map(|(index, _)| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_variables_are_read_in_the_known_places_only() {
        super::super::pass(check());
    }

    #[test]
    fn every_known_place_reads_one() {
        for (path, which) in READERS {
            let text = workspace::text(path).unwrap().unwrap();
            assert!(reads(&text).next().is_some(), "{path} no longer reads {which}");
        }
    }

    #[test]
    fn a_variable_that_a_test_reads_does_not_count() {
        let text = "fn a() {\n    std::env::var(\"A\")\n}\n#[cfg(test)]\nstd::env::var_os(\"B\")\n";
        assert_eq!(reads(text).collect::<Vec<_>>(), [2]);
    }
}
