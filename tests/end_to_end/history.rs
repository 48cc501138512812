//! Main over time: what is recorded, by how many, and what is refused; and a bisection of a real
//! repository.

mod samples;
mod tell;

use crate::results_file::{BASE, HEAD, file, row};
use crate::support::DEADLINE;
use crate::support::repository::Repository;
use crate::support::run::Run;
use std::fs;
use std::path::{Path, PathBuf};

/// A repository with a bare one as its origin, and its commits, oldest first.
fn with_origin(commits: usize) -> (Repository, PathBuf, Vec<String>) {
    let repository = Repository::new(&[], &[]);
    for number in 2..commits {
        repository.write(&[("number.txt", &number.to_string())]);
        repository.commit(&format!("change number {number}"));
    }
    let (origin, ids) = pushed(&repository);
    (repository, origin, ids)
}

/// A bare repository beside it as its origin, with its commits, oldest first.
fn pushed(repository: &Repository) -> (PathBuf, Vec<String>) {
    let origin = repository.beside("origin.git");
    repository.git(&["init", "--quiet", "--bare", "--initial-branch=main", &shown(&origin)]);
    let in_origin = |key: &str| {
        repository.git(&["--git-dir", &shown(&origin), "config", key, "true"]);
    };
    in_origin("receive.denyNonFastForwards");
    in_origin("receive.denyDeletes");
    in_origin("uploadpack.allowFilter");
    repository.git(&["remote", "add", "origin", &format!("file://{}", origin.display())]);
    repository.git(&["push", "--quiet", "origin", "main"]);
    let ids = repository.git(&["rev-list", "--reverse", "main"]);
    (origin, ids.lines().map(str::to_owned).collect())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// A results file of a commit against a reference, outside of the repository.
fn results(repository: &Repository, commit: &str, reference: &str) -> String {
    let path = repository.beside(&format!("results-{}.json", &commit[..10]));
    let text = file(&[row("time_it", "lower", &[0.01; 8])]).to_string();
    fs::write(&path, text.replace(HEAD, commit).replace(BASE, reference)).unwrap();
    shown(&path)
}

#[test]
fn twenty_records_at_once_are_all_stored_without_force() {
    let (repository, origin, commits) = with_origin(21);
    let running: Vec<_> = commits[1..]
        .iter()
        .map(|commit| {
            let results = results(&repository, commit, &commits[0]);
            repository.bench_action(&["history", "record", &results]).start()
        })
        .collect();
    for one in running {
        let finished = one.finish(DEADLINE);
        assert_eq!(finished.exit, Some(0), "{finished}");
    }
    let on_branch = |arguments: &[&str]| {
        let all: Vec<&str> = ["--git-dir", origin.to_str().unwrap()]
            .into_iter()
            .chain(arguments.iter().copied())
            .collect();
        repository.git(&all)
    };
    let files = on_branch(&["ls-tree", "-r", "--name-only", "bench-history"]);
    for commit in &commits[1..] {
        assert!(files.contains(&format!("/{commit}/")), "{commit} is missing in\n{files}");
    }
    // One commit each, in a row: nothing was pushed over anything.
    assert_eq!(on_branch(&["rev-list", "--count", "bench-history"]), "20");
    assert_eq!(on_branch(&["rev-list", "--merges", "bench-history"]), "");
    let shown = repository.bench_action(&["history", "show"]).expect(0);
    assert!(shown.stdout.contains("20 commits"), "{shown}");
    assert!(shown.stdout.contains("asv/time_it · default"), "{shown}");
}

#[test]
fn a_job_without_a_checkout_records_with_the_repositorys_address_alone() {
    let (repository, origin, commits) = with_origin(2);
    let results = results(&repository, &commits[1], &commits[0]);
    let elsewhere = repository.beside("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let address = format!("file://{}", origin.display());
    let record = ["history", "record", &results, "--remote", &address];
    Run::new(&elsewhere, &record).expect(0);
    let again = Run::new(&elsewhere, &record).expect(0);
    assert!(again.stdout.contains("nothing is new"), "{again}");
    let nowhere = Run::new(&elsewhere, &["history", "record", &results]).expect(2);
    assert!(nowhere.stderr.contains("--remote URL"), "{nowhere}");
}

#[test]
fn a_reference_that_does_not_build_is_named_at_once_and_not_once_a_commit() {
    let (repository, _, _) = with_origin(2);
    repository.write(&[("_build/backend.py", "raise RuntimeError('no reference today')\n")]);
    repository.commit("broken");
    repository.git(&["push", "--quiet", "origin", "main"]);
    let range = ["history", "record", "--range", "HEAD~2..HEAD~1", "--reference", "HEAD"];
    let refused = repository.bench_action(&range).expect(21);
    assert!(refused.stderr.contains("base could not be prepared"), "{refused}");
    assert!(refused.stderr.contains("no reference today"), "{refused}");
}

#[test]
fn a_commit_that_cannot_be_recorded_says_why() {
    let (repository, _, _) = with_origin(2);
    repository.write(&[("_build/backend.py", "raise RuntimeError('no wheel today')\n")]);
    repository.commit("broken");
    repository.git(&["push", "--quiet", "origin", "main"]);
    let range = ["history", "record", "--range", "HEAD~1..HEAD", "--reference", "HEAD~1"];
    let refused = repository.bench_action(&range).expect(21);
    assert!(refused.stderr.contains("not recorded: nothing was measured"), "{refused}");
    assert!(refused.stderr.contains("  RuntimeError: no wheel today"), "{refused}");
}

#[test]
fn only_commits_of_the_default_branch_are_recorded_and_none_by_a_pull_request() {
    let (repository, _, commits) = with_origin(2);
    repository.git(&["switch", "--quiet", "-c", "topic"]);
    repository.write(&[("topic.txt", "never merged")]);
    repository.commit("topic");
    let topic = repository.git(&["rev-parse", "HEAD"]);
    let results_of = |commit: &str| results(&repository, commit, &commits[0]);
    let refused = repository.bench_action(&["history", "record", &results_of(&topic)]).expect(2);
    assert!(refused.stderr.contains("is not on `main`"), "{refused}");
    let event = repository.beside("event.json");
    fs::write(&event, format!(
        r#"{{"pull_request": {{"number": 7, "base": {{"ref": "main", "sha": "{0}"}}, "head": {{"sha": "{0}"}}}}}}"#,
        commits[1]
    )).unwrap();
    let of_pull_request = repository
        .bench_action(&["history", "record", &results_of(&commits[1])])
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_EVENT_NAME", "pull_request")
        .env("GITHUB_EVENT_PATH", &shown(&event))
        .expect(2);
    assert!(of_pull_request.stderr.contains("never by a pull request"), "{of_pull_request}");
    assert_eq!(repository.git(&["ls-remote", "origin", "bench-history"]), "");
}

/// A history in a directory, of a benchmark that is 8 % slower from the twentieth commit on.
fn store_with_a_step(repository: &Repository, commits: &[String]) -> String {
    let store = shown(&repository.beside("store"));
    let mut arguments =
        vec!["history".to_owned(), "record".to_owned(), "--dir".to_owned(), store.clone()];
    for (at, commit) in commits.iter().enumerate().skip(1) {
        let path = results(repository, commit, &commits[0]);
        let d = if at < 20 { 0.0 } else { 0.08 } + 0.002 * ((at * 7) % 5) as f64;
        let text = file(&[row("time_<it>", "lower", &[d; 8])]).to_string();
        fs::write(&path, text.replace(HEAD, commit).replace(BASE, &commits[0])).unwrap();
        arguments.push(path);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    repository.bench_action(&arguments).expect(0);
    store
}

#[test]
fn a_directory_holds_a_history_that_can_be_shown_acknowledged_and_published() {
    let (repository, _, commits) = with_origin(40);
    let store = store_with_a_step(&repository, &commits);
    let detect = ["history", "detect", "--new", "--dir", &store];
    let found = repository.bench_action(&detect).expect(0);
    assert!(found.stdout.contains("1 worse, 0 better, 1 of them new"), "{found}");
    assert!(found.stdout.contains(&commits[20][..10]), "{found}");
    let again = repository.bench_action(&detect).expect(0);
    assert!(again.stdout.contains("No new change"), "{again}");
    let why = ["--reason", "safer parsing", "--until", "2999-01-01"];
    let acknowledge = ["history", "acknowledge", "asv/time_<it>", "--commit", &commits[20]];
    let all: Vec<&str> = acknowledge.into_iter().chain(why).collect();
    repository.bench_action(&all).expect(0);
    let known = repository
        .bench_action(&["history", "detect", "--format", "markdown", "--dir", &store])
        .expect(0);
    assert!(known.stdout.contains("acknowledged&#58; safer parsing"), "{known}");
    let pages = repository.beside("pages");
    repository
        .bench_action(&["history", "publish", "--dir", &store, "--out", &shown(&pages)])
        .expect(0);
    let index = fs::read_to_string(pages.join("index.html")).unwrap();
    assert!(index.contains("asv/time_&lt;it&gt;") && !index.contains("time_<it>"), "{index}");
    assert!(index.contains("Content-Security-Policy"));
    assert!(pages.join("data/commits.js").exists());
}

#[test]
fn a_data_js_is_imported_and_only_commits_of_the_branch_are_taken() {
    let (repository, _, commits) = with_origin(3);
    let data = repository.beside("data.js");
    let run = |commit: &str| {
        format!(
            r#"{{"commit": {{"id": "{commit}", "message": "m"}}, "date": 1700000000000, "tool": "cargo",
            "benches": [{{"name": "fib", "value": 12, "unit": "ns/iter"}}]}}"#
        )
    };
    let runs = [run(&commits[0]), run(&commits[1]), run(&"0".repeat(40))].join(",");
    fs::write(&data, format!("window.BENCHMARK_DATA = {{\"entries\": {{\"Rust\": [{runs}]}}}}"))
        .unwrap();
    let store = shown(&repository.beside("store"));
    let imported =
        repository.bench_action(&["history", "import", &shown(&data), "--dir", &store]).expect(0);
    assert!(imported.stdout.contains("imported 2 results"), "{imported}");
    assert!(imported.stdout.contains("1 are of commits"), "{imported}");
    let shown = repository.bench_action(&["history", "show", "--dir", &store]).expect(0);
    assert!(shown.stdout.contains("Rust/fib"), "{shown}");
}

/// Loops of the benchmark at each commit: half as much again from the culprit on, and two commits that
/// cannot be imported.
#[test]
fn a_bisection_names_the_commit_and_steps_over_those_that_do_not_work() {
    const CULPRIT: usize = 8;
    let suite = "import kernel\n\ndef time_work():\n    kernel.work()\n";
    let work = |loops: u32| {
        format!(
            "def work():\n    x = 0\n    for i in range({loops}):\n        x += i\n    return x\n"
        )
    };
    let repository = Repository::new(
        &[("benchmarks/suite.py", suite), ("kernel/__init__.py", &work(2000))],
        &[("kernel/__init__.py", &format!("{}# 1\n", work(2000)))],
    );
    for at in 2..=12 {
        let text = match at {
            5 => "raise ImportError('broken')\n".to_owned(),
            at => format!("{}# {at}\n", work(if at < CULPRIT { 2000 } else { 3000 })),
        };
        repository.write(&[("kernel/__init__.py", &text)]);
        repository.commit(&format!("change number {at}"));
    }
    let bisect = ["bisect", "HEAD~11", "HEAD", "--filter", "time_work", "--progress", "never"];
    // Each of its runs may have to wait for others on the machine.
    let found = repository.bench_action(&bisect).start().finish(3 * DEADLINE);
    assert!(found.stdout.contains("The commit that changed it"), "{found}");
    assert!(found.stdout.contains("change number 8"), "{found}");
    let none = repository.bench_action(&["bisect", "HEAD", "HEAD", "--filter", "x"]).expect(2);
    assert!(none.stderr.contains("no commit after"), "{none}");
}

#[test]
fn a_bisection_by_a_script_needs_no_suite_and_leaves_no_checkout() {
    let repository =
        Repository::new(&[("number.txt", "took 100\n")], &[("number.txt", "took 101\n")]);
    for (at, number) in
        ["took 100", "broken", "took 101", "took 106", "took 105", "took 106"].iter().enumerate()
    {
        repository.write(&[("number.txt", number)]);
        repository.commit(&format!("change number {at}"));
    }
    let bisect = ["bisect", "HEAD~7", "HEAD", "--run", "cat number.txt"];
    let found = repository.bench_action(&bisect).expect(0);
    assert!(found.stdout.contains("The commit that changed it"), "{found}");
    assert!(found.stdout.contains("change number 3"), "{found}");
    assert!(found.stdout.contains("% (higher)"), "{found}");
    assert!(!repository.root().join(".bench-action/bisect-work").exists());
    let failing =
        repository.bench_action(&["bisect", "HEAD~7", "HEAD", "--run", "exit 3"]).expect(2);
    assert!(failing.stderr.contains("prints no number"), "{failing}");
    let same = repository.bench_action(&["bisect", "HEAD~1", "HEAD", "--run", "echo 7"]).expect(11);
    assert!(same.stdout.contains("nothing to look for"), "{same}");
}
