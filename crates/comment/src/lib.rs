//! The one comment on a pull request that is kept up to date, and what belongs to it: finding the
//! pull request of a run, fetching a run's results, setting a check.
//!
//! What is decided is decided by pure functions and one pure machine ([`Upsert`]); what is asked of
//! GitHub goes through the trait [`GitHub`], which [`Rest`] implements. This crate alone knows
//! octocrab and tokio. It renders nothing: the caller hands in a function that writes the report
//! within a given number of bytes. It reads no variable: the caller says where GitHub is.

mod artifact;
mod body;
mod check;
mod github;
mod lookup;
mod marker;
mod post;
mod refusal;
mod reruns;
mod rest;
mod thread;
mod upsert;

pub use artifact::{ArtifactError, MOST_PACKED_BYTES, MOST_UNPACKED_BYTES, results_of};
pub use body::{BUDGETS, Kept, Size};
pub use check::{Check, Conclusion};
pub use github::{
    Artifact, Comment, DEPENDABOT, GitHub, Place, Posted, Pull, Repository, Run, WriteError,
};
pub use lookup::{Chosen, Found, choose_artifacts, pull_of_run};
pub use marker::{Commit, Content, Key, Marker};
pub use post::{Post, PostError, Write, plan, post};
pub use refusal::Refusal;
pub use reruns::{Measuring, Permission, Reruns, measuring_run};
pub use rest::{Connection, Patience, Rest};
pub use thread::{AsIssue, OnMerged, OnPull, Texts, Thread, Tracker};
pub use upsert::{Action, Draft, Ending, Mode, News, Outcome, Pause, Report, Upsert};
