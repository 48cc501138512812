//! `bench-action merge`: the results of several shards become those of one run.

use crate::args::{GlobalArgs, MergeArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::{report, terminal};
use bench_core::config::Config;
use bench_core::merge::{join_samples, together};
use bench_core::record::RESULTS_FILE;
use bench_core::skeleton;
use bench_render::Show;
use bench_results::{Results, StoppedBy, read_path, write_path};
use std::path::{Path, PathBuf};

/// Prints the report; with `--out` also writes it there.
pub(crate) fn merge(args: &MergeArgs, global: &GlobalArgs) -> Result<Exit, CliError> {
    let here = std::env::current_dir()
        .map_err(|source| CliError::Unreadable { path: ".".into(), source })?;
    let config = Config::load(&args.flags(), &here, bench_harness::all(), skeleton::today())?;
    let shards = args.results.iter().map(|path| read(path));
    let shards: Vec<(PathBuf, Results)> = shards.collect::<Result<_, _>>()?;
    let names: Vec<String> = shards.iter().map(|(path, _)| path.display().to_string()).collect();
    let mut results = together(shards.iter().map(|(_, results)| results.clone()).collect())
        .map_err(|error| CliError::Merge(error.named(&names)))?;
    if let Some(out) = &args.out {
        write(&mut results, &shards, out)?;
    }
    report::print(&results, args.format, global, Show::Changes, args.out.as_deref())?;
    Ok(match needed_nothing(&results) {
        true => Exit::Done,
        false => Exit::of_results(&results, &config.compare.fail_on),
    })
}

fn read(path: &Path) -> Result<(PathBuf, Results), CliError> {
    let file = if path.is_dir() { path.join(RESULTS_FILE) } else { path.to_owned() };
    let results = read_path(&file)?;
    Ok((file, results))
}

/// Writes results, samples and reports, like a run does.
fn write(results: &mut Results, shards: &[(PathBuf, Results)], out: &Path) -> Result<(), CliError> {
    std::fs::create_dir_all(out)
        .map_err(|source| CliError::File { path: out.to_owned(), source })?;
    if let Some((shard, _)) = shards.iter().find(|(file, _)| is_in(file, out)) {
        return Err(CliError::Merge(format!(
            "--out {}: {} is in it and would be overwritten; name another directory",
            out.display(),
            shard.display()
        )));
    }
    let joined = join_samples(shards, out).map_err(bench_core::run::RunError::from)?;
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
