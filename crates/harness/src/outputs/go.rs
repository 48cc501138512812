//! `go test -bench`: its text, also as `-json` (test2json) splits it. Rows of equal package and name
//! are repetitions (`-count`) in one process.

use super::json::{line_objects, text};
use super::reading::median;
use super::units::{metric, named};
use super::{Format, Lines, Reading, Status};
use bench_results::{Metric, Param};
use std::collections::BTreeMap;

pub(super) const FORMAT: Format = Format {
    harness: "go",
    label: "the text of go test -bench",
    document: None,
    lines: Some(Lines { is, read }),
};

/// A result line, or one of test2json's events.
fn is(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("{\"Time\":") && line.contains("\"Action\":")
        || line.starts_with("{\"Action\":")
        || line.starts_with("Benchmark") && line.contains("/op")
        || line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(" ns/op")
        || line.starts_with("--- FAIL: Benchmark")
}

fn read(text: &str) -> Result<Vec<Reading>, String> {
    let text = if text.lines().any(|line| line.trim_start().starts_with('{') && is(line)) {
        joined(text)
    } else {
        text.to_owned()
    };
    Ok(Log::of(&text).readings())
}

/// The output that test2json has split into events, put together again for each package.
fn joined(text_of_events: &str) -> String {
    let mut packages: BTreeMap<String, String> = BTreeMap::new();
    for (_, event) in line_objects(text_of_events) {
        let Some(event) = event.filter(|event| text(event, "Action") == Some("output")) else {
            continue;
        };
        let package = text(&event, "Package").unwrap_or("");
        let output =
            packages.entry(package.to_owned()).or_insert_with(|| format!("pkg: {package}\n"));
        output.push_str(text(&event, "Output").unwrap_or(""));
    }
    packages
        .into_values()
        .map(|mut output| {
            output.push('\n');
            output
        })
        .collect()
}

/// What the lines say, in order of first appearance.
#[derive(Default)]
struct Log<'t> {
    package: &'t str,
    /// A name whose numbers are still to come: something was printed in between.
    pending: Option<&'t str>,
    order: Vec<Key<'t>>,
    rows: BTreeMap<Key<'t>, BTreeMap<&'t str, Vec<f64>>>,
    problems: Vec<Reading>,
}

type Key<'t> = (&'t str, &'t str);

impl<'t> Log<'t> {
    fn of(text: &'t str) -> Self {
        let mut log = Self::default();
        text.lines().for_each(|line| log.line(line));
        log
    }

    fn line(&mut self, line: &'t str) {
        let line = line.trim();
        if let Some(package) = line.strip_prefix("pkg:") {
            self.package = package.trim();
            self.pending = None;
        } else if let Some(failed) = line.strip_prefix("--- FAIL: Benchmark") {
            let name = failed.split_whitespace().next().unwrap_or("");
            let name = format!("Benchmark{name}");
            let status = Status::Error("it failed".into());
            self.problems.push(Reading::without(self.qualified(&name), Metric::time(), status));
            self.pending = None;
        } else if line.starts_with("Benchmark") {
            self.benchmark(line);
        } else if let Some(name) = self.pending
            && let Some(pairs) = pairs(line)
        {
            self.add(name, pairs);
        }
    }

    fn benchmark(&mut self, line: &'t str) {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match pairs(rest) {
            Some(pairs) => self.add(name, pairs),
            None => {
                if rest.contains("/op") {
                    let name = self.qualified(without_procs(name).0);
                    self.problems.push(Reading::unreadable(name, line));
                }
                self.pending = Some(name);
            }
        }
    }

    fn add(&mut self, name: &'t str, pairs: Vec<(f64, &'t str)>) {
        self.pending = None;
        let key = (self.package, name);
        if !self.rows.contains_key(&key) {
            self.order.push(key);
        }
        let row = self.rows.entry(key).or_default();
        for (value, unit) in pairs {
            row.entry(unit).or_default().push(value);
        }
    }

    fn qualified(&self, name: &str) -> String {
        qualified(self.package, name)
    }

    fn readings(mut self) -> Vec<Reading> {
        // `-P` is left out of all names where it is 1, so that it is a suffix only if all have it.
        let procs: Vec<Option<&str>> =
            self.order.iter().map(|(_, name)| without_procs(name).1).collect();
        let all_have = !procs.is_empty() && procs.iter().all(Option::is_some);
        let several = procs.windows(2).any(|pair| pair[0] != pair[1]);
        let mut readings = Vec::new();
        for (package, name) in std::mem::take(&mut self.order) {
            let (stem, procs) = without_procs(name);
            let (shown, procs) =
                if all_have { (stem, procs.filter(|_| several)) } else { (name, None) };
            let params: Vec<Param> =
                procs.into_iter().map(|procs| Param::new("cpu", procs)).collect();
            let row = self.rows.remove(&(package, name)).unwrap_or_default();
            readings.extend(rows(&qualified(package, shown), row, &params));
        }
        readings.extend(self.problems);
        readings
    }
}

fn qualified(package: &str, name: &str) -> String {
    if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") }
}

/// `ns/op` is the benchmark's own; the other pairs are shown beside it.
fn rows(name: &str, units: BTreeMap<&str, Vec<f64>>, params: &[Param]) -> Vec<Reading> {
    let mut units: Vec<_> = units.into_iter().collect();
    units.sort_by_key(|(unit, _)| *unit != "ns/op");
    units
        .into_iter()
        .enumerate()
        .map(|(at, (unit, values))| {
            let (of, factor) = metric(1.0, unit);
            let of = if unit == "ns/op" { of } else { named(unit, unit) };
            let values: Vec<f64> = values.iter().map(|value| value * factor).collect();
            let row = Reading::new(name, of, median(&values)).with_samples(values);
            let row = row.with_params(params.to_vec());
            if at == 0 { row } else { row.beside() }
        })
        .collect()
}

/// `BenchmarkX-8` -> (`BenchmarkX`, `8`).
fn without_procs(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('-') {
        Some((stem, procs))
            if !procs.is_empty() && procs.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            (stem, Some(procs))
        }
        _ => (name, None),
    }
}

/// `<N> <value> <unit> [<value> <unit>]…`; nothing where the line is something else.
fn pairs(text: &str) -> Option<Vec<(f64, &str)>> {
    let mut words = text.split_whitespace();
    words.next()?.parse::<u64>().ok()?;
    let mut pairs = Vec::new();
    while let Some(value) = words.next() {
        pairs.push((value.parse().ok()?, words.next()?));
    }
    (!pairs.is_empty()).then_some(pairs)
}
