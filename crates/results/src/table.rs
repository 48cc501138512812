//! What was concluded as CSV: one line per benchmark × metric × comparison, for spreadsheets.

use crate::{Results, Row};
use std::io;

const COLUMNS: [&str; 16] = [
    "id",
    "comparison",
    "suite",
    "name",
    "metric",
    "unit",
    "better",
    "verdict",
    "reason",
    "base",
    "head",
    "change",
    "low",
    "high",
    "confidence",
    "blocks",
];

/// Writes the table. It holds no launches, so nothing reads it again; [`crate::write_launches`] writes
/// what was measured. Numbers are in full precision, absent ones are empty; `change`, `low` and
/// `high` are head/base (or head − base for differences).
///
/// # Errors
/// Those of the writer.
pub fn write_table(results: &Results, out: impl io::Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for row in &results.benchmarks {
        writer.write_record(record(row))?;
    }
    writer.flush()
}

fn record(row: &Row) -> [String; 16] {
    let change = row.change.as_ref();
    let center = |side: &Option<crate::Measured>| number(side.as_ref().and_then(|m| m.center));
    [
        row.id.clone(),
        row.comparison.clone(),
        row.suite.clone(),
        row.name.clone(),
        row.metric.clone(),
        row.unit.clone(),
        match row.better {
            crate::Better::Lower => "lower",
            crate::Better::Higher => "higher",
        }
        .into(),
        row.verdict.map(|v| v.word().to_owned()).unwrap_or_default(),
        row.reason.clone().unwrap_or_default(),
        center(&row.base),
        center(&row.head),
        number(change.map(|c| c.ratio)),
        number(change.and_then(|c| c.low)),
        number(change.and_then(|c| c.high)),
        number(change.map(|c| c.confidence)),
        row.blocks_used.to_string(),
    ]
}

/// The shortest digits that are read as exactly this number; without it, or where it is not finite,
/// nothing.
pub(crate) fn number(number: Option<f64>) -> String {
    let Some(number) = number.filter(|number| number.is_finite()) else { return String::new() };
    match number.abs() {
        size if size > 0.0 && !(1e-6..1e16).contains(&size) => format!("{number:e}"),
        _ => number.to_string(),
    }
}

/// Whether these bytes are such a table, by its header.
#[must_use]
pub fn is_table(bytes: &[u8]) -> bool {
    bytes.starts_with(COLUMNS.join(",").as_bytes())
}
