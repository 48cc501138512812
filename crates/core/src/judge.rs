//! From evidence to verdicts. Judging a stored file again gives the same verdicts, exactly.

use crate::case;
use crate::seed::Seed;
use crate::track::{Bound, Finding, MIN_BLOCKS, Nature, Pair, Track};
use bench_harness::MetricPlan;
use bench_results::{
    Better, Change, ChangeKind, LogE, Measured, Metric, Noise, Pairing, Results, Row, Stage,
    Summary, Trust, Verdict,
};
use bench_stats::{Coin, Decision, Sentinel, median, noise_floor};
use std::collections::{BTreeMap, BTreeSet};

/// Reasons that a row may carry; the words are part of the file format.
pub mod reason {
    /// Never reached within the time budget.
    pub const TIME_BUDGET: &str = "time budget";
    /// One combination per function was planned, and this is not it.
    pub const BUDGET: &str = "budget";
    /// Fewer blocks than a verdict needs.
    pub const SCREENED: &str = "screened";
    /// Both sides got inputs that differ from run to run.
    pub const INPUTS_DIFFER: &str = "inputs differ";
    /// Too many blocks were lost; followed by the side that lost them.
    pub const FAILED_TOO_OFTEN: &str = "failed too often on";
    /// A signal came first.
    pub const INTERRUPTED: &str = "interrupted";
    /// The builds are the same in what matters.
    pub const IDENTICAL: &str = "identical-build";
    /// The sentinel alarmed.
    pub const UNTRUSTWORTHY: &str = "untrustworthy";
    /// Decided, but smaller than `threshold-absolute`.
    pub const BELOW_ABSOLUTE: &str = "below the absolute threshold";
    /// The sentinel has too few blocks.
    pub const NOT_DECIDED: &str = "not decided";

    /// Whether evidence, whatever it says, is not to be believed.
    #[must_use]
    pub fn forbids_verdict(reason: &str) -> bool {
        reason == INPUTS_DIFFER || reason.starts_with(FAILED_TOO_OFTEN)
    }
}

/// Judges every row, the sentinel, and the whole.
pub fn judge(results: &mut Results) {
    for row in &mut results.sentinel {
        judge_sentinel(row);
    }
    results.trust = trust(&results.sentinel, results.machines.len());
    let bound = Bound {
        alpha: results.settings.alpha,
        alpha_unchanged: results.settings.alpha_unchanged,
        family: results.plan.family_size,
    };
    // Merged results come from several machines, of which one may be at fault.
    let distrusted: BTreeSet<&str> =
        alarms(&results.sentinel).map(|row| row.machine.as_str()).collect();
    for row in &mut results.benchmarks {
        judge_row(row, bound);
        if row.pairing == Pairing::Paired && distrusted.contains(row.machine.as_str()) {
            distrust(row);
        }
    }
    results.summary = Summary::of(results);
}

fn distrust(row: &mut Row) {
    if let Some(verdict @ (Verdict::Regressed | Verdict::Improved | Verdict::Unchanged)) =
        &mut row.verdict
    {
        *verdict = Verdict::Inconclusive;
        row.reason = Some(reason::UNTRUSTWORTHY.to_owned());
    }
}

/// Fills in everything about a row that follows from its evidence.
pub fn judge_row(row: &mut Row, bound: Bound) {
    match (row.verdict, row.pairing) {
        (Some(Verdict::Added | Verdict::Removed | Verdict::Skipped | Verdict::Failed), _) => {
            return fill_centers(row);
        }
        (_, Pairing::Identical | Pairing::Unpaired) => return,
        _ => {}
    }
    let bound = Bound { family: row.family.max(1), ..bound };
    let attempt = if row.routing.as_ref().is_some_and(|r| r.demoted_at.is_some()) { 2 } else { 1 };
    let track = replay(row, Track::new(bound, row.rule, nature(row), row.better, attempt));
    describe(row, &track);
    let finding = track.finding();
    if let Some(finding) = finding {
        describe_finding(row, &track, finding);
    }
    if row.verdict.is_some() {
        row.verdict = Some(verdict(row, &track, finding));
    }
}

fn nature(row: &Row) -> Nature {
    let metric = Metric { name: row.metric.clone(), unit: row.unit.clone(), better: row.better };
    let exact = row.labels.iter().any(|label| label == "exact");
    case::nature(&MetricPlan { metric, gated: true, exact })
}

/// The evidence of a row, as it was when it was measured.
fn replay(row: &Row, mut track: Track) -> Track {
    let values = |side: &Option<Measured>| -> BTreeMap<u32, f64> {
        let samples = side.iter().flat_map(|side| &side.samples).rev();
        samples.filter_map(|sample| Some((sample.block, sample.value?))).collect()
    };
    let (base, head) = (values(&row.base), values(&row.head));
    for block in row.blocks.iter().filter(|block| block.counted) {
        let value = |side: &BTreeMap<u32, f64>| side.get(&block.index).copied();
        let pair = Pair { base: value(&base), head: value(&head), d: block.d };
        track.push(pair, block.coin);
    }
    track
}

/// Numbers that are shown whether or not anything is decided.
fn describe(row: &mut Row, track: &Track) {
    let sequence = track.sequence();
    let log_e = sequence.log_e();
    row.blocks_used = u32::try_from(track.blocks()).unwrap_or(u32::MAX);
    row.stage = if track.blocks() < MIN_BLOCKS { Stage::Screened } else { Stage::Measured };
    row.decided_at = sequence.decided_at().and_then(|at| u32::try_from(at).ok());
    row.log_e = Some(LogE {
        slower: log_e.slower,
        faster: log_e.faster,
        not_slower: log_e.not_slower,
        not_faster: log_e.not_faster,
    });
    let corrected = sequence.corrected().to_vec();
    let counted = row.blocks.iter_mut().filter(|block| block.counted && block.d.is_some());
    for (block, corrected) in counted.zip(corrected) {
        block.corrected = Some(corrected);
    }
    row.change = (!sequence.is_empty()).then(|| ratio_change(row.better, track));
    row.noise = sequence.spread().map(|sd| Noise { sd, floor: floor(row, track) });
    fill_centers(row);
}

fn fill_centers(row: &mut Row) {
    let counted: BTreeSet<u32> = row.blocks.iter().filter(|b| b.counted).map(|b| b.index).collect();
    for side in [&mut row.base, &mut row.head].into_iter().flatten() {
        let of = |sample: &&bench_results::Sample| counted.contains(&sample.block);
        let values: Vec<f64> =
            side.samples.iter().filter(of).filter_map(|sample| sample.value).collect();
        side.center = median(&values);
    }
}

/// The change as head/base: the log ratio is positive for worse, so more-is-better turns it round.
fn ratio_change(better: Better, track: &Track) -> Change {
    let interval = track.interval();
    let center = track.sequence().center();
    let (center, low, high) = match better {
        Better::Lower => (center, interval.low, interval.high),
        Better::Higher => (-center, interval.high.map(|x| -x), interval.low.map(|x| -x)),
    };
    Change {
        kind: ChangeKind::Ratio,
        ratio: center.exp(),
        low: low.map(f64::exp),
        high: high.map(f64::exp),
        confidence: interval.confidence,
        detectable: track.sequence().detectable().map(f64::exp_m1),
    }
}

/// The spread between consecutive launches of base alone, with signs of their own.
fn floor(row: &Row, track: &Track) -> Option<f64> {
    let signs = Seed::new("", "", &row.id).signs("floor", track.base_values().len() / 2);
    let signs: Vec<Coin> =
        signs.into_iter().map(|heads| if heads { Coin::Heads } else { Coin::Tails }).collect();
    noise_floor(track.base_values(), &signs)
}

fn describe_finding(row: &mut Row, track: &Track, finding: Finding) {
    let Finding::Exact { base, head, .. } = finding else { return };
    row.pairing = Pairing::Exact;
    row.decided_at = u32::try_from(track.blocks()).ok();
    row.stage = Stage::Measured;
    let (kind, change) = if base > 0.0 && head > 0.0 {
        (ChangeKind::Ratio, head / base)
    } else {
        (ChangeKind::Difference, head - base)
    };
    // Values near the ends of what a number can hold have no finite ratio, and a file holds no other.
    row.change = change.is_finite().then_some(Change {
        kind,
        ratio: change,
        low: Some(change),
        high: Some(change),
        confidence: 1.0,
        detectable: None,
    });
}

fn verdict(row: &mut Row, track: &Track, finding: Option<Finding>) -> Verdict {
    if row.reason.as_deref().is_some_and(reason::forbids_verdict) {
        return Verdict::Inconclusive;
    }
    let Some(finding) = finding else {
        if track.blocks() < MIN_BLOCKS && row.reason.is_none() {
            row.reason = Some(reason::SCREENED.to_owned());
        }
        return Verdict::Inconclusive;
    };
    // Why a regression is accepted is not for the evidence to say.
    if !(finding.decision() == Decision::Slower && row.is_accepted()) {
        row.reason = None;
    }
    match finding.decision() {
        Decision::Equal => Verdict::Unchanged,
        Decision::Slower | Decision::Faster if is_below_absolute(row) => {
            row.reason = Some(reason::BELOW_ABSOLUTE.to_owned());
            Verdict::Unchanged
        }
        Decision::Slower => Verdict::Regressed,
        Decision::Faster => Verdict::Improved,
    }
}

fn is_below_absolute(row: &Row) -> bool {
    let center = |side: &Option<Measured>| side.as_ref().and_then(|m| m.center);
    match (center(&row.base), center(&row.head)) {
        (Some(base), Some(head)) => (head - base).abs() < row.rule.absolute,
        _ => false,
    }
}

fn judge_sentinel(row: &mut Row) {
    let track = replay(row, Track::sentinel(row.rule));
    describe(row, &track);
    let (verdict, words) = match bench_stats::sentinel(track.sequence()) {
        Sentinel::NotDecided => (Verdict::Inconclusive, Some(reason::NOT_DECIDED)),
        Sentinel::Quiet => (Verdict::Unchanged, None),
        Sentinel::Alarm if track.sequence().center() > 0.0 => (Verdict::Regressed, None),
        Sentinel::Alarm => (Verdict::Improved, None),
    };
    row.verdict = Some(verdict);
    row.reason = words.map(str::to_owned);
}

/// Sentinels that saw a change where there is none.
fn alarms(sentinel: &[Row]) -> impl Iterator<Item = &Row> {
    sentinel
        .iter()
        .filter(|row| matches!(row.verdict, Some(Verdict::Regressed | Verdict::Improved)))
}

fn trust(sentinel: &[Row], machines: usize) -> Trust {
    if let Some(row) = alarms(sentinel).next() {
        let what = match machines {
            0 | 1 => "nothing this run found".to_owned(),
            _ => format!("nothing found on machine {}", row.machine),
        };
        let reason =
            format!("base differs from itself on {}: {what} can be believed", row.benchmark);
        return Trust { ok: false, reason: Some(reason) };
    }
    let decided = sentinel.iter().any(|row| row.verdict == Some(Verdict::Unchanged));
    Trust { ok: true, reason: (!decided).then(|| reason::NOT_DECIDED.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_inputs_and_failures_withdraw_what_the_evidence_says() {
        assert!(reason::forbids_verdict(reason::INPUTS_DIFFER));
        assert!(reason::forbids_verdict("failed too often on head"));
        assert!(!reason::forbids_verdict(reason::TIME_BUDGET));
        assert!(!reason::forbids_verdict(reason::SCREENED));
    }

    #[test]
    fn a_run_without_a_sentinel_is_trusted_and_says_that_it_was_not_checked() {
        let trust = trust(&[], 1);
        assert_eq!((trust.ok, trust.reason.as_deref()), (true, Some(reason::NOT_DECIDED)));
    }
}
