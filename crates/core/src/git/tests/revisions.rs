//! Which commits are compared.

use super::*;
use bench_harness::Tree;

fn resolve(root: &Path, base: &BaseRule, head: &HeadRule) -> Result<Pair, GitError> {
    let never = Interrupt::never();
    Repository::open(root, &never)?.resolve(base, head, None)
}

fn message(result: Result<Pair, GitError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn the_base_is_where_head_left_the_default_branch_of_the_remote() {
    let place = Place::new();
    let remote = place.repository("remote");
    let user = place.clone(&remote, "user", &[]);
    let fork_point = git(&user, &["rev-parse", "HEAD"]);
    git(&user, &["switch", "-q", "-c", "topic"]);
    let topic = commit(&user, "a.txt", "two");
    commit(&remote, "b.txt", "newer");
    git(&user, &["fetch", "-q"]);

    let pair = resolve(&user, &BaseRule::MergeBase, &head()).unwrap();
    assert_eq!((pair.base.commit.as_str(), pair.head.commit.as_str()), (&*fork_point, &*topic));
    assert_eq!((pair.base.label.as_str(), pair.head.label.as_str()), ("origin/main", "topic"));
    assert_eq!((pair.base.asked.as_str(), pair.head.asked.as_str()), ("merge-base", "HEAD"));
    assert_eq!(pair.head.subject, "a.txt: two");
    assert!(pair.warnings.is_empty());

    let tip = resolve(&user, &BaseRule::Tip, &head()).unwrap().base;
    assert_eq!(tip.commit, git(&user, &["rev-parse", "origin/main"]));
    assert_eq!(tip.asked, "tip");
}

#[test]
fn without_a_remote_main_is_the_default_branch_and_master_the_next() {
    let place = Place::new();
    let user = place.repository("user");
    let fork_point = git(&user, &["rev-parse", "HEAD"]);
    git(&user, &["switch", "-q", "-c", "topic"]);
    commit(&user, "a.txt", "two");
    let base = || {
        let pair = resolve(&user, &BaseRule::MergeBase, &head()).unwrap();
        (pair.base.commit, pair.base.label)
    };
    assert_eq!(base(), (fork_point.clone(), "main".into()));
    git(&user, &["branch", "-m", "main", "master"]);
    assert_eq!(base(), (fork_point, "master".into()));
    git(&user, &["branch", "-m", "master", "other"]);
    let error = message(resolve(&user, &BaseRule::MergeBase, &head()));
    assert!(error.starts_with("the default branch of "), "{error}");
    assert!(error.ends_with("and there is no remote\n  name the base with --base"), "{error}");
}

#[test]
fn a_shallow_clone_is_deepened_in_private_until_the_merge_base_is_seen() {
    let place = Place::new();
    let remote = place.repository("remote");
    git(&remote, &["tag", "-a", "-m", "first", "v1.0"]);
    many_commits(&remote, 5);
    let fork_point = git(&remote, &["rev-parse", "HEAD"]);
    git(&remote, &["switch", "-q", "-c", "topic"]);
    many_commits(&remote, 90);
    git(&remote, &["switch", "-q", "main"]);
    many_commits(&remote, 70);

    let user = place.clone(&remote, "user", &["--depth=1", "--branch=topic"]);
    let before = listing(&user.join(".git"));
    let pair = resolve(&user, &BaseRule::MergeBase, &head()).unwrap();
    assert_eq!(pair.base.commit, fork_point);
    assert_eq!(pair.base.label, "origin/main", "the remote tells its default branch");
    assert_untouched(&user.join(".git"), &before);

    let never = Interrupt::never();
    let repository = Repository::open(&user, &never).unwrap();
    let side = Checkout::create(&repository, &place.path("side"), &pair.base).unwrap();
    assert_eq!(
        git(side.directory(), &["describe", "--tags"]),
        format!("v1.0-5-g{}", &fork_point[..7])
    );

    std::fs::rename(&remote, place.path("gone")).unwrap();
    let again = resolve(&user, &revision(&fork_point), &head()).unwrap();
    assert_eq!(again.base.commit, fork_point, "what was fetched stays");
}

#[test]
fn an_ancestor_beyond_the_edge_of_a_shallow_clone_is_fetched() {
    let place = Place::new();
    let remote = place.repository("remote");
    many_commits(&remote, 10);
    let user = place.clone(&remote, "user", &["--depth=2"]);
    let pair = resolve(&user, &revision("HEAD~7"), &head()).unwrap();
    assert_eq!(pair.base.commit, git(&remote, &["rev-parse", "HEAD~7"]));
    let error = message(resolve(&user, &revision("HEAD~70"), &head()));
    assert!(error.starts_with("`HEAD~70` is no commit in "), "{error}");
}

#[test]
fn a_pull_requests_head_and_base_branch_are_fetched_into_a_single_branch_clone() {
    let place = Place::new();
    let remote = place.repository("remote");
    let fork_point = git(&remote, &["rev-parse", "HEAD"]);
    git(&remote, &["switch", "-q", "-c", "next"]);
    many_commits(&remote, 3);
    git(&remote, &["switch", "-q", "--detach", "main"]);
    let topic = commit(&remote, "a.txt", "topic");
    git(&remote, &["update-ref", "refs/pull/7/head", "HEAD"]);
    git(&remote, &["switch", "-q", "main"]);
    let user = place.clone(&remote, "user", &["--depth=1"]);
    git(&user, &["checkout", "-q", "--detach"]);

    let never = Interrupt::never();
    let repository = Repository::open(&user, &never).unwrap();
    let asked = HeadRule::Revision(topic.clone());
    let pair = repository.resolve(&BaseRule::MergeBase, &asked, Some("next")).unwrap();
    assert_eq!((pair.head.commit, pair.base.commit), (topic, fork_point));
}

#[test]
fn the_tags_behind_a_commit_are_fetched_with_the_history_up_to_them_and_no_further() {
    let place = Place::new();
    let remote = place.repository("remote");
    many_commits(&remote, 200);
    git(&remote, &["tag", "v1.0"]);
    many_commits(&remote, 90);
    let user = place.clone(&remote, "user", &["--depth=1"]);
    let before = listing(&user.join(".git"));
    let never = Interrupt::never();
    let repository = Repository::open(&user, &never).unwrap();
    let head = git(&user, &["rev-parse", "HEAD"]);
    repository.fetch_tags(std::slice::from_ref(&head)).unwrap();
    let stored = |words: &[&str]| repository.stored().args(words).text().unwrap();
    assert_eq!(stored(&["describe", "--tags", "--abbrev=0", &head]), "v1.0");
    let depth: usize = stored(&["rev-list", "--count", &head]).parse().unwrap();
    assert!((91..291).contains(&depth), "{depth}");
    assert_untouched(&user.join(".git"), &before);
}

#[test]
fn where_no_tag_is_behind_a_commit_its_whole_history_tells_so() {
    let place = Place::new();
    let remote = place.repository("remote");
    many_commits(&remote, 90);
    git(&remote, &["switch", "-q", "-c", "release"]);
    commit(&remote, "a.txt", "released");
    git(&remote, &["tag", "v1.0"]);
    git(&remote, &["switch", "-q", "main"]);
    let user = place.clone(&remote, "user", &["--depth=1", "--branch=main"]);
    let never = Interrupt::never();
    let repository = Repository::open(&user, &never).unwrap();
    let head = git(&user, &["rev-parse", "HEAD"]);
    repository.fetch_tags(std::slice::from_ref(&head)).unwrap();
    assert_eq!(repository.stored().args(["tag"]).text().unwrap(), "v1.0");
    assert_eq!(repository.stored().args(["rev-list", "--count", &head]).text().unwrap(), "91");
}

#[test]
fn an_unreachable_remote_is_told_with_place_and_remedy() {
    let place = Place::new();
    let remote = place.repository("remote");
    git(&remote, &["switch", "-q", "-c", "topic"]);
    many_commits(&remote, 3);
    git(&remote, &["switch", "-q", "main"]);
    many_commits(&remote, 3);
    let user = place.clone(&remote, "user", &["--depth=1", "--no-single-branch"]);
    git(&user, &["switch", "-q", "topic"]);
    std::fs::rename(&remote, place.path("gone")).unwrap();
    let error = message(resolve(&user, &BaseRule::MergeBase, &head()));
    let lines: Vec<&str> = error.lines().map(str::trim).collect();
    assert_eq!(
        lines[0],
        "the history in this shallow clone ends before the merge base of HEAD and origin/main"
    );
    assert!(lines[1].starts_with("git fetch --quiet: fatal: "), "{error}");
    assert_eq!(
        lines.last(),
        Some(
            &"make the remote reachable, or clone deeper (fetch-depth: 0), or name the base with --base"
        )
    );
    let error = message(resolve(&user, &revision("elsewhere"), &head()));
    assert!(error.starts_with("`elsewhere` is no commit in "), "{error}");
    assert!(error.ends_with("clone deeper (fetch-depth: 0), or check the spelling"), "{error}");
    std::fs::rename(place.path("gone"), &remote).unwrap();
    let error = message(resolve(&user, &revision("elsewhere"), &head()));
    let remedy = "check its spelling, push it to origin, or give the full commit id";
    assert!(error.contains("couldn't find remote ref") && error.ends_with(remedy), "{error}");
    let error = message(resolve(&remote, &revision("elsewhere"), &head()));
    assert!(error.ends_with("check its spelling, or give the full commit id"), "{error}");
}

#[test]
fn words_win_over_branches_of_that_name() {
    let place = Place::new();
    let user = place.repository("user");
    git(&user, &["switch", "-q", "-c", "worktree"]);
    let branch = commit(&user, "a.txt", "branch");
    git(&user, &["switch", "-q", "main"]);
    std::fs::write(user.join("a.txt"), "changed").unwrap();

    let pair = resolve(&user, &revision("main"), &HeadRule::Worktree).unwrap();
    assert!(pair.head.is_dirty() && pair.head.commit != branch);
    let full = HeadRule::Revision("refs/heads/worktree".into());
    assert_eq!(resolve(&user, &revision("main"), &full).unwrap().head.commit, branch);
}

#[test]
fn histories_that_never_meet_are_told() {
    let place = Place::new();
    let user = place.repository("user");
    git(&user, &["switch", "-q", "--orphan", "other"]);
    commit(&user, "b.txt", "other");
    let error = message(resolve(&user, &BaseRule::MergeBase, &head()));
    assert!(error.starts_with("HEAD and main have no common commit\n"), "{error}");
    assert!(error.ends_with("name the base with --base"), "{error}");
}

#[test]
fn a_place_without_a_repository_and_a_bare_one_are_told() {
    let place = Place::new();
    let error = message(resolve(&place.path(""), &BaseRule::MergeBase, &head()));
    assert!(error.contains("is not inside a git repository\n"), "{error}");
    assert!(
        error.ends_with("name existing builds with --base-python and --head-python"),
        "{error}"
    );
    let bare = place.clone(&place.repository("user"), "bare", &["--bare"]);
    let error = message(resolve(&bare, &BaseRule::MergeBase, &head()));
    assert!(error.ends_with("is a bare repository\n  run it in a clone that has files"), "{error}");
}

#[test]
fn an_option_is_no_revision() {
    let place = Place::new();
    let error = message(resolve(&place.repository("user"), &revision("--help"), &head()));
    assert!(error.starts_with("`--help` is no commit in "), "{error}");
}

#[test]
fn from_a_subdirectory_the_whole_repository_is_meant() {
    let place = Place::new();
    let user = place.repository("user");
    commit(&user, "sub/dir/b.txt", "two");
    std::fs::write(user.join("a.txt"), "changed").unwrap();
    let never = Interrupt::never();
    let repository = Repository::open(&user.join("sub/dir"), &never).unwrap();
    assert_eq!(repository.root(), user);
    let pair = repository.resolve(&revision("HEAD"), &HeadRule::Worktree, None).unwrap();
    assert_eq!(repository.changed_paths(&pair.base, &pair.head).unwrap(), ["a.txt"]);
}

#[test]
fn a_revisions_files_are_read_without_a_checkout() {
    let place = Place::new();
    let user = place.repository("user");
    commit(&user, "sub/ü b.txt", "two");
    let never = Interrupt::never();
    let repository = Repository::open(&user, &never).unwrap();
    let pair = repository.resolve(&revision("HEAD~1"), &head(), None).unwrap();
    let tree = repository.tree(&pair.head).unwrap();
    assert_eq!(tree.files(), ["a.txt", "sub/ü b.txt"]);
    assert_eq!(tree.read("sub/ü b.txt").as_deref(), Some(&b"two"[..]));
    assert_eq!(tree.read("sub"), None);
    assert_eq!(repository.tree(&pair.base).unwrap().files(), ["a.txt"]);
    assert_eq!(repository.changed_paths(&pair.base, &pair.head).unwrap(), ["sub/ü b.txt"]);
}

#[test]
fn a_repository_of_another_object_format_is_served() {
    let place = Place::new();
    let user = place.path("user");
    git(&place.path(""), &["init", "-q", "-b", "main", "--object-format=sha256", "user"]);
    commit(&user, "a.txt", "one");
    commit(&user, "a.txt", "two");
    let never = Interrupt::never();
    let repository = Repository::open(&user, &never).unwrap();
    let pair = repository.resolve(&revision("HEAD~1"), &head(), None).unwrap();
    assert_eq!(pair.head.commit.len(), 64);
    let side = Checkout::create(&repository, &place.path("side"), &pair.base).unwrap();
    assert_eq!(std::fs::read_to_string(side.directory().join("a.txt")).unwrap(), "one");
}

#[test]
fn a_repository_of_another_owner_is_served() {
    let place = Place::new();
    let remote = place.repository("remote");
    git(&remote, &["switch", "-q", "-c", "topic"]);
    commit(&remote, "a.txt", "topic");
    let user = place.clone(&remote, "user", &["--depth=1"]);
    let chown = Command::new("chown").args(["-R", "12345"]).arg(&user).status();
    if !chown.unwrap().success() {
        eprintln!("skipped: only root can give files away");
        return;
    }
    let pair = resolve(&user, &revision("HEAD~1"), &HeadRule::Worktree).unwrap();
    assert_eq!(pair.base.commit, git(&remote, &["rev-parse", "main"]));
}

/// Variables that a hook of git sets for what it starts.
#[test]
fn variables_of_a_caller_do_not_lead_elsewhere() {
    let place = Place::new();
    let user = place.repository("user");
    let other = place.repository("other");
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["git::tests::revisions::open_where_told", "--exact", "--ignored"])
        .env("GIT_DIR", other.join(".git"))
        .env("GIT_WORK_TREE", &other)
        .env("GIT_INDEX_FILE", other.join(".git/index"))
        .env("BENCH_TEST_REPOSITORY", &user)
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    assert!(user.join(HOME).exists() && !other.join(HOME).exists());
}

#[test]
#[ignore = "run by another test, in an environment of its own"]
fn open_where_told() {
    let user = PathBuf::from(std::env::var_os("BENCH_TEST_REPOSITORY").unwrap());
    let never = Interrupt::never();
    let repository = Repository::open(&user, &never).unwrap();
    assert_eq!(repository.root(), user);
    repository.resolve(&revision("HEAD"), &HeadRule::Worktree, None).unwrap();
}

/// The warnings of a pair that is the same commit twice.
fn warning(root: &Path, base: &BaseRule, head: &HeadRule) -> String {
    let pair = resolve(root, base, head).unwrap();
    assert_eq!(pair.base.commit, pair.head.commit);
    pair.warnings.join("|")
}

#[test]
fn a_head_with_nothing_of_its_own_is_told_with_a_base_that_exists() {
    let place = Place::new();
    let user = place.repository("user");
    commit(&user, "a.txt", "two");
    for base in [BaseRule::MergeBase, BaseRule::Tip] {
        let on_main = warning(&user, &base, &head());
        assert!(on_main.starts_with("head is main itself, "), "{on_main}");
        let clean = warning(&user, &base, &HeadRule::Worktree);
        assert!(clean.starts_with("the working tree has no changes, and HEAD is part of main, "));
        for text in [on_main, clean] {
            assert!(text.ends_with("such as --base HEAD~1"), "{text}");
        }
    }
    git(&user, &["switch", "-q", "-c", "topic", "main~1"]);
    let behind = warning(&user, &BaseRule::MergeBase, &HeadRule::Revision("topic".into()));
    assert!(behind.starts_with("topic is part of main, "), "{behind}");
    assert!(behind.ends_with("such as --base topic~1"), "{behind}");
    std::fs::write(user.join("a.txt"), "changed").unwrap();
    let dirty = resolve(&user, &BaseRule::MergeBase, &HeadRule::Worktree).unwrap();
    assert_eq!(dirty.warnings, [""; 0]);
}
