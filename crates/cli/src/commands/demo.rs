//! `bench-action demo`: a complete run on a small repository made on the spot.

use super::project::Project;
use super::run::exit;
use crate::args::{DemoArgs, Format, GlobalArgs};
use crate::demo::Demo;
use crate::error::CliError;
use crate::exit::Exit;
use crate::progress::Display;
use crate::{report, terminal};
use bench_core::config::Flags;
use bench_core::run::run as run_plan;
use bench_process::Interrupt;
use std::path::{Path, PathBuf};

/// The repository's name below the output directory.
const REPOSITORY: &str = "repository";

/// Makes the repository, runs, and says where everything is.
pub(crate) fn demo(args: &DemoArgs, global: &GlobalArgs) -> Result<Exit, CliError> {
    let interrupt = Interrupt::install().map_err(CliError::Signals)?;
    show(args, global, &interrupt).map_err(|error| error.by_signal(&interrupt))
}

fn show(args: &DemoArgs, global: &GlobalArgs, interrupt: &Interrupt) -> Result<Exit, CliError> {
    let out = output(args.out.as_deref())?;
    let Demo { directory, base, head } = Demo::make(&out.join(REPOSITORY))?;
    std::env::set_current_dir(&directory)
        .map_err(|source| CliError::File { path: directory.clone(), source })?;
    let flags = Flags { base: Some(base), head: Some(head), ..Flags::default() };
    let project = Project::open(flags, interrupt)?;
    let plan = project.plan()?;
    let job = project.job(&out);
    let results = run_plan(&job, &project.config, &plan, &mut Display::new(global))?;
    report::write_files(&results, &out)?;
    report::print(&results, Format::Terminal, global, project.show(), Some(&out))?;
    if args.keep {
        terminal::say(&format!("the repository is {}", directory.display()));
    } else {
        // What cannot be removed is only in the way; the results stand beside it.
        let _left = std::fs::remove_dir_all(&directory);
    }
    Ok(exit(&results, &project, interrupt))
}

/// A new directory that stays, because the results are in it.
fn output(given: Option<&Path>) -> Result<PathBuf, CliError> {
    let Some(given) = given else {
        let made = tempfile::Builder::new().prefix("bench-action-demo-").tempdir();
        let made = made.map_err(|source| CliError::File { path: std::env::temp_dir(), source })?;
        return Ok(made.keep());
    };
    let path = std::path::absolute(given).unwrap_or_else(|_| given.to_owned());
    std::fs::create_dir_all(&path)
        .map_err(|source| CliError::File { path: path.clone(), source })?;
    Ok(path)
}
