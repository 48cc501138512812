//! `bench-action history`: one file per subcommand, and what they have in common.

mod acknowledge;
mod culprit;
mod detect;
mod error;
mod import;
mod place;
mod publish;
mod record;
mod samples;
mod show;
mod tell;
mod view;

use crate::args::{GlobalArgs, HistoryArgs, HistoryCommand};
use crate::error::CliError;
use crate::exit::Exit;
use crate::terminal;
use bench_process::Interrupt;

pub(crate) use detect::Show;
pub(crate) use error::HistoryError;
pub(crate) use record::SEED;

/// Does what follows `history`.
pub(crate) fn history(args: &HistoryArgs, global: &GlobalArgs) -> Result<Exit, CliError> {
    history_into(args, global, &mut |text| terminal::print(text))
}

/// The same; `show` takes the report of `detect`.
pub(crate) fn history_into(
    args: &HistoryArgs,
    global: &GlobalArgs,
    show: Show<'_>,
) -> Result<Exit, CliError> {
    let interrupt = Interrupt::install().map_err(CliError::Signals)?;
    let done = match &args.command {
        HistoryCommand::Record(args) => record::record(args, global, &interrupt),
        HistoryCommand::Samples(args) => samples::samples(args, &interrupt),
        HistoryCommand::Show(args) => show::show(args, &interrupt),
        HistoryCommand::Detect(args) => detect::detect(args, &interrupt, show),
        HistoryCommand::Publish(args) => publish::publish(args, &interrupt),
        HistoryCommand::Import(args) => import::import(args, &interrupt),
        HistoryCommand::Acknowledge(args) => acknowledge::acknowledge(args, &interrupt),
    };
    done.map_err(|error| error.by_signal(&interrupt))
}
