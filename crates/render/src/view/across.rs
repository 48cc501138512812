//! Several comparisons in one report: what each found, and where they differ.

use super::line::{Kind, Line, Names};
use super::{grouped, headline};
use crate::{Options, number, text::Text};
use bench_results::{Change, ChangeKind, Results, Row, Verdict};
use std::collections::BTreeSet;

/// One of several comparisons.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// What it is called.
    pub(crate) name: String,
    /// What happened in it.
    pub(crate) headline: Text,
}

/// Benchmarks that changed or failed in one comparison at least, in all of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Across {
    /// `Across environments: 2 of 3 changes are not everywhere`.
    pub(crate) title: Text,
    /// The comparisons.
    pub(crate) columns: Vec<String>,
    /// Those that differ most first.
    pub(crate) rows: Vec<Spread>,
}

/// A benchmark in every comparison.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    pub(crate) name: String,
    /// One for each column; none where it is not there.
    pub(crate) cells: Vec<Option<Line>>,
    /// Where it changed.
    pub(crate) place: Text,
    /// How much the comparisons differ.
    rank: Rank,
    magnitude: f64,
}

/// How much comparisons differ over a benchmark, most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Worse in one, better in another.
    Opposite,
    /// Changed or failed in one, proved to be unchanged, or ran, in another.
    Disagree,
    /// The intervals of all changes have nothing in common.
    OfOtherSize,
    /// Changed in one, and in another nobody can tell.
    NotSeen,
    /// The same everywhere.
    Agree,
}

/// Each comparison of several; none where there is but one.
pub(super) fn parts(results: &Results, options: &Options) -> Vec<Part> {
    if results.comparisons.len() <= 1 {
        return Vec::new();
    }
    let frame = Results { benchmarks: Vec::new(), sentinel: Vec::new(), ..results.clone() };
    let part = |id: &String| {
        let of = |row: &&Row| row.comparison == *id;
        let rows = results.benchmarks.iter().filter(of).cloned().collect();
        let part = Results { benchmarks: rows, ..frame.clone() };
        Part { name: id.clone(), headline: headline::of_part(&part, options) }
    };
    results.comparisons.iter().map(|comparison| part(&comparison.id)).collect()
}

/// What the comparisons say of the same benchmarks; empty where there is but one.
pub(super) fn across(results: &Results, names: &Names) -> Across {
    let columns: Vec<String> = results.comparisons.iter().map(|c| c.id.clone()).collect();
    if columns.len() <= 1 {
        return Across::default();
    }
    let by_id = grouped(results.benchmarks.iter().map(|row| (row.id.as_str(), row)));
    let mut rows: Vec<Spread> = by_id
        .into_iter()
        .filter(|(_, rows)| rows.iter().any(|row| is_told(row)))
        .map(|(_, rows)| spread(&rows, &columns, names))
        .collect();
    rows.sort_by(|a, b| {
        let larger = b.magnitude.total_cmp(&a.magnitude);
        a.rank.cmp(&b.rank).then(larger).then_with(|| a.name.cmp(&b.name))
    });
    Across { title: title(results, &rows), columns, rows }
}

fn is_told(row: &Row) -> bool {
    matches!(row.verdict, Some(Verdict::Regressed | Verdict::Improved | Verdict::Failed))
}

/// What the comparisons differ in: `environments`, `machines`, or both.
fn kind(results: &Results) -> &'static str {
    let machines: BTreeSet<&str> =
        results.comparisons.iter().filter_map(|c| c.machine.as_deref()).collect();
    match (machines.len(), results.comparisons.len()) {
        (0 | 1, _) => "environments",
        (machines, comparisons) if machines == comparisons => "machines",
        _ => "environments and machines",
    }
}

fn title(results: &Results, rows: &[Spread]) -> Text {
    let text = Text::of(format!("Across {}", kind(results)));
    let count = |ranks: &[Rank]| rows.iter().filter(|row| ranks.contains(&row.rank)).count();
    let disagree = count(&[Rank::Opposite, Rank::Disagree, Rank::OfOtherSize]);
    let results = |n: usize| number::plural(n, "result");
    match (rows.len(), disagree, count(&[Rank::NotSeen])) {
        (0, ..) => text.words(": nothing changed in any of them"),
        (all, 0, 0) => text.words(format!(": they agree on {}", results(all))),
        (_, 0, unseen) => text.words(format!(": {} not seen in all", results(unseen))),
        (_, differ, _) => text.words(format!(": they disagree on {}", results(differ))),
    }
}

/// Rows of one benchmark, of which there is at least one.
fn spread(rows: &[&Row], columns: &[String], names: &Names) -> Spread {
    let row = |column: &String| rows.iter().find(|row| row.comparison == *column).copied();
    let cells: Vec<Option<Line>> =
        columns.iter().map(|column| row(column).map(|row| names.line(row))).collect();
    let told = cells.iter().flatten().filter(|line| is_change(line));
    let (rank, place) = compared(rows, columns, &cells);
    Spread {
        name: names.bare(rows[0]),
        magnitude: told.map(|line| line.magnitude).fold(0.0, f64::max),
        rank,
        place,
        cells,
    }
}

fn is_change(line: &Line) -> bool {
    matches!(line.mark.kind, Kind::Worse | Kind::Accepted | Kind::Better | Kind::Failed)
}

/// How much the comparisons differ, and where it changed.
fn compared(rows: &[&Row], columns: &[String], cells: &[Option<Line>]) -> (Rank, Text) {
    let with = |wanted: &dyn Fn(&Line) -> bool| -> Vec<&str> {
        let cells = columns.iter().zip(cells);
        let fitting = cells.filter(|(_, line)| line.as_ref().is_some_and(wanted));
        fitting.map(|(column, _)| column.as_str()).collect()
    };
    let worse = with(&|line| matches!(line.mark.kind, Kind::Worse | Kind::Accepted));
    let better = with(&|line| line.mark.kind == Kind::Better);
    let failed = with(&|line| line.mark.kind == Kind::Failed);
    let open = with(&|line| line.mark.kind == Kind::Open);
    let told = worse.len() + better.len();
    match (told, failed.len(), columns.len()) {
        _ if !worse.is_empty() && !better.is_empty() => {
            let text = Text::of("worse in ").then(list(&worse)).words(", better in ");
            (Rank::Opposite, text.then(list(&better)))
        }
        (_, failures, all) if failures > 0 => {
            let rank = if failures == all { Rank::Agree } else { Rank::Disagree };
            (rank, Text::of("fails in ").then(list(&failed)))
        }
        (told, _, all) if told == all && are_apart(rows) => {
            (Rank::OfOtherSize, Text::of("in all, of different size"))
        }
        (told, _, all) if told == all => (Rank::Agree, Text::of("in all")),
        (told, _, all) if told + open.len() == all => {
            let text = Text::of("seen in ").then(list(&[worse, better].concat()));
            (Rank::NotSeen, text.words(", undecided in ").then(list(&open)))
        }
        _ => {
            let text = Text::of("only in ").then(list(&[worse, better].concat()));
            let open = match open.as_slice() {
                [] => Text::default(),
                open => Text::of(", undecided in ").then(list(open)),
            };
            (Rank::Disagree, text.then(open))
        }
    }
}

fn list(names: &[&str]) -> Text {
    Text::join(names.iter().map(|name| Text::default().code(*name)), ", ")
}

/// Whether two of the intervals have nothing in common.
fn are_apart(rows: &[&Row]) -> bool {
    let ends = |row: &&Row| match row.change {
        Some(Change { kind: ChangeKind::Ratio, low, high, .. }) => {
            (low.unwrap_or(0.0), high.unwrap_or(f64::INFINITY))
        }
        _ => (0.0, f64::INFINITY),
    };
    let ends: Vec<(f64, f64)> = rows.iter().map(ends).collect();
    let highest_low = ends.iter().map(|ends| ends.0).fold(0.0, f64::max);
    let lowest_high = ends.iter().map(|ends| ends.1).fold(f64::INFINITY, f64::min);
    highest_low > lowest_high
}
