//! What a run must leave alone: the user's files, the repository's own, and secrets.

use crate::support::repository::Repository;
use crate::support::results::ResultsFile;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Every file and directory but the binary's own, with all that could have been changed about it.
fn snapshot(root: &Path) -> BTreeMap<String, (i64, i64, u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    collect(root, root, &mut found);
    found
}

fn collect(root: &Path, path: &Path, found: &mut BTreeMap<String, (i64, i64, u32, Vec<u8>)>) {
    let facts = fs::symlink_metadata(path).unwrap();
    let content = if facts.is_file() { fs::read(path).unwrap() } else { Vec::new() };
    let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
    found.insert(name, (facts.mtime(), facts.mtime_nsec(), facts.mode(), content));
    if facts.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap().path();
            if entry.file_name().is_some_and(|name| name != ".bench-action") {
                collect(root, &entry, found);
            }
        }
    }
}

#[test]
fn neither_the_working_tree_nor_git_is_touched() {
    let suite = ("benchmarks/steady.py", include_str!("suites/steady.py"));
    let repository = Repository::new(&[suite], &[]);
    repository.write(&[("kernel/__init__.py", "SIDE = 'changed'\n"), ("untracked.txt", "mine\n")]);
    let hook = repository.root().join(".git/hooks/post-checkout");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\ntouch \"$(git rev-parse --show-toplevel)/hook-was-here\"\n")
        .unwrap();
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    // The place of the binary's own directory, which is there already.
    let before = snapshot(&repository.root());
    let few = ["--repeat", "1", "--filter", "track_d"];
    repository.run(&few).expect(0);
    repository.run(&few).arg("--head").arg("worktree").expect(0);
    repository.bench_action(&["list", "--base", "HEAD~1"]).expect(0);
    let after = snapshot(&repository.root());
    let changed: Vec<&String> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .collect();
    assert_eq!(changed, [""; 0]);
    let status = repository.git(&["status", "--porcelain"]);
    assert!(!status.contains("bench-action"), "{status}");
}

const SECRET: &str = "sesame-open-4711";
const PASSWORD: &str = "hunter2-hunter2";

const SUITE: &str = r#"
import os
import sys

WITHHELD = ["GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENV", "GITHUB_OUTPUT", "ACTIONS_RUNTIME_TOKEN"]


def track_withheld():
    return 1 + sum(name in os.environ for name in WITHHELD)


def time_tells():
    print("the key is", os.environ["SERVICE_API_KEY"], file=sys.stderr)
    raise ValueError("no entry with " + os.environ["SERVICE_API_KEY"])
"#;

/// A build that tells everything it knows.
const BACKEND: &str = r#"
import os
import sys

print(dict(os.environ), file=sys.stderr)
for name in ["GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENV", "GITHUB_OUTPUT", "ACTIONS_RUNTIME_TOKEN"]:
    assert name not in os.environ, name
"#;

#[test]
fn secrets_are_seen_by_nobody_and_stand_in_no_file() {
    let backend = format!("{BACKEND}\n{}", include_str!("support/project/backend.py"));
    let files = [("benchmarks/suite.py", SUITE), ("_build/backend.py", &backend)];
    let repository = Repository::new(&files, &[]);
    let finished = repository
        .run(&["--repeat", "1"])
        .arg(format!("--head-var=DATABASE_PASSWORD={PASSWORD}"))
        .env("GITHUB_TOKEN", SECRET)
        .env("GH_TOKEN", SECRET)
        .env("ACTIONS_RUNTIME_TOKEN", SECRET)
        .env("GITHUB_ENV", "/nowhere")
        .env("GITHUB_OUTPUT", "/nowhere")
        .env("SERVICE_API_KEY", SECRET)
        .expect(0);
    let results = ResultsFile::read(&repository.last());
    let seen = results.row("asv/suite.track_withheld");
    for side in ["base", "head"] {
        assert_eq!(seen[side]["samples"][0]["value"], 1.0, "{seen:#}");
    }
    let failure = &results.row("asv/suite.time_tells")["failure"];
    assert_eq!(failure["message"], "ValueError: no entry with [redacted]");
    for entry in fs::read_dir(repository.last()).unwrap() {
        let path = entry.unwrap().path();
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        for secret in [SECRET, PASSWORD] {
            assert!(!text.contains(secret), "{secret} stands in {}", path.display());
        }
    }
    for secret in [SECRET, PASSWORD] {
        assert!(!finished.to_string().contains(secret), "{finished}");
    }
}
