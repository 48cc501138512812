//! The action as a runner runs it: under act on this machine, offline, with a real repository, a
//! real benchmark and a GitHub in this process; and its scripts by themselves. Needs git, bash and,
//! for workflows, act, which comes from the package registry the first time.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]
#![expect(clippy::print_stderr, reason = "a test that skips says so, and times are shown")]

mod act;
mod events;
#[path = "../../crates/comment/tests/fake/mod.rs"]
mod fake;
mod history;
mod hostile;
mod install;
mod place;
mod pull_requests;
mod reruns;
