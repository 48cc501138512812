//! Reads a results file, also a hostile one: sizes are bounded and unknown major versions refused.

use crate::launches::{is_launches, read_launches};
use crate::table::is_table;
use crate::{Results, Row, SCHEMA};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Limits on what is read. The defaults hold any file this program writes.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// Bytes of the whole file.
    pub bytes: u64,
    /// Rows.
    pub rows: usize,
    /// Bytes of any one name, id or message.
    pub text: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self { bytes: 512 << 20, rows: 200_000, text: 64 << 10 }
    }
}

/// A results file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is not a results file.
    #[error("{place}: not a results file of bench-action: {message}")]
    Malformed {
        /// The file, with line and column where known.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// A cell of the CSV of launches is not what it should be.
    #[error("{place}, column `{column}`: {message}")]
    Cell {
        /// The file and the line.
        place: String,
        /// The column's title, or its number where it has none.
        column: String,
        /// What is wrong, and the remedy.
        message: String,
    },
    /// Another major version wrote it.
    #[error(
        "{place}: schema `{found}`; this version reads `{SCHEMA}`: use a bench-action of the same major version"
    )]
    Version {
        /// The file.
        place: String,
        /// The schema it names.
        found: String,
    },
    /// Larger than the caps.
    #[error("{place}: {what} is over the limit of {limit}")]
    TooLarge {
        /// The file.
        place: String,
        /// What is too large.
        what: String,
        /// The limit.
        limit: u64,
    },
}

/// Reads a file from disk with the default [`Caps`].
///
/// # Errors
/// See [`ReadError`].
pub fn read_path(path: &Path) -> Result<Results, ReadError> {
    let io = |source| ReadError::Io { path: path.to_owned(), source };
    let caps = Caps::default();
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .map_err(io)?
        .take(caps.bytes + 1)
        .read_to_end(&mut bytes)
        .map_err(io)?;
    read(&bytes, &path.display().to_string(), caps)
}

/// Reads a file's bytes, JSON or the CSV of launches; `place` names them in errors.
///
/// # Errors
/// See [`ReadError`]. Depth is bounded by the JSON parser (128 levels).
pub fn read(bytes: &[u8], place: &str, caps: Caps) -> Result<Results, ReadError> {
    if bytes.len() as u64 > caps.bytes {
        return Err(too_large(place, "the file", caps.bytes));
    }
    let results = match () {
        () if is_launches(bytes) => read_launches(bytes, place, caps)?,
        () if is_table(bytes) => return Err(only_conclusions(place)),
        () => read_json(bytes, place)?,
    };
    check(&results, place, caps)?;
    Ok(results)
}

/// Reads the JSON form. How many rows it has, and how long their texts are, is not looked at.
pub(crate) fn read_json(bytes: &[u8], place: &str) -> Result<Results, ReadError> {
    #[derive(serde::Deserialize)]
    struct Head {
        schema: String,
    }
    let head: Head = serde_json::from_slice(bytes).map_err(|e| foreign(place, &e))?;
    if head.schema != SCHEMA {
        return Err(ReadError::Version {
            place: place.to_owned(),
            found: head.schema.chars().take(100).collect(),
        });
    }
    serde_json::from_slice(bytes).map_err(|e| malformed(place, &e))
}

/// The table of `--format table`.
fn only_conclusions(place: &str) -> ReadError {
    let message = "this table has no launches in it, so nothing can be judged again; `bench-action render \
                   --format csv` writes a file that can be read";
    ReadError::Malformed { place: place.to_owned(), message: message.to_owned() }
}

fn malformed(place: &str, error: &serde_json::Error) -> ReadError {
    ReadError::Malformed { place: position(place, error), message: words(error) }
}

/// Something without a schema of ours, which may be what a harness wrote.
fn foreign(place: &str, error: &serde_json::Error) -> ReadError {
    let message = format!("{}; what a harness wrote is for `bench-action compare`", words(error));
    ReadError::Malformed { place: position(place, error), message }
}

fn position(place: &str, error: &serde_json::Error) -> String {
    format!("{place}:{}:{}", error.line(), error.column())
}

/// The parser's words without line and column at their end, which the position has.
fn words(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at line ").map_or(message.as_str(), |(words, _)| words).to_owned()
}

fn too_large(place: &str, what: impl Into<String>, limit: u64) -> ReadError {
    ReadError::TooLarge { place: place.to_owned(), what: what.into(), limit }
}

fn check(results: &Results, place: &str, caps: Caps) -> Result<(), ReadError> {
    if results.benchmarks.len() + results.sentinel.len() > caps.rows {
        return Err(too_large(place, "the number of rows", caps.rows as u64));
    }
    for (index, row) in results.benchmarks.iter().chain(&results.sentinel).enumerate() {
        if let Some(what) = oversized(row, caps.text) {
            return Err(too_large(place, format!("row {index}: {what}"), caps.text as u64));
        }
    }
    Ok(())
}

fn oversized(row: &Row, limit: usize) -> Option<&'static str> {
    let texts = [
        ("id", &row.id),
        ("benchmark", &row.benchmark),
        ("name", &row.name),
        ("unit", &row.unit),
        ("metric", &row.metric),
    ];
    if let Some((what, _)) = texts.into_iter().find(|(_, text)| text.len() > limit) {
        return Some(what);
    }
    if row.params.iter().any(|p| p.name.len() > limit || p.value.len() > limit) {
        return Some("a parameter");
    }
    let failure = row.failure.as_ref();
    failure
        .is_some_and(|f| f.message.len() > limit || f.stderr_tail.len() > limit)
        .then_some("a failure")
}
