//! Where one text of ours is kept up to date: in the conversation of a pull request, or as an issue.

use crate::{Comment, GitHub, Posted, Refusal, WriteError};

/// The texts of a place, and how it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// All of them, also other people's.
    pub comments: Vec<Comment>,
    /// The commit the place stands at; none where only the order of runs tells old from new.
    pub head: Option<String>,
}

/// A place with texts, of which at most one is ours.
pub trait Thread {
    /// What is there now.
    ///
    /// # Errors
    /// See [`Refusal`].
    fn texts(&self) -> Result<Texts, Refusal>;

    /// Writes a new text.
    ///
    /// # Errors
    /// See [`WriteError`].
    fn create(&self, body: &str) -> Result<Posted, WriteError>;

    /// Replaces one.
    ///
    /// # Errors
    /// See [`WriteError`].
    fn update(&self, id: u64, body: &str) -> Result<Posted, WriteError>;

    /// Takes one away.
    ///
    /// # Errors
    /// See [`WriteError`].
    fn remove(&self, id: u64) -> Result<(), WriteError>;
}

/// The conversation of a pull request that is judged at its newest commit.
#[derive(Clone, Copy)]
pub struct OnPull<'g> {
    /// The repository.
    pub github: &'g dyn GitHub,
    /// The pull request.
    pub pull: u64,
}

/// The conversation of a pull request that was merged, and stands nowhere any more.
#[derive(Clone, Copy)]
pub struct OnMerged<'g> {
    /// The repository.
    pub github: &'g dyn GitHub,
    /// The pull request.
    pub pull: u64,
}

/// The one open issue of ours with a key. One that a person has closed is not opened again.
#[derive(Clone, Copy)]
pub struct AsIssue<'g> {
    /// The repository.
    pub tracker: &'g dyn Tracker,
    /// What a new issue is called.
    pub title: &'g str,
}

/// What is asked of GitHub after commits were merged.
pub trait Tracker {
    /// The numbers of the pull requests through which a commit got onto a branch.
    ///
    /// # Errors
    /// See [`Refusal`].
    fn merged_pulls(&self, commit: &str, branch: &str) -> Result<Vec<u64>, Refusal>;

    /// The open issues, each as the text it begins with.
    ///
    /// # Errors
    /// See [`Refusal`].
    fn open_issues(&self) -> Result<Vec<Comment>, Refusal>;

    /// Opens an issue.
    ///
    /// # Errors
    /// See [`WriteError`].
    fn open_issue(&self, title: &str, body: &str) -> Result<Posted, WriteError>;

    /// Replaces the text an issue begins with.
    ///
    /// # Errors
    /// See [`WriteError`].
    fn update_issue(&self, number: u64, body: &str) -> Result<Posted, WriteError>;

    /// Closes an issue.
    ///
    /// # Errors
    /// See [`WriteError`].
    fn close_issue(&self, number: u64) -> Result<(), WriteError>;
}

impl Thread for OnPull<'_> {
    fn texts(&self) -> Result<Texts, Refusal> {
        let head = Some(self.github.pull(self.pull)?.head);
        Ok(Texts { head, comments: self.github.comments(self.pull)? })
    }

    fn create(&self, body: &str) -> Result<Posted, WriteError> {
        self.github.create(self.pull, body)
    }

    fn update(&self, id: u64, body: &str) -> Result<Posted, WriteError> {
        self.github.update(id, body)
    }

    fn remove(&self, id: u64) -> Result<(), WriteError> {
        self.github.delete(id)
    }
}

impl Thread for OnMerged<'_> {
    fn texts(&self) -> Result<Texts, Refusal> {
        Ok(Texts { head: None, comments: self.github.comments(self.pull)? })
    }

    fn create(&self, body: &str) -> Result<Posted, WriteError> {
        self.github.create(self.pull, body)
    }

    fn update(&self, id: u64, body: &str) -> Result<Posted, WriteError> {
        self.github.update(id, body)
    }

    fn remove(&self, id: u64) -> Result<(), WriteError> {
        self.github.delete(id)
    }
}

impl Thread for AsIssue<'_> {
    fn texts(&self) -> Result<Texts, Refusal> {
        Ok(Texts { head: None, comments: self.tracker.open_issues()? })
    }

    fn create(&self, body: &str) -> Result<Posted, WriteError> {
        self.tracker.open_issue(self.title, body)
    }

    fn update(&self, id: u64, body: &str) -> Result<Posted, WriteError> {
        self.tracker.update_issue(id, body)
    }

    fn remove(&self, id: u64) -> Result<(), WriteError> {
        self.tracker.close_issue(id)
    }
}
