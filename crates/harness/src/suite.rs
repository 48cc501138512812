//! What a user configures of a suite and of an environment, with every default filled in.

use crate::Harness;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A suite: one harness in one directory of the repository, as configured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteSettings {
    /// Unique in the run.
    pub name: String,
    /// The harness's name.
    pub harness: String,
    /// Relative to the repository's root; empty = the root itself.
    pub directory: PathBuf,
    /// The harness's own configuration file, relative to `directory`.
    pub config: Option<PathBuf>,
    /// Whose benchmark code both sides run.
    pub benchmarks_from: BenchmarksFrom,
    /// Where the benchmarks run.
    pub environment: EnvironmentKind,
    /// For the harness's own build, list and run commands.
    pub arguments: Vec<String>,
    /// Build commands that replace the harness's own way; empty = the harness's own way.
    pub build: Vec<CommandLine>,
    /// The benchmarks of a `command` suite.
    pub commands: Vec<CommandSettings>,
    /// The worker of a suite whose own program serves its benchmarks.
    #[serde(default)]
    pub run: Option<CommandLine>,
    /// Programs of benchmarks, relative to `directory`; a file's name may hold `*` and `?`.
    pub programs: Vec<String>,
    /// The statements of a `snippet` suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<SnippetSettings>,
}

impl SuiteSettings {
    /// A suite with its harness's defaults, at the root.
    #[must_use]
    pub fn new(name: impl Into<String>, harness: &dyn Harness) -> Self {
        let defaults = harness.defaults();
        Self {
            name: name.into(),
            harness: harness.name().to_owned(),
            directory: PathBuf::new(),
            config: None,
            benchmarks_from: defaults.benchmarks_from,
            environment: defaults.environment,
            arguments: Vec::new(),
            build: Vec::new(),
            commands: Vec::new(),
            run: None,
            programs: Vec::new(),
            snippet: None,
        }
    }
}

/// Python statements to be timed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnippetSettings {
    /// Run once before a statement, in its scope.
    pub setup: String,
    /// What is timed; each is a benchmark.
    pub statements: Vec<String>,
    /// What base times instead of the only statement.
    pub against: Option<String>,
    /// Names and the values they take: Python literals, else text. Every combination is run.
    pub parameters: Vec<(String, Vec<String>)>,
}

/// Whose benchmark code both sides run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BenchmarksFrom {
    /// Head's, on both sides.
    Head,
    /// Base's, on both sides.
    Base,
    /// Each side its own.
    Each,
    /// A directory outside the compared commits, the same for both.
    Path(PathBuf),
}

/// Where the benchmarks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnvironmentKind {
    /// An environment made for each side.
    Own,
    /// The job's own interpreter and packages; a side is the project alone.
    Current,
}

/// A command as configured: words, or a line for a shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommandLine {
    /// Program and arguments; no shell is involved.
    Words(Vec<String>),
    /// Run by `sh -c`.
    Shell(String),
}

/// One benchmark of a `command` suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandSettings {
    /// Unique in its suite.
    pub name: String,
    /// What is timed.
    pub run: CommandLine,
    /// What base runs instead, where two commands are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_on_base: Option<CommandLine>,
    /// Untimed, before each launch.
    pub prepare: Option<CommandLine>,
    /// Metrics that are judged: `time`, `peak-memory`. The first is the primary one.
    pub metrics: Vec<String>,
    /// A file given as standard input, relative to the side's directory; none = empty input.
    pub stdin: Option<PathBuf>,
    /// The exit status that counts as success.
    pub expect_exit: i32,
    /// Seconds a launch may take.
    pub timeout_s: u64,
    /// Environment variables for this command.
    pub variables: BTreeMap<String, String>,
    /// Working directory, relative to the side's checkout.
    pub directory: PathBuf,
}

impl CommandSettings {
    /// Seconds a launch may take where nobody says.
    pub const TIMEOUT_S: u64 = 60;

    /// A command that is judged by its time.
    #[must_use]
    pub fn new(name: impl Into<String>, run: CommandLine) -> Self {
        Self {
            name: name.into(),
            run,
            run_on_base: None,
            prepare: None,
            metrics: vec!["time".to_owned()],
            stdin: None,
            expect_exit: 0,
            timeout_s: Self::TIMEOUT_S,
            variables: BTreeMap::new(),
            directory: PathBuf::new(),
        }
    }
}

/// Named settings a side is built and run in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentSettings {
    /// Unique in the run.
    pub name: String,
    /// Python's version (`3.12`) or interpreter path; none = the one on the PATH.
    pub python: Option<String>,
    /// Packages to install, as pip takes them.
    pub requirements: Vec<String>,
    /// Variables for the benchmarks and builds.
    pub variables: BTreeMap<String, String>,
    /// Variables for builds only.
    pub build_variables: BTreeMap<String, String>,
    /// Variables for the benchmarks only.
    #[serde(default)]
    pub run_variables: BTreeMap<String, String>,
    /// Arguments for the build, passed on by the harness.
    pub build_arguments: Vec<String>,
    /// Words put before every measured command.
    pub prefix: Vec<String>,
}
