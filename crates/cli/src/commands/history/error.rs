//! What can go wrong with a history, with the exit code each stands for.

use crate::exit::Exit;
use bench_core::git::GitError;
use bench_history::acknowledge::AcknowledgeError;
use bench_history::import::ImportError;
use bench_history::samples::SamplesError;
use bench_history::{LoadError, StoreError, TakeError};
use std::path::PathBuf;

/// A history could not be written or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HistoryError {
    /// A directory.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Files of a branch.
    #[error("branch {branch} of {remote}: {error}")]
    Load {
        /// The branch.
        branch: String,
        /// The repository.
        remote: String,
        /// What is wrong.
        error: LoadError,
    },
    /// Results that are not for a history.
    #[error("{path}: {error}")]
    Take {
        /// The results file.
        path: PathBuf,
        /// Why.
        error: TakeError,
    },
    /// git.
    #[error(transparent)]
    Git(#[from] GitError),
    /// Raw measurements in the history.
    #[error(transparent)]
    Samples(#[from] SamplesError),
    /// Something that cannot be a commit's id.
    #[error(
        "`{0}` is no commit id: give at least its first four digits, as `git rev-parse` prints them"
    )]
    NoCommitId(String),
    /// A commit without raw measurements.
    #[error(
        "{place} keeps no samples of commit {commit}; they are kept by `bench-action history record --samples`"
    )]
    NoSamples {
        /// As it was given.
        commit: String,
        /// The place.
        place: String,
    },
    /// Too few digits.
    #[error("{commit} begins the ids of several commits; give more digits: {}", commits.join(", "))]
    SeveralSamples {
        /// As it was given.
        commit: String,
        /// What it may mean.
        commits: Vec<String>,
    },
    /// Raw measurements that cannot be read or packed.
    #[error("{path}: {source}")]
    Measurements {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file of acknowledgements.
    #[error(transparent)]
    Acknowledge(#[from] AcknowledgeError),
    /// Another tool's history.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A job of a pull request.
    #[error(
        "this job belongs to a pull request; only commits of the default branch are recorded, and never by a pull request: record in a job that a push to it started"
    )]
    PullRequest,
    /// A commit that the default branch has not got.
    #[error(
        "commit {commit} is not on `{branch}` of {place}; only commits of the default branch are recorded: push it there first, or name the branch with --default-branch"
    )]
    NotOnBranch {
        /// The commit.
        commit: String,
        /// The default branch.
        branch: String,
        /// The repository.
        place: String,
    },
    /// Neither a repository nor a word about one.
    #[error(
        "there is no git repository here and none is named: run it in a clone, or name one with --remote URL"
    )]
    NoRepository,
    /// A branch, and nowhere to push it.
    #[error(
        "the repository here has no remote to keep a branch in: name one with --remote URL, or a directory with --dir"
    )]
    NoRemote,
    /// Nothing was recorded yet.
    #[error(
        "branch {branch} of {remote} does not exist yet; `bench-action history record` begins it"
    )]
    NoBranch {
        /// The branch.
        branch: String,
        /// The repository.
        remote: String,
    },
    /// Something that is no range.
    #[error("--range {0}: write it as A..B, with the commits after A up to B")]
    Range(String),
    /// A bisection without commits.
    #[error(
        "there is no commit after {good} up to {bad}: name them the other way round, or another pair"
    )]
    NoneBetween {
        /// The good end.
        good: String,
        /// The bad end.
        bad: String,
    },
    /// A filter that matches nothing that was judged.
    #[error(
        "--filter {0}: no benchmark that matches was judged on both ends; `bench-action list` names them"
    )]
    NoBenchmark(String),
    /// A script that does not print one.
    #[error(
        "`{0}` fails on one of the ends or prints no number above zero there; what it said is in .bench-action/bisect-work/messages"
    )]
    NoNumber(String),
    /// A filter that matches several.
    #[error("--filter {filter} matches several benchmarks; name one: {}", names.join(", "))]
    SeveralBenchmarks {
        /// The filter.
        filter: String,
        /// Some of them.
        names: Vec<String>,
    },
    /// A pattern.
    #[error("`{pattern}` is no regular expression: {message}")]
    Pattern {
        /// As it was given.
        pattern: String,
        /// What is wrong.
        message: String,
    },
}

impl HistoryError {
    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Git(GitError::Interrupted) => Exit::Interrupted,
            Self::Git(GitError::UnknownRevision { .. }) => Exit::Usage,
            Self::Git(_) => Exit::NotPrepared,
            _ => Exit::Usage,
        }
    }
}
