//! Why results are not put together, naming those that do not fit.

use std::fmt;

/// Results that are not shards of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeError {
    /// Which of the results that were given, from 0.
    pub at: Vec<usize>,
    /// What is wrong with them.
    pub why: Refusal,
}

impl MergeError {
    pub(super) fn at(at: impl Into<Vec<usize>>, why: Refusal) -> Self {
        Self { at: at.into(), why }
    }

    /// The same in words, with the names of the results that were given.
    #[must_use]
    pub fn named(&self, names: &[String]) -> String {
        let nth = |at: &usize| names.get(*at).cloned().unwrap_or_else(|| format!("no. {}", at + 1));
        let places: Vec<String> = self.at.iter().map(nth).collect();
        match places.as_slice() {
            [] => self.why.to_string(),
            places => format!("{}: {}", places.join(" and "), self.why),
        }
    }
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.named(&[]))
    }
}

impl std::error::Error for MergeError {}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// No results.
    #[error("there are no results to merge; name the results files of all shards")]
    Nothing,
    /// A whole run, or a merge.
    #[error(
        "not the results of one shard; only those of `bench-action run --shard I/N` are merged, and those of \
         several machines with --machine NAME=RESULTS"
    )]
    NoShard,
    /// A shard of fewer than its own number.
    #[error(
        "says that it is shard {index} of {count}, which there cannot be; run that shard again"
    )]
    OutOfRange {
        /// Its number.
        index: u32,
        /// Of how many.
        count: u32,
    },
    /// Nothing to put beside each other.
    #[error(
        "results of one machine alone; name those of two at least, each with --machine NAME=RESULTS"
    )]
    OneMachine,
    /// One name for two.
    #[error("two machines are called `{0}`; give each a name of its own")]
    SameMachine(String),
    /// A shard, or a merge with a hole in it.
    #[error("not a whole run; merge all its shards first")]
    NotWhole,
    /// Verdicts of different kinds.
    #[error(
        "they were judged by different settings; run on every machine with the same alpha, threshold and tolerance"
    )]
    Rules,
    /// Different revisions on different machines.
    #[error("one compares {0}, the other {1}; run the same two commits on every machine")]
    OtherCommits(String, String),
    /// More shards than there can be.
    #[error("one of {count} shards; there can be at most {}", crate::shard::MOST_SHARDS)]
    TooMany {
        /// How many the file says there are.
        count: u32,
    },
    /// Parts of different divisions.
    #[error("one is of {0} shards and the other of {1}; run all with the same N in --shard I/N")]
    Counts(u32, u32),
    /// The same part again.
    #[error("both are shard {index} of {count}; name each shard once")]
    Twice {
        /// Which.
        index: u32,
        /// Of how many.
        count: u32,
    },
    /// Different builds of this program.
    #[error("made by {0} and by {1}; run all with the same bench-action")]
    Tools(String, String),
    /// Different revisions.
    #[error(
        "one compares {0}, the other {1}; a branch may have moved between them: name both commits with --base and \
         --head in every shard"
    )]
    Commits(String, String),
    /// Different flags or configuration files.
    #[error("they ran with different settings; give every shard the same flags and the same file")]
    Settings,
    /// Different random streams.
    #[error("their seeds are `{0}` and `{1}`; give every shard the same --seed, or none")]
    Seeds(String, String),
    /// Different benchmark code.
    #[error("their benchmarks are not the same code: {0}; see that all run the same suite")]
    Suites(String),
    /// Different suites, or different partitions of one.
    #[error(
        "their plans differ (K = {0} and K = {1}): they found different benchmarks, or were spread by different \
         --shard-costs"
    )]
    Plans(u64, u64),
    /// One row in two shards.
    #[error("both have {id}, which only one shard can have measured")]
    Row {
        /// The row's id.
        id: String,
    },
    /// More rows than any results file has.
    #[error("together they have more than {most} rows, the most that a results file can hold")]
    Rows {
        /// The limit.
        most: usize,
    },
}
