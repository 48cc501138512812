//! `bench-action render`: a results file in another form.

use super::verify;
use crate::args::{Format, GlobalArgs, RenderArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::{report, terminal};
use bench_core::merge::whole_file;
use bench_render::{Options, Show};
use bench_results::{Results, read_path, read_samples, write_slices};
use std::path::Path;

/// Prints, or writes with `--out`.
pub(crate) fn render(args: &RenderArgs, global: &GlobalArgs) -> Result<Exit, CliError> {
    if args.template.is_some() && args.format != Format::Markdown {
        return Err(CliError::Template);
    }
    let path = args.results.clone().map_or_else(report::last, Ok)?;
    let results = read_path(&path)?;
    let template = args.template.as_deref().map(report::read_template).transpose()?;
    if args.verify {
        verify::file(&path, &results)?;
    }
    if let Some(report) = &args.report {
        verify::report(report, &results, template.clone())?;
    }
    let text = if args.slices {
        slices(&path, &results)?
    } else {
        let options = Options { template, ..report::options(global, Show::Changes, None) };
        report::text(&results, args.format, &options)?
    };
    match &args.out {
        Some(file) => report::write(file, &text)?,
        None => terminal::print(&text)?,
    }
    Ok(Exit::Done)
}

/// What the samples file beside the results holds, as CSV.
fn slices(path: &Path, results: &Results) -> Result<String, CliError> {
    let file = match whole_file(path, results) {
        Some(Ok(file)) => file,
        Some(Err(missing)) => return Err(CliError::Slices(missing)),
        None => return Err(CliError::NoSlices(path.to_owned())),
    };
    let unreadable = |source| CliError::Unreadable { path: file.clone(), source };
    let launches = read_samples(&file).map_err(unreadable)?;
    let mut bytes = Vec::new();
    write_slices(&launches, &mut bytes).map_err(unreadable)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
