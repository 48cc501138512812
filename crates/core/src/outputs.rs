//! Output files of other harnesses as results, so that they are compared, judged and shown like any.
//!
//! A file (or each file of a directory) is one launch of everything in it, unless its format keeps
//! several processes apart. Both sides of such results describe the same files: [`crate::compare`]
//! takes base of the one and head of the other.

use crate::config::Config;
use crate::record::RESULTS_FILE;
use crate::sides::existing_info;
use crate::skeleton::{Identity, skeleton};
use bench_harness::outputs::{Output, OutputError, Reading, Status};
use bench_harness::outputs::{read as read_output, read_criterion_directory};
use bench_results::{
    ComparisonInfo, Failure, HarnessInfo, Measured, Pairing, ReadError, Results, Row, RowRule,
    Sample, Schedule, SideKind, SideName, Source, Stage, Verdict, Void, benchmark_id, hex, row_id,
};
use bench_stats::median;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The label of rows whose files hold one number per launch and no samples.
pub const NO_SAMPLES: &str = "no raw samples";

/// The one comparison there is between files.
const COMPARISON: &str = "files";

/// What asv keeps beside its results.
const OF_ASVS_MACHINE: &str = "machine.json";

/// Most bytes of one output file.
const MOST_BYTES: u64 = 512 << 20;

/// Something that should be compared and cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// A results file of ours.
    #[error(transparent)]
    Results(#[from] ReadError),
    /// Output of a harness.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A file or directory.
    #[error("{path}: {source}")]
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A directory without anything to compare.
    #[error(
        "{0}: there is no file in this directory; name a results file, or a directory with one output file for \
         each launch"
    )]
    Empty(PathBuf),
}

/// What was found at a path.
pub enum Files {
    /// A results file of ours.
    Own(Box<Results>),
    /// Output of a harness.
    Foreign(Box<Results>),
}

/// Reads what a path names: a results file of ours, an output file of a harness, a criterion directory,
/// or a directory with one output file per launch.
///
/// # Errors
/// See [`FilesError`].
pub fn read(
    path: &Path,
    harness: Option<&str>,
    identity: &Identity,
    config: &Config,
) -> Result<Files, FilesError> {
    if path.is_dir() {
        let own = path.join(RESULTS_FILE);
        if own.is_file() && harness.is_none() {
            return read(&own, None, identity, config);
        }
        return foreign(path, directory(path, harness)?, identity, config);
    }
    let bytes = bytes(path)?;
    if harness.is_none() && is_ours(&bytes) {
        let results = bench_results::read(
            &bytes,
            &path.display().to_string(),
            bench_results::Caps::default(),
        )?;
        return Ok(Files::Own(Box::new(results)));
    }
    let launch = launch(path, &bytes, harness)?;
    foreign(path, vec![launch], identity, config)
}

/// Whether it is CSV of ours, or the schema of results stands near the beginning.
fn is_ours(bytes: &[u8]) -> bool {
    if bench_results::is_launches(bytes) || bench_results::is_table(bytes) {
        return true;
    }
    let head = &bytes[..bytes.len().min(4096)];
    String::from_utf8_lossy(head).contains("bench-action/results/")
}

fn bytes(path: &Path) -> Result<Vec<u8>, FilesError> {
    let io = |source| FilesError::Io { path: path.to_owned(), source };
    let length = std::fs::metadata(path).map_err(io)?.len();
    if length > MOST_BYTES {
        let message = format!("{length} bytes; the limit is {MOST_BYTES}");
        return Err(io(std::io::Error::other(message)));
    }
    std::fs::read(path).map_err(io)
}

/// A file's rows and where they come from.
struct LaunchFile {
    source: Source,
    output: Output,
}

fn launch(path: &Path, bytes: &[u8], harness: Option<&str>) -> Result<LaunchFile, FilesError> {
    let place = path.display().to_string();
    let output = read_output(&place, bytes, harness)?;
    let source = Source {
        file: place,
        sha256: hex(&Sha256::digest(bytes)),
        format: output.format.to_owned(),
    };
    Ok(LaunchFile { source, output })
}

fn directory(path: &Path, harness: Option<&str>) -> Result<Vec<LaunchFile>, FilesError> {
    let mut files = entries(path)?;
    if harness.is_none_or(|name| name == "criterion") {
        let launches = criterion(path, &files)?;
        if !launches.is_empty() {
            return Ok(launches);
        }
    }
    files.retain(|path| path.is_file() && !path.ends_with(OF_ASVS_MACHINE));
    if files.is_empty() {
        return Err(FilesError::Empty(path.to_owned()));
    }
    files.iter().map(|file| launch(file, &bytes(file)?, harness)).collect()
}

/// What is in a directory and not hidden, in order of name.
fn entries(path: &Path) -> Result<Vec<PathBuf>, FilesError> {
    let io = |source| FilesError::Io { path: path.to_owned(), source };
    let mut entries: Vec<PathBuf> = std::fs::read_dir(path)
        .map_err(io)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(io)?;
    entries.retain(|path| {
        path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'))
    });
    entries.sort();
    Ok(entries)
}

/// A criterion directory; or several, one for each launch, which then have benchmarks in common.
fn criterion(path: &Path, entries: &[PathBuf]) -> Result<Vec<LaunchFile>, FilesError> {
    let read = |path: &PathBuf| -> Result<Option<LaunchFile>, FilesError> {
        let output = read_criterion_directory(path)?;
        Ok(output.map(|output| LaunchFile {
            source: Source {
                file: path.display().to_string(),
                sha256: String::new(),
                format: output.format.to_owned(),
            },
            output,
        }))
    };
    let below = entries.iter().filter(|path| path.is_dir()).map(read);
    let launches: Vec<LaunchFile> =
        below.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let mut names: Vec<&str> = launches
        .iter()
        .flat_map(|launch| launch.output.readings.iter().map(|reading| reading.name.as_str()))
        .collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Ok(launches);
    }
    Ok(read(&path.to_owned())?.into_iter().collect())
}

fn foreign(
    path: &Path,
    launches: Vec<LaunchFile>,
    identity: &Identity,
    config: &Config,
) -> Result<Files, FilesError> {
    let mut results = skeleton(identity, config, None, &[], 0.0);
    results.machines.clear();
    let label = path.display().to_string();
    results.sides = SideName::BOTH.map(|side| existing_info(side, &label, SideKind::File)).to_vec();
    results.comparisons = vec![ComparisonInfo {
        id: COMPARISON.to_owned(),
        base: SideName::Base.word().to_owned(),
        head: SideName::Head.word().to_owned(),
        machine: None,
    }];
    let mut harnesses: Vec<&str> = launches.iter().map(|launch| launch.output.harness).collect();
    harnesses.sort_unstable();
    harnesses.dedup();
    results.harnesses = harnesses
        .into_iter()
        .map(|name| HarnessInfo { name: name.to_owned(), version: None, suite_commit: None })
        .collect();
    let rule = RowRule {
        threshold: config.compare.threshold,
        tolerance: config.compare.tolerance,
        absolute: 0.0,
    };
    results.benchmarks = rows(launches, rule);
    Ok(Files::Foreign(Box::new(results)))
}

/// One row for each benchmark and metric, with every launch of it in any of the files.
fn rows(files: Vec<LaunchFile>, rule: RowRule) -> Vec<Row> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut rows: Vec<Row> = Vec::new();
    for LaunchFile { source, output } in files {
        for reading in output.readings {
            let mut row = row(output.harness, &reading, &source, rule);
            // One name with two units is two things, also among the launches of one side.
            let same =
                |at: &&usize| (&rows[**at].metric, &rows[**at].unit) == (&row.metric, &row.unit);
            if places.get(&row.id).is_some_and(|at| !same(&at)) {
                row.id = format!("{} [{} in {}]", row.id, row.metric, row.unit);
            }
            match places.get(&row.id) {
                Some(&at) => merge(&mut rows[at], &row),
                None => {
                    places.insert(row.id.clone(), rows.len());
                    rows.push(row);
                }
            }
        }
    }
    rows
}

/// The same row of another launch.
fn merge(row: &mut Row, other: &Row) {
    let samples = |side: &Option<Measured>| side.clone().map_or_else(Vec::new, |side| side.samples);
    let mut all = samples(&row.base);
    all.extend(samples(&other.base));
    for (at, sample) in (0..).zip(&mut all) {
        sample.block = at;
    }
    let measured = measured(all);
    (row.base, row.head) = (measured.clone(), measured);
    if row.failure.is_none() {
        row.failure.clone_from(&other.failure);
        row.verdict = if other.failure.is_some() { other.verdict } else { row.verdict };
    }
    if other.labels.iter().any(|label| label == NO_SAMPLES) && row.labels.is_empty() {
        row.labels.clone_from(&other.labels);
    }
}

fn measured(samples: Vec<Sample>) -> Option<Measured> {
    let values: Vec<f64> = samples.iter().filter_map(|sample| sample.value).collect();
    (!samples.is_empty()).then(|| Measured { center: median(&values), wall: None, samples })
}

fn row(harness: &str, reading: &Reading, source: &Source, rule: RowRule) -> Row {
    let benchmark = benchmark_id(harness, &reading.name, &reading.params);
    let values = reading.values();
    let samples = (0..).zip(&values).map(|(at, value)| Sample {
        block: at,
        first: false,
        value: Some(*value),
        cpu_ns: 0,
        wall_ns: 0,
        loops: 0,
        max_rss_bytes: None,
        voluntary_switches: None,
    });
    let measured = measured(samples.collect());
    let has_samples = reading.launches.iter().any(|launch| !launch.samples.is_empty());
    let (verdict, reason, failure) = standing(&reading.status);
    Row {
        id: row_id(&benchmark, &reading.metric.name, reading.is_primary),
        benchmark,
        comparison: COMPARISON.to_owned(),
        machine: String::new(),
        suite: harness.to_owned(),
        harness: harness.to_owned(),
        name: reading.name.clone(),
        params: reading.params.clone(),
        metric: reading.metric.name.clone(),
        unit: reading.metric.unit.clone(),
        better: reading.metric.better,
        verdict: Some(verdict).filter(|_| reading.is_primary),
        reason,
        stage: Stage::Measured,
        schedule: Some(Schedule::Sequential),
        clock: None,
        pairing: Pairing::Unpaired,
        labels: if has_samples || values.is_empty() {
            Vec::new()
        } else {
            vec![NO_SAMPLES.to_owned()]
        },
        rule,
        blocks_used: u32::try_from(values.len()).unwrap_or(u32::MAX),
        decided_at: None,
        family: 0,
        log_e: None,
        change: None,
        routing: None,
        calibration: None,
        void: Void::default(),
        noise: None,
        cost_s: 0.0,
        source: Some(source.clone()),
        base: measured.clone(),
        head: measured,
        blocks: Vec::new(),
        failure,
    }
}

/// What can be said of a row before it is compared.
fn standing(status: &Status) -> (Verdict, Option<String>, Option<Failure>) {
    let failed = |stage: &str, message: &str| {
        let failure = Failure {
            side: None,
            stage: stage.to_owned(),
            message: message.to_owned(),
            stderr_tail: String::new(),
        };
        (Verdict::Failed, None, Some(failure))
    };
    match status {
        Status::Ok => (Verdict::Inconclusive, None, None),
        Status::Skipped(why) => (Verdict::Skipped, Some(why.clone()), None),
        Status::Error(message) => failed("run", message),
        Status::Unreadable(line) => failed("read", &format!("this line cannot be read: {line}")),
    }
}
