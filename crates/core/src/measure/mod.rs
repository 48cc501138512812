//! Measuring: a pure machine decides, a driver does.

pub mod action;
pub mod machine;
mod plan_round;
pub mod routing;
pub mod state;
