//! Verdicts of one row and of a whole run, and the names of schedules and clocks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is said of one benchmark, metric and comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Head is worse, by at least the threshold, and chance is ruled out for the whole suite.
    Regressed,
    /// Head is better, by at least the threshold, and chance is ruled out for the whole suite.
    Improved,
    /// A change as large as the threshold is ruled out in both directions.
    Unchanged,
    /// The evidence decides nothing; the detectable size tells what could have been seen.
    Inconclusive,
    /// Only head has the benchmark.
    Added,
    /// Only base has the benchmark.
    Removed,
    /// The benchmark could not be measured on a side.
    Failed,
    /// The benchmark was not measured on purpose: its own skip, the budget, a filter.
    Skipped,
}

/// What is said of a whole run, in order of precedence (the first that applies wins).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WholeVerdict {
    /// The sentinel (base against base) alarmed: this machine or harness cannot be believed.
    Untrustworthy,
    /// A benchmark, or the preparation of a side, failed; or a shard's results are missing.
    Failed,
    /// At least one benchmark regressed.
    Regressed,
    /// None regressed, at least one is inconclusive.
    Inconclusive,
    /// None regressed or undecided, at least one improved.
    Improved,
    /// Everything that was compared is unchanged.
    Unchanged,
    /// There was nothing to compare.
    Empty,
}

/// How a block runs both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Both sides alive on one core, released together, compared by CPU time.
    Duet,
    /// Both sides alive on one core, taking turns of a millisecond or so.
    Alternate,
    /// One side after the other.
    Sequential,
}

/// The clock that a time was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// CPU time of the measured process (of the whole command for commands).
    Cpu,
    /// Time on the wall.
    Wall,
}

macro_rules! words {
    ($($type:ident { $($variant:ident => $word:literal),* $(,)? })*) => {$(
        impl $type {
            /// The word used in files, reports and on the command line.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word())
            }
        }
        impl std::str::FromStr for $type {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok(Self::$variant),)*
                    _ => Err(format!("`{text}` is none of {}", [$($word),*].join(", "))),
                }
            }
        }
    )*};
}

words! {
    Verdict {
        Regressed => "regressed", Improved => "improved", Unchanged => "unchanged",
        Inconclusive => "inconclusive", Added => "added", Removed => "removed",
        Failed => "failed", Skipped => "skipped",
    }
    WholeVerdict {
        Untrustworthy => "untrustworthy", Failed => "failed", Regressed => "regressed",
        Inconclusive => "inconclusive", Improved => "improved", Unchanged => "unchanged",
        Empty => "empty",
    }
    Schedule { Duet => "duet", Alternate => "alternate", Sequential => "sequential" }
    Clock { Cpu => "cpu", Wall => "wall" }
}
