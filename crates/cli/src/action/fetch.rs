//! `action fetch`: what `run` with the same flags will need of the remote, while there is a token.
//!
//! It reads configuration and history as `run` does and builds nothing. What it fetches goes to the
//! private repository below `.bench-action`; the credentials are in its environment and end with it.

use crate::args::{Cli, Command};
use crate::commands::project::Project;
use crate::error::CliError;
use crate::exit::Exit;
use crate::terminal;
use bench_process::Interrupt;
use clap::Parser as _;

/// Fetches, and prints the commits of base and head, one a line.
pub(crate) fn fetch(flags: &[String]) -> Result<Exit, CliError> {
    let words = std::iter::once("bench-action").chain(flags.iter().map(String::as_str));
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        // `run` itself will say what is wrong with its flags.
        Err(_) => return Ok(Exit::Usage),
    };
    let Some(Command::Run(args)) = &cli.command else { return Ok(Exit::Usage) };
    crate::commands::enter(&cli.global)?;
    let interrupt = Interrupt::install().map_err(CliError::Signals)?;
    let project = Project::open(args.flags(), &interrupt)?;
    if let Some([base, head]) = project.sides.fetch_tags()? {
        terminal::print(&format!("{base}\n{head}\n"))?;
    }
    Ok(Exit::Done)
}
