//! The decision what becomes of the comment: a machine without clock, network or text, driven by
//! [`crate::post`].
//!
//! GitHub has no way to say "replace this comment if it still is what I saw", and two runs may
//! report at once. So whoever has written looks again, and of several comments of ours the oldest
//! stays: whoever carries the newest state writes it there and removes the others; whoever finds a
//! newer state takes back what it has created, and nothing else. An older run thus never replaces
//! what it could see of a newer one, and no two runs can remove each other's comment.

use crate::body::{Kept, Size};
use crate::{Comment, Content, Marker, Posted, Refusal, WriteError};

/// How often the list is read before giving up: more than two reporters at once are rare.
const MOST_ROUNDS: u32 = 6;

/// When a comment is created. One that exists is always brought up to date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// On every pull request.
    #[default]
    Always,
    /// When there is something to say.
    Changes,
    /// Never.
    Never,
}

/// Whether there is something to say that a reader would want to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Something changed, or failed.
    Some,
    /// All is as it was.
    None,
}

/// What is to be reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Of which run.
    pub marker: Marker,
    /// Whether it is worth a comment of its own.
    pub news: News,
}

/// What is to be done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Read all comments and where the pull request stands, after a pause.
    List(Pause),
    /// Write a new comment.
    Create(Draft),
    /// Replace the text of this comment.
    Update {
        /// The comment.
        id: u64,
        /// Its new text.
        draft: Draft,
    },
    /// Delete this comment.
    Delete {
        /// The comment.
        id: u64,
    },
    /// Nothing more.
    End(Ending),
}

/// How long to wait first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// Not at all.
    None,
    /// Until what was just written, here or by another run, can be seen.
    Settle,
    /// Until GitHub may have recovered; how often that was hoped for before.
    Recover(u32),
}

/// What a text is made of, besides the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// How long it may be.
    pub size: Size,
    /// What stays of the earlier text.
    pub kept: Option<Kept>,
}

/// What came of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The comments there are, and the commit that the pull request stands at.
    Listed {
        /// All of them, also other people's.
        comments: Vec<Comment>,
        /// The pull request's head; empty where it stands nowhere.
        head: String,
    },
    /// The comment was created or updated.
    Written(Posted),
    /// The comment was deleted.
    Deleted,
    /// What was written, or not.
    Failed(WriteError),
    /// The list could not be read.
    Refused(Refusal),
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// There is a new comment.
    Created(Posted),
    /// The comment there was tells of this run now.
    Updated(Posted),
    /// The comment there is tells of a newer state, and stays.
    Superseded(Marker),
    /// There is none, and none is wanted.
    NotNeeded,
    /// Even the shortest text was too long.
    TooLong,
    /// Other runs wrote again and again.
    Contended,
    /// GitHub refused.
    Refused(Refusal),
}

/// The machine: ask [`next`](Self::next), do it, tell with [`apply`](Self::apply).
#[derive(Clone, Debug)]
pub struct Upsert {
    report: Report,
    mode: Mode,
    action: Action,
    size: Size,
    rounds: u32,
    recoveries: u32,
    /// The comment that this run has created for certain.
    created: Option<Posted>,
    /// Whether this run has written, or may have.
    has_written: bool,
    /// Whether the comment is new with this run, as far as known.
    is_new: bool,
    /// Deletions that stand before the end.
    doomed: Vec<u64>,
    ending: Option<Ending>,
}

impl Upsert {
    /// Begins.
    #[must_use]
    pub fn new(report: Report, mode: Mode) -> Self {
        Self {
            report,
            mode,
            action: Action::List(Pause::None),
            size: Size::Full,
            rounds: 0,
            recoveries: 0,
            created: None,
            has_written: false,
            is_new: false,
            doomed: Vec::new(),
            ending: None,
        }
    }

    /// What is to be done.
    #[must_use]
    pub fn next(&self) -> &Action {
        &self.action
    }

    /// Learns what came of it.
    pub fn apply(&mut self, outcome: Outcome) {
        self.action = match outcome {
            Outcome::Listed { comments, head } => self.listed(&comments, &head),
            Outcome::Written(posted) => self.has_written(posted),
            Outcome::Deleted => self.go_on_deleting(),
            Outcome::Failed(error) => self.failed(error),
            Outcome::Refused(refusal) => Action::End(Ending::Refused(refusal)),
        };
    }

    fn listed(&mut self, comments: &[Comment], head: &str) -> Action {
        self.rounds += 1;
        if self.rounds > MOST_ROUNDS {
            return Action::End(Ending::Contended);
        }
        let own = self.own(comments);
        let Some((first, marker)) = own.first() else { return self.none_there() };
        let newer = own.iter().find(|(_, other)| self.report.marker.is_superseded_by(other, head));
        if let Some((_, newer)) = newer {
            // What carries exactly our marker, this run has created.
            let created = own.iter().skip(1).filter(|(_, other)| *other == self.report.marker);
            self.doomed = created.map(|(comment, _)| comment.id).collect();
            return self.end_with(Ending::Superseded(newer.clone()));
        }
        let is_done = self.has_written && *marker == self.report.marker;
        if !is_done {
            let kept = self.kept(first, marker);
            self.is_new = false;
            return Action::Update { id: first.id, draft: Draft { size: self.size, kept } };
        }
        let posted = Posted { id: first.id, url: first.url.clone() };
        self.doomed = own.iter().skip(1).map(|(comment, _)| comment.id).collect();
        self.end_with(if self.is_new { Ending::Created(posted) } else { Ending::Updated(posted) })
    }

    /// Our comments with this key, the oldest first.
    fn own<'c>(&self, comments: &'c [Comment]) -> Vec<(&'c Comment, Marker)> {
        let ours = comments.iter().filter(|comment| comment.by_us);
        let mut own: Vec<_> = ours
            .filter_map(|comment| Some((comment, Marker::of(&comment.body)?)))
            .filter(|(_, marker)| marker.key == self.report.marker.key)
            .collect();
        own.sort_by_key(|(comment, _)| comment.id);
        own
    }

    /// A run without results leaves the last ones standing below; a rewrite of its own text too.
    fn kept(&self, comment: &Comment, marker: &Marker) -> Option<Kept> {
        match self.report.marker.content {
            Content::Results => None,
            Content::Nothing => Kept::of(&comment.body, marker),
        }
    }

    fn none_there(&mut self) -> Action {
        // The list may lag behind: what was created for certain is there.
        if let Some(posted) = &self.created {
            return Action::End(Ending::Created(posted.clone()));
        }
        let is_wanted = match self.mode {
            Mode::Always => true,
            Mode::Changes => self.report.news == News::Some,
            Mode::Never => false,
        };
        if is_wanted {
            self.is_new = true;
            Action::Create(Draft { size: self.size, kept: None })
        } else {
            Action::End(Ending::NotNeeded)
        }
    }

    fn has_written(&mut self, posted: Posted) -> Action {
        if matches!(self.action, Action::Create(_)) {
            self.created = Some(posted);
        }
        self.has_written = true;
        Action::List(Pause::Settle)
    }

    fn failed(&mut self, error: WriteError) -> Action {
        if matches!(self.action, Action::Delete { .. }) {
            // A comment too many does no harm; the next run removes it.
            return self.go_on_deleting();
        }
        match error {
            WriteError::Gone => {
                // Somebody deleted what was there, or what this run had created.
                (self.created, self.has_written) = (None, false);
                Action::List(Pause::None)
            }
            WriteError::TooLong => self.shorter(),
            WriteError::Unclear(refusal) if self.recoveries >= 2 => {
                Action::End(Ending::Refused(refusal))
            }
            WriteError::Unclear(_) => {
                self.recoveries += 1;
                // Looking tells whether it was written; asking again could write it twice.
                self.has_written = true;
                Action::List(Pause::Recover(self.recoveries))
            }
            WriteError::Refused(refusal) => Action::End(Ending::Refused(refusal)),
        }
    }

    /// The same action with a shorter text.
    fn shorter(&mut self) -> Action {
        let Some(size) = self.size.smaller() else { return Action::End(Ending::TooLong) };
        self.size = size;
        match self.action.clone() {
            Action::Create(draft) => Action::Create(Draft { size, ..draft }),
            Action::Update { id, draft } => Action::Update { id, draft: Draft { size, ..draft } },
            other => other,
        }
    }

    /// Deletes what is doomed, then ends.
    fn end_with(&mut self, ending: Ending) -> Action {
        self.ending = Some(ending);
        self.go_on_deleting()
    }

    fn go_on_deleting(&mut self) -> Action {
        match (self.doomed.pop(), self.ending.take()) {
            (Some(id), ending) => {
                self.ending = ending;
                Action::Delete { id }
            }
            (None, Some(ending)) => Action::End(ending),
            (None, None) => Action::List(Pause::None),
        }
    }
}

#[cfg(test)]
mod tests;
