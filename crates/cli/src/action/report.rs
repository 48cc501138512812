//! `action report`: the comment. The second and last step with the token; it runs no code but
//! ours, and takes what was measured as data.

use super::inputs::Inputs;
use super::{ActionError, conclude};
use crate::args::CommentArgs;
use crate::commands::comment::{Told, bring_up_to_date};
use crate::error::CliError;
use crate::exit::Exit;
use crate::github::{Level, Reporter, Runner, annotation, variable};
use crate::terminal;
use std::path::{Path, PathBuf};

/// Reports what this job, another job of this run, or another run has measured.
pub(crate) fn report() -> Result<Exit, CliError> {
    let inputs = Inputs::read(&variable).map_err(ActionError::from)?;
    let runner = Runner::from_environment();
    let told = bring_up_to_date(&arguments(&inputs));
    match told {
        Ok(told) => outputs(&runner, &told),
        Err(CliError::Refused(refusal)) if refusal.is_missing_permission() => {
            runner.set("posted", "false")?;
            let text = format!(
                "no comment from this job, its token only reads: a job with `mode: report` can, or add to \
                 this one\n  permissions:\n    pull-requests: write\n{refusal}"
            );
            terminal::print(&format!("{}\n", annotation(Level::Notice, "bench-action", &text)))?;
            Ok(Exit::Done)
        }
        Err(error) => Err(error),
    }
}

fn arguments(inputs: &Inputs) -> CommentArgs {
    let number = |name| variable(name).and_then(|text| text.parse().ok());
    let reporter = Reporter::from_environment();
    let page = reporter.repository.filter(|_| reporter.run > 0);
    let page =
        page.map(|name| format!("{}/{name}/actions/runs/{}", reporter.server_url, reporter.run));
    CommentArgs {
        results: results_path(&conclude::out()),
        pr: number("PLAN_PULL"),
        repository: None,
        key: inputs.key.clone(),
        when: inputs.comment,
        template: None,
        report_url: page,
        dry_run: false,
    }
}

/// What this job has measured, or what was downloaded of another: of several attempts the latest.
fn results_path(out: &Path) -> Option<PathBuf> {
    let here = out.join(bench_core::record::RESULTS_FILE);
    if here.exists() {
        return Some(here);
    }
    let entries = std::fs::read_dir(out).into_iter().flatten().flatten();
    let attempts = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let attempt: u32 = name.rsplit_once("-attempt")?.1.parse().ok()?;
        Some((attempt, entry.path().join(bench_core::record::RESULTS_FILE)))
    });
    attempts.filter(|(_, path)| path.exists()).max().map(|(_, path)| path).or(Some(here))
}

fn outputs(runner: &Runner, told: &Told) -> Result<Exit, CliError> {
    let posted = told.posted.as_ref();
    runner.set("posted", if posted.is_some() { "true" } else { "false" })?;
    runner.set("comment-id", &posted.map(|posted| posted.id.to_string()).unwrap_or_default())?;
    runner.set("comment-url", posted.map_or("", |posted| &posted.url))?;
    if variable("PLAN_ACTION").as_deref() == Some("report")
        && let Some(results) = &told.results
    {
        conclude::set_outputs(runner, results, &conclude::out())?;
        conclude::summarize(runner, results)?;
    }
    Ok(told.exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_was_downloaded_the_latest_attempt_is_reported() {
        let out = tempfile::tempdir().unwrap();
        for attempt in ["9", "10", "x"] {
            let directory = out.path().join(format!("bench-result-bench-attempt{attempt}"));
            std::fs::create_dir(&directory).unwrap();
            std::fs::write(directory.join("results.json"), "").unwrap();
        }
        let found = results_path(out.path()).unwrap();
        assert!(found.ends_with("bench-result-bench-attempt10/results.json"), "{found:?}");
        std::fs::write(out.path().join("results.json"), "").unwrap();
        assert_eq!(results_path(out.path()), Some(out.path().join("results.json")));
    }
}
