//! Writes a results file: one benchmark a line, replaced whole or not at all.

use crate::Results;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A results file could not be written.
#[derive(Debug, thiserror::Error)]
#[error(
    "{path}: the results could not be written: {source}; is the disk full, or the directory not writable?"
)]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// The cause.
    pub source: std::io::Error,
}

/// The file's text. Rows stand one a line, so that files diff and grep well.
#[must_use]
pub fn to_json(results: &Results) -> String {
    let mut frame = results.clone();
    let rows = std::mem::take(&mut frame.benchmarks);
    let sentinel = std::mem::take(&mut frame.sentinel);
    let mut text = serde_json::to_string_pretty(&frame).unwrap_or_default();
    // Top-level keys are the only ones indented by exactly two spaces.
    for (key, rows) in [("benchmarks", &rows), ("sentinel", &sentinel)] {
        text = text.replacen(
            &format!("\n  \"{key}\": []"),
            &format!("\n  \"{key}\": {}", lines_of(rows)),
            1,
        );
    }
    text.push('\n');
    text
}

fn lines_of(rows: &[crate::Row]) -> String {
    if rows.is_empty() {
        return "[]".to_owned();
    }
    let lines: Vec<String> =
        rows.iter().map(|row| serde_json::to_string(row).unwrap_or_default()).collect();
    format!("[\n    {}\n  ]", lines.join(",\n    "))
}

/// Writes the file beside its place first and renames it, so that a reader never sees half of it.
///
/// # Errors
/// Names the path when the file cannot be created, written or renamed.
pub fn write_path(results: &Results, path: &Path) -> Result<(), WriteError> {
    let temporary = path.with_extension("json.partial");
    let write = || -> std::io::Result<()> {
        let mut file = std::fs::File::create(&temporary)?;
        file.write_all(to_json(results).as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    write().map_err(|source| {
        // A half-written neighbour would only take the room that is missing.
        let _ = std::fs::remove_file(&temporary);
        WriteError { path: path.to_owned(), source }
    })
}
