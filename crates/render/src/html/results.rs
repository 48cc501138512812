//! The table of all results, each with its pictures.

use crate::{
    number,
    page::{RowPage, Writer},
    plot,
    view::{self, Kind, Listed, Section},
};
use bench_results::{ChangeKind, Results};
use serde::Serialize;

/// Results that get pictures and the bar of their interval; the most important ones come first. A browser
/// takes seconds for many thousands.
const PICTURED: usize = 1_000;

/// The table.
#[derive(Debug, Serialize)]
pub(super) struct ResultsPage {
    sections: Vec<SectionPage>,
    /// How many results there are of each kind, for the filter.
    kinds: Vec<KindPage>,
    total: String,
    /// Why some results have no pictures; empty where all have.
    unpictured: String,
}

#[derive(Debug, Serialize)]
struct SectionPage {
    title: String,
    entries: Vec<EntryPage>,
}

#[derive(Debug, Serialize)]
struct KindPage {
    kind: &'static str,
    word: &'static str,
    count: String,
}

#[derive(Debug, Serialize)]
struct EntryPage {
    row: RowPage,
    /// The numbers to sort by: verdict, base, head, change, could see, blocks; empty where absent.
    keys: String,
    /// How it was measured.
    facts: String,
    figures: Vec<String>,
}

/// All results of a run.
pub(super) fn results(results: &Results, writer: &Writer<'_>) -> ResultsPage {
    let sections = view::table(results);
    let total: usize = sections.iter().map(|section| section.rows.len()).sum();
    let kinds = kinds(&sections);
    let mut left = PICTURED;
    let mut section = |section: &Section<'_>| SectionPage {
        title: writer.text(&section.title),
        entries: section.rows.iter().map(|listed| entry(listed, writer, &mut left)).collect(),
    };
    ResultsPage {
        sections: sections.iter().map(&mut section).collect(),
        kinds,
        total: number::plural(total, "result"),
        unpictured: if total > PICTURED {
            format!(
                "The first {} results have pictures; the launches of all are in results.json.",
                number::count(PICTURED)
            )
        } else {
            String::new()
        },
    }
}

fn entry(listed: &Listed<'_>, writer: &Writer<'_>, left: &mut usize) -> EntryPage {
    let Listed { row, line } = listed;
    let is_pictured = *left > 0;
    *left = left.saturating_sub(1);
    let mut page = writer.row(line);
    let mut figures = [None, None];
    if is_pictured {
        figures = [plot::samples(row), plot::interval(row)];
    } else {
        page.plot = None;
    }
    EntryPage {
        row: page,
        keys: keys(listed),
        facts: writer.text(&view::row_facts(row)),
        figures: figures.into_iter().flatten().collect(),
    }
}

/// Differences are sorted among ratios by how far they are from none.
fn keys(Listed { row, line }: &Listed<'_>) -> String {
    let center = |side: &Option<bench_results::Measured>| side.as_ref().and_then(|m| m.center);
    let change = row.change.map(|change| match change.kind {
        ChangeKind::Ratio => change.ratio,
        ChangeKind::Difference => (line.magnitude * change.ratio.signum()).exp(),
    });
    let could_see = row.change.and_then(|change| change.detectable);
    let blocks = (line.blocks > 0).then(|| f64::from(line.blocks));
    let numbers = [center(&row.base), center(&row.head), change, could_see, blocks];
    let number = |n: Option<f64>| n.filter(|n| n.is_finite()).map_or(String::new(), short);
    let numbers: Vec<String> = numbers.into_iter().map(number).collect();
    format!("{} {}", order(line.mark.kind), numbers.join(" "))
}

/// Six digits are enough to sort by.
fn short(n: f64) -> String {
    let text = format!("{n:.5e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    if exponent == "0" { digits.to_owned() } else { format!("{digits}e{exponent}") }
}

/// The order of the report.
fn order(kind: Kind) -> u8 {
    match kind {
        Kind::Failed => 0,
        Kind::Worse => 1,
        Kind::Accepted => 2,
        Kind::Better => 3,
        Kind::Open => 4,
        Kind::Same => 5,
        Kind::Other => 6,
    }
}

fn kinds(sections: &[Section<'_>]) -> Vec<KindPage> {
    let marks = || sections.iter().flat_map(|s| s.rows.iter().map(|listed| listed.line.mark));
    let kinds = [
        (Kind::Worse, "worse"),
        (Kind::Accepted, "accepted"),
        (Kind::Better, "better"),
        (Kind::Open, "undecided"),
        (Kind::Same, "unchanged"),
        (Kind::Other, "not judged"),
    ];
    let counted = kinds.into_iter().map(|(kind, word)| {
        let count = marks().filter(|mark| mark.kind == kind).count();
        (count, KindPage { kind: kind.word(), word, count: number::count(count) })
    });
    counted.filter(|(count, _)| *count > 0).map(|(_, page)| page).collect()
}
