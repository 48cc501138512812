//! Results of a run whose code could have written anything, a fork's above all. Its samples are taken
//! as measured, because nothing here could tell otherwise; whatever follows from them is worked out
//! anew by settings of our own, and whatever cannot be worked out is counted as a claim.

mod limits;
mod strip;

pub use limits::Absurd;
pub use strip::stripped;

use crate::config::{BaseRule, Compare, Config, Rules};
use crate::judge;
use crate::matching::margins;
use crate::record;
use bench_harness::MetricPlan;
use bench_results::{
    ConfigInfo, Counts, Metric, Results, Row, RowRule, SideInfo, SideKind, ToolInfo, Verdict,
};
use std::collections::BTreeSet;

/// The reason of a row whose builds the run called identical.
pub const CLAIMED_IDENTICAL: &str = "the run called both builds identical and measured nothing";

/// The reason of a row that was not measured in randomised blocks.
pub const CLAIMED_UNPAIRED: &str = "not measured in randomised blocks, so it was not judged again";

/// What results are judged by, none of which is from the run itself.
#[derive(Clone, Copy, Debug)]
pub struct Ours<'a> {
    /// Flags, and the file of the default branch.
    pub config: &'a Config,
    /// This program.
    pub tool: &'a ToolInfo,
    /// The commit that the run was for, as GitHub tells it.
    pub head: &'a str,
    /// The commit that merges it into its base branch, where there is one.
    pub merge: Option<&'a str>,
}

/// What the run says of itself and nobody can check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// Rows that failed.
    pub failed: usize,
    /// Rows that were skipped.
    pub skipped: usize,
    /// Rows whose builds are identical.
    pub identical: usize,
    /// Rows that only head has.
    pub added: usize,
    /// Rows that only base has: they are missing on head.
    pub removed: usize,
    /// Rows that are shown and not judged.
    pub unjudged: usize,
    /// Whether it was measured by other settings of the decision than ours.
    pub has_other_settings: bool,
    /// The commit it says it measured, where that is not the one it was for.
    pub other_head: Option<String>,
}

/// Results, and what of them is but claimed.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// As they may be shown.
    pub results: Results,
    /// What could not be checked.
    pub claims: Claims,
}

/// Judges stripped results by settings of our own.
#[must_use]
pub fn judged(stripped: Results, ours: Ours<'_>) -> Judged {
    let mut results = stripped;
    let mut claims = Claims {
        has_other_settings: has_other_settings(&results, ours.config),
        other_head: other_head(&results, ours),
        ..Claims::default()
    };
    apply(&mut results, ours);
    judge::judge(&mut results);
    record::accept(&mut results.benchmarks, &ours.config.accepts);
    results.summary.counts = Counts::of(&results.benchmarks);
    count(&mut claims, &results.benchmarks);
    Judged { results, claims }
}

/// Puts our settings in the place of the run's.
fn apply(results: &mut Results, ours: Ours<'_>) {
    let was = &results.settings;
    results.settings = bench_results::Settings {
        max_blocks: was.max_blocks,
        repeat: was.repeat,
        ..record::settings(ours.config, was.time_budget_s)
    };
    results.tool = ours.tool.clone();
    results.config = ConfigInfo { digest: ours.config.digest() };
    let family = family(&results.benchmarks, results.plan.family_size);
    results.plan.family_size = family;
    for row in results.benchmarks.iter_mut().chain(&mut results.sentinel) {
        row.rule = rule(row, ours.config);
        row.family = family;
    }
    results.warnings.clone_from(&ours.config.warnings);
    if results.benchmarks.is_empty() && results.failure.is_none() {
        // The first warning of a run without rows is its headline.
        results.warnings.insert(0, "the contributor's run measured nothing".to_owned());
    }
}

/// K as the run registered it, as far as its rows bear it out: no smaller than the rows that share
/// the bound, and no larger than all there are. A smaller one would make alarms cheap, a larger one
/// would hide them.
fn family(rows: &[Row], claimed: u64) -> u64 {
    let is_exact = |row: &Row| row.labels.iter().any(|label| label == "exact");
    let shares = |row: &&Row| row.verdict == Some(Verdict::Inconclusive) && !is_exact(row);
    let least = rows.iter().filter(shares).count() as u64;
    claimed.clamp(least, rows.len() as u64).max(1)
}

/// The margins of a row by our settings: those of the suite of its name, or the run's.
fn rule(row: &Row, config: &Config) -> RowRule {
    let compare = &config.compare;
    let suite = config.suites.iter().find(|suite| suite.settings.name == row.suite);
    let rules = suite.map_or_else(|| plain(compare), |suite| suite.rules(&row.benchmark, compare));
    let metric = Metric { name: row.metric.clone(), unit: row.unit.clone(), better: row.better };
    margins(&MetricPlan { metric, gated: true, exact: false }, rules, compare)
}

/// The rules of a suite that the file does not name.
fn plain(compare: &Compare) -> Rules {
    Rules {
        schedule: compare.schedule,
        clock: compare.clock,
        threshold: compare.threshold,
        memory_threshold: compare.memory_threshold,
    }
}

/// Whether anything that the run decided by is not as we have it. When a regression fails the job is
/// no part of it.
fn has_other_settings(results: &Results, config: &Config) -> bool {
    let (theirs, ours) = (&results.settings, record::settings(config, 0.0));
    let pairs = [
        (theirs.alpha, ours.alpha),
        (theirs.alpha_unchanged, ours.alpha_unchanged),
        (theirs.threshold, ours.threshold),
        (theirs.tolerance, ours.tolerance),
        (theirs.threshold_absolute_ns, ours.threshold_absolute_ns),
    ];
    let differ = |(theirs, ours): (f64, f64)| theirs.total_cmp(&ours).is_ne();
    pairs.into_iter().any(differ)
        || results.benchmarks.iter().any(|row| {
            let ours = rule(row, config);
            differ((row.rule.threshold, ours.threshold))
                || differ((row.rule.tolerance, ours.tolerance))
                || differ((row.rule.absolute, ours.absolute))
        })
}

/// The commit that head is said to be of, where it is neither the pull request's nor, for a comparison
/// with the tip, the merge of both.
fn other_head(results: &Results, ours: Ours<'_>) -> Option<String> {
    let may_be_merge = ours.config.compare.base == BaseRule::Tip;
    let is_fine = |commit: &str| {
        commit == ours.head || (may_be_merge && ours.merge.is_some_and(|merge| merge == commit))
    };
    let mut heads = results.comparisons.iter().filter_map(|it| revision(results, &it.head));
    heads.find(|commit| !is_fine(commit)).map(str::to_owned)
}

/// The commits that base is said to be of, each once; of a run of ours it is one. That they are of the
/// branch that the pull request wants to change, GitHub alone can tell.
#[must_use]
pub fn claimed_bases(results: &Results) -> BTreeSet<String> {
    let bases = results.comparisons.iter().filter_map(|it| revision(results, &it.base));
    bases.map(str::to_owned).collect()
}

/// What a side is said to be of.
fn revision<'a>(results: &'a Results, side: &str) -> Option<&'a str> {
    let side: &SideInfo = results.sides.iter().find(|it| it.id == side)?;
    match (side.kind, &side.commit, side.dirty) {
        (SideKind::Built, Some(commit), false) => Some(commit),
        _ => Some("no commit"),
    }
}

fn count(claims: &mut Claims, rows: &[Row]) {
    for row in rows {
        let is_identical = row.reason.as_deref() == Some(CLAIMED_IDENTICAL);
        let counter = match row.verdict {
            Some(Verdict::Failed) => &mut claims.failed,
            Some(Verdict::Skipped) if is_identical => &mut claims.identical,
            Some(Verdict::Skipped) => &mut claims.skipped,
            Some(Verdict::Added) => &mut claims.added,
            Some(Verdict::Removed) => &mut claims.removed,
            None => &mut claims.unjudged,
            Some(_) => continue,
        };
        *counter += 1;
    }
}
