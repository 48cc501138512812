//! go test -bench: one test program for each package that has benchmarks.

use crate::native::{Dialect, NativeReady, Program, RUNNING_TIMEOUT, read_output};
use crate::outputs::Reading;
use crate::place::Place;
use crate::steps::{Step, Steps};
use crate::{Defaults, Detected, Harness, Language, OwnClock, Ready, Site, Tree, Wish};
use bench_results::Failure;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Drives the benchmarks of Go's testing package.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Go;

const NAME: &str = "go";

/// Import path, directory and test files of each package, a line each.
const PACKAGES: &str = "{{.ImportPath}}\t{{.Dir}}\t{{range .TestGoFiles}}{{.}} {{end}}{{range .XTestGoFiles}}{{.}} {{end}}";

impl Harness for Go {
    fn name(&self) -> &'static str {
        NAME
    }

    fn defaults(&self) -> Defaults {
        Defaults::compiled()
    }

    fn language(&self) -> Option<Language> {
        Some(Language::Go)
    }

    /// A module with a benchmark in it.
    fn detect(&self, tree: &dyn Tree) -> Vec<Detected> {
        let has = |path: &&String| {
            path.ends_with("_test.go") && tree.read(path).is_some_and(|text| has_benchmark(&text))
        };
        let mut found: Vec<Detected> = Vec::new();
        for evidence in tree.files().iter().filter(has) {
            let Some(directory) = module_of(evidence, tree.files()) else { continue };
            if !found.iter().any(|known| known.directory == directory) {
                found.push(Detected { directory, config: None, evidence: evidence.clone() });
            }
        }
        found
    }

    fn prepare(&self, site: &Site<'_>) -> Result<Box<dyn Ready>, Failure> {
        let steps = Steps::new(site);
        let place = Place::of(site);
        steps.build(&place)?;
        let programs = programs(&steps, &place)?;
        Ok(Box::new(NativeReady::new(site, &place, Speech, programs, Vec::new())))
    }
}

fn has_benchmark(text: &[u8]) -> bool {
    String::from_utf8_lossy(text).lines().any(|line| line.starts_with("func Benchmark"))
}

/// The innermost directory with a `go.mod` around a file.
fn module_of(file: &str, files: &[String]) -> Option<PathBuf> {
    let is_module = |place: &&Path| {
        let manifest = place.join("go.mod");
        files.iter().any(|path| Path::new(path) == manifest)
    };
    Path::new(file).ancestors().skip(1).find(is_module).map(Path::to_path_buf)
}

/// A test program of each package with a benchmark; built where this side alone sees it, run where
/// its test data is.
fn programs(steps: &Steps<'_>, place: &Place) -> Result<Vec<Program>, Failure> {
    let list = Step::new(["go", "list", "-f", PACKAGES, "./..."], &place.build, &place.directory);
    let listed = steps.capture("build", &list)?;
    let mut programs = Vec::new();
    for line in listed.lines() {
        let mut columns = line.split('\t');
        let (Some(package), Some(directory), Some(files)) =
            (columns.next(), columns.next(), columns.next())
        else {
            continue;
        };
        let directory = PathBuf::from(directory);
        let has =
            |file: &str| std::fs::read(directory.join(file)).is_ok_and(|text| has_benchmark(&text));
        if !files.split_whitespace().any(has) {
            continue;
        }
        let path = steps.site.work.join(format!("{}.test", programs.len()));
        let mut words = vec!["go".to_owned(), "test".to_owned(), "-c".to_owned()];
        words.extend(steps.site.suite.arguments.iter().cloned());
        words.extend(["-o".to_owned(), path.display().to_string(), package.to_owned()]);
        steps.run("build", &Step::new(words, &place.build, &place.directory))?;
        // The system call is made by Go itself: no clock of ours reaches it.
        programs.push(Program { label: package.to_owned(), path, directory, is_dynamic: false });
    }
    Ok(programs)
}

/// How test programs are spoken to.
struct Speech;

impl Dialect for Speech {
    /// Sub-benchmarks exist only while their parent runs: everything is run once.
    fn list(&self) -> Vec<String> {
        let words = ["-test.run=^$", "-test.bench=.", "-test.benchtime=1x", "-test.cpu=1"];
        words.map(ToOwned::to_owned).to_vec()
    }

    fn list_timeout(&self) -> Duration {
        RUNNING_TIMEOUT
    }

    /// With one processor, names have no number behind them.
    fn listed(&self, printed: &str) -> Vec<String> {
        let name = |line: &str| {
            let line = line.trim();
            let rest = line.strip_prefix("--- FAIL: ").unwrap_or(line);
            let is_result = rest.starts_with("Benchmark");
            is_result.then(|| rest.split_whitespace().next().unwrap_or("").to_owned())
        };
        let mut names: Vec<String> = Vec::new();
        for name in printed.lines().filter_map(name) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// One that fails does not hide the others.
    fn is_listed(&self, exit: i32) -> bool {
        exit == 0 || exit == 1
    }

    fn name(&self, program: &Program, own: &str) -> String {
        format!("{}.{own}", program.label)
    }

    fn takes_arguments(&self) -> bool {
        false
    }

    fn clock(&self, _: &str) -> OwnClock {
        OwnClock::Wall
    }

    fn measure(&self, name: &str, wish: &Wish<'_>) -> Vec<String> {
        let parts: Vec<String> =
            name.split('/').map(|part| format!("^{}$", regex::escape(part))).collect();
        vec![
            "-test.run=^$".to_owned(),
            format!("-test.bench={}", parts.join("/")),
            format!("-test.benchtime={}ns", wish.sample_ns),
            format!("-test.count={}", wish.samples),
            "-test.cpu=1".to_owned(),
            "-test.benchmem".to_owned(),
        ]
    }

    /// It has run one benchmark, whatever the reader takes for the number of processors in its name.
    fn read(&self, name: &str, left: &Path) -> Result<Vec<Reading>, String> {
        let mut readings = read_output(&crate::harness::stdout(left), NAME)?;
        readings.iter_mut().for_each(|row| name.clone_into(&mut row.name));
        Ok(readings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_a_name_is_anchored_and_escaped() {
        let wish = Wish {
            left: Path::new("/"),
            samples: 3,
            sample_ns: 2_500_000,
            call_ns: 0.0,
            clock: None,
        };
        let words = Speech.measure("BenchmarkA/n=1.5/b+c#01", &wish);
        assert!(
            words.contains(&r"-test.bench=^BenchmarkA$/^n=1\.5$/^b\+c\#01$".to_owned()),
            "{words:?}"
        );
        assert!(words.contains(&"-test.benchtime=2500000ns".to_owned()));
    }

    #[test]
    fn names_are_those_of_results_and_failures() {
        let printed = "goos: linux\npkg: a/b\nBenchmarkA/x \t 1\t 5 ns/op\nBenchmarkB-16 \t 1\t 5 ns/op\n\
                       --- FAIL: BenchmarkC\n    c_test.go:9: no\nFAIL\n";
        assert_eq!(Speech.listed(printed), ["BenchmarkA/x", "BenchmarkB-16", "BenchmarkC"]);
    }

    #[test]
    fn a_module_is_the_innermost_around_the_benchmark() {
        let files = ["go.mod", "a/b_test.go", "tools/go.mod", "tools/x/y_test.go"];
        let files = files.map(ToOwned::to_owned);
        assert_eq!(module_of("a/b_test.go", &files), Some(PathBuf::new()));
        assert_eq!(module_of("tools/x/y_test.go", &files), Some("tools".into()));
        assert_eq!(module_of("a/b_test.go", &files[1..2]), None);
    }
}
