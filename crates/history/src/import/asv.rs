//! asv: a directory `results` with `benchmarks.json`, and for each machine `machine.json` and one file
//! for each commit and environment (format 2).

use super::{ImportError, Imported, Origin, Value, is_commit, machine, record};
use crate::record::Commit;
use bench_results::{Better, MachineInfo, Param};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Reads the files of an asv results directory: paths relative to it, `/` between parts.
///
/// # Errors
/// When there is no result in it. A single file that cannot be read is passed over and named.
pub fn asv(files: &[(String, Vec<u8>)]) -> Result<Imported, ImportError> {
    let mut imported = Imported::default();
    let mut documents: BTreeMap<&str, Json> = BTreeMap::new();
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".json")) {
        match serde_json::from_slice(&without_nan(bytes)) {
            Ok(document) => drop(documents.insert(path, document)),
            Err(error) => imported.passed_over.push(format!("{path}: {error}")),
        }
    }
    let described = documents.get("benchmarks.json").cloned().unwrap_or_default();
    let machines: BTreeMap<&str, MachineInfo> = documents
        .iter()
        .filter_map(|(path, document)| {
            let name = path.strip_suffix("/machine.json")?;
            Some((name, machine_of(name, document)))
        })
        .collect();
    for (path, document) in &documents {
        let is_result = document.get("result_columns").is_some();
        let Some((name, _)) = path.rsplit_once('/').filter(|_| is_result) else { continue };
        let machine = machines.get(name).cloned().unwrap_or_else(|| machine(name));
        match origin(document, machine) {
            Some(origin) => {
                imported.records.push(record(origin, values(document, &described)));
            }
            None => imported.passed_over.push(format!("{path}: no commit_hash, or no date")),
        }
    }
    if imported.records.is_empty() {
        return Err(ImportError::Nothing("asv's results".to_owned()));
    }
    Ok(imported)
}

fn machine_of(name: &str, document: &Json) -> MachineInfo {
    let text = |key: &str| document.get(key).and_then(Json::as_str).map(str::to_owned);
    let number = |key: &str| {
        let value = document.get(key)?;
        value.as_u64().or_else(|| value.as_str()?.parse().ok())
    };
    MachineInfo {
        name: None,
        cpu: text("cpu").filter(|cpu| !cpu.is_empty()),
        cores: number("num_cpu").and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
        // In kibibytes, as the system gives it.
        memory: number("ram").map(|ram| ram.saturating_mul(1024)),
        os: text("os").unwrap_or_else(|| "unknown".to_owned()),
        ..machine(name)
    }
}

fn origin(document: &Json, machine: MachineInfo) -> Option<Origin> {
    let text = |key: &str| document.get(key).and_then(Json::as_str).map(str::to_owned);
    let id = text("commit_hash").filter(|id| is_commit(id))?;
    let committed = document.get("date").and_then(Json::as_i64)? / 1000;
    Some(Origin {
        tool: "asv",
        measured: String::new(),
        commit: Commit { id, committed, subject: String::new() },
        suite: "asv".to_owned(),
        harness: "asv".to_owned(),
        environment: text("env_name").unwrap_or_else(|| "default".to_owned()),
        python: text("python").filter(|python| !python.is_empty()),
        machine,
    })
}

fn values(document: &Json, described: &Json) -> Vec<Value> {
    let columns: Vec<&str> =
        list(document.get("result_columns")).filter_map(Json::as_str).collect();
    let results = document.get("results").and_then(Json::as_object).into_iter().flatten();
    results
        .flat_map(|(name, cells)| {
            let cell = |column: &str| cells.get(columns.iter().position(|found| *found == column)?);
            values_of(name, cell("result"), cell("params"), described.get(name))
        })
        .collect()
}

fn list(value: Option<&Json>) -> impl Iterator<Item = &Json> {
    value.and_then(Json::as_array).into_iter().flatten()
}

/// One value for each combination of parameters, in row-major order.
fn values_of(
    name: &str,
    result: Option<&Json>,
    params: Option<&Json>,
    described: Option<&Json>,
) -> Vec<Value> {
    let lists: Vec<Vec<String>> =
        list(params).map(|values| list(Some(values)).map(shown).collect()).collect();
    let names: Vec<String> =
        list(described.and_then(|d| d.get("param_names"))).map(shown).collect();
    let unit = described.and_then(|d| d.get("unit")).and_then(Json::as_str);
    let (metric, unit, factor) = what(name, unit);
    list(result)
        .enumerate()
        .filter_map(|(at, value)| Some((at, value.as_f64()?)))
        .map(|(at, value)| Value {
            name: name.to_owned(),
            params: combination(&lists, &names, at),
            metric: metric.to_owned(),
            unit: unit.clone(),
            better: Better::Lower,
            value: value * factor,
        })
        .collect()
}

fn shown(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn combination(lists: &[Vec<String>], names: &[String], mut at: usize) -> Vec<Param> {
    let mut params: Vec<Param> = Vec::new();
    for (number, list) in lists.iter().enumerate().rev() {
        let count = list.len().max(1);
        let name = names.get(number).cloned().unwrap_or_else(|| format!("param{}", number + 1));
        params.push(Param::new(name, list.get(at % count).cloned().unwrap_or_default()));
        at /= count;
    }
    params.reverse();
    params
}

/// The metric, its unit, and what a value is multiplied by; asv's times are in seconds.
fn what(name: &str, unit: Option<&str>) -> (&'static str, String, f64) {
    let function = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
    let is = |prefix: &str| function.starts_with(prefix);
    match unit {
        Some("seconds") | None if is("time") => ("time", "ns".to_owned(), 1e9),
        _ if is("peakmem") => ("peak-memory", "bytes".to_owned(), 1.0),
        _ if is("mem") => ("memory", "bytes".to_owned(), 1.0),
        Some("seconds") => ("value", "ns".to_owned(), 1e9),
        unit => ("value", unit.unwrap_or("unit").to_owned(), 1.0),
    }
}

/// Python writes a bare `NaN` for what was skipped, which is no JSON.
fn without_nan(bytes: &[u8]) -> Vec<u8> {
    let mut clean = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    let (mut in_string, mut is_escaped) = (false, false);
    while let Some((&byte, after)) = rest.split_first() {
        if !in_string && rest.starts_with(b"NaN") {
            clean.extend(b"null");
            rest = rest.get(3..).unwrap_or_default();
            continue;
        }
        if byte == b'"' && !is_escaped {
            in_string = !in_string;
        }
        is_escaped = in_string && byte == b'\\' && !is_escaped;
        clean.push(byte);
        rest = after;
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789012345678901234567890123456789";

    fn file(path: &str, text: &str) -> (String, Vec<u8>) {
        (path.to_owned(), text.as_bytes().to_vec())
    }

    fn results() -> Vec<(String, Vec<u8>)> {
        let result = format!(
            r#"{{"commit_hash": "{COMMIT}", "env_name": "virtualenv-py3.12", "date": 1700000000000,
            "params": {{"cpu": ""}}, "python": "3.12", "result_columns": ["result", "params", "version"],
            "results": {{"suite.time_sort": [[0.5, NaN, 2e-3, 4e-3], [["1", "2"], ["'NaN'", "'b'"]], "v"],
                "suite.track_count": [[7], [], "v"], "suite.time_gone": [null, [], "v"]}},
            "durations": {{}}, "version": 2}}"#
        );
        vec![
            file(
                "benchmarks.json",
                r#"{"suite.time_sort": {"unit": "seconds", "param_names": ["n", "order"]},
                "suite.track_count": {"unit": "things"}, "version": 2}"#,
            ),
            file(
                "box/machine.json",
                r#"{"machine": "box", "cpu": "Fast", "num_cpu": "8", "os": "Linux", "ram": "1000"}"#,
            ),
            file("box/01234567-virtualenv-py3.12.json", &result),
            file("box/broken.json", "{"),
        ]
    }

    #[test]
    fn a_results_directory_becomes_one_record_for_each_file() {
        let imported = asv(&results()).unwrap();
        let [(record, catalog)] = imported.records.as_slice() else { panic!("one record") };
        assert_eq!(
            record.commit,
            Commit { id: COMMIT.into(), committed: 1_700_000_000, subject: String::new() }
        );
        assert_eq!((record.machine.id.as_str(), record.machine.cores), ("box", 8));
        assert_eq!(record.environment, "virtualenv-py3.12");
        let ids: Vec<&str> = catalog.benchmarks.iter().map(|entry| entry.id.as_str()).collect();
        // The second combination was skipped.
        let expected = [
            "asv/suite.time_sort(n=1, order='NaN')",
            "asv/suite.time_sort(n=2, order='NaN')",
            "asv/suite.time_sort(n=2, order='b')",
            "asv/suite.track_count",
        ];
        assert_eq!(ids, expected);
        let values: Vec<f64> =
            record.points.iter().filter_map(|point| point.as_ref()?.value).collect();
        assert_eq!(values, [5e8, 2e6, 4e6, 7.0]);
        assert_eq!(
            (catalog.benchmarks[0].unit.as_str(), catalog.benchmarks[3].unit.as_str()),
            ("ns", "things")
        );
        assert_eq!(imported.passed_over.len(), 1);
    }

    #[test]
    fn a_directory_without_results_is_an_error() {
        assert!(asv(&results()[..2]).is_err());
    }
}
