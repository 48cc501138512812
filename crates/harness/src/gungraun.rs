//! gungraun (iai-callgrind before): instructions, counted under valgrind. Counts, not times: they need
//! no schedule and hardly any repetition.

use crate::native::cargo::{self, Targets};
use crate::native::{Dialect, read_output};
use crate::outputs::{INSTRUCTIONS, Reading};
use crate::{Defaults, Detected, Harness, Language, MetricPlan, OwnClock, Ready, Site, Tree, Wish};
use bench_results::{Better, Failure, Metric};
use std::path::Path;

/// Drives gungraun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gungraun;

const NAME: &str = "gungraun";

/// gungraun, and its name before.
const PACKAGES: [&str; 2] = [NAME, "iai-callgrind"];

impl Harness for Gungraun {
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
        cargo::prepared(site, Targets::Naming(&[NAME, "iai_callgrind"]), Speech)
    }
}

/// How its programs are spoken to.
struct Speech;

impl Dialect for Speech {
    fn list(&self) -> Vec<String> {
        ["--bench", "--list"].map(ToOwned::to_owned).to_vec()
    }

    fn listed(&self, printed: &str) -> Vec<String> {
        cargo::listed(printed)
    }

    fn takes_arguments(&self) -> bool {
        false
    }

    fn metric(&self) -> MetricPlan {
        let metric = Metric {
            name: INSTRUCTIONS.to_owned(),
            unit: "instructions".to_owned(),
            better: Better::Lower,
        };
        MetricPlan { metric, gated: true, exact: true }
    }

    fn clock(&self, _: &str) -> OwnClock {
        OwnClock::None
    }

    /// With a home of its own no launch finds an earlier one to compare itself with.
    fn measure(&self, name: &str, wish: &Wish<'_>) -> Vec<String> {
        vec![
            "--bench".to_owned(),
            format!("--home={}", wish.left.join(NAME).display()),
            "--output-format=json".to_owned(),
            name.to_owned(),
        ]
    }

    /// One benchmark was run. Its name in the summary has other parts than in the list.
    fn read(&self, name: &str, left: &Path) -> Result<Vec<Reading>, String> {
        let mut readings = read_output(&crate::harness::stdout(left), NAME)?;
        readings.iter_mut().for_each(|row| name.clone_into(&mut row.name));
        Ok(readings)
    }
}
