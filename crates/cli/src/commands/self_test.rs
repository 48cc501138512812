//! `bench-action self-test`: base against itself must stay without alarm, and base against a base
//! that is slower on purpose must alarm. On the user's own suite, on this machine.

use super::project::Project;
use super::run::of_signal;
use crate::args::{GlobalArgs, SelfTestArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::progress::Display;
use crate::{report, terminal};
use bench_core::config;
use bench_core::run::run as run_plan;
use bench_process::Interrupt;
use bench_results::{Results, Row, Verdict};
use std::path::Path;

/// Where its results go, apart from those of runs.
const OUT: &str = "self-test";

/// How much of the threshold head is slower by, where nobody says.
const SHARE_OF_THRESHOLD: f64 = 2.0;

/// Runs twice, and says whether the gate holds.
pub(crate) fn self_test(args: &SelfTestArgs, global: &GlobalArgs) -> Result<Exit, CliError> {
    let interrupt = Interrupt::install().map_err(CliError::Signals)?;
    both(args, global, &interrupt).map_err(|error| error.by_signal(&interrupt))
}

fn both(args: &SelfTestArgs, global: &GlobalArgs, interrupt: &Interrupt) -> Result<Exit, CliError> {
    let project = Project::open(args.flags(), interrupt)?;
    let slower_by = match &args.inject {
        Some(text) => config::change(text)
            .map_err(|message| CliError::Flag { what: "--inject:".to_owned(), message })?,
        None => SHARE_OF_THRESHOLD * project.config.compare.threshold,
    };
    let out = project.out(args.out.as_deref(), OUT);
    let mut holds = true;
    for (name, slower_by) in [("equal", 0.0), ("slower", slower_by)] {
        let results = measure(&project, &out.join(name), slower_by, global)?;
        if let Some(exit) = unmeasured(&results, interrupt) {
            report::print(&results, crate::args::Format::Terminal, global, project.show(), None)?;
            return Ok(exit);
        }
        let finding =
            if slower_by > 0.0 { of_slower(&results, slower_by) } else { of_equal(&results) };
        holds &= finding.holds;
        terminal::print(&finding.line())?;
    }
    terminal::print(&format!("  results  {}\n", report::relative(&out).display()))?;
    Ok(if holds { Exit::Done } else { Exit::Untrustworthy })
}

fn measure(
    project: &Project<'_>,
    out: &Path,
    slower_by: f64,
    global: &GlobalArgs,
) -> Result<Results, CliError> {
    let plan = project.plan()?;
    let mut job = project.job(out);
    job.slower_by = slower_by;
    let results = run_plan(&job, &project.config, &plan, &mut Display::new(global))?;
    report::write_files(&results, out)?;
    Ok(results)
}

/// The exit code of a run that says nothing about the gate.
fn unmeasured(results: &Results, interrupt: &Interrupt) -> Option<Exit> {
    of_signal(results, interrupt).or(match Exit::of_results(results, &Default::default()) {
        exit @ (Exit::NothingMeasured | Exit::NotPrepared) => Some(exit),
        _ => None,
    })
}

/// What one of the runs showed.
#[derive(Debug, PartialEq)]
struct Finding {
    holds: bool,
    words: String,
}

impl Finding {
    fn line(&self) -> String {
        format!("  {}  {}\n", if self.holds { "✓" } else { "✗" }, self.words)
    }
}

/// Equal sides: any change is a false alarm, and so is a sentinel that speaks.
fn of_equal(results: &Results) -> Finding {
    let rows = times(results);
    let alarms = named(&rows, |verdict| matches!(verdict, Verdict::Regressed | Verdict::Improved));
    let unchanged = count(&rows, Verdict::Unchanged);
    let undecided = count(&rows, Verdict::Inconclusive);
    let words = match (alarms.is_empty(), results.trust.ok) {
        (true, true) => {
            format!("equal sides: no alarm ({unchanged} unchanged, {undecided} undecided)")
        }
        (false, _) => format!("equal sides: false alarm in {}", alarms.join(", ")),
        (true, false) => format!(
            "equal sides: {}",
            results.trust.reason.as_deref().unwrap_or("the machine is not to be trusted")
        ),
    };
    Finding { holds: alarms.is_empty() && results.trust.ok, words }
}

/// A slower head: at least one must alarm, and none may be called anything else.
fn of_slower(results: &Results, by: f64) -> Finding {
    let rows = times(results);
    let missed = named(&rows, |verdict| matches!(verdict, Verdict::Unchanged | Verdict::Improved));
    let found = count(&rows, Verdict::Regressed);
    let undecided = count(&rows, Verdict::Inconclusive);
    let percent = by * 100.0;
    let words = match (missed.is_empty(), found) {
        (true, 0) => format!(
            "a head {percent:.1} % slower: nothing was found, {undecided} undecided; a larger \
             --time-budget, a quieter machine or a larger --inject"
        ),
        (true, _) => format!("a head {percent:.1} % slower: {found} found, {undecided} undecided"),
        (false, _) => format!("a head {percent:.1} % slower: missed in {}", missed.join(", ")),
    };
    Finding { holds: missed.is_empty() && found > 0, words }
}

/// The rows of which head's times were taken to be longer.
fn times(results: &Results) -> Vec<&Row> {
    results.benchmarks.iter().filter(|row| row.metric == "time").collect()
}

fn named(rows: &[&Row], is: impl Fn(Verdict) -> bool) -> Vec<String> {
    rows.iter()
        .filter(|row| row.verdict.is_some_and(&is))
        .map(|row| bench_render::for_terminal(&row.id))
        .collect()
}

fn count(rows: &[&Row], verdict: Verdict) -> usize {
    rows.iter().filter(|row| row.verdict == Some(verdict)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::tests as made;
    use serde_json::json;

    /// Results with rows of these verdicts.
    fn results(verdicts: &[(&str, &str)]) -> Results {
        let row = |&(id, verdict): &(&str, &str)| made::with(made::row(verdict), "id", json!(id));
        let rows: Vec<_> = verdicts.iter().map(row).collect();
        serde_json::from_value(made::results(&rows)).unwrap()
    }

    #[test]
    fn equal_sides_must_stay_without_alarm() {
        let finding = of_equal(&results(&[("a", "unchanged"), ("b", "inconclusive")]));
        assert!(finding.holds);
        assert_eq!(finding.words, "equal sides: no alarm (1 unchanged, 1 undecided)");
        let finding = of_equal(&results(&[("a\u{1b}[31m", "improved"), ("b", "unchanged")]));
        assert!(!finding.holds && !finding.words.contains('\u{1b}'), "{finding:?}");
    }

    #[test]
    fn a_slower_head_must_be_found_and_never_be_called_unchanged() {
        let holds = |verdicts: &[(&str, &str)]| of_slower(&results(verdicts), 0.06).holds;
        assert!(holds(&[("a", "regressed"), ("b", "inconclusive")]));
        assert!(!holds(&[("a", "inconclusive")]));
        assert!(!holds(&[("a", "regressed"), ("b", "unchanged")]));
    }
}
