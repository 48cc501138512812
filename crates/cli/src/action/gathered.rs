//! The results that other jobs of this run have left, as they were downloaded: one file, or the
//! shards of a suite, which are put together.

use super::ActionError;
use super::inputs::Inputs;
use crate::args::{Cli, Command};
use crate::commands::merge::merge;
use crate::error::CliError;
use crate::github::variable;
use bench_comment::{Artifact, choose_artifacts};
use bench_core::record::RESULTS_FILE;
use clap::Parser as _;
use std::path::{Path, PathBuf};

/// The beginning of the names of artifacts that are gathered.
pub(crate) fn beginning(inputs: &Inputs) -> String {
    let given = inputs.artifact_name.clone();
    given.unwrap_or_else(|| format!("bench-result-{}", inputs.key))
}

/// The results file of this run below `out`; where there is none, where it would be.
pub(crate) fn results_path(inputs: &Inputs, out: &Path) -> Result<PathBuf, CliError> {
    let here = out.join(RESULTS_FILE);
    if here.exists() {
        return Ok(here);
    }
    let attempt = variable("GITHUB_RUN_ATTEMPT").and_then(|text| text.parse().ok());
    let parts = parts(out, &beginning(inputs), attempt.unwrap_or(u32::MAX));
    match parts.as_slice() {
        [] => Ok(here),
        [(path, false)] => Ok(path.join(RESULTS_FILE)),
        shards => put_together(shards, &out.join("merged")),
    }
}

/// The directories of the newest attempt of each shard, and whether they are of shards.
fn parts(out: &Path, beginning: &str, latest: u32) -> Vec<(PathBuf, bool)> {
    let names = std::fs::read_dir(out).into_iter().flatten().flatten();
    let names = names.filter(|entry| entry.path().join(RESULTS_FILE).exists());
    let artifacts: Vec<Artifact> = names
        .filter_map(|entry| entry.file_name().into_string().ok())
        .zip(0..)
        .map(|(name, id)| Artifact { id, name, bytes: 0, expired: false })
        .collect();
    let chosen = choose_artifacts(&artifacts, beginning, latest);
    let path = |name: &str| out.join(name);
    chosen.into_iter().map(|part| (path(&part.artifact.name), part.shard.is_some())).collect()
}

/// What `merge` makes of them.
fn put_together(shards: &[(PathBuf, bool)], out: &Path) -> Result<PathBuf, CliError> {
    let mut words = vec!["bench-action".into(), "merge".into(), "--out".into(), out.into()];
    words.extend(shards.iter().map(|(path, _)| path.as_os_str().to_owned()));
    match Cli::try_parse_from(words) {
        Ok(Cli { command: Some(Command::Merge(args)), global }) => merge(&args, &global)?,
        Ok(_) => return Err(ActionError::Refused("nothing was merged".to_owned()).into()),
        Err(mistake) => return Err(ActionError::Refused(mistake.to_string()).into()),
    };
    Ok(out.join(RESULTS_FILE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::inputs::tests::inputs;

    #[test]
    fn of_what_was_downloaded_the_newest_attempt_is_taken_and_of_this_key_alone() {
        let out = tempfile::tempdir().unwrap();
        let inputs = inputs(&[]).unwrap();
        assert_eq!(results_path(&inputs, out.path()).unwrap(), out.path().join("results.json"));
        for name in ["bench-attempt2", "bench-attempt10", "bench-attemptx", "bench2-attempt11"] {
            let directory = out.path().join(format!("bench-result-{name}"));
            std::fs::create_dir(&directory).unwrap();
            std::fs::write(directory.join("results.json"), "").unwrap();
        }
        let found = results_path(&inputs, out.path()).unwrap();
        assert!(found.ends_with("bench-result-bench-attempt10/results.json"), "{found:?}");
        std::fs::write(out.path().join("results.json"), "").unwrap();
        assert_eq!(results_path(&inputs, out.path()).unwrap(), out.path().join("results.json"));
    }

    #[test]
    fn shards_are_taken_one_attempt_each() {
        let out = tempfile::tempdir().unwrap();
        for name in ["shard2of2-attempt1", "shard1of2-attempt1", "shard1of2-attempt2"] {
            let directory = out.path().join(format!("bench-result-bench-{name}"));
            std::fs::create_dir(&directory).unwrap();
            std::fs::write(directory.join("results.json"), "").unwrap();
        }
        let parts = parts(out.path(), "bench-result-bench", 2);
        let names: Vec<_> = parts.iter().map(|(path, _)| path.file_name().unwrap()).collect();
        let expected =
            ["bench-result-bench-shard1of2-attempt2", "bench-result-bench-shard2of2-attempt1"];
        assert_eq!(names, expected);
        assert!(parts.iter().all(|(_, is_shard)| *is_shard));
    }
}
