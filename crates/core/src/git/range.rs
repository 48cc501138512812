//! The commits between two others.

use super::error::GitError;
use super::remote::{CommitFacts, facts};
use super::repository::Repository;

/// Which way back is taken at a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parents {
    /// Only the first parent: the branch itself, where a merge stands for what it merged.
    First,
    /// All of them: merged commits one by one, where they lie between.
    All,
}

impl Repository<'_> {
    /// The commits after `from` up to and with `to`, oldest first; what is not here is fetched.
    ///
    /// # Errors
    /// A revision that is neither here nor at the remote; those of git.
    pub fn between(
        &self,
        from: &str,
        to: &str,
        parents: Parents,
    ) -> Result<Vec<CommitFacts>, GitError> {
        let (from, to) = (self.commit(from)?, self.commit(to)?);
        let log = ["log", "--topo-order", "--reverse", "--no-show-signature", "--format=%H %ct %s"];
        // Only what descends from the beginning: in its other ancestors it is as little as in the
        // commits before it.
        let way = match parents {
            Parents::First => "--first-parent",
            Parents::All => "--ancestry-path",
        };
        let range = format!("{from}..{to}");
        let text = self.stored().args(log).args([way, &range]).run()?;
        Ok(String::from_utf8_lossy(&text).lines().filter_map(facts).collect())
    }

    /// What is known of one commit; what is not here is fetched.
    ///
    /// # Errors
    /// Those of [`Self::between`].
    pub fn facts(&self, revision: &str) -> Result<Option<CommitFacts>, GitError> {
        let commit = self.commit(revision)?;
        let log = ["log", "-1", "--no-show-signature", "--format=%H %ct %s", &commit];
        Ok(facts(&self.stored().args(log).text()?))
    }
}
