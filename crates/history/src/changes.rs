//! The changes in a history, as commits: which are there, which are new, which are known.

use crate::acknowledge::Acknowledgement;
use crate::record::{SCHEMA, StoredFile};
use crate::steps::{self, Rule, Step};
use crate::timeline::{Kind, Piece, Series, SeriesPoint, Timeline};
use bench_results::Better;
use serde::{Deserialize, Serialize};

/// Points on either side of a change that tell whether the machine changed with it.
const NEIGHBOURHOOD: usize = 4;

/// A change within so many points of a change of reference may be the error of its overlap.
const BESIDE: usize = 3;

/// A change of a benchmark's level between two commits.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangePoint {
    /// Index into [`Timeline::series`].
    pub series: usize,
    /// Index into the series' pieces.
    pub piece: usize,
    /// Index of the last commit that is certainly before it.
    pub before: usize,
    /// Index of the commit that most likely is the first with it.
    pub at: usize,
    /// Index of the last commit that may be the first with it.
    pub last: usize,
    /// Index, in the piece's points, of the point of `at`.
    pub point: usize,
    /// ln(after / before) of the values.
    pub size: f64,
    /// Lower end of the 95 % interval of the size.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Whether it is a change for the worse.
    pub is_worse: bool,
    /// What changed at the same place and may be the reason.
    pub confounder: Option<Confounder>,
    /// Whether no earlier detection has reported it.
    pub is_new: bool,
    /// The reason it was acknowledged with, if it was.
    pub acknowledged: Option<String>,
}

/// What else changed where the level did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confounder {
    /// The machine: no machine measured on both sides.
    Machine,
    /// The reference: the change may be an error of the overlap.
    Reference,
}

/// A slow change without a commit to blame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Index into [`Timeline::series`].
    pub series: usize,
    /// Index of the first commit.
    pub from: usize,
    /// Index of the last commit.
    pub to: usize,
    /// ln(end / beginning) of the values.
    pub size: f64,
    /// Whether it is for the worse.
    pub is_worse: bool,
}

/// Everything found in a history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// The change points, series by series in order of their commits.
    pub points: Vec<ChangePoint>,
    /// The slow drifts.
    pub drifts: Vec<Found>,
}

/// What one detection reported for the first time: a file of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detection {
    /// `bench-action/history/v1`.
    pub schema: String,
    /// The commit that was the newest one then.
    pub newest: String,
    /// What was new.
    pub changes: Vec<Known>,
}

/// A change that has been reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The suite.
    pub suite: String,
    /// The environment.
    pub environment: String,
    /// The benchmark × metric.
    pub id: String,
    /// The last commit before it.
    pub before: String,
    /// The last commit that may be the first with it.
    pub last: String,
    /// Whether it was for the worse.
    pub worse: bool,
}

/// Finds the changes of every paired series. Absolute values are looked at only if asked for: their
/// noise follows the machine, and what is found in them is often the machine.
#[must_use]
pub fn detect(timeline: &Timeline, rule: Rule, with_absolute: bool) -> Changes {
    let mut changes = Changes::default();
    for (index, series) in timeline.series.iter().enumerate() {
        for (at, piece) in series.pieces.iter().enumerate() {
            if piece.kind == Kind::Paired || with_absolute {
                in_piece(&mut changes, index, series, at, piece, rule);
            }
        }
    }
    changes
}

fn in_piece(
    changes: &mut Changes,
    index: usize,
    series: &Series,
    at: usize,
    piece: &Piece,
    rule: Rule,
) {
    let points = &piece.points;
    let levels: Vec<f64> = points.iter().map(|point| point.level).collect();
    let found = steps::find(&levels, rule);
    let is_worse = |size: f64| (size > 0.0) == (series.entry.better == Better::Lower);
    let steps = found.steps.iter().filter(|step| outweighs_links(points, step));
    changes.points.extend(steps.filter_map(|step| {
        Some(ChangePoint {
            series: index,
            piece: at,
            before: points.get(step.range.0.checked_sub(1)?)?.commit,
            at: points.get(step.at)?.commit,
            last: points.get(step.range.1)?.commit,
            point: step.at,
            size: step.size,
            low: step.low,
            high: step.high,
            is_worse: is_worse(step.size),
            confounder: confounder(points, step.at),
            is_new: true,
            acknowledged: None,
        })
    }));
    changes.drifts.extend(found.drifts.iter().filter_map(|drift| {
        Some(Found {
            series: index,
            from: points.get(drift.from)?.commit,
            to: points.get(drift.to)?.commit,
            size: drift.size,
            is_worse: is_worse(drift.size),
        })
    }));
}

/// Whether a step is more than the error of a link between references that were changed beside it.
fn outweighs_links(points: &[SeriesPoint], step: &Step) -> bool {
    let from = step.range.0.saturating_sub(BESIDE);
    let to = (step.range.1 + BESIDE).min(points.len().saturating_sub(1));
    let links = points.get(from).zip(points.get(to));
    let variance = links.map_or(0.0, |(a, b)| (a.links - b.links).abs());
    let error = (step.high - step.low) / 4.0;
    step.size.abs() >= steps::LEAST_EVIDENCE * (variance + error * error).sqrt()
}

fn confounder(points: &[SeriesPoint], at: usize) -> Option<Confounder> {
    let before = points.get(at.saturating_sub(NEIGHBOURHOOD)..at)?;
    let after = points.get(at..(at + NEIGHBOURHOOD).min(points.len()))?;
    let differ = |of: fn(&SeriesPoint) -> Option<usize>| {
        before.iter().all(|a| after.iter().all(|b| of(a) != of(b)))
    };
    if differ(|point| Some(point.machine)) {
        Some(Confounder::Machine)
    } else if differ(|point| point.reference) {
        Some(Confounder::Reference)
    } else {
        None
    }
}

impl Changes {
    /// Marks what earlier detections have reported: the same series, the same direction, and commits
    /// that overlap, since a place may move a little as commits follow.
    pub fn mark_known(&mut self, timeline: &Timeline, detections: &[Detection]) {
        let position = |id: &str| timeline.commits.iter().position(|commit| commit.id == id);
        let known: Vec<(&Known, Option<usize>, Option<usize>)> = detections
            .iter()
            .flat_map(|detection| &detection.changes)
            .map(|known| (known, position(&known.before), position(&known.last)))
            .collect();
        for point in &mut self.points {
            let Some(series) = timeline.series.get(point.series) else { continue };
            point.is_new = !known.iter().any(|(known, before, last)| {
                known.id == series.entry.id
                    && known.suite == series.suite
                    && known.environment == series.environment
                    && known.worse == point.is_worse
                    && before.is_some_and(|before| before < point.last)
                    && last.is_some_and(|last| last > point.before)
            });
        }
    }

    /// Marks what is acknowledged on this day (`2027-03-01`).
    pub fn mark_acknowledged(
        &mut self,
        timeline: &Timeline,
        acknowledgements: &[Acknowledgement],
        today: &str,
    ) {
        for point in &mut self.points {
            let Some(series) = timeline.series.get(point.series) else { continue };
            let covers = acknowledgements.iter().find(|one| {
                one.is_for(&series.entry.id, &series.environment)
                    && !one.has_expired(today)
                    && timeline
                        .commits
                        .get(point.before + 1..=point.last)
                        .is_some_and(|range| range.iter().any(|commit| one.names(&commit.id)))
            });
            point.acknowledged = covers.map(|one| one.reason.clone());
        }
    }

    /// The file that remembers what is new; none where nothing is.
    #[must_use]
    pub fn detection(&self, timeline: &Timeline) -> Option<StoredFile> {
        let id = |commit: usize| timeline.commits.get(commit).map(|commit| commit.id.clone());
        let new: Vec<Known> = self
            .points
            .iter()
            .filter(|point| point.is_new)
            .filter_map(|point| {
                let series = timeline.series.get(point.series)?;
                Some(Known {
                    suite: series.suite.clone(),
                    environment: series.environment.clone(),
                    id: series.entry.id.clone(),
                    before: id(point.before)?,
                    last: id(point.last)?,
                    worse: point.is_worse,
                })
            })
            .collect();
        let newest = timeline.commits.last()?.id.clone();
        let detection = Detection { schema: SCHEMA.to_owned(), newest, changes: new };
        let is_empty = detection.changes.is_empty();
        (!is_empty).then(|| StoredFile::named("detections/", "", &detection))
    }
}
