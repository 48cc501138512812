//! The overview: every series in a line, what changed last first.

use super::plot::Frame;
use super::{ChangeLine, Dashboard, DriftLine, PageFile, SeriesLine, page};
use crate::RenderError;
use crate::escape::{Html, Pen};
use crate::{number, template};
use serde::Serialize;

/// Size of a sparkline, and the points it is drawn with.
const SPARK: (f64, f64) = (120.0, 24.0);
const SPARK_POINTS: usize = 60;

#[derive(Serialize)]
struct Overview {
    style: &'static str,
    title: String,
    facts: Vec<String>,
    rows: Vec<Line>,
    tool: String,
}

#[derive(Serialize)]
struct Line {
    kind: &'static str,
    name: String,
    environment: String,
    address: String,
    spark: Vec<String>,
    value: String,
    /// `▲ worse`; empty where nothing changed.
    mark: String,
    size: String,
    interval: String,
    commit: String,
    notes: Vec<String>,
    /// `~ slowly better −8.0 %`; empty where nothing drifted.
    drift: String,
}

pub(super) fn overview(dashboard: &Dashboard) -> Result<PageFile, RenderError> {
    let mut order: Vec<&SeriesLine> = dashboard.series.iter().collect();
    // The latest change first; of those that never changed what drifts, and then in order of their names.
    let latest = |series: &SeriesLine| {
        (series.changes.last().map(|change| change.at), !series.drifts.is_empty())
    };
    order.sort_by_key(|series| std::cmp::Reverse(latest(series)));
    let first = dashboard.commits.first().map(|commit| commit.day.as_str()).unwrap_or_default();
    let last = dashboard.commits.last().map(|commit| commit.day.as_str()).unwrap_or_default();
    let context = Overview {
        style: super::STYLE,
        title: Html.prose(&dashboard.title),
        facts: vec![
            Html.prose(&number::plural(dashboard.series.len(), "series"))
                .replace("seriess", "series"),
            Html.prose(&number::plural(dashboard.commits.len(), "commit")),
            Html.prose(&format!("{first} to {last}")),
        ],
        rows: order.into_iter().map(|series| line(dashboard, series)).collect(),
        tool: Html.prose(&dashboard.tool),
    };
    let source = include_str!("../../../../templates/history-overview.html");
    let text = template::fill("history-overview.html", source, &context)?;
    Ok(PageFile { path: "index.html".to_owned(), text })
}

fn line(dashboard: &Dashboard, series: &SeriesLine) -> Line {
    let last = series.pieces.last().and_then(|piece| piece.points.last());
    let value = last.and_then(|point| point.value);
    let change = series.changes.last();
    let (sign, word, kind) = change.map_or(("", "", "same"), ChangeLine::mark);
    let text = change.map(|change| change.text(&series.unit));
    let frame = Frame::around(series.pieces.iter(), dashboard.commits.len(), SPARK);
    let pieces = series.pieces.iter();
    Line {
        kind,
        name: Html.code(&series.id),
        environment: Html.prose(&series.environment),
        address: Html.prose(&format!("{}#{}", page::path(series), page::anchor(series))),
        spark: pieces.map(|piece| frame.line(&piece.points, SPARK_POINTS)).collect(),
        value: value
            .map(|value| Html.prose(&number::quantity(value, &series.unit)))
            .unwrap_or_default(),
        mark: format!("{sign} {word}").trim().to_owned(),
        size: text.as_ref().map(|text| Html.prose(&text.size)).unwrap_or_default(),
        interval: text.as_ref().map(|text| Html.prose(&text.interval())).unwrap_or_default(),
        commit: change.map(|change| page::range(dashboard, change)).unwrap_or_default(),
        notes: change.map(page::notes).unwrap_or_default(),
        drift: series.drifts.last().map(drift).unwrap_or_default(),
    }
}

fn drift(drift: &DriftLine) -> String {
    let word = if drift.is_worse { "worse" } else { "better" };
    Html.prose(&format!("~ slowly {word} {} %", number::percent(drift.size.exp())))
}
