//! Private checkouts.

use super::*;

/// Head of the repository, checked out at `side`.
fn checkout(place: &Place, user: &Path) -> Result<PathBuf, GitError> {
    let never = Interrupt::never();
    let repository = Repository::open(user, &never)?;
    let pair = repository.resolve(&revision("HEAD"), &head(), None)?;
    let side = place.path("side");
    Checkout::create(&repository, &side, &pair.head)?;
    Ok(side)
}

fn text(path: PathBuf) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_checkout_is_used_again_and_holds_nothing_but_its_revision() {
    let place = Place::new();
    let user = place.repository("user");
    commit(&user, ".gitignore", "build\n");
    let side = checkout(&place, &user).unwrap();
    let born = std::fs::metadata(side.join(".git/config")).unwrap().modified().unwrap();
    std::fs::create_dir(side.join("build")).unwrap();
    std::fs::write(side.join("build/old"), "").unwrap();
    std::fs::write(side.join("a.txt"), "scribble").unwrap();
    git(&side, &["init", "-q", "nested"]);
    std::fs::write(side.join(".git/index.lock"), "").unwrap();

    commit(&user, "b.txt", "new");
    assert_eq!(checkout(&place, &user).unwrap(), side);
    assert_eq!((text(side.join("a.txt")), text(side.join("b.txt"))), ("one".into(), "new".into()));
    assert!(!side.join("build").exists() && !side.join("nested").exists());
    assert_eq!(std::fs::metadata(side.join(".git/config")).unwrap().modified().unwrap(), born);
}

#[test]
fn a_damaged_checkout_is_made_anew() {
    let place = Place::new();
    let user = place.repository("user");
    let side = checkout(&place, &user).unwrap();
    std::fs::write(side.join(".git/config"), "[rubbish").unwrap();
    checkout(&place, &user).unwrap();
    assert_eq!(text(side.join("a.txt")), "one");
}

#[test]
fn a_damaged_private_repository_is_made_anew() {
    let place = Place::new();
    let user = place.repository("user");
    checkout(&place, &user).unwrap();
    std::fs::write(user.join(HOME).join("cache/repo.git/config"), "[rubbish").unwrap();
    checkout(&place, &user).unwrap();
}

#[test]
fn a_checkout_has_the_users_tags_so_that_builds_find_a_version() {
    let place = Place::new();
    let user = place.repository("user");
    git(&user, &["tag", "-a", "-m", "one", "v1"]);
    commit(&user, "b.txt", "two");
    let side = checkout(&place, &user).unwrap();
    assert!(git(&side, &["describe"]).starts_with("v1-1-g"));
    git(&user, &["tag", "-f", "-a", "-m", "moved", "v1"]);
    checkout(&place, &user).unwrap();
    assert_eq!(git(&side, &["describe"]), "v1");
    assert_eq!(git(&side, &["status", "--porcelain"]), "");
}

/// `user`, a clone of a repository with submodule `sub`, which has a submodule `deep`.
fn with_submodules(place: &Place, arguments: &[&str]) -> PathBuf {
    let deep = place.repository("deep");
    let sub = place.repository("sub");
    git(&sub, &["submodule", "add", "-q", &deep.display().to_string(), "inner/deep"]);
    commit(&sub, "b.txt", "sub");
    let remote = place.repository("remote");
    git(&remote, &["submodule", "add", "-q", "../sub", "lib/sub"]);
    commit(&remote, "b.txt", "remote");
    place.clone(&remote, "user", arguments)
}

#[test]
fn submodules_are_filled_from_what_the_user_has_though_their_remotes_are_gone() {
    let place = Place::new();
    let user = with_submodules(&place, &["--recurse-submodules"]);
    for name in ["deep", "sub", "remote"] {
        std::fs::rename(place.path(name), place.path(&format!("{name}.gone"))).unwrap();
    }
    let before = listing(&user.join(".git"));
    let side = checkout(&place, &user).unwrap();
    assert_eq!(text(side.join("lib/sub/b.txt")), "sub");
    assert_eq!(text(side.join("lib/sub/inner/deep/a.txt")), "one");
    assert_eq!(git(&side, &["status", "--porcelain"]), "");
    assert_untouched(&user.join(".git"), &before);

    std::fs::write(side.join("lib/sub/rubbish"), "").unwrap();
    checkout(&place, &user).unwrap();
    assert!(!side.join("lib/sub/rubbish").exists());
}

#[test]
fn submodules_that_the_user_never_filled_come_from_their_remotes() {
    let place = Place::new();
    let user = with_submodules(&place, &[]);
    let side = checkout(&place, &user).unwrap();
    assert_eq!(text(side.join("lib/sub/inner/deep/a.txt")), "one");
    assert!(!user.join("lib/sub/b.txt").exists());
    std::fs::rename(place.path("sub"), place.path("gone")).unwrap();
    std::fs::remove_dir_all(&side).unwrap();
    checkout(&place, &user).unwrap();
}

#[test]
fn a_submodule_that_is_nowhere_is_told_with_the_remedy() {
    let place = Place::new();
    let user = with_submodules(&place, &[]);
    std::fs::rename(place.path("sub"), place.path("gone")).unwrap();
    let error = checkout(&place, &user).unwrap_err().to_string();
    assert!(error.starts_with("submodule lib/sub cannot be filled: commit "), "{error}");
    let remedy = "run `git submodule update --init lib/sub` once, or make the remote reachable";
    assert!(error.ends_with(remedy), "{error}");
}

#[test]
fn links_give_a_side_untracked_paths_of_the_users_tree() {
    let place = Place::new();
    let user = place.repository("user");
    std::fs::create_dir(user.join("data")).unwrap();
    std::fs::write(user.join("data/big"), "big").unwrap();
    let never = Interrupt::never();
    let repository = Repository::open(&user, &never).unwrap();
    let pair = repository.resolve(&revision("HEAD"), &head(), None).unwrap();
    let make = || Checkout::create(&repository, &place.path("side"), &pair.head).unwrap();
    let link = |path: &str| make().link(&repository, &[path.into(), path.into()]);
    link("data").unwrap();
    assert_eq!(text(place.path("side/data/big")), "big");
    make();
    assert!(!place.path("side/data").exists() && user.join("data/big").exists());
    let error = link("none").unwrap_err().to_string();
    assert!(error.starts_with("links: `none` is not there in "), "{error}");
    assert_eq!(
        link("a.txt").unwrap_err().to_string(),
        "links: `a.txt` is tracked, so that each side has its own\n  make it, or remove it from `links`"
    );
}

#[test]
fn a_partial_clone_gets_the_files_it_lacks() {
    let place = Place::new();
    let remote = place.repository("remote");
    git(&remote, &["config", "uploadpack.allowFilter", "true"]);
    git(&remote, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    commit(&remote, "a.txt", "two");
    let user = place.clone(&remote, "user", &["--filter=blob:none"]);
    let before = listing(&user.join(".git"));
    let never = Interrupt::never();
    let repository = Repository::open(&user, &never).unwrap();
    let pair = repository.resolve(&revision("HEAD~1"), &head(), None).unwrap();
    let side = Checkout::create(&repository, &place.path("side"), &pair.base).unwrap();
    assert_eq!(text(side.directory().join("a.txt")), "one");
    assert_untouched(&user.join(".git"), &before);
}
