//! What can stand on either side: commits, the files as they are, builds that exist, and the same
//! with other variables.

use crate::support::repository::Repository;
use crate::support::results::ResultsFile;
use crate::support::run::Run;
use serde_json::Value;
use std::fs;

const SUITE: (&str, &str) = ("benchmarks/values.py", include_str!("suites/values.py"));

/// The values that a row's sides were measured at.
fn values(results: &ResultsFile, id: &str) -> [Value; 2] {
    let row = results.row(id);
    ["base", "head"].map(|side| row[side]["samples"][0]["value"].clone())
}

#[test]
fn the_files_as_they_are_can_be_head() {
    let suite = ("benchmarks/side.py", "import kernel\ndef track_it(): return len(kernel.SIDE)\n");
    let repository = Repository::new(&[suite], &[]);
    repository.write(&[("kernel/__init__.py", "SIDE = 'uncommitted'\n")]);
    repository
        .bench_action(&["run", "--base", "HEAD", "--head", "worktree", "--repeat", "1"])
        .expect(0);
    let results = ResultsFile::read(&repository.last());
    assert_eq!(values(&results, "asv/side.track_it"), [4.0, 11.0].map(Value::from));
    let [base, head] = [&results.0["sides"][0], &results.0["sides"][1]];
    assert_eq!((&base["kind"], &base["dirty"]), (&"built".into(), &false.into()));
    assert_eq!((&head["kind"], &head["dirty"]), (&"worktree".into(), &true.into()));
    assert!(head["diff_digest"].is_string());
}

#[test]
fn head_is_compared_with_where_it_left_the_main_branch() {
    let repository = Repository::new(&[SUITE], &[]);
    repository.git(&["checkout", "--quiet", "-b", "topic"]);
    repository.write(&[("kernel/more.py", "MORE = 1\n")]);
    repository.commit("topic");
    let wanted = repository.git(&["rev-parse", "main"]);
    let plan = repository.bench_action(&["run", "--dry-run"]).expect(0);
    assert!(plan.stdout.contains(&format!("base  {wanted}")), "{plan}");
}

/// A repository whose remote never answers.
fn cut_off() -> Repository {
    let repository = Repository::new(&[SUITE], &[]);
    repository.git(&["remote", "add", "origin", "/nowhere/at/all.git"]);
    repository
}

#[test]
fn a_side_that_the_remote_does_not_give_is_in_the_results_too() {
    let repository = cut_off();
    let run = |arguments: &[&str]| {
        let finished = repository.bench_action(&[&["run"], arguments].concat()).expect(21);
        let results = ResultsFile::read(&repository.last()).0;
        assert!(repository.last().join("report.md").exists());
        assert_eq!(results["summary"]["verdict"], "failed");
        assert!(finished.stderr.contains("`nowhere` is no commit"), "{finished}");
        results["failure"]["side"].clone()
    };
    assert_eq!(run(&["--base", "nowhere"]), "base");
    assert_eq!(run(&["--base", "HEAD", "--head", "nowhere"]), "head");
}

#[test]
fn a_remote_that_refuses_is_told_in_its_own_words_and_in_the_results() {
    let repository = Repository::new(&[SUITE], &[]);
    let origin = repository.beside("origin.git");
    repository.git(&["clone", "--quiet", "--bare", ".", origin.to_str().unwrap()]);
    repository.git(&["remote", "add", "origin", &format!("file://{}", origin.display())]);
    // As after a push with force: what the event names is gone, and nobody has written it down.
    let [base, absent] = [repository.git(&["rev-parse", "HEAD~1"]), "1".repeat(40)];
    let run = in_a_job_of(&repository, [&base, &absent], &["run"]).expect(21);
    assert!(run.stderr.contains("not our ref"), "{run}");
    let failure = ResultsFile::read(&repository.last()).0["failure"].clone();
    assert_eq!(failure["side"], "head");
    assert!(failure["message"].as_str().unwrap().contains("not our ref"), "{failure}");
}

/// A commit whose list of files is lost, as after a disk has failed.
#[test]
fn a_head_whose_files_cannot_be_listed_is_in_the_results() {
    let repository = Repository::new(&[SUITE], &[]);
    let tree = repository.git(&["rev-parse", "HEAD:benchmarks"]);
    let (directory, file) = tree.split_at(2);
    fs::remove_file(repository.root().join(".git/objects").join(directory).join(file)).unwrap();
    let run = repository.run(&[]).expect(21);
    let results = ResultsFile::read(&repository.last()).0;
    assert_eq!(results["failure"]["side"], "head", "{run}");
    assert_eq!(results["failure"]["stage"], "checkout");
    assert_eq!(results["summary"]["verdict"], "failed");
    for report in ["report.md", "report.html"] {
        assert!(repository.last().join(report).is_file(), "{report}");
    }
}

#[test]
fn a_journal_is_read_once_also_where_nothing_is_measured() {
    let repository = Repository::new(&[SUITE], &[("_build/backend.py", "raise SystemExit(3)\n")]);
    fs::create_dir_all(repository.last()).unwrap();
    fs::write(repository.last().join("journal.jsonl"), "no journal\n").unwrap();
    let run = repository.run(&["-vv"]).expect(21);
    assert_eq!(run.stderr.matches("no journal to take up").count(), 1, "{run}");
    assert!(!repository.last().join("journal.jsonl").exists(), "it belongs to no results");
}

#[test]
fn a_slip_in_naming_a_side_is_a_mistake_and_leaves_earlier_results_as_they_are() {
    let repository = Repository::new(&[SUITE], &[]);
    let earlier = ["results.json", "report.md", "report.html", "journal.jsonl", "samples.jsonl.gz"]
        .map(|name| format!(".bench-action/last/{name}"));
    for path in &earlier {
        repository.write(&[(path.as_str(), "of an earlier run\n")]);
    }
    for arguments in [
        ["--base", "no-such-branch"],
        ["--base", "HEAD~99"],
        ["--base", "worktree~1"],
        ["--head", "no-such-branch"],
        ["--base-path=no/such/place", "--head-path=."],
        ["--base-python=/no/such/python", "--head-python=python3"],
    ] {
        for more in [&["run"][..], &["run", "--dry-run"], &["list"]] {
            let finished = repository.bench_action(&[more, &arguments].concat()).expect(2);
            let value = arguments[1].split('=').next_back().unwrap();
            let value = if value == "." { "no/such/place" } else { value };
            let value = if value == "python3" { "/no/such/python" } else { value };
            assert!(finished.stderr.contains(value), "{finished}");
            assert!(!finished.stderr.contains("push it"), "there is no remote: {finished}");
        }
    }
    for path in &earlier {
        let text = std::fs::read_to_string(repository.root().join(path)).unwrap();
        assert_eq!(text, "of an earlier run\n", "{path}");
    }
}

#[test]
fn a_dry_run_that_fails_writes_nothing() {
    let repository = cut_off();
    std::fs::remove_dir_all(repository.root().join(".bench-action")).unwrap();
    for arguments in [["--base", "nowhere"], ["--base", "merge-base"]] {
        let finished = repository.bench_action(&[&["run", "--dry-run"][..], &arguments].concat());
        let finished = finished.finish();
        assert_eq!(finished.exit, Some(if arguments[1] == "nowhere" { 21 } else { 0 }));
        assert!(!repository.root().join(".bench-action").exists(), "{finished}");
    }
}

#[test]
fn a_side_can_have_variables_of_its_own() {
    let repository = Repository::new(&[SUITE], &[]);
    let finished = repository
        .run(&["--repeat", "1", "--filter", "track_knob"])
        .arg("--base-var=KNOB=3")
        .arg("--head-var=KNOB=5")
        .expect(0);
    let results = ResultsFile::read(&repository.last());
    assert_eq!(
        values(&results, "asv/values.track_knob"),
        [3.0, 5.0].map(Value::from),
        "{finished}"
    );
}

/// The interpreter that the tests run benchmarks with.
fn python() -> String {
    let words = ["-c", "import sys; print(sys.executable)"];
    let output = std::process::Command::new("python3").args(words).output();
    let output = output.expect("these tests need python3");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A directory without git, with a suite.
fn without_git(module: &str) -> Repository {
    let place = Repository::empty();
    place.write(&[
        ("asv.conf.json", include_str!("support/project/asv.conf.json")),
        ("benchmarks/__init__.py", ""),
        ("benchmarks/suite.py", module),
    ]);
    place
}

#[test]
fn interpreters_with_builds_that_exist_need_no_git() {
    let place = without_git("def track_it(): return 1\n");
    let python = python();
    let arguments = ["run", "--base-python", &python, "--head-python", &python, "--repeat", "1"];
    let finished = place.bench_action(&arguments).expect(0);
    let results = ResultsFile::read(&place.last());
    assert_eq!(values(&results, "asv/suite.track_it"), [1.0, 1.0].map(Value::from), "{finished}");
    assert_eq!(results.0["sides"][0]["kind"], "existing");
    let ignore = std::fs::read_to_string(place.root().join(".bench-action/.gitignore")).unwrap();
    assert_eq!(ignore, "*\n");
}

#[test]
fn directories_with_builds_that_exist_need_no_git() {
    let place = without_git("import built\ndef track_it(): return built.VALUE\n");
    place.write(&[("old/built.py", "VALUE = 3\n"), ("new/built.py", "VALUE = 5\n")]);
    let arguments = ["run", "--base-path", "old", "--head-path", "new", "--repeat", "1"];
    place.bench_action(&arguments).expect(0);
    let results = ResultsFile::read(&place.last());
    assert_eq!(values(&results, "asv/suite.track_it"), [3.0, 5.0].map(Value::from));
}

/// An installed project: a package, its metadata and a list of its files.
fn install(place: &Repository, prefix: &str, version: &str, revision: &str, value: u32) {
    let file = |path: &str| format!("{prefix}/{path}");
    let (package, metadata) =
        (file("kernel/__init__.py"), file(&format!("kernel-{version}.dist-info/METADATA")));
    place.write(&[
        (&package, &format!("VALUE = {value}\nprint('a module may print')\n")),
        (&file("kernel/version.py"), &format!("git_revision = '{revision}'\n")),
        (&metadata, &format!("Metadata-Version: 2.1\nName: kernel\nVersion: {version}\n")),
        (
            &file(&format!("kernel-{version}.dist-info/RECORD")),
            &format!("kernel/__init__.py,{value},\n"),
        ),
    ]);
}

#[test]
fn a_build_that_exists_says_itself_what_it_was_made_from() {
    let place = without_git("import kernel\ndef track_it(): return kernel.VALUE\n");
    install(&place, "old", "1.0", "0123456789abcdef0123456789abcdef01234567", 3);
    install(&place, "new", "1.1", "89abcdef", 5);
    let arguments = ["run", "--base-path", "old", "--head-path", "new", "--repeat", "1"];
    let finished = place.bench_action(&arguments).expect(0);
    let results = ResultsFile::read(&place.last());
    let sides = ["base", "head"].iter().enumerate().map(|(at, _)| &results.0["sides"][at]);
    let told: Vec<_> = sides.map(|side| [&side["version"], &side["commit"]]).collect();
    let expected = [["1.0", "0123456789abcdef0123456789abcdef01234567"], ["1.1", "89abcdef"]];
    assert_eq!(
        told,
        expected.map(|side| side.map(Value::from)).each_ref().map(|s| s.each_ref()),
        "{finished}"
    );
    let artifact = &results.0["sides"][1]["artifacts"][0];
    assert_eq!(artifact["name"], "kernel, list of files");
    let again = ["run", "--base-path", "old", "--head-path", "old", "--repeat", "1"];
    let finished = place.bench_action(&again).expect(0);
    let results = ResultsFile::read(&place.last());
    assert_eq!(results.row("asv/suite.track_it")["pairing"], "identical", "{finished}");
}

#[test]
fn an_editable_build_is_not_rebuilt_when_it_is_imported() {
    let place = without_git("import kernel\ndef track_it(): return kernel.VALUE\n");
    // What meson-python leaves in an environment: a finder that builds before it finds.
    let finder = "\
import importlib.util, os, subprocess, sys
class MesonpyMetaFinder:
    def __init__(self):
        here = os.path.dirname(os.path.abspath(__file__))
        self._build_cmd = ['touch', os.path.join(here, 'rebuilt')]
        self.source = os.path.join(here, 'source', 'kernel.py')
    def find_spec(self, name, path=None, target=None):
        if name != 'kernel':
            return None
        subprocess.run(self._build_cmd, check=True)
        return importlib.util.spec_from_file_location(name, self.source)
sys.meta_path.insert(0, MesonpyMetaFinder())
";
    for (side, value) in [("old", "3"), ("new", "5")] {
        let file = |path: &str| format!("{side}/{path}");
        place.write(&[
            (&file("sitecustomize.py"), finder),
            (&file("source/kernel.py"), &format!("VALUE = {value}\n")),
        ]);
    }
    let arguments = ["run", "--base-path", "old", "--head-path", "new", "--repeat", "1"];
    let finished = place.bench_action(&arguments).expect(0);
    let results = ResultsFile::read(&place.last());
    assert_eq!(values(&results, "asv/suite.track_it"), [3.0, 5.0].map(Value::from), "{finished}");
    assert!(!place.root().join("old/rebuilt").exists(), "{finished}");
    assert!(!place.root().join("new/rebuilt").exists(), "{finished}");
}

#[test]
fn without_git_and_without_builds_it_says_what_is_missing() {
    let place = Repository::empty();
    let finished = place.bench_action(&["run"]).expect(21);
    assert!(finished.stderr.contains("repository"), "{finished}");
}

#[test]
fn a_pull_request_is_compared_from_its_own_event() {
    let repository = Repository::new(&[SUITE], &[]);
    let [base, head] = ["HEAD~1", "HEAD"].map(|revision| repository.git(&["rev-parse", revision]));
    let plan = in_a_job_of(&repository, [&base, &head], &["run", "--dry-run"]).expect(0);
    assert!(plan.stdout.contains(&format!("base  {base}")), "{plan}");
    assert!(plan.stdout.contains(&format!("head  {head}")), "{plan}");
}

/// In a job of a pull request with this base and head.
fn in_a_job_of(repository: &Repository, [base, head]: [&str; 2], arguments: &[&str]) -> Run {
    let event = repository.beside("event.json");
    let sides = format!(
        r#"{{"pull_request": {{"number": 7,
            "base": {{"ref": "main", "sha": "{base}"}}, "head": {{"sha": "{head}"}}}}}}"#
    );
    fs::write(&event, sides).unwrap();
    repository
        .bench_action(arguments)
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_EVENT_NAME", "pull_request")
        .env("GITHUB_EVENT_PATH", event.to_str().unwrap())
}
