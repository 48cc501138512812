//! `bench-action history import`: what other tools have kept.

use super::HistoryError;
use super::place::Place;
use super::record::commit;
use crate::args::ImportArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::terminal::{self, plain};
use bench_history::StoredFile;
use bench_history::import::{Imported, asv, benchmark_data};
use bench_process::Interrupt;
use std::path::Path;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 512 << 20;

/// Reads, keeps the commits of the default branch, stores.
pub(super) fn import(args: &ImportArgs, interrupt: &Interrupt) -> Result<Exit, CliError> {
    let imported = read(&args.path)?;
    imported.passed_over.iter().for_each(|what| {
        terminal::say(&plain(&format!("passed over: {what}")));
    });
    let place = Place::open(&args.store, interrupt)?;
    let mainline = place.mainline()?;
    let mut files: Vec<StoredFile> = Vec::new();
    let (mut kept, mut foreign) = (0, 0);
    for (mut record, catalog) in imported.records {
        let Some(facts) = mainline.get(&record.commit.id) else {
            foreign += 1;
            continue;
        };
        record.commit = commit(facts);
        kept += 1;
        files.extend(record.files(&catalog));
    }
    let added = place.add(&files, &format!("import {kept} results"))?;
    let shown = plain(&place.shown());
    terminal::print(&format!(
        "imported {kept} results into {shown}, {added} files of them new; {foreign} are of commits that `{}` has not got\n",
        plain(&mainline.branch)
    ))?;
    Ok(Exit::Done)
}

fn read(path: &Path) -> Result<Imported, CliError> {
    if path.is_dir() {
        let mut files = Vec::new();
        collect(path, path, &mut files)?;
        return Ok(asv(&files).map_err(HistoryError::from)?);
    }
    let text = String::from_utf8_lossy(&bytes(path)?).into_owned();
    Ok(benchmark_data(&text, &path.display().to_string()).map_err(HistoryError::from)?)
}

/// The JSON files of an asv results directory: its own, and those of each machine below it.
fn collect(
    root: &Path,
    directory: &Path,
    files: &mut Vec<(String, Vec<u8>)>,
) -> Result<(), CliError> {
    let unreadable = |source| CliError::Unreadable { path: directory.to_owned(), source };
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() && directory == root {
            collect(root, &path, files)?;
        } else if path.extension().is_some_and(|end| end == "json") && path.is_file() {
            let name = path.strip_prefix(root).unwrap_or(&path);
            let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
            files.push((parts.join("/"), bytes(&path)?));
        }
    }
    Ok(())
}

fn bytes(path: &Path) -> Result<Vec<u8>, CliError> {
    use std::io::Read as _;
    let unreadable = |source| CliError::Unreadable { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(LARGEST).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}
