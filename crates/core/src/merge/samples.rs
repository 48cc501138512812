//! The shards' samples files become one.

use crate::record::{RecordError, SAMPLES_FILE, SAMPLES_FORMAT, remove};
use bench_results::{Results, Source, file_digest};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// What came of joining samples files.
#[derive(Debug, Default)]
pub struct Joined {
    /// The file that was written, for `samples_file`; none where no shard's file was there.
    pub file: Option<Source>,
    /// Files that are named in results, and are not there or not what they were.
    pub left_out: Vec<PathBuf>,
}

/// Writes the samples files that lie beside these results files into one in `out`. Compressed files
/// may stand one after the other, so that nothing is unpacked for it.
///
/// # Errors
/// When the file cannot be written.
pub fn join(shards: &[(PathBuf, Results)], out: &Path) -> Result<Joined, RecordError> {
    let (mut whole, mut left_out) = (Vec::new(), Vec::new());
    for (path, results) in shards {
        let Some(source) = &results.samples_file else { continue };
        let file = beside(path, source);
        match file.filter(|file| file_digest(file).is_ok_and(|digest| digest == source.sha256)) {
            Some(file) => whole.push(file),
            None => left_out.push(path.with_file_name(SAMPLES_FILE)),
        }
    }
    let target = out.join(SAMPLES_FILE);
    if whole.is_empty() {
        remove(&target)?;
        return Ok(Joined { file: None, left_out });
    }
    let sha256 = concatenate(&whole, &target)
        .map_err(|source| RecordError::Samples { path: target, source })?;
    let file = Source { file: SAMPLES_FILE.to_owned(), sha256, format: SAMPLES_FORMAT.to_owned() };
    Ok(Joined { file: Some(file), left_out })
}

/// The file of a source, beside the results that name it: a name that leads elsewhere is none.
fn beside(results: &Path, source: &Source) -> Option<PathBuf> {
    (source.file == SAMPLES_FILE).then(|| results.with_file_name(SAMPLES_FILE))
}

fn concatenate(files: &[PathBuf], target: &Path) -> io::Result<String> {
    let mut whole = File::create(target)?;
    for file in files {
        io::copy(&mut File::open(file)?, &mut whole)?;
    }
    whole.sync_all()?;
    file_digest(target)
}
