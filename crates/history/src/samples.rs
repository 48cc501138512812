//! What records were made of, kept beside them for who wants to judge again: the results file of a run,
//! down to each launch, and the file with every slice where there is one. Series and pages never read
//! them, so that a history stays as small and as fast as it is without.

use crate::record::StoredFile;
use bench_results::{Caps, ReadError, hex, read};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};

/// The directory that all of them are in.
const DIRECTORY: &str = "samples";

/// The file of a run, and the same as it is stored.
const RESULTS: (&str, &str) = ("results.json", "results.json.gz");

/// Every slice; zipped already.
const SLICES: &str = "samples.jsonl.gz";

/// Digits of a digest that name a run: it is found by its commit already.
const DIGITS: usize = 16;

/// Stored measurements that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SamplesError {
    /// Neither a file of ours, nor whole.
    #[error(
        "{path}: {message}; samples of a history are never edited: restore the file, or remove it"
    )]
    Malformed {
        /// The file in the store.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// No results file of this version.
    #[error(transparent)]
    Results(#[from] ReadError),
}

/// Where the samples of a commit are, whose id may be shortened to its first digits.
#[must_use]
pub fn is_of(path: &str, commit: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(parts.as_slice(), [DIRECTORY, _, id, _, _] if id.starts_with(commit))
}

/// The commit that a file's path names.
#[must_use]
pub fn commit_of(path: &str) -> Option<&str> {
    let mut parts = path.split('/');
    (parts.next() == Some(DIRECTORY)).then_some(())?;
    parts.nth(1)
}

/// The files that keep a run of this commit: its results file and, where there is one, that with every
/// slice. Equal measurements make equal paths.
///
/// # Errors
/// When they cannot be packed.
pub fn pack(commit: &str, results: &[u8], slices: Option<Vec<u8>>) -> io::Result<Vec<StoredFile>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(results)?;
    let run = run_name(results);
    let beginning = commit.get(..2).unwrap_or("00");
    let file = |name: &str, bytes: Vec<u8>| StoredFile {
        path: format!("{DIRECTORY}/{beginning}/{commit}/{run}/{name}"),
        bytes,
    };
    let results = file(RESULTS.1, encoder.finish()?);
    Ok(std::iter::once(results).chain(slices.map(|bytes| file(SLICES, bytes))).collect())
}

/// The stored files of one commit as they once were, each run in a directory of its own.
///
/// # Errors
/// When a file is not whole, or larger than any results file may be.
pub fn unpack(files: Vec<StoredFile>, caps: Caps) -> Result<Vec<StoredFile>, SamplesError> {
    let mut runs: BTreeMap<String, Vec<StoredFile>> = BTreeMap::new();
    for file in files {
        let run = file.path.split('/').nth(3).unwrap_or_default().to_owned();
        runs.entry(run).or_default().push(file);
    }
    let mut unpacked = Vec::new();
    for (run, files) in runs {
        unpacked.extend(unpack_run(&run, files, caps)?);
    }
    Ok(unpacked)
}

fn unpack_run(
    run: &str,
    files: Vec<StoredFile>,
    caps: Caps,
) -> Result<Vec<StoredFile>, SamplesError> {
    let (mut results, mut slices) = (None, None);
    for file in files {
        if file.path.ends_with(&format!("/{}", RESULTS.1)) {
            results = Some(file);
        } else if file.path.ends_with(&format!("/{SLICES}")) {
            slices = Some(file);
        }
    }
    let Some(results) = results else {
        return Err(malformed(&format!("{run}/{}", RESULTS.1), "it is missing"));
    };
    let bytes = unzip(&results, caps)?;
    if run_name(&bytes) != run {
        return Err(malformed(&results.path, "its content is not what its name says"));
    }
    let named = read(&bytes, &results.path, caps)?.samples_file.map(|file| file.sha256);
    let mut unpacked = vec![StoredFile { path: format!("{run}/{}", RESULTS.0), bytes }];
    if let Some(slices) = slices {
        if named != Some(hex(&Sha256::digest(&slices.bytes))) {
            return Err(malformed(&slices.path, "it is not the one that the results name"));
        }
        unpacked.push(StoredFile { path: format!("{run}/{SLICES}"), bytes: slices.bytes });
    }
    Ok(unpacked)
}

fn unzip(file: &StoredFile, caps: Caps) -> Result<Vec<u8>, SamplesError> {
    let mut bytes = Vec::new();
    let mut decoder = GzDecoder::new(file.bytes.as_slice()).take(caps.bytes + 1);
    decoder.read_to_end(&mut bytes).map_err(|error| malformed(&file.path, &error.to_string()))?;
    Ok(bytes)
}

fn run_name(results: &[u8]) -> String {
    let mut digest = hex(&Sha256::digest(results));
    digest.truncate(DIGITS);
    digest
}

fn malformed(path: &str, message: &str) -> SamplesError {
    SamplesError::Malformed { path: path.to_owned(), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "abcdef0123456789abcdef0123456789abcdef01";

    #[test]
    fn files_are_of_the_commit_that_their_path_names_and_of_no_other() {
        let files = pack(COMMIT, b"{}", Some(vec![1])).unwrap();
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let run = "samples/ab/abcdef0123456789abcdef0123456789abcdef01/44136fa355b3678a";
        assert_eq!(paths, [format!("{run}/results.json.gz"), format!("{run}/samples.jsonl.gz")]);
        for path in paths {
            assert!(is_of(path, COMMIT) && is_of(path, "abcdef0") && !is_of(path, "abcde1"));
            assert_eq!(commit_of(path), Some(COMMIT));
        }
        assert!(!is_of("records/ab/abcdef/a.json/x", "abcdef"));
        assert_eq!(commit_of("records/ab/abcdef/a.json"), None);
    }

    #[test]
    fn what_was_changed_or_is_no_archive_is_refused_in_words() {
        let mut files = pack(COMMIT, b"{\"schema\":\"x\"}", None).unwrap();
        let refused = |files: Vec<StoredFile>| unpack(files, Caps::default()).unwrap_err();
        assert!(matches!(refused(files.clone()), SamplesError::Results(ReadError::Version { .. })));
        files[0].bytes = pack(COMMIT, b"other", None).unwrap().remove(0).bytes;
        assert!(refused(files.clone()).to_string().contains("not what its name says"));
        files[0].bytes = b"no archive".to_vec();
        assert!(refused(files.clone()).to_string().contains(&files[0].path));
        files[0].path = files[0].path.replace("results.json.gz", "samples.jsonl.gz");
        assert!(refused(files).to_string().contains("results.json.gz: it is missing"));
    }
}
