//! Fetching into the private repository: what is missing, and no more history than is needed.

use super::error::GitError;
use super::repository::Repository;
use super::store::edges_of;
use std::collections::BTreeSet;

/// Commits fetched below each edge at first, and the most ever asked for at once. Doubling keeps
/// both the number of round trips and the waste small.
const FIRST_DEPTH: u32 = 64;
const LAST_DEPTH: u32 = 1 << 20;

/// Where fetched commits are kept reachable.
const KEPT: &str = "refs/bench-action";

impl Repository<'_> {
    /// Fetches one ref or full commit id from the remote; in a shallow clone without its history.
    pub(super) fn fetch_one(&self, remote: &str, name: &str) -> Result<String, GitError> {
        let kept = format!("{KEPT}/asked");
        let depth = (!edges_of(&self.store)?.is_empty()).then_some("--depth=1");
        let refspec = format!("+{name}:{kept}");
        self.stored_online()
            .args(["fetch", "--quiet", "--no-write-fetch-head"])
            .args(depth)
            .args([remote, &refspec])
            .run()?;
        self.stored()
            .args(["rev-parse", "--verify", "--quiet", &format!("{kept}^{{commit}}")])
            .text()
    }

    /// Fetches history until each commit has a tag behind it; nothing where the remote has none.
    ///
    /// # Errors
    /// Those of git.
    pub(crate) fn fetch_tags(&self, commits: &[String]) -> Result<(), GitError> {
        let Some(remote) = &self.remote else { return Ok(()) };
        let tags = self.stored_online().args(["ls-remote", "--tags", "--refs", remote]).text()?;
        if tags.is_empty() {
            return Ok(());
        }
        let tips: Vec<&str> = commits.iter().map(String::as_str).collect();
        let has_tag = |commit: &&str| {
            let describe = ["describe", "--tags", "--abbrev=0", commit];
            Ok(self.stored().args(describe).output()?.status.success())
        };
        let probe = || {
            for commit in &tips {
                if !has_tag(commit)? {
                    return Ok(None);
                }
            }
            Ok(Some(()))
        };
        if self.deepen_until(&tips, probe)?.is_none() {
            // The whole history is here, and with it little is left to fetch.
            self.stored_online()
                .args(["fetch", "--quiet", "--no-write-fetch-head"])
                .args([remote, "+refs/tags/*:refs/tags/*"])
                .run()?;
        }
        Ok(())
    }

    /// Asks `probe` again and again while the history below `tips` grows; none when it has been
    /// read to its end.
    pub(super) fn deepen_until<T>(
        &self,
        tips: &[&str],
        probe: impl Fn() -> Result<Option<T>, GitError>,
    ) -> Result<Option<T>, GitError> {
        let mut depth = FIRST_DEPTH;
        loop {
            if let Some(found) = probe()? {
                return Ok(Some(found));
            }
            let edges = self.edges_below(tips)?;
            if edges.is_empty() {
                return Ok(None);
            }
            self.fetch_below(&edges, depth)?;
            depth = (depth * 2).min(LAST_DEPTH);
            if self.edges_below(tips)? == edges {
                // The remote sent nothing new and says nothing: asking again would never end.
                return Ok(None);
            }
        }
    }

    /// The commits at which the history of `tips` is cut off.
    fn edges_below(&self, tips: &[&str]) -> Result<Vec<String>, GitError> {
        let edges: BTreeSet<String> = edges_of(&self.store)?;
        if edges.is_empty() {
            return Ok(Vec::new());
        }
        // A commit at an edge counts as one without parents.
        let roots = self.stored().args(["rev-list", "--max-parents=0"]).args(tips).text()?;
        Ok(roots.lines().filter(|root| edges.contains(*root)).map(str::to_owned).collect())
    }

    /// Tags that point into what is fetched come along, since the refs are stored.
    fn fetch_below(&self, edges: &[String], depth: u32) -> Result<(), GitError> {
        let remote = self.remote.as_deref().unwrap_or("origin");
        let refspecs = edges.iter().map(|edge| format!("+{edge}:{KEPT}/below/{edge}"));
        self.stored_online()
            .args([
                "fetch",
                "--quiet",
                "--no-write-fetch-head",
                &format!("--depth={depth}"),
                remote,
            ])
            .args(refspecs)
            .run()
            .map(drop)
    }
}
