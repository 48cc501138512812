//! Suites that are compiled to programs which list, run and time their own benchmarks.
//!
//! A harness brings how its programs are made and a [`Dialect`]: how they are spoken to. The rest,
//! from a list of programs to a launch and what was read of it, is common to all.

pub(crate) mod cargo;
mod found;
mod ready;
mod report;

pub(crate) use found::prepare_named;
pub(crate) use ready::NativeReady;
use report::reported;

use crate::outputs::Reading;
use crate::{MetricPlan, OwnClock, Wish};
use bench_results::Metric;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What listing may take where it runs every benchmark once.
pub(crate) const RUNNING_TIMEOUT: Duration = Duration::from_secs(600);

/// A program of benchmarks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// What tells it from the suite's other programs.
    pub(crate) label: String,
    /// The file.
    pub(crate) path: PathBuf,
    /// Where it is run.
    pub(crate) directory: PathBuf,
    /// Whether a preloaded clock reaches it.
    pub(crate) is_dynamic: bool,
}

/// How the programs of a framework are spoken to.
pub(crate) trait Dialect: Send + Sync {
    /// Arguments that make a program list its benchmarks.
    fn list(&self) -> Vec<String>;

    /// Arguments for a second try, where the first has listed nothing.
    fn list_else(&self) -> Option<Vec<String>> {
        None
    }

    /// What listing may take. Few harnesses run anything for it.
    fn list_timeout(&self) -> Duration {
        Duration::from_secs(60)
    }

    /// Variables that it needs for that.
    fn list_variables(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The names in what it then printed, in order; what tells a program's benchmarks from each other.
    fn listed(&self, printed: &str) -> Vec<String>;

    /// Arguments of runs, as short as can be, that tell the whole names of those that the list has cut.
    fn look_ups(&self, _listed: &[String]) -> Vec<Vec<String>> {
        Vec::new()
    }

    /// Whole names by listed ones, in what such a run has left.
    fn whole_names(&self, _left: &Path) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Whether a program that ended so has listed what it could.
    fn is_listed(&self, exit: i32) -> bool {
        exit == 0
    }

    /// The name that is shown, by the program's own; two of one name are told apart later.
    fn name(&self, _program: &Program, own: &str) -> String {
        own.to_owned()
    }

    /// Whether the suite's `arguments` are for the programs; else they are for the build.
    fn takes_arguments(&self) -> bool {
        true
    }

    /// What is judged.
    fn metric(&self) -> MetricPlan {
        MetricPlan { metric: Metric::time(), gated: true, exact: false }
    }

    /// The clocks that a benchmark's times can be had on, in a program that a preloaded clock
    /// reaches.
    fn clock(&self, name: &str) -> OwnClock;

    /// What a launch usually takes whatever it is asked for, seconds.
    fn launch_s(&self) -> f64 {
        0.0
    }

    /// Times that a launch gives up its core whatever it measures. A benchmark that waits does so in
    /// every iteration, so that it must be fewer than there are iterations at least.
    fn switches(&self) -> u32 {
        2
    }

    /// Arguments that make a program measure one benchmark.
    fn measure(&self, name: &str, wish: &Wish<'_>) -> Vec<String>;

    /// Variables for one launch.
    fn variables(&self, _wish: &Wish<'_>) -> Vec<(&'static str, PathBuf)> {
        Vec::new()
    }

    /// What a launch of one benchmark has left: its rows have the program's own name for it.
    ///
    /// # Errors
    /// In words: there is no output, or it cannot be read.
    fn read(&self, name: &str, left: &Path) -> Result<Vec<Reading>, String>;

    /// What a person should know of the program by what it has left, one sentence each.
    fn warnings(&self, _left: &Path) -> Vec<String> {
        Vec::new()
    }
}

/// Reads a file of a launch's by the reader of its harness.
pub(crate) fn read_output(file: &Path, harness: &str) -> Result<Vec<Reading>, String> {
    let place = file.file_name().unwrap_or_default().to_string_lossy();
    let bytes = std::fs::read(file).map_err(|error| format!("{place}: {error}"))?;
    let output = crate::outputs::read(&place, &bytes, Some(harness));
    output.map(|output| output.readings).map_err(|error| error.to_string())
}
