//! `bench-action run`: measure base against head, print the report, write the results.

use super::project::{LAST, Project};
use crate::args::{Format, GlobalArgs, RunArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::progress::Display;
use crate::{report, terminal};
use bench_core::plan;
use bench_core::run::{nothing_to_compare, run as run_plan};
use bench_process::{Interrupt, Signal};
use bench_results::{Results, StoppedBy};
use std::path::Path;

/// Runs, or prints the plan.
pub(crate) fn run(args: &RunArgs, global: &GlobalArgs) -> Result<Exit, CliError> {
    let interrupt = Interrupt::install().map_err(CliError::Signals)?;
    planned_or_measured(args, global, &interrupt).map_err(|error| error.by_signal(&interrupt))
}

fn planned_or_measured(
    args: &RunArgs,
    global: &GlobalArgs,
    interrupt: &Interrupt,
) -> Result<Exit, CliError> {
    if args.dry_run {
        let project = Project::look(args.flags(), interrupt)?;
        let mut text = plan::describe(&project.plan()?, &project.config);
        text += &project.irrelevant().map(|why| format!("{why}\n")).unwrap_or_default();
        terminal::print(&text)?;
        return Ok(Exit::Done);
    }
    let out = args.report.out.as_deref();
    let project = Project::open_for_results(args.flags(), out, interrupt)?;
    measure(&project, &project.out(out, LAST), args.report.format, global, interrupt)
}

/// Runs what was planned, and reports it.
pub(crate) fn measure(
    project: &Project<'_>,
    out: &Path,
    format: Format,
    global: &GlobalArgs,
    interrupt: &Interrupt,
) -> Result<Exit, CliError> {
    let plan = project.plan()?;
    let job = project.job(out);
    let irrelevant = project.irrelevant();
    let results = match &irrelevant {
        Some(why) => nothing_to_compare(&job, &project.config, &plan, why)?,
        None => run_plan(&job, &project.config, &plan, &mut Display::new(global))?,
    };
    report::write_files(&results, out)?;
    report::print(&results, format, global, project.show(), Some(out))?;
    Ok(if irrelevant.is_some() { Exit::Done } else { exit(&results, project, interrupt) })
}

/// A signal has its own codes; else the results say it.
pub(crate) fn exit(results: &Results, project: &Project<'_>, interrupt: &Interrupt) -> Exit {
    of_signal(results, interrupt)
        .unwrap_or_else(|| Exit::of_results(results, &project.config.compare.fail_on))
}

/// The exit code of a run that a signal has ended.
pub(crate) fn of_signal(results: &Results, interrupt: &Interrupt) -> Option<Exit> {
    (results.stopped_by == StoppedBy::Signal).then(|| match interrupt.received() {
        Some(Signal::Terminate) => Exit::Terminated,
        _ => Exit::Interrupted,
    })
}
