//! Takes from a results file what is stored of a commit.

use crate::record::{Catalog, Commit, Entry, Point, Record, Reference, SCHEMA};
use bench_results::{Better, ChangeKind, Pairing, Results, Row, SideInfo, Verdict};
use bench_stats::{hodges_lehmann, robust_sd};
use std::collections::BTreeMap;

/// The two commits of a results file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The full id of the commit that was measured: head.
    pub commit: String,
    /// The full id of the commit it was measured against: base.
    pub reference: String,
}

/// A results file that cannot be recorded.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TakeError {
    /// The run is not to be trusted.
    #[error("the run is not to be trusted, so it is not recorded: {0}")]
    Untrustworthy(String),
    /// A side could not be prepared.
    #[error("nothing was measured: {0}")]
    NotPrepared(String),
    /// A side that is no commit.
    #[error(
        "{side} is no commit but {what}; history is of commits: run with --base REFERENCE --head COMMIT"
    )]
    NoCommit {
        /// `base` or `head`.
        side: &'static str,
        /// What it is instead.
        what: String,
    },
    /// Comparisons of different commits in one file.
    #[error("the file compares several pairs of commits; record one pair at a time")]
    SeveralCommits,
    /// Base and head ran in different environments.
    #[error(
        "base ran in environment `{base}` and head in `{head}`: a series compares commits in one environment"
    )]
    Environments {
        /// Base's.
        base: String,
        /// Head's.
        head: String,
    },
    /// No row with a value.
    #[error("no benchmark was measured on both sides; there is nothing to record")]
    Nothing,
}

impl Measured {
    /// The commits that a results file is about.
    ///
    /// # Errors
    /// When it is not to be trusted, or not about one pair of commits.
    pub fn of(results: &Results) -> Result<Self, TakeError> {
        if let Some(failure) = &results.failure {
            return Err(TakeError::NotPrepared(failure.message.clone()));
        }
        if !results.trust.ok {
            let reason = results.trust.reason.clone();
            return Err(TakeError::Untrustworthy(reason.unwrap_or_default()));
        }
        let mut pairs = results.comparisons.iter().map(|comparison| {
            Ok(Self {
                commit: commit_of("head", side(results, &comparison.head))?,
                reference: commit_of("base", side(results, &comparison.base))?,
            })
        });
        let first = pairs.next().ok_or(TakeError::Nothing)??;
        for pair in pairs {
            if pair? != first {
                return Err(TakeError::SeveralCommits);
            }
        }
        Ok(first)
    }
}

fn side<'a>(results: &'a Results, id: &str) -> Option<&'a SideInfo> {
    results.sides.iter().find(|side| side.id == id)
}

fn commit_of(name: &'static str, side: Option<&SideInfo>) -> Result<String, TakeError> {
    let refuse = |what: &str| TakeError::NoCommit { side: name, what: what.to_owned() };
    let side = side.ok_or_else(|| refuse("missing in the file"))?;
    if side.dirty {
        return Err(refuse("a working tree with changes"));
    }
    let commit = side.commit.clone().ok_or_else(|| refuse("an existing build"))?;
    let is_id = commit.len() >= 40 && commit.bytes().all(|b| b.is_ascii_hexdigit());
    if is_id { Ok(commit) } else { Err(refuse("without a full commit id")) }
}

/// The records of a results file, with their catalogues: one for each suite, environment and machine.
///
/// # Errors
/// See [`TakeError`].
pub fn take(results: &Results, commit: &Commit) -> Result<Vec<(Record, Catalog)>, TakeError> {
    Measured::of(results)?;
    let mut groups: BTreeMap<(&str, &str, &str), Vec<&Row>> = BTreeMap::new();
    for row in &results.benchmarks {
        if is_measured(row) {
            let key = (row.suite.as_str(), row.comparison.as_str(), row.machine.as_str());
            groups.entry(key).or_default().push(row);
        }
    }
    let records: Vec<_> =
        groups.into_values().map(|rows| record(results, commit, rows)).collect::<Result<_, _>>()?;
    if records.is_empty() { Err(TakeError::Nothing) } else { Ok(records) }
}

/// A row that says how the commit stands to its reference.
fn is_measured(row: &Row) -> bool {
    let has_failed = matches!(row.verdict, Some(Verdict::Failed | Verdict::Skipped));
    let is_paired = row.pairing != Pairing::Unpaired;
    !has_failed && is_paired && (row.change.is_some() || row.pairing == Pairing::Identical)
}

fn record(
    results: &Results,
    commit: &Commit,
    mut rows: Vec<&Row>,
) -> Result<(Record, Catalog), TakeError> {
    rows.sort_by(|a, b| a.id.cmp(&b.id));
    let first = rows.first().ok_or(TakeError::Nothing)?;
    let comparison = results.comparisons.iter().find(|c| c.id == first.comparison);
    let base = comparison.and_then(|c| side(results, &c.base)).ok_or(TakeError::Nothing)?;
    let head = comparison.and_then(|c| side(results, &c.head)).ok_or(TakeError::Nothing)?;
    if base.environment != head.environment {
        let (base, head) = (base.environment.clone(), head.environment.clone());
        return Err(TakeError::Environments { base, head });
    }
    let machine = results.machines.iter().find(|machine| machine.id == first.machine);
    let environment = results.environments.iter().find(|e| e.name == head.environment);
    let record = Record {
        schema: SCHEMA.to_owned(),
        tool: results.tool.clone(),
        measured: results.created.clone(),
        commit: commit.clone(),
        reference: Some(Reference {
            commit: base.commit.clone().unwrap_or_default(),
            label: base.label.clone(),
        }),
        suite: first.suite.clone(),
        harness: first.harness.clone(),
        environment: head.environment.clone(),
        python: environment.and_then(|environment| environment.python.clone()),
        machine: machine.cloned().ok_or(TakeError::Nothing)?,
        catalog: String::new(),
        points: rows.iter().map(|row| Some(point(row))).collect(),
    };
    let benchmarks = rows.iter().map(|row| entry(row)).collect();
    Ok((record, Catalog { schema: SCHEMA.to_owned(), benchmarks }))
}

fn entry(row: &Row) -> Entry {
    Entry {
        id: row.id.clone(),
        name: row.name.clone(),
        params: row.params.clone(),
        metric: row.metric.clone(),
        unit: row.unit.clone(),
        better: row.better,
    }
}

fn point(row: &Row) -> Point {
    let center = |side: &Option<bench_results::Measured>| {
        side.as_ref().and_then(|side| side.center).filter(|value| value.is_finite())
    };
    let (log_ratio, error) = estimate(row).unzip();
    Point {
        log_ratio,
        error,
        blocks: row.blocks_used,
        value: center(&row.head),
        reference: center(&row.base),
    }
}

/// The log ratio of the values and its standard error, `s / sqrt(n)`.
fn estimate(row: &Row) -> Option<(f64, f64)> {
    if row.pairing == Pairing::Identical {
        return Some((0.0, 0.0));
    }
    let change = row.change.filter(|change| change.kind == ChangeKind::Ratio)?;
    if row.pairing == Pairing::Exact {
        return Some((change.ratio.ln(), 0.0)).filter(|(ratio, _)| ratio.is_finite());
    }
    let counted = row.blocks.iter().filter(|block| block.counted);
    let d: Vec<f64> = counted.filter_map(|block| block.corrected.or(block.d)).collect();
    // Blocks say what is worse; the store says what is more.
    let sign = if row.better == Better::Lower { 1.0 } else { -1.0 };
    let error = robust_sd(&d)? / (d.len() as f64).sqrt();
    Some((sign * hodges_lehmann(&d)?, error))
}
