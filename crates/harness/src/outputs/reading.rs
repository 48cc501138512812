//! A row of an output file.

use super::bounds::{bounded, bounded_params};
use bench_results::{Metric, Param};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// One metric of one benchmark, as a harness's output has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The harness's own identity, package and group included, parameters not.
    pub name: String,
    /// Parameters, in order.
    pub params: Vec<Param>,
    /// What was measured; times are in nanoseconds.
    pub metric: Metric,
    /// Whether it is the benchmark's own metric, or one that is shown beside it.
    pub is_primary: bool,
    /// What became of it.
    pub status: Status,
    /// The harness's own central value, in the metric's unit.
    pub center: Option<f64>,
    /// Processes it was measured in, each with what is known of it.
    pub launches: Vec<Launch>,
}

/// What became of a benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It was measured.
    Ok,
    /// It was not run; with the harness's reason, where it gives one.
    Skipped(String),
    /// It failed; with the harness's words.
    Error(String),
    /// There is a result that cannot be read: the line.
    Unreadable(String),
}

/// One process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launch {
    /// Raw samples in order, in the metric's unit; empty where the harness keeps none.
    pub samples: Vec<f64>,
    /// How many samples there were.
    pub count: Option<u64>,
}

/// An output file that cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{place}: {message}")]
pub struct OutputError {
    /// The file.
    pub place: String,
    /// What is wrong and what was expected.
    pub message: String,
}

impl Reading {
    /// A measured row with one launch.
    pub(super) fn new(name: impl Into<String>, metric: Metric, center: Option<f64>) -> Self {
        let center = center.filter(|value| value.is_finite());
        Self {
            name: bounded(name.into()).into_owned(),
            params: Vec::new(),
            metric: Metric { name: bounded(metric.name).into_owned(), ..metric },
            is_primary: true,
            status: if center.is_some() { Status::Ok } else { Status::Error("no value".into()) },
            center,
            launches: vec![Launch::default()],
        }
    }

    /// A row that has no value, for a reason.
    pub(super) fn without(name: impl Into<String>, metric: Metric, status: Status) -> Self {
        Self { status, launches: Vec::new(), ..Self::new(name, metric, None) }
    }

    /// A line that should have been a result.
    pub(super) fn unreadable(name: impl Into<String>, line: &str) -> Self {
        let quoted: String = line.trim().chars().take(200).collect();
        Self::without(name, Metric::time(), Status::Unreadable(quoted))
    }

    pub(super) fn with_params(mut self, params: Vec<Param>) -> Self {
        self.params = bounded_params(params);
        self
    }

    /// With the samples of its one launch; those that are no numbers are left out.
    pub(super) fn with_samples(mut self, samples: Vec<f64>) -> Self {
        let samples: Vec<f64> = samples.into_iter().filter(|value| value.is_finite()).collect();
        let count = Some(samples.len() as u64);
        self.launches = vec![Launch { samples, count }];
        self
    }

    /// With launches of one sample list each; empty ones are left out.
    pub(super) fn with_launches(mut self, launches: impl IntoIterator<Item = Vec<f64>>) -> Self {
        let finite = |samples: Vec<f64>| -> Vec<f64> {
            samples.into_iter().filter(|value| value.is_finite()).collect()
        };
        self.launches = launches
            .into_iter()
            .map(finite)
            .filter(|samples| !samples.is_empty())
            .map(|samples| Launch { count: Some(samples.len() as u64), samples })
            .collect();
        self
    }

    pub(super) fn with_count(mut self, count: Option<u64>) -> Self {
        self.launches.iter_mut().for_each(|launch| launch.count = launch.count.or(count));
        self
    }

    /// Shown beside the benchmark's own metric.
    pub(super) fn beside(mut self) -> Self {
        self.is_primary = false;
        self
    }

    /// One value per launch: the median of its samples, else the harness's own central value.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        if self.status != Status::Ok {
            return Vec::new();
        }
        self.launches.iter().filter_map(|launch| median(&launch.samples).or(self.center)).collect()
    }
}

/// The middle value, or the mean of the two in the middle.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    Some(if sorted.len() % 2 == 1 { upper } else { f64::midpoint(sorted[middle - 1], upper) })
}

pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Two different rows never share an identity: later ones of one name are numbered, past the numbers
/// that other rows have in their names.
pub(super) fn unique(mut readings: Vec<Reading>) -> Vec<Reading> {
    let mut taken: HashSet<u64> = readings.iter().map(|row| key(row, &row.name)).collect();
    let mut seen: HashMap<u64, u32> = HashMap::new();
    for reading in &mut readings {
        let count = seen.entry(key(reading, &reading.name)).or_insert(0);
        *count += 1;
        if *count == 1 {
            continue;
        }
        let numbered = loop {
            let name = format!("{} #{count}", reading.name);
            if taken.insert(key(reading, &name)) {
                break name;
            }
            *count += 1;
        };
        reading.name = numbered;
    }
    readings
}

/// What tells a row of this name apart from all others, as a sum: it is as good a key, for a row that
/// has another's by chance is only given a number that it did not need.
fn key(reading: &Reading, name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    for param in &reading.params {
        (&param.name, &param.value).hash(&mut hasher);
    }
    reading.metric.name.hash(&mut hasher);
    hasher.finish()
}
