//! `go test -bench`: its text, also as `-json` (test2json) splits it. Rows of equal package and name
//! are repetitions (`-count`) in one process.

use super::bounds::{Numbers, bounded};
use super::json::{line_objects, text};
use super::reading::median;
use super::units::named;
use super::{Format, Lines, Reading, Status};
use bench_results::Metric;
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
        || line.starts_with("Benchmark") && result(line).is_some()
        || line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(" ns/op")
        || line.starts_with("Benchmark") && line.contains("/op")
        || line.starts_with("--- FAIL: Benchmark")
}

/// The name and the pairs of a whole result line.
fn result(line: &str) -> Option<(&str, Vec<(f64, &str)>)> {
    let (name, rest) = line.trim().split_once(char::is_whitespace)?;
    Some((name, pairs(rest)?))
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
    packages: Numbers<'t>,
    package: usize,
    /// A name whose numbers are still to come: something was printed in between.
    pending: Option<&'t str>,
    order: Vec<Key<'t>>,
    rows: BTreeMap<Key<'t>, Units<'t>>,
    /// What did not come to an end, and lines that cannot be read.
    problems: Vec<(Key<'t>, Status)>,
}

/// Values by unit, each with its place in the order of appearance.
type Units<'t> = BTreeMap<&'t str, (usize, Vec<f64>)>;

/// The package's number, and the name.
type Key<'t> = (usize, &'t str);

impl<'t> Log<'t> {
    fn of(text: &'t str) -> Self {
        let mut log = Self::default();
        // What comes before any package is in none.
        log.packages.of("");
        text.lines().for_each(|line| log.line(line));
        log
    }

    fn line(&mut self, line: &'t str) {
        let line = line.trim();
        if let Some(package) = line.strip_prefix("pkg:") {
            self.package = self.packages.of(package.trim());
            self.pending = None;
        } else if let Some(name) = line.strip_prefix("--- FAIL: ") {
            self.problem(name, Status::Error("it failed".into()));
        } else if let Some(name) = line.strip_prefix("--- SKIP: ") {
            self.problem(name, Status::Skipped("it says that it does not apply".into()));
        } else if line.starts_with("Benchmark") {
            self.benchmark(line);
        } else if let Some(name) = self.pending
            && let Some(pairs) = pairs(line)
        {
            self.add(name, pairs);
        }
    }

    /// Tests fail and skip as well; only benchmarks count.
    fn problem(&mut self, name: &'t str, status: Status) {
        self.pending = None;
        let name = name.split_whitespace().next().unwrap_or("");
        if name.starts_with("Benchmark") {
            self.problems.push(((self.package, name), status));
        }
    }

    fn benchmark(&mut self, line: &'t str) {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match pairs(rest) {
            Some(pairs) => self.add(name, pairs),
            None if rest.contains("/op") => {
                let quoted = line.chars().take(200).collect();
                self.problems.push(((self.package, name), Status::Unreadable(quoted)));
                self.pending = Some(name);
            }
            None => self.pending = Some(name),
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
            let place = row.len();
            row.entry(unit).or_insert_with(|| (place, Vec::new())).1.push(value);
        }
    }

    fn readings(self) -> Vec<Reading> {
        let Self { packages, order, mut rows, problems, .. } = self;
        let packages: Vec<_> = packages.names().into_iter().map(bounded).collect();
        let suffix = suffix(order.iter().chain(problems.iter().map(|(key, _)| key)));
        let shown = |(package, name): Key<'_>| {
            let stem = suffix.and_then(|suffix| name.strip_suffix(suffix));
            let package = packages.get(package).map_or("", |package| &**package);
            qualified(package, &bounded(stem.unwrap_or(name)))
        };
        let lost: BTreeMap<String, Status> =
            problems.iter().map(|(key, status)| (shown(*key), status.clone())).collect();
        let mut readings = Vec::new();
        for &key in &order {
            let name = shown(key);
            // A repetition that failed makes the others suspect.
            if !lost.contains_key(&name) {
                readings.extend(of_units(&name, rows.remove(&key).unwrap_or_default()));
            }
        }
        let lost = lost.into_iter();
        readings.extend(lost.map(|(name, status)| Reading::without(name, Metric::time(), status)));
        readings
    }
}

/// `-8`, if every name ends in it: the number of processors, which is left out where it is 1. With
/// several (`-cpu 1,2,4`) names stay as they are, since `n-10` may be a name.
fn suffix<'t>(mut keys: impl Iterator<Item = &'t Key<'t>>) -> Option<&'t str> {
    let of = |name: &'t str| {
        let at = name.rfind('-')?;
        let is_number = name.len() > at + 1 && name[at + 1..].bytes().all(|b| b.is_ascii_digit());
        is_number.then_some(&name[at..])
    };
    let first = of(keys.next()?.1)?;
    keys.all(|(_, name)| name.ends_with(first)).then_some(first)
}

fn qualified(package: &str, name: &str) -> String {
    if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") }
}

/// `ns/op` is the benchmark's own; without it, the first. The other pairs are shown beside it.
fn of_units(name: &str, units: Units<'_>) -> Vec<Reading> {
    let mut units: Vec<_> = units.into_iter().collect();
    units.sort_by_key(|(unit, (place, _))| (*unit != "ns/op", *place));
    units
        .into_iter()
        .enumerate()
        .map(|(at, (unit, (_, values)))| {
            let of = if unit == "ns/op" { Metric::time() } else { named(unit, unit) };
            let row = Reading::new(name, of, median(&values)).with_samples(values);
            if at == 0 { row } else { row.beside() }
        })
        .collect()
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
