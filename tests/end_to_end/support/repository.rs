//! A git repository with an asv suite and two commits, made on the spot.

use super::run::Run;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Paths and contents.
pub(crate) type Files<'a> = &'a [(&'a str, &'a str)];

/// What every repository starts with: a package that knows which side it is, packed by a build
/// backend of its own, so that building needs no network.
const PROJECT: Files<'static> = &[
    ("pyproject.toml", include_str!("project/pyproject.toml")),
    ("asv.conf.json", include_str!("project/asv.conf.json")),
    ("_build/backend.py", include_str!("project/backend.py")),
    ("kernel/__init__.py", "SIDE = \"base\"\n"),
    ("benchmarks/__init__.py", ""),
];

const HEAD: Files<'static> = &[("kernel/__init__.py", "SIDE = \"head\"\n")];

/// A repository in a directory of its own, which is removed in the end.
pub(crate) struct Repository {
    // The directory around the repository, for what must be outside of it.
    around: tempfile::TempDir,
}

impl Repository {
    /// The project with these files in its first commit, and these added or changed in the second.
    /// Equal files give equal commits, so that what was built for them once is kept.
    pub(crate) fn new(base: Files<'_>, head: Files<'_>) -> Self {
        let repository = Self::empty();
        repository.git(&["init", "--quiet", "--initial-branch=main", "."]);
        repository.write(PROJECT);
        repository.write(base);
        repository.commit("base");
        repository.write(HEAD);
        repository.write(head);
        repository.commit("head");
        repository
    }

    /// An empty directory, with what tests share of a cache.
    pub(crate) fn empty() -> Self {
        let repository = Self { around: tempfile::tempdir().unwrap() };
        share_cache(&repository.root().join(".bench-action/cache"));
        repository
    }

    /// Its root.
    pub(crate) fn root(&self) -> PathBuf {
        self.around.path().join("repository")
    }

    /// A place outside of it.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.around.path().join(name)
    }

    /// What the processes of its runs have in their arguments, directory or variables.
    pub(crate) fn mark(&self) -> &Path {
        self.around.path()
    }

    /// Where results go unless `--out` says otherwise.
    pub(crate) fn last(&self) -> PathBuf {
        self.root().join(".bench-action/last")
    }

    /// Writes files without committing them.
    pub(crate) fn write(&self, files: Files<'_>) {
        for (path, contents) in files {
            let path = self.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, contents).unwrap();
        }
    }

    /// Commits everything as it is.
    pub(crate) fn commit(&self, message: &str) {
        self.commit_at(DATE, message);
    }

    /// The same at another time, as git reads it.
    pub(crate) fn commit_at(&self, date: &str, message: &str) {
        // The binary's own directory ignores itself only once the binary has been there.
        self.git(&["add", "--all", "--", ".", ":!.bench-action"]);
        self.git_at(date, &["commit", "--quiet", "--no-gpg-sign", "-m", message]);
    }

    /// Runs git in it; gives what it prints.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.git_at(DATE, arguments)
    }

    fn git_at(&self, date: &str, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "core.hooksPath=/dev/null", "-c", "core.excludesFile=/dev/null"])
            .args(arguments)
            .current_dir(self.root())
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
            .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.invalid")])
            .envs([("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@example.invalid")])
            .envs([("GIT_AUTHOR_DATE", date), ("GIT_COMMITTER_DATE", date)])
            .stdin(Stdio::null())
            .output()
            .expect("these tests need git");
        let printed = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        printed
    }

    /// `bench-action` with these arguments, in the root.
    pub(crate) fn bench_action(&self, arguments: &[&str]) -> Run {
        Run::new(&self.root(), arguments)
    }

    /// `bench-action run --base HEAD~1` with these arguments besides.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let all: Vec<&str> = ["run", "--base", "HEAD~1"].iter().chain(arguments).copied().collect();
        self.bench_action(&all)
    }
}

const DATE: &str = "2026-08-01T10:00:00Z";

/// What costs time or the network is kept from one run of the tests to the next; what belongs to
/// one repository, its objects among it, is not.
fn share_cache(cache: &Path) {
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("end-to-end-cache");
    fs::create_dir_all(cache).unwrap();
    for shelf in
        ["cargo", "tools", "uv", "pip", "wheels", "environments", "targets", "node_modules"]
    {
        fs::create_dir_all(shared.join(shelf)).unwrap();
        std::os::unix::fs::symlink(shared.join(shelf), cache.join(shelf)).unwrap();
    }
}
