//! Real repositories, made on the spot with the git binary.

mod branches;
mod checkouts;
mod revisions;
mod untouched;

use super::*;
use crate::config::{BaseRule, HeadRule};
use bench_process::Interrupt;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// A directory with repositories in it.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        // The system's own name for it may go through a link (macOS).
        self.0.path().canonicalize().unwrap().join(name)
    }

    /// A repository with `main` and one commit.
    fn repository(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir(&path).unwrap();
        git(&path, &["init", "-q", "-b", "main"]);
        commit(&path, "a.txt", "one");
        path
    }

    fn clone(&self, from: &Path, name: &str, arguments: &[&str]) -> PathBuf {
        let url = format!("file://{}", from.display());
        let mut all = vec!["clone", "-q"];
        all.extend(arguments);
        all.extend([url.as_str(), name]);
        git(&self.path(""), &all);
        self.path(name)
    }
}

/// Runs git as a user would; panics where it fails.
fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "protocol.file.allow=always", "-c", "user.name=t", "-c", "user.email=t@t"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_AUTHOR_DATE", "1700000000 +0000")
        .env("GIT_COMMITTER_DATE", "1700000000 +0000")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?} in {}: {said}", directory.display());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Writes a file, commits it, and gives the commit's id.
fn commit(repository: &Path, file: &str, text: &str) -> String {
    let path = repository.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    git(repository, &["add", "--all"]);
    git(repository, &["commit", "-q", "-m", &format!("{file}: {text}")]);
    git(repository, &["rev-parse", "HEAD"])
}

/// Puts this many commits on the current branch, quickly.
fn many_commits(repository: &Path, count: usize) {
    let branch = git(repository, &["symbolic-ref", "HEAD"]);
    let mut stream = String::new();
    for number in 0..count {
        let from = if number == 0 { format!("from {branch}^0\n") } else { String::new() };
        let text = format!("{branch} {number}");
        write!(
            stream,
            "commit {branch}\ncommitter t <t@t> 1700000000 +0000\ndata {}\n{text}\n{from}M 644 inline n.txt\ndata {}\n{text}\n",
            text.len(),
            text.len()
        )
        .unwrap();
    }
    let file = repository.join(".git/stream");
    std::fs::write(&file, stream).unwrap();
    let status = Command::new("git")
        .args(["fast-import", "--quiet"])
        .current_dir(repository)
        .stdin(std::fs::File::open(&file).unwrap())
        .status();
    assert!(status.unwrap().success());
    std::fs::remove_file(file).unwrap();
    git(repository, &["reset", "-q", "--hard"]);
}

fn head() -> HeadRule {
    HeadRule::Revision("HEAD".into())
}

fn revision(text: &str) -> BaseRule {
    BaseRule::Revision(text.into())
}

/// Every file and directory with size and time of change.
fn listing(directory: &Path) -> BTreeMap<PathBuf, (u64, SystemTime)> {
    let mut found = BTreeMap::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(place) = open.pop() {
        let facts = place.symlink_metadata().unwrap();
        found.insert(place.clone(), (facts.len(), facts.modified().unwrap()));
        if facts.is_dir() {
            open.extend(std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    found
}

/// Fails with the paths that are not as they were.
fn assert_untouched(directory: &Path, before: &BTreeMap<PathBuf, (u64, SystemTime)>) {
    let now = listing(directory);
    let changed: Vec<_> = before
        .keys()
        .chain(now.keys())
        .filter(|path| before.get(*path) != now.get(*path))
        .collect();
    assert!(changed.is_empty(), "{changed:?}");
}
