//! The repository of `bench-action demo`: a small Python library with an asv suite and two commits,
//! made on the spot. One benchmark is truly 10 % slower in the second commit and one 10 % faster,
//! because a constant says how often their loop runs; the rest does the same work in a package that
//! differs.

mod files;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The repository, ready to be compared.
#[derive(Debug)]
pub(crate) struct Demo {
    /// Its root.
    pub(crate) directory: PathBuf,
    /// The commit before the changes, in full.
    pub(crate) base: String,
    /// The commit with the changes, in full; the branch `main` is there.
    pub(crate) head: String,
}

/// Why there is no demo.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    /// Somebody's files are there.
    #[error("{0}: not empty; name a new or an empty directory")]
    NotEmpty(PathBuf),
    /// The file system refused.
    #[error("{path}: {source}; name a directory that can be written with --out")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// No git.
    #[error("git could not be started: {0}; install git, the demo is a repository")]
    NoGit(std::io::Error),
    /// Git refused.
    #[error("git {command} failed: {message}")]
    Git {
        /// Its arguments.
        command: String,
        /// What it printed.
        message: String,
    },
}

impl Demo {
    /// Makes the repository in a new or empty directory.
    ///
    /// Equal versions of this program make equal commits: author, dates and files are fixed, and
    /// the user's git configuration, hooks and templates are left out.
    pub(crate) fn make(directory: &Path) -> Result<Self, DemoError> {
        claim(directory)?;
        let git = Git { directory };
        git.run(&["init", "--quiet", "--initial-branch=main", "--template=", "."])?;
        let base =
            git.commit(files::BASE, "Read, arrange and check text", "2026-08-01T10:00:00Z")?;
        let head =
            git.commit(files::HEAD, "Stronger checksums, quicker lines", "2026-08-02T10:00:00Z")?;
        Ok(Self { directory: directory.to_owned(), base, head })
    }
}

/// Creates the directory, or makes sure that it is empty.
fn claim(directory: &Path) -> Result<(), DemoError> {
    let io = |source| DemoError::Io { path: directory.to_owned(), source };
    std::fs::create_dir_all(directory).map_err(io)?;
    let is_empty = std::fs::read_dir(directory).map_err(io)?.next().is_none();
    if is_empty { Ok(()) } else { Err(DemoError::NotEmpty(directory.to_owned())) }
}

struct Git<'a> {
    directory: &'a Path,
}

impl Git<'_> {
    fn commit(
        &self,
        files: &[files::File],
        message: &str,
        date: &str,
    ) -> Result<String, DemoError> {
        for (path, contents) in files {
            self.write(path, contents)?;
        }
        self.run(&["add", "--all"])?;
        self.run_at(date, &["commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", message])?;
        self.run(&["rev-parse", "HEAD"])
    }

    fn write(&self, path: &str, contents: &str) -> Result<(), DemoError> {
        let path = self.directory.join(path);
        let write = || {
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(&path, contents)
        };
        write().map_err(|source| DemoError::Io { path: path.clone(), source })
    }

    fn run(&self, arguments: &[&str]) -> Result<String, DemoError> {
        self.run_at("", arguments)
    }

    /// Runs git at a date, without anything of the user's in its environment but the PATH.
    fn run_at(&self, date: &str, arguments: &[&str]) -> Result<String, DemoError> {
        let variables = bench_process::Environment::current().plain_output();
        let mut command = Command::new("git");
        command
            .args(SETTINGS.iter().flat_map(|setting| ["-c", setting]))
            .args(arguments)
            .current_dir(self.directory)
            .env_clear()
            .envs(variables.iter().filter(|(name, _)| !is_gits_own(name)))
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
            .envs([("GIT_AUTHOR_NAME", NAME), ("GIT_AUTHOR_EMAIL", EMAIL)])
            .envs([("GIT_COMMITTER_NAME", NAME), ("GIT_COMMITTER_EMAIL", EMAIL)])
            .stdin(Stdio::null());
        if !date.is_empty() {
            command.envs([("GIT_AUTHOR_DATE", date), ("GIT_COMMITTER_DATE", date)]);
        }
        let output = command.output().map_err(DemoError::NoGit)?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        Err(DemoError::Git {
            command: arguments.join(" "),
            message: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        })
    }
}

/// The user's hooks, ignored files and attributes are found without any configuration.
const SETTINGS: [&str; 4] = [
    "core.hooksPath=/dev/null",
    "core.excludesFile=/dev/null",
    "core.attributesFile=/dev/null",
    "core.autocrlf=false",
];
const NAME: &str = "bench-action demo";
const EMAIL: &str = "demo@example.invalid";

/// Variables such as GIT_DIR and GIT_INDEX_FILE, set inside hooks, would turn git to the user's own
/// repository.
fn is_gits_own(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"GIT_")
}

#[cfg(test)]
mod tests;
