//! Google Benchmark: programs that the suite's own `build` makes.

use crate::native::{Dialect, prepare_named, read_output};
use crate::outputs::Reading;
use crate::{Defaults, Detected, Harness, Need, OwnClock, Ready, Site, Tree, Wish};
use bench_results::Failure;
use std::path::Path;

/// Drives Google Benchmark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GoogleBenchmark;

const NAME: &str = "google-benchmark";
const OUTPUT: &str = "result.json";

impl Harness for GoogleBenchmark {
    fn name(&self) -> &'static str {
        NAME
    }

    fn defaults(&self) -> Defaults {
        Defaults { programs: Need::Required, ..Defaults::compiled() }
    }

    /// What is to be built, and how, is never guessed.
    fn detect(&self, _: &dyn Tree) -> Vec<Detected> {
        Vec::new()
    }

    fn prepare(&self, site: &Site<'_>) -> Result<Box<dyn Ready>, Failure> {
        prepare_named(site, Speech)
    }
}

/// How its programs are spoken to.
struct Speech;

impl Dialect for Speech {
    fn list(&self) -> Vec<String> {
        vec!["--benchmark_list_tests=true".to_owned()]
    }

    fn listed(&self, printed: &str) -> Vec<String> {
        let names = printed.lines().map(str::trim_end).filter(|line| !line.is_empty());
        names.map(ToOwned::to_owned).collect()
    }

    /// It reports the main thread's CPU time. Where the author says that another time counts, that
    /// time comes from a clock which can be preloaded.
    fn clock(&self, name: &str) -> OwnClock {
        match name.split('/').any(|part| part == "real_time" || part == "manual_time") {
            true => OwnClock::Preloaded,
            false => OwnClock::Both,
        }
    }

    /// Repetitions share one count of iterations, which is found in the first: they are the samples.
    fn measure(&self, name: &str, wish: &Wish<'_>) -> Vec<String> {
        vec![
            format!("--benchmark_filter=^{}$", escaped(name)),
            // Without a unit: versions up to 1.7 refuse one, later ones take either.
            format!("--benchmark_min_time={:.6}", wish.sample_ns as f64 / 1e9),
            format!("--benchmark_repetitions={}", wish.samples),
            "--benchmark_report_aggregates_only=false".to_owned(),
            "--benchmark_display_aggregates_only=false".to_owned(),
            "--benchmark_enable_random_interleaving=false".to_owned(),
            format!("--benchmark_out={}", wish.left.join(OUTPUT).display()),
            "--benchmark_out_format=json".to_owned(),
        ]
    }

    fn read(&self, _: &str, left: &Path) -> Result<Vec<Reading>, String> {
        read_output(&left.join(OUTPUT), NAME)
    }

    /// The library tells how it was built itself; that of some distributions was built so.
    fn warnings(&self, left: &Path) -> Vec<String> {
        let output = std::fs::read_to_string(left.join(OUTPUT)).unwrap_or_default();
        is_debug(&output).then(|| DEBUG.to_owned()).into_iter().collect()
    }
}

const DEBUG: &str = "google-benchmark: the library was built as DEBUG, so that its own part of each time is \
                     larger than it should be; build it with -DCMAKE_BUILD_TYPE=Release";

/// `"library_build_type": "debug"`, in the context that stands before all results.
fn is_debug(output: &str) -> bool {
    let kind = output.split_once("\"library_build_type\"").map(|(_, rest)| rest);
    let value = kind.and_then(|rest| rest.trim_start().strip_prefix(':'));
    value.is_some_and(|value| value.trim_start().starts_with("\"debug\""))
}

/// Filters are POSIX extended expressions, which refuse an escape that is not needed.
fn escaped(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for letter in name.chars() {
        if r".[\()*+?{|^$".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_posix_expression_takes_is_escaped() {
        assert_eq!(escaped("BM_a<int>/8/x:1]-}"), "BM_a<int>/8/x:1]-}");
        assert_eq!(escaped("f(a[0]) *+?{|^$.\\"), r"f\(a\[0]\) \*\+\?\{\|\^\$\.\\");
    }

    #[test]
    fn a_library_for_debugging_is_told() {
        assert!(is_debug("{\"context\": {\n \"library_build_type\": \"debug\"\n}}"));
        assert!(!is_debug("{\"context\": {\n \"library_build_type\": \"release\"\n}}"));
        assert!(!is_debug(""));
    }

    #[test]
    fn the_time_that_the_author_chose_counts() {
        assert_eq!(Speech.clock("BM_a/8"), OwnClock::Both);
        assert_eq!(Speech.clock("BM_a/8/real_time/threads:2"), OwnClock::Preloaded);
        assert_eq!(Speech.clock("BM_real_time"), OwnClock::Both);
    }
}
