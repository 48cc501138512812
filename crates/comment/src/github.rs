//! What this crate asks of GitHub, as a trait: everything above it can be tried without a network.

use crate::{Check, Refusal};

/// A repository, `owner/name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Whose it is.
    pub owner: String,
    /// Its name.
    pub name: String,
}

impl Place {
    /// Reads `owner/name`; none where the text is no such pair of plain names.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let (owner, name) = text.split_once('/')?;
        let is_plain = |text: &str| {
            !text.is_empty()
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
                && text != "."
                && text != ".."
        };
        (is_plain(owner) && is_plain(name))
            .then(|| Self { owner: owner.to_owned(), name: name.to_owned() })
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

/// A comment on a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its number, which grows with time.
    pub id: u64,
    /// Its text.
    pub body: String,
    /// Whether the holder of our token wrote it.
    pub by_us: bool,
    /// Its address.
    pub url: String,
}

/// A comment that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// Its number.
    pub id: u64,
    /// Its address.
    pub url: String,
}

/// A repository, as the API tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// Its number.
    pub id: u64,
    /// The branch whose files are trusted.
    pub default_branch: String,
}

/// A pull request, as the API tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// Its number.
    pub number: u64,
    /// The commit it stands at.
    pub head: String,
    /// The repository its branch is in; none where that was deleted.
    pub head_repository: Option<u64>,
    /// The repository it wants to change.
    pub base_repository: u64,
    /// The branch it wants to change.
    pub base_branch: String,
    /// The commit that merges it into that branch, where GitHub has made one.
    pub merge_commit: Option<String>,
}

impl Pull {
    /// Whether its branch is in another repository, or in one that is gone.
    #[must_use]
    pub fn is_from_fork(&self) -> bool {
        self.head_repository != Some(self.base_repository)
    }
}

/// A run of a workflow, as the API tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its number, which grows with time.
    pub id: u64,
    /// Its attempt, from 1.
    pub attempt: u32,
    /// What started it: `pull_request`, `push`, …
    pub event: String,
    /// The workflow's file in its repository.
    pub path: String,
    /// The repository it ran in.
    pub repository: u64,
    /// The commit it ran for.
    pub head: String,
    /// The branch it ran for, in `head_repository`.
    pub head_branch: Option<String>,
    /// The repository that branch is in; none where that was deleted.
    pub head_repository: Option<u64>,
    /// Who owns that.
    pub head_owner: Option<String>,
    /// Who began it.
    pub actor: Option<String>,
    /// `success`, `failure`, `timed_out`, …; none while it runs.
    pub conclusion: Option<String>,
    /// Its address.
    pub url: String,
}

impl Run {
    /// Whether it ran code of another repository than its own.
    #[must_use]
    pub fn is_from_fork(&self) -> bool {
        self.head_repository != Some(self.repository)
    }

    /// Whether it ran code that nobody with rights in its repository has written: that of a fork, or
    /// of the packages that Dependabot brings.
    #[must_use]
    pub fn is_of_strangers(&self) -> bool {
        self.is_from_fork() || self.actor.as_deref() == Some(DEPENDABOT)
    }
}

/// Who opens the pull requests of Dependabot, and begins their runs.
pub const DEPENDABOT: &str = "dependabot[bot]";

/// A file that a run has left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Packed size in bytes.
    pub bytes: u64,
    /// Whether GitHub has thrown it away already.
    pub expired: bool,
}

/// Why a comment was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// There is no comment of this number any more.
    Gone,
    /// The text is longer than GitHub takes.
    TooLong,
    /// It may have been written or not: the connection broke, or GitHub failed on the way.
    Unclear(Refusal),
    /// It was not written, and asking again would not help.
    Refused(Refusal),
}

/// One repository on GitHub. Calls block; those that only read are asked again where that may help,
/// those that write never are.
pub trait GitHub {
    /// The repository itself.
    ///
    /// # Errors
    /// See [`Refusal`].
    fn repository(&self) -> Result<Repository, Refusal>;

    /// A file of the repository as it is on a branch; none where there is no such file.
    ///
    /// # Errors
    /// See [`Refusal`].
    fn file(&self, path: &str, branch: &str) -> Result<Option<Vec<u8>>, Refusal>;

    /// Whether a commit is in the history of a branch of this repository; one that only a fork has is
    /// not, though GitHub would show it here.
    ///
    /// # Errors
    /// See [`Refusal`].
    fn has_commit(&self, branch: &str, commit: &str) -> Result<bool, Refusal>;

    /// A pull request.
    ///
    /// # Errors
    /// See [`Refusal`].
    fn pull(&self, number: u64) -> Result<Pull, Refusal>;

    /// The open pull requests of a branch, `owner:branch`.
    ///
    /// # Errors
    /// See [`Refusal`].
    fn open_pulls(&self, owner: &str, branch: &str) -> Result<Vec<Pull>, Refusal>;

    /// All comments on a pull request's conversation, on all pages.
    ///
    /// # Errors
    /// See [`Refusal`].
    fn comments(&self, pull: u64) -> Result<Vec<Comment>, Refusal>;

    /// Writes a new comment.
    ///
    /// # Errors
    /// See [`WriteError`].
    fn create(&self, pull: u64, body: &str) -> Result<Posted, WriteError>;

    /// Replaces the text of a comment.
    ///
    /// # Errors
    /// See [`WriteError`].
    fn update(&self, id: u64, body: &str) -> Result<Posted, WriteError>;

    /// Deletes a comment.
    ///
    /// # Errors
    /// See [`WriteError`].
    fn delete(&self, id: u64) -> Result<(), WriteError>;

    /// A run of a workflow.
    ///
    /// # Errors
    /// See [`Refusal`].
    fn run(&self, id: u64) -> Result<Run, Refusal>;

    /// The artifacts of a run.
    ///
    /// # Errors
    /// See [`Refusal`].
    fn artifacts(&self, run: u64) -> Result<Vec<Artifact>, Refusal>;

    /// The packed bytes of an artifact; none where there are more than `most`.
    ///
    /// # Errors
    /// See [`Refusal`].
    fn download(&self, artifact: u64, most: u64) -> Result<Option<Vec<u8>>, Refusal>;

    /// Sets a check on a commit, and says where it is.
    ///
    /// # Errors
    /// See [`WriteError`].
    fn set_check(&self, check: &Check) -> Result<String, WriteError>;
}
