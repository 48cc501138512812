//! Where a history is, and which repository its commits are of.

use super::HistoryError;
use crate::args::StoreArgs;
use crate::error::CliError;
use crate::github::Reporter;
use bench_core::git::{BranchFile, FilesBranch, GitError, Mainline, Remote, Repository};
use bench_history::acknowledge::{self, Acknowledgement};
use bench_history::samples::is_of;
use bench_history::{Caps, Directory, History, StoredFile, format_file, load};
use bench_process::Interrupt;
use std::path::Path;
use tempfile::TempDir;

/// A history and the repository it is of.
pub(super) struct Place<'a> {
    args: StoreArgs,
    /// The repository here, if there is one.
    pub(super) repository: Option<Repository<'a>>,
    remote: Option<Remote<'a>>,
    /// Where git keeps what it needs meanwhile: of our own, since others may record at the same time.
    _scratch: TempDir,
}

impl<'a> Place<'a> {
    /// Looks around; nothing is fetched yet.
    pub(super) fn open(args: &StoreArgs, interrupt: &'a Interrupt) -> Result<Self, CliError> {
        let here = std::env::current_dir()
            .map_err(|source| CliError::Unreadable { path: ".".into(), source })?;
        let scratch = tempfile::tempdir()
            .map_err(|source| CliError::File { path: std::env::temp_dir(), source })?;
        let repository = match Repository::open_apart(&here, scratch.path(), interrupt) {
            Ok(repository) => Some(repository),
            Err(GitError::NoRepository { .. } | GitError::Bare(_)) => None,
            Err(error) => return Err(HistoryError::from(error).into()),
        };
        let remote = remote(args, repository.as_ref(), &here, interrupt);
        Ok(Self { args: args.clone(), repository, remote, _scratch: scratch })
    }

    /// The name of the place, for people.
    pub(super) fn shown(&self) -> String {
        match &self.args.dir {
            Some(directory) => directory.display().to_string(),
            None => {
                let remote = self.remote.as_ref().map(Remote::shown).unwrap_or_default();
                format!("branch {} of {remote}", self.args.branch)
            }
        }
    }

    /// The name of the place where samples are kept.
    pub(super) fn samples_shown(&self) -> String {
        match &self.args.dir {
            Some(directory) => directory.join("samples").display().to_string(),
            None => {
                let remote = self.remote.as_ref().map(Remote::shown).unwrap_or_default();
                format!("branch {} of {remote}", self.samples_branch())
            }
        }
    }

    /// Adds samples, on a branch of their own: who reads the history does not fetch them.
    pub(super) fn add_samples(
        &self,
        files: &[StoredFile],
        message: &str,
    ) -> Result<(), HistoryError> {
        if let Some(directory) = &self.args.dir {
            Directory::new(directory).add(files)?;
            return Ok(());
        }
        let files: Vec<BranchFile> = files.iter().cloned().map(on_branch).collect();
        self.branch(&self.samples_branch())?.add(&files, message)?;
        Ok(())
    }

    /// The samples of commits whose ids begin so.
    pub(super) fn samples(&self, commit: &str) -> Result<Vec<StoredFile>, HistoryError> {
        let wanted = |path: &str| is_of(path, commit);
        if let Some(directory) = &self.args.dir {
            return Ok(Directory::new(directory).samples(&wanted)?);
        }
        let files = self.branch(&self.samples_branch())?.read_some(&wanted)?.unwrap_or_default();
        Ok(files.into_iter().map(stored).collect())
    }

    fn samples_branch(&self) -> String {
        format!("{}-samples", self.args.branch)
    }

    /// Adds files, and returns how many were new.
    pub(super) fn add(&self, files: &[StoredFile], message: &str) -> Result<usize, HistoryError> {
        if let Some(directory) = &self.args.dir {
            return Ok(Directory::new(directory).add(files)?);
        }
        let files: Vec<BranchFile> = files.iter().cloned().map(on_branch).collect();
        Ok(self.branch(&self.args.branch)?.add(&files, message)?)
    }

    /// Everything that is stored.
    pub(super) fn load(&self) -> Result<History, HistoryError> {
        if let Some(directory) = &self.args.dir {
            return Ok(Directory::new(directory).load(Caps::default())?);
        }
        let (branch, remote) = (self.args.branch.clone(), self.remote()?.shown());
        let Some(files) = self.branch(&branch)?.read()? else {
            return Err(HistoryError::NoBranch { branch, remote });
        };
        load(files.into_iter().map(stored), Caps::default()).map_err(|error| HistoryError::Load {
            branch,
            remote,
            error,
        })
    }

    /// The same, empty where nothing was stored yet.
    pub(super) fn load_or_empty(&self) -> Result<History, HistoryError> {
        match self.load() {
            Err(HistoryError::NoBranch { .. })
            | Err(HistoryError::Store(bench_history::StoreError::Missing(_))) => {
                Ok(History::default())
            }
            other => other,
        }
    }

    /// The commits of the default branch: of the remote, where there is one, since that is what
    /// everybody shares; else of the repository here.
    pub(super) fn mainline(&self) -> Result<Mainline, HistoryError> {
        let branch = self.args.default_branch.as_deref();
        match (&self.remote, &self.repository) {
            (Some(remote), _) => Ok(remote.mainline(branch)?),
            (None, Some(repository)) => Ok(Remote::itself(repository).mainline(branch)?),
            (None, None) => Err(HistoryError::NoRepository),
        }
    }

    /// The name of the repository whose commits are recorded.
    pub(super) fn project(&self) -> String {
        match (&self.remote, &self.repository) {
            (Some(remote), _) => remote.shown(),
            (None, Some(repository)) => repository.root().display().to_string(),
            (None, None) => String::new(),
        }
    }

    /// Commit ids in the order that the repository has them, oldest first. Only for showing, so what
    /// is here is enough; without a repository their times must do.
    pub(super) fn order(&self) -> Vec<String> {
        let branch = self.args.default_branch.as_deref();
        let mainline = match (&self.repository, &self.remote) {
            (Some(repository), _) => Remote::itself(repository).mainline(branch),
            (None, Some(remote)) => remote.mainline(branch),
            (None, None) => return Vec::new(),
        };
        match mainline {
            Ok(mainline) => mainline.commits().iter().map(|commit| commit.id.clone()).collect(),
            Err(error) => {
                tracing::warn!("commits are put in order by their times: {error}");
                Vec::new()
            }
        }
    }

    /// Where a browser finds the repository.
    pub(super) fn web_address(&self) -> Option<String> {
        self.remote.as_ref().and_then(Remote::web_address)
    }

    /// What the repository acknowledges.
    pub(super) fn acknowledgements(&self) -> Result<Vec<Acknowledgement>, HistoryError> {
        let Some(repository) = &self.repository else { return Ok(Vec::new()) };
        let path = repository.root().join(acknowledge::FILE);
        let text = std::fs::read_to_string(path).unwrap_or_default();
        Ok(acknowledge::read(&text)?)
    }

    fn remote(&self) -> Result<&Remote<'a>, HistoryError> {
        let missing = || match self.repository {
            Some(_) => HistoryError::NoRemote,
            None => HistoryError::NoRepository,
        };
        self.remote.as_ref().ok_or_else(missing)
    }

    fn branch(&self, name: &str) -> Result<FilesBranch<'_, 'a>, HistoryError> {
        Ok(FilesBranch::new(self.remote()?, name, on_branch(format_file()))?)
    }
}

fn on_branch(file: StoredFile) -> BranchFile {
    BranchFile { path: file.path, bytes: file.bytes }
}

fn stored(file: BranchFile) -> StoredFile {
    StoredFile { path: file.path, bytes: file.bytes }
}

/// The remote that is named, else that of the repository here, else the one of the job, with its token.
fn remote<'a>(
    args: &StoreArgs,
    repository: Option<&Repository<'a>>,
    here: &Path,
    interrupt: &'a Interrupt,
) -> Option<Remote<'a>> {
    let own = repository.and_then(Remote::of);
    let job = Reporter::from_environment();
    let credentials = || job.git_credentials();
    match (&args.remote, own) {
        (Some(address), Some(own)) => Some(own.with_address(address)),
        (Some(address), None) => Some(Remote::at(address, here, credentials(), interrupt)),
        (None, Some(own)) => Some(own),
        (None, None) if repository.is_some() => None,
        (None, None) => {
            let name = job.repository.as_ref()?;
            let address = format!("{}/{name}", job.server_url);
            Some(Remote::at(&address, here, credentials(), interrupt))
        }
    }
}
