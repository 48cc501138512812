//! Flags of `snippet`.

use super::run::{DecisionArgs, MeasureArgs, ReportArgs, SidesArgs};
use bench_core::config::Flags;
use clap::Args;
use std::path::PathBuf;

/// Smallest change that matters where nobody says: of a snippet, the interval is the answer.
const THRESHOLD: &str = "1%";
/// Bias that is forgiven.
const TOLERANCE: &str = "0%";
/// Chance of a false alarm: a person acts on this one answer, so that it is smaller than a suite's.
const ALPHA: &str = "0.01";

/// Most blocks where nobody says: more than the seconds hold, so that time which is left makes the
/// interval narrower.
const MOST_BLOCKS: u32 = 200;

/// Seconds of measuring for each benchmark where nobody says, and in all.
const SECONDS_EACH: usize = 14;
const SECONDS_AT_MOST: usize = 600;

/// Flags of `snippet`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  bench-action snippet -s 'import numpy as np; a = np.arange(1e6)' 'a.sum()'
  bench-action snippet 'sum(range(n))' --against 'sum(i for i in range(n))' -P n=10,1000
  bench-action snippet 'np.sort(a)' -s '…' --base-var NPY_DISABLE_CPU_FEATURES=AVX512F
  bench-action snippet --command 'target/release/tool big.txt' --build='cargo build --release'")]
pub(crate) struct SnippetArgs {
    /// Python statements to be timed, as `python -m timeit` times them
    #[arg(value_name = "STATEMENT", required_unless_present = "command")]
    pub(crate) statements: Vec<String>,
    /// Run once before a statement, in its scope (repeatable: one line each)
    #[arg(short, long, value_name = "CODE")]
    pub(crate) setup: Vec<String>,
    /// Another statement, or command, for base: the given one is head. Both run the same build
    #[arg(long, value_name = "CODE", conflicts_with = "base")]
    pub(crate) against: Option<String>,
    /// A name of the statements and the values it takes: Python literals, else text (repeatable)
    #[arg(
        short = 'P',
        long = "parameter",
        value_name = "NAME=VALUE,…",
        conflicts_with = "command"
    )]
    pub(crate) parameters: Vec<String>,
    /// A program, timed as a whole process, instead of statements (repeatable)
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["statements", "setup"])]
    pub(crate) command: Vec<String>,
    /// Build and install each side's commit; with a command, by this one. Without it a commit's
    /// files are taken as they are
    #[arg(
        long,
        value_name = "COMMAND",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with_all = ["base_python", "base_path"]
    )]
    pub(crate) build: Option<String>,
    /// Print the block for a pull request: markdown, with provenance, folded
    #[arg(long, conflicts_with = "format")]
    pub(crate) paste: bool,
    /// The configuration file, for its environments [default: bench-action.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) sides: SidesArgs,
    #[command(flatten)]
    pub(crate) measure: MeasureArgs,
    #[command(flatten)]
    pub(crate) decision: DecisionArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

impl SnippetArgs {
    /// The first layer of the configuration.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = Flags { config: self.config.clone(), ..Flags::default() };
        self.sides.fill(&mut flags);
        self.measure.fill(&mut flags);
        self.decision.fill(&mut flags);
        flags.threshold.get_or_insert_with(|| THRESHOLD.to_owned());
        flags.tolerance.get_or_insert_with(|| TOLERANCE.to_owned());
        flags.alpha.get_or_insert_with(|| ALPHA.to_owned());
        if flags.repeat.is_none() {
            flags.max_blocks.get_or_insert(MOST_BLOCKS);
        }
        flags.time_budget.get_or_insert_with(|| format!("{}s", self.seconds()));
        flags.measure_identical = true;
        one_build(&mut flags, self.against.is_some(), self.build.is_some());
        flags
    }

    /// So many blocks as are asked for are measured, however long they take.
    fn seconds(&self) -> usize {
        if self.measure.repeat.is_some() {
            return SECONDS_AT_MOST;
        }
        let values = self.parameters.iter().map(|text| text.split(',').count());
        let benchmarks = self.statements.len() + self.command.len();
        let all = values.fold(benchmarks, usize::saturating_mul);
        all.saturating_mul(SECONDS_EACH).min(SECONDS_AT_MOST)
    }
}

/// Where no revision or build is named and something else tells the sides apart, both are the
/// interpreter at hand, or the commit at hand where one is to be built; of two statements, both run the
/// head that is named.
fn one_build(flags: &mut Flags, against: bool, builds: bool) {
    let is_named = flags.base.is_some()
        || flags.head.is_some()
        || flags.base_python.is_some()
        || flags.base_path.is_some();
    let differs = against
        || !flags.base_variables.is_empty()
        || !flags.head_variables.is_empty()
        || flags.base_environment.is_some()
        || flags.head_environment.is_some();
    if differs && !is_named && builds {
        flags.base = Some("HEAD".into());
    } else if differs && !is_named {
        flags.base_path = Some(".".into());
        flags.head_path = Some(".".into());
    } else if against && flags.base.is_none() {
        flags.base.clone_from(&flags.head);
    }
}
