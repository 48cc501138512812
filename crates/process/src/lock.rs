//! One measurement at a time on a machine: a second would be noise to the first.

use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{fmt, process};

use nix::fcntl::OFlag;
use serde::{Deserialize, Serialize};

use crate::interrupt::{Interrupt, Signal};
use crate::wait::{Ready, wait_for};

/// Between two attempts while another measurement runs.
const TRY_AGAIN: Duration = Duration::from_millis(250);

/// What to do if another measurement runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Give up at once.
    Fail,
    /// Wait for its end, at most this long.
    For(Duration),
}

/// Held for as long as this value lives; given up by the system if the process dies.
#[derive(Debug)]
pub struct MachineLock {
    file: File,
}

/// Who holds the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process number.
    pub pid: u32,
    /// When it took the lock, in seconds since 1970.
    pub since: u64,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let age = now().saturating_sub(self.since);
        write!(f, "process {}, for {age} s now", self.pid)
    }
}

/// Why the lock could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another measurement runs.
    #[error("another measurement runs on this machine{}; wait for its end, or end it", by(*holder))]
    Held {
        /// Who that is, if it could be read.
        holder: Option<Holder>,
    },
    /// A signal arrived while waiting.
    #[error("interrupted while waiting for another measurement to end")]
    Interrupted(Signal),
    /// The file cannot be used.
    #[error("cannot use the lock file {}: {source}; have its owner delete it", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

fn by(holder: Option<Holder>) -> String {
    holder.map(|holder| format!(" ({holder})")).unwrap_or_default()
}

/// The same file for every user of the machine. Not below `TMPDIR` or `XDG_RUNTIME_DIR`, which are
/// each user's own, nor `/var/lock`, which is closed to users on some systems.
#[must_use]
pub fn machine_lock_path() -> &'static Path {
    Path::new("/tmp/bench-action.lock")
}

impl MachineLock {
    /// Takes the lock on `path` ([`machine_lock_path`] outside tests). The lock is advisory and
    /// belongs to the open file: a second attempt in the same process waits like any other.
    ///
    /// # Errors
    /// A [`LockError`].
    pub fn acquire(path: &Path, wait: Wait, interrupt: &Interrupt) -> Result<Self, LockError> {
        let unusable = |source| LockError::Unusable { path: path.to_owned(), source };
        let mut file = open(path).map_err(unusable)?;
        let deadline = match wait {
            Wait::Fail => Some(Instant::now()),
            Wait::For(patience) => Instant::now().checked_add(patience),
        };
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(unusable(error)),
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err(LockError::Held { holder: read_holder(&mut file) });
            }
            let pause = wait_for(&[], Some(Instant::now() + TRY_AGAIN), interrupt);
            if let Ready::Interrupted(signal) = pause.map_err(unusable)? {
                return Err(LockError::Interrupted(signal));
            }
        }
        let mut lock = Self { file };
        // Whoever waits for us then does not know for whom; nothing else depends on it.
        drop(lock.sign());
        Ok(lock)
    }

    fn sign(&mut self) -> io::Result<()> {
        let holder = Holder { pid: process::id(), since: now() };
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(serde_json::to_string(&holder)?.as_bytes())
    }
}

impl Drop for MachineLock {
    fn drop(&mut self) {
        // Closing the file gives up the lock. The file stays: deleting it would let two processes
        // hold locks on two files of the same name.
        drop(self.file.set_len(0));
    }
}

fn read_holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(1000).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// Opens the file for whoever comes first, and for every other user after. In a directory where all
/// may write, Linux refuses to open another's file with `O_CREAT`, hence the two steps; and a link
/// laid there must not lead us to a file that we would overwrite.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits());
    let file = match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(&options, path)?,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            options.write(false).open(path)?
        }
        other => other?,
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.nlink() > 1 {
        return Err(io::Error::other("it is not a plain file of its own"));
    }
    Ok(file)
}

fn make(options: &OpenOptions, path: &Path) -> io::Result<File> {
    match options.clone().create_new(true).open(path) {
        // Another was quicker.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => options.open(path),
        Err(error) => Err(error),
        Ok(file) => {
            // Not left to the umask: the next user must be able to write a name into it.
            file.set_permissions(Permissions::from_mode(0o666))?;
            Ok(file)
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::thread;

    use super::*;

    fn acquire(path: &Path, wait: Wait) -> Result<MachineLock, LockError> {
        MachineLock::acquire(path, wait, &Interrupt::never())
    }

    #[test]
    fn a_second_measurement_is_told_who_runs_the_first() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let first = acquire(&path, Wait::Fail).unwrap();
        let error = acquire(&path, Wait::Fail).unwrap_err();
        let LockError::Held { holder: Some(holder) } = error else { panic!("{error}") };
        assert_eq!(holder.pid, process::id());
        drop(first);
        acquire(&path, Wait::Fail).unwrap();
    }

    #[test]
    fn waiting_ends_when_the_lock_is_given_up() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let first = acquire(&path, Wait::Fail).unwrap();
        let second = thread::spawn({
            let path = path.clone();
            move || acquire(&path, Wait::For(Duration::from_secs(60))).is_ok()
        });
        thread::sleep(Duration::from_millis(20));
        drop(first);
        assert!(second.join().unwrap());
    }

    #[test]
    fn the_file_is_open_to_all_users_and_a_stale_one_is_no_obstacle() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        drop(acquire(&path, Wait::Fail).unwrap());
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o666);
        std::fs::write(&path, "rubbish").unwrap();
        acquire(&path, Wait::Fail).unwrap();
    }

    #[test]
    fn a_link_in_its_place_is_refused_and_its_target_kept() {
        let directory = tempfile::tempdir().unwrap();
        let (path, target) = (directory.path().join("lock"), directory.path().join("precious"));
        std::fs::write(&target, "content").unwrap();
        symlink(&target, &path).unwrap();
        assert!(matches!(acquire(&path, Wait::Fail), Err(LockError::Unusable { .. })));
        std::fs::remove_file(&path).unwrap();
        std::fs::hard_link(&target, &path).unwrap();
        assert!(matches!(acquire(&path, Wait::Fail), Err(LockError::Unusable { .. })));
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "content");
    }
}
