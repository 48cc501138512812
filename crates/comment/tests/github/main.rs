//! The client and the machine against a GitHub in this process.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

mod failures;
#[path = "../fake/mod.rs"]
mod fake;
mod forks;
mod one_comment;
mod proxy;
mod reruns;
mod support;
mod tracker;
