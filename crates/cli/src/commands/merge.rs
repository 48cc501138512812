//! `bench-action merge`: the results of several shards become those of one run, and those of several
//! machines one report.

use crate::args::{GlobalArgs, MergeArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::{report, terminal};
use bench_core::config::Config;
use bench_core::merge::{Joined, OfMachine, join_of_machines, join_samples, of_machines, together};
use bench_core::record::{RESULTS_FILE, RecordError};
use bench_core::skeleton;
use bench_render::Show;
use bench_results::{Results, StoppedBy, read_path, write_path};
use std::path::{Path, PathBuf};

/// Prints the report; with `--out` also writes it there.
pub(crate) fn merge(args: &MergeArgs, global: &GlobalArgs) -> Result<Exit, CliError> {
    let here = std::env::current_dir()
        .map_err(|source| CliError::Unreadable { path: ".".into(), source })?;
    let config = Config::load(&args.flags(), &here, bench_harness::all(), skeleton::today())?;
    let results = match args.machine.as_slice() {
        [] => of_shards(args)?,
        machines => of_several(machines, args.out.as_deref())?,
    };
    report::print(&results, args.format, global, Show::Changes, args.out.as_deref())?;
    Ok(match needed_nothing(&results) {
        true => Exit::Done,
        false => Exit::of_results(&results, &config.compare.fail_on),
    })
}

fn of_shards(args: &MergeArgs) -> Result<Results, CliError> {
    let shards = args.results.iter().map(|path| read(path));
    let shards: Vec<(PathBuf, Results)> = shards.collect::<Result<_, _>>()?;
    let names: Vec<String> = shards.iter().map(|(path, _)| path.display().to_string()).collect();
    let mut results = together(shards.iter().map(|(_, results)| results.clone()).collect())
        .map_err(|error| CliError::Merge(error.named(&names)))?;
    if let Some(out) = &args.out {
        make_room(shards.iter().map(|(file, _)| file), out)?;
        write(&mut results, join_samples(&shards, out), out)?;
    }
    Ok(results)
}

/// The results of several machines, from `NAME=RESULTS`.
fn of_several(machines: &[String], out: Option<&Path>) -> Result<Results, CliError> {
    let runs: Vec<(PathBuf, OfMachine)> =
        machines.iter().map(|text| of_machine(text)).collect::<Result<_, _>>()?;
    let all: Vec<OfMachine> = runs.iter().map(|(_, run)| run.clone()).collect();
    let mut results = of_machines(&all).map_err(|error| CliError::Merge(error.named(machines)))?;
    if let Some(out) = out {
        make_room(runs.iter().map(|(file, _)| file), out)?;
        write(&mut results, join_of_machines(&runs, out), out)?;
    }
    Ok(results)
}

fn of_machine(text: &str) -> Result<(PathBuf, OfMachine), CliError> {
    let parts = text.split_once('=').filter(|(name, path)| !name.is_empty() && !path.is_empty());
    let (name, path) = parts.ok_or_else(|| CliError::Flag {
        what: format!("--machine {text}"),
        message: "is no name with results, write it like `--machine laptop=laptop/results.json`"
            .to_owned(),
    })?;
    let (file, results) = read(Path::new(path))?;
    Ok((file, OfMachine { name: name.to_owned(), results }))
}

fn read(path: &Path) -> Result<(PathBuf, Results), CliError> {
    let file = if path.is_dir() { path.join(RESULTS_FILE) } else { path.to_owned() };
    let results = read_path(&file)?;
    Ok((file, results))
}

/// Makes the directory, which must not hold what is merged.
fn make_room<'a>(mut files: impl Iterator<Item = &'a PathBuf>, out: &Path) -> Result<(), CliError> {
    std::fs::create_dir_all(out)
        .map_err(|source| CliError::File { path: out.to_owned(), source })?;
    match files.find(|file| is_in(file, out)) {
        None => Ok(()),
        Some(file) => Err(CliError::Merge(format!(
            "--out {}: {} is in it and would be overwritten; name another directory",
            out.display(),
            file.display()
        ))),
    }
}

/// Writes results, samples and reports, like a run does.
fn write(
    results: &mut Results,
    joined: Result<Joined, RecordError>,
    out: &Path,
) -> Result<(), CliError> {
    let joined = joined.map_err(bench_core::run::RunError::from)?;
    for file in &joined.left_out {
        terminal::say(&format!("{}: not there, or not what it was; left out", file.display()));
    }
    results.samples_file = joined.file;
    write_path(results, &out.join(RESULTS_FILE)).map_err(CliError::Write)?;
    report::write_files(results, out)
}

fn is_in(file: &Path, directory: &Path) -> bool {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = std::fs::canonicalize(parent.unwrap_or(Path::new(".")));
    parent.ok().zip(std::fs::canonicalize(directory).ok()).is_some_and(|(a, b)| a == b)
}

/// Whether every shard said that the diff alone makes measuring needless: then none has planned
/// anything, and nothing went wrong.
fn needed_nothing(results: &Results) -> bool {
    let is_missing = results.shard.as_ref().is_some_and(|shard| !shard.missing.is_empty());
    results.plan.digest.is_empty()
        && results.failure.is_none()
        && results.stopped_by == StoppedBy::Done
        && !is_missing
}
