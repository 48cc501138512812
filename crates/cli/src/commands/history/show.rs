//! `bench-action history show`: the series in the terminal, a line each.

use super::HistoryError;
use super::place::Place;
use crate::args::ShowArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::terminal::{self, plain};
use bench_core::config::Pattern;
use bench_history::{Series, Timeline};
use bench_process::Interrupt;
use bench_render::dashboard::{quantity_text, sparkline_text};

/// Characters of a line of heights.
const WIDTH: usize = 40;

/// Prints the series.
pub(super) fn show(args: &ShowArgs, interrupt: &Interrupt) -> Result<Exit, CliError> {
    let filter = args.filter.as_deref().map(pattern).transpose()?;
    let place = Place::open(&args.store, interrupt)?;
    let timeline = Timeline::new(&place.load()?, &place.order());
    let first = args.last.map_or(0, |last| timeline.commits.len().saturating_sub(last));
    let wanted =
        |series: &&Series| filter.as_ref().is_none_or(|filter| filter.is_match(&series.entry.id));
    let lines: Vec<String> =
        timeline.series.iter().filter(wanted).map(|series| line(series, first)).collect();
    let commits = &timeline.commits[first..];
    let ends = commits.first().zip(commits.last());
    let span = ends.map_or(String::new(), |(from, to)| {
        let end = |commit: &bench_history::Commit| {
            let short = commit.id.get(..10).unwrap_or(&commit.id).to_owned();
            format!("{short} ({})", super::view::day(commit.committed))
        };
        format!("{} commits, {} to {}\n", commits.len(), end(from), end(to))
    });
    terminal::print(&format!("{span}{}", lines.concat()))?;
    Ok(Exit::Done)
}

fn pattern(text: &str) -> Result<Pattern, HistoryError> {
    Pattern::new(text).map_err(|message| HistoryError::Pattern {
        pattern: text.to_owned(),
        message: message.to_string(),
    })
}

/// Heights, the change from the first to the last commit shown, the value now, the name.
fn line(series: &Series, first: usize) -> String {
    let points = series.pieces.last().map_or(&[][..], |piece| &piece.points);
    let shown: Vec<f64> =
        points.iter().filter(|point| point.commit >= first).map(|point| point.level).collect();
    let heights = sparkline_text(&shown, WIDTH);
    let gap = " ".repeat(WIDTH.saturating_sub(heights.chars().count()));
    let value = points.last().and_then(|point| point.value);
    let value = value.map_or("–".to_owned(), |value| quantity_text(value, &series.entry.unit));
    let name = plain(&format!("{} · {}", series.entry.id, series.environment));
    format!("{heights}{gap}  {value:>10}  {name}\n")
}
