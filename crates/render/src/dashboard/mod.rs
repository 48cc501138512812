//! The history of a project as pages that need no server: an overview, a page for each benchmark, and
//! the data beside them. They are opened from a disk as well as from a web server.

mod changes;
mod overview;
mod page;
mod plot;

use crate::RenderError;
use bench_results::{Better, Change, ChangeKind};

pub use changes::{changes_markdown, changes_table, changes_terminal};
pub use plot::sparkline_text;

/// What both kinds of pages look like; each adds its own.
const STYLE: &str = include_str!("../../../../templates/history.css");

/// Everything the pages show.
#[derive(Clone, Debug, PartialEq)]
pub struct Dashboard {
    /// The project's name.
    pub title: String,
    /// What a commit's id is put after to make its address; none where there is no such place.
    pub commit_url: Option<String>,
    /// The program and its version.
    pub tool: String,
    /// The commits, oldest first.
    pub commits: Vec<CommitLine>,
    /// What the machines are.
    pub machines: Vec<String>,
    /// Names of the references.
    pub references: Vec<String>,
    /// One for each benchmark × metric × environment, those of one benchmark after each other.
    pub series: Vec<SeriesLine>,
    /// Points that a series has before it can show a change.
    pub shortest: usize,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitLine {
    /// Its full id.
    pub id: String,
    /// The day it was committed, `2026-08-01`.
    pub day: String,
    /// The first line of its message.
    pub subject: String,
}

/// A benchmark × metric in one environment.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesLine {
    /// The suite.
    pub suite: String,
    /// The environment.
    pub environment: String,
    /// `suite/name(param=value, …) [metric]`.
    pub id: String,
    /// The benchmark without its parameters: series with one name share a page.
    pub name: String,
    /// The metric's name.
    pub metric: String,
    /// The metric's unit.
    pub unit: String,
    /// Which direction is an improvement.
    pub better: Better,
    /// What hangs together, in order; the last reaches furthest.
    pub pieces: Vec<PieceLine>,
    /// Its changes, in order of their commits.
    pub changes: Vec<ChangeLine>,
    /// Its slow drifts.
    pub drifts: Vec<DriftLine>,
}

/// Points that may be compared with each other.
#[derive(Clone, Debug, PartialEq)]
pub struct PieceLine {
    /// Whether each was measured against a reference in the same run.
    pub is_paired: bool,
    /// The points, in order of their commits.
    pub points: Vec<PointLine>,
}

/// One commit's point. Indices are into the dashboard's lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointLine {
    /// The commit.
    pub commit: usize,
    /// The machine.
    pub machine: usize,
    /// The reference; none for absolute values.
    pub reference: Option<usize>,
    /// Logarithm of its level.
    pub level: f64,
    /// Standard error of the level; 0 where there is none.
    pub error: f64,
    /// Its own value.
    pub value: Option<f64>,
}

/// A change of level.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeLine {
    /// The last commit before it.
    pub before: usize,
    /// The commit that most likely is the first with it.
    pub at: usize,
    /// The last commit that may be the first with it.
    pub last: usize,
    /// ln(after / before).
    pub size: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Whether it is for the worse.
    pub is_worse: bool,
    /// What else changed there: `the machine`.
    pub beside: Option<&'static str>,
    /// Whether it is reported for the first time.
    pub is_new: bool,
    /// The reason it was acknowledged with.
    pub acknowledged: Option<String>,
}

/// A slow change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriftLine {
    /// The first commit.
    pub from: usize,
    /// The last commit.
    pub to: usize,
    /// ln(end / beginning).
    pub size: f64,
    /// Whether it is for the worse.
    pub is_worse: bool,
}

/// A file of the dashboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageFile {
    /// Its path, `/` between parts.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// All files of a dashboard.
///
/// # Errors
/// [`RenderError::Template`] only if a built-in template is broken.
pub fn dashboard(dashboard: &Dashboard) -> Result<Vec<PageFile>, RenderError> {
    let mut files = vec![overview::overview(dashboard)?];
    let groups = dashboard.series.chunk_by(|a, b| page::key(a) == page::key(b));
    for series in groups {
        files.extend(page::page(dashboard, series)?);
    }
    files.push(PageFile { path: "data/commits.js".to_owned(), text: page::commits(dashboard) });
    Ok(files)
}

/// A value with its unit, for a terminal.
#[must_use]
pub fn quantity_text(value: f64, unit: &str) -> String {
    crate::number::quantity(value, unit).replace('\u{a0}', " ")
}

impl ChangeLine {
    /// Whether it is for the worse and nobody has acknowledged it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.is_worse && self.acknowledged.is_none()
    }

    /// Its size and interval in words.
    fn text(&self, unit: &str) -> crate::number::ChangeText {
        let change = Change {
            kind: ChangeKind::Ratio,
            ratio: self.size.exp(),
            low: Some(self.low.exp()),
            high: Some(self.high.exp()),
            confidence: 0.95,
            detectable: None,
        };
        crate::number::change(&change, unit)
    }

    /// `▲` for the worse and `▼` for the better, with their words.
    fn mark(&self) -> (&'static str, &'static str, &'static str) {
        match (self.is_worse, &self.acknowledged) {
            (true, None) => ("▲", "worse", "worse"),
            (true, Some(_)) => ("▲", "worse, acknowledged", "accepted"),
            (false, _) => ("▼", "better", "better"),
        }
    }
}

impl Dashboard {
    /// The commit's short id; empty where there is none.
    fn short(&self, commit: usize) -> &str {
        let id = self.commits.get(commit).map_or("", |commit| commit.id.as_str());
        id.get(..10).unwrap_or(id)
    }

    /// The commit's address, where it has one.
    fn address(&self, commit: usize) -> Option<String> {
        let id = &self.commits.get(commit)?.id;
        self.commit_url.as_ref().map(|url| format!("{url}{id}"))
    }
}
