//! The whole in one word and in counts, as it follows from the rows.

use crate::{Counts, Results, Row, Summary, Verdict, WholeVerdict};

/// The label of a regression that an `[[accept]]` entry covers.
pub const ACCEPTED: &str = "accepted";

impl Row {
    /// Whether an `[[accept]]` entry covers it.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.labels.iter().any(|label| label == ACCEPTED)
    }
}

impl Counts {
    /// Rows by verdict.
    #[must_use]
    pub fn of(rows: &[Row]) -> Self {
        let number = |wanted: &dyn Fn(&Row) -> bool| {
            let count = rows.iter().filter(|row| wanted(row)).count();
            u32::try_from(count).unwrap_or(u32::MAX)
        };
        let count = |verdict| number(&|row| row.verdict == Some(verdict));
        Self {
            regressed: count(Verdict::Regressed),
            improved: count(Verdict::Improved),
            unchanged: count(Verdict::Unchanged),
            inconclusive: count(Verdict::Inconclusive),
            added: count(Verdict::Added),
            removed: count(Verdict::Removed),
            failed: count(Verdict::Failed),
            skipped: count(Verdict::Skipped),
            accepted: number(&|row| row.verdict == Some(Verdict::Regressed) && row.is_accepted()),
        }
    }
}

impl Summary {
    /// What rows, trust, failure and missing shards come to; the times stay.
    #[must_use]
    pub fn of(results: &Results) -> Self {
        let counts = Counts::of(&results.benchmarks);
        let is_missing = results.shard.as_ref().is_some_and(|shard| !shard.missing.is_empty());
        let verdict = if !results.trust.ok {
            WholeVerdict::Untrustworthy
        } else if results.failure.is_some() || is_missing || counts.failed > 0 {
            WholeVerdict::Failed
        } else if counts.regressed > 0 {
            WholeVerdict::Regressed
        } else if counts.inconclusive > 0 {
            WholeVerdict::Inconclusive
        } else if counts.improved > 0 {
            WholeVerdict::Improved
        } else if counts.unchanged > 0 {
            WholeVerdict::Unchanged
        } else {
            WholeVerdict::Empty
        };
        Self { verdict, counts, time: results.summary.time }
    }
}
