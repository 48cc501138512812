//! JMH: `-rf json`. Iterations of one fork follow each other in one process: the fork is the launch.

use super::bounds::bounded;
use super::json::{array, as_number, number, params, text};
use super::units::{is_rate, metric};
use super::{Document, Format, Reading};
use bench_results::{Better, Metric, Param};
use serde_json::Value;

pub(super) const FORMAT: Format = Format {
    harness: "jmh",
    label: "JMH's JSON (-rf json)",
    document: Some(Document { is, read }),
    lines: None,
};

fn is(document: &Value) -> bool {
    document.as_array().is_some_and(|runs| {
        runs.first().is_some_and(|run| {
            text(run, "benchmark").is_some() && run.get("primaryMetric").is_some()
        })
    })
}

fn read(document: &Value) -> Vec<Reading> {
    let runs = document.as_array().map_or(&[][..], Vec::as_slice);
    let modes = Modes::of(runs);
    runs.iter().flat_map(|run| rows(run, &modes)).collect()
}

/// What has to stand in the identity because the file has several of it.
struct Modes {
    several_modes: bool,
    several_threads: bool,
}

impl Modes {
    fn of(runs: &[Value]) -> Self {
        let differ = |key: &str| runs.windows(2).any(|pair| pair[0].get(key) != pair[1].get(key));
        Self { several_modes: differ("mode"), several_threads: differ("threads") }
    }
}

fn rows(run: &Value, modes: &Modes) -> Vec<Reading> {
    let name = &*bounded(text(run, "benchmark").unwrap_or("unnamed"));
    let mode = text(run, "mode").unwrap_or("");
    let mut params = params(run.get("params"));
    if modes.several_modes {
        params.push(Param::new("mode", mode));
    }
    if let Some(threads) = number(run, "threads").filter(|_| modes.several_threads) {
        params.push(Param::new("threads", threads.to_string()));
    }
    let primary = run.get("primaryMetric").map(|found| reading(name, found, mode == "thrpt", None));
    let secondary = run.get("secondaryMetrics").and_then(Value::as_object).into_iter().flatten();
    // A profiler's lines are called `·gc.alloc.rate.norm` in old versions.
    let secondary = secondary.map(|(key, found)| {
        reading(name, found, false, Some(key.trim_start_matches(['·', '+']))).beside()
    });
    primary.into_iter().chain(secondary).map(|row| row.with_params(params.clone())).collect()
}

fn reading(name: &str, found: &Value, is_throughput: bool, own: Option<&str>) -> Reading {
    let unit = text(found, "scoreUnit").unwrap_or("");
    let (mut of, factor) = metric(1.0, unit);
    if is_throughput || is_rate(unit) && own.is_none() {
        of.better = Better::Higher;
    }
    if let Some(own) = own {
        of = Metric { name: own.to_owned(), ..of };
    }
    let forks = array(found, "rawData").iter().map(|fork| fork_values(fork, factor));
    let histograms = array(found, "rawDataHistogram").iter().map(|fork| histogram(fork, factor));
    let launches: Vec<Vec<f64>> = forks.chain(histograms).collect();
    let center = number(found, "score").map(|score| score * factor);
    let row = Reading::new(name, of, center);
    if launches.iter().any(|launch| !launch.is_empty()) { row.with_launches(launches) } else { row }
}

fn fork_values(fork: &Value, factor: f64) -> Vec<f64> {
    let values = fork.as_array().into_iter().flatten().filter_map(as_number);
    values.map(|value| value * factor).collect()
}

/// Sample time: `[[value, count], …]` of each iteration. The weighted median stands for it.
fn histogram(fork: &Value, factor: f64) -> Vec<f64> {
    let iterations = fork.as_array().into_iter().flatten();
    iterations
        .filter_map(|iteration| {
            let mut pairs: Vec<(f64, f64)> = iteration
                .as_array()?
                .iter()
                .filter_map(|pair| Some((as_number(pair.get(0)?)?, as_number(pair.get(1)?)?)))
                .collect();
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
            let half = pairs.iter().map(|pair| pair.1).sum::<f64>() / 2.0;
            let mut below = 0.0;
            let median = pairs.iter().find(|pair| {
                below += pair.1;
                below >= half
            });
            median.map(|pair| pair.0 * factor)
        })
        .collect()
}
