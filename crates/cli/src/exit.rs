//! The exit code: one documented enum, and the one place that turns results into it.

use bench_core::config::FailOn;
use bench_results::{Change, ChangeKind, Pairing, Results, Row, SideName, Verdict};
use std::collections::BTreeSet;

/// Shown at the end of `bench-action --help`; a test holds it against [`Exit`].
pub(crate) const HELP: &str = "\
Exit codes:
    0  done, and nothing happened that --fail-on names
    1  a defect of this program: please report it
    2  a mistake in the command line or the configuration, or a revision or path that is nowhere
   10  a benchmark regressed, and --fail-on names regression
   11  a benchmark is inconclusive, and --fail-on names inconclusive
   12  a benchmark failed on head though it ran on base, and --fail-on names failure
   13  the run or the machine is not to be trusted
   20  no suite or no match on head; or none of the benchmarks could be measured on both sides;
       or the results of a shard are missing
   21  a side could not be prepared: its build failed, or git could not reach what it needs
   22  GitHub refused or could not be reached
  130  interrupted by SIGINT; what was measured is written
  143  interrupted by SIGTERM; what was measured is written
Where several apply, the first of 20, 21, 13, 12, 10, 11.
With 2 nothing is written, and earlier results stay as they are, and so with 1 where it happens
before a run has begun; with every other code of `run` there is a results.json.";

/// What the process tells its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done, and nothing happened that `--fail-on` names.
    Done = 0,
    /// A defect of this program.
    Defect = 1,
    /// A mistake in the command line or the configuration.
    Usage = 2,
    /// A benchmark regressed.
    Regressed = 10,
    /// A benchmark is inconclusive.
    Inconclusive = 11,
    /// A benchmark failed on head though it ran on base.
    Failed = 12,
    /// The run or the machine is not to be trusted.
    Untrustworthy = 13,
    /// Nothing on head, or nothing of what both sides have could be measured.
    NothingMeasured = 20,
    /// A side could not be prepared.
    NotPrepared = 21,
    /// GitHub refused or could not be reached.
    GitHub = 22,
    /// SIGINT.
    Interrupted = 130,
    /// SIGTERM.
    Terminated = 143,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The reason of a row that got too few blocks for any verdict.
const SCREENED: &str = "screened";

impl Exit {
    /// The exit code of a run that ended by itself. A run that had nothing to compare on purpose
    /// (an irrelevant diff) does not ask: it is [`Exit::Done`].
    pub(crate) fn of_results(results: &Results, fail_on: &BTreeSet<FailOn>) -> Self {
        let rows = &results.benchmarks;
        let wants = |cause| fail_on.contains(&cause);
        let fail_threshold = results.settings.fail_threshold;
        if has_nothing_measured(results) {
            Self::NothingMeasured
        } else if results.failure.is_some() {
            Self::NotPrepared
        } else if !results.trust.ok {
            Self::Untrustworthy
        } else if wants(FailOn::Failure) && rows.iter().any(failed_on_head) {
            Self::Failed
        } else if wants(FailOn::Regression)
            && rows.iter().any(|row| fails_as_regressed(row, fail_threshold))
        {
            Self::Regressed
        } else if wants(FailOn::Inconclusive) && rows.iter().any(fails_as_inconclusive) {
            Self::Inconclusive
        } else {
            Self::Done
        }
    }
}

/// Whether head has no benchmark, or none that base has was measured, or a part is missing. A side
/// that could not be prepared shows no benchmarks: that alone says nothing about the suite.
fn has_nothing_measured(results: &Results) -> bool {
    let rows = &results.benchmarks;
    if results.shard.as_ref().is_some_and(|shard| !shard.missing.is_empty()) {
        return true;
    }
    let mut matched = rows.iter().filter(|row| is_on_both_sides(row)).peekable();
    if matched.peek().is_some() {
        return !matched.any(was_measured);
    }
    let is_only = |verdict| rows.iter().all(|row| row.verdict == Some(verdict));
    // What a suite is without is told by the merge: no shard sees enough of it.
    let is_a_part = results.shard.as_ref().is_some_and(|shard| shard.index > 0);
    let nothing_in_common = match is_a_part {
        true => results.plan.found == 0,
        false => is_only(Verdict::Removed) || !is_only(Verdict::Added),
    };
    nothing_in_common && results.failure.is_none()
}

fn is_on_both_sides(row: &Row) -> bool {
    !matches!(row.verdict, Some(Verdict::Added | Verdict::Removed))
}

fn was_measured(row: &Row) -> bool {
    match row.verdict {
        Some(Verdict::Regressed | Verdict::Improved | Verdict::Unchanged) => true,
        Some(Verdict::Inconclusive) | None => {
            row.blocks_used > 0 || row.pairing != Pairing::Paired && row.change.is_some()
        }
        Some(Verdict::Added | Verdict::Removed | Verdict::Failed | Verdict::Skipped) => false,
    }
}

/// A row that failed on both sides, or on base, is no fault of head.
fn failed_on_head(row: &Row) -> bool {
    let side = row.failure.as_ref().and_then(|failure| failure.side);
    row.verdict == Some(Verdict::Failed) && side == Some(SideName::Head)
}

fn fails_as_regressed(row: &Row, fail_threshold: f64) -> bool {
    row.verdict == Some(Verdict::Regressed)
        && !row.is_accepted()
        && row.change.as_ref().is_none_or(|change| reaches(change, row, fail_threshold))
}

/// Whether the estimate is as large as the fail threshold. Ratios are compared on the log scale, as
/// verdicts are (statistics, section 4.4); a difference is taken relative to base, and reaches any
/// threshold where base is zero or unknown.
fn reaches(change: &Change, row: &Row, fail_threshold: f64) -> bool {
    match change.kind {
        ChangeKind::Ratio => change.ratio.ln().abs() >= fail_threshold.ln_1p(),
        ChangeKind::Difference => {
            let base = row.base.as_ref().and_then(|measured| measured.center).unwrap_or(0.0);
            change.ratio.abs() >= fail_threshold * base.abs()
        }
    }
}

fn fails_as_inconclusive(row: &Row) -> bool {
    row.verdict == Some(Verdict::Inconclusive) && row.reason.as_deref() != Some(SCREENED)
}

#[cfg(test)]
pub(crate) mod tests;
