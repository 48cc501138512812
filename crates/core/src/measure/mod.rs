//! Measuring: a pure machine decides, a driver does.

pub mod action;
mod caches;
pub mod drive;
pub mod driver;
pub mod group;
mod length;
pub mod machine;
mod opaque;
mod pilot;
mod plan_round;
pub mod routing;
pub mod sentinel;
mod session;
pub mod slowed;
pub mod state;
mod stepped;
mod workers;
