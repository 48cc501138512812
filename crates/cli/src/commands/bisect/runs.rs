//! The runs of a bisection: two commits against each other, one benchmark, on the way of every run.

use crate::args::{BisectArgs, GlobalArgs};
use crate::commands::HistoryError;
use crate::commands::project::Project;
use crate::error::CliError;
use crate::progress::Display;
use bench_core::config::{Flags, Pattern};
use bench_history::bisect::{Ends, Notes, Outcome};
use bench_process::Interrupt;
use bench_results::{Pairing, Results, Row, SideName, StoppedBy, Verdict};
use bench_stats::median;
use std::path::PathBuf;

/// Blocks of one run of a candidate: most are decided by as many, and a run costs more than a block.
const BLOCKS: u32 = 8;

/// More blocks than any decision needs.
const SURE: usize = 40;

/// Time for measuring in one run: it has one benchmark, and a wrong turn costs more than patience.
const BUDGET: &str = "5m";

/// Spread of a benchmark whose own was not seen.
const UNKNOWN_SPREAD: f64 = 0.02;

/// What runs are made with.
pub(super) struct Runs<'a> {
    pub(super) args: &'a BisectArgs,
    pub(super) global: &'a GlobalArgs,
    pub(super) interrupt: &'a Interrupt,
    pub(super) out: PathBuf,
}

/// What a run of the whole procedure says of two commits.
pub(super) enum Between {
    Differ { benchmark: String, ends: Ends, is_worse: bool },
    Alike { words: String },
    Stopped,
}

impl super::Measure for Runs<'_> {
    fn is_wanted(&self, id: &str) -> bool {
        Pattern::new(self.filter()).is_ok_and(|filter| filter.is_match(id))
    }

    fn ends(&self, good: &str, bad: &str) -> Result<Between, CliError> {
        let results = self.run(good, bad, self.filter(), None)?;
        if let Some(failure) = results.failure {
            return Err(CliError::NotPrepared(failure));
        }
        self.between(&results)
    }

    fn blocks(
        &self,
        good: &str,
        commit: &str,
        benchmark: &str,
    ) -> Result<Option<Vec<Outcome>>, CliError> {
        let results = self.run(good, commit, &exactly(benchmark), Some(BLOCKS))?;
        if results.stopped_by == StoppedBy::Signal {
            return Ok(None);
        }
        match results.failure {
            Some(failure) if failure.side == SideName::Base => {
                return Err(CliError::NotPrepared(failure));
            }
            Some(_) => return Ok(Some(vec![Outcome::NotBuilt])),
            None => {}
        }
        let row = results.benchmarks.iter().find(|row| row.id == benchmark);
        let d = row.map(log_ratios).unwrap_or_default();
        if row.is_some_and(|row| row.pairing == Pairing::Identical) {
            // The same build as the good end: as sure as any number of blocks.
            return Ok(Some(vec![Outcome::Block { d: 0.0 }; SURE]));
        }
        if d.is_empty() {
            // The commit has not got the benchmark, or it fails there.
            return Ok(Some(vec![Outcome::NotBuilt]));
        }
        Ok(Some(d.into_iter().map(|d| Outcome::Block { d }).collect()))
    }

    fn confirm(
        &self,
        before: &str,
        commit: &str,
        notes: &Notes,
    ) -> Result<Option<Vec<Outcome>>, CliError> {
        let results = self.run(before, commit, &exactly(&notes.benchmark), None)?;
        if results.stopped_by == StoppedBy::Signal {
            return Ok(None);
        }
        let outcome = match self.between(&results)? {
            Between::Differ { is_worse, .. } if is_worse == (notes.ends.effect > 0.0) => {
                Outcome::Confirmed
            }
            _ => Outcome::NotConfirmed,
        };
        Ok(Some(vec![outcome]))
    }

    fn words(&self) -> (&'static str, &'static str) {
        ("worse", "better")
    }
}

impl Runs<'_> {
    fn filter(&self) -> &str {
        self.args.filter.as_deref().unwrap_or_default()
    }

    fn between(&self, results: &Results) -> Result<Between, CliError> {
        if results.stopped_by == StoppedBy::Signal {
            return Ok(Between::Stopped);
        }
        let judged: Vec<&Row> =
            results.benchmarks.iter().filter(|row| row.verdict.is_some()).collect();
        let row = match judged.as_slice() {
            [] => return Err(HistoryError::NoBenchmark(self.filter().to_owned()).into()),
            [row] => row,
            several => {
                // All metrics of one benchmark match its id; the first is the one that is meant.
                let first = several.iter().find(|row| row.id == row.benchmark);
                let same = several.iter().all(|row| row.benchmark == several[0].benchmark);
                match first.filter(|_| same) {
                    Some(row) => row,
                    None => {
                        let names = several.iter().take(5).map(|row| row.id.clone()).collect();
                        let filter = self.filter().to_owned();
                        return Err(HistoryError::SeveralBenchmarks { filter, names }.into());
                    }
                }
            }
        };
        Ok(told(row))
    }

    fn run(
        &self,
        base: &str,
        head: &str,
        filter: &str,
        repeat: Option<u32>,
    ) -> Result<Results, CliError> {
        let flags = Flags {
            base: Some(base.to_owned()),
            head: Some(head.to_owned()),
            filters: vec![filter.to_owned()],
            config: self.args.config.clone(),
            suites: self.args.suite.iter().cloned().collect(),
            repeat,
            time_budget: Some(BUDGET.to_owned()),
            ..Flags::default()
        };
        let project = Project::open_for_results(flags, Some(&self.out), self.interrupt)?;
        let plan = project.plan()?;
        let job = project.job(&self.out);
        Ok(bench_core::run::run(&job, &project.config, &plan, &mut Display::new(self.global))?)
    }
}

fn told(row: &Row) -> Between {
    let is_worse = row.verdict == Some(Verdict::Regressed);
    if !is_worse && row.verdict != Some(Verdict::Improved) {
        let verdict = row.verdict.map_or("not judged", Verdict::word);
        let reason = row.reason.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        return Between::Alike {
            words: format!("{} between the two ends: {verdict}{reason}", row.id),
        };
    }
    let d = log_ratios(row);
    let Some(effect) = median(&d) else {
        return Between::Alike { words: format!("{} has no blocks to measure it by", row.id) };
    };
    let spread = row.noise.map_or(UNKNOWN_SPREAD, |noise| noise.sd);
    Between::Differ { benchmark: row.id.clone(), ends: Ends { effect, spread }, is_worse }
}

/// Log ratios of the blocks that count, positive is worse.
fn log_ratios(row: &Row) -> Vec<f64> {
    let counted = row.blocks.iter().filter(|block| block.counted);
    counted.filter_map(|block| block.corrected.or(block.d)).collect()
}

/// A pattern that matches this benchmark alone. A metric at the end of an id is not part of what is
/// matched.
fn exactly(id: &str) -> String {
    let metric = id.ends_with(']').then(|| id.rfind(" [")).flatten();
    let benchmark = metric.and_then(|at| id.get(..at)).unwrap_or(id);
    let mut pattern = String::from("^");
    for c in benchmark.chars() {
        if "\\.+*?()|[]{}^$#&-~".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('$');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_benchmark_is_matched_by_its_own_pattern_and_no_other_is() {
        let id = "asv/a.time_<b>_(n=[1, 2], s='x.y|z')";
        let matches = |pattern: &str, id: &str| Pattern::new(pattern).unwrap().is_match(id);
        assert!(matches(&exactly(id), id));
        assert!(!matches(&exactly("asv/a.b"), "asv/axb"));
        assert!(!matches(&exactly("asv/a"), "asv/ab"));
        assert!(matches(&exactly("asv/a [peak-memory]"), "asv/a"));
    }
}
