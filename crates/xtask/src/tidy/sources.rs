//! Every Rust file says what it is for and is short enough to be read at a sitting.

use crate::failure::Failure;
use crate::workspace;

/// Lines of a file before its tests.
const MOST_LINES: usize = 400;

/// Files that may be longer, with the reason.
const LONGER: &[(&str, &str)] = &[];

/// Fails on a file without a header or beyond the limit.
pub(super) fn check() -> Result<(), Failure> {
    let mut findings = Vec::new();
    for path in workspace::files()?.iter().filter(|path| path.ends_with(".rs")) {
        let text = workspace::text(path)?.unwrap_or_default();
        findings.extend(complaints(path, &text));
    }
    Failure::unless_empty("files against CONTRIBUTING.md", findings)
}

fn complaints(path: &str, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let header = text.lines().next().and_then(|line| line.strip_prefix("//!"));
    if header.is_none_or(|sentence| sentence.trim().is_empty()) {
        complaints.push(format!("{path}:1: does not open with a `//!` sentence"));
    }
    let lines = lines_before_tests(text);
    let may_be_longer = is_test(path) || LONGER.iter().any(|(longer, _)| *longer == path);
    if lines > MOST_LINES && !may_be_longer {
        complaints.push(format!("{path}: {lines} lines before its tests, {MOST_LINES} at most"));
    }
    complaints
}

/// Lines up to the first `#[cfg(test)]`, or all of them.
pub(super) fn lines_before_tests(text: &str) -> usize {
    text.lines().position(|line| line == "#[cfg(test)]").unwrap_or_else(|| text.lines().count())
}

/// Whether a file holds nothing but tests.
pub(super) fn is_test(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part == "tests.rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_a_header_and_a_readable_length() {
        super::super::pass(check());
    }

    #[test]
    fn a_file_without_a_header_or_beyond_the_limit_is_found_and_its_tests_do_not_count() {
        let long = format!("//! Long.\n{}", "\n".repeat(MOST_LINES));
        assert_eq!(complaints("crates/a/src/b.rs", "fn main() {}\n").len(), 1);
        assert_eq!(complaints("crates/a/src/b.rs", &long).len(), 1);
        let tested = format!("//! Tested.\n#[cfg(test)]\n{long}");
        assert_eq!(complaints("crates/a/src/b.rs", &tested), [""; 0]);
        assert_eq!(complaints("crates/a/src/b/tests.rs", &long), [""; 0]);
    }

    #[test]
    fn every_exception_is_of_a_file_that_exists_and_needs_it() {
        for (path, reason) in LONGER {
            let text = workspace::text(path).unwrap().unwrap();
            assert!(lines_before_tests(&text) > MOST_LINES, "{path} needs no exception: {reason}");
        }
    }
}
