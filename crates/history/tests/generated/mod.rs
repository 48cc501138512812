//! Histories that are made up: what a run on each commit would have stored.

#[path = "../random/mod.rs"]
mod random;

use bench_history::{
    Catalog, Commit, Entry, Point, Record, Reference, SCHEMA, StoredFile, format_file,
};
use bench_results::{Better, MachineInfo, ToolInfo};
use random::Random;

/// A benchmark and what happens to it.
#[derive(Clone)]
pub(crate) struct Benchmark {
    pub(crate) name: String,
    /// Commit and log size.
    pub(crate) steps: Vec<(usize, f64)>,
    /// Log size over all commits.
    pub(crate) drift: f64,
}

/// A made-up project.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) commits: usize,
    /// Standard deviation of a commit's estimate.
    pub(crate) noise: f64,
    pub(crate) benchmarks: Vec<Benchmark>,
    /// From which commit on which machine measures.
    pub(crate) machines: Vec<(usize, usize)>,
    /// Commits that become the reference, each measured against the one before.
    pub(crate) references: Vec<usize>,
}

impl World {
    /// The files of the store.
    pub(crate) fn files(&self) -> Vec<StoredFile> {
        let mut random = Random(self.seed.wrapping_mul(0x1234_5678_9abc_def1));
        let mut files = vec![format_file()];
        for commit in 0..self.commits {
            // A new reference is measured against the old one: the overlap.
            let reference = *self.references.iter().rfind(|at| **at < commit).unwrap_or(&0);
            files.extend(self.record(commit, reference, &mut random).files(&self.catalog()));
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup();
        files
    }

    fn level(&self, benchmark: &Benchmark, commit: usize) -> f64 {
        let steps = benchmark.steps.iter().filter(|(at, _)| commit >= *at);
        steps.map(|(_, size)| size).sum::<f64>()
            + benchmark.drift * commit as f64 / self.commits as f64
    }

    fn record(&self, commit: usize, reference: usize, random: &mut Random) -> Record {
        let (_, machine) =
            *self.machines.iter().rfind(|(from, _)| *from <= commit).unwrap_or(&(0, 0));
        let speed = 1000.0 * (1.0 + machine as f64 / 2.0);
        let point = |benchmark: &Benchmark| {
            let (here, there) = (self.level(benchmark, commit), self.level(benchmark, reference));
            Some(Point {
                log_ratio: Some(here - there + self.noise * random.normal()),
                error: Some(self.noise),
                blocks: 12,
                value: Some(speed * here.exp()),
                reference: Some(speed * there.exp()),
            })
        };
        Record {
            schema: SCHEMA.to_owned(),
            tool: ToolInfo { name: "bench-action".into(), version: "0".into(), commit: None },
            measured: "2026-01-01T00:00:00Z".into(),
            commit: Commit {
                id: id(commit),
                committed: 1_700_000_000 + commit as i64 * 3600,
                subject: format!("change number {commit}"),
            },
            reference: Some(Reference { commit: id(reference), label: format!("v{reference}") }),
            suite: "asv".into(),
            harness: "asv".into(),
            environment: "default".into(),
            python: Some("3.12.1".into()),
            machine: self.machine(machine),
            catalog: String::new(),
            points: self.benchmarks.iter().map(point).collect(),
        }
    }

    fn machine(&self, index: usize) -> MachineInfo {
        MachineInfo {
            name: None,
            id: format!("{index:08x}machine"),
            cpu: Some(format!("Processor {index}")),
            cores: 2,
            memory: None,
            os: "linux".into(),
            kernel: None,
            virtualization: None,
            governor: None,
            turbo: None,
            load: None,
            limits: Vec::new(),
            runner: None,
        }
    }

    fn catalog(&self) -> Catalog {
        let entry = |benchmark: &Benchmark| Entry {
            id: format!("asv/{}", benchmark.name),
            name: benchmark.name.clone(),
            params: Vec::new(),
            metric: "time".into(),
            unit: "ns".into(),
            better: Better::Lower,
        };
        Catalog {
            schema: SCHEMA.to_owned(),
            benchmarks: self.benchmarks.iter().map(entry).collect(),
        }
    }
}

fn id(commit: usize) -> String {
    // Spread over the directories, as real ids are.
    format!("{:08x}{commit:032x}", (commit as u32).wrapping_mul(0x9e37_79b9))
}
