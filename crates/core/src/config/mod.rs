//! Configuration: flags, file and what is found in the repository become one checked whole.
//!
//! Two layers in, one out. [`Flags`] is exactly what the command line gave and the file layer exactly
//! what `bench-action.toml` says; [`Config`] is what a run needs, built once, with every default
//! filled in and every mistake named with its place. Nothing after this stage parses text or knows
//! a default.

mod cores;
mod detected;
mod environments;
mod file;
mod flags;
mod ignore;
mod lines;
mod mistakes;
mod resolve;
mod scalar;
mod settings;
mod shards;
mod suggest;
mod suites;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use resolve::percent;
pub(crate) use suggest::hint;

pub use file::{FILE_NAME, schema};
pub use flags::Flags;
pub use ignore::IgnorePaths;
pub use mistakes::{ConfigError, Mistake};
pub use values::{change, words};

pub use settings::{
    Accept, BaseRule, Choice, Compare, Config, Coverage, FailOn, HeadRule, Identical, Lfs,
    Override, Pattern, Rules, Subjects, Suite, Wanted,
};
