//! Where reports go: files beside the results, and one on standard output.

use crate::args::{Format, GlobalArgs};
use crate::error::CliError;
use crate::terminal;
use bench_render::{Color, Options, Paths, Show};
use bench_results::Results;
use std::path::{Path, PathBuf};

/// Where `run` leaves its results, from the root of the repository.
pub(crate) const LAST: &str = ".bench-action/last/results.json";

/// Names of the reports in the output directory.
pub(crate) const MARKDOWN_FILE: &str = "report.md";
pub(crate) const HTML_FILE: &str = "report.html";

/// The results of the last run: those of the directory this was started in, or of one above.
pub(crate) fn last() -> Result<PathBuf, CliError> {
    let here = std::env::current_dir()
        .map_err(|source| CliError::Unreadable { path: ".".into(), source })?;
    let found = here.ancestors().map(|directory| directory.join(LAST)).find(|path| path.exists());
    let found = found.ok_or(CliError::NoResults)?;
    // As a person would type it, where that is shorter.
    Ok(found.strip_prefix(&here).map(Path::to_owned).unwrap_or(found))
}

/// Writes `report.md` and `report.html` beside the results.
pub(crate) fn write_files(results: &Results, out: &Path) -> Result<(), CliError> {
    let options = Options::default();
    write(&out.join(MARKDOWN_FILE), &bench_render::markdown(results, &options)?)?;
    write(&out.join(HTML_FILE), &bench_render::html(results, &options)?)
}

/// Writes a file of ours.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), CliError> {
    std::fs::write(path, text).map_err(|source| CliError::File { path: path.to_owned(), source })
}

/// Reads a template of the user's own.
pub(crate) fn read_template(path: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(path)
        .map_err(|source| CliError::Unreadable { path: path.to_owned(), source })
}

/// Prints the report in the form that was asked for. `out` is named at its end, on a terminal.
pub(crate) fn print(
    results: &Results,
    format: Format,
    global: &GlobalArgs,
    show: Show,
    out: Option<&Path>,
) -> Result<(), CliError> {
    terminal::print(&text(results, format, &options(global, show, out))?)
}

/// The report in one form.
pub(crate) fn text(
    results: &Results,
    format: Format,
    options: &Options,
) -> Result<String, CliError> {
    Ok(match format {
        Format::Terminal => bench_render::terminal(results, options),
        Format::Markdown => bench_render::markdown(results, options)?,
        Format::Html => bench_render::html(results, options)?,
        Format::Json => bench_render::json(results),
        Format::Csv => bench_render::csv(results),
        Format::Table => bench_render::table(results),
    })
}

/// What this terminal asks for.
pub(crate) fn options(global: &GlobalArgs, show: Show, out: Option<&Path>) -> Options {
    let shown = |file: &str| out.map(|out| relative(&out.join(file)).display().to_string());
    let results = shown(bench_core::record::RESULTS_FILE);
    let (width, long_lines) = terminal::width();
    Options {
        show,
        color: if terminal::is_coloured(global.color) { Color::Always } else { Color::Never },
        width,
        long_lines,
        paths: results.zip(shown(HTML_FILE)).map(|(results, report)| Paths { results, report }),
        ..Options::default()
    }
}

/// As a person would type it from here.
pub(crate) fn relative(path: &Path) -> PathBuf {
    let here = std::env::current_dir().ok();
    here.and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path).to_owned()
}
