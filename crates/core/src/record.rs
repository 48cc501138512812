//! The results of a run, from what its machine knows, and the files they are written to.

use crate::assemble::{self, RowContext};
use crate::config::{Accept, Config};
use crate::journal::Begin;
use crate::judge;
use crate::measure::machine::Machine;
use bench_results::{
    ACCEPTED, BlockSlices, Counts, Results, Row, SamplesWriter, Settings, Source, StoppedBy,
    Verdict, file_digest, write_path,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Names of the files in the output directory.
pub const RESULTS_FILE: &str = "results.json";
/// Every slice, compressed.
pub const SAMPLES_FILE: &str = "samples.jsonl.gz";
/// What is in it.
pub(crate) const SAMPLES_FORMAT: &str = "bench-action/samples/v1";

/// The results directory could not be written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The results file.
    #[error(transparent)]
    Results(#[from] bench_results::WriteError),
    /// The samples file.
    #[error("{path}: the samples could not be written: {source}; is the disk full?")]
    Samples {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file of an earlier run.
    #[error("{path}: an earlier run's file could not be removed: {source}; remove it")]
    Stale {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
}

/// The settings of the decision, as the results file keeps them.
#[must_use]
pub fn settings(config: &Config, budget_s: f64) -> Settings {
    let compare = &config.compare;
    Settings {
        alpha: compare.alpha,
        alpha_unchanged: ALPHA_UNCHANGED,
        threshold: compare.threshold,
        tolerance: compare.tolerance,
        fail_threshold: compare.fail_threshold,
        threshold_absolute_ns: compare.threshold_absolute_ns,
        max_blocks: compare.max_blocks,
        repeat: compare.repeat,
        time_budget_s: budget_s,
    }
}

/// Bound, per benchmark, on calling a change of the threshold's size unchanged (statistics 4.4).
pub const ALPHA_UNCHANGED: f64 = 0.05;

/// Adds the rows of the cases and the sentinel, judges everything, and marks what is accepted.
#[must_use]
pub fn results(
    begin: &Begin,
    machine: &Machine,
    stopped_by: StoppedBy,
    accepts: &[Accept],
) -> Results {
    let mut results = begin.results.clone();
    for (index, case) in machine.cases().iter().enumerate() {
        results.benchmarks.extend(assemble::case_rows(&context(begin, case.group), machine, index));
    }
    results.sentinel = machine
        .sentinels()
        .iter()
        .filter(|sentinel| !sentinel.blocks.is_empty())
        .map(|sentinel| {
            let group = machine.cases()[sentinel.case].group;
            assemble::sentinel_row(&context(begin, group), machine, sentinel)
        })
        .collect();
    results.warnings.extend(told(machine));
    results.benchmarks.sort_by(|a, b| (&a.comparison, &a.id).cmp(&(&b.comparison, &b.id)));
    results.summary.time.measure_s = machine.elapsed_s();
    results.summary.time.sliced_s = sliced_s(machine);
    results.stopped_by = stopped_by;
    judge::judge(&mut results);
    accept(&mut results.benchmarks, accepts);
    results.summary.counts = Counts::of(&results.benchmarks);
    results
}

/// What measured programs told of themselves, each thing once.
fn told(machine: &Machine) -> BTreeSet<String> {
    let blocks = machine.states().iter().flat_map(|state| &state.blocks);
    let launches = blocks.flat_map(|block| block.sides.iter().flatten());
    let reported = launches.filter_map(|launch| launch.reported.as_ref());
    reported.flat_map(|report| report.warnings.iter().cloned()).collect()
}

/// What names the rows of a group.
#[must_use]
pub fn context(begin: &Begin, group: usize) -> RowContext<'_> {
    let (suite, environment, harness) = &begin.groups[group];
    RowContext {
        comparison: environment,
        machine: begin.results.machines.first().map_or("", |machine| &machine.id),
        suite,
        harness,
        family: begin.results.plan.family_size,
    }
}

/// Seconds inside timed slices.
fn sliced_s(machine: &Machine) -> f64 {
    let blocks = machine.states().iter().flat_map(|state| &state.blocks);
    let blocks = blocks.chain(machine.sentinels().iter().flat_map(|sentinel| &sentinel.blocks));
    let wall: u64 = blocks
        .flat_map(|block| block.sides.iter().flatten())
        .map(|launch| launch.activity().wall_ns)
        .sum();
    wall as f64 / 1e9
}

/// Regressions that are known and wanted keep their verdict and get a label.
pub(crate) fn accept(rows: &mut [Row], accepts: &[Accept]) {
    for row in rows.iter_mut().filter(|row| row.verdict == Some(Verdict::Regressed)) {
        let size = row.change.map_or(0.0, |change| (change.ratio - 1.0).abs());
        let covers = |accept: &&Accept| {
            accept.pattern.is_match(&row.id) && accept.up_to.is_none_or(|most| size <= most)
        };
        if let Some(accept) = accepts.iter().find(covers) {
            row.labels.push(ACCEPTED.to_owned());
            row.reason = Some(accept.reason.clone());
        }
    }
}

/// Writes `samples.jsonl.gz` and then `results.json`, which names it.
///
/// # Errors
/// When a file cannot be written; names it.
pub fn write(
    results: &mut Results,
    machine: Option<(&Begin, &Machine)>,
    out: &Path,
) -> Result<(), RecordError> {
    if let Some((begin, machine)) = machine {
        let path = out.join(SAMPLES_FILE);
        let sha256 = write_samples(begin, machine, &path)
            .map_err(|source| RecordError::Samples { path: path.clone(), source })?;
        let format = SAMPLES_FORMAT.to_owned();
        results.samples_file = Some(Source { file: SAMPLES_FILE.to_owned(), sha256, format });
    }
    Ok(write_path(results, &out.join(RESULTS_FILE))?)
}

/// Removes a file that an earlier run left, if it did.
pub(crate) fn remove(path: &Path) -> Result<(), RecordError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(RecordError::Stale { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

fn write_samples(begin: &Begin, machine: &Machine, path: &Path) -> std::io::Result<String> {
    let mut writer = SamplesWriter::create(path)?;
    for (case, state) in machine.cases().iter().zip(machine.states()) {
        let comparison = &begin.groups[case.group].1;
        let slices: Vec<BlockSlices> = assemble::slices(comparison, case, &state.blocks);
        slices.iter().try_for_each(|slices| writer.append(slices))?;
    }
    writer.finish()?;
    file_digest(path)
}
