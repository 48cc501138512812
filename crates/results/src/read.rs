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
    #[error("{place}: {what} is over the limit of {limit}; {remedy}")]
    TooLarge {
        /// The file.
        place: String,
        /// What is too large.
        what: String,
        /// The limit, with its unit.
        limit: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A value that no run writes, of which nothing true could be said.
    #[error(
        "{place}: {at} is {found}, and must be {allowed}: no run of bench-action writes that, so nothing is said \
         of it; take the file as the run left it, or measure again"
    )]
    Unsound {
        /// The file.
        place: String,
        /// The field, after its row where it is in one.
        at: String,
        /// What it holds.
        found: String,
        /// What it may hold.
        allowed: String,
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
        let limit = format!("{} bytes ({} MiB)", caps.bytes, caps.bytes >> 20);
        return Err(too_large(place, "the file", limit, FEWER));
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
    let head: Head = serde_json::from_slice(bytes).map_err(|e| foreign(place, bytes, &e))?;
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
    let message = format!("{}; {AS_WRITTEN}", words(error));
    ReadError::Malformed { place: position(place, error), message }
}

/// Something without a schema of ours, which may be what a harness wrote.
fn foreign(place: &str, bytes: &[u8], error: &serde_json::Error) -> ReadError {
    let place = position(place, error);
    let message = match bytes.trim_ascii_start().first() {
        None => format!("it is empty; {AS_WRITTEN}"),
        Some(b'{') if error.is_eof() => format!("{}; {AS_WRITTEN}", words(error)),
        Some(b'{') => format!("{}; {}", words(error), FOR_COMPARE),
        Some(b'[') if !error.is_syntax() => {
            format!("it is a list, and not an object; {FOR_COMPARE}")
        }
        Some(_) => format!("it is no JSON object; {FOR_COMPARE}"),
    };
    ReadError::Malformed { place, message }
}

/// What to do with a file of ours that is spoilt.
const AS_WRITTEN: &str = "take `results.json` as `bench-action run` has written it";

/// What to do with a file of somebody else's.
const FOR_COMPARE: &str = "what a harness wrote is for `bench-action compare`";

fn position(place: &str, error: &serde_json::Error) -> String {
    format!("{place}:{}:{}", error.line(), error.column())
}

/// What the parser found, in words of the file and not of the parser.
fn words(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(words, _)| words);
    if error.is_eof() {
        return "it ends in the middle, cut off or not yet written to its end".to_owned();
    }
    if error.is_syntax() {
        return match message {
            "number out of range" => "a number here is larger than any can be",
            "recursion limit exceeded" => "it is nested deeper than any results file",
            _ => "here it is no JSON",
        }
        .to_owned();
    }
    kind(message).unwrap_or_else(|| "the value here is of another kind than it should be".into())
}

/// The words for a value that does not fit the schema.
fn kind(message: &str) -> Option<String> {
    let after = |start: &str| message.strip_prefix(start);
    if let Some(field) = after("missing field ") {
        return Some(format!("it has no {field}"));
    }
    if let Some(field) = after("duplicate field ") {
        return Some(format!("it has {field} twice"));
    }
    let plain = |found: &str| found.escape_debug().take(100).collect::<String>();
    if let Some(variant) = after("unknown variant ") {
        let (found, known) = variant.rsplit_once(", expected ")?;
        let known = known.trim_start_matches("one of ");
        return Some(format!("{} is none of {known}", plain(found)));
    }
    let odd =
        ["invalid type: ", "invalid value: ", "invalid length "].into_iter().find_map(after)?;
    let (found, wanted) = odd.rsplit_once(", expected ")?;
    Some(format!("{} stands where {} belongs", plain(found), described(wanted)))
}

/// What the schema has, without the names of our types.
fn described(wanted: &str) -> &str {
    match wanted {
        "f64" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number that is not negative",
        "a sequence" => "a list",
        "a boolean" => "true or false",
        "a string" => "a text",
        "a map" => "an object",
        _ if wanted.starts_with("struct ") => "an object",
        _ if wanted.starts_with("enum ") || wanted.starts_with("variant ") => "one of a few words",
        _ => "something else",
    }
}

pub(crate) fn too_large(
    place: &str,
    what: impl Into<String>,
    limit: impl Into<String>,
    remedy: &'static str,
) -> ReadError {
    ReadError::TooLarge { place: place.to_owned(), what: what.into(), limit: limit.into(), remedy }
}

/// What to do where there are too many results.
pub(crate) const FEWER: &str = "measure fewer benchmarks at once, with --suite or --filter";

/// What to do about a text of a row.
const SHORTER: &str = "no benchmark is called so: give it a shorter name or parameter";

/// What to do about what a benchmark printed.
const QUIETER: &str = "let the benchmark print less when it fails";

fn check(results: &Results, place: &str, caps: Caps) -> Result<(), ReadError> {
    if results.benchmarks.len() + results.sentinel.len() > caps.rows {
        return Err(too_large(place, "the number of rows", format!("{} rows", caps.rows), FEWER));
    }
    for (index, row) in results.benchmarks.iter().chain(&results.sentinel).enumerate() {
        if let Some(what) = oversized(row, caps.text) {
            let remedy = if what == FAILURE { QUIETER } else { SHORTER };
            let (what, limit) = (format!("row {index}: {what}"), format!("{} bytes", caps.text));
            return Err(too_large(place, what, limit, remedy));
        }
    }
    Ok(())
}

/// What is said of what a failure printed.
const FAILURE: &str = "the text of a failure";

fn oversized(row: &Row, limit: usize) -> Option<&'static str> {
    let texts = [
        ("the id", &row.id),
        ("the benchmark", &row.benchmark),
        ("the name", &row.name),
        ("the unit", &row.unit),
        ("the metric", &row.metric),
    ];
    if let Some((what, _)) = texts.into_iter().find(|(_, text)| text.len() > limit) {
        return Some(what);
    }
    if row.params.iter().any(|p| p.name.len() > limit || p.value.len() > limit) {
        return Some("the text of a parameter");
    }
    let failure = row.failure.as_ref();
    failure
        .is_some_and(|f| f.message.len() > limit || f.stderr_tail.len() > limit)
        .then_some(FAILURE)
}
