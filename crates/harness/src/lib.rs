//! The harnesses: how each framework's benchmarks are made ready, found, launched and read.
//!
//! A harness decides *what* is done; `bench-core` decides when and where (checkouts, caches, cores,
//! coins, budgets). Nothing outside a harness's own file knows its name: the registry at the end of
//! this file is the only list.

mod asv;
mod built;
mod catch2;
mod command;
mod criterion;
mod discovery;
mod divan;
mod go;
mod google_benchmark;
mod gungraun;
mod harness;
mod javascript;
mod libtest;
mod native;
pub mod outputs;
mod own_worker;
mod place;
mod protocol;
mod pyperf;
mod pytest;
mod python;
mod scripts;
mod served;
mod snippet;
mod steps;
mod suite;
mod worker;

pub use discovery::{Benchmark, BrokenModule, Discovery, HowMeasured, MetricPlan, OwnClock};
pub use harness::{
    Defaults, Detected, Facts, Harness, HarnessError, Language, Launch, Need, NotReported, Opaque,
    Ready, Reported, RoundSeeds, Site, Subject, Tree, Wish,
};
pub use protocol::{
    Closed, Died, Listing, Measure, Open, Opened, PROTOCOL, Reply, Request, SliceReading,
    StatePair, ValueReading, WorkerFailure,
};
pub use python::interpreters::program_called;
pub use suite::{
    BenchmarksFrom, CommandLine, CommandSettings, EnvironmentKind, EnvironmentSettings,
    SnippetSettings, SuiteSettings,
};

pub use worker::{Worker, WorkerError, first_of};

/// Every harness, in the order in which suites are looked for.
static REGISTRY: &[&dyn Harness] = &[
    &asv::Asv,
    &pytest::PytestBenchmark,
    &criterion::Criterion,
    &divan::Divan,
    &libtest::Libtest,
    &gungraun::Gungraun,
    &go::Go,
    &google_benchmark::GoogleBenchmark,
    &catch2::Catch2,
    &command::Command,
    &snippet::Snippet,
    &own_worker::OwnWorker,
    &pyperf::Pyperf,
    &javascript::TINYBENCH,
    &javascript::MITATA,
    &javascript::BENCHMARK_JS,
    &javascript::VITEST,
];

/// Every harness this program drives.
#[must_use]
pub fn all() -> &'static [&'static dyn Harness] {
    REGISTRY
}

/// The harness of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Harness> {
    all().iter().copied().find(|harness| harness.name() == name)
}
