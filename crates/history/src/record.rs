//! What is stored of one commit, and the files it is stored in.
//!
//! A record holds one commit × suite × environment × machine. The names of its benchmarks stand in a
//! catalogue of their own, which records share: a name is stored once and not ten thousand times.
//! Both are named after their content, so that any number of writers add files without ever changing
//! one.

use bench_results::{Better, MachineInfo, Param, ToolInfo, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The schema's name and major version; a reader refuses any other major version.
pub const SCHEMA: &str = "bench-action/history/v1";

/// The file at the root of a store that says what it is.
pub const FORMAT_FILE: &str = "format.json";

/// Longest part of a file name that is made from a name of the user's.
const LONGEST_SLUG: usize = 40;

/// One commit × suite × environment × machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// `bench-action/history/v1`.
    pub schema: String,
    /// The program that measured.
    pub tool: ToolInfo,
    /// When it was measured, RFC 3339 in UTC.
    pub measured: String,
    /// The commit.
    pub commit: Commit,
    /// What it was measured against in the same run; null for absolute values of other tools.
    pub reference: Option<Reference>,
    /// The suite's name.
    pub suite: String,
    /// The harness's name.
    pub harness: String,
    /// The environment's name.
    pub environment: String,
    /// The interpreter's version, where there is one.
    pub python: Option<String>,
    /// The machine.
    pub machine: MachineInfo,
    /// SHA-256 of the [`Catalog`] whose benchmarks the points are of.
    pub catalog: String,
    /// One for each benchmark of the catalogue, in its order; null where it was not measured.
    pub points: Vec<Option<Point>>,
}

/// A commit of the default branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its full id.
    pub id: String,
    /// When it was committed, in seconds since 1970.
    pub committed: i64,
    /// The first line of its message.
    pub subject: String,
}

/// The build that commits are measured against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Its full commit id.
    pub commit: String,
    /// What a person calls it.
    pub label: String,
}

/// What was measured of one benchmark. Stored as an array, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Packed", into = "Packed")]
pub struct Point {
    /// ln(commit / reference) of the values, not turned round for metrics of which more is better:
    /// the Hodges–Lehmann estimate over blocks. Null where there is no ratio.
    pub log_ratio: Option<f64>,
    /// Its standard error; 0 for what repeats exactly.
    pub error: Option<f64>,
    /// Blocks it rests on.
    pub blocks: u32,
    /// The commit's own value, in the metric's unit.
    pub value: Option<f64>,
    /// The reference's value.
    pub reference: Option<f64>,
}

impl Point {
    /// Leaves the digits that mean something: of a log ratio the fifth decimal is a thousandth of a
    /// per cent, and no clock tells five digits of a value.
    fn round(&mut self) {
        self.log_ratio = self.log_ratio.map(|ratio| (ratio * 1e5).round() / 1e5);
        self.error = self.error.map(|error| digits(error, 3));
        self.value = self.value.map(|value| digits(value, 5));
        self.reference = self.reference.map(|value| digits(value, 5));
    }
}

type Packed = (Option<f64>, Option<f64>, u32, Option<f64>, Option<f64>);

impl From<Packed> for Point {
    fn from((log_ratio, error, blocks, value, reference): Packed) -> Self {
        Self { log_ratio, error, blocks, value, reference }
    }
}

impl From<Point> for Packed {
    fn from(point: Point) -> Self {
        (point.log_ratio, point.error, point.blocks, point.value, point.reference)
    }
}

/// The benchmarks that the points of a record are of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Catalog {
    /// `bench-action/history/v1`.
    pub schema: String,
    /// The benchmarks, in order of their ids.
    pub benchmarks: Vec<Entry>,
}

/// One benchmark × metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// `suite/name(param=value, …)`, plus ` [metric]` for all but the benchmark's first metric.
    pub id: String,
    /// The benchmark's own name, without parameters.
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// The metric's name.
    pub metric: String,
    /// The metric's unit.
    pub unit: String,
    /// Which direction is an improvement.
    pub better: Better,
}

/// A file to be added to a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// Its path in the store, `/` between parts.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl Record {
    /// The files that store a record: its catalogue, then itself, which names the catalogue.
    #[must_use]
    pub fn files(mut self, catalog: &Catalog) -> [StoredFile; 2] {
        let catalog = StoredFile::named("catalogs/", "", catalog);
        self.catalog = catalog.digest();
        self.points.iter_mut().flatten().for_each(Point::round);
        let slug = |name: &str| -> String {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
            let plain = name.chars().map(|c| if is_plain(c) { c } else { '-' });
            plain.take(LONGEST_SLUG).collect()
        };
        let id = &self.commit.id;
        let directory = format!("records/{}/{id}/", id.get(..2).unwrap_or("00"));
        let machine: String = slug(&self.machine.id).chars().take(8).collect();
        let name = format!("{}.{}.{machine}.", slug(&self.suite), slug(&self.environment));
        [catalog, StoredFile::named(&directory, &name, &self)]
    }
}

impl StoredFile {
    /// A file that is named after its content.
    pub(crate) fn named(directory: &str, beginning: &str, content: &impl Serialize) -> Self {
        // What is stored has string keys and finite numbers only, which always serialise.
        let mut bytes = serde_json::to_vec(content).unwrap_or_default();
        bytes.push(b'\n');
        let digest = digest(&bytes);
        // A record is found by its path already; sixteen digits tell it from its neighbours.
        let shown = if beginning.is_empty() { &digest } else { &digest[..16] };
        Self { path: format!("{directory}{beginning}{shown}.json"), bytes }
    }

    pub(crate) fn digest(&self) -> String {
        digest(&self.bytes)
    }

    /// Whether the file's name ends with the beginning of its content's digest.
    pub(crate) fn is_whole(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let stem = name.strip_suffix(".json").unwrap_or_default();
        let named = stem.rsplit('.').next().unwrap_or_default();
        named.len() >= 16 && self.digest().starts_with(named)
    }
}

/// The file that marks a store, the same for every writer.
#[must_use]
pub fn format_file() -> StoredFile {
    let bytes = format!("{{\"schema\":\"{SCHEMA}\"}}\n").into_bytes();
    StoredFile { path: FORMAT_FILE.to_owned(), bytes }
}

fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// A number of so many significant digits.
fn digits(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_the_digits_that_mean_something() {
        assert_eq!(digits(123_456_789.0, 5), 123_460_000.0);
        assert_eq!(digits(-0.012_345_678, 3), -0.012_3);
        assert_eq!(digits(0.0, 3), 0.0);
    }

    #[test]
    fn a_point_is_stored_as_an_array() {
        let point = Point {
            log_ratio: Some(0.01),
            error: Some(0.002),
            blocks: 12,
            value: Some(101.0),
            reference: None,
        };
        let text = serde_json::to_string(&point).unwrap();
        assert_eq!(text, "[0.01,0.002,12,101.0,null]");
        assert_eq!(serde_json::from_str::<Point>(&text).unwrap(), point);
    }

    #[test]
    fn a_file_that_was_changed_no_longer_has_its_name() {
        let mut file = StoredFile::named("catalogs/", "", &[1, 2]);
        assert!(file.is_whole());
        file.bytes[1] = b'7';
        assert!(!file.is_whole());
        assert!(StoredFile::named("records/ab/", "asv.default.01234567.", &[1, 2]).is_whole());
    }
}
