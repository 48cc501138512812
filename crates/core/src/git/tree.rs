//! The files of a revision, read from the repository without a checkout.

use super::command::{Git, zero_separated};
use super::error::GitError;
use super::repository::Repository;
use bench_harness::Tree;
use bench_process::Interrupt;
use std::collections::HashMap;
use std::path::PathBuf;

/// The tracked files of a revision. Submodules are not entered.
pub struct RevisionTree<'a> {
    files: Vec<String>,
    blobs: HashMap<String, String>,
    root: PathBuf,
    store: PathBuf,
    settings: Vec<(String, String)>,
    interrupt: &'a Interrupt,
}

impl<'a> RevisionTree<'a> {
    pub(super) fn read(repository: &Repository<'a>, commit: &str) -> Result<Self, GitError> {
        let entries = entries(repository.stored(), commit)?;
        let blobs: Vec<Entry> = entries.into_iter().filter(|entry| entry.kind == "blob").collect();
        Ok(Self {
            files: blobs.iter().map(|entry| entry.path.clone()).collect(),
            blobs: blobs.into_iter().map(|entry| (entry.path, entry.id)).collect(),
            root: repository.root.clone(),
            store: repository.store.clone(),
            settings: repository.remote_settings.clone(),
            interrupt: repository.interrupt,
        })
    }
}

impl Tree for RevisionTree<'_> {
    fn files(&self) -> &[String] {
        &self.files
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let id = self.blobs.get(path)?;
        // A partial clone may have to fetch it.
        let git =
            Git::new(&self.root, self.interrupt).git_dir(&self.store).settings(&self.settings);
        git.args(["cat-file", "blob", id]).run().ok()
    }
}

/// One entry of a commit's tree.
pub(super) struct Entry {
    /// `blob`, or `commit` for a submodule.
    pub(super) kind: String,
    pub(super) id: String,
    pub(super) path: String,
}

/// All entries below a commit.
pub(super) fn entries(git: Git<'_>, commit: &str) -> Result<Vec<Entry>, GitError> {
    let list = git.args(["ls-tree", "-r", "-z", "--full-tree", commit]).run()?;
    Ok(zero_separated(&list).filter_map(entry).collect())
}

/// `100644 blob <id>\t<path>`.
fn entry(line: &[u8]) -> Option<Entry> {
    let line = String::from_utf8_lossy(line);
    let (facts, path) = line.split_once('\t')?;
    let mut facts = facts.split(' ').skip(1).map(str::to_owned);
    Some(Entry { kind: facts.next()?, id: facts.next()?, path: path.to_owned() })
}
