//! What a run tells while it goes on. The progress display, the log and the journal only listen.

use bench_results::{SideName, Verdict};

/// Something happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A side is being prepared.
    Preparing {
        /// The side.
        side: SideName,
        /// In which environment, where there are several.
        environment: Option<String>,
        /// What it is: short commit and subject, or a path.
        label: String,
    },
    /// A side stands ready.
    Prepared {
        /// The side.
        side: SideName,
        /// In which environment, where there are several.
        environment: Option<String>,
        /// Seconds it took.
        seconds: f64,
        /// Whether its build came from the cache.
        cached: bool,
        /// The project's version as built.
        version: Option<String>,
    },
    /// Everything is known that is known before measuring.
    Planned {
        /// Benchmarks to be measured.
        benchmarks: usize,
        /// K.
        family: u64,
        /// Budget of measuring, seconds.
        budget_s: f64,
        /// Blocks of each benchmark, where it is not decisions that end it.
        repeat: Option<u32>,
    },
    /// A round's workers are being started.
    RoundStarted {
        /// From 0; round 0 is the pilot of most benchmarks.
        round: u32,
    },
    /// A block or a pilot begins.
    Measuring {
        /// The benchmark's id.
        benchmark: String,
    },
    /// A block or a pilot ended.
    Measured(Progress),
    /// A benchmark is done with.
    Decided {
        /// The benchmark's id.
        benchmark: String,
        /// The verdict on its primary metric.
        verdict: Verdict,
    },
    /// A benchmark turned out not to be what its routing said.
    Demoted {
        /// The benchmark's id.
        benchmark: String,
        /// Why.
        reason: String,
    },
    /// Something a person should know.
    Warning(String),
    /// Measuring is over.
    Finished,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Benchmarks that have ended with a verdict that says something.
    pub decided: usize,
    /// Benchmarks that have ended, whatever their verdict.
    pub ended: usize,
    /// Benchmarks in all.
    pub total: usize,
    /// Seconds measured so far.
    pub elapsed_s: f64,
    /// Seconds left, as far as can be told; never beyond the budget.
    pub left_s: f64,
    /// The round.
    pub round: u32,
}

/// Listens to a run.
pub trait Listener {
    /// Told of everything, in order, between measurements only.
    fn event(&mut self, event: &Event);
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Listener for Silent {
    fn event(&mut self, _event: &Event) {}
}
