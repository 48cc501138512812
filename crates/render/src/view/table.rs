//! Every result in one table: what changed, what stayed open, what did not change, what is only shown.

use super::{
    grouped,
    line::{Kind, Line, Names},
    method::{clock_words, schedule_words},
    suite::is_listed,
};
use crate::{number, text::Text};
use bench_results::{Results, Row};

/// Results that came out alike.
#[derive(Clone, Debug)]
pub(crate) struct Section<'a> {
    /// `2 changed`, with what there is to know of all of them.
    pub(crate) title: Text,
    /// Most important first.
    pub(crate) rows: Vec<Listed<'a>>,
}

/// A result, and what it says in words.
#[derive(Clone, Debug)]
pub(crate) struct Listed<'a> {
    pub(crate) row: &'a Row,
    pub(crate) line: Line,
}

/// The sections that are not empty, in the order of the report; those of one comparison after those of
/// the one before.
pub(crate) fn table(results: &Results) -> Vec<Section<'_>> {
    let names = Names::new(results);
    let listed = results.benchmarks.iter().filter(|row| is_listed(row));
    let places = grouped(listed.map(|row| (names.place(row), row)));
    places.iter().flat_map(|(place, rows)| sections(rows, place.as_deref(), &names)).collect()
}

fn sections<'a>(rows: &[&'a Row], place: Option<&str>, names: &Names) -> Vec<Section<'a>> {
    let mut sections = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for &row in rows {
        let line = names.line(row);
        sections[section(line.mark.kind)].push(Listed { row, line });
    }
    let [changed, undecided, ..] = &mut sections;
    changed.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| largest(a, b)));
    undecided.sort_by(largest);
    let words = ["changed", "undecided", "unchanged", "shown, not judged"];
    let titled = sections.into_iter().zip(words).filter(|(rows, _)| !rows.is_empty());
    titled.map(|(rows, word)| Section { title: title(&rows, word, place), rows }).collect()
}

fn section(kind: Kind) -> usize {
    match kind {
        Kind::Worse | Kind::Accepted | Kind::Better | Kind::Failed => 0,
        Kind::Open => 1,
        Kind::Same => 2,
        Kind::Other => 3,
    }
}

/// Worse before accepted before better.
fn rank(listed: &Listed<'_>) -> u8 {
    match listed.line.mark.kind {
        Kind::Worse => 0,
        Kind::Accepted => 1,
        _ => 2,
    }
}

fn largest(a: &Listed<'_>, b: &Listed<'_>) -> std::cmp::Ordering {
    b.line.magnitude.total_cmp(&a.line.magnitude).then_with(|| a.line.name.cmp(&b.line.name))
}

fn title(rows: &[Listed<'_>], word: &str, place: Option<&str>) -> Text {
    let place = place.map(|place| Text::default().prose(place).words(": ")).unwrap_or_default();
    let text = place.words(format!("{} {word}", number::count(rows.len())));
    let thresholds = rows.iter().map(|listed| listed.row.rule.threshold);
    match number::range(thresholds, number::share) {
        Some(threshold) if word == "unchanged" => {
            text.words(format!(", each proved to be within ±{threshold}"))
        }
        _ => text,
    }
}

/// How one result was measured; what is not known is left out.
pub(crate) fn facts(row: &Row) -> Text {
    let schedule = row.schedule.map(schedule_words);
    let clock = row.clock.map(clock_words);
    let words: Vec<&str> = schedule.into_iter().chain(clock).collect();
    let noise = row.noise.map(|noise| format!("a block varies by {}", number::share(noise.sd)));
    let cost =
        (row.cost_s > 0.0).then(|| format!("{} of machine time", number::duration(row.cost_s)));
    let decided = row.decided_at.map(|block| format!("decided at block {block}"));
    let confidence =
        row.change.map(|c| format!("interval holds with {}", number::share(c.confidence)));
    let all = [(!words.is_empty()).then(|| words.join(", ")), decided, confidence, noise, cost];
    Text::of(all.into_iter().flatten().collect::<Vec<_>>().join(" · "))
}
