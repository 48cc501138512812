//! Python for every harness that needs it: interpreters, environments, wheels, sides and workers.

pub(crate) mod commands;
mod description;
pub(crate) mod environments;
pub(crate) mod installer;
pub(crate) mod interpreters;
pub(crate) mod plain;
pub(crate) mod project;
pub(crate) mod ready;
pub(crate) mod sides;
pub(crate) mod store;
pub(crate) mod wheels;

/// The worker of asv suites, whose loop, clocks and forks other workers use as a module.
pub(crate) const WORKER: &str = include_str!("worker.py");
pub(crate) const WORKER_NAME: &str = "bench_action_worker.py";
