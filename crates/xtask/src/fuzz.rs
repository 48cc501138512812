//! `cargo xtask fuzz`: every target below `fuzz`, one after the other, each for its share of the time.
//! What it learns, and what made it fail, is kept under `target/fuzz`.

use crate::failure::Failure;
use crate::{fetch, say, workspace};
use std::path::Path;
use std::process::{Command, Stdio};

/// Minutes for all targets together, where nobody says.
const MINUTES: u64 = 60;

/// Most bytes of an input. What is slow only when it is long is found otherwise: `fuzz/src/pace.rs`.
const LONGEST: u64 = 64 << 10;

/// Seconds of wall time after which an input hangs: many, since a machine may be busy with other things.
/// A slow one is found long before, by its own CPU time.
const HANGS: u64 = 120;

/// Fuzzes every target; stops at the first that fails.
pub(crate) fn fuzz(words: &[&str]) -> Result<(), Failure> {
    let minutes = match words {
        [] => MINUTES,
        ["--minutes", number] => number.parse().map_err(|_| Failure::Usage)?,
        _ => return Err(Failure::Usage),
    };
    has_nightly()?;
    let cargo_fuzz = fetch::cargo_fuzz()?;
    let targets = targets()?;
    let seconds = (minutes * 60 / targets.len().max(1) as u64).max(1);
    for target in &targets {
        say(&format!("{target}: {seconds} s"));
        run(&cargo_fuzz, target, &targets, seconds)?;
    }
    Ok(())
}

/// Sanitizers and counters of coverage are a nightly compiler's alone.
fn has_nightly() -> Result<(), Failure> {
    let mut rustc = Command::new("rustc");
    rustc.arg("--version").env("RUSTUP_TOOLCHAIN", "nightly");
    let output = rustc.stderr(Stdio::null()).output();
    let is_there = output.is_ok_and(|output| {
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("nightly")
    });
    if is_there { Ok(()) } else { Err(Failure::Missing(NO_NIGHTLY)) }
}

const NO_NIGHTLY: &str =
    "fuzzing needs a nightly compiler: rustup toolchain install nightly --profile minimal";

/// A file each, by name.
fn targets() -> Result<Vec<String>, Failure> {
    let files = workspace::files()?;
    let name = |path: &String| {
        path.strip_prefix("fuzz/fuzz_targets/")?.strip_suffix(".rs").map(str::to_owned)
    };
    Ok(files.iter().filter_map(name).collect())
}

fn run(cargo_fuzz: &Path, target: &str, targets: &[String], seconds: u64) -> Result<(), Failure> {
    let fuzz = workspace::root().join("fuzz");
    let kept = workspace::target()?.join("fuzz");
    let (corpus, artifacts) =
        (kept.join("corpus").join(target), kept.join("artifacts").join(target));
    for directory in [&corpus, &artifacts] {
        std::fs::create_dir_all(directory).map_err(Failure::io(directory))?;
    }
    let mut command = Command::new(cargo_fuzz);
    command.args(["run", "--target-dir"]).arg(&kept).arg(target);
    // What is new goes to the first directory; the seeds are only read. `any` may be anything.
    command.arg(corpus);
    let seeds = targets.iter().filter(|other| *other == target || target == "any");
    command.args(seeds.map(|of| fuzz.join("seeds").join(of)).filter(|seeds| seeds.is_dir()));
    command.arg("--").args([
        format!("-max_total_time={seconds}"),
        format!("-max_len={LONGEST}"),
        format!("-timeout={HANGS}"),
        format!("-artifact_prefix={}/", artifacts.display()),
        "-verbosity=0".to_owned(),
        "-print_final_stats=1".to_owned(),
    ]);
    command.current_dir(fuzz).env("RUSTUP_TOOLCHAIN", "nightly");
    // This task's own compiler is another.
    command.env_remove("CARGO").env_remove("RUSTC").env_remove("RUSTDOC");
    workspace::run(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_reader_has_a_target_and_every_target_seeds() {
        let files = workspace::files().unwrap();
        let targets: BTreeSet<String> = targets().unwrap().into_iter().collect();
        let mut harnesses = BTreeSet::new();
        for path in files.iter().filter(|path| path.starts_with("crates/harness/src/outputs/")) {
            let text = workspace::text(path).unwrap().unwrap();
            let names = text.lines().filter_map(|line| line.trim().strip_prefix("harness: \""));
            harnesses.extend(names.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        }
        assert!(harnesses.len() > 15, "{harnesses:?}");
        for harness in &harnesses {
            let target = harness.replace(['-', '.'], "_");
            let text = workspace::text(&format!("fuzz/fuzz_targets/{target}.rs")).unwrap();
            assert!(text.unwrap().contains(&format!("Some(\"{harness}\")")), "{harness}");
        }
        for target in targets {
            let seeds = format!("fuzz/seeds/{target}/");
            assert!(files.iter().any(|path| path.starts_with(&seeds)), "{seeds} is empty");
        }
    }
}
