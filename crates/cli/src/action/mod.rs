//! The steps of action.yml. What depends on event and inputs is decided here, in Rust and under
//! test; the scripts of `action/` only install the binary and start it.
//!
//! Steps tell each other through outputs of the runner, which keeps them out of reach of the code
//! that is measured: the token is in the environment of `decide` and `report` alone.

mod checkout;
mod conclude;
mod decide;
mod fetch;
mod gathered;
mod inputs;
mod measure;
mod names;
mod occasion;
mod plan;
mod record;
mod report;
mod rerun;
mod words;

use crate::args::{ActionArgs, Step};
use crate::error::CliError;
use crate::exit::Exit;

/// Why a step of the action ends the job.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ActionError {
    /// An input.
    #[error(transparent)]
    Input(#[from] inputs::InputError),
    /// The event.
    #[error(transparent)]
    Event(#[from] occasion::OddEvent),
    /// The event or the place is one that nothing is done for.
    #[error("{0}")]
    Refused(String),
    /// This program cannot start itself.
    #[error("bench-action could not start itself: {0}")]
    Start(std::io::Error),
}

/// Does one step.
pub(crate) fn action(args: &ActionArgs) -> Result<Exit, CliError> {
    match args.step {
        Step::Decide => decide::decide(),
        Step::Fetch => fetch::fetch(&args.flags),
        Step::Measure => measure::measure(),
        Step::Conclude => conclude::conclude(),
        Step::Report => report::report(),
        Step::Record => record::record(),
    }
}
