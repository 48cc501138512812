//! A bisection by any script that prints a number: each commit has a checkout of its own, in which the
//! script does what it needs, builds included.

use super::Measure;
use super::runs::Between;
use crate::commands::HistoryError;
use crate::error::CliError;
use bench_core::git::{Checkout, GitError, Origin, Repository, Revision};
use bench_history::bisect::{Ends, Notes, Outcome};
use bench_process::{
    Environment, Interrupt, Launcher, LockError, MachineLock, Output, Spec, Wait, WaitError,
    machine_lock_path, run,
};
use bench_stats::{Coin, Decision, Rule, Sequence, median, robust_sd};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a script may take, builds included.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// Blocks of a candidate at a time.
const BLOCKS: usize = 4;

/// Most blocks of the whole procedure.
const MOST: usize = 60;

/// One comparison with the whole of the chance of a false alarm, no bias forgiven, and 2 % to be told
/// from nothing.
const RULE: Rule = Rule {
    alpha: 0.05,
    family: 1,
    tolerance: 0.0,
    threshold: 0.0198,
    alpha_unchanged: 0.05,
    min_blocks: 6,
    scale: 1.0,
};

/// A script with what it is run with.
pub(super) struct Script<'a> {
    pub(super) repository: &'a Repository<'a>,
    pub(super) command: String,
    pub(super) launcher: Launcher,
    pub(super) interrupt: &'a Interrupt,
    /// Where the checkouts are.
    pub(super) work: PathBuf,
}

/// Why there is no number.
enum Failed {
    /// The script ended with a failure, or printed no number.
    Script,
    /// A signal came.
    Stopped,
}

impl Measure for Script<'_> {
    fn is_wanted(&self, benchmark: &str) -> bool {
        benchmark == self.benchmark()
    }

    fn ends(&self, good: &str, bad: &str) -> Result<Between, CliError> {
        self.whole(good, bad)
    }

    fn blocks(
        &self,
        good: &str,
        commit: &str,
        _benchmark: &str,
    ) -> Result<Option<Vec<Outcome>>, CliError> {
        let sides = (self.checkout(good)?, self.checkout(commit)?);
        let mut outcomes = Vec::new();
        let Some(_machine) = self.machine()? else { return Ok(None) };
        while outcomes.len() < BLOCKS {
            match self.block(&sides.0, &sides.1)? {
                Ok((d, _)) => outcomes.push(Outcome::Block { d }),
                Err(Failed::Stopped) => return Ok(None),
                Err(Failed::Script) => return Ok(Some(vec![Outcome::NotBuilt])),
            }
        }
        Ok(Some(outcomes))
    }

    fn confirm(
        &self,
        before: &str,
        commit: &str,
        notes: &Notes,
    ) -> Result<Option<Vec<Outcome>>, CliError> {
        let before = self.repository.facts(before).map_err(HistoryError::from)?;
        let before = before.map(|facts| facts.id).unwrap_or_default();
        Ok(match self.whole(&before, commit)? {
            Between::Stopped => None,
            Between::Differ { is_worse, .. } if is_worse == (notes.ends.effect > 0.0) => {
                Some(vec![Outcome::Confirmed])
            }
            _ => Some(vec![Outcome::NotConfirmed]),
        })
    }

    fn words(&self) -> (&'static str, &'static str) {
        ("higher", "lower")
    }
}

impl Script<'_> {
    fn benchmark(&self) -> String {
        format!("the number that `{}` prints", self.command)
    }

    /// Blocks until it is decided whether the numbers differ.
    fn whole(&self, base: &str, head: &str) -> Result<Between, CliError> {
        let sides = (self.checkout(base)?, self.checkout(head)?);
        let Some(_machine) = self.machine()? else { return Ok(Between::Stopped) };
        let mut sequence = Sequence::new(RULE);
        while sequence.decision().is_none() && sequence.len() < MOST {
            match self.block(&sides.0, &sides.1)? {
                Ok((d, coin)) => drop(sequence.push(d, coin)),
                Err(Failed::Stopped) => return Ok(Between::Stopped),
                Err(Failed::Script) => {
                    return Err(HistoryError::NoNumber(self.command.clone()).into());
                }
            }
        }
        let d = sequence.corrected();
        let changed = matches!(sequence.decision(), Some(Decision::Slower | Decision::Faster));
        match (changed, median(d), robust_sd(d)) {
            (true, Some(effect), Some(spread)) => Ok(Between::Differ {
                benchmark: self.benchmark(),
                ends: Ends { effect, spread },
                is_worse: effect > 0.0,
            }),
            _ => Ok(Between::Alike {
                words: format!(
                    "{} does not differ between the two ends, as far as {} blocks can tell",
                    self.benchmark(),
                    d.len()
                ),
            }),
        }
    }

    /// The script once in each checkout, in an order that a coin decides; ln(head / base).
    fn block(&self, base: &Path, head: &Path) -> Result<Result<(f64, Coin), Failed>, CliError> {
        let coin = if RandomState::new().build_hasher().finish() & 1 == 0 {
            Coin::Heads
        } else {
            Coin::Tails
        };
        let order = if coin == Coin::Heads { [base, head] } else { [head, base] };
        let mut values = [0.0; 2];
        for (value, side) in values.iter_mut().zip(order) {
            match self.number(side)? {
                Ok(number) => *value = number,
                Err(failed) => return Ok(Err(failed)),
            }
        }
        let [first, second] = values;
        let d = (second / first).ln() * coin.sign();
        Ok(if d.is_finite() { Ok((d, coin)) } else { Err(Failed::Script) })
    }

    /// The last number that the script prints.
    fn number(&self, directory: &Path) -> Result<Result<f64, Failed>, CliError> {
        let output = self.work.join("output");
        let environment = Environment::current().plain_output();
        let mut spec =
            Spec::new("sh", directory, environment).with_arguments(["-c", self.command.as_str()]);
        spec.stdout = Output::File(output.clone());
        spec.stderr = Output::File(self.work.join("messages"));
        let ended = match run(&self.launcher, &spec, Some(PATIENCE), self.interrupt) {
            Ok(exit) => exit.success(),
            Err(WaitError::Interrupted(_)) => return Ok(Err(Failed::Stopped)),
            Err(_) => false,
        };
        let unreadable = |source| CliError::Unreadable { path: output.clone(), source };
        let bytes = std::fs::read(&output).map_err(unreadable)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut numbers = text.split_whitespace().rev().filter_map(|word| word.parse::<f64>().ok());
        let number = numbers.next().filter(|number| ended && number.is_finite() && *number > 0.0);
        Ok(number.ok_or(Failed::Script))
    }

    /// The checkout of a commit, made once: what the script has built in it stays.
    fn checkout(&self, commit: &str) -> Result<PathBuf, CliError> {
        let directory = self.work.join(commit.get(..20).unwrap_or(commit));
        if !directory.join(".git/HEAD").exists() {
            let revision = Revision {
                commit: commit.to_owned(),
                subject: String::new(),
                label: String::new(),
                asked: commit.to_owned(),
                origin: Origin::Commit,
            };
            Checkout::create(self.repository, &directory, &revision).map_err(HistoryError::from)?;
        }
        Ok(directory)
    }

    /// The machine for measuring; none where a signal ended the wait.
    fn machine(&self) -> Result<Option<MachineLock>, CliError> {
        match MachineLock::acquire(machine_lock_path(), Wait::For(PATIENCE), self.interrupt) {
            Ok(lock) => Ok(Some(lock)),
            Err(LockError::Interrupted(_)) => Ok(None),
            Err(error) => Err(CliError::Run(error.into())),
        }
    }
}

/// Removes the checkouts of a search that has ended.
pub(super) fn tidy(work: &Path) -> Result<(), CliError> {
    match std::fs::remove_dir_all(work) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(HistoryError::from(GitError::File { path: work.to_owned(), source }).into())
        }
        _ => Ok(()),
    }
}
