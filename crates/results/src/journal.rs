//! The append-only journal: what happened, one line each, from which `results.json` is derived.
//!
//! A crash loses at most the line being written. The journal does not know what its lines mean:
//! the crate that measures defines them.

use serde::{Serialize, de::DeserializeOwned};
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// The journal could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file system refused.
    #[error("{path}: the journal of this run could not be used: {source}; is the disk full?")]
    Io {
        /// The journal.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A line in the middle is not what it should be.
    #[error("{path}:{line}: damaged journal: {message}; delete it to start afresh")]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// 1-based.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

/// A journal open for appending.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Starts an empty journal, replacing an older one.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        let file = File::create(path).map_err(|source| io(path, source))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Opens a journal to go on with it; a torn last line is cut off.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn resume(path: &Path) -> Result<Self, JournalError> {
        let run = || -> std::io::Result<File> {
            let whole = std::fs::read(path)?;
            let end = whole.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
            let mut file = OpenOptions::new().write(true).open(path)?;
            file.set_len(end as u64)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = run().map_err(|source| io(path, source))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Appends one line.
    ///
    /// # Errors
    /// When the line cannot be written; the journal then ends with a torn line at worst.
    pub fn append<T: Serialize>(&mut self, entry: &T) -> Result<(), JournalError> {
        let mut line = serde_json::to_vec(entry).map_err(|e| io(&self.path, e.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(|source| io(&self.path, source))
    }
}

/// Reads all whole lines of a journal. A torn last line (the writer died) is left out.
///
/// # Errors
/// When the file cannot be read, or a line that is not the last does not parse.
pub fn read_journal<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, JournalError> {
    let file = File::open(path).map_err(|source| io(path, source))?;
    let mut reader = BufReader::new(file);
    let mut entries = Vec::new();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        reader.read_until(b'\n', &mut line).map_err(|source| io(path, source))?;
        if line.last() != Some(&b'\n') {
            break;
        }
        entries.push(serde_json::from_slice(&line).map_err(|e| JournalError::Damaged {
            path: path.to_owned(),
            line: number,
            message: e.to_string(),
        })?);
    }
    Ok(entries)
}

fn io(path: &Path, source: std::io::Error) -> JournalError {
    JournalError::Io { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("bench-results-{}-{name}", std::process::id()))
    }

    #[test]
    fn a_torn_last_line_is_lost_and_the_rest_kept_and_continued() {
        let path = scratch("torn");
        let mut journal = Journal::create(&path).unwrap();
        journal.append(&1).unwrap();
        journal.append(&2).unwrap();
        drop(journal);
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"[3").unwrap();
        assert_eq!(read_journal::<u32>(&path).unwrap(), [1, 2]);
        Journal::resume(&path).unwrap().append(&4).unwrap();
        assert_eq!(read_journal::<u32>(&path).unwrap(), [1, 2, 4]);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn damage_in_the_middle_is_named_with_its_line() {
        let path = scratch("damaged");
        std::fs::write(&path, "1\nx\n3\n").unwrap();
        let error = read_journal::<u32>(&path).unwrap_err().to_string();
        assert!(error.contains(":2: damaged journal"), "{error}");
        std::fs::remove_file(path).unwrap();
    }
}
