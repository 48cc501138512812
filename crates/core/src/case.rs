//! A case: one benchmark of one comparison, as registered before any data.

use crate::config::{Choice, Compare, Rules};
use crate::evidence::Reading;
use crate::track::Nature;
use bench_harness::{Benchmark, HowMeasured, MetricPlan, OwnClock};
use bench_results::{Clock, Metric, RowRule, Schedule};
use serde::{Deserialize, Serialize};

/// One benchmark of one comparison, matched on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// The benchmark's id.
    pub id: String,
    /// Index of its suite × environment.
    pub group: usize,
    /// The benchmark as base and head know it (their own combination index may differ).
    pub benchmark: [Benchmark; 2],
    /// What is measured; the first is the primary metric.
    pub metrics: Vec<CaseMetric>,
    /// The margins of any metric, also of those that only show themselves in its runs.
    pub margins: Margins,
    /// How blocks run.
    pub schedule: Choice<Schedule>,
    /// Which clock counts.
    pub clock: Choice<Clock>,
    /// Whether it is the first or the last combination of its function.
    pub is_extreme: bool,
}

/// One metric of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseMetric {
    /// What is measured and whether it is judged.
    pub plan: MetricPlan,
    /// The margins it is judged by.
    pub rule: RowRule,
}

/// Less than this of peak memory never counts: it moves in pages and arenas (statistics, section 4.8).
const MEMORY_FLOOR_BYTES: f64 = 1024.0 * 1024.0;

/// The margins of a benchmark's metrics, by what the metric is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Margins {
    /// Smallest change that matters, as a fraction.
    pub threshold: f64,
    /// The same for peak memory.
    pub memory_threshold: f64,
    /// Bias that is forgiven, as a fraction.
    pub tolerance: f64,
    /// A change of time smaller than this many nanoseconds never counts.
    pub absolute_ns: f64,
}

impl Margins {
    /// The margins that these rules give.
    #[must_use]
    pub fn new(rules: Rules, compare: &Compare) -> Self {
        Self {
            threshold: rules.threshold,
            memory_threshold: rules.memory_threshold,
            tolerance: compare.tolerance,
            absolute_ns: compare.threshold_absolute_ns,
        }
    }

    /// Those of one metric.
    #[must_use]
    pub fn of(&self, plan: &MetricPlan) -> RowRule {
        let Self { threshold, memory_threshold, tolerance, absolute_ns } = *self;
        if plan.metric.name == Metric::peak_memory().name {
            RowRule { threshold: memory_threshold, tolerance, absolute: MEMORY_FLOOR_BYTES }
        } else if plan.metric.is_time() {
            RowRule { threshold, tolerance, absolute: absolute_ns }
        } else {
            RowRule { threshold, tolerance, absolute: 0.0 }
        }
    }
}

impl Case {
    /// How it is measured (head's word: its suite is the newer one).
    #[must_use]
    pub fn how(&self) -> &HowMeasured {
        &self.benchmark[1].how
    }

    /// The function whose combination it is.
    #[must_use]
    pub fn function(&self) -> &str {
        &self.benchmark[1].name
    }

    /// Whether launches give one value instead of timed slices.
    #[must_use]
    pub fn gives_value(&self) -> bool {
        matches!(self.how(), HowMeasured::Value | HowMeasured::FreshValue)
    }

    /// Whether a worker of the group serves it in rounds (else each block has its own processes).
    #[must_use]
    pub fn needs_worker(&self) -> bool {
        !self.runs_by_itself() && *self.how() != HowMeasured::FreshValue
    }

    /// Whether it is a program that is started, ends, and is then read.
    #[must_use]
    pub fn runs_by_itself(&self) -> bool {
        matches!(self.how(), HowMeasured::Opaque | HowMeasured::Reported { .. })
    }

    /// The clocks of a benchmark that measures itself: those that both sides have.
    #[must_use]
    pub fn own_clock(&self) -> Option<OwnClock> {
        let of = |benchmark: &Benchmark| match benchmark.how {
            HowMeasured::Reported { clock, .. } => Some(clock),
            _ => None,
        };
        let [base, head] = self.benchmark.each_ref().map(of);
        let (base, head) = (base?, head?);
        Some(if base.counts_cpu() { head } else { base })
    }

    /// Times that a launch of it gives up its core whatever it measures.
    #[must_use]
    pub fn switches(&self) -> u64 {
        match self.how() {
            HowMeasured::Reported { switches, .. } => u64::from(*switches),
            _ => 0,
        }
    }

    /// What a launch of it takes whatever it is asked for, seconds.
    #[must_use]
    pub fn launch_s(&self) -> f64 {
        match self.how() {
            HowMeasured::Reported { launch_s, .. } => *launch_s,
            _ => 0.0,
        }
    }

    /// Whether the harness counts something and takes no times.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.own_clock() == Some(OwnClock::None)
    }

    /// Whether the CPU clock can be had at all.
    #[must_use]
    pub fn can_count_cpu(&self) -> bool {
        self.own_clock().is_none_or(OwnClock::counts_cpu)
    }

    /// Where a metric's values come from.
    #[must_use]
    pub fn reading(&self, metric: usize) -> Reading<'_> {
        Reading::of(&self.metrics[metric].plan.metric, self.how())
    }

    /// How a metric's values behave.
    #[must_use]
    pub fn nature(&self, metric: usize) -> Nature {
        nature(&self.metrics[metric].plan)
    }

    /// Calls per set-up that the suite demands.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        match self.how() {
            HowMeasured::Stepped { number, .. } => *number,
            _ => None,
        }
    }

    /// Whether hooks run around calls.
    #[must_use]
    pub fn has_hooks(&self) -> bool {
        matches!(self.how(), HowMeasured::Stepped { hooks: true, .. })
    }
}

/// How a metric's values behave.
#[must_use]
pub fn nature(plan: &MetricPlan) -> Nature {
    match (plan.exact, plan.metric.is_time()) {
        (true, _) => Nature::DeclaredExact,
        (false, true) => Nature::Noisy,
        (false, false) => Nature::MayRepeat,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bench_results::Better;

    #[test]
    fn a_metric_has_the_margins_of_its_kind_whenever_it_shows_itself() {
        let margins = Margins {
            threshold: 0.03,
            memory_threshold: 0.05,
            tolerance: 0.01,
            absolute_ns: 100.0,
        };
        let of = |metric: Metric| {
            let rule = margins.of(&MetricPlan { metric, gated: false, exact: false });
            (rule.threshold, rule.tolerance, rule.absolute)
        };
        let count = Metric { name: "rows".into(), unit: "count".into(), better: Better::Higher };
        assert_eq!(of(Metric::time()), (0.03, 0.01, 100.0));
        assert_eq!(of(Metric::peak_memory()), (0.05, 0.01, MEMORY_FLOOR_BYTES));
        assert_eq!(of(count), (0.03, 0.01, 0.0));
    }
}
