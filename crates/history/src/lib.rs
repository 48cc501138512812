//! Results over time: what is stored of each commit of the default branch, the series that follow
//! from it, the changes in them, and the decisions of a bisection.
//!
//! What is stored is paired: a commit against a pinned reference build, measured in the same run, so
//! that a series survives a change of machine. This crate knows neither git nor HTML: a store is a set
//! of files that are only ever added, and where they lie is the caller's business.

pub mod acknowledge;
pub mod bisect;
mod chain;
mod changes;
pub mod import;
mod load;
mod record;
pub mod samples;
pub mod steps;
mod store;
mod take;
mod timeline;

pub use changes::{ChangePoint, Changes, Confounder, Detection, Found, Known, detect};
pub use load::{Caps, History, LoadError, load};
pub use record::{
    Catalog, Commit, Entry, FORMAT_FILE, Point, Record, Reference, SCHEMA, StoredFile, format_file,
};
pub use store::{Directory, StoreError};
pub use take::{Measured, TakeError, take};
pub use timeline::{Kind, Piece, Series, SeriesPoint, Timeline};
