//! Flags of `self-test`.

use super::run::{DecisionArgs, MeasureArgs, SelectionArgs};
use bench_core::config::Flags;
use clap::Args;
use std::path::PathBuf;

/// Flags of `self-test`.
#[derive(Args, Clone, Debug)]
pub(crate) struct SelfTestArgs {
    /// The revision that is compared with itself
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    base: String,
    /// An interpreter that is compared with itself: nothing is built. Instead of --base
    #[arg(long, value_name = "PATH", conflicts_with = "base")]
    base_python: Option<PathBuf>,
    /// How much slower head is taken to be in the second run [default: twice the threshold]
    #[arg(long, value_name = "PERCENT")]
    pub(crate) inject: Option<String>,
    /// Where both runs leave their results [default: .bench-action/self-test]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    decision: DecisionArgs,
}

impl SelfTestArgs {
    /// The first layer of the configuration: both sides are one.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = Flags::default();
        self.selection.fill(&mut flags);
        self.measure.fill(&mut flags);
        self.decision.fill(&mut flags);
        match &self.base_python {
            Some(python) => {
                flags.base_python = Some(python.clone());
                flags.head_python = Some(python.clone());
            }
            None => {
                flags.base = Some(self.base.clone());
                flags.head = Some(self.base.clone());
            }
        }
        flags.measure_identical = true;
        flags
    }
}
