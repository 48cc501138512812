//! Writes results as CSV, one line per launch.

use super::{CONCLUSIONS, EVIDENCE, LEADING, NAMES, PARAMETER, ROLES, ROW_DETAILS, RUN_DETAILS};
use crate::table::number;
use crate::{Better, Block, Measured, Pairing, Results, Row, Sample, SideName};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Most parameters with a column of their own: a file in which every benchmark calls its own
/// differently would be all commas. The details have all of them.
const MOST_PARAMETERS: usize = 100;

/// Writes one line per launch, header first. Numbers are as short as they can be and still be read
/// as exactly the same; absent ones are empty. A block without launches, and a row without blocks,
/// have one line each.
///
/// # Errors
/// Those of the writer.
pub fn write_launches(results: &Results, out: impl io::Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let parameters = parameters(results);
    writer.write_record(header(&parameters))?;
    let (benchmarks, sentinel) = (&results.benchmarks, &results.sentinel);
    let rows = benchmarks.iter().map(|row| (ROLES[0], row));
    let rows = rows.chain(sentinel.iter().map(|row| (ROLES[1], row)));
    let mut run = serde_json::to_string(&Results {
        benchmarks: Vec::new(),
        sentinel: Vec::new(),
        ..results.clone()
    })?;
    for (number, (role, row)) in rows.enumerate() {
        let leading = [number.to_string(), role.to_owned(), row.id.clone(), row.comparison.clone()];
        let mut details = serde_json::to_string(&without_evidence(row))?;
        for line in lines(row) {
            let mut record = leading.to_vec();
            record.extend(names(results, row, line.launch.map(|launch| launch.side)));
            record.extend(parameters.iter().map(|name| value_of(row, name)));
            record.extend(conclusions(row));
            record.extend(evidence(&line));
            record.push(std::mem::take(&mut details));
            record.push(std::mem::take(&mut run));
            writer.write_record(record)?;
        }
    }
    // A file without rows still says what was to be compared, and why it was not.
    if !run.is_empty() {
        let mut record = vec![String::new(); header(&parameters).len() - 1];
        record.push(run);
        writer.write_record(record)?;
    }
    writer.flush()
}

fn header(parameters: &[&str]) -> Vec<String> {
    let mut header: Vec<String> = LEADING.iter().chain(&NAMES).map(|&name| name.into()).collect();
    header.extend(parameters.iter().map(|name| format!("{PARAMETER}{name}")));
    let rest = CONCLUSIONS.iter().chain(&EVIDENCE).chain(&[ROW_DETAILS, RUN_DETAILS]);
    header.extend(rest.map(|&name| name.to_owned()));
    header
}

/// Names of parameters, in the order in which they first appear.
fn parameters(results: &Results) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let all = results.benchmarks.iter().chain(&results.sentinel).flat_map(|row| &row.params);
    let names = all.map(|param| param.name.as_str()).filter(|name| seen.insert(*name));
    names.take(MOST_PARAMETERS).collect()
}

fn value_of(row: &Row, name: &str) -> String {
    let param = row.params.iter().find(|param| param.name == name);
    param.map(|param| param.value.clone()).unwrap_or_default()
}

fn without_evidence(row: &Row) -> Row {
    let side = |side: &Option<Measured>| {
        side.as_ref().map(|measured| Measured { samples: Vec::new(), ..*measured })
    };
    let (base, head) = (side(&row.base), side(&row.head));
    // Cloning what is then thrown away is cheap beside writing it.
    Row { blocks: Vec::new(), base, head, ..row.clone() }
}

fn names(results: &Results, row: &Row, side: Option<SideName>) -> [String; NAMES.len()] {
    let comparison = results.comparisons.iter().find(|it| it.id == row.comparison);
    let side = side.zip(comparison).map(|(side, it)| match side {
        SideName::Base => &it.base,
        SideName::Head => &it.head,
    });
    let side = side.and_then(|id| results.sides.iter().find(|side| &side.id == id));
    [
        row.benchmark.clone(),
        side.map(|side| side.environment.clone()).unwrap_or_default(),
        row.machine.clone(),
        row.suite.clone(),
        row.harness.clone(),
        row.name.clone(),
        row.metric.clone(),
        row.unit.clone(),
        better(row.better).to_owned(),
    ]
}

fn better(better: Better) -> &'static str {
    match better {
        Better::Lower => "lower",
        Better::Higher => "higher",
    }
}

fn conclusions(row: &Row) -> [String; CONCLUSIONS.len()] {
    let change = row.change.as_ref();
    [
        text(row.verdict),
        row.reason.clone().unwrap_or_default(),
        pairing(row.pairing).to_owned(),
        text(row.schedule),
        text(row.clock),
        number(change.map(|change| change.ratio)),
        number(change.and_then(|change| change.low)),
        number(change.and_then(|change| change.high)),
        number(change.map(|change| change.confidence)),
    ]
}

fn pairing(pairing: Pairing) -> &'static str {
    match pairing {
        Pairing::Paired => "paired",
        Pairing::Unpaired => "unpaired",
        Pairing::Exact => "exact",
        Pairing::Identical => "identical",
    }
}

/// A launch, and its place among those of its side.
#[derive(Clone, Copy)]
struct Launch<'a> {
    side: SideName,
    at: usize,
    sample: &'a Sample,
}

struct Line<'a> {
    block: Option<&'a Block>,
    launch: Option<Launch<'a>>,
}

/// The launches of a row by block, in run order; then those that are of no block.
fn lines(row: &Row) -> Vec<Line<'_>> {
    let mut by_block: BTreeMap<u32, Vec<Launch<'_>>> = BTreeMap::new();
    for (side, measured) in [(SideName::Base, &row.base), (SideName::Head, &row.head)] {
        let samples = measured.iter().flat_map(|measured| &measured.samples).enumerate();
        for (at, sample) in samples {
            by_block.entry(sample.block).or_default().push(Launch { side, at, sample });
        }
    }
    let mut lines = Vec::new();
    for block in &row.blocks {
        let mut launches = by_block.remove(&block.index).unwrap_or_default();
        launches.sort_by_key(|launch| !launch.sample.first);
        if launches.is_empty() {
            lines.push(Line { block: Some(block), launch: None });
        }
        let of_block =
            launches.into_iter().map(|launch| Line { block: Some(block), launch: Some(launch) });
        lines.extend(of_block);
    }
    let rest = by_block.into_values().flatten();
    lines.extend(rest.map(|launch| Line { block: None, launch: Some(launch) }));
    if lines.is_empty() {
        lines.push(Line { block: None, launch: None });
    }
    lines
}

/// In the order of [`EVIDENCE`].
fn evidence(line: &Line<'_>) -> [String; EVIDENCE.len()] {
    let (block, launch) = (line.block, line.launch);
    let sample = launch.map(|launch| launch.sample);
    let index = block.map(|block| block.index).or(sample.map(|sample| sample.block));
    [
        text(index),
        text(block.map(|block| block.order)),
        text(block.map(|block| block.started_ms)),
        text(block.and_then(|block| block.core)),
        text(block.map(|block| block.coin)),
        truth(block.map(|block| block.counted)),
        number(block.and_then(|block| block.d)),
        number(block.and_then(|block| block.corrected)),
        number(block.and_then(|block| block.load)),
        text(launch.map(|launch| launch.side)),
        truth(sample.map(|sample| sample.first)),
        text(launch.map(|launch| launch.at)),
        number(sample.and_then(|sample| sample.value)),
        text(sample.map(|sample| sample.cpu_ns)),
        text(sample.map(|sample| sample.wall_ns)),
        text(sample.map(|sample| sample.loops)),
        text(sample.and_then(|sample| sample.max_rss_bytes)),
        text(sample.and_then(|sample| sample.voluntary_switches)),
    ]
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// As R and pandas both know it.
fn truth(value: Option<bool>) -> String {
    text(value.map(|value| if value { "TRUE" } else { "FALSE" }))
}
