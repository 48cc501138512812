//! `bench-action history acknowledge`: an entry in the repository's file.

use super::HistoryError;
use crate::args::AcknowledgeArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::terminal;
use bench_core::git::Repository;
use bench_history::acknowledge::{Acknowledgement, FILE, read};
use bench_process::Interrupt;

/// Adds the entry; what the file holds otherwise, comments among it, stays as it is.
pub(super) fn acknowledge(args: &AcknowledgeArgs, interrupt: &Interrupt) -> Result<Exit, CliError> {
    let here = std::env::current_dir()
        .map_err(|source| CliError::Unreadable { path: ".".into(), source })?;
    let repository = Repository::open(&here, interrupt).map_err(HistoryError::from)?;
    let facts = repository.facts(&args.commit).map_err(HistoryError::from)?;
    let entry = Acknowledgement {
        benchmark: args.benchmark.clone(),
        environment: args.environment.clone(),
        commit: facts.map_or_else(|| args.commit.clone(), |facts| facts.id),
        reason: args.reason.clone(),
        until: args.until.clone(),
    };
    entry.check().map_err(HistoryError::from)?;
    let path = repository.root().join(FILE);
    let unreadable = |source| CliError::Unreadable { path: path.clone(), source };
    let mut text = if path.exists() {
        std::fs::read_to_string(&path).map_err(unreadable)?
    } else {
        String::new()
    };
    read(&text).map_err(HistoryError::from)?;
    if !text.is_empty() {
        text = format!("{}\n\n", text.trim_end());
    }
    text += &entry.to_toml();
    crate::report::write(&path, &text)?;
    terminal::print(&format!("{FILE} acknowledges it until {}; commit that file\n", args.until))?;
    Ok(Exit::Done)
}
