//! A private checkout of one revision.

use super::command::Git;
use super::error::GitError;
use super::repository::Repository;
use super::resolve::Revision;
use super::store::{self, Shape};
use super::submodules;
use std::path::{Path, PathBuf};

/// The files of a revision in a directory of ours.
#[derive(Clone, Debug)]
pub struct Checkout {
    directory: PathBuf,
}

impl Checkout {
    /// Puts the revision into `directory` (`.bench-action/work/<side>/…`), submodules included.
    /// What is there from an earlier run is used again where git can, and cleaned of everything
    /// that is not tracked; anything else is made anew. It is a repository of its own, with the
    /// user's tags, so that builds that ask git for a version get one.
    ///
    /// # Errors
    /// Those of git, and submodules that cannot be filled.
    pub fn create(
        repository: &Repository<'_>,
        directory: &Path,
        revision: &Revision,
    ) -> Result<Self, GitError> {
        let checkout = Self { directory: directory.to_path_buf() };
        let used_before = checkout.git_dir().join("HEAD").exists();
        match checkout.fill(repository, &revision.commit) {
            Err(GitError::Failed { .. }) if used_before => {
                store::remove(directory)?;
                checkout.fill(repository, &revision.commit)?;
            }
            other => other?,
        }
        Ok(checkout)
    }

    /// Its top.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Gives the checkout these untracked paths of the user's tree, as symbolic links.
    ///
    /// # Errors
    /// A path that is not there, or that is tracked.
    pub fn link(&self, repository: &Repository<'_>, links: &[PathBuf]) -> Result<(), GitError> {
        for link in links {
            let wrong =
                |problem: String| Err(GitError::Link { link: link.display().to_string(), problem });
            let (target, place) = (repository.root.join(link), self.directory.join(link));
            if !target.exists() {
                return wrong(format!("is not there in {}", repository.root.display()));
            }
            if std::fs::read_link(&place).is_ok_and(|linked| linked == target) {
                continue; // Two suites may want the same.
            }
            if place.exists() {
                return wrong("is tracked, so that each side has its own".to_owned());
            }
            let parent = place.parent().unwrap_or(&self.directory);
            std::fs::create_dir_all(parent).map_err(GitError::file(parent))?;
            std::os::unix::fs::symlink(&target, &place).map_err(GitError::file(&place))?;
        }
        Ok(())
    }

    /// Replaces the pointers of Git LFS by the files, from the user's `.git/lfs` where they are
    /// there, else from the remote.
    ///
    /// # Errors
    /// git-lfs is not installed, or a file is nowhere.
    pub fn fetch_large_files(&self, repository: &Repository<'_>) -> Result<(), GitError> {
        let remote = repository.remote.as_deref().unwrap_or("origin");
        let pull = self.git(repository).settings(&repository.remote_settings);
        match pull.args(["lfs", "pull", remote]).run() {
            Err(error @ GitError::Failed { .. }) => {
                let commit = self.git(repository).args(["rev-parse", "HEAD"]).text()?;
                Err(GitError::Lfs { commit, said: error.said() })
            }
            other => other.map(drop),
        }
    }

    fn fill(&self, repository: &Repository<'_>, commit: &str) -> Result<(), GitError> {
        let lenders = store::lenders(&repository.store.join("objects"));
        let edges = store::edges_of(&repository.store)?;
        place(repository, &self.directory, commit, &lenders, &edges)?;
        store::copy_tags(repository.stored(), || self.git(repository))?;
        submodules::fill(repository, &self.directory, commit)
    }

    fn git_dir(&self) -> PathBuf {
        self.directory.join(".git")
    }

    fn git<'a>(&self, repository: &Repository<'a>) -> Git<'a> {
        Git::new(&self.directory, repository.interrupt).git_dir(&self.git_dir())
    }
}

/// Makes `directory` a repository that borrows from `lenders` and checks `commit` out in it, with
/// nothing else beside it.
pub(super) fn place(
    repository: &Repository<'_>,
    directory: &Path,
    commit: &str,
    lenders: &[PathBuf],
    edges: &std::collections::BTreeSet<String>,
) -> Result<(), GitError> {
    let git_dir = directory.join(".git");
    if !git_dir.join("HEAD").exists() {
        store::remove(directory)?;
        store::init(repository, directory, Shape::WithFiles)?;
    }
    store::borrow(&git_dir, lenders)?;
    store::write_edges(&git_dir, edges)?;
    // A run that was killed leaves its lock behind; nobody else works here.
    std::fs::remove_file(git_dir.join("index.lock")).ok();
    let git = || {
        Git::new(directory, repository.interrupt)
            .git_dir(&git_dir)
            .settings(&repository.remote_settings)
    };
    git().args(["checkout", "--quiet", "--force", "--detach", commit]).run()?;
    git().args(["clean", "--quiet", "-ffdx"]).run().map(drop)
}
