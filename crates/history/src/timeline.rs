//! The series that follow from a history, in the order of their commits.

use crate::chain::{self, Joined, Observation};
use crate::load::History;
use crate::record::{Commit, Entry, Point, Record};
use bench_results::MachineInfo;
use std::collections::{BTreeMap, HashMap};

/// All series over the same commits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// The commits that were measured, oldest first.
    pub commits: Vec<Commit>,
    /// The machines.
    pub machines: Vec<MachineInfo>,
    /// Labels of the references, with their commits.
    pub references: Vec<crate::Reference>,
    /// The series, by suite, benchmark and environment.
    pub series: Vec<Series>,
}

/// One benchmark × metric in one environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The suite's name.
    pub suite: String,
    /// The harness's name.
    pub harness: String,
    /// The environment's name.
    pub environment: String,
    /// The benchmark.
    pub entry: Entry,
    /// What hangs together, the piece that reaches furthest last.
    pub pieces: Vec<Piece>,
}

/// Points that may be compared with each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// How they were measured.
    pub kind: Kind,
    /// The points, in order of their commits, one for each.
    pub points: Vec<SeriesPoint>,
}

/// How the points of a piece were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Against a reference in the same run: they survive a change of machine.
    Paired,
    /// By themselves, on one machine, by another tool: they drift with the machine.
    Absolute,
}

/// One commit in a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesPoint {
    /// Index into [`Timeline::commits`].
    pub commit: usize,
    /// Index into [`Timeline::machines`].
    pub machine: usize,
    /// Index into [`Timeline::references`]; none for absolute values.
    pub reference: Option<usize>,
    /// ln(value / the piece's reference), or ln(value) of an absolute one.
    pub level: f64,
    /// Its standard error; 0 where unknown or exact.
    pub error: f64,
    /// Variance of the links between its reference and the piece's: what the difference of two points
    /// has beside their errors, where their references differ.
    pub links: f64,
    /// The commit's own value, in the metric's unit.
    pub value: Option<f64>,
}

impl Timeline {
    /// The series of a history. `order` holds commit ids, oldest first, as the repository has them;
    /// commits that it lacks are put in by their time, and all are where it is empty.
    #[must_use]
    pub fn new(history: &History, order: &[String]) -> Self {
        let commits = ordered(history, order);
        let index: HashMap<&str, usize> =
            commits.iter().enumerate().map(|(at, commit)| (commit.id.as_str(), at)).collect();
        let mut builder = Builder::default();
        for record in &history.records {
            if let Some(commit) = index.get(record.commit.id.as_str()) {
                builder.add(history, record, *commit);
            }
        }
        let Builder { machines, references, series, .. } = builder;
        let reference_of: HashMap<usize, usize> = references
            .iter()
            .enumerate()
            .filter_map(|(at, r)| Some((*index.get(r.commit.as_str())?, at)))
            .collect();
        let mut series: Vec<Series> =
            series.into_iter().map(|collected| collected.joined(&reference_of)).collect();
        series.retain(|series| !series.pieces.is_empty());
        series.sort_by(|a, b| {
            (&a.suite, &a.entry.id, &a.environment).cmp(&(&b.suite, &b.entry.id, &b.environment))
        });
        Self { commits, machines, references, series }
    }
}

/// The commits of all records, oldest first.
fn ordered(history: &History, order: &[String]) -> Vec<Commit> {
    let distinct: BTreeMap<&str, &Commit> =
        history.records.iter().map(|record| (record.commit.id.as_str(), &record.commit)).collect();
    let mut known: Vec<&Commit> =
        order.iter().filter_map(|id| distinct.get(id.as_str()).copied()).collect();
    let placed: std::collections::HashSet<&str> = known.iter().map(|c| c.id.as_str()).collect();
    let mut others: Vec<&Commit> =
        distinct.values().filter(|c| !placed.contains(c.id.as_str())).copied().collect();
    others.sort_by(|a, b| (a.committed, &a.id).cmp(&(b.committed, &b.id)));
    for other in others {
        let later = known.iter().rposition(|commit| commit.committed <= other.committed);
        known.insert(later.map_or(0, |at| at + 1), other);
    }
    known.into_iter().cloned().collect()
}

/// What is collected of a series before it is joined.
struct Collected {
    suite: String,
    harness: String,
    environment: String,
    entry: Entry,
    paired: Vec<Observation>,
    absolute: Vec<(usize, usize, f64)>,
}

#[derive(Default)]
struct Builder<'a> {
    machines: Vec<MachineInfo>,
    machine_at: HashMap<&'a str, usize>,
    references: Vec<crate::Reference>,
    reference_at: HashMap<&'a str, usize>,
    series: Vec<Collected>,
    series_at: HashMap<(&'a str, &'a str, &'a str), usize>,
    /// For suite, environment and catalogue: where the series of its benchmarks are.
    places: HashMap<(&'a str, &'a str, &'a str), Vec<usize>>,
}

impl<'a> Builder<'a> {
    fn add(&mut self, history: &'a History, record: &'a Record, commit: usize) {
        let machine = *self.machine_at.entry(&record.machine.id).or_insert_with(|| {
            self.machines.push(record.machine.clone());
            self.machines.len() - 1
        });
        let reference = record.reference.as_ref().map(|reference| {
            *self.reference_at.entry(&reference.commit).or_insert_with(|| {
                self.references.push(reference.clone());
                self.references.len() - 1
            })
        });
        let key = (record.suite.as_str(), record.environment.as_str(), record.catalog.as_str());
        if !self.places.contains_key(&key) {
            let places = self.places_of(history, record);
            self.places.insert(key, places);
        }
        let places = self.places.get(&key).map_or(&[][..], Vec::as_slice);
        for (place, point) in places.iter().zip(&record.points) {
            if let (Some(series), Some(point)) = (self.series.get_mut(*place), point) {
                series.add(point, commit, machine, reference);
            }
        }
    }

    fn places_of(&mut self, history: &'a History, record: &'a Record) -> Vec<usize> {
        let Some(catalog) = history.catalogs.get(&record.catalog) else { return Vec::new() };
        let (suite, environment) = (record.suite.as_str(), record.environment.as_str());
        let place = |entry: &'a Entry| {
            *self.series_at.entry((suite, environment, &entry.id)).or_insert_with(|| {
                self.series.push(Collected {
                    suite: record.suite.clone(),
                    harness: record.harness.clone(),
                    environment: record.environment.clone(),
                    entry: entry.clone(),
                    paired: Vec::new(),
                    absolute: Vec::new(),
                });
                self.series.len() - 1
            })
        };
        catalog.benchmarks.iter().map(place).collect()
    }
}

impl Collected {
    fn add(&mut self, point: &Point, commit: usize, machine: usize, reference: Option<usize>) {
        let Point { log_ratio, error, value, .. } = *point;
        match (reference, log_ratio, value) {
            (Some(reference), Some(log_ratio), value) => self.paired.push(Observation {
                commit,
                reference,
                machine,
                log_ratio,
                error: error.unwrap_or(0.0).max(0.0),
                value,
            }),
            (None, _, Some(value)) if value > 0.0 => self.absolute.push((commit, machine, value)),
            _ => {}
        }
    }

    fn joined(self, reference_of: &HashMap<usize, usize>) -> Series {
        let mut pieces: Vec<Piece> = absolute_pieces(&self.absolute);
        let joined = chain::join(&self.paired, |commit| reference_of.get(&commit).copied());
        pieces.extend(joined.into_iter().map(|points| Piece {
            kind: Kind::Paired,
            points: points.into_iter().map(paired_point).collect(),
        }));
        pieces.sort_by_key(|piece| piece.points.last().map(|point| point.commit));
        Series {
            suite: self.suite,
            harness: self.harness,
            environment: self.environment,
            entry: self.entry,
            pieces,
        }
    }
}

fn paired_point(joined: Joined) -> SeriesPoint {
    let Joined { commit, machine, reference, level, error, links, value } = joined;
    SeriesPoint { commit, machine, reference: Some(reference), level, error, links, value }
}

/// Absolute values are comparable on one machine at most.
fn absolute_pieces(values: &[(usize, usize, f64)]) -> Vec<Piece> {
    let mut by_machine: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
    for (commit, machine, value) in values {
        by_machine.entry(*machine).or_default().insert(*commit, *value);
    }
    let piece = |(machine, values): (usize, BTreeMap<usize, f64>)| {
        let point = |(commit, value): (usize, f64)| SeriesPoint {
            commit,
            machine,
            reference: None,
            level: value.ln(),
            error: 0.0,
            links: 0.0,
            value: Some(value),
        };
        Piece { kind: Kind::Absolute, points: values.into_iter().map(point).collect() }
    };
    by_machine.into_iter().map(piece).collect()
}
