//! What is written for which repository.

use super::*;
use crate::args::{Cli, Command};
use clap::Parser as _;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

fn args(line: &str) -> InitArgs {
    let words =
        ["bench-action", "init", "--pin", COMMIT].into_iter().chain(line.split_whitespace());
    match Cli::try_parse_from(words).unwrap().command {
        Some(Command::Init(args)) => args,
        other => panic!("not init: {other:?}"),
    }
}

/// A repository with these files, none of them committed.
fn repository(files: &[(&str, &str)]) -> (tempfile::TempDir, WorkingTree) {
    let directory = tempfile::tempdir().unwrap();
    let git = |words: &[&str]| {
        let mut command = std::process::Command::new("git");
        assert!(command.arg("-C").arg(directory.path()).args(words).status().unwrap().success());
    };
    git(&["init", "--quiet", "--initial-branch=trunk"]);
    for (path, text) in files {
        let path = directory.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    git(&["add", "--all"]);
    let tree = WorkingTree::find(directory.path()).unwrap();
    (directory, tree)
}

fn drafts(line: &str, files: &[(&str, &str)]) -> Vec<Draft> {
    let (_directory, tree) = repository(files);
    workflows::drafts(&args(line), &Repository::look(&tree).unwrap(), COMMIT)
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/workflows").join(name);
    std::fs::read_to_string(path).unwrap()
}

const RUST: &[(&str, &str)] = &[(
    "Cargo.toml",
    "[package]\nname = \"a\"\n[dev-dependencies]\ndivan = \"0.1\"\n[[bench]]\nname = \"b\"\n",
)];

#[test]
fn what_is_written_is_the_examples_with_the_actions_commit() {
    for (line, expected) in [
        ("", vec![("bench.yml", "bench.yml"), ("bench-comment.yml", "bench-comment.yml")]),
        ("--no-forks", vec![("bench.yml", "pull-request.yml")]),
        ("--one-job", vec![("bench.yml", "one-job.yml")]),
        (
            "--no-forks --with rerun,slash-bench,history,rerun",
            vec![
                ("bench.yml", "pull-request.yml"),
                ("bench-rerun.yml", "rerun.yml"),
                ("bench-slash.yml", "slash-bench.yml"),
                ("bench-history.yml", "history.yml"),
            ],
        ),
    ] {
        let drafts = drafts(line, RUST);
        let written: Vec<(&str, &str)> =
            drafts.iter().map(|draft| (draft.path, draft.text.as_str())).collect();
        let paths: Vec<(String, String)> = expected
            .iter()
            .map(|(path, name)| {
                let text = example(name).replace(pin::UNKNOWN, COMMIT);
                (format!(".github/workflows/{path}"), text)
            })
            .collect();
        let expected: Vec<(&str, &str)> =
            paths.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        assert_eq!(written, expected, "{line}");
    }
}

#[test]
fn every_example_names_this_version_of_the_action_and_nothing_that_init_would_miss() {
    let action = pin::REPOSITORY.strip_prefix("https://github.com/").unwrap();
    let uses = format!("uses: {action}@{} # v{}\n", pin::UNKNOWN, env!("CARGO_PKG_VERSION"));
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/workflows");
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let count = text.matches(&format!("uses: {action}@")).count();
        assert!(count > 0 && text.matches(&uses).count() == count, "{:?}", entry.path());
    }
}

#[test]
fn shards_for_forks_leave_the_report_to_the_second_workflow() {
    let drafts = drafts("--shards 3", RUST);
    let [measure, comment] = drafts.as_slice() else { panic!("{drafts:?}") };
    assert!(measure.text.contains("shard: [1, 2, 3]\n"), "{}", measure.text);
    assert!(measure.text.contains("shard: ${{ matrix.shard }}/3\n"), "{}", measure.text);
    assert!(!measure.text.contains("pull-requests: write"), "{}", measure.text);
    assert_eq!(comment.path, ".github/workflows/bench-comment.yml");
}

#[test]
fn shards_without_forks_report_themselves() {
    let drafts = drafts("--no-forks --shards 4", RUST);
    let [both] = drafts.as_slice() else { panic!("{drafts:?}") };
    let expected = example("shards.yml").replace(pin::UNKNOWN, COMMIT);
    assert_eq!(both.text, expected.replace("on four:", "on several:"));
}

#[test]
fn a_label_may_have_any_characters() {
    let (_directory, tree) = repository(RUST);
    let args = InitArgs { label: Some("don't \"care\"".into()), ..args("") };
    let drafts = workflows::drafts(&args, &Repository::look(&tree).unwrap(), COMMIT);
    let text = &drafts[0].text;
    assert_eq!(text.matches("'don''t \"care\"'").count(), 2, "{text}");
    assert!(!text.contains("benchmark'"), "{text}");
}

#[test]
fn each_language_is_set_up_as_its_files_say() {
    let asv =
        |pythons: &str| format!("{{\"version\": 1, \"project\": \"a\", \"repo\": \".\"{pythons}}}");
    let (one, two) = (asv(", \"pythons\": [\"3.12\"]"), asv(", \"pythons\": [\"3.12\", \"3.13\"]"));
    let none = asv("");
    let requirement = ("pyproject.toml", "[project]\nname = \"a\"\nrequires-python = \">=3.11\"\n");
    let go = [("k/go.mod", "module a\n"), ("k/a_test.go", "func BenchmarkA(b *testing.B) {}\n")];
    let cases: [(&[(&str, &str)], &str); 5] = [
        (&[("asv.conf.json", &one)], "          python-version: \"3.12\"\n"),
        (
            &[("asv.conf.json", &two), requirement],
            "          python-version: |\n            3.12\n            3.13\n",
        ),
        (
            &[("asv.conf.json", &none), requirement],
            "          python-version-file: pyproject.toml\n",
        ),
        (&[("asv.conf.json", &none)], "          python-version: \"3.x\"\n"),
        (&go, "          go-version-file: k/go.mod\n          cache: false\n"),
    ];
    for (files, expected) in cases {
        let text = &drafts("", files)[0].text;
        assert!(text.contains(expected), "{expected}: {text}");
        assert!(!text.contains("# Here the project's own set-up"), "{text}");
    }
}

#[test]
fn the_default_branch_is_found_and_named_where_a_workflow_needs_it() {
    let drafts = drafts("--with warm-cache", RUST);
    let warm = drafts.iter().find(|draft| draft.path.ends_with("warm-cache.yml")).unwrap();
    assert!(warm.text.contains("branches: [trunk]\n"), "{}", warm.text);
}

#[test]
fn a_history_begins_with_the_commit_that_is_there() {
    let (directory, tree) = repository(RUST);
    let git = |words: &[&str]| {
        let who = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"];
        let all: Vec<&str> = who.iter().chain(words).copied().collect();
        crate::commands::tree::git(directory.path(), &all).unwrap()
    };
    git(&["commit", "--quiet", "--no-gpg-sign", "--message", "first"]);
    let commit = git(&["rev-parse", "HEAD"]);
    let look = Repository::look(&tree).unwrap();
    let drafts = workflows::drafts(&args("--with history"), &look, COMMIT);
    let history = drafts.iter().find(|draft| draft.path.ends_with("history.yml")).unwrap();
    let expected = format!("          base: {} # the pinned reference", commit.trim());
    assert!(history.text.contains(&expected), "{}", history.text);
}

#[test]
fn nothing_is_overwritten_and_nothing_half_written() {
    let (directory, tree) = repository(RUST);
    let drafts = workflows::drafts(&args(""), &Repository::look(&tree).unwrap(), COMMIT);
    let [measure, comment] = drafts.as_slice() else { panic!("{drafts:?}") };
    write(directory.path(), comment).unwrap();
    assert_eq!(existing(directory.path(), &drafts).unwrap(), [false, true]);
    let other = directory.path().join(measure.path);
    std::fs::write(&other, "mine").unwrap();
    let error = existing(directory.path(), &drafts).unwrap_err().to_string();
    assert!(error.starts_with(".github/workflows/bench.yml: already there"), "{error}");
    assert!(write(directory.path(), measure).is_err());
    assert_eq!(std::fs::read_to_string(other).unwrap(), "mine");
}

#[test]
fn the_configuration_for_a_repository_without_suites_can_be_read_with_and_without_its_marks() {
    let (directory, _tree) = repository(&[("a", "")]);
    let filled: String = CONFIGURATION
        .lines()
        .skip_while(|line| !line.is_empty())
        .map(|line| line.trim_start_matches("# ").trim_start_matches('#').to_owned() + "\n")
        .collect();
    for (text, suites) in [(CONFIGURATION, 0), (filled.as_str(), 1)] {
        std::fs::write(directory.path().join("bench-action.toml"), text).unwrap();
        let tree = WorkingTree::find(directory.path()).unwrap();
        assert_eq!(Repository::look(&tree).unwrap().suites.len(), suites, "{text}");
    }
}

#[test]
fn linters_find_nothing_in_what_is_written() {
    let Some(programs) = std::env::var_os("BENCH_ACTION_TEST_LINTERS") else {
        return terminal::say(
            "skipped: BENCH_ACTION_TEST_LINTERS is not set; see `cargo xtask test`",
        );
    };
    let python = ("asv.conf.json", "{\"version\": 1, \"project\": \"a\", \"repo\": \".\"}");
    let go = [("k/go.mod", "module a\n"), ("k/a_test.go", "func BenchmarkA(b *testing.B) {}\n")];
    let files = [python, go[0], go[1]];
    for line in
        ["--with warm-cache,rerun,slash-bench,history", "--shards 3", "--label it's", "--one-job"]
    {
        let (directory, tree) = repository(&files);
        let repository = Repository::look(&tree).unwrap();
        for draft in workflows::drafts(&args(line), &repository, COMMIT) {
            write(directory.path(), &draft).unwrap();
        }
        let strict = ["-q", "--offline", "--strict-collection", "--persona=auditor", "."];
        for (program, words) in [("zizmor", &strict[..]), ("actionlint", &["-no-color"])] {
            let mut linter = std::process::Command::new(Path::new(&programs).join(program));
            let output = linter.args(words).current_dir(directory.path()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success(), "{line}: {program}: {said}");
        }
    }
}
