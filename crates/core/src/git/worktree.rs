//! The files as they are: captured as a commit that only the private repository has.

use super::error::GitError;
use super::repository::Repository;
use super::resolve::{Origin, Revision};
use super::store;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

const WHO: &str = "bench-action";

impl Repository<'_> {
    /// Captures tracked changes and untracked files that are not ignored. The user's index and
    /// objects stay as they are: a copy of the index is brought up to date, and what it adds goes to
    /// the private objects. Equal files give an equal commit, so that builds are found again.
    /// Changes inside submodules are not captured, only which commit is checked out in them.
    pub(super) fn capture_worktree(&self) -> Result<Revision, GitError> {
        let parent = self.user().args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
        let parent = parent.answer()?.ok_or_else(|| self.no_commit())?;
        let place = tempfile::tempdir_in(&self.home).map_err(GitError::file(&self.home))?;
        let index = place.path().join("index");
        // A sparse index has to be completed from the user's objects.
        let tree = match self.tree_of_files(&index, None) {
            Err(GitError::Failed { .. }) => self.tree_of_files(&index, Some(&self.common)),
            other => other,
        }?;
        let diff = self.stored().args(["diff-tree", "-r", "-z", "--full-index", &parent, &tree]);
        let diff = diff.run()?;
        let (commit, diff_digest) = match diff.is_empty() {
            true => (parent.clone(), None),
            false => {
                let digest = bench_results::hex(&Sha256::digest(&diff));
                (self.commit_of(&tree, &parent)?, Some(digest))
            }
        };
        Ok(Revision {
            subject: self.subject(&parent)?,
            commit,
            label: "working tree".to_owned(),
            asked: "worktree".to_owned(),
            origin: Origin::Worktree { parent, diff_digest },
        })
    }

    /// The tree of the files, made through an index of our own. Git touches the file of an object
    /// that it was about to write and found in place already, and so would change times in the
    /// user's `.git`; hence it is shown the user's objects only where it cannot do without.
    fn tree_of_files(&self, index: &Path, lender: Option<&Path>) -> Result<String, GitError> {
        let path = ["rev-parse", "--path-format=absolute", "--git-path", "index"];
        let users = PathBuf::from(self.user().args(path).text()?);
        if users.exists() {
            std::fs::copy(&users, index).map_err(GitError::file(&users))?;
        }
        // A clean filter of Git LFS stores what it filters; that, too, must not go to `.git`.
        let lfs = self.home.join("cache").join("lfs").display().to_string();
        let lender = lender.map(|git_dir| git_dir.join("objects")).unwrap_or_default();
        let git = || {
            self.user()
                .variable("GIT_INDEX_FILE", index)
                .variable("GIT_OBJECT_DIRECTORY", store::captured(self))
                .variable("GIT_ALTERNATE_OBJECT_DIRECTORIES", &lender)
                .settings(&[("lfs.storage".to_owned(), lfs.clone())])
        };
        git().args(["add", "--all"]).run()?;
        git().args(["write-tree", "--missing-ok"]).text()
    }

    fn commit_of(&self, tree: &str, parent: &str) -> Result<String, GitError> {
        let date = self.stored().args(["log", "-1", "--no-show-signature", "--format=%ct", parent]);
        let date = format!("{} +0000", date.text()?);
        let mut git = self.stored();
        for role in ["AUTHOR", "COMMITTER"] {
            git = git
                .variable(&format!("GIT_{role}_NAME"), WHO)
                .variable(&format!("GIT_{role}_EMAIL"), WHO)
                .variable(&format!("GIT_{role}_DATE"), &date);
        }
        git.args(["commit-tree", tree, "-p", parent, "-m", "The working tree"]).text()
    }
}
