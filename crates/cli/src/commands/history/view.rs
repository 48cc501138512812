//! A history as the pages and reports take it.

use super::HistoryError;
use super::place::Place;
use crate::args::ChangeArgs;
use bench_core::skeleton::today;
use bench_history::steps::Rule;
use bench_history::steps::SHORTEST_SERIES;
use bench_history::{
    ChangePoint, Changes, Confounder, History, Kind, Piece, Series, Timeline, detect,
};
use bench_render::dashboard::{
    ChangeLine, CommitLine, Dashboard, DriftLine, PieceLine, PointLine, SeriesLine,
};
use bench_results::MachineInfo;

/// A history with what was found in it.
pub(super) struct Seen {
    pub(super) timeline: Timeline,
    pub(super) changes: Changes,
}

/// Reads a history and searches it.
pub(super) fn see(place: &Place<'_>, args: &ChangeArgs) -> Result<Seen, HistoryError> {
    let history = place.load()?;
    let timeline = Timeline::new(&history, &place.order());
    let changes = search(place, &history, &timeline, args)?;
    Ok(Seen { timeline, changes })
}

fn search(
    place: &Place<'_>,
    history: &History,
    timeline: &Timeline,
    args: &ChangeArgs,
) -> Result<Changes, HistoryError> {
    let mut changes = detect(timeline, Rule { least: args.threshold.ln_1p() }, args.absolute);
    changes.mark_known(timeline, &history.detections);
    let acknowledgements = place.acknowledgements()?;
    changes.mark_acknowledged(timeline, &acknowledgements, &today().to_string());
    Ok(changes)
}

/// The same for pages and reports.
pub(super) fn dashboard(seen: &Seen, title: String, commit_url: Option<String>) -> Dashboard {
    let Seen { timeline, changes } = seen;
    let commit = |commit: &bench_history::Commit| CommitLine {
        id: commit.id.clone(),
        day: day(commit.committed),
        subject: commit.subject.clone(),
    };
    let series = timeline.series.iter().enumerate();
    Dashboard {
        title,
        commit_url,
        tool: format!("bench-action {}", env!("CARGO_PKG_VERSION")),
        commits: timeline.commits.iter().map(commit).collect(),
        machines: timeline.machines.iter().map(machine).collect(),
        references: timeline.references.iter().map(|one| one.label.clone()).collect(),
        series: series.map(|(at, one)| line(one, at, changes)).collect(),
        shortest: SHORTEST_SERIES,
    }
}

fn line(series: &Series, index: usize, changes: &Changes) -> SeriesLine {
    let own = changes.points.iter().filter(|point| point.series == index);
    let drifts = changes.drifts.iter().filter(|drift| drift.series == index);
    SeriesLine {
        suite: series.suite.clone(),
        environment: series.environment.clone(),
        id: series.entry.id.clone(),
        name: series.entry.name.clone(),
        metric: series.entry.metric.clone(),
        unit: series.entry.unit.clone(),
        better: series.entry.better,
        pieces: series.pieces.iter().map(piece).collect(),
        changes: own.map(change).collect(),
        drifts: drifts
            .map(|found| DriftLine {
                from: found.from,
                to: found.to,
                size: found.size,
                is_worse: found.is_worse,
            })
            .collect(),
    }
}

fn piece(piece: &Piece) -> PieceLine {
    let point = |point: &bench_history::SeriesPoint| PointLine {
        commit: point.commit,
        machine: point.machine,
        reference: point.reference,
        level: point.level,
        error: point.error,
        value: point.value,
    };
    PieceLine {
        is_paired: piece.kind == Kind::Paired,
        points: piece.points.iter().map(point).collect(),
    }
}

fn change(point: &ChangePoint) -> ChangeLine {
    ChangeLine {
        before: point.before,
        at: point.at,
        last: point.last,
        size: point.size,
        low: point.low,
        high: point.high,
        is_worse: point.is_worse,
        beside: point.confounder.map(|confounder| match confounder {
            Confounder::Machine => "the machine",
            Confounder::Reference => "the reference",
        }),
        is_new: point.is_new,
        acknowledged: point.acknowledged.clone(),
    }
}

fn machine(machine: &MachineInfo) -> String {
    let cpu = machine.cpu.as_deref().unwrap_or(&machine.id);
    match machine.cores {
        0 => cpu.to_owned(),
        cores => format!("{cpu}, {cores} cores"),
    }
}

/// The day of a moment, `2026-08-01`, in UTC.
pub(super) fn day(seconds: i64) -> String {
    let timestamp = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    timestamp.to_string().chars().take(10).collect()
}
