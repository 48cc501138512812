//! The interface of a harness.

use crate::{
    Benchmark, BenchmarksFrom, Discovery, EnvironmentKind, EnvironmentSettings, SuiteSettings,
};
use bench_process::{CpuClock, Interrupt, Launcher, Spec};
use bench_results::{Artifact, Failure, Metric, SideName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A framework that benchmarks are written for.
pub trait Harness: Sync {
    /// `asv`, `command`, …
    fn name(&self) -> &'static str;

    /// What a suite of this harness gets where its user says nothing.
    fn defaults(&self) -> Defaults {
        Defaults::default()
    }

    /// What [`Harness::detect`] looks for, in the words of a sentence "searched for …"; empty where
    /// it looks for nothing.
    fn traces(&self) -> &'static str {
        ""
    }

    /// The language whose tools have to be there before a side can be built; none where the suite's
    /// own commands say what they need. A workflow is set up by it.
    fn language(&self) -> Option<Language> {
        None
    }

    /// The suites of this harness among a revision's files.
    fn detect(&self, tree: &dyn Tree) -> Vec<Detected>;

    /// The environments a suite asks for (an asv matrix); a suite without its own wishes gets one,
    /// named `default`. Reads only.
    ///
    /// # Errors
    /// A mistake in the harness's own configuration file.
    fn environments(
        &self,
        _tree: &dyn Tree,
        _suite: &SuiteSettings,
    ) -> Result<Vec<EnvironmentSettings>, HarnessError> {
        Ok(vec![EnvironmentSettings { name: "default".into(), ..Default::default() }])
    }

    /// Makes one side ready, once: environment, build, install. May use the network.
    ///
    /// # Errors
    /// With the stage, the command, and the end of what it printed; the whole is in `site.log`.
    fn prepare(&self, site: &Site<'_>) -> Result<Box<dyn Ready>, Failure>;
}

/// A language that a workflow can set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// CPython.
    Python,
    /// rustup has what a repository asks for.
    Rust,
    /// A module says which.
    Go,
    /// Node.
    JavaScript,
}

/// What a suite gets where its user says nothing, and whether it lists commands of its own. The
/// defaults of the defaults are those of a Python harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// Whose benchmark code both sides run.
    pub benchmarks_from: BenchmarksFrom,
    /// Where the benchmarks run.
    pub environment: EnvironmentKind,
    /// Whether the suite's benchmarks are listed in our configuration.
    pub commands: Need,
    /// Whether its programs are.
    pub programs: Need,
    /// Whether its worker is.
    pub run: Need,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            benchmarks_from: BenchmarksFrom::Head,
            environment: EnvironmentKind::Own,
            commands: Need::Unused,
            programs: Need::Unused,
            run: Need::Unused,
        }
    }
}

impl Defaults {
    /// Those of suites that are compiled: each side builds and runs its own.
    #[must_use]
    pub fn compiled() -> Self {
        Self { benchmarks_from: BenchmarksFrom::Each, ..Self::default() }
    }
}

/// Whether something of a suite is listed in our configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The harness finds it.
    Unused,
    /// At least one is listed.
    Required,
}

/// A side made ready.
pub trait Ready: Send + Sync {
    /// What was made.
    fn facts(&self) -> &Facts;

    /// What there is to measure, without running it.
    ///
    /// # Errors
    /// When nothing at all could be loaded.
    fn discover(&self, launcher: &Launcher, interrupt: &Interrupt) -> Result<Discovery, Failure>;

    /// How this benchmark is launched.
    fn launch(&self, benchmark: &Benchmark, wish: &Wish<'_>) -> Launch;

    /// What a launch of a benchmark that measures itself has reported ([`HowMeasured::Reported`]).
    ///
    /// # Errors
    /// The benchmark says that it does not apply, or that it failed; or nothing was left that can be
    /// read.
    ///
    /// [`HowMeasured::Reported`]: crate::HowMeasured::Reported
    fn read(&self, benchmark: &Benchmark, _left: &Path) -> Result<Reported, NotReported> {
        Err(NotReported::Failed(format!("`{}` reports nothing by itself", benchmark.name)))
    }

    /// The worker that serves stepped benchmarks of this side, with these seeds; none for harnesses
    /// without one. Its channel is `Channel::Socket` and speaks [`crate::Request`].
    fn worker(&self, seeds: RoundSeeds) -> Option<Spec>;

    /// Whether that worker serves each benchmark from a forked child of its own; else it serves one
    /// benchmark, and each block starts one.
    fn forks(&self) -> bool {
        true
    }
}

/// How a benchmark is launched.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "made once per benchmark and taken apart at once")]
pub enum Launch {
    /// Through the side's [`Ready::worker`].
    Stepped,
    /// By itself.
    Opaque(Opaque),
}

/// What is wished of one launch. Only programs that measure themselves heed more than the clock.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// An empty directory for what the launch leaves; read afterwards by [`Ready::read`].
    pub left: &'a Path,
    /// Samples to take, in one process, at least 1.
    pub samples: u32,
    /// How long each should take, nanoseconds; at least one iteration.
    pub sample_ns: u64,
    /// What one iteration is expected to take, nanoseconds; 0 where nobody knows yet.
    pub call_ns: f64,
    /// To be preloaded into the program that takes the time.
    pub clock: Option<&'a CpuClock>,
}

impl Wish<'_> {
    /// Where a launch's standard output goes.
    #[must_use]
    pub fn stdout(&self) -> PathBuf {
        stdout(self.left)
    }

    /// All samples together, seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        f64::from(self.samples) * self.sample_ns as f64 / 1e9
    }
}

/// The file in a launch's directory that holds its standard output.
pub(crate) fn stdout(left: &Path) -> PathBuf {
    left.join("stdout.txt")
}

/// What a program reported of its own measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// Time per iteration of each sample, in run order, nanoseconds. CPU time where the clock was
    /// preloaded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wall_ns: Vec<f64>,
    /// The same on a CPU clock of the harness's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_ns: Vec<f64>,
    /// Other metrics, one value per launch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(Metric, f64)>,
    /// What a person should know of the program, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Reported {
    /// The value of a metric.
    #[must_use]
    pub fn value(&self, metric: &str) -> Option<f64> {
        self.values.iter().find(|(known, _)| known.name == metric).map(|(_, value)| *value)
    }
}

/// Why a launch has reported nothing; in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotReported {
    /// The benchmark says that it does not apply.
    Skipped(String),
    /// It failed, or left nothing that can be read.
    Failed(String),
}

/// A program that runs by itself and is read afterwards.
#[derive(Debug)]
pub struct Opaque {
    /// Untimed, before each launch.
    pub prepare: Option<Spec>,
    /// What is timed.
    pub run: Spec,
    /// The exit status that counts as success.
    pub expect_exit: i32,
    /// What it may take.
    pub timeout: Duration,
}

/// What was made of a side.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The project's version as built, where it has one.
    pub project_version: Option<String>,
    /// The commit that an existing build says it was made from.
    pub revision: Option<String>,
    /// What libraries tell of themselves here (BLAS, instruction sets), by name.
    pub details: BTreeMap<String, String>,
    /// The harness's own version.
    pub harness_version: Option<String>,
    /// Python's version, where there is one.
    pub python: Option<String>,
    /// `name==version` of what is installed.
    pub packages: Vec<String>,
    /// What was built, with digests of what matters in it: with those of the files that it may read,
    /// where it may read any of its checkout. Two sides with equal, non-empty
    /// artifacts and equal packages, interpreter and variables are identical builds.
    pub artifacts: Vec<Artifact>,
    /// Variables the benchmarks run with although nobody set them: one thread for each library
    /// that would start threads of its own.
    pub variables: BTreeMap<String, String>,
    /// Whether everything came from the cache.
    pub cached: bool,
    /// Things a person should know, one sentence each.
    pub warnings: Vec<String>,
}

/// What is new for each worker of a round; equal on both sides (rule 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundSeeds {
    /// For hash randomisation (PYTHONHASHSEED).
    pub hash: u32,
    /// For random generators, before import.
    pub random: u32,
    /// Bytes of environment padding, 0 to 4095.
    pub padding: u32,
}

/// What a side is a side of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A commit in a private checkout, to be built.
    Commit {
        /// Full commit id.
        commit: String,
        /// Root of the checkout.
        checkout: PathBuf,
    },
    /// An interpreter in which the project is installed already; nothing is built.
    Python {
        /// Its path.
        interpreter: PathBuf,
    },
    /// A directory that goes first on the module path; nothing is built.
    Path {
        /// The directory.
        directory: PathBuf,
    },
}

/// Everything a harness may use to make one side ready.
#[derive(Debug)]
pub struct Site<'a> {
    /// Which side.
    pub side: SideName,
    /// What it is a side of.
    pub subject: &'a Subject,
    /// Root of the tree whose benchmark code this side runs (its own, the other side's, or a path).
    /// The harness copies from it what a suite may write beside itself.
    pub suite_root: &'a Path,
    /// Commit of that tree, where it is one.
    pub suite_commit: Option<&'a str>,
    /// The suite.
    pub suite: &'a SuiteSettings,
    /// The environment.
    pub environment: &'a EnvironmentSettings,
    /// Kept between runs; shared by both sides; entries are keyed by everything they depend on.
    pub cache: &'a Path,
    /// This side's and suite's own directory, emptied for each run; of equal length on both sides.
    pub work: &'a Path,
    /// Where commands write what they print.
    pub log: &'a Path,
    /// Starts programs.
    pub launcher: &'a Launcher,
    /// SIGINT and SIGTERM.
    pub interrupt: &'a Interrupt,
    /// What preparing may take.
    pub timeout: Duration,
    /// Whether a clock can be preloaded into what is measured.
    pub has_clock: bool,
}

/// The files of a revision, without a checkout.
pub trait Tree {
    /// Paths of the tracked files, `/` between parts.
    fn files(&self) -> &[String];

    /// A file's bytes; none where it is not there.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
}

/// A suite that was found without configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detected {
    /// The directory, relative to the root.
    pub directory: PathBuf,
    /// The harness's own configuration file, relative to `directory`.
    pub config: Option<PathBuf>,
    /// The file that gave it away.
    pub evidence: String,
}

/// A mistake in what a harness was given, or a wish it cannot serve.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {message}")]
pub struct HarnessError {
    /// File, with line where known.
    pub place: String,
    /// What is wrong and what to do.
    pub message: String,
}
