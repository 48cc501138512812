//! Pure mathematics behind a comparison of two sides: numbers in, numbers and decisions out.
//!
//! Nothing here reads a clock, a file or a random source, and nothing knows what is being timed. The unit of evidence is
//! one log ratio `d = ln(second side / first side)` from one *block*, in which a fair coin decided which side went first.
//!
//! | module | question it answers |
//! |---|---|
//! | [`robust`] | what is the middle and the spread of numbers with wild outliers? |
//! | [`evidence`] | how much do these blocks speak against "the true log ratio is at most m"? |
//! | [`interval`] | which log ratios have the blocks not ruled out? |
//! | [`sequence`] | block by block: is it slower, faster, equal, or still open? |
//! | [`outlook`] | how small a change could be seen, and how many blocks are still missing? |
//! | [`family`] | what does a family of many comparisons demand of each? |
//! | [`discovery`] | which comparisons of a family may be called changed at a false-discovery rate? |
//! | [`exact`] | does a quantity repeat exactly, and does it differ then? |
//! | [`state`] | does a first call behave differently from later ones? |
//! | [`unpaired`] | do two groups differ that were not measured against each other? |
//! | [`routing`] | is work bound to one processor, so that a CPU clock sees all of it? |
//!
//! The reasoning is told in plain words in `docs/method.md`.

pub mod discovery;
pub mod evidence;
pub mod exact;
pub mod family;
pub mod interval;
pub mod outlook;
mod position;
pub mod robust;
pub mod routing;
pub mod sequence;
pub mod state;
pub mod unpaired;

pub use discovery::{Candidate, select_discoveries};
pub use evidence::{log_e, scales};
pub use exact::{Exactness, exactness};
pub use family::{Sentinel, alarm_threshold, minimum_blocks, sentinel};
pub use interval::{Interval, confidence_interval};
pub use outlook::Forecast;
pub use robust::{
    hodges_lehmann, mad, median, noise_floor, paired_log_ratio, paired_standard_error,
    pairing_is_broken, robust_sd,
};
pub use routing::{Activity, Occupation, Routing, route};
pub use sequence::{Coin, Decision, LogE, Rule, Sequence};
pub use state::state_matters;
pub use unpaired::{Shift, shift};
