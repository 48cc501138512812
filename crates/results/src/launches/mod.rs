//! Results as tidy CSV: one line per launch, for pandas, R and spreadsheets, and to be read again.
//!
//! What was measured stands in columns of its own, one launch of one side a line. What belongs to a
//! whole row or to the whole file (provenance, margins, calibration) stands as JSON in the last two
//! columns, once each, so that nothing is lost: reading the file gives the results back, exactly.

mod cells;
mod read;
mod write;

pub(crate) use read::read_launches;
pub use write::write_launches;

/// Columns that a reader needs, in the order in which they are written. Between [`LEADING`] and these
/// stand the parameters and what is copied for the eye.
const EVIDENCE: [&str; 18] = [
    "block",
    "order",
    "started_ms",
    "core",
    "coin",
    "counted",
    "d",
    "corrected",
    "load",
    "side",
    "first",
    "launch",
    "value",
    "cpu_ns",
    "wall_ns",
    "loops",
    "max_rss_bytes",
    "voluntary_switches",
];

/// What tells rows from each other, and which part of the file they are of.
const LEADING: [&str; 4] = ["row", "role", "id", "comparison"];

/// Copies of what the row's details say, for the eye; a reader of ours passes them by.
const NAMES: [&str; 9] =
    ["benchmark", "environment", "machine", "suite", "harness", "name", "metric", "unit", "better"];

/// Copies of what was concluded, for the eye; a reader of ours passes them by.
const CONCLUSIONS: [&str; 9] =
    ["verdict", "reason", "pairing", "schedule", "clock", "change", "low", "high", "confidence"];

/// Everything of a row but its launches and blocks, as in `results.json`; on its first line.
const ROW_DETAILS: &str = "row_details";

/// Everything of the file but its rows, as in `results.json`; on the first line of all.
const RUN_DETAILS: &str = "run_details";

/// The column of a parameter is called so, before its name.
const PARAMETER: &str = "param.";

/// The words of the column `role`: a row of `benchmarks`, a row of `sentinel`.
const ROLES: [&str; 2] = ["benchmark", "sentinel"];

/// Most bytes of a header.
const LONGEST_HEADER: usize = 1 << 20;

/// Whether this is such a CSV file, by its header: names of parameters may break it into lines.
#[must_use]
pub fn is_launches(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(LONGEST_HEADER)];
    let mut header = csv::ByteRecord::new();
    !start.trim_ascii_start().starts_with(b"{")
        && csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(start)
            .read_byte_record(&mut header)
            .is_ok_and(|is_there| is_there)
        && header.iter().any(is_ours)
}

/// Whether only we write a column with this title. A file with other separators, which the reader refuses
/// by name, has all of its titles in one.
fn is_ours(title: &[u8]) -> bool {
    title.windows(RUN_DETAILS.len()).any(|part| part == RUN_DETAILS.as_bytes())
}
