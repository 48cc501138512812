//! What a benchmark is called and what is measured of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One parameter of a benchmark, as its harness prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Param {
    /// The parameter's name; `param1`, `param2`, … where the suite gives none.
    pub name: String,
    /// Its value, as text.
    pub value: String,
    /// Its value as a finite number, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<f64>,
}

impl Param {
    /// A parameter; `number` is read from the value where it is a plain finite number.
    #[must_use]
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        let value = value.into();
        Self { name: name.into(), number: number_of(&value), value }
    }
}

/// The finite number a text spells, if it is one.
#[must_use]
pub fn number_of(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|n| n.is_finite())
}

/// Which direction of a metric is an improvement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Less is better: time, memory.
    Lower,
    /// More is better: throughput.
    Higher,
}

/// What is measured of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metric {
    /// `time`, `peak-memory`, `memory`, `value`, or the harness's own word.
    pub name: String,
    /// The unit, spelled out: `ns`, `bytes`, `count`, or the suite's own.
    pub unit: String,
    /// The direction that is better.
    pub better: Better,
}

impl Metric {
    /// Time per iteration (or per run of a command) in nanoseconds.
    #[must_use]
    pub fn time() -> Self {
        Self { name: "time".into(), unit: "ns".into(), better: Better::Lower }
    }

    /// Peak resident memory of a process, in bytes.
    #[must_use]
    pub fn peak_memory() -> Self {
        Self { name: "peak-memory".into(), unit: "bytes".into(), better: Better::Lower }
    }

    /// Whether this is a time in nanoseconds (which has a clock).
    #[must_use]
    pub fn is_time(&self) -> bool {
        self.unit == "ns"
    }
}

/// The stable id of a benchmark: `suite/name(param=value, …)`.
#[must_use]
pub fn benchmark_id(suite: &str, name: &str, params: &[Param]) -> String {
    if params.is_empty() {
        return format!("{suite}/{name}");
    }
    let params: Vec<String> = params.iter().map(|p| format!("{}={}", p.name, p.value)).collect();
    format!("{suite}/{name}({})", params.join(", "))
}

/// The id of a row: the benchmark's id, plus ` [metric]` for all but its first metric.
#[must_use]
pub fn row_id(benchmark: &str, metric: &str, is_first: bool) -> String {
    if is_first { benchmark.to_owned() } else { format!("{benchmark} [{metric}]") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_suite_parameters_and_all_but_the_first_metric() {
        let params = [Param::new("n", "1000"), Param::new("order", "'rev'")];
        let id = benchmark_id("asv", "sort.time_sorted", &params);
        assert_eq!(id, "asv/sort.time_sorted(n=1000, order='rev')");
        assert_eq!(row_id(&id, "time", true), id);
        assert_eq!(row_id("cli/parse", "peak-memory", false), "cli/parse [peak-memory]");
    }

    #[test]
    fn only_plain_finite_numbers_are_numbers() {
        assert_eq!(Param::new("n", "1e3").number, Some(1000.0));
        assert_eq!(Param::new("n", "inf").number, None);
        assert_eq!(Param::new("n", "'1'").number, None);
    }
}
