//! What a run's journal holds, and how a run is taken up again from it.

use crate::case::Case;
use crate::measure::action::Outcome;
use bench_results::{Artifact, Journal, JournalError, Results, StoppedBy, read_journal};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The journal's name, beside the results.
pub const FILE_NAME: &str = "journal.jsonl";

/// One line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub enum Entry {
    /// The first line: everything that is known before measuring.
    Begin(Box<Begin>),
    /// What came of one action.
    Outcome {
        /// The outcome.
        outcome: Box<Outcome>,
    },
    /// The last line of a run that ended by itself.
    End {
        /// Why it stopped.
        stopped_by: StoppedBy,
    },
}

/// Everything that is known before measuring.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Begin {
    /// The results file so far: no row of a case.
    pub results: Results,
    /// The cases.
    pub cases: Vec<Case>,
    /// Names of the groups: suite, environment, harness.
    pub groups: Vec<(String, String, String)>,
    /// What the streams of random draws are named after: base, head.
    pub compared: (String, String),
}

/// A run that was interrupted, or died.
#[derive(Clone, Debug)]
pub struct Unfinished {
    /// How it began.
    pub begin: Begin,
    /// What it had measured.
    pub outcomes: Vec<Outcome>,
    /// Whether a signal ended it (else it died).
    pub by_signal: bool,
}

impl Unfinished {
    /// Whether it had the same plan as a run that begins now, the same part of it, and the same builds.
    #[must_use]
    pub fn is_of(&self, now: &Begin) -> bool {
        let builds = |results: &Results| -> Vec<Vec<Artifact>> {
            results.sides.iter().map(|side| side.artifacts.clone()).collect()
        };
        let (earlier, now) = (&self.begin.results, &now.results);
        earlier.plan.digest == now.plan.digest
            && earlier.shard == now.shard
            && builds(earlier) == builds(now)
    }
}

/// The journal of an output directory.
#[must_use]
pub fn path(out: &Path) -> PathBuf {
    out.join(FILE_NAME)
}

/// The unfinished run whose journal lies in this directory, if there is one. A journal that cannot
/// be read is as good as none: it would only be in the way of a new run.
#[must_use]
pub fn unfinished(out: &Path) -> Option<Unfinished> {
    let path = path(out);
    if !path.exists() {
        return None;
    }
    let entries: Vec<Entry> = read_journal(&path)
        .inspect_err(|error| tracing::debug!(%error, "no journal to take up"))
        .ok()?;
    let mut entries = entries.into_iter();
    let Some(Entry::Begin(begin)) = entries.next() else { return None };
    let (mut outcomes, mut by_signal) = (Vec::new(), false);
    for entry in entries {
        match entry {
            Entry::Outcome { outcome } if *outcome == Outcome::Interrupted => by_signal = true,
            Entry::Outcome { outcome } => outcomes.push(*outcome),
            Entry::End { stopped_by: StoppedBy::Signal } => by_signal = true,
            Entry::End { .. } => return None,
            Entry::Begin(_) => return None,
        }
    }
    Some(Unfinished { begin: *begin, outcomes, by_signal })
}

/// Starts the journal of a new run.
///
/// # Errors
/// When it cannot be written.
pub fn begin(out: &Path, begin: Begin) -> Result<Journal, JournalError> {
    let mut journal = Journal::create(&path(out))?;
    journal.append(&Entry::Begin(Box::new(begin)))?;
    Ok(journal)
}
