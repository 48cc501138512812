//! `cargo xtask tidy`: rules of the house that a compiler does not know. Each is a test as well, so
//! that `cargo test` finds what a review would.

mod arrows;
mod paths;
mod sources;
mod variables;
mod words;

use crate::failure::Failure;

/// Runs every check and stops at the first that finds something.
pub(crate) fn tidy() -> Result<(), Failure> {
    arrows::check()?;
    paths::check()?;
    sources::check()?;
    variables::check()?;
    words::check()
}

/// For tests: what was found is printed as a person reads it.
#[cfg(test)]
fn pass(result: Result<(), Failure>) {
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
