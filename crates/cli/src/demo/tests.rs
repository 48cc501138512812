//! The demo is what it says it is.

use super::*;

/// A directory of its own for each test, removed at the end.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn changed(path: &str) -> (&'static str, &'static str) {
    let of = |files: &[files::File]| files.iter().find(|(name, _)| *name == path).unwrap().1;
    (of(files::BASE), of(files::HEAD))
}

/// The value of a `NAME = number` line.
fn constant(source: &str, name: &str) -> f64 {
    let line = source.lines().find(|line| line.starts_with(&format!("{name} = "))).unwrap();
    line.split(" = ").nth(1).unwrap().parse().unwrap()
}

#[test]
fn the_same_commits_are_made_each_time() {
    let (one, two) = (scratch(), scratch());
    let one = Demo::make(&one.path().join("new")).unwrap();
    let two = Demo::make(two.path()).unwrap();
    assert_eq!((&one.base, &one.head), (&two.base, &two.head));
    assert_ne!(one.base, one.head);
    assert_eq!(one.head.len(), 40);
}

#[test]
fn the_working_tree_is_clean_and_stands_at_head() {
    let directory = scratch();
    let demo = Demo::make(directory.path()).unwrap();
    let git = Git { directory: &demo.directory };
    assert_eq!(git.run(&["status", "--porcelain"]).unwrap(), "");
    assert_eq!(
        git.run(&["rev-parse", "main", "main~1"]).unwrap(),
        format!("{}\n{}", demo.head, demo.base)
    );
}

#[test]
fn somebodys_files_are_left_alone() {
    let directory = scratch();
    std::fs::write(directory.path().join("mine"), "").unwrap();
    assert!(matches!(Demo::make(directory.path()), Err(DemoError::NotEmpty(_))));
    assert!(!directory.path().join(".git").exists());
}

#[test]
fn one_loop_runs_ten_percent_more_and_one_ten_percent_less_and_nothing_else_changes() {
    for (path, name, ratio) in
        [("inkwell/checksum.py", "ROUNDS", 1.1), ("inkwell/layout.py", "PASSES", 0.9)]
    {
        let (base, head) = changed(path);
        assert!((constant(head, name) / constant(base, name) - ratio).abs() < 1e-12, "{path}");
        let differing = base.lines().zip(head.lines()).filter(|(one, other)| one != other);
        assert_eq!((base.lines().count(), differing.count()), (head.lines().count(), 1), "{path}");
    }
}

#[test]
fn the_rest_of_the_package_differs_in_words_only() {
    let (base, head) = changed("inkwell/__init__.py");
    let code = |source: &'static str| source.split("\"\"\"").last();
    assert_ne!(base, head);
    assert_eq!(code(base), code(head));
}
