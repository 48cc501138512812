//! Suites whose benchmarks are served by a program that speaks the worker protocol: the user's own
//! (`harness = "worker"`), or one of ours around a framework's.
//!
//! Such a program serves one benchmark and ends: each block starts one on each side.

mod listed;
mod ready;

pub(crate) use ready::{ServedReady, Server};
