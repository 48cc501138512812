//! From what was asked for to two commits, fixed once for the whole run.

use super::error::GitError;
use super::repository::Repository;
use crate::config::{BaseRule, HeadRule};

/// The two sides of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// What head is compared with.
    pub base: Revision,
    /// What is judged.
    pub head: Revision,
    /// Things a person should know, one sentence each.
    pub warnings: Vec<String>,
}

/// A commit with what a person calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Full commit id; for a working tree that of its capture, which only the private repository
    /// has.
    pub commit: String,
    /// First line of the commit's message.
    pub subject: String,
    /// A branch, a tag, a short id, or `working tree`.
    pub label: String,
    /// What was asked for: `merge-base`, `tip`, `worktree`, or the revision as it was given.
    pub asked: String,
    /// Where its files come from.
    pub origin: Origin,
}

/// Where a revision's files come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A commit of the repository.
    Commit,
    /// The files as they are.
    Worktree {
        /// The commit they are based on.
        parent: String,
        /// SHA-256 of what differs from it, hexadecimal; none when nothing does.
        diff_digest: Option<String>,
    },
}

impl Revision {
    /// Whether it has changes that are in no commit.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        matches!(&self.origin, Origin::Worktree { diff_digest: Some(_), .. })
    }

    /// The commit id as a person reads it.
    #[must_use]
    pub fn short(&self) -> &str {
        &self.commit[..self.commit.len().min(10)]
    }
}

/// A branch that a base is taken from.
struct Branch {
    label: String,
    commit: String,
}

impl Repository<'_> {
    /// Finds both commits, fetching what is missing. `base_branch` is the branch or commit that the
    /// base is taken from; none = the default branch.
    ///
    /// # Errors
    /// A revision that is neither here nor at the remote; a history that cannot be fetched, or that
    /// has no common commit; those of git.
    pub fn resolve(
        &self,
        base: &BaseRule,
        head: &HeadRule,
        base_branch: Option<&str>,
    ) -> Result<Pair, GitError> {
        let head = match head {
            HeadRule::Worktree => self.capture_worktree()?,
            HeadRule::Revision(asked) => self.revision(asked)?,
        };
        let mut warnings = Vec::new();
        let base = match base {
            BaseRule::Revision(asked) => self.revision(asked)?,
            BaseRule::Tip => {
                let branch = self.base_branch(base_branch)?;
                if branch.commit == head.commit {
                    warnings.push(nothing_of_its_own(&head, &branch));
                }
                self.describe(branch.commit, branch.label, "tip")?
            }
            BaseRule::MergeBase => {
                let branch = self.base_branch(base_branch)?;
                let commit = self.merge_base(&head, &branch)?;
                if commit == head.commit {
                    warnings.push(nothing_of_its_own(&head, &branch));
                }
                self.describe(commit, branch.label, "merge-base")?
            }
        };
        Ok(Pair { base, head, warnings })
    }

    fn revision(&self, asked: &str) -> Result<Revision, GitError> {
        let commit = self.commit(asked)?;
        let label = match asked {
            "HEAD" => self.user().args(["symbolic-ref", "--quiet", "--short", "HEAD"]).answer()?,
            _ => Some(asked.to_owned()),
        };
        let label = label.unwrap_or_else(|| commit[..commit.len().min(10)].to_owned());
        self.describe(commit, label, asked)
    }

    fn describe(&self, commit: String, label: String, asked: &str) -> Result<Revision, GitError> {
        let subject = self.subject(&commit)?;
        Ok(Revision { commit, subject, label, asked: asked.to_owned(), origin: Origin::Commit })
    }

    pub(super) fn subject(&self, commit: &str) -> Result<String, GitError> {
        self.stored().args(["log", "-1", "--no-show-signature", "--format=%s", commit]).text()
    }

    /// The full id of any revision, here or at the remote.
    pub(super) fn commit(&self, asked: &str) -> Result<String, GitError> {
        let unknown = |said: &str| self.unknown(asked, said);
        if asked.starts_with('-') || asked.is_empty() {
            return Err(unknown("that is not the name of a revision"));
        }
        if let Some(commit) = self.here(asked)? {
            return Ok(commit);
        }
        if asked == "HEAD" {
            return Err(self.no_commit());
        }
        if let Some(commit) = self.ancestor(asked)? {
            return Ok(commit);
        }
        let Some(remote) = &self.remote else {
            return Err(unknown("there is no remote to ask"));
        };
        let name = asked.strip_prefix("refs/remotes/").unwrap_or(asked);
        let name = name.strip_prefix(&format!("{remote}/")).unwrap_or(name);
        if !is_id(name) && !self.is_name(name)? {
            return Err(unknown("that is not the name of a revision"));
        }
        self.fetch_one(remote, name).map_err(|error| match &error {
            GitError::Failed { .. } if self.answers(remote) => unknown(&error.said()),
            GitError::Failed { .. } => GitError::RemoteSilent {
                asked: asked.to_owned(),
                root: self.root.clone(),
                said: error.said(),
            },
            _ => error,
        })
    }

    /// Whether a branch or tag can have this name.
    fn is_name(&self, name: &str) -> Result<bool, GitError> {
        let check = self.stored().args(["check-ref-format", "--allow-onelevel", name]);
        Ok(check.answer()?.is_some())
    }

    /// Whether a remote can be asked at all: one that can, and does not give a revision, has none of
    /// the name. What it says to that differs between servers and versions.
    fn answers(&self, remote: &str) -> bool {
        self.stored_online().args(["ls-remote", "--quiet", remote, "HEAD"]).run().is_ok()
    }

    /// The error of a repository without any.
    pub(super) fn no_commit(&self) -> GitError {
        GitError::UnknownRevision {
            asked: "HEAD".to_owned(),
            root: self.root.clone(),
            said: "the repository has no commit yet".to_owned(),
            remedy: "commit something to compare with".to_owned(),
        }
    }

    fn unknown(&self, asked: &str, said: &str) -> GitError {
        let push = self.remote.as_ref().map(|to| format!(" push it to {to},")).unwrap_or_default();
        GitError::UnknownRevision {
            asked: asked.to_owned(),
            root: self.root.clone(),
            said: said.to_owned(),
            remedy: format!("check its spelling,{push} or give the full commit id"),
        }
    }

    /// The full id of a revision that is here: in the user's repository, or fetched before.
    fn here(&self, asked: &str) -> Result<Option<String>, GitError> {
        let commit = format!("{asked}^{{commit}}");
        let parse = ["rev-parse", "--verify", "--quiet", &commit];
        let found = self.user().args(parse).output()?;
        let found = match found.status.success() {
            true => found,
            false if is_id(asked) => self.stored().args(parse).output()?,
            false => return Ok(None),
        };
        let id = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        Ok((found.status.success() && !id.is_empty()).then_some(id))
    }

    /// `HEAD~3` and the like may lie beyond the edge of a shallow clone.
    fn ancestor(&self, asked: &str) -> Result<Option<String>, GitError> {
        let Some(at) = asked.find(['~', '^']) else { return Ok(None) };
        let (name, path) = asked.split_at(at);
        let Some(tip) = self.here(name)? else { return Ok(None) };
        let wanted = format!("{tip}{path}^{{commit}}");
        let probe = || self.stored().args(["rev-parse", "--verify", "--quiet", &wanted]).answer();
        match self.deepen_until(&[&tip], probe) {
            Err(error @ GitError::Failed { .. }) => Err(GitError::RemoteSilent {
                asked: asked.to_owned(),
                root: self.root.clone(),
                said: error.said(),
            }),
            other => other,
        }
    }

    fn merge_base(&self, head: &Revision, branch: &Branch) -> Result<String, GitError> {
        let asked = || (head.asked.clone(), branch.label.clone());
        let tips = [head.commit.as_str(), branch.commit.as_str()];
        let probe = || self.stored().args(["merge-base"]).args(tips).answer();
        match self.deepen_until(&tips, probe) {
            Ok(Some(commit)) => Ok(commit),
            Ok(None) => {
                let (head, branch) = asked();
                Err(GitError::NoMergeBase { head, branch, root: self.root.clone() })
            }
            Err(error @ GitError::Failed { .. }) => {
                let (head, branch) = asked();
                Err(GitError::Shallow { head, branch, said: error.said() })
            }
            Err(other) => Err(other),
        }
    }

    /// The branch the base is taken from: the one given, as the remote has it where it is known;
    /// else the remote's default branch; else `main` or `master`.
    fn base_branch(&self, given: Option<&str>) -> Result<Branch, GitError> {
        if let Some(name) = given {
            let at_remote =
                self.remote.as_ref().map(|remote| format!("refs/remotes/{remote}/{name}"));
            let known = at_remote.map(|name| self.here(&name)).transpose()?.flatten();
            let commit = known.map_or_else(|| self.commit(name), Ok)?;
            return Ok(Branch { label: name.to_owned(), commit });
        }
        for name in self.default_names()? {
            if let Some(commit) = self.here(&name)? {
                let label =
                    name.trim_start_matches("refs/heads/").trim_start_matches("refs/remotes/");
                return Ok(Branch { label: label.to_owned(), commit });
            }
        }
        self.remote_default()
    }

    /// Names that the default branch may have here, the best first.
    fn default_names(&self) -> Result<Vec<String>, GitError> {
        let mut names = Vec::new();
        if let Some(remote) = &self.remote {
            let head = format!("refs/remotes/{remote}/HEAD");
            names.extend(self.user().args(["symbolic-ref", "--quiet", &head]).answer()?);
            names.extend(["main", "master"].map(|name| format!("refs/remotes/{remote}/{name}")));
        }
        let configured = self.user().args(["config", "--get", "init.defaultBranch"]).answer()?;
        let local = configured.iter().map(String::as_str).chain(["main", "master"]);
        names.extend(local.map(|name| format!("refs/heads/{name}")));
        Ok(names)
    }

    /// What the remote itself calls its default branch, fetched.
    fn remote_default(&self) -> Result<Branch, GitError> {
        let unknown = |said: String| GitError::NoDefaultBranch { root: self.root.clone(), said };
        let Some(remote) = &self.remote else {
            return Err(unknown("there is no remote".to_owned()));
        };
        let ask = self.stored_online().args(["ls-remote", "--symref", remote, "HEAD"]);
        let answer = ask.text().map_err(|error| match error {
            GitError::Failed { .. } => unknown(error.said()),
            other => other,
        })?;
        let name = answer.lines().find_map(|line| line.strip_prefix("ref: ")?.split('\t').next());
        let name = name.ok_or_else(|| unknown(format!("{remote} does not name one")))?;
        let commit = self.fetch_one(remote, name)?;
        let label = format!("{remote}/{}", name.trim_start_matches("refs/heads/"));
        Ok(Branch { label, commit })
    }
}

/// Whether a text can be a commit id, whole or shortened.
fn is_id(text: &str) -> bool {
    text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The warning about a head that the base branch has already.
fn nothing_of_its_own(head: &Revision, branch: &Branch) -> String {
    let (what, older) = match &head.origin {
        Origin::Worktree { .. } => (
            format!("the working tree has no changes, and HEAD is part of {}", branch.label),
            "HEAD",
        ),
        Origin::Commit if head.label == branch.label => (
            format!("head is {} itself, the branch that base is taken from", branch.label),
            head.asked.as_str(),
        ),
        Origin::Commit => {
            (format!("{} is part of {}", head.label, branch.label), head.asked.as_str())
        }
    };
    format!(
        "{what}, so both sides are the same commit; run it on a branch of its own, or name an older base, such \
         as --base {older}~1"
    )
}
