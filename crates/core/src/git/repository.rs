//! The user's repository, which is only read, and the private one beside it.

use super::command::{Git, zero_separated};
use super::error::GitError;
use super::home::home;
use super::resolve::Revision;
use super::store;
use super::tree::RevisionTree;
use bench_process::Interrupt;
use std::path::{Path, PathBuf};

/// Settings of the user's repository that reaching a remote may need. Where its branches go is
/// none of them.
const FOR_REMOTES: [&str; 8] = [
    "remote.",
    "url.",
    "http.",
    "credential.",
    "protocol.",
    "core.sshcommand",
    "core.gitproxy",
    "ssh.",
];
const NOT_FOR_REMOTES: [&str; 5] = [".fetch", ".mirror", ".prune", ".prunetags", ".tagopt"];

/// A repository with the private place that belongs to it.
pub struct Repository<'a> {
    pub(super) root: PathBuf,
    /// What all working trees of the repository share: objects, configuration, submodules.
    pub(super) common: PathBuf,
    pub(super) home: PathBuf,
    pub(super) store: PathBuf,
    pub(super) object_format: String,
    pub(super) remote: Option<String>,
    /// Addresses, credentials, proxies: given to git through its environment. They are not written
    /// to the private repository, because caches of CI services keep what lies there.
    pub(super) remote_settings: Vec<(String, String)>,
    pub(super) interrupt: &'a Interrupt,
}

impl<'a> Repository<'a> {
    /// The repository that `directory` is in, at whatever depth. Makes `.bench-action/` at its root
    /// and the private repository in it, or brings that up to date.
    ///
    /// # Errors
    /// No repository, a bare one, no git; or `.bench-action` cannot be written.
    pub fn open(directory: &Path, interrupt: &'a Interrupt) -> Result<Self, GitError> {
        let make = |root: &Path| home(root).map_err(GitError::file(root.join(super::HOME)));
        Self::open_with(directory, interrupt, make)
    }

    /// The same with another directory in the place of `.bench-action`: nothing is written in the
    /// project.
    ///
    /// # Errors
    /// Those of [`Repository::open`].
    pub fn open_apart(
        directory: &Path,
        home: &Path,
        interrupt: &'a Interrupt,
    ) -> Result<Self, GitError> {
        Self::open_with(directory, interrupt, |_| Ok(home.to_owned()))
    }

    fn open_with(
        directory: &Path,
        interrupt: &'a Interrupt,
        home: impl FnOnce(&Path) -> Result<PathBuf, GitError>,
    ) -> Result<Self, GitError> {
        let git = || Git::new(directory, interrupt);
        let bare = git().args(["rev-parse", "--is-bare-repository"]).text();
        let bare = bare.map_err(|error| no_repository(directory, error))?;
        if bare == "true" {
            return Err(GitError::Bare(directory.to_path_buf()));
        }
        let facts = git().args([
            "rev-parse",
            "--path-format=absolute",
            "--show-toplevel",
            "--git-common-dir",
            "--show-object-format",
        ]);
        let facts = facts.text().map_err(|error| no_repository(directory, error))?;
        let mut facts = facts.lines();
        let mut next = || facts.next().unwrap_or_default().to_owned();
        let (root, common) = (PathBuf::from(next()), PathBuf::from(next()));
        let home = home(&root)?;
        let mut repository = Self {
            store: home.join("cache").join("repo.git"),
            root,
            common,
            home,
            object_format: next(),
            remote: None,
            remote_settings: Vec::new(),
            interrupt,
        };
        repository.read_remotes()?;
        store::refresh(&repository)?;
        Ok(repository)
    }

    /// The top of the user's working tree.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `.bench-action` at the root.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The files that differ between two revisions, `/` between parts; a renamed file counts as
    /// two.
    ///
    /// # Errors
    /// Those of git.
    pub fn changed_paths(&self, base: &Revision, head: &Revision) -> Result<Vec<String>, GitError> {
        let diff = ["diff-tree", "-r", "-z", "--name-only", "--no-renames"];
        let output = self.stored().args(diff).args([&base.commit, &head.commit]).run()?;
        Ok(zero_separated(&output).map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    /// The files of a revision, without a checkout.
    ///
    /// # Errors
    /// Those of git.
    pub fn tree(&self, revision: &Revision) -> Result<RevisionTree<'a>, GitError> {
        RevisionTree::read(self, &revision.commit)
    }

    /// Git on the user's repository, for reading.
    pub(super) fn user(&self) -> Git<'a> {
        Git::new(&self.root, self.interrupt)
    }

    /// Git on the private repository. It runs at the root, so that a remote with a relative path
    /// means what it means to the user.
    pub(super) fn stored(&self) -> Git<'a> {
        self.user().git_dir(&self.store)
    }

    /// The same, able to reach remotes.
    pub(super) fn stored_online(&self) -> Git<'a> {
        self.stored().settings(&self.remote_settings)
    }

    /// `origin`, else the first remote; with everything needed to reach it.
    fn read_remotes(&mut self) -> Result<(), GitError> {
        let names = self.user().args(["remote"]).text()?;
        let origin = names.lines().find(|name| *name == "origin").or(names.lines().next());
        self.remote = origin.map(str::to_owned);
        let list = self.user().args(["config", "--list", "--local", "--includes", "-z"]).run()?;
        let settings = zero_separated(&list).map(|entry| {
            let entry = String::from_utf8_lossy(entry);
            // A key without a value is a switch that is on.
            let (key, value) = entry.split_once('\n').unwrap_or((&entry, "true"));
            (key.to_owned(), value.to_owned())
        });
        self.remote_settings = settings.filter(|(key, _)| is_for_remotes(key)).collect();
        Ok(())
    }
}

fn is_for_remotes(key: &str) -> bool {
    FOR_REMOTES.iter().any(|prefix| key.starts_with(prefix))
        && !(key.starts_with("remote.") && NOT_FOR_REMOTES.iter().any(|end| key.ends_with(end)))
}

fn no_repository(directory: &Path, error: GitError) -> GitError {
    match error {
        GitError::Failed { said, .. } => {
            GitError::NoRepository { directory: directory.to_path_buf(), said }
        }
        other => other,
    }
}
