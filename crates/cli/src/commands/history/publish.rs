//! `bench-action history publish`: the dashboard.

use super::place::Place;
use super::view;
use crate::args::PublishArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::terminal::{self, plain};
use bench_process::Interrupt;
use bench_render::dashboard::{PageFile, dashboard};
use std::path::Path;

/// Writes the pages.
pub(super) fn publish(args: &PublishArgs, interrupt: &Interrupt) -> Result<Exit, CliError> {
    let place = Place::open(&args.store, interrupt)?;
    let seen = view::see(&place, &args.change)?;
    let web = place.web_address();
    let title = args.title.clone().or_else(|| name(web.as_deref(), &place));
    let commit_url = args.commit_url.clone().or(web.map(|address| format!("{address}/commit/")));
    let shown = view::dashboard(&seen, title.unwrap_or_else(|| "this project".into()), commit_url);
    let files = dashboard(&shown)?;
    files.iter().try_for_each(|file| write(&args.out, file))?;
    let index = args.out.join("index.html");
    terminal::print(&format!(
        "{} pages of {} series over {} commits: {}\n",
        files.iter().filter(|file| file.path.ends_with(".html")).count(),
        shown.series.len(),
        shown.commits.len(),
        plain(&index.display().to_string())
    ))?;
    Ok(Exit::Done)
}

/// The last part of the repository's address, else of its directory.
fn name(web: Option<&str>, place: &Place<'_>) -> Option<String> {
    let of_web = web.and_then(|address| address.rsplit('/').next()).map(str::to_owned);
    let root = place.repository.as_ref().and_then(|repository| repository.root().file_name());
    of_web.or_else(|| root.map(|name| name.to_string_lossy().into_owned()))
}

fn write(out: &Path, file: &PageFile) -> Result<(), CliError> {
    let path = out.join(&file.path);
    let failed = |source| CliError::File { path: path.clone(), source };
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory).map_err(failed)?;
    }
    std::fs::write(&path, &file.text).map_err(failed)
}
