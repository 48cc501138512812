//! `bench-action render`: a results file in another form.

use crate::args::{Format, GlobalArgs, RenderArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::{report, terminal};
use bench_core::judge;
use bench_render::Show;
use bench_results::{Results, read_path};
use std::path::{Path, PathBuf};

/// Prints, or writes with `--out`.
pub(crate) fn render(args: &RenderArgs, global: &GlobalArgs) -> Result<Exit, CliError> {
    if args.template.is_some() && args.format != Format::Markdown {
        return Err(CliError::Template);
    }
    let path = args.results.clone().map_or_else(last, Ok)?;
    let results = read_path(&path)?;
    if args.verify {
        verify(&path, &results)?;
    }
    let mut options = report::options(global, Show::Changes, None);
    options.template = args.template.as_deref().map(report::read_template).transpose()?;
    let text = report::text(&results, args.format, &options)?;
    match &args.out {
        Some(file) => report::write(file, &text)?,
        None => terminal::print(&text)?,
    }
    Ok(Exit::Done)
}

/// The results of the last run: those of the directory it was started in, or of one above.
fn last() -> Result<PathBuf, CliError> {
    let here = std::env::current_dir()
        .map_err(|source| CliError::Unreadable { path: ".".into(), source })?;
    let found =
        here.ancestors().map(|directory| directory.join(report::LAST)).find(|path| path.exists());
    let found = found.ok_or(CliError::NoResults)?;
    // As a person would type it, where that is shorter.
    Ok(found.strip_prefix(&here).map(Path::to_owned).unwrap_or(found))
}

/// Judges the evidence again: every verdict in the file must come out as it stands there.
fn verify(path: &Path, results: &Results) -> Result<(), CliError> {
    let mut again = results.clone();
    judge::judge(&mut again);
    let differs = results
        .benchmarks
        .iter()
        .zip(&again.benchmarks)
        .find(|(stored, judged)| stored.verdict != judged.verdict);
    match differs {
        None => Ok(()),
        Some((stored, judged)) => Err(CliError::Verify {
            path: path.to_owned(),
            id: stored.id.clone(),
            stored: stored.verdict,
            judged: judged.verdict,
        }),
    }
}
