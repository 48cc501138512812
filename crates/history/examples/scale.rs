//! How large a history of many commits is, and how long it takes to read, join and search:
//! `cargo run --release -p bench-history --example scale -- [COMMITS] [BENCHMARKS] [DIRECTORY]`.
//! With a directory, the history is left there, to be published.

#[path = "../tests/generated/mod.rs"]
mod generated;

use bench_history::steps::Rule;
use bench_history::{Caps, Directory, Timeline, detect};
use generated::{Benchmark, World};
use std::time::Instant;

#[expect(clippy::print_stdout, reason = "what it is for")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let commits: usize = arguments.next().map_or(Ok(10_000), |text| text.parse())?;
    let benchmarks: usize = arguments.next().map_or(Ok(200), |text| text.parse())?;
    let scratch = tempfile::tempdir()?;
    let root = arguments.next().map_or_else(|| scratch.path().join("history"), Into::into);
    let files = world(commits, benchmarks).files();
    let store = Directory::new(&root);
    let begun = Instant::now();
    store.add(&files)?;
    let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
    println!("{commits} commits of {benchmarks} benchmarks, in {}", root.display());
    println!(
        "{} files, {:.1} MB, {:.1} kB each",
        files.len(),
        bytes as f64 / 1e6,
        bytes as f64 / 1e3 / files.len() as f64
    );
    println!("written in {:.2} s", begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    let history = store.load(Caps::default())?;
    println!("read and checked in {:.2} s", begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    let timeline = Timeline::new(&history, &[]);
    println!(
        "joined into {} series in {:.2} s",
        timeline.series.len(),
        begun.elapsed().as_secs_f64()
    );
    let begun = Instant::now();
    let changes = detect(&timeline, Rule { least: 0.0198 }, false);
    println!(
        "searched in {:.2} s: {} changes",
        begun.elapsed().as_secs_f64(),
        changes.points.len()
    );
    Ok(())
}

/// Every third benchmark has a step somewhere; a reference lasts for 500 commits.
fn world(commits: usize, benchmarks: usize) -> World {
    let benchmark = |index: usize| Benchmark {
        name: format!("kernels.Suite{}.time_case_{index:03}", index / 10),
        steps: if index.is_multiple_of(3) {
            vec![(commits * (index + 1) / (benchmarks + 1), 0.05)]
        } else {
            vec![]
        },
        drift: 0.0,
    };
    World {
        seed: 1,
        commits,
        noise: 0.008,
        benchmarks: (0..benchmarks).map(benchmark).collect(),
        machines: (0..commits / 1000 + 1).map(|index| (index * 1000, index % 3)).collect(),
        references: (0..commits / 500 + 1).map(|index| index * 500).collect(),
    }
}
