//! One comparison in several environments, or on several machines, is one report.

use crate::support::repository::Repository;
use crate::support::results::ResultsFile;
use serde_json::Value;

const SUITE: (&str, &str) = (
    "benchmarks/knob.py",
    "import os\nfrom kernel import SIDE\n\
     def track_knob():\n    on = os.environ.get('KNOB') == '5'\n    return 5 if on and SIDE == 'head' else 3\n\
     def track_same(): return 1\n",
);

const FILE: (&str, &str) = (
    "bench-action.toml",
    "[[environment]]\nname = 'plain'\n\
     [[environment]]\nname = 'tuned'\nextends = 'plain'\nvariables = { KNOB = '5' }\n",
);

fn repository() -> Repository {
    Repository::new(&[SUITE, FILE], &[])
}

/// Ahead of the build backend: what is built in one environment waits for the other's build to begin, and
/// gives up after a while.
const WAITS: &str = "\
import os, pathlib, time
who = os.environ['WHO']
if who == 'broken':
    raise SystemExit('this one does not build')
marks = pathlib.Path(os.environ['MARKS'])
(marks / who).touch()
began = time.monotonic()
while not all((marks / other).exists() for other in 'ab'):
    if time.monotonic() - began > 60:
        raise SystemExit('the other environment is not being built')
    time.sleep(.02)
";

fn environment(name: &str, who: &str, marks: &str) -> String {
    format!(
        "[[environment]]\nname = '{name}'\nbuild-variables = {{ WHO = '{who}', MARKS = '{marks}' }}\n"
    )
}

/// A repository whose builds wait for each other, in two environments.
fn waiting(second: &str) -> Repository {
    let repository = Repository::new(&[SUITE], &[]);
    let marks = repository.beside("marks");
    std::fs::create_dir_all(&marks).unwrap();
    let backend = format!("{WAITS}{}", include_str!("support/project/backend.py"));
    let marks = marks.to_str().unwrap();
    let file = environment("first", "a", marks) + &environment("second", second, marks);
    repository.write(&[("bench-action.toml", &file), ("_build/backend.py", &backend)]);
    repository.commit("builds that wait");
    repository.write(&[("kernel/__init__.py", "SIDE = 'head'\n# as before\n")]);
    repository.commit("head");
    repository
}

#[test]
fn environments_are_built_at_the_same_time_where_the_machine_allows() {
    let machine = bench_process::Machine::read();
    let memory = machine.memory_bytes.into_iter().chain(machine.limits.memory_bytes).min();
    if machine.allowed_cores.len() < 2 || memory.unwrap_or(0) < 6 << 30 {
        eprintln!("skipped: it needs two cores and 6 GiB of memory");
        return;
    }
    let repository = waiting("b");
    let arguments = ["--environment", "all", "--repeat", "2", "--progress", "lines"];
    let finished = repository.run(&arguments).args(&["--fail-on", "never"]).expect(0);
    for line in ["preparing base in first", "preparing head in second", "prepared  head in first"] {
        assert!(finished.stderr.contains(line), "{line} in {finished}");
    }
    // Each has a tree of its own to build in, and a whole log.
    let results = ResultsFile::read(&repository.last());
    assert_eq!(verdicts(&results, "asv/knob.track_same").len(), 2, "{finished}");
    for checkout in ["base", "head", "base.1", "head.1"] {
        assert!(repository.root().join(".bench-action/work").join(checkout).is_dir(), "{checkout}");
    }
    let log = std::fs::read_to_string(repository.last().join("head-build.log")).unwrap();
    let builds = log.matches("kernel-1.0-py3-none-any.whl").count();
    assert!(builds >= 2 && builds.is_multiple_of(2), "two whole logs of one kind: {log}");
    // And again, from what was kept.
    repository.run(&arguments).args(&["--fail-on", "never"]).expect(0);
}

#[test]
fn an_environment_that_does_not_build_is_named_whatever_the_others_do() {
    let repository = waiting("broken");
    std::fs::write(repository.beside("marks").join("b"), "").unwrap();
    let finished = repository.run(&["--environment", "all"]).expect(21);
    // The report breaks lines where it likes.
    let said: Vec<String> = finished.to_string().split_whitespace().map(str::to_owned).collect();
    let said = said.join(" ");
    for words in ["in environment second: ", "this one does not build"] {
        assert!(said.contains(words), "{words} in {said}");
    }
    assert!(!said.contains("in environment first"), "{said}");
}

/// Verdict by comparison.
fn verdicts(results: &ResultsFile, id: &str) -> Vec<(String, String)> {
    let rows = results.rows().iter().filter(|row| row["id"] == id);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rows.map(|row| (text(&row["comparison"]), text(&row["verdict"]))).collect()
}

fn expected(pairs: [(&str, &str); 2]) -> Vec<(String, String)> {
    pairs.map(|(place, verdict)| (place.to_owned(), verdict.to_owned())).to_vec()
}

#[test]
fn all_environments_are_run_and_a_change_in_only_one_shows() {
    let repository = repository();
    let finished = repository.run(&["--environment", "all", "--repeat", "14"]).expect(0);
    let results = ResultsFile::read(&repository.last());
    let found = verdicts(&results, "asv/knob.track_knob");
    assert_eq!(found, expected([("plain", "unchanged"), ("tuned", "regressed")]), "{finished}");
    // K is that of all environments together.
    let judged = results.rows().iter().filter(|row| !row["verdict"].is_null()).count();
    assert_eq!(results.0["plan"]["family_size"], judged, "{finished}");
    let sides = results.0["sides"].as_array().unwrap();
    let sides: Vec<_> = sides.iter().map(|it| (&it["id"], &it["environment"])).collect();
    assert_eq!(sides[2], (&"base in tuned".into(), &"tuned".into()));
    let markdown = std::fs::read_to_string(repository.last().join("report.md")).unwrap();
    for words in ["Across environments", "only in `tuned`", "#### plain: No change", "#### tuned: "]
    {
        assert!(markdown.contains(words), "{words} in {markdown}");
        let plain = words.replace(['#', '`'], "");
        assert!(finished.stdout.contains(plain.trim()), "{words} in {finished}");
    }
    for format in ["html", "csv", "json", "markdown"] {
        let again = repository.bench_action(&["render", "--format", format]).expect(0);
        assert!(again.stdout.contains("tuned"), "{format}: {again}");
    }
    repository.bench_action(&["render", "--verify"]).expect(0);
    let file = repository.last().join("results.json");
    let file = file.to_str().unwrap();
    let judged = repository.bench_action(&["compare", file, file]).expect(0);
    assert!(judged.stdout.contains("only in tuned"), "{judged}");
}

#[test]
fn an_environment_that_is_nowhere_is_a_mistake() {
    let repository = repository();
    let finished = repository.run(&["--dry-run", "--environment", "tuend"]).expect(2);
    assert!(finished.stderr.contains("did you mean `tuned`"), "{finished}");
    let plan = repository.run(&["--dry-run", "--environment", "tuned"]).expect(0);
    assert!(plan.stdout.contains("environment tuned"), "{plan}");
    assert!(!plan.stdout.contains("environment plain"), "{plan}");
}

#[test]
fn several_machines_are_one_report_with_what_they_disagree_on() {
    let repository = repository();
    for (machine, environment) in [("laptop", "plain"), ("server", "tuned")] {
        let out = repository.beside(machine);
        let arguments = ["--repeat", "14", "--environment", environment, "--out"];
        repository.run(&arguments).arg(&out).expect(0);
    }
    let named = |name: &str| format!("--machine={name}={}", repository.beside(name).display());
    let out = repository.beside("both");
    let merge = ["merge", &named("laptop"), &named("server"), "--out", out.to_str().unwrap()];
    let finished = repository.bench_action(&merge).expect(0);
    for words in
        ["Across machines: they disagree", "only in server", "at most 10", "laptop, server"]
    {
        let text = finished.stdout.replace('\u{a0}', " ");
        assert!(text.contains(words), "{words} in {finished}");
    }
    let results = ResultsFile::read(&out);
    let found = verdicts(&results, "asv/knob.track_knob");
    assert_eq!(found, expected([("laptop", "unchanged"), ("server", "regressed")]), "{finished}");
    let slices = bench_results::read_samples(&out.join("samples.jsonl.gz")).unwrap();
    assert!(slices.iter().all(|it| ["laptop", "server"].contains(&it.comparison.as_str())));
    let file = out.join("results.json");
    repository.bench_action(&["render", "--verify", file.to_str().unwrap()]).expect(0);
    let alone = repository.bench_action(&["merge", &named("laptop")]).expect(2);
    assert!(alone.stderr.contains("name those of two at least"), "{alone}");
}
