//! Subcommands of the contract that this version knows by name only: whatever follows the name is
//! accepted, so that the answer is "comes later" and not "unknown flag".

use clap::Args;
use std::ffi::OsString;

/// Anything at all.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Comes in a later version: this one does nothing and exits with 2.")]
pub(crate) struct LaterArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _rest: Vec<OsString>,
}
