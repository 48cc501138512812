//! The benchmarks of a simulated suite: what they truly do, and how they fail.

use super::noise::Noise;
use bench_core::case::{Case, CaseMetric, Margins};
use bench_core::config::Choice;
use bench_harness::{Benchmark, HowMeasured, MetricPlan};
use bench_results::{Better, Metric, Param, RowRule, SideName};
use std::ops::Range;

/// The usual margins.
pub(crate) const RULE: RowRule = RowRule { threshold: 0.03, tolerance: 0.01, absolute: 0.0 };

/// A simulated benchmark.
#[derive(Clone, Debug)]
pub(crate) struct Bench {
    pub(crate) id: String,
    pub(crate) group: usize,
    pub(crate) how: HowMeasured,
    pub(crate) metrics: Vec<MetricPlan>,
    pub(crate) rule: RowRule,
    /// True time of head over base.
    pub(crate) ratio: f64,
    /// One call on base, nanoseconds.
    pub(crate) call_ns: f64,
    pub(crate) noise: Noise,
    pub(crate) values: Values,
    /// Peak memory of base and head, bytes.
    pub(crate) memory: [u64; 2],
    pub(crate) faults: Vec<Fault>,
    /// The side that waits, and the positions of the blocks in which it does.
    pub(crate) waits: Option<(SideName, Range<u32>)>,
    /// First call after a set-up over a later one.
    pub(crate) first_call: f64,
    pub(crate) inputs_differ: bool,
    pub(crate) is_extreme: bool,
}

/// What a `track_` benchmark returns on base and head.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values {
    /// No value: it is timed.
    None,
    /// The same each time.
    Exact([f64; 2]),
    /// Within a relative range of that around it.
    Within([f64; 2], f64),
    /// Log-normal.
    Noisy([f64; 2], f64),
    /// Normal with standard deviation 1: zero and below occur.
    Around([f64; 2]),
    /// Not a number on head.
    Nan,
    /// Text.
    Text,
}

/// How a benchmark fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    /// The first so many pilots.
    Pilots(SideName, u32),
    /// Blocks at positions below.
    BlocksBelow(SideName, u32),
    /// Blocks from this position on.
    BlocksFrom(SideName, u32),
    /// Every so manieth block.
    Every(SideName, u32),
    /// It says that it does not apply.
    Skips(SideName),
    /// It hangs.
    Hangs(SideName),
    /// From this position on it waits, under a clock that does not count waiting.
    StandsStill(SideName, u32),
}

impl Bench {
    /// A quick timed benchmark that did not change.
    pub(crate) fn timed(id: &str) -> Self {
        Self {
            id: format!("suite/{id}"),
            group: 0,
            how: HowMeasured::Stepped { hooks: false, number: None },
            metrics: vec![gated(Metric::time())],
            rule: RULE,
            ratio: 1.0,
            call_ns: 1e6,
            noise: Noise::Clean,
            values: Values::None,
            memory: [50 << 20; 2],
            faults: Vec::new(),
            waits: None,
            first_call: 1.0,
            inputs_differ: false,
            is_extreme: true,
        }
    }

    /// A benchmark that gives values.
    pub(crate) fn value(id: &str, values: Values) -> Self {
        let metric = Metric { name: "value".into(), unit: "count".into(), better: Better::Lower };
        let how = HowMeasured::Value;
        Self { how, metrics: vec![gated(metric)], values, ..Self::timed(id) }
    }

    /// A command whose time and peak memory are judged.
    pub(crate) fn command(id: &str) -> Self {
        Self {
            how: HowMeasured::Opaque,
            metrics: vec![gated(Metric::time()), gated(Metric::peak_memory())],
            call_ns: 1e8,
            ..Self::timed(id)
        }
    }

    pub(crate) fn slower(self, ratio: f64) -> Self {
        Self { ratio, ..self }
    }

    pub(crate) fn with(self, fault: Fault) -> Self {
        Self { faults: vec![fault], ..self }
    }

    pub(crate) fn noisy(self, noise: Noise) -> Self {
        Self { noise, ..self }
    }

    pub(crate) fn case(&self) -> Case {
        let benchmark = Benchmark {
            name: self.function().to_owned(),
            pretty_name: None,
            params: Vec::<Param>::new(),
            index: 0,
            metrics: self.metrics.clone(),
            how: self.how.clone(),
            timeout_s: 60.0,
            version: None,
            cache_key: None,
            cache_timeout_s: None,
            skip: None,
        };
        let metric = |plan: &MetricPlan| CaseMetric { plan: plan.clone(), rule: self.rule };
        Case {
            id: self.id.clone(),
            group: self.group,
            benchmark: [benchmark.clone(), benchmark],
            metrics: self.metrics.iter().map(metric).collect(),
            margins: Margins {
                threshold: self.rule.threshold,
                memory_threshold: self.rule.threshold,
                tolerance: self.rule.tolerance,
                absolute_ns: self.rule.absolute,
            },
            schedule: Choice::Auto,
            clock: Choice::Auto,
            is_extreme: self.is_extreme,
        }
    }

    /// The id without its parameters.
    fn function(&self) -> &str {
        self.id.split('(').next().unwrap_or(&self.id)
    }
}

pub(crate) fn gated(metric: Metric) -> MetricPlan {
    MetricPlan { metric, gated: true, exact: false }
}
