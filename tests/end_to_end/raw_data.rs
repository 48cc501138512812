//! What was measured as CSV: read again it says the same, exactly; and the examples of `docs/data.md` run.

use crate::support::repository::Repository;
use crate::support::run::Run;
use bench_results::{Results, Verdict, read_path};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Paired rows, exact ones, failures, several metrics, programs that time themselves; in two environments.
const FILE: &str = r#"
[[suite]]
name = "asv"
harness = "asv"

[[suite]]
name = "cli"
harness = "command"

[[suite.benchmark]]
name = "sings"
run = "sh -c 'exit 0'"
metrics = ["time", "peak-memory"]

[[suite.benchmark]]
name = "falls"
run = "sh -c 'test $SIDE = base'"
variables = { SIDE = "nobody's" }

[[environment]]
name = "plain"

[[environment]]
name = "tuned"
extends = "plain"
variables = { KNOB = "5" }
"#;

const SUITE: &str = r#"
from kernel import SIDE
def track_slower(): return 150 if SIDE == "head" else 100
def track_below_zero(): return -1.25 if SIDE == "head" else 0.1
def time_steady(n): sum(range(n))
time_steady.params = [100, 3000]
time_steady.param_names = ["n, \"the\" size"]
if SIDE == "head":
    def time_new(): pass
else:
    def time_old(): pass
"#;

struct Data {
    repository: Repository,
    /// Results files of runs and comparisons, each in a directory of its own, with its CSV.
    files: Vec<PathBuf>,
}

static DATA: LazyLock<Data> = LazyLock::new(|| {
    let suite = ("benchmarks/values.py", SUITE);
    let repository = Repository::new(&[suite, ("bench-action.toml", FILE)], &[]);
    let out = |name: &str| repository.beside(name);
    let run = |name: &str, arguments: &[&str]| {
        let directory = out(name);
        let run = repository.run(arguments).args(&["--seed", "raw", "--fail-on", "never"]);
        assert_eq!(run.arg("--out").arg(&directory).finish().exit, Some(0), "{name}");
        directory.join("results.json")
    };
    let paired = run("paired", &["--environment", "all", "--max-blocks", "6"]);
    let sequential =
        run("sequential", &["--environment", "plain", "--schedule", "sequential", "--repeat", "3"]);
    let apart = out("apart");
    compare(&repository, &paired, &sequential).arg("--out").arg(&apart).expect(0);
    let foreign = foreign(&repository);
    let unbuilt = unbuilt(&repository);
    let files = vec![paired, sequential, apart.join("results.json"), foreign, unbuilt];
    for file in &files {
        let render = repository.bench_action(&["render", "--format", "csv"]);
        render.arg(file).arg("--out").arg(csv_of(file)).expect(0);
    }
    Data { repository, files }
});

fn compare(repository: &Repository, base: &Path, head: &Path) -> Run {
    repository.bench_action(&["compare", "--fail-on", "never"]).arg(base).arg(head)
}

/// What another harness has written, of which nobody knows the blocks.
fn foreign(repository: &Repository) -> PathBuf {
    let sides = [("go-base", 1.0), ("go-head", 1.3)].map(|(name, factor)| {
        let directory = repository.beside(name);
        fs::create_dir_all(&directory).unwrap();
        for launch in 0..9 {
            let ns = 1000.0 * factor * (1.0 + f64::from(launch * 7 % 9) / 997.0);
            let text = format!("goos: linux\npkg: p\nBenchmarkSum-2 \t 100 \t {ns} ns/op\n");
            fs::write(directory.join(format!("{launch}.txt")), text).unwrap();
        }
        directory
    });
    let out = repository.beside("foreign");
    compare(repository, &sides[0], &sides[1]).arg("--out").arg(&out).expect(0);
    out.join("results.json")
}

/// A run without a single row, for head does not build.
fn unbuilt(repository: &Repository) -> PathBuf {
    let out = repository.beside("unbuilt");
    let broken = ("_build/backend.py", "raise RuntimeError(\"this does not build\")\n");
    let other = Repository::new(&[("benchmarks/values.py", SUITE)], &[broken]);
    other.run(&[]).arg("--out").arg(&out).expect(21);
    out.join("results.json")
}

/// The CSV of a results file, beside it.
fn csv_of(file: &Path) -> PathBuf {
    file.with_file_name("launches.csv")
}

#[test]
fn the_files_have_in_them_what_there_is() {
    let read: Vec<Results> = DATA.files.iter().map(|file| read_path(file).unwrap()).collect();
    let has = |verdict: Verdict| {
        read.iter().flat_map(|it| &it.benchmarks).any(|row| row.verdict == Some(verdict))
    };
    for verdict in [
        Verdict::Regressed,
        Verdict::Added,
        Verdict::Removed,
        Verdict::Failed,
        Verdict::Inconclusive,
    ] {
        assert!(has(verdict), "{verdict}");
    }
    assert!(read[0].comparisons.len() > 1 && !read[0].sentinel.is_empty());
    assert!(read[4].benchmarks.is_empty() && read[4].failure.is_some());
}

#[test]
fn csv_read_again_is_the_results_file_exactly() {
    for file in &DATA.files {
        let csv = csv_of(file);
        let (was, is) = (read_path(file).unwrap(), read_path(&csv).unwrap());
        assert!(was == is, "{}", file.display());
        let launches: usize = was
            .benchmarks
            .iter()
            .chain(&was.sentinel)
            .flat_map(|row| [&row.base, &row.head].into_iter().flatten())
            .map(|side| side.samples.len())
            .sum();
        let mut reader = ::csv::Reader::from_path(&csv).unwrap();
        let side = reader.headers().unwrap().iter().position(|name| name == "side").unwrap();
        let lines = reader.records().filter(|record| !record.as_ref().unwrap()[side].is_empty());
        assert_eq!(lines.count(), launches, "one line per launch: {}", file.display());
    }
}

#[test]
fn every_report_of_the_csv_is_that_of_the_results_file() {
    for file in &DATA.files {
        let csv = csv_of(file);
        for format in ["terminal", "markdown", "json", "html", "csv", "table"] {
            let report = |file: &Path| {
                let render = DATA.repository.bench_action(&["render", "--format", format]);
                render.arg(file).expect(0).stdout
            };
            assert!(report(file) == report(&csv), "{format} of {}", file.display());
        }
    }
}

#[test]
fn the_csv_is_judged_as_the_results_file_is() {
    let [paired, sequential, ..] = DATA.files.as_slice() else { panic!("five files") };
    let csvs = [paired, sequential].map(|file| csv_of(file));
    let judged = |base: &Path, head: &Path, threshold: &str| {
        let compare = compare(&DATA.repository, base, head);
        let compare = compare.args(&["--format", "json", "--threshold", threshold]);
        serde_json::from_str::<Results>(&compare.expect(0).stdout).unwrap()
    };
    for threshold in ["3%", "80%"] {
        for (files, csvs) in [
            ([paired, paired], [&csvs[0], &csvs[0]]),
            ([paired, sequential], [&csvs[0], &csvs[1]]),
            ([sequential, paired], [sequential, &csvs[0]]),
        ] {
            let (was, is) =
                (judged(files[0], files[1], threshold), judged(csvs[0], csvs[1], threshold));
            assert!(was == is, "{files:?} at {threshold}");
        }
    }
    DATA.repository.bench_action(&["render", "--verify"]).arg(&csvs[0]).expect(0);
}

#[test]
fn what_is_wrong_in_a_csv_is_named_with_its_place_and_remedy() {
    let csv = csv_of(&DATA.files[0]);
    let text = fs::read_to_string(&csv).unwrap();
    let broken = DATA.repository.beside("broken.csv");
    let last = text.lines().count();
    let cut = &text[..text.len() - 3];
    fs::write(&broken, &cut[..cut.rfind(',').unwrap()]).unwrap();
    let said = DATA.repository.bench_action(&["render"]).arg(&broken).expect(2).stderr;
    for words in [format!("broken.csv:{last}, column `"), "is it cut off?".to_owned()] {
        assert!(said.contains(&words), "{words} in {said}");
    }
    let table = DATA.repository.bench_action(&["render", "--format", "table"]).arg(&csv);
    fs::write(&broken, table.expect(0).stdout).unwrap();
    for command in [&["render"] as &[&str], &["compare", csv.to_str().unwrap()]] {
        let said = DATA.repository.bench_action(command).arg(&broken).expect(2).stderr;
        assert!(said.contains("no launches"), "{said}");
    }
}

#[test]
fn slices_are_those_of_the_samples_file() {
    let file = &DATA.files[0];
    let slices = DATA.repository.bench_action(&["render", "--slices"]).arg(file).expect(0).stdout;
    let samples = file.with_file_name("samples.jsonl.gz");
    let stored = bench_results::read_samples(&samples).unwrap();
    let lines: usize = stored.iter().map(|it| it.cpu_ns.len().max(it.reported_ns.len())).sum();
    assert_eq!(::csv::Reader::from_reader(slices.as_bytes()).records().count(), lines);
    // Results that lie elsewhere have no slices, and say where they should be.
    let alone = DATA.repository.beside("alone.json");
    fs::copy(file, &alone).unwrap();
    let said = DATA.repository.bench_action(&["render", "--slices"]).arg(&alone).expect(2).stderr;
    assert!(said.contains("samples.jsonl.gz") && said.contains("--format csv"), "{said}");
    let foreign = DATA.repository.bench_action(&["render", "--slices"]).arg(&DATA.files[3]);
    assert!(foreign.expect(2).stderr.contains("name no samples file"));
}

/// The blocks of `docs/data.md` in a language, one after the other.
fn examples(language: &str) -> String {
    let text = include_str!("../../docs/data.md");
    let blocks = text.split("```").skip(1).step_by(2);
    let of = |block: &&str| block.lines().next() == Some(language);
    let code: Vec<&str> = blocks.filter(of).map(|block| &block[language.len()..]).collect();
    assert!(code.len() >= 2, "{language}");
    code.join("\n")
}

/// Runs the examples in a directory that has the files which they read.
fn run_examples(mut program: Command, language: &str, check: &str) {
    let directory = DATA.repository.beside(language);
    fs::create_dir_all(&directory).unwrap();
    fs::copy(csv_of(&DATA.files[0]), directory.join("launches.csv")).unwrap();
    fs::copy(&DATA.files[0], directory.join("results.json")).unwrap();
    let slices = DATA.repository.bench_action(&["render", "--slices"]).arg(&DATA.files[0]);
    slices.arg("--out").arg(directory.join("slices.csv")).expect(0);
    let (script, centers) = (directory.join("script"), directory.join("centers.csv"));
    fs::write(&script, format!("{}\n{check}", examples(language))).unwrap();
    let output = program.arg(&script).current_dir(&directory).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert_centers(&fs::read_to_string(centers).unwrap());
}

/// Medians of counted launches are what the results file calls centers, to the last digits of the two
/// languages' own printing.
fn assert_centers(csv: &str) {
    let results = read_path(&DATA.files[0]).unwrap();
    let mut reader = ::csv::Reader::from_reader(csv.as_bytes());
    let mut seen = 0;
    for record in reader.records() {
        let record = record.unwrap();
        let row = results
            .benchmarks
            .iter()
            .find(|row| row.id == record[0] && row.comparison == record[1])
            .unwrap();
        let side = if &record[2] == "base" { &row.base } else { &row.head };
        let (center, value) =
            (side.as_ref().unwrap().center.unwrap(), record[3].parse::<f64>().unwrap());
        assert!((center - value).abs() <= center.abs() * 1e-12, "{record:?}: {center}");
        seen += 1;
    }
    let there = results.benchmarks.iter().flat_map(|row| [&row.base, &row.head]).flatten();
    assert_eq!(seen, there.filter(|side| side.center.is_some()).count());
}

#[test]
fn pandas_reads_it_as_the_documentation_says() {
    let Some(python) = std::env::var_os("BENCH_ACTION_TEST_PANDAS") else {
        eprintln!("skipped: `cargo xtask test` fetches pandas");
        return;
    };
    run_examples(
        Command::new(python),
        "python",
        "centers.reset_index().to_csv('centers.csv', index=False)",
    );
}

#[test]
fn r_reads_it_as_the_documentation_says() {
    if Command::new("Rscript").arg("--version").output().is_err() {
        eprintln!("skipped: there is no Rscript (Debian: r-base-core)");
        return;
    }
    let check = "centers$value <- format(centers$value, digits = 17, trim = TRUE)\n\
                 write.csv(centers, 'centers.csv', row.names = FALSE)";
    run_examples(Command::new("Rscript"), "r", check);
}
