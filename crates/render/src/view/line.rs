//! One row in words: its sign, name, values, change, interval and notes.

use crate::{
    bar::{self, Interval},
    number::{self, ChangeText},
    text::Text,
};
use bench_results::{Better, Change, ChangeKind, Clock, Pairing, Results, Row, SideName, Verdict};
use std::collections::HashSet;

/// Wall time is told beside CPU time from this ratio on.
const WALL_DIFFERS: f64 = 1.25;

/// A row, ready to be printed.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) mark: Mark,
    /// Its name; where there are several comparisons, without that of its own.
    pub(crate) name: String,
    /// Its comparison, where there are several.
    pub(crate) place: Option<String>,
    /// Base's value; empty where it has none.
    pub(crate) before: String,
    /// Head's value; empty where it has none.
    pub(crate) after: String,
    pub(crate) change: Option<ChangeText>,
    /// Ratios to draw; none for differences, and where both ends are unknown.
    pub(crate) interval: Option<Interval>,
    /// Blocks that count as evidence.
    pub(crate) blocks: u32,
    /// The smallest change that could have been seen: `≥ 6 %`, or why that is not told.
    pub(crate) could_see: String,
    /// Labels, reasons and other things to know.
    pub(crate) notes: Vec<Text>,
    /// How large the change is, for sorting.
    pub(crate) magnitude: f64,
}

impl Line {
    /// Its name, with the comparison where there are several.
    pub(crate) fn full_name(&self) -> String {
        with_place(&self.name, self.place.as_deref())
    }

    /// The interval as a text bar; empty where there is none.
    pub(crate) fn bar(&self) -> String {
        self.interval.map(bar::draw).unwrap_or_default()
    }
}

/// A sign and its word. The sign shows where the number went, the word whether that is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mark {
    pub(crate) sign: &'static str,
    pub(crate) word: &'static str,
    pub(crate) kind: Kind,
}

/// What a mark means, for colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Worse,
    Accepted,
    Better,
    Same,
    Open,
    Failed,
    Other,
}

impl Kind {
    /// The word for style sheets.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Accepted => "accepted",
            Self::Better => "better",
            Self::Same => "same",
            Self::Open => "open",
            Self::Failed => "failed",
            Self::Other => "other",
        }
    }
}

impl Mark {
    /// The mark of a row.
    pub(crate) fn of(row: &Row) -> Self {
        let mark = |sign, word, kind| Self { sign, word, kind };
        match row.verdict {
            Some(Verdict::Regressed) if is_accepted(row) => {
                mark(direction(row), worse(row), Kind::Accepted)
            }
            Some(Verdict::Regressed) => mark(direction(row), worse(row), Kind::Worse),
            Some(Verdict::Improved) => mark(direction(row), better(row), Kind::Better),
            Some(Verdict::Unchanged) => mark("=", "unchanged", Kind::Same),
            Some(Verdict::Inconclusive) => mark("?", "undecided", Kind::Open),
            Some(Verdict::Added) => mark("+", "added", Kind::Other),
            Some(Verdict::Removed) => mark("−", "removed", Kind::Other),
            Some(Verdict::Failed) => mark("✗", "failed", Kind::Failed),
            Some(Verdict::Skipped) => mark("–", "skipped", Kind::Other),
            None => mark("·", "shown, not judged", Kind::Other),
        }
    }
}

/// Whether a regression is known and wanted.
pub(crate) fn is_accepted(row: &Row) -> bool {
    row.labels.iter().any(|label| label == "accepted")
}

/// Where the number went.
fn direction(row: &Row) -> &'static str {
    let grew = match row.change {
        Some(Change { kind: ChangeKind::Ratio, ratio, .. }) => ratio >= 1.0,
        Some(Change { kind: ChangeKind::Difference, ratio, .. }) => ratio >= 0.0,
        None => (row.verdict == Some(Verdict::Regressed)) == (row.better == Better::Lower),
    };
    if grew { "▲" } else { "▼" }
}

fn worse(row: &Row) -> &'static str {
    match (row.better, row.unit.as_str()) {
        (Better::Lower, "ns" | "us" | "ms" | "s" | "seconds") => "slower",
        (Better::Lower, "bytes") => "larger",
        _ => "worse",
    }
}

fn better(row: &Row) -> &'static str {
    match worse(row) {
        "slower" => "faster",
        "larger" => "smaller",
        _ => "better",
    }
}

/// What it means when the value of a row falls and when it grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Directions {
    pub(crate) less: &'static str,
    pub(crate) more: &'static str,
}

impl Directions {
    /// Those of the row's metric.
    pub(crate) fn of(row: &Row) -> Self {
        match row.better {
            Better::Lower => Self { less: better(row), more: worse(row) },
            Better::Higher => Self { less: worse(row), more: better(row) },
        }
    }
}

/// `name · openblas`.
fn with_place(name: &str, place: Option<&str>) -> String {
    place.map_or_else(|| name.to_owned(), |place| format!("{name} · {place}"))
}

/// What rows are called where the reader knows what all of them have in common.
pub(crate) struct Names {
    one_suite: bool,
    one_comparison: bool,
}

impl Names {
    pub(crate) fn new(results: &Results) -> Self {
        let suites: HashSet<&str> = results.benchmarks.iter().map(|r| r.suite.as_str()).collect();
        Self { one_suite: suites.len() <= 1, one_comparison: results.comparisons.len() <= 1 }
    }

    /// The row's id, without its suite where there is but one, with its comparison where there
    /// are several.
    pub(crate) fn full(&self, row: &Row) -> String {
        with_place(&self.bare(row), self.place(row).as_deref())
    }

    /// The same without its comparison.
    pub(crate) fn bare(&self, row: &Row) -> String {
        let mut name = row.id.as_str();
        if self.one_suite {
            name = name.strip_prefix(row.suite.as_str()).unwrap_or(name);
            name = name.strip_prefix('/').unwrap_or(name);
        }
        name.to_owned()
    }

    /// The same without parameters, with its comparison.
    pub(crate) fn unparametrized(&self, row: &Row) -> String {
        let suite = if self.one_suite { String::new() } else { format!("{}/", row.suite) };
        let metric = row.id.strip_prefix(row.benchmark.as_str()).unwrap_or_default();
        with_place(&format!("{suite}{}{metric}", row.name), self.place(row).as_deref())
    }

    /// The row's comparison, where there are several.
    pub(crate) fn place(&self, row: &Row) -> Option<String> {
        (!self.one_comparison).then(|| row.comparison.clone())
    }

    /// The row in words.
    pub(crate) fn line(&self, row: &Row) -> Line {
        self.line_called(row, self.bare(row))
    }

    /// The same under another name.
    pub(crate) fn line_called(&self, row: &Row, name: String) -> Line {
        line(row, name, self.place(row))
    }

    /// Whether suites need to be told apart.
    pub(crate) fn several_suites(&self) -> bool {
        !self.one_suite
    }
}

/// Of files of different runs no change is known to be too large to hide.
pub(crate) const NOT_KNOWN: &str = "not known";

fn line(row: &Row, name: String, place: Option<String>) -> Line {
    let value = |side: &Option<bench_results::Measured>| {
        let center = side.as_ref().and_then(|m| m.center);
        center.map(|v| number::quantity(v, &row.unit)).unwrap_or_default()
    };
    let change = row.change.as_ref();
    let ratio = change.filter(|c| c.kind == ChangeKind::Ratio);
    Line {
        mark: Mark::of(row),
        name,
        place,
        before: value(&row.base),
        after: value(&row.head),
        change: change.map(|c| number::change(c, &row.unit)),
        interval: ratio.filter(|c| c.low.is_some() || c.high.is_some()).map(|c| Interval {
            low: c.low,
            estimate: c.ratio,
            high: c.high,
        }),
        blocks: row.blocks_used,
        could_see: match (row.pairing, change.and_then(|c| c.detectable)) {
            // What two runs differ by has no bound.
            (Pairing::Unpaired, _) => NOT_KNOWN.into(),
            (_, Some(size)) => format!("≥\u{a0}{}", number::share(size)),
            (_, None) => "too few blocks".into(),
        },
        notes: notes(row),
        magnitude: magnitude(row),
    }
}

/// How far a change is from none, on the log scale: halving is as large as doubling. Differences
/// are measured against the values where these are positive, and come first where they are not.
fn magnitude(row: &Row) -> f64 {
    let center = |side: &Option<bench_results::Measured>| side.as_ref().and_then(|m| m.center);
    let ratio = match row.change {
        Some(Change { kind: ChangeKind::Ratio, ratio, .. }) => ratio,
        Some(_) => match (center(&row.base), center(&row.head)) {
            (Some(base), Some(head)) => head / base,
            _ => 1.0,
        },
        None => 1.0,
    };
    let size = ratio.ln().abs();
    if size.is_nan() { f64::INFINITY } else { size }
}

fn notes(row: &Row) -> Vec<Text> {
    let mut notes = Vec::new();
    if row.pairing == Pairing::Identical {
        notes.push(Text::of("not run: the builds are identical"));
    }
    notes.extend(row.reason.as_deref().and_then(reason));
    notes.extend(row.labels.iter().map(|label| match super::labels::explanation(label) {
        Some(_) => Text::of(label),
        None => Text::quoted(label),
    }));
    notes.extend(clock_note(row));
    notes.extend(wall_note(row));
    notes.extend(void_note(row));
    notes
}

/// Wall time beside CPU time, where a person with a watch would see another number.
fn wall_note(row: &Row) -> Option<Text> {
    let [base, head] = [row.base.as_ref()?, row.head.as_ref()?].map(|m| Some((m.center?, m.wall?)));
    let (base, head) = (base?, head?);
    let differs = |(cpu, wall): (f64, f64)| wall > cpu * WALL_DIFFERS;
    (row.clock == Some(Clock::Cpu) && row.unit == "ns" && (differs(base) || differs(head))).then(
        || {
            let wall = |(_, wall)| number::quantity(wall, "ns");
            Text::of(format!("on the wall {} → {}", wall(base), wall(head)))
        },
    )
}

/// Blocks that had to be thrown away, and why.
fn void_note(row: &Row) -> Option<Text> {
    let side = |n: u32, side: &str| (n > 0).then(|| format!("{n} on {side}"));
    let lost = [side(row.void.base, "base"), side(row.void.head, "head")];
    let lost: Vec<String> = lost.into_iter().flatten().collect();
    if lost.is_empty() {
        return None;
    }
    let text = Text::of(format!("blocks lost: {}", lost.join(", ")));
    Some(match row.void.reasons.first() {
        Some(reason) => text.words(" (").prose(reason).words(")"),
        None => text,
    })
}

/// A reason in words. Some are codes that scripts rely on, and some are said elsewhere.
fn reason(reason: &str) -> Option<Text> {
    match reason {
        "" | "identical-build" | "untrustworthy" => None,
        "screened" => Some(Text::of("too few blocks")),
        "inputs differ" => Some(Text::of("its inputs differ from run to run")),
        _ => Some(Text::quoted(reason)),
    }
}

/// The wall clock is the exception that a reader should see.
fn clock_note(row: &Row) -> Option<Text> {
    (row.clock == Some(Clock::Wall)).then(|| {
        let note = Text::of("wall clock");
        match row.routing.as_ref() {
            Some(routing) if !routing.reason.is_empty() => note.words(": ").prose(&routing.reason),
            _ => note,
        }
    })
}

/// Benchmarks that failed in the same way.
#[derive(Clone, Debug)]
pub(crate) struct FailedGroup {
    pub(crate) names: Vec<String>,
    pub(crate) side: Option<SideName>,
    /// Where, and what was said.
    pub(crate) what: Text,
    /// The end of standard error.
    pub(crate) output: String,
}
