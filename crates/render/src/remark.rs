//! The rows that somebody should look at, one line each: for annotations of a CI job.

use crate::number;
use crate::view::{Kind, Mark, Names};
use bench_results::{Measured, Results, Row, Verdict};

/// One row in one line. Names and messages are data and stand as they are: whoever prints them
/// escapes them for where they go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// `slower`, `larger`, `worse` or `failed`.
    pub word: String,
    /// `parse.time_header: 3.41 ms → 3.71 ms, +10.1 % (+7.6 … +13.8)`.
    pub text: String,
    /// Whether it failed, and did not only get worse.
    pub is_failure: bool,
}

/// Failures, then regressions that nobody has accepted, each in the order of the file.
#[must_use]
pub fn remarks(results: &Results) -> Vec<Remark> {
    let names = Names::new(results);
    let with = |verdict| {
        let rows = results.benchmarks.iter();
        rows.filter(move |row| row.verdict == Some(verdict) && Mark::of(row).kind != Kind::Accepted)
    };
    let failed = with(Verdict::Failed).map(|row| Remark {
        word: Mark::of(row).word.to_owned(),
        text: failed(row, &names),
        is_failure: true,
    });
    let regressed = with(Verdict::Regressed).map(|row| Remark {
        word: Mark::of(row).word.to_owned(),
        text: regressed(row, &names),
        is_failure: false,
    });
    failed.chain(regressed).collect()
}

fn failed(row: &Row, names: &Names) -> String {
    let name = names.full(row);
    row.failure.as_ref().map_or_else(
        || name.clone(),
        |failure| {
            let side = failure.side.map(|side| format!(" on {side}")).unwrap_or_default();
            format!("{name}{side}: {}", failure.message)
        },
    )
}

fn regressed(row: &Row, names: &Names) -> String {
    let mut text = names.full(row);
    let value = |side: &Option<Measured>| {
        let center = side.as_ref().and_then(|measured| measured.center);
        center.map(|center| number::quantity(center, &row.unit))
    };
    if let (Some(base), Some(head)) = (value(&row.base), value(&row.head)) {
        text += &format!(": {base} → {head}");
    }
    if let Some(change) = &row.change {
        let change = number::change(change, &row.unit);
        text += &format!(", {} {}", change.size, change.interval());
    }
    text.replace('\u{a0}', " ")
}
