//! The shards' samples files become one.

use super::OfMachine;
use crate::record::{RecordError, SAMPLES_FILE, SAMPLES_FORMAT, remove};
use bench_results::{BlockSlices, Results, SamplesWriter, Source, file_digest, read_samples};
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
        match whole_file(path, results) {
            Some(Ok(file)) => whole.push(file),
            Some(Err(missing)) => left_out.push(missing),
            None => {}
        }
    }
    let target = out.join(SAMPLES_FILE);
    if whole.is_empty() {
        remove(&target)?;
        return Ok(Joined { file: None, left_out });
    }
    let sha256 = concatenate(&whole, &target)
        .map_err(|source| RecordError::Samples { path: target, source })?;
    Ok(Joined { file: Some(source(sha256)), left_out })
}

/// The same for the results of several machines, whose comparisons have got other names.
///
/// # Errors
/// When a file cannot be read or written.
pub fn join_of_machines(runs: &[(PathBuf, OfMachine)], out: &Path) -> Result<Joined, RecordError> {
    let target = out.join(SAMPLES_FILE);
    let (mut whole, mut left_out) = (Vec::new(), Vec::new());
    for (path, run) in runs {
        match whole_file(path, &run.results) {
            Some(Ok(file)) => whole.push((file, run)),
            Some(Err(missing)) => left_out.push(missing),
            None => {}
        }
    }
    if whole.is_empty() {
        remove(&target)?;
        return Ok(Joined { file: None, left_out });
    }
    let sha256 =
        rewrite(&whole, &target).map_err(|source| RecordError::Samples { path: target, source })?;
    Ok(Joined { file: Some(source(sha256)), left_out })
}

fn rewrite(files: &[(PathBuf, &OfMachine)], target: &Path) -> io::Result<String> {
    let mut writer = SamplesWriter::create(target)?;
    for (file, run) in files {
        for slices in read_samples(file)? {
            let comparison = run.comparison(&slices.comparison);
            writer.append(&BlockSlices { comparison, ..slices })?;
        }
    }
    writer.finish()?;
    file_digest(target)
}

fn source(sha256: String) -> Source {
    Source { file: SAMPLES_FILE.to_owned(), sha256, format: SAMPLES_FORMAT.to_owned() }
}

/// The samples file that lies beside results, or where it should be; none where they name none.
pub fn whole_file(path: &Path, results: &Results) -> Option<Result<PathBuf, PathBuf>> {
    let source = results.samples_file.as_ref()?;
    let file = beside(path, source);
    let file = file.filter(|it| file_digest(it).is_ok_and(|digest| digest == source.sha256));
    Some(file.ok_or_else(|| path.with_file_name(SAMPLES_FILE)))
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
