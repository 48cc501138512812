//! Python for every harness that needs it: interpreters, environments, wheels and the worker.

pub(crate) mod environments;
pub(crate) mod installer;
pub(crate) mod interpreters;
pub(crate) mod steps;
pub(crate) mod store;
pub(crate) mod wheels;
