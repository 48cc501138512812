//! `action fetch`: what `run` with the same flags will need of the remote, while there is a token.
//!
//! It reads configuration and history as `run` does and builds nothing. What it fetches goes to the
//! private repository below `.bench-action`; the credentials are in its environment and end with it.

use super::measure::parsed;
use crate::commands::project::Project;
use crate::error::CliError;
use crate::exit::Exit;
use crate::terminal;
use bench_process::Interrupt;

/// Fetches, and prints the commits of base and head, one a line.
pub(crate) fn fetch(flags: &[String]) -> Result<Exit, CliError> {
    // `run` itself will say what is wrong with its flags.
    let Some((global, args)) = parsed(flags) else { return Ok(Exit::Usage) };
    crate::commands::enter(&global)?;
    let interrupt = Interrupt::install().map_err(CliError::Signals)?;
    let project = Project::open(args.flags(), &interrupt)?;
    if let Some([base, head]) = project.sides.fetch_tags()? {
        terminal::print(&format!("{base}\n{head}\n"))?;
    }
    Ok(Exit::Done)
}
