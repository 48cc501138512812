//! libtest: `#[bench]` functions, which only the compiler's own harness runs.

use crate::native::cargo::{self, Targets};
use crate::native::{Dialect, read_output};
use crate::outputs::{Reading, Status};
use crate::{Defaults, Detected, Harness, Language, OwnClock, Ready, Site, Tree, Wish};
use bench_results::{Failure, Metric};
use std::path::{Path, PathBuf};

/// Drives `#[bench]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Libtest;

const NAME: &str = "libtest";

impl Harness for Libtest {
    fn name(&self) -> &'static str {
        NAME
    }

    fn defaults(&self) -> Defaults {
        Defaults::compiled()
    }

    /// Benchmarks may be anywhere in a crate, but its root has to ask for them.
    fn language(&self) -> Option<Language> {
        Some(Language::Rust)
    }

    fn detect(&self, tree: &dyn Tree) -> Vec<Detected> {
        let asks = |path: &&String| {
            is_root(path) && tree.read(path).is_some_and(|text| asks_for_benchmarks(&text))
        };
        let mut found: Vec<Detected> = Vec::new();
        for evidence in tree.files().iter().filter(asks) {
            let Some(directory) = package_of(evidence, tree.files()) else { continue };
            if !found.iter().any(|known| known.directory == directory) {
                found.push(Detected { directory, config: None, evidence: evidence.clone() });
            }
        }
        found
    }

    fn prepare(&self, site: &Site<'_>) -> Result<Box<dyn Ready>, Failure> {
        cargo::prepared(site, Targets::OfCompiler, Speech)
    }
}

/// Whether a file is usually the root of a crate that `cargo bench` builds.
fn is_root(path: &str) -> bool {
    let ends = ["src/lib.rs", "src/main.rs"].iter().any(|end| Path::new(path).ends_with(end));
    let is_bench = || Path::new(path).components().any(|part| part.as_os_str() == "benches");
    ends || Path::new(path).extension().is_some_and(|end| end == "rs") && is_bench()
}

/// `#![feature(test)]`, be it among other features or on a condition.
fn asks_for_benchmarks(root: &[u8]) -> bool {
    let root = String::from_utf8_lossy(root);
    let mut lists = root.split("feature(").skip(1).filter_map(|rest| rest.split(')').next());
    root.contains("#![") && lists.any(|list| list.split(',').any(|name| name.trim() == "test"))
}

/// The innermost directory with a `Cargo.toml` around a file.
fn package_of(file: &str, files: &[String]) -> Option<PathBuf> {
    let is_package = |place: &&Path| {
        let manifest = place.join("Cargo.toml");
        files.iter().any(|path| Path::new(path) == manifest)
    };
    Path::new(file).ancestors().skip(1).find(is_package).map(Path::to_path_buf)
}

/// How its programs are spoken to.
struct Speech;

impl Dialect for Speech {
    fn list(&self) -> Vec<String> {
        ["--bench", "--list", "--format", "terse"].map(ToOwned::to_owned).to_vec()
    }

    fn listed(&self, printed: &str) -> Vec<String> {
        cargo::listed(printed)
    }

    fn takes_arguments(&self) -> bool {
        false
    }

    fn clock(&self, _: &str) -> OwnClock {
        OwnClock::Preloaded
    }

    /// From 0.2 to 6.
    fn launch_s(&self) -> f64 {
        2.0
    }

    /// It decides alone how long it measures.
    fn measure(&self, name: &str, _: &Wish<'_>) -> Vec<String> {
        ["--bench", "--exact", name].map(ToOwned::to_owned).to_vec()
    }

    fn read(&self, name: &str, left: &Path) -> Result<Vec<Reading>, String> {
        let stdout = crate::harness::stdout(left);
        let printed = std::fs::read_to_string(&stdout).unwrap_or_default();
        if printed.lines().any(|line| is_ignored(line, name)) {
            return Ok(vec![skipped(name)]);
        }
        read_output(&stdout, NAME)
    }
}

/// `test NAME ... ignored`, or `ignored, REASON`
fn is_ignored(line: &str, name: &str) -> bool {
    let result = line.strip_prefix("test ").and_then(|rest| rest.strip_prefix(name));
    result.is_some_and(|result| result.trim_start().starts_with("... ignored"))
}

fn skipped(name: &str) -> Reading {
    Reading {
        name: name.to_owned(),
        params: Vec::new(),
        metric: Metric::time(),
        is_primary: true,
        status: Status::Skipped("it is marked #[ignore]".to_owned()),
        center: None,
        launches: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_asks_for_benchmarks_by_a_feature() {
        for root in [
            "#![feature(test)]",
            "#![feature(portable_simd, test)]",
            "#![cfg_attr(test, feature(test))]",
            "#![cfg_attr(feature = \"nightly\", feature(test))]",
        ] {
            assert!(asks_for_benchmarks(root.as_bytes()), "{root}");
        }
        for root in ["#![feature(test_attr)]", "// feature(test)", "#![cfg(feature = \"test\")]"] {
            assert!(!asks_for_benchmarks(root.as_bytes()), "{root}");
        }
    }

    #[test]
    fn a_suite_is_the_package_around_a_crate() {
        let files = ["Cargo.toml", "a/Cargo.toml", "a/benches/x.rs"].map(ToOwned::to_owned);
        assert_eq!(package_of("a/benches/x.rs", &files), Some("a".into()));
        assert!(is_root("a/benches/x.rs") && is_root("src/lib.rs") && !is_root("src/a.rs"));
    }

    #[test]
    fn what_is_ignored_says_so() {
        assert!(is_ignored("test a::b ... ignored", "a::b"));
        assert!(is_ignored("test a::b   ... ignored, slow", "a::b"));
        assert!(!is_ignored("test a::bc ... ignored", "a::b"));
    }
}
