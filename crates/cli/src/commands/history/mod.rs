//! `bench-action history`: one file per subcommand, and what they have in common.

mod acknowledge;
mod detect;
mod error;
mod import;
mod place;
mod publish;
mod record;
mod show;
mod view;

use crate::args::{GlobalArgs, HistoryArgs, HistoryCommand};
use crate::error::CliError;
use crate::exit::Exit;
use bench_process::Interrupt;

pub(crate) use error::HistoryError;

/// Does what follows `history`.
pub(crate) fn history(args: &HistoryArgs, global: &GlobalArgs) -> Result<Exit, CliError> {
    let interrupt = Interrupt::install().map_err(CliError::Signals)?;
    let done = match &args.command {
        HistoryCommand::Record(args) => record::record(args, global, &interrupt),
        HistoryCommand::Show(args) => show::show(args, &interrupt),
        HistoryCommand::Detect(args) => detect::detect(args, &interrupt),
        HistoryCommand::Publish(args) => publish::publish(args, &interrupt),
        HistoryCommand::Import(args) => import::import(args, &interrupt),
        HistoryCommand::Acknowledge(args) => acknowledge::acknowledge(args, &interrupt),
    };
    done.map_err(|error| error.by_signal(&interrupt))
}
