//! The resolved configuration: what a run needs, with every default filled in and every value checked.

use super::ignore::IgnorePaths;
use crate::shard::Shard;
use bench_harness::{EnvironmentSettings, SuiteSettings};
use bench_results::{Clock, Schedule};
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// Everything a run is asked to do.
#[derive(Clone, Debug, Serialize)]
pub struct Config {
    /// What is compared, and when a difference counts.
    pub compare: Compare,
    /// Regressions that are known and wanted; expired ones are left out.
    pub accepts: Vec<Accept>,
    /// The suites that were asked for; empty when the file names none, until
    /// [`Config::detect`](super::Config::detect) has looked for them.
    pub suites: Vec<Suite>,
    /// The environments of the file, inheritance applied.
    pub environments: Vec<EnvironmentSettings>,
    /// Things a person should know, one sentence each.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

impl Config {
    /// SHA-256 of the whole configuration, hexadecimal: equal for runs that were asked the same.
    #[must_use]
    pub fn digest(&self) -> String {
        // Every field is a plain value, so writing it to memory has no way to fail.
        let text = serde_json::to_vec(self).unwrap_or_default();
        bench_results::hex(&Sha256::digest(text))
    }

    /// The environment of this name.
    #[must_use]
    pub fn environment(&self, name: &str) -> Option<&EnvironmentSettings> {
        self.environments.iter().find(|environment| environment.name == name)
    }
}

/// What is compared, and when a difference counts. Sizes of changes are fractions (`0.03` is 3 %).
#[derive(Clone, Debug, Serialize)]
pub struct Compare {
    /// Which revision is the base.
    pub base: BaseRule,
    /// Which revision is the head.
    pub head: HeadRule,
    /// The branch or commit that the base is taken from; none = the repository's default branch.
    pub base_branch: Option<String>,
    /// What the sides are sides of.
    pub subjects: Subjects,
    /// The environment of the base, where it is named.
    pub base_environment: Option<String>,
    /// The environment of the head, where it is named.
    pub head_environment: Option<String>,
    /// The environments that suites are run in, where they are named.
    pub environments: Wanted,
    /// Variables for the base alone, in the order given.
    pub base_variables: Vec<(String, String)>,
    /// Variables for the head alone, in the order given.
    pub head_variables: Vec<(String, String)>,
    /// Smallest change that matters, above 0 and below 1.
    pub threshold: f64,
    /// The same for peak memory: the threshold that was given, else a default of its own.
    pub memory_threshold: f64,
    /// Bias that is forgiven, at least 0 and below `threshold`.
    pub tolerance: f64,
    /// Chance of any false alarm in the whole run, above 0 and below 0.5.
    pub alpha: f64,
    /// A regression fails only from here on; at least `threshold`.
    pub fail_threshold: f64,
    /// A change of time smaller than this many nanoseconds never counts.
    pub threshold_absolute_ns: f64,
    /// What measuring may take; none = the smaller of 10 s per benchmark and 10 minutes.
    pub time_budget: Option<Duration>,
    /// What preparing may take, per side and suite.
    pub prepare_timeout: Duration,
    /// What makes the run fail; empty = nothing does.
    pub fail_on: BTreeSet<FailOn>,
    /// Files whose changes cannot matter.
    pub ignore_paths: IgnorePaths,
    /// At most this many blocks for each benchmark.
    pub max_blocks: u32,
    /// Exactly this many blocks for each benchmark; none = as many as the decision needs.
    pub repeat: Option<u32>,
    /// How blocks run, unless a suite says otherwise.
    pub schedule: Choice<Schedule>,
    /// Which clock is read, unless a suite says otherwise.
    pub clock: Choice<Clock>,
    /// What the random choices are derived from; none = drawn at the start.
    pub seed: Option<String>,
    /// The logical cores that may be used; none = all this process may use.
    pub cpu_list: Option<Vec<usize>>,
    /// Which part of the benchmarks this run measures; none = all. Shards are asked the same, so it
    /// is no part of the digest.
    #[serde(skip)]
    pub shard: Option<Shard>,
    /// A benchmark is measured when its id matches one of these; empty = all are.
    pub filters: Vec<Pattern>,
    /// The suites asked for by name; empty = all.
    pub suites: Vec<String>,
    /// What is done when the budget cannot hold every combination.
    pub coverage: Coverage,
    /// What is done with identical builds.
    pub identical: Identical,
    /// Whether sizes are wanted and no verdicts: then nobody waits for a decision.
    pub estimates_only: bool,
}

/// The environments that suites are run in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// Those that a suite names, else those its harness asks for.
    #[default]
    OfSuite,
    /// These, of the file or of the suite's harness.
    Named(Vec<String>),
    /// All of the file, and a harness's own where it has several.
    All,
}

/// Which revision is the base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaseRule {
    /// Where head left the base branch.
    MergeBase,
    /// The newest commit of the base branch.
    Tip,
    /// This one.
    Revision(String),
}

/// Which revision is the head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HeadRule {
    /// This one; `HEAD` by default.
    Revision(String),
    /// The files as they are.
    Worktree,
}

/// What the sides are sides of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subjects {
    /// Commits of the repository, each built.
    Commits,
    /// Interpreters in which the project is installed already.
    Pythons {
        /// The base's interpreter.
        base: PathBuf,
        /// The head's interpreter.
        head: PathBuf,
    },
    /// Directories that go first on the module path.
    Paths {
        /// The base's directory.
        base: PathBuf,
        /// The head's directory.
        head: PathBuf,
    },
}

/// Something that can make a run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// A benchmark regressed by at least the fail threshold.
    Regression,
    /// A benchmark failed on head though it ran on base.
    Failure,
    /// A benchmark could not be decided.
    Inconclusive,
}

impl FailOn {
    /// As it is written in the flag and the file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Failure => "failure",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// A choice that may be left to the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice<T> {
    /// Decided by the routing test.
    #[default]
    Auto,
    /// Decided by the user.
    Fixed(T),
}

impl<T: Copy> Choice<T> {
    /// What the user decided, if they did.
    #[must_use]
    pub fn fixed(self) -> Option<T> {
        match self {
            Self::Auto => None,
            Self::Fixed(value) => Some(value),
        }
    }

    /// This choice, or the other where this one leaves it open.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match self {
            Self::Auto => other,
            Self::Fixed(_) => self,
        }
    }
}

/// What is done when the budget cannot hold every combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coverage {
    /// One combination of each function is planned (rule 16).
    Budgeted,
    /// Everything is planned.
    All,
}

/// What is done with identical builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Identical {
    /// They are unchanged and not run.
    Skip,
    /// They are measured all the same.
    Measure,
}

/// A regression that is known and wanted.
#[derive(Clone, Debug, Serialize)]
pub struct Accept {
    /// The ids it speaks of.
    pub pattern: Pattern,
    /// The largest change that is accepted, as a fraction; none = any.
    pub up_to: Option<f64>,
    /// Why.
    pub reason: String,
    /// The last day on which it holds; none = for good.
    pub until: Option<jiff::civil::Date>,
}

/// One suite with everything that concerns it.
#[derive(Clone, Debug, Serialize)]
pub struct Suite {
    /// What its harness is told.
    pub settings: SuiteSettings,
    /// Untracked paths, relative to the root, that each side gets.
    pub links: Vec<PathBuf>,
    /// Whether large files are fetched.
    pub lfs: Lfs,
    /// The ids that belong to it; none = all.
    pub filter: Option<Pattern>,
    /// How its blocks run.
    pub schedule: Choice<Schedule>,
    /// Which clock is read.
    pub clock: Choice<Clock>,
    /// Smallest change that matters here, as a fraction; none = the run's.
    pub threshold: Option<f64>,
    /// Exceptions, in the order of the file; the last that matches wins, key by key.
    pub overrides: Vec<Override>,
    /// Names of the environments it is run in; empty = those its harness asks for.
    pub environments: Vec<String>,
}

/// Whether large files (Git LFS) are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lfs {
    /// Their pointers stay.
    Pointers,
    /// They are fetched.
    Fetch,
}

/// An exception for some benchmarks of a suite.
#[derive(Clone, Debug, Serialize)]
pub struct Override {
    /// The ids it speaks of.
    pub pattern: Pattern,
    /// How their blocks run.
    pub schedule: Option<Choice<Schedule>>,
    /// Which clock is read.
    pub clock: Option<Choice<Clock>>,
    /// Smallest change that matters, as a fraction.
    pub threshold: Option<f64>,
}

/// How one benchmark is measured and judged, after its suite's exceptions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// How its blocks run.
    pub schedule: Choice<Schedule>,
    /// Which clock is read.
    pub clock: Choice<Clock>,
    /// Smallest change that matters, as a fraction.
    pub threshold: f64,
    /// The same for peak memory.
    pub memory_threshold: f64,
}

impl Suite {
    /// The rules for the benchmark of this id: its last matching exception, else the suite's own,
    /// else the run's.
    #[must_use]
    pub fn rules(&self, id: &str, compare: &Compare) -> Rules {
        let mut rules = Rules {
            schedule: self.schedule.or(compare.schedule),
            clock: self.clock.or(compare.clock),
            threshold: self.threshold.unwrap_or(compare.threshold),
            memory_threshold: self.threshold.unwrap_or(compare.memory_threshold),
        };
        for exception in self.overrides.iter().filter(|o| o.pattern.is_match(id)) {
            rules.schedule = exception.schedule.unwrap_or(rules.schedule);
            rules.clock = exception.clock.unwrap_or(rules.clock);
            rules.threshold = exception.threshold.unwrap_or(rules.threshold);
            rules.memory_threshold = exception.threshold.unwrap_or(rules.memory_threshold);
        }
        rules
    }

    /// Whether the benchmark of this id is to be measured.
    #[must_use]
    pub fn wants(&self, id: &str, compare: &Compare) -> bool {
        self.filter.as_ref().is_none_or(|pattern| pattern.is_match(id))
            && (compare.filters.is_empty() || compare.filters.iter().any(|f| f.is_match(id)))
    }
}

/// A regular expression on benchmark ids, compiled once.
#[derive(Clone, Debug)]
pub struct Pattern(regex::Regex);

impl Pattern {
    /// Compiles the expression.
    ///
    /// # Errors
    /// Where it is no regular expression.
    pub fn new(text: &str) -> Result<Self, regex::Error> {
        regex::Regex::new(text).map(Self)
    }

    /// Whether it matches anywhere in the id.
    #[must_use]
    pub fn is_match(&self, id: &str) -> bool {
        self.0.is_match(id)
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
