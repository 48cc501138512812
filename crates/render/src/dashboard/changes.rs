//! The changes of a history in words, for a terminal and for a job's summary.

use super::{ChangeLine, Dashboard, SeriesLine};
use crate::escape::{Markdown, Pen, Plain};
use crate::number;

/// The head of a table of changes.
const TABLE: &str = "| | benchmark | change | commit | |\n|:-:|---|--:|---|---|\n";

/// The changes, and the slow drifts below them, as markdown.
#[must_use]
pub fn changes_markdown(dashboard: &Dashboard, only_new: bool) -> String {
    let changes = listed(dashboard, &|change| change.is_new || !only_new);
    let mut text = format!("### {}\n", headline(dashboard, &changes));
    if !changes.is_empty() {
        text += &format!("\n{TABLE}");
    }
    changes.iter().for_each(|(series, change)| text += &row(dashboard, series, change));
    let drifts = drifts(dashboard);
    if !drifts.is_empty() {
        text += "\n";
    }
    drifts.iter().for_each(|line| text += &format!("- {}\n", Markdown.prose(line)));
    text
}

/// Those changes that are wanted as a table of markdown, of at most `budget` bytes; what does not fit
/// is counted.
#[must_use]
pub fn changes_table(
    dashboard: &Dashboard,
    wanted: &dyn Fn(&ChangeLine) -> bool,
    budget: usize,
) -> String {
    const ROOM_TO_COUNT: usize = 60;
    let changes = listed(dashboard, wanted);
    let mut text = TABLE.to_owned();
    for (at, (series, change)) in changes.iter().enumerate() {
        let row = row(dashboard, series, change);
        if text.len() + row.len() + ROOM_TO_COUNT > budget {
            text += &format!("\n{} more are in the dashboard.\n", changes.len() - at);
            break;
        }
        text += &row;
    }
    text
}

fn row(dashboard: &Dashboard, series: &SeriesLine, change: &ChangeLine) -> String {
    let words = change.text(&series.unit);
    let (sign, _, _) = change.mark();
    let subject = dashboard.commits.get(change.at).map_or("", |c| c.subject.as_str());
    let commit = match dashboard.address(change.at) {
        Some(address) => Markdown.link(dashboard.short(change.at), &address),
        None => Markdown.code(dashboard.short(change.at)),
    };
    format!(
        "| {sign} | {} | **{}** {} | {commit}{} {} | {} |\n",
        Markdown.code(&named(series)),
        words.size,
        words.interval(),
        Markdown.prose(&others(change)),
        Markdown.prose(subject),
        Markdown.prose(&notes(change).join("; ")),
    )
}

/// The same for a terminal.
#[must_use]
pub fn changes_terminal(dashboard: &Dashboard, only_new: bool) -> String {
    let changes = listed(dashboard, &|change| change.is_new || !only_new);
    let mut text = format!("{}\n", headline(dashboard, &changes));
    for (series, change) in &changes {
        let words = change.text(&series.unit);
        let (sign, _, _) = change.mark();
        let commit = dashboard.commits.get(change.at);
        let subject = commit.map_or("", |commit| commit.subject.as_str());
        text += &format!(
            "\n  {sign} {}\n      {} {} at {}{}  {}\n",
            Plain.prose(&named(series)),
            Plain.prose(&words.size),
            Plain.prose(&words.interval()),
            dashboard.short(change.at),
            others(change),
            Plain.prose(subject),
        );
        notes(change).iter().for_each(|note| text += &format!("      {}\n", Plain.prose(note)));
    }
    for line in drifts(dashboard) {
        text += &format!("\n  ~ {}\n", Plain.prose(&line));
    }
    text
}

/// Those that are wanted, the latest first; those for the worse before the others.
fn listed<'d>(
    dashboard: &'d Dashboard,
    wanted: &dyn Fn(&ChangeLine) -> bool,
) -> Vec<(&'d SeriesLine, &'d ChangeLine)> {
    let all = dashboard.series.iter().flat_map(|one| one.changes.iter().map(move |c| (one, c)));
    let mut listed: Vec<_> = all.filter(|(_, change)| wanted(change)).collect();
    listed.sort_by_key(|(_, change)| std::cmp::Reverse((change.is_open(), change.at)));
    listed
}

fn headline(dashboard: &Dashboard, changes: &[(&SeriesLine, &ChangeLine)]) -> String {
    if changes.is_empty() {
        return "No new change".to_owned() + &too_short(dashboard).unwrap_or_default();
    }
    let count = |wanted: &dyn Fn(&ChangeLine) -> bool| {
        changes.iter().filter(|(_, change)| wanted(change)).count()
    };
    let worse = count(&|change| change.is_worse);
    let new = count(&|change| change.is_new);
    format!("{worse} worse, {} better, {new} of them new", changes.len() - worse)
}

/// Where no series has enough points for a change yet.
fn too_short(dashboard: &Dashboard) -> Option<String> {
    let pieces = dashboard.series.iter().flat_map(|series| &series.pieces);
    let longest = pieces.map(|piece| piece.points.len()).max()?;
    let least = dashboard.shortest;
    (longest < least).then(|| {
        format!("; a series can show one from {least} points on, the longest has {longest}")
    })
}

fn named(series: &SeriesLine) -> String {
    format!("{} · {}", series.id, series.environment)
}

fn others(change: &ChangeLine) -> String {
    match change.last.saturating_sub(change.before + 1) {
        0 => String::new(),
        others => format!(" (or one of {others} beside it)"),
    }
}

fn notes(change: &ChangeLine) -> Vec<String> {
    let beside =
        change.beside.map(|what| format!("{what} changed there as well, and may be the reason"));
    let known = (!change.is_new).then(|| "reported before".to_owned());
    let why = change.acknowledged.as_ref().map(|why| format!("acknowledged: {why}"));
    known.into_iter().chain(beside).chain(why).collect()
}

fn drifts(dashboard: &Dashboard) -> Vec<String> {
    let line = |series: &SeriesLine| {
        let of = named(series);
        let lines: Vec<String> = series
            .drifts
            .iter()
            .map(|drift| {
                let (from, to) = (dashboard.short(drift.from), dashboard.short(drift.to));
                let size = number::percent(drift.size.exp());
                format!(
                    "{of} drifted by {size} % from {from} to {to}: slowly, with no commit to blame"
                )
            })
            .collect();
        lines
    };
    dashboard.series.iter().flat_map(line).collect()
}
