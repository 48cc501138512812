//! Which commit changed a benchmark: the decisions of a bisection in noise.
//!
//! A pure machine. [`Bisection::next`] says what to do (build and measure a commit against the good
//! end, confirm a culprit, stop), [`Bisection::apply`] takes what came of it; there is no clock, no
//! process and no chance in here. The same outcomes lead to the same end, so that a bisection is taken
//! up by applying the outcomes that were noted.
//!
//! The effect is measured once, between the ends, and frozen. A candidate is then measured against the
//! good end, block by block, until a clipped likelihood ratio says on which side of half the effect it
//! is. Each block can move that sum by two at most, so that no outlier decides.

mod notes;
mod search;

pub use notes::Notes;
pub use search::{Action, Bisection, Ended, Ends, Outcome, Refusal};
