//! Which two sides are compared, and where their files are.

use crate::config::{Compare, Config, HeadRule, Lfs, Subjects};
use crate::git::{Checkout, GitError, Origin, Pair, Repository, Revision};
use crate::plan::Plan;
use crate::prepare::{Planned, Side};
use bench_harness::{Subject, Tree, program_called};
use bench_process::Interrupt;
use bench_results::{SideInfo, SideKind, SideName, file_digest, hex};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};

/// The sides could not be found, or not be laid out.
#[derive(Debug, thiserror::Error)]
pub enum SidesError {
    /// Git.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The files of head, which say what suites there are.
    #[error("the files of head cannot be listed: {0}")]
    Unlisted(#[source] GitError),
    /// An interpreter or a directory that is not there.
    #[error("{flag} {path}: {source}; name {kind} that exists")]
    Missing {
        /// The flag.
        flag: String,
        /// Its value.
        path: PathBuf,
        /// What it should be.
        kind: &'static str,
        /// The cause.
        source: std::io::Error,
    },
}

impl SidesError {
    /// Whether a signal was the reason.
    #[must_use]
    pub fn is_interrupt(&self) -> bool {
        matches!(self, Self::Git(GitError::Interrupted) | Self::Unlisted(GitError::Interrupted))
    }

    /// Whether it is a slip of whoever named the sides: a path that is not there, or one of the
    /// `named` revisions, which neither the repository nor its remote has.
    #[must_use]
    pub fn is_mistake(&self, named: &[&str]) -> bool {
        match self {
            Self::Missing { .. } => true,
            Self::Git(GitError::UnknownRevision { asked, .. }) => named.contains(&asked.as_str()),
            _ => false,
        }
    }

    /// The side that could not be found; base where it is neither's fault, as it is looked for.
    #[must_use]
    pub fn side(&self, compare: &Compare) -> SideName {
        let is_head = match (self, &compare.head) {
            (Self::Missing { flag, .. }, _) => flag.starts_with("--head"),
            (Self::Unlisted(_), _) => true,
            (
                Self::Git(
                    GitError::UnknownRevision { asked, .. } | GitError::RemoteSilent { asked, .. },
                ),
                HeadRule::Revision(head),
            ) => asked == head,
            _ => false,
        };
        if is_head { SideName::Head } else { SideName::Base }
    }
}

/// Where a run takes place: a repository, or a plain directory where builds exist already.
pub struct Place<'a> {
    /// The repository's root, or the directory itself.
    pub root: PathBuf,
    repository: Result<Repository<'a>, GitError>,
}

impl<'a> Place<'a> {
    /// Looks around in a directory.
    #[must_use]
    pub fn find(directory: &Path, interrupt: &'a Interrupt) -> Self {
        Self::of(directory, Repository::open(directory, interrupt))
    }

    /// The same, leaving no trace: what would be kept in our own directory goes to `scratch`.
    #[must_use]
    pub fn look(directory: &Path, scratch: &Path, interrupt: &'a Interrupt) -> Self {
        Self::of(directory, Repository::open_apart(directory, scratch, interrupt))
    }

    fn of(directory: &Path, repository: Result<Repository<'a>, GitError>) -> Self {
        let root = repository
            .as_ref()
            .map_or_else(|_| directory.to_owned(), |found| found.root().to_owned());
        Self { root, repository }
    }

    /// Our own directory in it.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        self.root.join(crate::git::HOME)
    }

    /// The repository, where the sides are commits.
    fn repository(self) -> Result<Repository<'a>, GitError> {
        self.repository
    }
}

/// The two sides, found and named; nothing is laid out yet.
pub struct Sides<'a> {
    sides: [Side; 2],
    infos: [SideInfo; 2],
    compared: (String, String),
    warnings: Vec<String>,
    /// Paths that differ between the sides, from the root; none for existing builds.
    pub changed: Option<Vec<String>>,
    source: Source<'a>,
}

enum Source<'a> {
    Commits(Box<(Repository<'a>, Pair)>),
    Existing { root: PathBuf },
}

impl<'a> Sides<'a> {
    /// Finds what the configuration compares.
    ///
    /// # Errors
    /// A revision, interpreter or directory that cannot be found.
    pub fn find(place: Place<'a>, compare: &Compare) -> Result<Self, SidesError> {
        match &compare.subjects {
            Subjects::Commits => Ok(Self::of_commits(place, compare)?),
            Subjects::Pythons { base, head } => {
                let subject = |path: PathBuf| Subject::Python { interpreter: path };
                let [base, head] = [base, head].map(|path| program_called(path));
                Self::existing(place, [&base, &head], "python", "an interpreter", subject)
            }
            Subjects::Paths { base, head } => {
                let subject = |path: PathBuf| Subject::Path { directory: path };
                Self::existing(place, [base, head], "path", "a directory", subject)
            }
        }
    }

    /// Fetches the tags behind both commits, from which tools read a project's version; says
    /// which commits they are. None for existing builds.
    ///
    /// # Errors
    /// Those of git.
    pub fn fetch_tags(&self) -> Result<Option<[String; 2]>, SidesError> {
        let Source::Commits(commits) = &self.source else { return Ok(None) };
        let (repository, pair) = commits.as_ref();
        let commits = [pair.base.commit.clone(), pair.head.commit.clone()];
        repository.fetch_tags(&commits)?;
        Ok(Some(commits))
    }

    fn of_commits(place: Place<'a>, compare: &Compare) -> Result<Self, GitError> {
        let state = place.state();
        let repository = place.repository()?;
        let pair =
            repository.resolve(&compare.base, &compare.head, compare.base_branch.as_deref())?;
        let changed = repository.changed_paths(&pair.base, &pair.head)?;
        let side = |name: SideName, revision: &Revision| {
            let checkout = state.join("work").join(name.word());
            Side {
                name,
                subject: Subject::Commit {
                    commit: revision.commit.clone(),
                    checkout: checkout.clone(),
                },
                root: checkout,
                commit: Some(revision.commit.clone()),
                label: format!("{} {}", revision.short(), revision.subject),
            }
        };
        Ok(Self {
            sides: [side(SideName::Base, &pair.base), side(SideName::Head, &pair.head)],
            infos: [info_of(SideName::Base, &pair.base), info_of(SideName::Head, &pair.head)],
            compared: (pair.base.commit.clone(), pair.head.commit.clone()),
            warnings: pair.warnings.clone(),
            changed: Some(changed),
            source: Source::Commits(Box::new((repository, pair))),
        })
    }

    fn existing(
        place: Place<'a>,
        paths: [&PathBuf; 2],
        flag: &str,
        kind: &'static str,
        subject: impl Fn(PathBuf) -> Subject,
    ) -> Result<Self, SidesError> {
        let root = place.root;
        let find = |name: SideName| {
            let path = paths[name.index()];
            // Absolute, but no link is followed: a virtual environment's interpreter is one.
            let absolute = std::path::absolute(path).and_then(|p| p.metadata().map(|_| p));
            let path = absolute.map_err(|source| SidesError::Missing {
                flag: format!("--{name}-{flag}"),
                path: path.clone(),
                kind,
                source,
            })?;
            Ok::<_, SidesError>(Side {
                name,
                label: path.display().to_string(),
                subject: subject(path),
                root: root.clone(),
                commit: None,
            })
        };
        let sides = [find(SideName::Base)?, find(SideName::Head)?];
        let infos =
            sides.each_ref().map(|side| existing_info(side.name, &side.label, SideKind::Existing));
        Ok(Self {
            compared: (identity(&sides[0]), identity(&sides[1])),
            sides,
            infos,
            warnings: Vec::new(),
            changed: None,
            source: Source::Existing { root },
        })
    }

    /// Calls the sides by what tells them apart, where they are sides of one build.
    pub fn call(&mut self, names: [&str; 2]) {
        for ((side, info), name) in self.sides.iter_mut().zip(&mut self.infos).zip(names) {
            name.clone_into(&mut side.label);
            name.clone_into(&mut info.label);
        }
    }

    /// Head's files, for finding and reading suites. Of several thousand files none is checked out
    /// for it.
    ///
    /// # Errors
    /// When git cannot list them.
    pub fn tree(&self) -> Result<Box<dyn Tree + '_>, SidesError> {
        match &self.source {
            Source::Commits(commits) => {
                let (repository, pair) = &**commits;
                Ok(Box::new(repository.tree(&pair.head).map_err(SidesError::Unlisted)?))
            }
            Source::Existing { root } => Ok(Box::new(Directory::list(root))),
        }
    }

    /// The plan for these groups.
    #[must_use]
    pub fn plan<'c>(&self, groups: Vec<Planned<'c>>) -> Plan<'c> {
        Plan {
            sides: self.sides.clone(),
            infos: self.infos.clone(),
            groups,
            compared: self.compared.clone(),
            warnings: self.warnings.clone(),
        }
    }

    /// Lays out one side's files; existing builds are left as they are.
    ///
    /// # Errors
    /// When git, a submodule or a link fails.
    pub fn lay_out(&self, side: SideName, root: &Path, config: &Config) -> Result<(), SidesError> {
        let Source::Commits(commits) = &self.source else { return Ok(()) };
        let (repository, pair) = &**commits;
        let links: Vec<PathBuf> =
            config.suites.iter().flat_map(|suite| suite.links.clone()).collect();
        let lfs = config.suites.iter().any(|suite| suite.lfs == Lfs::Fetch);
        let lfs = if lfs { Lfs::Fetch } else { Lfs::Pointers };
        let revision = [&pair.base, &pair.head][side.index()];
        let checkout = Checkout::create(repository, root, revision)?;
        if lfs == Lfs::Fetch {
            checkout.fetch_large_files(repository)?;
        }
        Ok(checkout.link(repository, &links)?)
    }
}

fn info_of(name: SideName, revision: &Revision) -> SideInfo {
    let (kind, diff_digest) = match &revision.origin {
        Origin::Commit => (SideKind::Built, None),
        Origin::Worktree { diff_digest, .. } => (SideKind::Worktree, diff_digest.clone()),
    };
    SideInfo {
        id: name.word().to_owned(),
        label: revision.label.clone(),
        revision: revision.asked.clone(),
        commit: Some(revision.commit.clone()),
        subject: Some(revision.subject.clone()),
        version: None,
        dirty: revision.is_dirty(),
        diff_digest,
        environment: String::new(),
        kind,
        artifacts: Vec::new(),
        details: Default::default(),
        prepare_s: 0.0,
        cached: false,
    }
}

/// A side that nothing is built for: builds that exist, or files.
pub(crate) fn existing_info(name: SideName, label: &str, kind: SideKind) -> SideInfo {
    SideInfo {
        id: name.word().to_owned(),
        label: label.to_owned(),
        revision: label.to_owned(),
        commit: None,
        subject: None,
        version: None,
        dirty: false,
        diff_digest: None,
        environment: String::new(),
        kind,
        artifacts: Vec::new(),
        details: Default::default(),
        prepare_s: 0.0,
        cached: false,
    }
}

/// What names an existing build in the random streams.
fn identity(side: &Side) -> String {
    let path = match &side.subject {
        Subject::Python { interpreter: path } | Subject::Path { directory: path } => path,
        Subject::Commit { commit, .. } => return commit.clone(),
    };
    let digest = file_digest(path).unwrap_or_default();
    hex(&Sha256::digest(format!("{}\0{digest}", path.display())))
}

/// A plain directory as a tree of files.
#[derive(Debug)]
struct Directory {
    root: PathBuf,
    files: Vec<String>,
}

/// Deeper than this nobody keeps a benchmark suite, and links may lead in circles.
const DEEPEST: usize = 8;

impl Directory {
    fn list(root: &Path) -> Self {
        let mut files = Vec::new();
        collect(root, root, 0, &mut files);
        files.sort();
        Self { root: root.to_owned(), files }
    }
}

impl Tree for Directory {
    fn files(&self) -> &[String] {
        &self.files
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        std::fs::read(self.root.join(path)).ok()
    }
}

fn collect(root: &Path, directory: &Path, depth: usize, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let hidden = name.as_encoded_bytes().starts_with(b".");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !hidden && depth < DEEPEST => {
                collect(root, &entry.path(), depth + 1, files);
            }
            Ok(kind) if kind.is_file() => {
                let path = entry.path();
                let relative = path.strip_prefix(root).unwrap_or(&path);
                files.extend(relative.to_str().map(str::to_owned));
            }
            _ => {}
        }
    }
}

/// Why there is nothing to compare, before any build: every changed path is ignored.
#[must_use]
pub fn irrelevant(sides: &Sides<'_>, compare: &Compare) -> Option<String> {
    let changed = sides.changed.as_ref()?;
    let relevant = |path: &&String| !compare.ignore_paths.ignores(path);
    let has_patterns = !compare.ignore_paths.patterns().is_empty();
    (has_patterns && !changed.is_empty() && !changed.iter().any(|path| relevant(&path))).then(
        || {
            let first = changed.first().map_or("", String::as_str);
            let more = if changed.len() > 1 {
                format!(" and {} more", changed.len() - 1)
            } else {
                String::new()
            };
            format!("nothing to compare: only ignored paths changed ({first}{more})")
        },
    )
}
