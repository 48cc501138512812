//! Files on a branch of their own, written by many at once; commits of a default branch.

use super::*;

fn file(path: &str, text: &str) -> BranchFile {
    BranchFile { path: path.to_owned(), bytes: text.as_bytes().to_vec() }
}

fn mark() -> BranchFile {
    file("format.json", "{}\n")
}

/// A bare repository that refuses every push with force, and every deletion.
fn strict(place: &Place) -> PathBuf {
    let path = place.path("shared.git");
    git(&place.path(""), &["init", "-q", "--bare", "-b", "main", "shared.git"]);
    git(&path, &["config", "receive.denyNonFastForwards", "true"]);
    git(&path, &["config", "receive.denyDeletes", "true"]);
    git(&path, &["config", "uploadpack.allowFilter", "true"]);
    path
}

fn remote<'a>(path: &Path, interrupt: &'a Interrupt) -> Remote<'a> {
    Remote::at(&format!("file://{}", path.display()), path, Vec::new(), interrupt)
}

#[test]
fn twenty_writers_at_once_lose_nothing() {
    let place = Place::new();
    let shared = strict(&place);
    let interrupt = Interrupt::never();
    std::thread::scope(|scope| {
        for writer in 0..20 {
            let (shared, interrupt) = (&shared, &interrupt);
            scope.spawn(move || {
                let remote = remote(shared, interrupt);
                let branch = FilesBranch::new(&remote, "bench-history", mark()).unwrap();
                let own = file(&format!("records/{writer:02}.json"), &format!("{writer}\n"));
                assert_eq!(branch.add(&[own], "record").unwrap(), 1);
            });
        }
    });
    let remote = remote(&shared, &interrupt);
    let branch = FilesBranch::new(&remote, "bench-history", mark()).unwrap();
    let mut expected: Vec<BranchFile> = (0..20)
        .map(|writer| file(&format!("records/{writer:02}.json"), &format!("{writer}\n")))
        .collect();
    expected.insert(0, mark());
    assert_eq!(branch.read().unwrap().unwrap(), expected);
    // One commit each, in a row.
    assert_eq!(git(&shared, &["rev-list", "--count", "bench-history"]), "20");
    assert_eq!(git(&shared, &["rev-list", "--merges", "bench-history"]), "");
}

#[test]
fn what_is_there_already_makes_no_commit() {
    let place = Place::new();
    let shared = strict(&place);
    let interrupt = Interrupt::never();
    let remote = remote(&shared, &interrupt);
    let branch = FilesBranch::new(&remote, "bench-history", mark()).unwrap();
    assert_eq!(branch.read().unwrap(), None);
    let files = [file("records/a.json", "a\n"), file("records/b.json", "b\n")];
    assert_eq!(branch.add(&files, "record").unwrap(), 2);
    assert_eq!(branch.add(&files, "record").unwrap(), 0);
    assert_eq!(branch.add(&[files[0].clone(), file("records/c.json", "")], "more").unwrap(), 1);
    assert_eq!(git(&shared, &["rev-list", "--count", "bench-history"]), "2");
    assert_eq!(branch.read().unwrap().unwrap().len(), 4);
}

#[test]
fn a_branch_of_something_else_is_not_written_to() {
    let place = Place::new();
    let shared = strict(&place);
    let repository = place.repository("project");
    git(&repository, &["push", "-q", &shared.display().to_string(), "main", "main:gh-pages"]);
    let interrupt = Interrupt::never();
    let remote = remote(&shared, &interrupt);
    let branch = FilesBranch::new(&remote, "gh-pages", mark()).unwrap();
    let refusal = branch.add(&[file("records/a.json", "a")], "record").unwrap_err().to_string();
    assert!(refusal.contains("it is not a history"), "{refusal}");
    assert!(branch.read().is_err());
    assert!(FilesBranch::new(&remote, "-x..y", mark()).is_err());
}

#[test]
fn a_place_that_refuses_says_why() {
    let place = Place::new();
    let shared = strict(&place);
    git(&shared, &["config", "receive.hideRefs", "refs/heads/bench-history"]);
    let interrupt = Interrupt::never();
    let remote = remote(&shared, &interrupt);
    let branch = FilesBranch::new(&remote, "bench-history", mark()).unwrap();
    let refused = branch.add(&[file("records/a.json", "a")], "record").unwrap_err().to_string();
    assert!(refused.contains("hidden ref"), "{refused}");
}

#[test]
fn the_commits_of_the_default_branch_are_known_and_no_others() {
    let place = Place::new();
    let repository = place.repository("project");
    let second = commit(&repository, "a.txt", "two");
    git(&repository, &["switch", "-q", "-c", "topic"]);
    let topic = commit(&repository, "b.txt", "never merged");
    let interrupt = Interrupt::never();
    let mainline = remote(&repository, &interrupt).mainline(Some("main")).unwrap();
    assert_eq!(mainline.commits().last().map(|one| one.id.as_str()), Some(second.as_str()));
    let facts = mainline.get(&second).unwrap();
    assert_eq!((facts.committed, facts.subject.as_str()), (1_700_000_000, "a.txt: two"));
    assert_eq!(mainline.get(&topic), None);
    // A working repository's HEAD is anywhere; the usual name is its default branch.
    let opened = Repository::open(&repository, &interrupt).unwrap();
    assert_eq!(Remote::itself(&opened).mainline(None).unwrap().branch, "main");
    assert!(Remote::of(&opened).is_none());
}

#[test]
fn the_commits_between_two_are_those_of_the_branch_or_all() {
    let place = Place::new();
    let repository = place.repository("project");
    let from = git(&repository, &["rev-parse", "HEAD"]);
    git(&repository, &["switch", "-q", "-c", "topic"]);
    let topic = commit(&repository, "b.txt", "merged");
    git(&repository, &["switch", "-q", "main"]);
    let second = commit(&repository, "a.txt", "two");
    git(&repository, &["merge", "-q", "--no-ff", "-m", "merge", "topic"]);
    let merge = git(&repository, &["rev-parse", "HEAD"]);
    let never = Interrupt::never();
    let opened = Repository::open(&repository, &never).unwrap();
    let ids = |parents| -> Vec<String> {
        let commits = opened.between(&from, "HEAD", parents).unwrap();
        commits.into_iter().map(|one| one.id).collect()
    };
    assert_eq!(ids(Parents::First), [second.as_str(), &merge]);
    let all = ids(Parents::All);
    assert!(all.len() == 3 && all.contains(&topic) && all.last() == Some(&merge));
}
