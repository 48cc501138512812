//! The page of one benchmark: a plot for each combination of parameters and environment, its changes
//! in words, and the data of both beside it.

use super::plot::Frame;
use super::{ChangeLine, CommitLine, Dashboard, PageFile, PieceLine, PointLine, SeriesLine};
use crate::RenderError;
use crate::escape::{Html, Pen, visible};
use crate::{number, template};
use serde::Serialize;
use serde_json::json;

/// Size of a plot.
const PLOT: (f64, f64) = (1000.0, 240.0);

/// Changes of machine that are marked; a line for each of very many would hide the plot.
const MOST_MACHINE_MARKS: usize = 40;

/// Lines that can be told apart in one plot.
const MOST_LINES: usize = 8;

#[derive(Serialize)]
struct Page {
    style: &'static str,
    title: String,
    project: String,
    name: String,
    facts: Vec<String>,
    /// The days that every plot reaches from and to.
    first: String,
    last: String,
    /// All lines in one plot, where there are several.
    together: Option<Together>,
    sections: Vec<Section>,
    data: String,
    json: String,
    tool: String,
}

#[derive(Serialize)]
struct Together {
    lines: Vec<Member>,
    more: usize,
    ticks: Vec<Tick>,
}

#[derive(Serialize)]
struct Member {
    class: usize,
    path: String,
    name: String,
    anchor: String,
}

#[derive(Serialize)]
struct Section {
    anchor: String,
    title: String,
    index: usize,
    label: String,
    bands: Vec<String>,
    lines: Vec<String>,
    ticks: Vec<Tick>,
    marks: Vec<Mark>,
    machines: Vec<Mark>,
    alternating: String,
    changes: Vec<ChangeRow>,
    drifts: Vec<String>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Tick {
    y: String,
    label: String,
}

#[derive(Serialize)]
struct Mark {
    x: String,
    kind: &'static str,
    title: String,
}

#[derive(Serialize)]
struct ChangeRow {
    kind: &'static str,
    mark: String,
    size: String,
    interval: String,
    range: String,
    subject: String,
    day: String,
    notes: Vec<String>,
}

/// What the series on one page have in common.
pub(super) fn key(series: &SeriesLine) -> (&str, &str, &str) {
    (&series.suite, &series.name, &series.metric)
}

/// The page's path: readable, and different for names that differ in what no path may hold.
pub(super) fn path(series: &SeriesLine) -> String {
    format!("b/{}.html", stem(series))
}

fn stem(series: &SeriesLine) -> String {
    let (suite, name, metric) = key(series);
    let whole = format!("{suite}/{name} [{metric}]");
    format!("{}-{:08x}", slug(&format!("{suite}.{name}")), fingerprint(&whole))
}

/// The place of a series on its page.
pub(super) fn anchor(series: &SeriesLine) -> String {
    let whole = format!("{} {}", series.id, series.environment);
    format!("s{:08x}", fingerprint(&whole))
}

fn slug(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' });
    plain.take(80).collect()
}

/// FNV-1a, folded to 32 bits: the same in every version, since it is in addresses.
fn fingerprint(text: &str) -> u32 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    #[expect(clippy::cast_possible_truncation, reason = "folded")]
    let folded = (hash ^ (hash >> 32)) as u32;
    folded
}

/// The page and its data.
pub(super) fn page(
    dashboard: &Dashboard,
    series: &[SeriesLine],
) -> Result<Vec<PageFile>, RenderError> {
    let Some(first) = series.first() else { return Ok(Vec::new()) };
    let stem = stem(first);
    let data = data(series);
    let sections = series.iter().enumerate().map(|(at, one)| section(dashboard, one, at));
    let context = Page {
        style: super::STYLE,
        title: Html.prose(&format!("{} · {}", first.name, dashboard.title)),
        project: Html.prose(&dashboard.title),
        name: Html.code(&first.name),
        facts: vec![Html.prose(&first.suite), Html.prose(&first.metric)],
        first: day(dashboard.commits.first()),
        last: day(dashboard.commits.last()),
        together: (series.len() > 1).then(|| together(dashboard, series)),
        sections: sections.collect(),
        data: format!("../data/{stem}.js"),
        json: format!("../data/{stem}.json"),
        tool: Html.prose(&dashboard.tool),
    };
    let source = include_str!("../../../../templates/history-benchmark.html");
    let text = template::fill("history-benchmark.html", source, &context)?;
    // A script may be read from a disk, a JSON document may not.
    let script = format!("window.benchHistory({});\n", harmless(&data));
    Ok(vec![
        PageFile { path: format!("b/{stem}.html"), text },
        PageFile { path: format!("data/{stem}.js"), text: script },
        PageFile { path: format!("data/{stem}.json"), text: format!("{}\n", harmless(&data)) },
    ])
}

fn day(commit: Option<&CommitLine>) -> String {
    commit.map(|commit| Html.prose(&commit.day)).unwrap_or_default()
}

fn together(dashboard: &Dashboard, series: &[SeriesLine]) -> Together {
    // Lines of different heights are told against where each is now.
    let shifted: Vec<Vec<PieceLine>> = series
        .iter()
        .take(MOST_LINES)
        .map(|one| {
            let zero = now(one);
            let moved = |point: &PointLine| PointLine { level: point.level - zero, ..*point };
            let piece = |piece: &PieceLine| PieceLine {
                points: piece.points.iter().map(moved).collect(),
                ..piece.clone()
            };
            one.pieces.last().map(piece).into_iter().collect()
        })
        .collect();
    let frame = Frame::around(shifted.iter().flatten(), dashboard.commits.len(), PLOT);
    let member = |(class, (pieces, one)): (usize, (&Vec<PieceLine>, &SeriesLine))| Member {
        class,
        path: pieces.iter().map(|piece| frame.line(&piece.points, usize::MAX)).collect(),
        name: Html.prose(&title(one)),
        anchor: anchor(one),
    };
    Together {
        lines: shifted.iter().zip(series).enumerate().map(member).collect(),
        more: series.len().saturating_sub(MOST_LINES),
        ticks: ticks(&frame, 0.0),
    }
}

/// The level a series has now: the middle of its last five points.
fn now(series: &SeriesLine) -> f64 {
    let points = series.pieces.last().map_or(&[][..], |piece| &piece.points);
    let mut last: Vec<f64> = points.iter().rev().take(5).map(|point| point.level).collect();
    last.sort_by(f64::total_cmp);
    last.get(last.len() / 2).copied().unwrap_or_default()
}

fn ticks(frame: &Frame, zero: f64) -> Vec<Tick> {
    let tick = |(y, percent): (f64, f64)| {
        let label = if percent == 0.0 { "now".to_owned() } else { format!("{percent:+} %") };
        Tick { y: format!("{y:.1}"), label: label.replace('-', "−") }
    };
    frame.ticks(zero).into_iter().map(tick).collect()
}

/// The parameters and the environment.
fn title(series: &SeriesLine) -> String {
    let params = series.id.find('(').and_then(|at| series.id.get(at..)).unwrap_or_default();
    let parts = [params, series.environment.as_str()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn section(dashboard: &Dashboard, series: &SeriesLine, index: usize) -> Section {
    let frame = Frame::around(series.pieces.iter(), dashboard.commits.len(), PLOT);
    let machines = machine_marks(dashboard, series, &frame);
    let is_alternating = machines.len() > MOST_MACHINE_MARKS;
    Section {
        anchor: anchor(series),
        title: Html.prose(&title(series)),
        index,
        label: Html.prose(&label(dashboard, series)),
        bands: series.pieces.iter().map(|piece| frame.band(&piece.points)).collect(),
        lines: series.pieces.iter().map(|piece| frame.line(&piece.points, usize::MAX)).collect(),
        ticks: ticks(&frame, now(series)),
        marks: series.changes.iter().map(|change| mark(dashboard, series, change, &frame)).collect(),
        alternating: if is_alternating {
            Html.prose(&format!("{} changes of machine, not marked.", machines.len()))
        } else {
            String::new()
        },
        machines: if is_alternating { Vec::new() } else { machines },
        changes: series.changes.iter().rev().map(|one| row(dashboard, series, one)).collect(),
        drifts: series
            .drifts
            .iter()
            .map(|drift| {
                let word = if drift.is_worse { "worse" } else { "better" };
                let (from, to) = (dashboard.short(drift.from), dashboard.short(drift.to));
                let size = number::percent(drift.size.exp());
                Html.prose(&format!("A slow drift to the {word} from {from} to {to}: {size} %, with no commit to blame."))
            })
            .collect(),
        notes: kinds(series),
    }
}

fn kinds(series: &SeriesLine) -> Vec<String> {
    let mut notes = Vec::new();
    if series.pieces.iter().any(|piece| !piece.is_paired) {
        notes.push(
            "Imported values, measured by themselves: each machine is a line of its own, and what \
             moves may be the machine."
                .to_owned(),
        );
    }
    if series.pieces.iter().filter(|piece| piece.is_paired).count() > 1 {
        notes.push(
            "Lines that do not hang together: no overlap run links their references.".to_owned(),
        );
    }
    notes
}

/// The plot in one sentence, for who cannot see it.
fn label(dashboard: &Dashboard, series: &SeriesLine) -> String {
    let points: usize = series.pieces.iter().map(|piece| piece.points.len()).sum();
    let changes: Vec<String> = series
        .changes
        .iter()
        .map(|change| {
            let text = change.text(&series.unit);
            format!("{} {} at {}", text.size, text.interval(), dashboard.short(change.at))
        })
        .collect();
    let changes = if changes.is_empty() { "no change".to_owned() } else { changes.join(", ") };
    format!("{}, {}: {changes}", series.id, number::plural(points, "commit"))
}

fn mark(dashboard: &Dashboard, series: &SeriesLine, change: &ChangeLine, frame: &Frame) -> Mark {
    let (sign, _, kind) = change.mark();
    let text = change.text(&series.unit);
    let title = format!("{sign} {} {} {}", text.size, text.interval(), dashboard.short(change.at));
    Mark { x: format!("{:.1}", frame.x(change.at)), kind, title: Html.prose(&title) }
}

fn machine_marks(dashboard: &Dashboard, series: &SeriesLine, frame: &Frame) -> Vec<Mark> {
    let mut marks = Vec::new();
    for piece in &series.pieces {
        for pair in piece.points.windows(2) {
            let [before, after] = pair else { continue };
            let what = if before.machine != after.machine {
                ("machine", dashboard.machines.get(after.machine))
            } else if before.reference != after.reference {
                ("reference", after.reference.and_then(|at| dashboard.references.get(at)))
            } else {
                continue;
            };
            let name = what.1.map_or("another one", String::as_str);
            let title = Html.prose(&format!("from here on {} {name}", what.0));
            marks.push(Mark { x: format!("{:.1}", frame.x(after.commit)), kind: what.0, title });
        }
    }
    marks
}

fn row(dashboard: &Dashboard, series: &SeriesLine, change: &ChangeLine) -> ChangeRow {
    let (sign, word, kind) = change.mark();
    let text = change.text(&series.unit);
    let commit = dashboard.commits.get(change.at);
    ChangeRow {
        kind,
        mark: format!("{sign} {word}"),
        size: Html.prose(&text.size),
        interval: Html.prose(&text.interval()),
        range: range(dashboard, change),
        subject: commit.map(|commit| Html.prose(&commit.subject)).unwrap_or_default(),
        day: commit.map(|commit| Html.prose(&commit.day)).unwrap_or_default(),
        notes: notes(change),
    }
}

/// The commit, linked, and after it how many others it may be.
pub(super) fn range(dashboard: &Dashboard, change: &ChangeLine) -> String {
    let short = dashboard.short(change.at);
    let link = match dashboard.address(change.at) {
        Some(address) => Html.link(short, &address),
        None => Html.code(short),
    };
    let others = change.last.saturating_sub(change.before + 1);
    if others == 0 {
        return link;
    }
    let (first, last) = (dashboard.short(change.before), dashboard.short(change.last));
    format!(
        "{link} <small>(one of {} in {})</small>",
        others + 1,
        Html.code(&format!("{first}..{last}"))
    )
}

/// What a reader should know of a change.
pub(super) fn notes(change: &ChangeLine) -> Vec<String> {
    let beside = change
        .beside
        .map(|what| Html.prose(&format!("{what} changed there as well, and may be the reason")));
    let why = change.acknowledged.as_ref().map(|why| Html.prose(&format!("acknowledged: {why}")));
    let is_new = change.is_new.then(|| "new".to_owned());
    is_new.into_iter().chain(beside).chain(why).collect()
}

/// The points of a page, for its script and for others. Numbers are rounded to what can be seen.
fn data(series: &[SeriesLine]) -> String {
    let round = |value: f64| (value * 1e5).round() / 1e5;
    let point = |point: &PointLine| {
        json!([point.commit, round(point.level), round(point.error), point.value, point.machine])
    };
    let lines: Vec<_> = series
        .iter()
        .map(|one| {
            let pieces: Vec<Vec<_>> =
                one.pieces.iter().map(|piece| piece.points.iter().map(point).collect()).collect();
            json!({"id": one.id, "environment": one.environment, "unit": visible(&one.unit),
                "columns": ["commit", "log_level", "error", "value", "machine"], "pieces": pieces})
        })
        .collect();
    json!(lines).to_string()
}

/// The commits and machines that the points' numbers mean.
pub(super) fn commits(dashboard: &Dashboard) -> String {
    let commits: Vec<_> = dashboard
        .commits
        .iter()
        .map(|commit| json!([commit.id, commit.day, visible(&commit.subject)]))
        .collect();
    let machines: Vec<String> = dashboard.machines.iter().map(|name| visible(name)).collect();
    let data = json!({"commits": commits, "machines": machines});
    format!("window.benchCommits({});\n", harmless(&data.to_string()))
}

/// JSON as it may stand in a script.
fn harmless(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
