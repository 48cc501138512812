//! What is the user's stays as it is.

use super::*;

#[test]
fn capturing_the_working_tree_leaves_git_and_files_as_they_are() {
    let place = Place::new();
    let user = place.repository("user");
    commit(&user, ".gitignore", "*.log\n");
    std::fs::write(user.join("a.txt"), "changed").unwrap();
    std::fs::write(user.join("new.txt"), "new").unwrap();
    std::fs::write(user.join("noise.log"), "ignored").unwrap();
    git(&user, &["add", "--intent-to-add", "new.txt"]);
    // Equal content with a new time: git has to look into it, and would touch the object.
    std::fs::write(user.join(".gitignore"), "*.log\n").unwrap();
    let status = git(&user, &["--no-optional-locks", "status", "--porcelain"]);
    let before = listing(&user.join(".git"));

    let never = Interrupt::never();
    let capture = || {
        let repository = Repository::open(&user, &never).unwrap();
        let pair = repository.resolve(&revision("HEAD"), &HeadRule::Worktree, None).unwrap();
        let changed = repository.changed_paths(&pair.base, &pair.head).unwrap();
        let side = Checkout::create(&repository, &place.path("side"), &pair.head).unwrap();
        (pair.head, changed, std::fs::read_to_string(side.directory().join("new.txt")).unwrap())
    };
    let (first, changed, new) = capture();
    assert_eq!((changed, new.as_str()), (vec!["a.txt".to_owned(), "new.txt".into()], "new"));
    assert_untouched(&user.join(".git"), &before);
    assert_eq!(git(&user, &["--no-optional-locks", "status", "--porcelain"]), status);
    assert_eq!(capture().0, first, "equal files are an equal commit");

    std::fs::write(user.join("a.txt"), "again").unwrap();
    let (second, ..) = capture();
    assert_ne!(second.commit, first.commit);
    assert_ne!(second.origin, first.origin);
}

#[test]
fn a_sparse_working_tree_is_captured_without_losing_what_is_not_there() {
    let place = Place::new();
    let user = place.repository("user");
    commit(&user, "in/b.txt", "b");
    commit(&user, "out/deep/c.txt", "c");
    git(&user, &["sparse-checkout", "set", "--sparse-index", "in"]);
    std::fs::write(user.join("in/b.txt"), "changed").unwrap();
    let never = Interrupt::never();
    let repository = Repository::open(&user, &never).unwrap();
    let pair = repository.resolve(&revision("HEAD"), &HeadRule::Worktree, None).unwrap();
    assert_eq!(repository.changed_paths(&pair.base, &pair.head).unwrap(), ["in/b.txt"]);
}

#[test]
fn a_clean_working_tree_is_its_commit() {
    let place = Place::new();
    let user = place.repository("user");
    let never = Interrupt::never();
    let repository = Repository::open(&user, &never).unwrap();
    let pair = repository.resolve(&revision("HEAD"), &HeadRule::Worktree, None).unwrap();
    assert_eq!(pair.head.commit, pair.base.commit);
    assert!(!pair.head.is_dirty());
    assert_eq!(pair.head.label, "working tree");
}

#[test]
fn the_directory_of_ours_ignores_itself() {
    let place = Place::new();
    let user = place.repository("user");
    Repository::open(&user, &Interrupt::never()).unwrap();
    assert!(user.join(HOME).join("cache/repo.git").exists());
    assert_eq!(git(&user, &["status", "--porcelain", "--untracked-files=all"]), "");
}

#[test]
fn no_hook_of_anybody_runs() {
    let place = Place::new();
    let user = place.repository("user");
    commit(&user, "hooks/post-checkout", "#!/bin/sh\ntouch \"$MARK\"\n");
    let mark = place.path("mark");
    let script = format!("#!/bin/sh\ntouch '{}'\n", mark.display());
    for directory in ["hooks", ".git/hooks"] {
        for hook in ["post-checkout", "reference-transaction", "pre-commit", "post-index-change"] {
            let path = user.join(directory).join(hook);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &script).unwrap();
            let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(&path, executable).unwrap();
        }
    }
    git(&user, &["config", "core.hooksPath", "hooks"]);
    let never = Interrupt::never();
    let repository = Repository::open(&user, &never).unwrap();
    let pair = repository.resolve(&revision("HEAD"), &HeadRule::Worktree, None).unwrap();
    assert!(pair.head.is_dirty());
    Checkout::create(&repository, &place.path("side"), &pair.head).unwrap();
    assert!(!mark.exists());
}

#[test]
fn credentials_of_the_repository_reach_no_file_of_ours() {
    let place = Place::new();
    let remote = place.repository("remote");
    let user = place.clone(&remote, "user", &[]);
    git(&user, &["config", "http.https://host/.extraheader", "AUTHORIZATION: basic c2VjcmV0"]);
    let never = Interrupt::never();
    let repository = Repository::open(&user, &never).unwrap();
    let pair = repository.resolve(&BaseRule::MergeBase, &head(), None).unwrap();
    Checkout::create(&repository, &user.join(HOME).join("work/head"), &pair.head).unwrap();
    let headers: Vec<_> = repository.remote_settings.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(headers, ["remote.origin.url", "http.https://host/.extraheader"]);
    for path in listing(&user.join(HOME)).into_keys().filter(|path| path.is_file()) {
        let bytes = std::fs::read(&path).unwrap();
        assert!(!bytes.windows(8).any(|part| part == b"c2VjcmV0"), "{}", path.display());
    }
}

#[test]
fn a_linked_working_tree_is_captured_from_its_own_files() {
    let place = Place::new();
    let user = place.repository("user");
    let linked = place.path("linked");
    git(&user, &["worktree", "add", "-q", "-b", "topic", &linked.display().to_string()]);
    std::fs::write(linked.join("a.txt"), "linked").unwrap();
    let before = listing(&user.join(".git"));
    let never = Interrupt::never();
    let repository = Repository::open(&linked, &never).unwrap();
    let pair = repository.resolve(&BaseRule::MergeBase, &HeadRule::Worktree, None).unwrap();
    assert_eq!(repository.changed_paths(&pair.base, &pair.head).unwrap(), ["a.txt"]);
    assert_untouched(&user.join(".git"), &before);
}
