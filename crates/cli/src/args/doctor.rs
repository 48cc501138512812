//! Flags of `doctor`.

use clap::Args;

/// Flags of `doctor`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "It only reads; nothing on the machine is changed. Exit code 13 where a program measured against \
itself seems to differ, or where no schedule could see a change of 10 %."
)]
pub(crate) struct DoctorArgs {
    /// Measure for fifteen seconds instead of a minute
    #[arg(long, conflicts_with = "no_measure")]
    pub(crate) quick: bool,
    /// Read only, measure nothing
    #[arg(long)]
    pub(crate) no_measure: bool,
    /// Print JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
