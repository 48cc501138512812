//! What a results file must hold before anything is said of it in public. A file may have been changed
//! by hand or by another program: numbers that no run writes would make sentences that are not true.

use crate::{
    Change, ChangeKind, Counts, Measured, Pairing, ReadError, Results, Row, SideInfo, SideKind,
    Summary, Verdict, is_commit, is_revision, read_path,
};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;

/// Largest number of nanoseconds, thirty years, and of bytes.
const LARGEST: f64 = 1e18;

/// Largest number in another unit.
const LARGEST_OF_ALL: f64 = 1e100;

/// Largest ratio of two medians, and one over the smallest.
const LARGEST_RATIO: f64 = 1e100;

/// Most characters of a text from the file in a message.
const SHOWN: usize = 100;

/// The reason of a row that is unchanged although its interval says otherwise, because
/// `threshold-absolute` covers it; the words are part of the file format.
const BELOW_ABSOLUTE: &str = "below the absolute threshold";

/// Reads a file from disk that is to be reported: [`read_path`], and then [`sound`].
///
/// # Errors
/// See [`ReadError`].
pub fn read_sound(path: &Path) -> Result<Results, ReadError> {
    let results = read_path(path)?;
    sound(&results, &path.display().to_string())?;
    Ok(results)
}

/// Fails on the first value that no run writes; `place` names the file.
///
/// # Errors
/// [`ReadError::Unsound`] with the row, the field and what is allowed.
pub fn sound(results: &Results, place: &str) -> Result<(), ReadError> {
    whole(results).map_err(|Odd { at, found, allowed }| ReadError::Unsound {
        place: place.to_owned(),
        at,
        found,
        allowed,
    })
}

/// A value that no run writes.
struct Odd {
    at: String,
    found: String,
    allowed: String,
}

fn odd(at: impl Into<String>, found: &dyn Display, allowed: impl Into<String>) -> Odd {
    let found = found.to_string().escape_debug().take(SHOWN).collect();
    Odd { at: at.into(), found, allowed: allowed.into() }
}

fn whole(results: &Results) -> Result<(), Odd> {
    settings(results)?;
    results.sides.iter().enumerate().try_for_each(|(at, side)| commit(at, side))?;
    let gated = results.benchmarks.iter().filter(|row| is_gated(row)).count() as u64;
    family("plan.family_size", results.plan.family_size, gated)?;
    let sentinel = results.sentinel.iter().map(|row| ("sentinel", row));
    for (list, row) in results.benchmarks.iter().map(|row| ("row", row)).chain(sentinel) {
        let id: String = row.id.escape_debug().take(SHOWN).collect();
        let name = format!("{list} `{id}`: ");
        check_row(row).map_err(|odd| Odd { at: name.clone() + &odd.at, ..odd })?;
        if list == "row" && is_gated(row) {
            family(&format!("{name}family"), row.family, gated)?;
        }
    }
    summary(results)
}

fn settings(results: &Results) -> Result<(), Odd> {
    let settings = &results.settings;
    for (name, value) in [
        ("alpha", settings.alpha),
        ("alpha_unchanged", settings.alpha_unchanged),
        ("threshold", settings.threshold),
    ] {
        fraction(&format!("settings.{name}"), value, true)?;
    }
    fraction("settings.tolerance", settings.tolerance, false)?;
    fraction("settings.fail_threshold", settings.fail_threshold, false)?;
    for (name, value) in [
        ("settings.threshold_absolute_ns", settings.threshold_absolute_ns),
        ("settings.time_budget_s", settings.time_budget_s),
        ("summary.time.prepare_s", results.summary.time.prepare_s),
        ("summary.time.measure_s", results.summary.time.measure_s),
        ("summary.time.sliced_s", results.summary.time.sliced_s),
    ] {
        within(name, value, 0.0..=LARGEST)?;
    }
    Ok(())
}

/// Of a commit is what it is reported for, by its whole name. A build that was there before says what
/// it is made of in its own words, which may be shorter.
fn commit(at: usize, side: &SideInfo) -> Result<(), Odd> {
    let Some(commit) = &side.commit else { return Ok(()) };
    let (is_fine, allowed) = match side.kind {
        SideKind::Existing | SideKind::File => {
            (is_revision(commit), "7 to 64 lower-case hexadecimal digits")
        }
        _ => (is_commit(commit), "40 or 64 lower-case hexadecimal digits"),
    };
    if is_fine { Ok(()) } else { Err(odd(format!("sides[{at}].commit"), commit, allowed)) }
}

/// Whether a row's verdict rests on its share of alpha.
fn is_gated(row: &Row) -> bool {
    let is_judged = matches!(
        row.verdict,
        Some(Verdict::Regressed | Verdict::Improved | Verdict::Unchanged | Verdict::Inconclusive)
    );
    let is_exact = row.pairing == Pairing::Exact || row.labels.iter().any(|it| it == "exact");
    is_judged && !is_exact && row.pairing != Pairing::Identical
}

/// A smaller K would make alarms cheap.
fn family(at: &str, found: u64, gated: u64) -> Result<(), Odd> {
    if found >= gated {
        return Ok(());
    }
    Err(odd(at, &found, format!("at least {gated}, the number of rows that are judged")))
}

fn check_row(row: &Row) -> Result<(), Odd> {
    fraction("rule.threshold", row.rule.threshold, true)?;
    fraction("rule.tolerance", row.rule.tolerance, false)?;
    let most = if matches!(row.unit.as_str(), "ns" | "bytes") { LARGEST } else { LARGEST_OF_ALL };
    let least = if matches!(row.unit.as_str(), "ns" | "bytes") { 0.0 } else { -most };
    within("rule.absolute", row.rule.absolute, 0.0..=most)?;
    within("cost_s", row.cost_s, 0.0..=LARGEST)?;
    for (name, side) in [("base", &row.base), ("head", &row.head)] {
        if let Some(side) = side {
            check_side(name, side, least..=most)?;
        }
    }
    if let Some(noise) = row.noise {
        within("noise.sd", noise.sd, 0.0..=LARGEST)?;
        optional("noise.floor", noise.floor, 0.0..=LARGEST)?;
    }
    row.change.map_or(Ok(()), |change| check_change(row, &change, most))
}

fn check_side(name: &str, side: &Measured, range: RangeInclusive<f64>) -> Result<(), Odd> {
    optional(&format!("{name}.center"), side.center, range.clone())?;
    optional(&format!("{name}.wall"), side.wall, 0.0..=LARGEST)?;
    let mut values = side.samples.iter().enumerate();
    values.try_for_each(|(at, sample)| {
        optional(&format!("{name}.samples[{at}].value"), sample.value, range.clone())
    })
}

fn check_change(row: &Row, change: &Change, most: f64) -> Result<(), Odd> {
    let range = match change.kind {
        ChangeKind::Ratio => 1.0 / LARGEST_RATIO..=LARGEST_RATIO,
        ChangeKind::Difference => -most..=most,
    };
    within("change.ratio", change.ratio, range.clone())?;
    // Nothing is below a ratio of zero, and hardly more than any large one above.
    let ends = match change.kind {
        ChangeKind::Ratio => 0.0..=f64::MAX,
        ChangeKind::Difference => range,
    };
    optional("change.low", change.low, ends.clone())?;
    optional("change.high", change.high, ends)?;
    within("change.confidence", change.confidence, 0.0..=1.0)?;
    optional("change.detectable", change.detectable, 0.0..=f64::MAX)?;
    let (low, high) =
        (change.low.unwrap_or(f64::NEG_INFINITY), change.high.unwrap_or(f64::INFINITY));
    if low > high {
        return Err(odd("change.low", &low, format!("at most change.high, {high}")));
    }
    match row.verdict.and_then(|verdict| Some((verdict, contradicted(row, verdict, change)?))) {
        Some((verdict, allowed)) => Err(odd("verdict", &verdict, allowed)),
        None => Ok(()),
    }
}

/// What is wrong with a verdict of which the whole interval says the opposite.
fn contradicted(row: &Row, verdict: Verdict, change: &Change) -> Option<String> {
    let equal = if change.kind == ChangeKind::Ratio { 1.0 } else { 0.0 };
    let is_more = change.low.is_some_and(|low| low > equal);
    let is_less = change.high.is_some_and(|high| high < equal);
    let (is_worse, is_better) = match row.better {
        crate::Better::Lower => (is_more, is_less),
        crate::Better::Higher => (is_less, is_more),
    };
    let is_wrong = match verdict {
        Verdict::Regressed => is_better,
        Verdict::Improved => is_worse,
        Verdict::Unchanged => is_beyond(row, change),
        _ => false,
    };
    let end = |end: Option<f64>| end.map_or("unbounded".to_owned(), |end| end.to_string());
    is_wrong.then(|| {
        let (low, high) = (end(change.low), end(change.high));
        format!("what the interval from {low} to {high} allows")
    })
}

/// Whether every change in the interval is larger than the threshold, and no floor covers it.
fn is_beyond(row: &Row, change: &Change) -> bool {
    let factor = 1.0 + row.rule.threshold;
    change.kind == ChangeKind::Ratio
        && row.reason.as_deref() != Some(BELOW_ABSOLUTE)
        && (change.low.is_some_and(|low| low > factor)
            || change.high.is_some_and(|high| high < 1.0 / factor))
}

/// The headline is of the rows that are there.
fn summary(results: &Results) -> Result<(), Odd> {
    let Summary { verdict, counts, .. } = Summary::of(results);
    let found = &results.summary;
    for ((name, found), (_, is)) in counted(&found.counts).into_iter().zip(counted(&counts)) {
        if found != is {
            let at = format!("summary.counts.{name}");
            return Err(odd(at, &found, format!("{is}, the number of such rows")));
        }
    }
    if found.verdict != verdict {
        let allowed = format!("{verdict}, which follows from the rows");
        return Err(odd("summary.verdict", &found.verdict, allowed));
    }
    Ok(())
}

fn counted(counts: &Counts) -> [(&'static str, u32); 9] {
    [
        ("regressed", counts.regressed),
        ("improved", counts.improved),
        ("unchanged", counts.unchanged),
        ("inconclusive", counts.inconclusive),
        ("added", counts.added),
        ("removed", counts.removed),
        ("failed", counts.failed),
        ("skipped", counts.skipped),
        ("accepted", counts.accepted),
    ]
}

/// A share of one, and below it; above nothing where it is `positive`.
fn fraction(at: &str, value: f64, positive: bool) -> Result<(), Odd> {
    let is_fine = (0.0..1.0).contains(&value) && !(positive && value <= 0.0);
    let least = if positive { "above 0" } else { "at least 0" };
    if is_fine { Ok(()) } else { Err(odd(at, &shown(value), format!("{least} and below 1"))) }
}

fn optional(at: &str, value: Option<f64>, range: RangeInclusive<f64>) -> Result<(), Odd> {
    value.map_or(Ok(()), |value| within(at, value, range))
}

fn within(at: &str, value: f64, range: RangeInclusive<f64>) -> Result<(), Odd> {
    if range.contains(&value) {
        return Ok(());
    }
    let (least, most) = (shown(*range.start()), shown(*range.end()));
    Err(odd(at, &shown(value), format!("from {least} to {most}")))
}

/// A number of any size in few digits.
fn shown(value: f64) -> String {
    let is_plain = value == 0.0 || (1e-4..1e9).contains(&value.abs());
    if is_plain { value.to_string() } else { format!("{value:e}") }
}
