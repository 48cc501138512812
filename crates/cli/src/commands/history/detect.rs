//! `bench-action history detect`: the commits that changed a benchmark, and which of them are new.

use super::HistoryError;
use super::place::Place;
use super::tell;
use super::view::{self, Seen};
use crate::args::{ChangesFormat, DetectArgs};
use crate::error::CliError;
use crate::exit::Exit;
use bench_process::Interrupt;
use bench_render::dashboard::{changes_markdown, changes_terminal};

/// Takes the report.
pub(crate) type Show<'s> = &'s mut dyn FnMut(&str) -> Result<(), CliError>;

/// Finds the changes, shows them, and remembers what was new.
pub(super) fn detect(
    args: &DetectArgs,
    interrupt: &Interrupt,
    show: Show<'_>,
) -> Result<Exit, CliError> {
    let place = Place::open(&args.store, interrupt)?;
    let seen = view::see(&place, &args.change)?;
    let commit_url = place.web_address().map(|address| format!("{address}/commit/"));
    let shown = view::dashboard(&seen, String::new(), commit_url);
    show(&match args.format {
        ChangesFormat::Terminal => changes_terminal(&shown, args.new),
        ChangesFormat::Markdown => changes_markdown(&shown, args.new),
    })?;
    // Told first and remembered then: whoever is interrupted between tells it once more, in the same
    // place.
    tell::tell(args, &place, &shown)?;
    if !args.dry_run {
        remember(&place, &seen)?;
    }
    Ok(Exit::Done)
}

fn remember(place: &Place<'_>, seen: &Seen) -> Result<(), HistoryError> {
    match seen.changes.detection(&seen.timeline) {
        Some(file) => place.add(&[file], "report changes").map(drop),
        None => Ok(()),
    }
}
