//! Runs that do not come to their end: what was measured is kept, nothing is left behind, and the
//! next run goes on with it.

use crate::support::repository::Repository;
use crate::support::results::{ResultsFile, blocks};
use crate::support::run::{Finished, Running};
use crate::support::{DEADLINE, processes, wait_until};
use nix::sys::signal::Signal;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const SUITE: &str = include_str!("suites/steady.py");

/// What a stopped run may take to write and name what it measured, by the contract, and a little
/// for a machine that does much else.
const GRACE: Duration = Duration::from_secs(5 + 10);

/// Blocks of each benchmark: few, but more than are measured before the signal.
const BLOCKS: usize = 4;
const ARGUMENTS: &[&str] = &["--repeat", "4", "--time-budget", "20m"];

fn repository() -> Repository {
    Repository::new(&[("benchmarks/steady.py", SUITE)], &[])
}

/// Lines of the journal that tell of a block of base against head.
fn blocks_noted(out: &Path) -> usize {
    let journal = fs::read_to_string(out.join("journal.jsonl")).unwrap_or_default();
    journal.lines().filter(|line| line.contains("\"sentinel\":false")).count()
}

/// A run that has measured some blocks and is in the middle of the others.
fn in_the_middle(repository: &Repository) -> Running {
    let mut running = repository.run(ARGUMENTS).start();
    let out = repository.last();
    let began = wait_until(DEADLINE, || !running.is_running() || blocks_noted(&out) >= 4);
    assert!(began && running.is_running(), "{}", running.stderr());
    running
}

/// Blocks that a results file holds, over all rows.
fn measured(results: &ResultsFile) -> usize {
    results.rows().iter().map(|row| blocks(row).len()).sum()
}

/// Coins and numbers of all blocks, by row: what the seed decides.
fn plan(results: &ResultsFile) -> Vec<(String, Vec<(u64, String)>)> {
    let of_row = |row: &serde_json::Value| {
        let coins = blocks(row).iter().map(|block| {
            (block["index"].as_u64().unwrap(), block["coin"].as_str().unwrap().to_owned())
        });
        (row["id"].as_str().unwrap().to_owned(), coins.collect())
    };
    results.rows().iter().map(of_row).collect()
}

/// Goes on with a stopped run, and compares with one that was never stopped.
fn assert_goes_on(repository: &Repository, stopped: &ResultsFile) -> Finished {
    let kept = measured(stopped);
    let before = blocks_noted(&repository.last());
    let finished = repository.run(ARGUMENTS).expect(0);
    assert!(finished.stderr.contains("is taken up"), "{finished}");
    let whole = ResultsFile::read(&repository.last());
    assert_eq!(whole.0["seed"], stopped.0["seed"]);
    assert_eq!(whole.0["plan"], stopped.0["plan"]);
    assert_eq!(whole.0["stopped_by"], "done");
    for row in whole.rows() {
        assert_eq!(whole.counted(row["id"].as_str().unwrap()), BLOCKS, "{row:#}");
    }
    // Nothing that was measured is measured again.
    assert!(before >= kept && kept >= 4, "{kept} kept, {before} noted");
    let anew = blocks_noted(&repository.last()) - before;
    assert!(anew + kept <= measured(&whole) + 2, "{anew} anew, {kept} kept");
    let seed = whole.0["seed"].as_str().unwrap();
    let out = repository.beside("uninterrupted");
    let run = repository.run(ARGUMENTS).arg("--seed").arg(seed).arg("--out").arg(&out);
    run.expect(0);
    assert_eq!(plan(&whole), plan(&ResultsFile::read(&out)));
    finished
}

fn stops_by(signal: Signal, exit: i32) -> (Repository, ResultsFile) {
    let repository = repository();
    let running = in_the_middle(&repository);
    let sent = Instant::now();
    running.signal(signal);
    let finished = running.finish(GRACE);
    assert_eq!(finished.exit, Some(exit), "{finished}");
    eprintln!("ended {:?} after {signal}", sent.elapsed());
    processes::assert_none_left(repository.mark());
    let results = ResultsFile::read(&repository.last());
    assert_eq!(results.0["stopped_by"], "signal");
    assert!(finished.stdout.contains("results.json"), "{finished}");
    (repository, results)
}

#[test]
fn sigint_ends_a_run_soon_and_the_next_goes_on_with_it() {
    let (repository, stopped) = stops_by(Signal::SIGINT, 130);
    assert_goes_on(&repository, &stopped);
}

#[test]
fn sigterm_ends_a_run_soon_with_a_code_of_its_own() {
    let (_repository, stopped) = stops_by(Signal::SIGTERM, 143);
    assert!(measured(&stopped) >= 4);
}

#[test]
fn a_run_that_is_killed_leaves_no_process_and_the_next_goes_on_with_it() {
    let repository = repository();
    let running = in_the_middle(&repository);
    running.signal(Signal::SIGKILL);
    let finished = running.finish(GRACE);
    assert_eq!(finished.exit, None, "{finished}");
    processes::assert_none_left(repository.mark());
    assert!(!repository.last().join("results.json").exists());

    // Another plan first: it does not take the run up, but its results are saved.
    let elsewhere = repository.beside("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::copy(repository.last().join("journal.jsonl"), elsewhere.join("journal.jsonl")).unwrap();
    let running = repository.run(&["--repeat", "3"]).arg("--out").arg(&elsewhere).start();
    let saved = wait_until(DEADLINE, || elsewhere.join("results.json").exists());
    assert!(saved, "{}", running.stderr());
    let stopped = ResultsFile::read(&elsewhere);
    assert_eq!(stopped.0["stopped_by"], "crash");
    drop(running);

    assert_goes_on(&repository, &stopped);
}

#[test]
fn a_signal_while_sides_are_prepared_ends_the_run_too() {
    let repository = Repository::new(
        &[("benchmarks/steady.py", SUITE)],
        &[("_build/backend.py", "import time\n\ntime.sleep(900)\n")],
    );
    let mut running = repository.run(ARGUMENTS).start();
    let is_building = || {
        let processes = processes::of(repository.mark());
        processes.iter().any(|process| process.contains("backend") || process.contains("build"))
    };
    assert!(wait_until(DEADLINE, || !running.is_running() || is_building()));
    running.signal(Signal::SIGINT);
    let finished = running.finish(GRACE);
    assert_eq!(finished.exit, Some(130), "{finished}");
    processes::assert_none_left(repository.mark());
    assert_eq!(ResultsFile::read(&repository.last()).0["stopped_by"], "signal");
}

#[test]
fn a_second_run_on_the_machine_waits_for_the_first() {
    let [first, second] = [repository(), repository()];
    let mut measuring = in_the_middle(&first);
    let waiting = second.run(&["--repeat", "1"]).start();
    let told = wait_until(DEADLINE, || waiting.stderr().contains("another measurement runs"));
    assert!(told, "{}", waiting.stderr());
    assert!(blocks_noted(&second.last()) == 0 || !measuring.is_running());
    measuring.signal(Signal::SIGINT);
    measuring.finish(GRACE);
    let finished = waiting.finish(DEADLINE);
    assert_eq!(finished.exit, Some(0), "{finished}");
    assert_eq!(ResultsFile::read(&second.last()).0["stopped_by"], "done");
}

#[test]
fn a_signal_ends_the_wait_for_another_run() {
    let [first, second] = [repository(), repository()];
    let _measuring = in_the_middle(&first);
    let waiting = second.run(&["--repeat", "1"]).start();
    let told = wait_until(DEADLINE, || waiting.stderr().contains("another measurement runs"));
    assert!(told, "{}", waiting.stderr());
    waiting.signal(Signal::SIGTERM);
    let finished = waiting.finish(GRACE);
    assert_eq!(finished.exit, Some(143), "{finished}");
    assert_eq!(ResultsFile::read(&second.last()).0["stopped_by"], "signal");
}

/// A file system with room for so many kilobytes, until it is dropped; none without the right to
/// make one.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn at(path: std::path::PathBuf, kilobytes: u32) -> Option<Self> {
        fs::create_dir_all(&path).unwrap();
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "tmpfs"]).arg(&path);
        let made = mount.output().is_ok_and(|output| output.status.success());
        made.then_some(Self(path))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _unmounted = std::process::Command::new("umount").arg(&self.0).output();
    }
}

#[test]
fn a_disk_that_fills_up_in_the_middle_is_named_and_leaves_no_process() {
    let repository = repository();
    let Some(disk) = SmallDisk::at(repository.beside("small"), 36) else {
        eprintln!("skipped: making a small file system needs the rights of root");
        return;
    };
    let many = &["--repeat", "60", "--time-budget", "20m"];
    let finished = repository.run(many).arg("--out").arg(&disk.0).expect(13);
    assert!(finished.stderr.contains("is the disk full?"), "{finished}");
    processes::assert_none_left(repository.mark());
}
