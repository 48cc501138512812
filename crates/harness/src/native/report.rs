//! From rows of a harness's output to what one launch reported.

use crate::outputs::{Reading, Status};
use crate::{NotReported, Reported};
use bench_results::Metric;

/// The metric's name under which readers give a harness's own CPU time.
const CPU_TIME: &str = "cpu-time";

/// What the rows of this name say.
///
/// # Errors
/// None has this name, or they say that the benchmark failed or does not apply.
pub(crate) fn reported(readings: &[Reading], name: &str) -> Result<Reported, NotReported> {
    let mut report = Reported::default();
    let mut is_there = false;
    for row in readings.iter().filter(|row| row.name == name) {
        match &row.status {
            Status::Ok => {}
            Status::Skipped(reason) => return Err(NotReported::Skipped(reason.clone())),
            Status::Error(message) => return Err(NotReported::Failed(message.clone())),
            Status::Unreadable(line) => {
                let message = format!("its result cannot be read: {line}");
                return Err(NotReported::Failed(message));
            }
        }
        is_there = true;
        let metric = &row.metric;
        if metric.name == Metric::time().name {
            report.wall_ns = samples(row);
        } else if metric.name == CPU_TIME {
            report.cpu_ns = samples(row);
        } else if let Some(value) = row.values().first() {
            report.values.push((metric.clone(), *value));
        }
    }
    if is_there {
        return Ok(report);
    }
    Err(NotReported::Failed("it has reported no result".to_owned()))
}

/// The samples of the row's one process, else its one value.
fn samples(row: &Reading) -> Vec<f64> {
    let own = row.launches.first().map(|launch| launch.samples.clone()).unwrap_or_default();
    if own.is_empty() { row.center.into_iter().collect() } else { own }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::read;

    #[test]
    fn times_of_both_clocks_and_counters_are_told_apart() {
        let text = r#"{"context": {"num_cpus": 2}, "benchmarks": [
            {"name": "a", "run_name": "a", "run_type": "iteration", "iterations": 9,
             "real_time": 2.0, "cpu_time": 1.5, "time_unit": "us", "hits": 7},
            {"name": "a", "run_name": "a", "run_type": "iteration", "iterations": 9,
             "real_time": 4.0, "cpu_time": 2.5, "time_unit": "us", "hits": 9}]}"#;
        let readings = read("out.json", text.as_bytes(), None).map(|output| output.readings);
        let report = reported(&readings.unwrap_or_default(), "a").unwrap_or_default();
        assert_eq!(report.wall_ns, [2000.0, 4000.0]);
        assert_eq!(report.cpu_ns, [1500.0, 2500.0]);
        assert_eq!(report.value("hits"), Some(8.0));
    }

    #[test]
    fn a_benchmark_without_a_row_has_failed() {
        assert!(matches!(reported(&[], "a"), Err(NotReported::Failed(_))));
    }
}
