//! `bench-action completions`: what a shell needs to complete a command line of ours.

use crate::args::{self, CompletionsArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::terminal;

/// Prints the script for one shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "bench-action", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
