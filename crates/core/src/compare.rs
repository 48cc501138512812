//! Judges results files that exist already.
//!
//! One file twice is judged again as it stands, with the settings given. Two files of different
//! runs are compared launch by launch, base of the first with head of the second: their circumstances
//! may have differed, so the verdicts are only regressed, improved or inconclusive, never unchanged,
//! and say "not randomised".

use crate::absent::{flags, no_match};
use crate::config::{Compare, Pattern};
use crate::judge;
use crate::outputs::NO_SAMPLES;
use bench_results::{
    Better, Change, ChangeKind, Measured, Noise, Pairing, Results, Row, Schedule, Settings,
    SideInfo, SideName, Stage, Verdict,
};
use bench_stats::{Shift, median, robust_sd, shift};
use std::collections::{BTreeMap, BTreeSet};

/// Confidence of an unpaired interval.
const CONFIDENCE: f64 = 0.95;

/// Begins the reason of a row whose sides measure different things.
const OTHER_KIND: &str = "not comparable";

/// Most launches of a side that are looked at: every pair of them is. More add nothing that shows.
const MOST_LAUNCHES: usize = 1000;

/// The label of every unpaired verdict.
pub const NOT_RANDOMISED: &str = "not randomised";

/// Settings of the decision that may be changed afterwards. K never is.
fn settings(compare: &Compare, stored: &Settings) -> Settings {
    Settings {
        alpha: compare.alpha,
        threshold: compare.threshold,
        tolerance: compare.tolerance,
        fail_threshold: compare.fail_threshold,
        ..stored.clone()
    }
}

/// The same file judged again.
#[must_use]
pub fn again(results: &Results, compare: &Compare, filters: &[Pattern]) -> Results {
    let mut results = results.clone();
    let settings = settings(compare, &results.settings);
    let (was, is) = (results.settings.threshold, settings.threshold);
    for row in results.benchmarks.iter_mut().chain(&mut results.sentinel) {
        // A row with a threshold of its own keeps it.
        if row.rule.threshold.total_cmp(&was).is_eq() {
            row.rule.threshold = is;
        }
        row.rule.tolerance = settings.tolerance;
    }
    results.settings = settings;
    results.warnings.push("the two files are of one run: this is its own report again".to_owned());
    keep(&mut results, filters);
    judge::judge(&mut results);
    results
}

/// Base of the first file against head of the second.
#[must_use]
pub fn apart(base: &Results, head: &Results, compare: &Compare, filters: &[Pattern]) -> Results {
    let mut results = head.clone();
    results.settings = settings(compare, &head.settings);
    results.sentinel.clear();
    results.samples_file = None;
    results.sides = head.sides.iter().map(|side| side_of(side, base, head)).collect();
    results.machines = base.machines.iter().chain(&head.machines).cloned().collect();
    results.machines.dedup_by(|a, b| a.id == b.id);
    results.benchmarks = rows(base, head);
    results.warnings = vec![
        "the two files are of different runs: what differs may be the machine's state and not the code".to_owned(),
    ];
    if results.machines.len() > 1 {
        results.warnings.push("the two files are of different machines".to_owned());
    }
    keep(&mut results, filters);
    let family =
        results.benchmarks.iter().filter(|row| row.verdict == Some(Verdict::Inconclusive)).count()
            as u64;
    results.plan.family_size = family;
    let level = compare.alpha / family.max(1) as f64;
    for row in &mut results.benchmarks {
        row.family = family;
        if row.pairing == Pairing::Unpaired && row.verdict == Some(Verdict::Inconclusive) {
            judge_apart(row, compare, level);
        }
    }
    judge::judge(&mut results);
    results
}

/// Where it is a base, the base of the first file in its place.
fn side_of(side: &SideInfo, base: &Results, head: &Results) -> SideInfo {
    let is_base = |results: &Results, id: &str| results.comparisons.iter().any(|c| c.base == id);
    if !is_base(head, &side.id) {
        return side.clone();
    }
    let same = base.sides.iter().find(|other| other.id == side.id);
    let first = || base.sides.iter().find(|other| is_base(base, &other.id));
    let found = same.or_else(first).unwrap_or(side);
    SideInfo { id: side.id.clone(), ..found.clone() }
}

/// Keeps what the filters match; where that is nothing, the first warning says so.
fn keep(results: &mut Results, filters: &[Pattern]) {
    let wanted =
        |row: &Row| filters.is_empty() || filters.iter().any(|filter| filter.is_match(&row.id));
    let ids: Vec<String> = results.benchmarks.iter().map(|row| row.id.clone()).collect();
    results.benchmarks.retain(wanted);
    if results.benchmarks.is_empty() && !ids.is_empty() {
        let filters: Vec<String> = flags(filters).collect();
        results.warnings.insert(0, no_match(&filters, &ids));
    }
}

fn rows(base: &Results, head: &Results) -> Vec<Row> {
    let key = |row: &Row| (row.id.clone(), row.comparison.clone());
    let on_base: BTreeMap<_, _> = base.benchmarks.iter().map(|row| (key(row), row)).collect();
    let on_head: BTreeSet<_> = head.benchmarks.iter().map(|row| row.id.as_str()).collect();
    let mut rows: Vec<Row> =
        head.benchmarks.iter().map(|row| join(on_base.get(&key(row)).copied(), row)).collect();
    let gone = base.benchmarks.iter().filter(|row| !on_head.contains(row.id.as_str()));
    rows.extend(gone.map(|row| Row {
        verdict: Some(Verdict::Removed),
        blocks: Vec::new(),
        failure: None,
        head: None,
        ..row.clone()
    }));
    rows
}

fn join(base: Option<&Row>, head: &Row) -> Row {
    let mut row = Row {
        blocks: Vec::new(),
        log_e: None,
        decided_at: None,
        change: None,
        noise: None,
        ..head.clone()
    };
    let Some(base) = base else {
        if !is_lost(head) {
            row.verdict = Some(Verdict::Added);
        }
        row.base = None;
        return row;
    };
    if (&base.metric, &base.unit, base.better) != (&head.metric, &head.unit, head.better) {
        return of_another_kind(base, row);
    }
    if is_lost(head) || is_lost(base) {
        return lost(base, row);
    }
    let (Some(from_base), Some(from_head)) = (&base.base, &head.head) else { return row };
    let samples =
        |side: &Measured| side.samples.iter().filter(|sample| sample.value.is_some()).count();
    let fewest = samples(from_base).min(samples(from_head));
    row.blocks_used = u32::try_from(fewest).unwrap_or(u32::MAX);
    row.pairing = Pairing::Unpaired;
    row.schedule = Some(Schedule::Sequential);
    row.verdict = row.verdict.map(|_| Verdict::Inconclusive);
    row.reason = None;
    row.labels.retain(|label| label == NO_SAMPLES);
    row.labels.push(NOT_RANDOMISED.to_owned());
    row.stage = Stage::Measured;
    (row.base, row.head) = (Some(from_base.clone()), Some(from_head.clone()));
    row
}

/// One name, two things: a suite that has changed its unit, or what stands for the benchmark.
fn of_another_kind(base: &Row, mut row: Row) -> Row {
    row.verdict = row.verdict.map(|_| Verdict::Inconclusive);
    row.reason = Some(format!(
        "{OTHER_KIND}: base has {} in {}, head has {} in {}",
        base.metric, base.unit, row.metric, row.unit
    ));
    row.base = None;
    row
}

fn is_lost(row: &Row) -> bool {
    matches!(row.verdict, Some(Verdict::Failed | Verdict::Skipped))
}

/// A row that one of the files has no value of: head's standing counts, else base's.
fn lost(base: &Row, mut row: Row) -> Row {
    let side = if is_lost(&row) { SideName::Head } else { SideName::Base };
    if side == SideName::Base {
        (row.verdict, row.reason) = (base.verdict, base.reason.clone());
        row.failure.clone_from(&base.failure);
    }
    if let Some(failure) = &mut row.failure {
        failure.side = failure.side.or(Some(side));
    }
    (row.base, row.head) = (base.base.clone(), row.head.take());
    row
}

fn judge_apart(row: &mut Row, compare: &Compare, level: f64) {
    if row.reason.as_ref().is_some_and(|reason| reason.starts_with(OTHER_KIND)) {
        return;
    }
    let (base, head) = (values(&row.base), values(&row.head));
    // A ratio needs values above zero; counts and differences may have others.
    let is_ratio = base.iter().chain(&head).all(|value| *value > 0.0);
    let scaled = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|value| if is_ratio { value.ln() } else { *value }).collect()
    };
    let Some(found) = shift(&scaled(&base), &scaled(&head), CONFIDENCE) else {
        row.reason = Some("no values: nothing can be judged".to_owned());
        return;
    };
    row.change = Some(change(&found, is_ratio));
    row.noise =
        is_ratio.then(|| robust_sd(&scaled(&base))).flatten().map(|sd| Noise { sd, floor: None });
    let (needed, there) = (needed(level), (base.len(), head.len()));
    if there.0.min(there.1) < needed {
        row.reason = Some(format!(
            "{needed} launches of each side are needed for a verdict, there are {} and {}",
            there.0, there.1
        ));
        return;
    }
    let least = match is_ratio {
        true => compare.threshold.ln_1p(),
        false => compare.threshold * median(&base).unwrap_or(0.0).abs(),
    };
    let significant = found.p <= level && found.estimate.abs() >= least && found.estimate != 0.0;
    let worse = match row.better {
        Better::Lower => found.estimate > 0.0,
        Better::Higher => found.estimate < 0.0,
    };
    row.verdict = Some(match (significant, worse) {
        (true, true) => Verdict::Regressed,
        (true, false) => Verdict::Improved,
        (false, _) => Verdict::Inconclusive,
    });
}

/// One value per launch; of very many, evenly spread ones.
fn values(side: &Option<Measured>) -> Vec<f64> {
    let samples = side.iter().flat_map(|side| &side.samples);
    let all: Vec<f64> =
        samples.filter_map(|sample| sample.value).filter(|value| value.is_finite()).collect();
    let step = all.len().div_ceil(MOST_LAUNCHES).max(1);
    all.into_iter().step_by(step).collect()
}

/// Launches of each side without which no p can be as small as the level: 2 / C(2n, n).
fn needed(level: f64) -> usize {
    let mut smallest = 2.0;
    let mut n = 0;
    while smallest > level && n < 1000 {
        n += 1;
        smallest *= n as f64 / (2.0 * (2.0 * n as f64 - 1.0));
    }
    n
}

fn change(found: &Shift, is_ratio: bool) -> Change {
    let shown = |value: f64| if is_ratio { value.exp() } else { value };
    Change {
        kind: if is_ratio { ChangeKind::Ratio } else { ChangeKind::Difference },
        ratio: shown(found.estimate),
        low: found.low.map(shown),
        high: found.high.map(shown),
        confidence: CONFIDENCE,
        detectable: None,
    }
}

#[cfg(test)]
mod tests {
    use super::needed;

    #[test]
    fn the_launches_needed_follow_from_the_smallest_p() {
        // 2 / C(8, 4) = .029, 2 / C(10, 5) = .0079, 2 / C(14, 7) = .00058, 2 / C(16, 8) = .00016.
        assert_eq!(needed(0.05), 4);
        assert_eq!(needed(0.01), 5);
        assert_eq!(needed(0.0005), 8);
    }
}
