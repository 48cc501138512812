//! Cache entries that are either whole or not there: keyed by everything they depend on, made under
//! a lock, marked as complete last, and gone once nobody has asked for them in a fortnight.

use bench_results::hex;
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const MARKER: &str = ".bench-action-complete.json";

/// How long an entry is kept that nobody asks for. Far longer than any run, which reads from its
/// entries after it has let go of their locks.
const KEPT: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// A short digest of everything something depends on. Equal parts give equal keys, of one length.
pub(crate) fn key(parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part.len().to_le_bytes());
        digest.update(part.as_bytes());
    }
    hex(&digest.finalize())[..20].to_owned()
}

/// One entry, locked by us while this lives.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its directory, at its final place: an environment can't be moved.
    pub(crate) directory: PathBuf,
    /// Whether somebody else had it when it was asked for: then it may have been filled meanwhile.
    pub(crate) was_taken: bool,
    _lock: File,
}

impl Entry {
    /// Waits for the entry called `key` in `shelf`, and clears the shelf of entries long unused.
    pub(crate) fn lock(shelf: &Path, key: &str) -> io::Result<Self> {
        fs::create_dir_all(shelf)?;
        let lock = File::create(shelf.join(format!("{key}.lock")))?;
        let was_taken = match lock.try_lock() {
            Ok(()) => false,
            Err(std::fs::TryLockError::WouldBlock) => {
                lock.lock()?;
                true
            }
            Err(std::fs::TryLockError::Error(error)) => return Err(error),
        };
        // When an entry was last asked for is when its lock was last written.
        lock.set_modified(SystemTime::now())?;
        sweep(shelf);
        Ok(Self { directory: shelf.join(key), was_taken, _lock: lock })
    }

    /// What was noted when the entry was completed; none if it is not complete.
    pub(crate) fn note<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&fs::read(self.directory.join(MARKER)).ok()?).ok()
    }

    /// Makes an empty directory of whatever is there.
    pub(crate) fn clear(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::create_dir_all(&self.directory)
    }

    /// Marks the entry as complete, with what the next user needs to know of it.
    pub(crate) fn complete<T: Serialize>(&self, note: &T) -> io::Result<()> {
        let new = self.directory.join(format!("{MARKER}.new"));
        fs::write(&new, serde_json::to_vec(note)?)?;
        fs::rename(new, self.directory.join(MARKER))
    }
}

/// Removes the entries of a shelf that nobody has asked for in a fortnight. What cannot be removed
/// stays: it is in nobody's way.
fn sweep(shelf: &Path) {
    for file in fs::read_dir(shelf).into_iter().flatten().flatten().map(|file| file.path()) {
        if file.extension().is_some_and(|extension| extension == "lock") && is_old(&file) {
            remove(&file);
        }
    }
}

fn is_old(file: &Path) -> bool {
    let used = file.metadata().and_then(|metadata| metadata.modified());
    used.ok().and_then(|used| used.elapsed().ok()).is_some_and(|unused| unused > KEPT)
}

/// Removes an entry, unless somebody has just taken it. The lock stays: another may wait for it.
fn remove(lock_file: &Path) {
    let Ok(lock) = File::open(lock_file) else { return };
    if lock.try_lock().is_ok() && is_old(lock_file) {
        let _ = fs::remove_dir_all(lock_file.with_extension(""));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_asked_for_in_a_fortnight_is_removed_and_nothing_else() {
        let shelf = tempfile::tempdir().unwrap();
        for key in ["old", "taken", "young"] {
            let entry = Entry::lock(shelf.path(), key).unwrap();
            entry.clear().unwrap();
            entry.complete(&1_u32).unwrap();
        }
        let taken = Entry::lock(shelf.path(), "taken").unwrap();
        for key in ["old", "taken"] {
            let lock = File::options().write(true).open(shelf.path().join(format!("{key}.lock")));
            lock.unwrap().set_modified(SystemTime::now() - KEPT - Duration::from_secs(60)).unwrap();
        }
        drop(Entry::lock(shelf.path(), "new").unwrap());
        let there = |key: &str| shelf.path().join(key).join(MARKER).exists();
        assert_eq!(["old", "taken", "young"].map(there), [false, true, true]);
        assert_eq!(taken.note::<u32>(), Some(1));
    }

    #[test]
    fn an_entry_is_there_only_when_it_was_completed() {
        let shelf = tempfile::tempdir().unwrap();
        let entry = Entry::lock(shelf.path(), "k").unwrap();
        entry.clear().unwrap();
        fs::write(entry.directory.join("half"), "x").unwrap();
        assert_eq!(entry.note::<u32>(), None);
        drop(entry);
        let entry = Entry::lock(shelf.path(), "k").unwrap();
        entry.clear().unwrap();
        assert!(!entry.directory.join("half").exists());
        entry.complete(&7_u32).unwrap();
        assert_eq!(entry.note::<u32>(), Some(7));
    }

    #[test]
    fn keys_tell_apart_what_joins_to_the_same_text() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_eq!(key(&["a"]).len(), key(&[]).len());
    }
}
