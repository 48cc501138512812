//! A repository that is reached through git's transports, and what may be asked of it without a clone:
//! where a branch is, and which commits its default branch has.

use super::command::Git;
use super::error::GitError;
use super::repository::Repository;
use bench_process::Interrupt;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Branches that are taken for the default one where a repository does not say.
const USUAL: [&str; 2] = ["main", "master"];

/// A repository that is reached through git's transports.
pub struct Remote<'a> {
    /// The name of a remote, an address or a path.
    address: String,
    /// Where a relative path begins.
    directory: PathBuf,
    /// Addresses and credentials; they reach git through its environment.
    settings: Vec<(String, String)>,
    /// `sha1` or `sha256`.
    object_format: String,
    interrupt: &'a Interrupt,
}

/// A commit as its repository tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitFacts {
    /// Its full id.
    pub id: String,
    /// When it was committed, in seconds since 1970.
    pub committed: i64,
    /// The first line of its message.
    pub subject: String,
}

/// The commits of a default branch, oldest first, those of merged branches before their merge.
pub struct Mainline {
    /// The branch's name.
    pub branch: String,
    commits: Vec<CommitFacts>,
    index: HashMap<String, usize>,
}

impl Mainline {
    /// A commit, if the branch has it.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&CommitFacts> {
        self.index.get(id).and_then(|at| self.commits.get(*at))
    }

    /// All commits, oldest first.
    #[must_use]
    pub fn commits(&self) -> &[CommitFacts] {
        &self.commits
    }
}

impl<'a> Remote<'a> {
    /// The remote of a repository (`origin`, else its first); none where it has none.
    #[must_use]
    pub fn of(repository: &Repository<'a>) -> Option<Self> {
        Some(Self {
            address: repository.remote.clone()?,
            directory: repository.root.clone(),
            settings: repository.remote_settings.clone(),
            object_format: repository.object_format.clone(),
            interrupt: repository.interrupt,
        })
    }

    /// The repository itself, seen as others see it.
    #[must_use]
    pub fn itself(repository: &Repository<'a>) -> Self {
        Self {
            address: repository.common.display().to_string(),
            directory: repository.root.clone(),
            settings: Vec::new(),
            object_format: repository.object_format.clone(),
            interrupt: repository.interrupt,
        }
    }

    /// The repository at an address or a path. `settings` are git's own, for credentials.
    #[must_use]
    pub fn at(
        address: &str,
        directory: &Path,
        settings: Vec<(String, String)>,
        interrupt: &'a Interrupt,
    ) -> Self {
        let (address, directory) = (address.to_owned(), directory.to_owned());
        Self { address, directory, settings, object_format: "sha1".to_owned(), interrupt }
    }

    /// As it was named; secrets in it are replaced.
    #[must_use]
    pub fn shown(&self) -> String {
        bench_results::Redactor::default().text(&self.address).into_owned()
    }

    /// Where a browser finds the repository, as its address tells it.
    #[must_use]
    pub fn web_address(&self) -> Option<String> {
        let key = format!("remote.{}.url", self.address);
        let named = self.settings.iter().find(|(name, _)| *name == key);
        web_address(named.map_or(&self.address, |(_, url)| url))
    }

    /// The same with an address that a person gave in the place of the remote's.
    #[must_use]
    pub fn with_address(self, address: &str) -> Self {
        Self { address: address.to_owned(), ..self }
    }

    /// The commits of the default branch, or of the one that is named. Only commits are fetched where
    /// the other side can leave out the rest.
    ///
    /// # Errors
    /// When it cannot be reached, or has no such branch.
    pub fn mainline(&self, branch: Option<&str>) -> Result<Mainline, GitError> {
        let branch = match branch {
            Some(branch) => branch.to_owned(),
            None => self.default_branch()?,
        };
        let scratch = self.scratch()?;
        let refspec = format!("+refs/heads/{branch}:refs/heads/mainline");
        self.git(&scratch)
            .args(["fetch", "--quiet", "--no-tags", "--filter=tree:0", &self.address, &refspec])
            .run()?;
        let log = ["log", "--topo-order", "--reverse", "--no-show-signature", "--format=%H %ct %s"];
        let text = self.git(&scratch).args(log).args(["refs/heads/mainline"]).run()?;
        let text = String::from_utf8_lossy(&text);
        let commits: Vec<CommitFacts> = text.lines().filter_map(facts).collect();
        let index = commits.iter().enumerate().map(|(at, one)| (one.id.clone(), at)).collect();
        Ok(Mainline { branch, commits, index })
    }

    /// The branch that HEAD is on there; of a repository with files, where HEAD is anywhere, the usual
    /// name first.
    fn default_branch(&self) -> Result<String, GitError> {
        let heads = self.list(&["--heads"])?;
        let usual = USUAL.iter().find(|name| heads.contains(&format!("refs/heads/{name}")));
        let heads = self.list(&["--symref"])?;
        let head = heads.iter().find_map(|line| line.strip_prefix("ref: refs/heads/"));
        let is_local = self.settings.is_empty() && Path::new(&self.address).is_absolute();
        let found = if is_local { usual.copied().or(head) } else { head.or(usual.copied()) };
        found.map(str::to_owned).ok_or_else(|| GitError::NoDefaultBranch {
            root: self.shown().into(),
            said: "it has no branch that HEAD names".to_owned(),
        })
    }

    /// What `ls-remote` prints, without ids where it prints them first.
    fn list(&self, arguments: &[&str]) -> Result<Vec<String>, GitError> {
        let git = Git::new(&self.directory, self.interrupt).settings(&self.settings);
        let what = arguments.contains(&"--symref").then_some("HEAD");
        let text =
            git.args(["ls-remote"]).args(arguments).args([&self.address]).args(what).text()?;
        let name = |line: &str| {
            let (first, second) = line.split_once('\t')?;
            Some(if first.starts_with("ref: ") { first } else { second }.to_owned())
        };
        Ok(text.lines().filter_map(name).collect())
    }

    /// The newest commit of a branch; none where there is no such branch.
    pub(super) fn tip(&self, branch: &str) -> Result<Option<String>, GitError> {
        let git = Git::new(&self.directory, self.interrupt).settings(&self.settings);
        let name = format!("refs/heads/{branch}");
        let text = git.args(["ls-remote", &self.address, &name]).text()?;
        // A pattern also matches the end of a longer name.
        let is_it = |line: &&str| line.split_once('\t').is_some_and(|(_, found)| found == name);
        Ok(text.lines().find(is_it).and_then(|line| line.split('\t').next()).map(str::to_owned))
    }

    /// An empty repository for one task: tasks beside each other share nothing.
    pub(super) fn scratch(&self) -> Result<TempDir, GitError> {
        let scratch = tempfile::tempdir().map_err(GitError::file(std::env::temp_dir()))?;
        let format = format!("--object-format={}", self.object_format);
        let git = Git::new(scratch.path(), self.interrupt);
        git.args(["init", "--quiet", "--bare", &format]).run()?;
        Ok(scratch)
    }

    /// Git on such a repository, able to reach this one.
    pub(super) fn git(&self, scratch: &TempDir) -> Git<'a> {
        Git::new(&self.directory, self.interrupt)
            .git_dir(scratch.path())
            .variable("GIT_NO_LAZY_FETCH", "1")
            .settings(&self.settings)
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.received().is_some()
    }
}

/// `https://host/owner/name` of an address of git's, with the userinfo gone.
fn web_address(address: &str) -> Option<String> {
    let (host, path) = match address.split_once("://") {
        Some(("https" | "http" | "ssh", rest)) => rest.split_once('/')?,
        Some(_) => return None,
        None => address.split_once(':').filter(|(host, _)| host.contains('@'))?,
    };
    let host = host.rsplit('@').next()?;
    let path = path.trim_matches('/');
    Some(format!("https://{host}/{}", path.strip_suffix(".git").unwrap_or(path)))
}

pub(super) fn facts(line: &str) -> Option<CommitFacts> {
    let mut parts = line.splitn(3, ' ');
    Some(CommitFacts {
        id: parts.next()?.to_owned(),
        committed: parts.next()?.parse().ok()?,
        subject: parts.next().unwrap_or_default().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::web_address;

    #[test]
    fn a_browser_finds_what_git_finds() {
        let expected = Some("https://github.com/o/r".to_owned());
        for address in [
            "https://github.com/o/r.git",
            "https://token:x@github.com/o/r",
            "git@github.com:o/r.git",
            "ssh://git@github.com/o/r.git",
        ] {
            assert_eq!(web_address(address), expected, "{address}");
        }
        assert_eq!(web_address("/srv/r.git"), None);
        assert_eq!(web_address("file:///srv/r.git"), None);
    }
}
