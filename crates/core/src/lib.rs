//!

pub mod config;
