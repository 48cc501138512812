//! Catch2: programs that the suite's own `build` makes, versions 2 and 3.
//!
//! What can be chosen is a test case as a whole; a benchmark is one row of its report.

use crate::native::{Dialect, Program, RUNNING_TIMEOUT, prepare_named, read_output};
use crate::outputs::{Reading, catch2_cases, read};
use crate::{Defaults, Detected, Harness, Need, OwnClock, Ready, Site, Tree, Wish};
use bench_results::Failure;
use std::path::Path;
use std::time::Duration;

/// Drives Catch2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Catch2;

const NAME: &str = "catch2";

/// Between the test case and the row's whole name in what tells a program's benchmarks apart.
const SEPARATOR: char = '\u{1f}';

/// The tag of test cases that hold benchmarks; they are hidden unless it is asked for.
const TAG: &str = "[!benchmark]";

/// A sample is a thousand ticks of its clock or longer, nanoseconds: what it is expected to be under a
/// preloaded one, which ticks more slowly.
const SAMPLE_NS: f64 = 1e5;

/// Fewest samples: it tells their mean, and nothing of each.
const FEWEST_SAMPLES: f64 = 10.0;
const MOST_SAMPLES: f64 = 1000.0;

impl Harness for Catch2 {
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
    /// Benchmarks exist only while their test case runs: everything is run once, as short as it can be.
    fn list(&self) -> Vec<String> {
        [quick(), vec![TAG.to_owned()]].concat()
    }

    /// Where no test case has the tag, any may hold benchmarks.
    fn list_else(&self) -> Option<Vec<String>> {
        Some(quick())
    }

    fn list_timeout(&self) -> Duration {
        RUNNING_TIMEOUT
    }

    /// A test that fails does not hide the benchmarks of others; how many failed is the exit status.
    fn is_listed(&self, _: i32) -> bool {
        true
    }

    fn listed(&self, printed: &str) -> Vec<String> {
        let Ok(output) = read("its list", printed.as_bytes(), Some(NAME)) else {
            return Vec::new();
        };
        let cases = catch2_cases(printed).unwrap_or_default();
        let own =
            |(case, row): (std::rc::Rc<str>, Reading)| format!("{case}{SEPARATOR}{}", row.name);
        cases.into_iter().zip(output.readings).map(own).collect()
    }

    fn name(&self, _: &Program, own: &str) -> String {
        parts(own).1.to_owned()
    }

    fn clock(&self, _: &str) -> OwnClock {
        OwnClock::Preloaded
    }

    /// It gets to know its clock first.
    fn launch_s(&self) -> f64 {
        1.5
    }

    fn measure(&self, name: &str, wish: &Wish<'_>) -> Vec<String> {
        let samples = (wish.seconds() * 1e9 / wish.call_ns.max(SAMPLE_NS)).round();
        let samples = samples.clamp(FEWEST_SAMPLES, MOST_SAMPLES);
        [report(samples as u32, 5), vec![exactly(parts(name).0)]].concat()
    }

    fn read(&self, name: &str, left: &Path) -> Result<Vec<Reading>, String> {
        let mut readings = read_output(&crate::harness::stdout(left), NAME)?;
        readings.retain(|row| row.name == parts(name).1);
        readings.iter_mut().for_each(|row| name.clone_into(&mut row.name));
        Ok(readings)
    }
}

/// Test case and row.
fn parts(own: &str) -> (&str, &str) {
    own.split_once(SEPARATOR).unwrap_or((own, own))
}

fn quick() -> Vec<String> {
    report(1, 0)
}

/// Its own analysis is a mean of resampled means: left out, it tells the plain one.
fn report(samples: u32, warm_up_ms: u32) -> Vec<String> {
    let samples = format!("--benchmark-samples={samples}");
    let warm_up = format!("--benchmark-warmup-time={warm_up_ms}");
    let words = ["--reporter=xml", "--benchmark-no-analysis", &samples, &warm_up];
    words.map(ToOwned::to_owned).to_vec()
}

/// A test case by its name, with what means something in such a name escaped.
fn exactly(case: &str) -> String {
    let mut quoted = String::with_capacity(case.len() + 2);
    quoted.push('"');
    for letter in case.chars() {
        if "\\,\"[]*".contains(letter) {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_quoted_and_escaped() {
        assert_eq!(exactly(r#"a, [b] "c" *d* \e"#), r#""a\, \[b\] \"c\" \*d\* \\e""#);
    }

    #[test]
    fn a_benchmark_is_known_by_its_test_case_and_row() {
        let printed = r#"<?xml version="1.0" encoding="UTF-8"?>
            <Catch name="b"><Group name="b"><TestCase name="a/b" tags="[!benchmark]">
            <BenchmarkResults name="x" samples="1"><mean value="3"/></BenchmarkResults>
            <Section name="s"><BenchmarkResults name="x"><failed message="no"/></BenchmarkResults></Section>
            <BenchmarkResults name="x" samples="1"><mean value="4"/></BenchmarkResults>
            </TestCase></Group></Catch>"#;
        let names = Speech.listed(printed);
        assert_eq!(names, ["a/b\u{1f}a/b/x", "a/b\u{1f}a/b/s/x", "a/b\u{1f}a/b/x #2"]);
        assert_eq!(parts(&names[2]), ("a/b", "a/b/x #2"));
        assert!(Speech.listed("no report").is_empty());
    }
}
