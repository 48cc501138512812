//! The vocabulary of bench-action and its results file: schema, reader, writer, journal and CSV.
//!
//! Every other crate speaks in these types. The file format is the contract that scripts rely on
//! (`bench-action/results/v1`): fields are only ever added. This crate measures nothing, judges
//! nothing and draws nothing.

mod benchmark;
mod file;
mod journal;
mod launches;
mod provenance;
mod read;
mod redact;
mod row;
mod samples;
mod slices;
mod sound;
mod summary;
mod table;
mod verdict;
mod whereabouts;
mod write;

pub use benchmark::{Better, Metric, Param, benchmark_id, number_of, row_id};
pub use file::{
    ComparisonInfo, ConfigInfo, Counts, PlanInfo, Results, RunFailure, SCHEMA, Settings, ShardInfo,
    StoppedBy, Summary, TimeSpent, ToolInfo, Trust,
};
pub use journal::{Journal, JournalError, read_journal};
pub use launches::{is_launches, write_launches};
pub use provenance::{
    Artifact, EnvironmentInfo, HarnessInfo, MachineInfo, SideInfo, SideKind, SideName, is_commit,
    is_revision,
};
pub use read::{Caps, ReadError, read, read_path};
pub use redact::{REDACTED, Redactor};
pub use row::{
    Block, Calibration, Change, ChangeKind, Failure, LogE, Measured, Noise, Pairing, Routing, Row,
    RowRule, Sample, Source, Stage, Void,
};
pub use samples::{BlockSlices, SamplesWriter, file_digest, hex, read_samples};
pub use slices::write_slices;
pub use sound::{read_sound, sound};
pub use summary::ACCEPTED;
pub use table::{is_table, write_table};
pub use verdict::{Clock, Schedule, Verdict, WholeVerdict};
pub use write::{WriteError, to_json, write_path};
