//! What reports look like, and what they never do.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod across;
mod headlines;
mod hostile;
mod looks;
mod page;
mod parsed;
mod remarks;
mod sample;
mod size;

/// No-break spaces as `~`, so that snapshots show them.
fn shown(text: &str) -> String {
    text.replace('\u{a0}', "~")
}
