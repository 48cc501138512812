//! divan: bench targets that cargo builds, measured unmodified.

use crate::native::cargo::{self, Targets};
use crate::native::{Dialect, read_output};
use crate::outputs::Reading;
use crate::{Defaults, Detected, Harness, Language, OwnClock, Ready, Site, Tree, Wish};
use bench_results::Failure;
use std::path::Path;

/// Drives divan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divan;

const NAME: &str = "divan";

/// divan itself, and the package that takes its place.
const PACKAGES: [&str; 2] = [NAME, "codspeed-divan-compat"];

/// How long one of its own samples should be, nanoseconds: long beside what asking a preloaded clock
/// costs (0.3 µs). Left to itself it takes samples as short as one iteration.
const SAMPLE_NS: f64 = 1e5;

impl Harness for Divan {
    fn name(&self) -> &'static str {
        NAME
    }

    fn defaults(&self) -> Defaults {
        Defaults::compiled()
    }

    fn language(&self) -> Option<Language> {
        Some(Language::Rust)
    }

    fn detect(&self, tree: &dyn Tree) -> Vec<Detected> {
        cargo::detected(tree, &PACKAGES)
    }

    fn prepare(&self, site: &Site<'_>) -> Result<Box<dyn Ready>, Failure> {
        cargo::prepared(site, Targets::Naming(&[NAME]), Speech)
    }
}

/// How its programs are spoken to.
struct Speech;

impl Dialect for Speech {
    fn list(&self) -> Vec<String> {
        ["--list", "--format", "terse"].map(ToOwned::to_owned).to_vec()
    }

    /// Only so does it list the arguments of a benchmark.
    fn list_variables(&self) -> &'static [(&'static str, &'static str)] {
        &[("NEXTEST", "1")]
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

    /// It tells no samples, only their median: many short ones, so that the median is a good one.
    fn measure(&self, name: &str, wish: &Wish<'_>) -> Vec<String> {
        let mut words = ["--bench", "--exact", "--timer", "os"].map(ToOwned::to_owned).to_vec();
        if wish.call_ns > 0.0 {
            let iterations = (SAMPLE_NS / wish.call_ns).ceil().max(1.0);
            let samples = (wish.seconds() * 1e9 / (iterations * wish.call_ns)).clamp(1.0, 1e4);
            words.push(format!("--sample-size={iterations}"));
            words.push(format!("--sample-count={}", samples as u32));
        } else {
            words.push(format!("--max-time={:.6}", wish.seconds().max(0.01)));
        }
        // Behind the dashes a name may begin with one.
        words.extend(["--".to_owned(), name.to_owned()]);
        words
    }

    fn read(&self, _: &str, left: &Path) -> Result<Vec<Reading>, String> {
        read_output(&crate::harness::stdout(left), NAME)
    }
}
