//! What can go wrong with a repository. Each message says what failed, where, and what to do.

use std::io;
use std::path::PathBuf;

/// A failure of git, or of what was asked of it.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The executable is not there.
    #[error("git cannot be started: {0}\n  install git, or put it on the PATH")]
    Missing(#[source] io::Error),

    /// The run was interrupted while git worked.
    #[error("interrupted while git worked")]
    Interrupted,

    /// A command failed that should not have.
    #[error("`{command}` failed in {}\n  {said}", .directory.display())]
    Failed {
        /// As typed.
        command: String,
        /// Where.
        directory: PathBuf,
        /// The end of what it printed.
        said: String,
    },

    /// No repository.
    #[error(
        "{} is not inside a git repository\n  {said}\n  run it inside one, or name existing builds \
         with --base-python and --head-python", .directory.display()
    )]
    NoRepository {
        /// Where one was looked for.
        directory: PathBuf,
        /// What git said.
        said: String,
    },

    /// A repository without files.
    #[error("{} is a bare repository\n  run it in a clone that has files", .0.display())]
    Bare(PathBuf),

    /// A revision that is neither here nor at the remote.
    #[error("`{asked}` is no commit in {}\n  {said}\n  {remedy}", .root.display())]
    UnknownRevision {
        /// As it was given.
        asked: String,
        /// The repository.
        root: PathBuf,
        /// What the remote said, or that there is none.
        said: String,
        /// What to do.
        remedy: String,
    },

    /// A revision that is not here, and a remote that does not answer.
    #[error(
        "`{asked}` is no commit in {}, and its remote could not be asked for it\n  {said}\n  make the \
         remote reachable, clone deeper (fetch-depth: 0), or check the spelling", .root.display()
    )]
    RemoteSilent {
        /// As it was given.
        asked: String,
        /// The repository.
        root: PathBuf,
        /// What git said.
        said: String,
    },

    /// No branch to take the base from.
    #[error(
        "the default branch of {} is not known\n  there is no origin/HEAD, no main and no master, \
         and {said}\n  name the base with --base", .root.display()
    )]
    NoDefaultBranch {
        /// The repository.
        root: PathBuf,
        /// What the remote said, or that there is none.
        said: String,
    },

    /// History that has to be fetched and cannot be.
    #[error(
        "the history in this shallow clone ends before the merge base of {head} and {branch}\n  \
         {said}\n  make the remote reachable, or clone deeper (fetch-depth: 0), or name the base \
         with --base"
    )]
    Shallow {
        /// The head, as it was asked for.
        head: String,
        /// The base branch.
        branch: String,
        /// What the remote said, or that there is none.
        said: String,
    },

    /// A branch that is not what it is taken for.
    #[error(
        "branch {name} exists and has no {mark}: it is not a history of benchmarks\n  \
         nothing was written; name another one with --branch"
    )]
    OtherBranch {
        /// The branch.
        name: String,
        /// The file it should have.
        mark: String,
    },

    /// Two histories that never meet.
    #[error(
        "{head} and {branch} have no common commit\n  their histories were read to the end in {}\n  \
         name the base with --base", .root.display()
    )]
    NoMergeBase {
        /// The head, as it was asked for.
        head: String,
        /// The base branch.
        branch: String,
        /// The repository.
        root: PathBuf,
    },

    /// A submodule that cannot be filled.
    #[error(
        "submodule {path} cannot be filled: commit {commit} is neither here nor at {url}\n  \
         {said}\n  run `git submodule update --init {path}` once, or make the remote reachable"
    )]
    Submodule {
        /// Its path in the superproject.
        path: String,
        /// The commit that is wanted.
        commit: String,
        /// Where it was looked for.
        url: String,
        /// What the remote said.
        said: String,
    },

    /// Large files that cannot be fetched.
    #[error(
        "the large files of {commit} cannot be fetched\n  {said}\n  install git-lfs and make its server reachable, or remove `lfs = true`"
    )]
    Lfs {
        /// The commit.
        commit: String,
        /// What git-lfs said.
        said: String,
    },

    /// A path of `links` that is not there, or is in the way of a tracked file.
    #[error("links: `{link}` {problem}\n  make it, or remove it from `links`")]
    Link {
        /// As configured.
        link: String,
        /// What is wrong.
        problem: String,
    },

    /// A file of ours.
    #[error("{} cannot be used: {source}\n  check its permissions and the space on its disk", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl GitError {
    /// The wrapper for errors about one path.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }

    /// What git itself said, for a message of higher rank.
    pub(crate) fn said(&self) -> String {
        match self {
            Self::Failed { command, said, .. } => {
                let verb = command.split(' ').take(3).collect::<Vec<_>>().join(" ");
                format!("{verb}: {said}")
            }
            other => other.to_string(),
        }
    }
}
