//! The worker protocol: one JSON object a line in each direction, over a private descriptor.
//!
//! `docs/worker.md` tells it to those who write a worker of their own.
//!
//! The driver asks, the worker answers each request with exactly one reply. Between `open` and the
//! reply to `close` the requests are served by the opened benchmark's own process (a forked child
//! where the worker can fork); if that dies, the worker answers the pending request with `died`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the driver asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Request {
    /// Load the whole suite and list it; answered by [`Reply::List`].
    List,
    /// Load only what these benchmarks need; answered by [`Reply::Ready`].
    Load {
        /// Names without parameters.
        benchmarks: Vec<String>,
    },
    /// Run the benchmark's `setup_cache` in this directory; answered by [`Reply::Ready`].
    SetupCache {
        /// Name without parameters.
        benchmark: String,
        /// Where to run it and to leave its output.
        directory: PathBuf,
    },
    /// Make one combination ready; answered by [`Reply::Opened`], `Skipped` or `Failed`.
    Open(Open),
    /// Run and time; answered by [`Reply::Slices`] or [`Reply::Value`], or by `Skipped` where the
    /// benchmark itself says, when called, that it does not apply (`close` is still due).
    Measure(Measure),
    /// The state test of rule 9; answered by [`Reply::State`].
    State {
        /// Pairs to measure.
        pairs: u32,
    },
    /// Tear down and end the benchmark's process; answered by [`Reply::Closed`].
    Close,
    /// End the worker; answered by the end of the stream.
    Quit,
}

/// Which combination to open and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Open {
    /// Name without parameters.
    pub benchmark: String,
    /// The combination.
    pub index: u64,
    /// Whether to serve it from a forked child (else from the worker itself, which then ends).
    pub fork: bool,
    /// The core to run on; none = wherever the system puts it.
    pub core: Option<u32>,
    /// An empty working directory of its own (with a cache: the cache's directory).
    pub directory: PathBuf,
    /// Where `setup_cache` left its output.
    pub cache: Option<PathBuf>,
    /// Where the benchmark's standard output and error go.
    pub output: PathBuf,
}

/// How to run and what to stop at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Measure {
    /// Calls per slice.
    pub loops: u64,
    /// Whether each call gets a fresh set-up (only the calls are timed). Where the suite demands a
    /// `number`, each `number` calls share one.
    pub fresh: bool,
    /// Untimed calls' CPU time before each slice, nanoseconds (the lead-in of rule 10).
    pub lead_in_ns: u64,
    /// At most this many slices.
    pub slices: u32,
    /// At least this many slices.
    pub min_slices: u32,
    /// Stop after the slice in which this much CPU time (wall time where the process mostly
    /// waits: five times this) has been spent in timed code, nanoseconds.
    pub cpu_ns: u64,
}

/// What the worker answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// The suite.
    List(Listing),
    /// Done.
    Ready,
    /// The benchmark stands ready.
    Opened(Opened),
    /// The benchmark says it does not apply; with its reason. After `open`: nothing to close.
    Skipped(String),
    /// Timed slices, in order.
    Slices(Vec<SliceReading>),
    /// One value.
    Value(ValueReading),
    /// The state test's pairs; none where a used state can't be kept across a set-up: then state
    /// must be taken to matter.
    State(Vec<StatePair>),
    /// The benchmark's process has ended.
    Closed(Closed),
    /// The request failed; the worker goes on. After a failed `open` or `close` there is nothing to
    /// close; after any other failure `close` is still due. A `close` with nothing open is answered
    /// by [`Reply::Closed`] all the same.
    Failed(WorkerFailure),
    /// The benchmark's process died while a request was pending; there is nothing left to close.
    Died(Died),
}

/// The version of this protocol. A worker is told it in `BENCH_ACTION_PROTOCOL`.
pub const PROTOCOL: u32 = 1;

/// What a worker has to serve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Listing {
    /// The version of the protocol that the worker speaks, 1; the workers of this program may leave
    /// it out.
    #[serde(default)]
    pub protocol: Option<u32>,
    /// What was found.
    #[serde(flatten)]
    pub found: crate::Discovery,
}

/// A benchmark stands ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Opened {
    /// The process that serves it (its own process group); 0, or left out, where that is the worker
    /// itself.
    #[serde(default)]
    pub pid: u32,
    /// Nanoseconds its set-up took.
    #[serde(default)]
    pub setup_ns: u64,
}

/// One slice. Serialised as an array to keep lines short:
/// `[cpu_ns, wall_ns, thread_cpu_ns, run_delay_ns, voluntary_switches]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SliceReading(
    /// CPU time of the whole process, nanoseconds.
    pub u64,
    /// Wall time, nanoseconds.
    pub u64,
    /// CPU time of the calling thread, nanoseconds.
    pub u64,
    /// Time spent ready to run but waiting for the core, nanoseconds; null where unknown.
    pub Option<u64>,
    /// Voluntary context switches.
    pub u64,
);

/// One value of `track_`, `mem_` or `peakmem_`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueReading {
    /// A finite number.
    Number(f64),
    /// Not a number: the combination does not apply.
    Nan,
    /// Something that can be shown but not compared, as text.
    Text(String),
}

/// One pair of the state test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatePair(
    /// First call after a fresh set-up, CPU nanoseconds.
    pub u64,
    /// Call on an instance already called, right after a throw-away set-up, CPU nanoseconds.
    pub u64,
);

/// The end of a benchmark's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Closed {
    /// Its peak resident memory, bytes.
    #[serde(default)]
    pub max_rss_bytes: Option<u64>,
}

/// Something the benchmark or the suite did wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerFailure {
    /// `import`, `setup_cache`, `setup`, `run`, `teardown`.
    pub stage: String,
    /// One line.
    pub message: String,
    /// The traceback.
    #[serde(default)]
    pub details: String,
}

/// How a benchmark's process died.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Died {
    /// Its exit status, if it exited.
    pub code: Option<i32>,
    /// The signal, if one ended it.
    pub signal: Option<i32>,
}
