//! The repository, through the `git` executable: which commits are compared, and a private checkout
//! of each.
//!
//! The user's files and `.git` are only ever read. Everything that is fetched, deepened or captured
//! goes to a private bare repository under `.bench-action/`, which borrows the user's objects
//! (`objects/info/alternates`); checkouts borrow in turn from both. No hook of anybody runs, and
//! credentials reach git through its environment, never through a file of ours.

mod branch;
mod checkout;
mod command;
mod deepen;
mod error;
mod home;
mod range;
mod remote;
mod repository;
mod resolve;
mod store;
mod submodules;
#[cfg(test)]
mod tests;
mod tree;
mod worktree;

pub use branch::{BranchFile, FilesBranch};
pub use checkout::Checkout;
pub use error::GitError;
pub use home::{HOME, home};
pub use range::Parents;
pub use remote::{CommitFacts, Mainline, Remote};
pub use repository::Repository;
pub use resolve::{Origin, Pair, Revision};
pub use tree::RevisionTree;
