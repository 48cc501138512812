//! `bench-action` alone: short help, and what it sees here. It only looks: nothing is made, and
//! nothing that is missing is an error.

use super::tree::WorkingTree;
use crate::error::{CliError, whole_message};
use crate::exit::Exit;
use crate::report::LAST;
use crate::terminal::{self, plain};
use bench_core::config::{Config, Flags};
use bench_core::skeleton::today;
use bench_harness::SuiteSettings;
use bench_results::{Counts, Results, StoppedBy};
use std::path::Path;

/// Prints help and the surroundings.
pub(crate) fn here() -> Result<Exit, CliError> {
    let help = crate::args::command().render_help();
    let seen = match WorkingTree::find(Path::new(".")) {
        Some(tree) => sees(&tree),
        None => "Here: no git repository. `bench-action demo` makes one and shows a whole run."
            .to_owned(),
    };
    terminal::print(&format!("{help}\n{seen}\n"))?;
    Ok(Exit::Done)
}

fn sees(tree: &WorkingTree) -> String {
    let last = tree.root.join(LAST);
    let last = match bench_results::read_path(&last) {
        Ok(results) => last_run(&results),
        Err(_) if !last.exists() => {
            "none yet: `bench-action run` compares HEAD with the merge base".into()
        }
        Err(error) => plain(&whole_message(&error)),
    };
    let root = plain(&tree.root.display().to_string());
    format!("Here:\n  repository  {root}\n  suites      {}\n  last run    {last}", suites(tree))
}

/// The suites as configured, else as found; or what is wrong with the configuration.
fn suites(tree: &WorkingTree) -> String {
    let harnesses = bench_harness::all();
    let config = Config::load(&Flags::default(), &tree.root, harnesses, today());
    let config = config.and_then(|mut config| config.detect(tree, harnesses).map(|()| config));
    match config {
        Err(error) => plain(&whole_message(&error)),
        Ok(config) if config.suites.is_empty() => {
            "none found: an asv suite is found by itself, commands are named in bench-action.toml"
                .into()
        }
        Ok(config) => {
            let names = config.suites.iter().map(|suite| plain(&suite_and_place(&suite.settings)));
            names.collect::<Vec<_>>().join(", ")
        }
    }
}

/// `name (harness: the file it is configured in, else its directory)`.
pub(super) fn suite_and_place(suite: &SuiteSettings) -> String {
    let place = match &suite.config {
        Some(config) => suite.directory.join(config),
        None => suite.directory.clone(),
    };
    let place = if place.as_os_str().is_empty() { Path::new(".") } else { &place };
    format!("{} ({}: {})", suite.name, suite.harness, place.display())
}

/// When it was, what it found, and whether it came to its end.
fn last_run(results: &Results) -> String {
    let end = match results.stopped_by {
        StoppedBy::Done | StoppedBy::Budget => "",
        StoppedBy::Signal => ", interrupted: `bench-action run` goes on with it",
        StoppedBy::Crash => ", broken off: `bench-action run` goes on with it",
    };
    let counts = counts(&results.summary.counts);
    plain(&format!("{}: {counts}{end} ({LAST})", results.created))
}

fn counts(counts: &Counts) -> String {
    let all = [
        (counts.regressed, "slower"),
        (counts.improved, "faster"),
        (counts.unchanged, "unchanged"),
        (counts.inconclusive, "undecided"),
        (counts.failed, "failed"),
        (counts.added, "added"),
        (counts.removed, "removed"),
        (counts.skipped, "skipped"),
    ];
    let some = all.iter().filter(|(count, _)| *count > 0);
    let said: Vec<String> = some.map(|(count, word)| format!("{count} {word}")).collect();
    if said.is_empty() { "nothing was compared".into() } else { said.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::Demo;

    #[test]
    fn a_suite_of_a_repository_is_seen_from_any_directory_in_it_and_nothing_is_made() {
        let directory = tempfile::tempdir().unwrap();
        Demo::make(directory.path()).unwrap();
        let tree = WorkingTree::find(&directory.path().join("benchmarks")).unwrap();
        let seen = sees(&tree);
        assert!(seen.contains("asv (asv: asv.conf.json)"), "{seen}");
        assert!(seen.contains("none yet"), "{seen}");
        assert!(!directory.path().join(".bench-action").exists());
    }

    #[test]
    fn a_mistake_in_the_configuration_is_told_and_is_no_failure() {
        let directory = tempfile::tempdir().unwrap();
        Demo::make(directory.path()).unwrap();
        std::fs::write(directory.path().join("bench-action.toml"), "[compare]\nthresh = 1\n")
            .unwrap();
        let seen = sees(&WorkingTree::find(directory.path()).unwrap());
        assert!(seen.contains("bench-action.toml"), "{seen}");
        assert!(seen.contains("thresh"), "{seen}");
    }

    #[test]
    fn only_what_there_is_is_counted() {
        let none = Counts::default();
        assert_eq!(counts(&none), "nothing was compared");
        let some = Counts { regressed: 2, unchanged: 97, ..none };
        assert_eq!(counts(&some), "2 slower, 97 unchanged");
    }
}
