//! Words of `action`, which action.yml runs and nobody types.

use clap::{Args, ValueEnum};

/// Words of `action`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ActionArgs {
    /// Which step
    #[arg(value_name = "STEP", value_enum)]
    pub(crate) step: Step,
    /// For `fetch`: flags of `run`
    #[arg(value_name = "FLAGS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) flags: Vec<String>,
}

/// A step of the action, in the order of action.yml.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// From event and inputs to what is done; with the token, before any code of a pull request
    Decide,
    /// Started by decide: fetches what is compared, with credentials in its environment alone
    Fetch,
    /// Becomes `run`, with its flags from the inputs
    Measure,
    /// Job summary, annotations, outputs
    Conclude,
    /// The comment; with the token
    Report,
    /// The results into the history, and what came of it; with the token
    Record,
}
