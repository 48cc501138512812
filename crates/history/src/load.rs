//! Reads a store, also a hostile one: sizes are bounded, unknown major versions refused, and a file
//! must be what its name says.

use crate::changes::Detection;
use crate::record::{Catalog, FORMAT_FILE, Record, SCHEMA, StoredFile};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Limits on what is read. The defaults hold 100,000 commits of a large suite.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// Bytes of any one file.
    pub bytes: usize,
    /// Files.
    pub files: usize,
    /// Benchmarks of one catalogue.
    pub benchmarks: usize,
    /// Bytes of any one name.
    pub text: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self { bytes: 16 << 20, files: 500_000, benchmarks: 50_000, text: 8 << 10 }
    }
}

/// Everything a store holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The records, in order of their paths.
    pub records: Vec<Record>,
    /// The catalogues, by digest.
    pub catalogs: BTreeMap<String, Catalog>,
    /// What earlier detections have reported.
    pub detections: Vec<Detection>,
}

/// A file of a store could not be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LoadError {
    /// Another major version wrote it.
    #[error(
        "{path}: schema `{found}`; this version reads `{SCHEMA}`: use a bench-action of the same major version"
    )]
    Version {
        /// The file.
        path: String,
        /// The schema it names.
        found: String,
    },
    /// Not what it should be.
    #[error("{path}: {message}; files of a history are never edited: restore it, or remove it")]
    Malformed {
        /// The file.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// Larger than the caps.
    #[error(
        "{path}: {what} is over the limit of {limit}, which no file written by `history record` is: restore it, \
         or remove it"
    )]
    TooLarge {
        /// The file.
        path: String,
        /// What is too large.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}

/// Reads the files of a store. Files that are no business of ours (a README, a workflow) are passed
/// over; an empty set of files is an empty history.
///
/// # Errors
/// See [`LoadError`]. Depth is bounded by the JSON parser (128 levels).
pub fn load(files: impl IntoIterator<Item = StoredFile>, caps: Caps) -> Result<History, LoadError> {
    let mut history = History::default();
    let mut count = 0;
    for file in files {
        count += 1;
        if count > caps.files {
            return Err(too_large(&file.path, "the number of files", caps.files));
        }
        add(&mut history, &file, caps)?;
    }
    for record in &history.records {
        check_points(&history, record)?;
    }
    history.records.sort_by(|a, b| (&a.commit.id, &a.measured).cmp(&(&b.commit.id, &b.measured)));
    Ok(history)
}

fn add(history: &mut History, file: &StoredFile, caps: Caps) -> Result<(), LoadError> {
    let directory = file.path.split('/').next().unwrap_or_default();
    let is_ours = ["records", "catalogs", "detections"].contains(&directory);
    if !is_ours && file.path != FORMAT_FILE {
        return Ok(());
    }
    if file.bytes.len() > caps.bytes {
        return Err(too_large(&file.path, "its size in bytes", caps.bytes));
    }
    if file.path == FORMAT_FILE {
        return check_version(file);
    }
    if !file.is_whole() {
        return Err(malformed(&file.path, "its content is not what its name says"));
    }
    match directory {
        "records" => {
            let record: Record = parse(file)?;
            check_record(file, &record, caps)?;
            history.records.push(record);
        }
        "catalogs" => {
            let catalog: Catalog = parse(file)?;
            check_catalog(file, &catalog, caps)?;
            history.catalogs.insert(file.digest(), catalog);
        }
        _ => {
            let detection: Detection = parse(file)?;
            check_schema(file, &detection.schema)?;
            history.detections.push(detection);
        }
    }
    Ok(())
}

/// A file of another version may have another shape: its version is looked at where the shape is not
/// ours, and compared where it is.
fn parse<T: DeserializeOwned>(file: &StoredFile) -> Result<T, LoadError> {
    serde_json::from_slice(&file.bytes).map_err(|error| match check_version(file) {
        Err(version) => version,
        Ok(()) => malformed(&file.path, &error.to_string()),
    })
}

fn check_version(file: &StoredFile) -> Result<(), LoadError> {
    #[derive(serde::Deserialize)]
    struct Head {
        schema: String,
    }
    let head: Head = serde_json::from_slice(&file.bytes)
        .map_err(|error| malformed(&file.path, &error.to_string()))?;
    check_schema(file, &head.schema)
}

fn check_schema(file: &StoredFile, schema: &str) -> Result<(), LoadError> {
    if schema == SCHEMA {
        return Ok(());
    }
    let found = schema.chars().take(100).collect();
    Err(LoadError::Version { path: file.path.clone(), found })
}

fn check_record(file: &StoredFile, record: &Record, caps: Caps) -> Result<(), LoadError> {
    check_schema(file, &record.schema)?;
    let commit = &record.commit.id;
    if !file.path.contains(&format!("/{commit}/")) {
        return Err(malformed(&file.path, "it is of another commit than its path"));
    }
    let texts = [&record.suite, &record.environment, &record.harness, &record.commit.subject];
    if texts.iter().any(|text| text.len() > caps.text) {
        return Err(too_large(&file.path, "the bytes of a name", caps.text));
    }
    let numbers = record.points.iter().flatten().flat_map(|point| {
        [point.log_ratio, point.error, point.value, point.reference].into_iter().flatten()
    });
    if numbers.into_iter().any(|number| !number.is_finite()) {
        return Err(malformed(&file.path, "a number is not finite"));
    }
    Ok(())
}

fn check_catalog(file: &StoredFile, catalog: &Catalog, caps: Caps) -> Result<(), LoadError> {
    check_schema(file, &catalog.schema)?;
    if catalog.benchmarks.len() > caps.benchmarks {
        return Err(too_large(&file.path, "the number of benchmarks", caps.benchmarks));
    }
    if catalog.benchmarks.iter().any(|entry| entry.id.len() > caps.text) {
        return Err(too_large(&file.path, "the bytes of a name", caps.text));
    }
    Ok(())
}

fn check_points(history: &History, record: &Record) -> Result<(), LoadError> {
    let path = format!("records/…/{}", record.commit.id);
    let catalog = history.catalogs.get(&record.catalog);
    let catalog = catalog
        .ok_or_else(|| malformed(&path, &format!("catalogs/{}.json is missing", record.catalog)))?;
    if catalog.benchmarks.len() == record.points.len() {
        return Ok(());
    }
    Err(malformed(&path, "it has not one point for each benchmark of its catalogue"))
}

fn malformed(path: &str, message: &str) -> LoadError {
    LoadError::Malformed { path: path.to_owned(), message: message.to_owned() }
}

fn too_large(path: &str, what: &'static str, limit: usize) -> LoadError {
    LoadError::TooLarge { path: path.to_owned(), what, limit }
}
