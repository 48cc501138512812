//! `bench-action history samples`: the measurements of a commit, taken out again as they were.

use super::HistoryError;
use super::place::Place;
use crate::args::SamplesArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::terminal::{self, plain};
use bench_history::StoredFile;
use bench_history::samples::{commit_of, unpack};
use bench_process::Interrupt;
use bench_results::Caps;
use std::collections::BTreeSet;

/// Fewest digits that stand for a commit.
const FEWEST_DIGITS: usize = 4;

/// Writes a directory for each run of the commit that is kept.
pub(super) fn samples(args: &SamplesArgs, interrupt: &Interrupt) -> Result<Exit, CliError> {
    let commit = args.commit.to_ascii_lowercase();
    if commit.len() < FEWEST_DIGITS || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(HistoryError::NoCommitId(args.commit.clone()).into());
    }
    let place = Place::open(&args.store, interrupt)?;
    let files = one_commit(place.samples(&commit)?, &commit, &place)?;
    let unpacked = unpack(files, Caps::default()).map_err(HistoryError::from)?;
    for file in &unpacked {
        write(args, file)?;
    }
    Ok(Exit::Done)
}

/// The files, which are of one commit and of no other.
fn one_commit(
    files: Vec<StoredFile>,
    commit: &str,
    place: &Place<'_>,
) -> Result<Vec<StoredFile>, HistoryError> {
    let commits: BTreeSet<&str> = files.iter().filter_map(|file| commit_of(&file.path)).collect();
    match commits.len() {
        1 => Ok(files),
        0 => {
            Err(HistoryError::NoSamples { commit: commit.to_owned(), place: place.samples_shown() })
        }
        _ => Err(HistoryError::SeveralSamples {
            commit: commit.to_owned(),
            commits: commits.into_iter().map(str::to_owned).collect(),
        }),
    }
}

fn write(args: &SamplesArgs, file: &StoredFile) -> Result<(), CliError> {
    let path = args.out.join(&file.path);
    let failed = |source| CliError::File { path: path.clone(), source };
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory).map_err(failed)?;
    }
    std::fs::write(&path, &file.bytes).map_err(failed)?;
    terminal::print(&format!("{}\n", plain(&path.display().to_string())))
}
