//! Results over time.

pub mod steps;
