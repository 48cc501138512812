//! From a block's raw readings to one value per side and one log ratio.

use crate::measure::action::{BlockReading, LaunchReading};
use crate::track::Pair;
use bench_harness::{HowMeasured, ValueReading};
use bench_results::{Better, Clock, Metric, Schedule};
use bench_stats::{median, paired_log_ratio, paired_standard_error};

/// What a metric is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading<'a> {
    /// Timed slices.
    Time,
    /// Peak resident memory of the launch.
    PeakMemory,
    /// The value the benchmark gave.
    Value,
    /// The value of this name among those the program reported.
    Reported(&'a str),
}

impl<'a> Reading<'a> {
    /// Where a metric's values are found. The harness's own values are those of `track_`, `mem_`
    /// and `peakmem_`; a program's time and peak memory come from the system's accounting.
    #[must_use]
    pub fn of(metric: &'a Metric, how: &HowMeasured) -> Self {
        match how {
            HowMeasured::Value | HowMeasured::FreshValue => Self::Value,
            HowMeasured::Reported { .. } if metric.name != Metric::time().name => {
                Self::Reported(&metric.name)
            }
            HowMeasured::Opaque if metric.name == Metric::peak_memory().name => Self::PeakMemory,
            _ => Self::Time,
        }
    }
}

/// One launch's value.
#[must_use]
pub fn value(reading: Reading<'_>, launch: &LaunchReading, clock: Clock) -> Option<f64> {
    match reading {
        Reading::Time => median(&launch.times(clock)),
        Reading::PeakMemory => launch.max_rss_bytes.map(|bytes| bytes as f64),
        Reading::Value => match launch.value {
            Some(ValueReading::Number(number)) => Some(number),
            _ => None,
        },
        Reading::Reported(metric) => launch.reported.as_ref()?.value(metric),
    }
}

/// Standard error of a block's log ratio of times as its slices show it: what varies within one pair
/// of processes. Nothing where a side failed, or for fewer than two slices.
#[must_use]
pub fn within_error(block: &BlockReading) -> Option<f64> {
    let [Ok(base), Ok(head)] = &block.sides else { return None };
    paired_standard_error(&base.times(block.clock), &head.times(block.clock))
}

/// What a block says about one metric; nothing where a side failed.
#[must_use]
pub fn pair(reading: Reading<'_>, better: Better, block: &BlockReading) -> Option<Pair> {
    let [Ok(base), Ok(head)] = &block.sides else { return None };
    let values = (value(reading, base, block.clock), value(reading, head, block.clock));
    let worse = match (reading, block.schedule) {
        // Slices that were neighbours in time are compared with each other (rule 11).
        (Reading::Time, Schedule::Alternate | Schedule::Duet) => {
            paired_log_ratio(&base.times(block.clock), &head.times(block.clock))
        }
        _ => values.0.zip(values.1).and_then(|(b, h)| paired_log_ratio(&[b], &[h])),
    };
    let sign = match better {
        Better::Lower => 1.0,
        Better::Higher => -1.0,
    };
    Some(Pair { base: values.0, head: values.1, d: worse.map(|d| sign * d) })
}
