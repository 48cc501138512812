//! A store in a plain directory.

use crate::load::{Caps, History, LoadError, load};
use crate::record::{FORMAT_FILE, StoredFile, format_file};
use std::io;
use std::path::{Path, PathBuf};

/// A store in a plain directory. Any number of writers may add to it at the same time: a file has the
/// same content for all who write it, and appears whole.
#[derive(Clone, Debug)]
pub struct Directory {
    root: PathBuf,
}

/// A store in a directory could not be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file or directory.
    #[error("{path}: {source}; is the disk full, or the directory not writable?")]
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Not a store, and not empty.
    #[error("{0}: not a history (it has no {FORMAT_FILE}) and not empty: name another directory")]
    Foreign(PathBuf),
    /// There is no such directory.
    #[error("{0}: there is no history; `bench-action history record` begins one")]
    Missing(PathBuf),
    /// A file in it.
    #[error("{0}: {1}")]
    Load(PathBuf, LoadError),
}

impl Directory {
    /// The store in this directory, which need not exist yet.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Adds files; those that are there already stay as they are. Returns how many are new.
    ///
    /// # Errors
    /// When the directory holds something else, or cannot be written.
    pub fn add(&self, files: &[StoredFile]) -> Result<usize, StoreError> {
        let format = format_file();
        if !self.root.join(FORMAT_FILE).exists() {
            // Asked again: another first writer may have come in between.
            if self.holds_something()? && !self.root.join(FORMAT_FILE).exists() {
                return Err(StoreError::Foreign(self.root.clone()));
            }
            self.write(&format)?;
        }
        let mut new = 0;
        for file in files {
            if !self.root.join(&file.path).exists() {
                self.write(file)?;
                new += 1;
            }
        }
        Ok(new)
    }

    /// Everything in it.
    ///
    /// # Errors
    /// When there is no store, or a file of it is not what it should be.
    pub fn load(&self, caps: Caps) -> Result<History, StoreError> {
        if !self.root.join(FORMAT_FILE).exists() {
            let foreign = self.root.is_dir() && self.holds_something()?;
            let error = if foreign { StoreError::Foreign } else { StoreError::Missing };
            return Err(error(self.root.clone()));
        }
        let mut paths = Vec::new();
        for directory in ["catalogs", "detections", "records"] {
            list(&self.root.join(directory), &mut paths, 0)?;
        }
        paths.push(self.root.join(FORMAT_FILE));
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            let bytes = std::fs::read(&path).map_err(io_error(&path))?;
            files.push(StoredFile { path: self.relative(&path), bytes });
        }
        load(files, caps).map_err(|error| StoreError::Load(self.root.clone(), error))
    }

    /// The few files below the samples' directory whose paths are wanted.
    ///
    /// # Errors
    /// When there is no store, or a file cannot be read.
    pub fn samples(&self, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<StoredFile>, StoreError> {
        if !self.root.join(FORMAT_FILE).exists() {
            return Err(StoreError::Missing(self.root.clone()));
        }
        let mut paths = Vec::new();
        list(&self.root.join("samples"), &mut paths, 0)?;
        let files = paths.into_iter().map(|path| (self.relative(&path), path));
        files
            .filter(|(relative, _)| wanted(relative))
            .map(|(relative, path)| {
                let bytes = std::fs::read(&path).map_err(io_error(&path))?;
                Ok(StoredFile { path: relative, bytes })
            })
            .collect()
    }

    /// A path below the root, `/` between parts.
    fn relative(&self, path: &Path) -> String {
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        let parts: Vec<_> =
            relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        parts.join("/")
    }

    fn holds_something(&self) -> Result<bool, StoreError> {
        match std::fs::read_dir(&self.root) {
            Ok(mut entries) => Ok(entries.any(|entry| {
                // What a writer beside us is about to rename.
                entry.is_ok_and(|entry| !entry.file_name().to_string_lossy().starts_with(".new-"))
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(StoreError::Io { path: self.root.clone(), source }),
        }
    }

    /// Writes a file beside its place and renames it.
    fn write(&self, file: &StoredFile) -> Result<(), StoreError> {
        let path = self.root.join(&file.path);
        let directory = path.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(directory).map_err(io_error(directory))?;
        let unique = format!(".new-{}-{}", std::process::id(), &file.digest()[..16]);
        let temporary = self.root.join(unique);
        std::fs::write(&temporary, &file.bytes).map_err(io_error(&temporary))?;
        std::fs::rename(&temporary, &path).map_err(io_error(&path))
    }
}

/// The files below a directory; a store has at most four levels.
fn list(directory: &Path, paths: &mut Vec<PathBuf>, depth: usize) -> Result<(), StoreError> {
    let entries = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(io_error(directory))?,
    };
    for entry in entries {
        let entry = entry.map_err(io_error(directory))?;
        let kind = entry.file_type().map_err(io_error(directory))?;
        if kind.is_dir() && depth < 3 {
            list(&entry.path(), paths, depth + 1)?;
        } else if kind.is_file() {
            paths.push(entry.path());
        }
    }
    if depth == 0 {
        paths.sort();
    }
    Ok(())
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    |source| StoreError::Io { path, source }
}
