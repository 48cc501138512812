//! The working tree that a subcommand stands in, for those that only look.

use bench_harness::Tree;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tracked files as they are now.
pub(super) struct WorkingTree {
    /// Its root.
    pub(super) root: PathBuf,
    files: Vec<String>,
}

impl WorkingTree {
    /// The working tree that a directory is in; none where git knows of none.
    pub(super) fn find(directory: &Path) -> Option<Self> {
        let root = git(directory, &["rev-parse", "--show-toplevel"])?;
        let root = PathBuf::from(root.trim_end_matches('\n'));
        let list = git(&root, &["ls-files", "-z"])?;
        let files = list.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
        Some(Self { root, files })
    }
}

impl Tree for WorkingTree {
    fn files(&self) -> &[String] {
        &self.files
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        std::fs::read(self.root.join(path)).ok()
    }
}

/// What git prints, where it succeeds.
pub(super) fn git(directory: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(directory).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
