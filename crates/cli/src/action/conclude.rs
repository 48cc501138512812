//! `action conclude`: what came of measuring, as job summary, annotations and outputs. It needs no
//! token and is done on every exit.

use super::ActionError;
use super::inputs::Inputs;
use super::measure::{Sides, parsed, run_words};
use super::occasion::Source;
use super::words;
use crate::error::CliError;
use crate::exit::Exit;
use crate::github::{Level, Reporter, Runner, annotation, variable};
use crate::{commands, report, terminal};
use bench_core::config::{Config, FailOn};
use bench_core::skeleton;
use bench_render::{Options, remarks};
use bench_results::{Results, read_sound};
use std::path::{Path, PathBuf};

/// Annotations of one level that GitHub shows of one step.
const MOST_ANNOTATIONS: usize = 10;

const ODD_ARGS: &str = "`args` was understood when it was measured, and no longer is";

/// Most bytes of the report in the job summary; the rest is left for what other steps add.
const MOST_REPORT_BYTES: usize = 900_000;

/// Tells what came of measuring.
pub(crate) fn conclude() -> Result<Exit, CliError> {
    let runner = Runner::from_environment();
    let status = status();
    let out = out();
    runner.set("exit", &status.to_string())?;
    if variable("PLAN_ACTION").as_deref() != Some("measure") {
        return Ok(Exit::Done);
    }
    let Some(results) = left_by_run(&out) else {
        let why = why_nothing(status);
        annotate(Level::Error, "nothing was measured", why)?;
        runner.summarize(&format!("### ✗ Nothing was measured\n\n{why}."))?;
        return Ok(Exit::Done);
    };
    set_outputs(&runner, &results, &out)?;
    summarize(&runner, &results)?;
    let is_accepted = status == Exit::Regressed as u8 && variable("PLAN_ACCEPTED").is_some();
    if is_accepted {
        annotate(Level::Notice, "accepted", "the regression was accepted by a label")?;
    }
    // What is accepted fails nothing, and is not told as if it did.
    let status = if is_accepted { but_for_regressions(&results)? as u8 } else { status };
    runner.set("exit", &status.to_string())?;
    annotate_all(&results, status)?;
    Ok(Exit::Done)
}

/// How `run` would have ended, had no benchmark regressed: `fail-on` may name more than that.
fn but_for_regressions(results: &Results) -> Result<Exit, CliError> {
    let inputs = Inputs::read(&variable).map_err(ActionError::from)?;
    let told = parsed(&run_words(&inputs, &Sides::default(), None));
    let (global, args) = told.ok_or_else(|| ActionError::Refused(ODD_ARGS.to_owned()))?;
    commands::enter(&global)?;
    let root = Path::new(".");
    let config = Config::load(&args.flags(), root, bench_harness::all(), skeleton::today())?;
    let mut fail_on = config.compare.fail_on;
    fail_on.remove(&FailOn::Regression);
    Ok(Exit::of_results(results, &fail_on))
}

/// How `run` ended.
pub(crate) fn status() -> u8 {
    let text = variable("MEASURE_STATUS");
    text.and_then(|text| text.parse().ok()).unwrap_or(Exit::Defect as u8)
}

/// Where `run` wrote.
pub(crate) fn out() -> PathBuf {
    PathBuf::from(variable("PLAN_OUT").unwrap_or_default())
}

/// What `run` has left; with a mistake in what it was told it leaves nothing.
pub(crate) fn left_by_run(out: &Path) -> Option<Results> {
    match read_sound(&out.join(bench_core::record::RESULTS_FILE)) {
        Ok(results) => Some(results),
        Err(error) => {
            terminal::say(&terminal::plain(&error.to_string()));
            None
        }
    }
}

/// Why there are no results.
pub(crate) fn why_nothing(status: u8) -> &'static str {
    match status {
        2 => {
            "There is a mistake in the inputs or in the configuration; the log of this job names it"
        }
        130 | 143 => "The job was interrupted before anything was measured",
        _ => "The log of this job says why",
    }
}

/// Outputs that come from results.
pub(crate) fn set_outputs(runner: &Runner, results: &Results, out: &Path) -> Result<(), CliError> {
    let counts = &results.summary.counts;
    let file = |name: &str| out.join(name).display().to_string();
    for (name, value) in [
        ("verdict", results.summary.verdict.word().to_owned()),
        ("regressions", counts.regressed.saturating_sub(counts.accepted).to_string()),
        ("improvements", counts.improved.to_string()),
        ("inconclusive", counts.inconclusive.to_string()),
        ("failures", counts.failed.to_string()),
        ("results", file(bench_core::record::RESULTS_FILE)),
        ("report", file(report::MARKDOWN_FILE)),
    ] {
        runner.set(name, &value)?;
    }
    Ok(())
}

/// The report, and where the token of the job cannot comment, how it gets into a comment.
pub(crate) fn summarize(runner: &Runner, results: &Results) -> Result<(), CliError> {
    let reporter = Reporter::from_environment();
    let repository = reporter.repository.as_deref();
    let options = Options {
        budget: runner.summary_room().min(MOST_REPORT_BYTES),
        repository_url: repository.map(|name| format!("{}/{name}", reporter.server_url)),
        ..Options::default()
    };
    runner.summarize(&bench_render::markdown(results, &options)?)?;
    let source = variable("PLAN_ELSEWHERE").and_then(|word| Source::from_word(&word));
    if let Some(source) = source {
        runner.summarize(&words::second_workflow(source))?;
    }
    Ok(())
}

fn annotate_all(results: &Results, status: u8) -> Result<(), CliError> {
    if let Some(failure) = &results.failure {
        let title = format!("{} could not be prepared ({})", failure.side, failure.stage);
        annotate(Level::Error, &title, &failure.message)?;
    }
    let loud = |fails| if fails { Level::Error } else { Level::Warning };
    // How a commit stands to a reference of long ago is news to nobody.
    let is_history = variable("PLAN_MODE").as_deref() == Some("history");
    let mut all = remarks(results);
    all.retain(|remark| remark.is_failure || !is_history);
    for remark in all.iter().take(MOST_ANNOTATIONS - 1) {
        let fails = if remark.is_failure { Exit::Failed } else { Exit::Regressed };
        annotate(loud(status == fails as u8), &remark.word, &remark.text)?;
    }
    let more = all.len().saturating_sub(MOST_ANNOTATIONS - 1);
    if more > 0 {
        annotate(Level::Warning, "more", &format!("{more} more are in the job summary"))?;
    }
    Ok(())
}

fn annotate(level: Level, title: &str, text: &str) -> Result<(), CliError> {
    terminal::print(&format!("{}\n", annotation(level, title, text)))
}
