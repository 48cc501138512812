//! Files on a branch of their own, which shares no history with the project and only ever grows.
//!
//! A writer fetches the branch's newest commit, puts one of its own on top and pushes it without
//! force. Where another was faster the push is refused, and it begins again.

use super::command::{Git, zero_separated};
use super::error::GitError;
use super::remote::Remote;
use super::tree::entries;
use std::collections::HashSet;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long others may be faster, again and again.
const PATIENCE: Duration = Duration::from_secs(5 * 60);

/// Failures in a row with the branch where it was: not contention, or a lock that stays.
const MOST_REFUSALS: u32 = 5;

/// Whoever writes on the branch.
const WHO: &str = "bench-action <bench-action@localhost>";

/// A file on the branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchFile {
    /// Its path, `/` between parts.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// A branch of files.
pub struct FilesBranch<'r, 'a> {
    remote: &'r Remote<'a>,
    name: String,
    /// A file that every such branch has; another branch is not written to.
    mark: BranchFile,
}

impl<'r, 'a> FilesBranch<'r, 'a> {
    /// The branch of this name, which need not exist yet. `mark` is the file by which it is known.
    ///
    /// # Errors
    /// A name that no branch can have.
    pub fn new(remote: &'r Remote<'a>, name: &str, mark: BranchFile) -> Result<Self, GitError> {
        let scratch = remote.scratch()?;
        remote.git(&scratch).args(["check-ref-format", &format!("refs/heads/{name}")]).run()?;
        Ok(Self { remote, name: name.to_owned(), mark })
    }

    /// All files of the branch; none where it does not exist.
    ///
    /// # Errors
    /// When it cannot be reached, or is another kind of branch.
    pub fn read(&self) -> Result<Option<Vec<BranchFile>>, GitError> {
        self.read_fetched(&[], &|_| true)
    }

    /// The few files whose paths are wanted. Where the other side can leave out files, no others are
    /// fetched.
    ///
    /// # Errors
    /// The same.
    pub fn read_some(
        &self,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Option<Vec<BranchFile>>, GitError> {
        self.read_fetched(&["--filter=blob:none"], wanted)
    }

    fn read_fetched(
        &self,
        filter: &[&str],
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Option<Vec<BranchFile>>, GitError> {
        if self.remote.tip(&self.name)?.is_none() {
            return Ok(None);
        }
        let scratch = self.remote.scratch()?;
        let tip = self.fetch(&scratch, filter)?;
        let mut blobs: Vec<_> = entries(self.remote.git(&scratch), &tip)?
            .into_iter()
            .filter(|entry| entry.kind == "blob")
            .collect();
        self.check_mark(blobs.iter().map(|entry| entry.path.as_str()))?;
        blobs.retain(|entry| wanted(&entry.path));
        let ids: String = blobs.iter().map(|entry| format!("{}\n", entry.id)).collect();
        if !filter.is_empty() {
            self.fetch_missing(&scratch, &ids)?;
        }
        let batch = self.remote.git(&scratch).args(["cat-file", "--batch"]).stdin(ids).run()?;
        let paths = blobs.into_iter().map(|entry| entry.path);
        Ok(Some(
            paths.zip(contents(&batch)).map(|(path, bytes)| BranchFile { path, bytes }).collect(),
        ))
    }

    /// Adds files; what is there already stays as it is. Returns how many were new.
    ///
    /// # Errors
    /// When it cannot be reached or written, is another kind of branch, or others were faster for five
    /// minutes.
    pub fn add(&self, files: &[BranchFile], message: &str) -> Result<usize, GitError> {
        let scratch = self.remote.scratch()?;
        let begun = Instant::now();
        let mut refusals = 0;
        for attempt in 0_u32.. {
            let tip = self.remote.tip(&self.name)?;
            if let Some(_exists) = &tip {
                self.fetch(&scratch, &["--filter=blob:none"])?;
            }
            let new = self.missing(&scratch, tip.is_some(), files)?;
            if new.is_empty() {
                return Ok(0);
            }
            let commit = self.commit(&scratch, tip.is_some(), &new, message)?;
            let push = self.push(&scratch, &commit);
            let refused = push.output()?;
            if refused.status.success() {
                return Ok(new.iter().filter(|file| file.path != self.mark.path).count());
            }
            // What git says is for people. Whether somebody else wrote is seen at the branch.
            refusals = if self.remote.tip(&self.name)? == tip { refusals + 1 } else { 0 };
            if refusals >= MOST_REFUSALS || begun.elapsed() > PATIENCE {
                return Err(push.failed(&refused));
            }
            tracing::debug!(attempt, "others wrote on the branch; once more");
            self.pause(attempt)?;
        }
        Ok(0)
    }

    /// Fetches the newest commit and what belongs to it.
    fn fetch(&self, scratch: &TempDir, more: &[&str]) -> Result<String, GitError> {
        let refspec = format!("+refs/heads/{}:refs/heads/tip", self.name);
        let fetch = ["fetch", "--quiet", "--no-tags", "--depth=1"];
        let git = self.remote.git(scratch).args(fetch).args(more);
        git.args([self.remote.address(), &refspec]).run()?;
        self.remote.git(scratch).args(["rev-parse", "refs/heads/tip"]).text()
    }

    /// Fetches what of these objects, an id in each line, was left out.
    fn fetch_missing(&self, scratch: &TempDir, ids: &str) -> Result<(), GitError> {
        let check = self.remote.git(scratch).args(["cat-file", "--batch-check"]).stdin(ids);
        let said = String::from_utf8_lossy(&check.run()?).into_owned();
        let missing: Vec<&str> =
            said.lines().filter_map(|line| line.strip_suffix(" missing")).collect();
        if missing.is_empty() {
            return Ok(());
        }
        // Else the other side takes for granted that whoever has the commit has its files.
        let git = ["-c", "fetch.negotiationAlgorithm=noop"];
        let fetch = ["fetch", "--quiet", "--no-tags", "--depth=1", self.remote.address()];
        self.remote.git(scratch).args(git).args(fetch).args(&missing).run().map(drop)
    }

    /// Which of the files, the mark among them, are not there yet.
    fn missing<'f>(
        &'f self,
        scratch: &TempDir,
        exists: bool,
        files: &'f [BranchFile],
    ) -> Result<Vec<&'f BranchFile>, GitError> {
        let mut present = HashSet::new();
        if exists {
            let list = ["ls-tree", "-r", "-z", "--name-only", "refs/heads/tip"];
            let list = self.remote.git(scratch).args(list).run()?;
            let names =
                zero_separated(&list).map(|path| String::from_utf8_lossy(path).into_owned());
            present.extend(names);
            self.check_mark(present.iter().map(String::as_str))?;
        }
        let all = std::iter::once(&self.mark).chain(files);
        let mut missing: Vec<&BranchFile> =
            all.filter(|file| !present.contains(&file.path)).collect();
        missing.sort_by(|a, b| a.path.cmp(&b.path));
        missing.dedup_by(|a, b| a.path == b.path);
        Ok(missing)
    }

    fn check_mark<'p>(&self, mut paths: impl Iterator<Item = &'p str>) -> Result<(), GitError> {
        if paths.any(|path| path == self.mark.path) {
            return Ok(());
        }
        Err(GitError::OtherBranch { name: self.name.clone(), mark: self.mark.path.clone() })
    }

    /// A commit with the files, on top of the tip. One process, however many files there are.
    fn commit(
        &self,
        scratch: &TempDir,
        exists: bool,
        files: &[&BranchFile],
        message: &str,
    ) -> Result<String, GitError> {
        let mut script = Vec::new();
        script.extend(format!("commit refs/heads/next\ncommitter {WHO} now\n").into_bytes());
        data(&mut script, message.as_bytes());
        if exists {
            script.extend(b"from refs/heads/tip^0\n");
        }
        for file in files {
            script.extend(format!("M 100644 inline {}\n", file.path).into_bytes());
            data(&mut script, &file.bytes);
        }
        let import = ["fast-import", "--quiet", "--force", "--date-format=now"];
        self.remote.git(scratch).args(import).stdin(script).run()?;
        self.remote.git(scratch).args(["rev-parse", "refs/heads/next"]).text()
    }

    fn push(&self, scratch: &TempDir, commit: &str) -> Git<'a> {
        let refspec = format!("{commit}:refs/heads/{}", self.name);
        let push = ["push", "--quiet", "--no-verify", self.remote.address(), &refspec];
        self.remote.git(scratch).args(push)
    }

    /// Waits a little, longer each time, and not as long as the others.
    fn pause(&self, attempt: u32) -> Result<(), GitError> {
        use std::hash::{BuildHasher as _, Hasher as _};
        let chance = std::collections::hash_map::RandomState::new().build_hasher().finish() % 1000;
        let most = 100 * u64::from(attempt.min(15) + 1);
        let until = Instant::now() + Duration::from_millis(most * chance / 1000);
        while Instant::now() < until {
            if self.remote.is_interrupted() {
                return Err(GitError::Interrupted);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

fn data(script: &mut Vec<u8>, bytes: &[u8]) {
    script.extend(format!("data {}\n", bytes.len()).into_bytes());
    script.extend(bytes);
    script.push(b'\n');
}

/// The contents that `cat-file --batch` prints: a line with the size at its end, the bytes, a line end.
fn contents(mut batch: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    std::iter::from_fn(move || {
        let end = batch.iter().position(|byte| *byte == b'\n')?;
        let header = String::from_utf8_lossy(batch.get(..end)?).into_owned();
        let size: usize = header.rsplit(' ').next()?.parse().ok()?;
        let content = batch.get(end + 1..end + 1 + size)?;
        batch = batch.get(end + 2 + size..).unwrap_or_default();
        Some(content.to_vec())
    })
}
