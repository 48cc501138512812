//! Where a series of numbers changes its level, found the same way each time.
//!
//! Candidates come from a rank statistic, which no outlier bends, by binary segmentation against the
//! [`threshold`] that one flat series in a thousand exceeds. What makes a candidate significant may
//! still be a slow drift, which has no commit to blame and looks to ranks like a staircase. So the
//! series is then explained by stretches that are level or slanted: candidates that a slant explains
//! as well are joined, the others moved to their best place, and what is left is a step.

mod find;
mod model;
mod rank;
mod threshold;

pub use find::{Drift, Found, LEAST_EVIDENCE, Rule, Step, find};
pub use rank::{SHORTEST_SIDE, greatest_statistic};
pub use threshold::{SHORTEST_SERIES, lengths, threshold};
