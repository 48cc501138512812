//! What `setup_cache` leaves behind: made for both sides in the same run, with equal seeds, and
//! checked for inputs that differ from run to run (rule 5).
//!
//! Whatever is made once per side and kept is not covered by the coin: a fixed difference between
//! such inputs would look like a change of the code.

use super::action::CaseFailure;
use super::driver::{Tools, Trouble};
use super::workers::{Slot, Workers, trouble};
use crate::case::Case;
use bench_harness::{Reply, Request};
use bench_results::{Failure, SideName, hex};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The caches of a run, by group and key.
#[derive(Debug, Default)]
pub(super) struct Caches {
    made: BTreeMap<(usize, String), Made>,
}

#[derive(Debug)]
struct Made {
    directories: [PathBuf; 2],
    failure: Option<Failure>,
    differ: bool,
}

impl Caches {
    /// Makes what these cases need and is not there yet. A failing `setup_cache` fails the cases
    /// that use it, not the round.
    pub(super) fn make(
        &mut self,
        tools: &Tools<'_>,
        workers: &mut Workers,
        cases: &[usize],
    ) -> Result<(), Trouble> {
        for case in cases.iter().map(|&case| &tools.cases[case]) {
            let Some(key) = key(case) else { continue };
            if !self.made.contains_key(&key) {
                let made = Made::make(tools, workers, case, self.made.len())?;
                self.made.insert(key, made);
            }
        }
        Ok(())
    }

    /// The cache directory of a case on a side.
    pub(super) fn directory(&self, case: &Case, side: SideName) -> Option<&Path> {
        let made = self.made.get(&key(case)?)?;
        Some(&made.directories[side.index()])
    }

    /// Why a case has no usable cache.
    pub(super) fn failure(&self, case: &Case) -> Option<CaseFailure> {
        let made = self.made.get(&key(case)?)?;
        made.failure.clone().map(CaseFailure::Failed)
    }

    /// Whether a case's inputs differ from run to run.
    pub(super) fn differ(&self, case: &Case) -> bool {
        key(case).and_then(|key| self.made.get(&key)).is_some_and(|made| made.differ)
    }
}

fn key(case: &Case) -> Option<(usize, String)> {
    case.benchmark[1].cache_key.clone().map(|key| (case.group, key))
}

impl Made {
    fn make(
        tools: &Tools<'_>,
        workers: &mut Workers,
        case: &Case,
        number: usize,
    ) -> Result<Self, Trouble> {
        let directory = |slot: Slot| {
            tools.scratch.join("caches").join(format!("{number}-{}", slot.directory()))
        };
        let directories = [directory(Slot::Base), directory(Slot::Head)];
        let mut failure = None;
        for (slot, directory) in [Slot::Base, Slot::Head].into_iter().zip(&directories) {
            match fill(tools, workers, case, slot, directory) {
                Ok(()) => {}
                Err(Trouble::Case(CaseFailure::Failed(failed))) => {
                    failure = failure.or(Some(failed))
                }
                Err(other) => return Err(other),
            }
        }
        let differ = failure.is_none()
            && varies(tools, workers, case, &directories, &directory(Slot::Twin))?;
        Ok(Self { directories, failure, differ })
    }
}

/// Do the outputs differ though nothing but chance can be the reason? Head's code may rightly make
/// another output; so where the sides differ, base is asked twice.
fn varies(
    tools: &Tools<'_>,
    workers: &mut Workers,
    case: &Case,
    [base, head]: &[PathBuf; 2],
    again: &Path,
) -> Result<bool, Trouble> {
    if digest(base) == digest(head) {
        return Ok(false);
    }
    let varies = match fill(tools, workers, case, Slot::Base, again) {
        Ok(()) => digest(base) != digest(again),
        // What fails the second time does not repeat either.
        Err(Trouble::Case(_)) => true,
        Err(Trouble::Interrupted) => return Err(Trouble::Interrupted),
    };
    remove(again);
    Ok(varies)
}

fn fill(
    tools: &Tools<'_>,
    workers: &mut Workers,
    case: &Case,
    slot: Slot,
    directory: &Path,
) -> Result<(), Trouble> {
    remove(directory);
    let side = slot.side();
    std::fs::create_dir_all(directory).map_err(|error| {
        Trouble::failed(
            side,
            "setup_cache",
            format!("{}: {error}", directory.display()),
            String::new(),
        )
    })?;
    let request = Request::SetupCache {
        benchmark: case.function().to_owned(),
        directory: directory.to_owned(),
    };
    let timeout = timeout(tools, case, side);
    match workers.get(tools, slot)?.ask(&request, timeout, tools.interrupt) {
        Ok(Reply::Failed(failure)) => {
            Err(Trouble::failed(side, &failure.stage, failure.message, failure.details))
        }
        Ok(Reply::Died(died)) => Err(Trouble::failed(
            side,
            "setup_cache",
            super::session::how_it_died(&died),
            String::new(),
        )),
        Ok(_) => Ok(()),
        Err(error) => {
            workers.lose(slot);
            Err(trouble(side, &error, String::new()))
        }
    }
}

/// What `setup_cache` asks for itself, else the longest timeout of the cases that share it: one that
/// makes a cache for a long benchmark may take as long as that.
fn timeout(tools: &Tools<'_>, case: &Case, side: SideName) -> Duration {
    let sharing = tools.cases.iter().filter(|other| key(other) == key(case));
    let longest = sharing.map(|case| case.benchmark[side.index()].timeout_s).fold(0.0, f64::max);
    let own = case.benchmark[side.index()].cache_timeout_s;
    let seconds = own.filter(|seconds| *seconds > 0.0).unwrap_or(longest);
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

fn remove(directory: &Path) {
    // A directory that is not there is as good as removed.
    let _ = std::fs::remove_dir_all(directory);
}

/// Digest of names and contents below a directory.
fn digest(directory: &Path) -> String {
    let mut files = Vec::new();
    collect(directory, &mut files);
    files.sort();
    let mut hasher = Sha256::new();
    for file in files {
        hasher.update(file.strip_prefix(directory).unwrap_or(&file).as_os_str().as_encoded_bytes());
        hasher.update(bench_results::file_digest(&file).unwrap_or_default());
    }
    hex(&hasher.finalize())
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&entry.path(), files),
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
}
