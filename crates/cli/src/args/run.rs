//! Flags of `run` and `list`, in groups, and how they become the first layer of the configuration.

use super::values::{Format, ListFormat};
use bench_core::config::Flags;
use clap::Args;
use std::path::PathBuf;

/// Flags of `run`.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArgs {
    /// Print the plan and stop: nothing is built, measured or written
    #[arg(long, conflicts_with = "format")]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) sides: SidesArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) measure: MeasureArgs,
    #[command(flatten)]
    pub(crate) decision: DecisionArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// Flags of `list`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) sides: SidesArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// The form of the list; json holds everything known of each benchmark
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) format: ListFormat,
}

/// What is compared with what.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Sides")]
pub(crate) struct SidesArgs {
    /// What head is compared with: a revision, merge-base (where head left the base branch), or tip
    /// (the base branch as it is now) [default: merge-base]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The branch that merge-base and tip are taken from [default: the default branch; in a job
    /// of a pull request, the branch it wants to change]
    #[arg(long, value_name = "BRANCH")]
    base_branch: Option<String>,
    /// What is judged: a revision, or worktree (the files as they are) [default: HEAD]
    #[arg(long, value_name = "REV")]
    head: Option<String>,
    /// An interpreter in which base is installed already: nothing is built. Instead of --base
    #[arg(long, value_name = "PATH", requires = "head_python", conflicts_with_all = ["base", "base_path"])]
    base_python: Option<PathBuf>,
    /// An interpreter in which head is installed already: nothing is built. Instead of --head
    #[arg(long, value_name = "PATH", requires = "base_python", conflicts_with_all = ["head", "head_path"])]
    head_python: Option<PathBuf>,
    /// A directory with base built already; it goes first on PYTHONPATH. Instead of --base
    #[arg(long, value_name = "DIR", requires = "head_path", conflicts_with = "base")]
    base_path: Option<PathBuf>,
    /// A directory with head built already; it goes first on PYTHONPATH. Instead of --head
    #[arg(long, value_name = "DIR", requires = "base_path", conflicts_with = "head")]
    head_path: Option<PathBuf>,
    /// An environment variable for base alone (repeatable)
    #[arg(long, value_name = "K=V")]
    base_var: Vec<String>,
    /// An environment variable for head alone (repeatable)
    #[arg(long, value_name = "K=V")]
    head_var: Vec<String>,
    /// The [[environment]] that base is built and run in
    #[arg(long, value_name = "NAME")]
    base_env: Option<String>,
    /// The [[environment]] that head is built and run in
    #[arg(long, value_name = "NAME")]
    head_env: Option<String>,
    /// Run in this environment, of the file or of the suite's own matrix (repeatable), or in all: one
    /// report with a section for each. All share one bound on false alarms [default: the suite's]
    #[arg(long, value_name = "NAME")]
    environment: Vec<String>,
}

/// Which benchmarks are meant.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Selection")]
pub(crate) struct SelectionArgs {
    /// The configuration file [default: bench-action.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Only this suite (repeatable)
    #[arg(long, value_name = "NAME")]
    suite: Vec<String>,
    /// Only benchmarks whose id matches (repeatable: one match is enough). An id is suite/name, such
    /// as asv/parse.time_header(size=10): ^ stands before the suite, and reports leave it out
    #[arg(long, value_name = "REGEX")]
    filter: Vec<String>,
    /// Only the I-th of N parts, counted from 1: benchmarks are spread by a hash of their ids. All
    /// parts share one bound on false alarms; `bench-action merge` puts their results together
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Spread the parts by what benchmarks cost in this earlier results file, the same for each part
    #[arg(long, value_name = "FILE", requires = "shard")]
    shard_costs: Option<PathBuf>,
    /// Every parameter combination, also where the budget cannot hold them all
    #[arg(long)]
    all: bool,
}

/// How it is measured.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct MeasureArgs {
    /// Exactly N blocks for each benchmark [default: as many as its decision needs]
    #[arg(long, value_name = "N", conflicts_with = "max_blocks")]
    pub(crate) repeat: Option<u32>,
    /// At most N blocks for each benchmark
    #[arg(long, value_name = "N")]
    max_blocks: Option<u32>,
    /// Time for measuring, such as 90s or 10m, for each shard [default: 10 s for each benchmark, more
    /// where a launch takes long by itself, at most 10m]
    #[arg(long, value_name = "TIME")]
    time_budget: Option<String>,
    /// How a block runs both sides [default: auto]
    #[arg(long, value_name = "SCHEDULE", value_parser = ["auto", "duet", "alternate", "sequential"])]
    schedule: Option<String>,
    /// The clock that is compared [default: auto]
    #[arg(long, value_name = "CLOCK", value_parser = ["auto", "cpu", "wall"])]
    clock: Option<String>,
    /// The seed of an earlier run repeats its plan exactly [default: drawn at the start]
    #[arg(long, value_name = "TEXT")]
    seed: Option<String>,
    /// Cores that may be used, such as 0,2-3 [default: all that this process may use]
    #[arg(long, value_name = "LIST")]
    cpu_list: Option<String>,
    /// Measure identical builds too, instead of calling them unchanged
    #[arg(long)]
    measure_identical: bool,
}

/// When a change is called one.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Verdict")]
pub(crate) struct DecisionArgs {
    /// The smallest change that matters, for every metric [default: 3%; for peak memory 5%]
    #[arg(long, value_name = "PERCENT")]
    pub(super) threshold: Option<String>,
    /// Bias that is forgiven [default: 1%]
    #[arg(long, value_name = "PERCENT")]
    pub(super) tolerance: Option<String>,
    /// Bound on the chance of any false alarm in the whole run [default: 0.05]
    #[arg(long, value_name = "P")]
    pub(super) alpha: Option<String>,
    /// What makes the exit code other than 0: any of regression, failure, inconclusive, separated
    /// by commas; or never [default: failure]
    #[arg(long, value_name = "CAUSES")]
    pub(super) fail_on: Option<String>,
    /// A regression fails only from this size on [default: the threshold]
    #[arg(long, value_name = "PERCENT")]
    pub(super) fail_threshold: Option<String>,
}

/// Where the report goes.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportArgs {
    /// Where results.json, report.md and report.html are written [default: .bench-action/last]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// The form of the report on standard output
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) format: Format,
}

impl RunArgs {
    /// The first layer of the configuration.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = Flags::default();
        self.sides.fill(&mut flags);
        self.selection.fill(&mut flags);
        self.measure.fill(&mut flags);
        self.decision.fill(&mut flags);
        flags
    }
}

impl ListArgs {
    /// The first layer of the configuration.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = Flags::default();
        self.sides.fill(&mut flags);
        self.selection.fill(&mut flags);
        flags
    }
}

// Each group is taken apart whole, so that a flag added above cannot be forgotten below.

impl SidesArgs {
    pub(super) fn fill(&self, flags: &mut Flags) {
        let Self {
            base,
            base_branch,
            head,
            base_python,
            head_python,
            base_path,
            head_path,
            base_var,
            head_var,
            base_env,
            head_env,
            environment,
        } = self.clone();
        flags.base = base;
        flags.base_branch = base_branch;
        flags.head = head;
        flags.base_python = base_python;
        flags.head_python = head_python;
        flags.base_path = base_path;
        flags.head_path = head_path;
        flags.base_variables = base_var;
        flags.head_variables = head_var;
        flags.base_environment = base_env;
        flags.head_environment = head_env;
        flags.environments = environment;
    }
}

impl SelectionArgs {
    pub(super) fn fill(&self, flags: &mut Flags) {
        let Self { config, suite, filter, shard, shard_costs, all } = self.clone();
        flags.config = config;
        flags.suites = suite;
        flags.filters = filter;
        flags.shard = shard;
        flags.shard_costs = shard_costs;
        flags.all = all;
    }
}

impl MeasureArgs {
    pub(super) fn fill(&self, flags: &mut Flags) {
        let Self {
            repeat,
            max_blocks,
            time_budget,
            schedule,
            clock,
            seed,
            cpu_list,
            measure_identical,
        } = self.clone();
        flags.repeat = repeat;
        flags.max_blocks = max_blocks;
        flags.time_budget = time_budget;
        flags.schedule = schedule;
        flags.clock = clock;
        flags.seed = seed;
        flags.cpu_list = cpu_list;
        flags.measure_identical = measure_identical;
    }
}

impl DecisionArgs {
    pub(super) fn fill(&self, flags: &mut Flags) {
        let Self { threshold, tolerance, alpha, fail_on, fail_threshold } = self.clone();
        flags.threshold = threshold;
        flags.tolerance = tolerance;
        flags.alpha = alpha;
        flags.fail_on = fail_on;
        flags.fail_threshold = fail_threshold;
    }
}
