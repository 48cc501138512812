//! Histories that other tools have kept. Their values are absolute: each commit was measured by itself,
//! on whatever machine there was, so that a series holds on one machine at most.

mod asv;
mod benchmark_data;

use crate::record::{Catalog, Commit, Entry, Point, Record, SCHEMA};
use bench_results::{Better, MachineInfo, Param, ToolInfo, benchmark_id};
use std::collections::BTreeMap;

pub use asv::asv;
pub use benchmark_data::benchmark_data;

/// What was read of another tool's history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// The records, with their catalogues.
    pub records: Vec<(Record, Catalog)>,
    /// What could not be read, one sentence each.
    pub passed_over: Vec<String>,
}

/// Another tool's history could not be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ImportError {
    /// Not what it was taken for.
    #[error("{place}: {message}")]
    Malformed {
        /// The file.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// Nothing in it.
    #[error("{0}: no result was found there")]
    Nothing(String),
}

/// One value of one commit.
struct Value {
    name: String,
    params: Vec<Param>,
    metric: String,
    unit: String,
    better: Better,
    value: f64,
}

/// What is the same for all values of a record.
struct Origin {
    tool: &'static str,
    measured: String,
    commit: Commit,
    suite: String,
    harness: String,
    environment: String,
    python: Option<String>,
    machine: MachineInfo,
}

/// A record of absolute values; of two with one id the first counts.
fn record(origin: Origin, values: Vec<Value>) -> (Record, Catalog) {
    let mut points: BTreeMap<String, (Entry, Point)> = BTreeMap::new();
    for value in values {
        let id = benchmark_id(&origin.suite, &value.name, &value.params);
        let point = Point {
            log_ratio: None,
            error: None,
            blocks: 1,
            value: Some(value.value),
            reference: None,
        };
        let entry = Entry {
            id: id.clone(),
            name: value.name,
            params: value.params,
            metric: value.metric,
            unit: value.unit,
            better: value.better,
        };
        points.entry(id).or_insert((entry, point));
    }
    let (benchmarks, points) =
        points.into_values().map(|(entry, point)| (entry, Some(point))).unzip();
    let record = Record {
        schema: SCHEMA.to_owned(),
        tool: ToolInfo { name: origin.tool.to_owned(), version: String::new(), commit: None },
        measured: origin.measured,
        commit: origin.commit,
        reference: None,
        suite: origin.suite,
        harness: origin.harness,
        environment: origin.environment,
        python: origin.python,
        machine: origin.machine,
        catalog: String::new(),
        points,
    };
    (record, Catalog { schema: SCHEMA.to_owned(), benchmarks })
}

/// A machine of which only the name is known.
fn machine(id: &str) -> MachineInfo {
    MachineInfo {
        name: None,
        id: id.to_owned(),
        cpu: None,
        cores: 0,
        memory: None,
        os: "unknown".to_owned(),
        kernel: None,
        virtualization: None,
        governor: None,
        turbo: None,
        load: None,
        limits: Vec::new(),
        runner: None,
    }
}

fn is_commit(id: &str) -> bool {
    id.len() >= 40 && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}
