//! Submodules of a checkout: filled from what the user has, else from their remotes.

use super::checkout::place;
use super::command::{Git, zero_separated};
use super::error::GitError;
use super::repository::Repository;
use super::store::{self, Shape};
use super::tree::entries;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Submodules of submodules of … more than this many levels are a mistake.
const LEVELS: usize = 10;

/// Where a repository's submodules are looked for.
struct Parent {
    /// The checkout of ours that has the submodules.
    checkout: PathBuf,
    /// The user's git directory of the same repository, with `modules/` in it.
    git_dir: PathBuf,
    /// The user's files of the same repository.
    tree: PathBuf,
    /// Its own address, to which `../x` is relative.
    url: String,
}

/// One submodule as `.gitmodules` tells it.
#[derive(Default)]
struct Module {
    name: String,
    url: String,
    update: String,
}

/// Fills the submodules of `checkout`, which stands at `commit`, and theirs.
pub(super) fn fill(
    repository: &Repository<'_>,
    checkout: &Path,
    commit: &str,
) -> Result<(), GitError> {
    let url = match &repository.remote {
        Some(remote) => {
            let key = format!("remote.{remote}.url");
            repository.user().args(["config", "--get", &key]).answer()?
        }
        None => None,
    };
    let parent = Parent {
        checkout: checkout.to_path_buf(),
        git_dir: repository.common.clone(),
        tree: repository.root.clone(),
        url: url.unwrap_or_else(|| repository.root.display().to_string()),
    };
    fill_level(repository, &parent, commit, LEVELS)
}

fn fill_level(
    repository: &Repository<'_>,
    parent: &Parent,
    commit: &str,
    levels: usize,
) -> Result<(), GitError> {
    let git =
        || Git::new(&parent.checkout, repository.interrupt).git_dir(&parent.checkout.join(".git"));
    let entries = entries(git(), commit)?;
    let wanted: Vec<_> = entries.into_iter().filter(|entry| entry.kind == "commit").collect();
    if wanted.is_empty() || levels == 0 {
        return Ok(());
    }
    let modules = modules(git(), parent)?;
    for entry in wanted {
        // A commit without a name is a repository that was added by accident.
        let Some(module) = modules.get(&entry.path) else { continue };
        if module.update != "none" && is_contained(&parent.checkout, &entry.path) {
            let child = fill_one(repository, parent, module, &entry.path, &entry.id)?;
            fill_level(repository, &child, &entry.id, levels - 1)?;
        }
    }
    Ok(())
}

fn fill_one(
    repository: &Repository<'_>,
    parent: &Parent,
    module: &Module,
    path: &str,
    commit: &str,
) -> Result<Parent, GitError> {
    let url = address(repository, parent, module)?;
    let users =
        [parent.git_dir.join("modules").join(&module.name), parent.tree.join(path).join(".git")];
    let mut source = None;
    for candidate in users {
        if has(repository, &candidate, commit)? {
            source = Some(candidate);
            break;
        }
    }
    let source = match source {
        Some(source) => source,
        None => fetched(repository, path, &url, commit)?,
    };
    let checkout = parent.checkout.join(path);
    let lenders = store::lenders(&source.join("objects"));
    place(repository, &checkout, commit, &lenders, &store::edges_of(&source)?)?;
    Ok(Parent { checkout, git_dir: source, tree: parent.tree.join(path), url })
}

/// Whether a repository is there and has the commit.
fn has(repository: &Repository<'_>, git_dir: &Path, commit: &str) -> Result<bool, GitError> {
    if !git_dir.join("objects").is_dir() {
        return Ok(false);
    }
    let git = Git::new(&repository.root, repository.interrupt).git_dir(git_dir);
    Ok(git.args(["cat-file", "-e", &format!("{commit}^{{commit}}")]).output()?.status.success())
}

/// A private repository with the commit, kept for later runs: the one commit where the remote
/// gives it, else everything its branches have.
fn fetched(
    repository: &Repository<'_>,
    path: &str,
    url: &str,
    commit: &str,
) -> Result<PathBuf, GitError> {
    let name = format!("{}.git", bench_results::hex(&Sha256::digest(url)[..8]));
    let place = repository.home.join("cache").join("modules").join(name);
    if !place.join("HEAD").exists() {
        store::init(repository, &place, Shape::Bare)?;
    }
    if has(repository, &place, commit)? {
        return Ok(place);
    }
    let fetch = |more: [&str; 3]| {
        let git = Git::new(&repository.root, repository.interrupt).git_dir(&place);
        let git = git.settings(&repository.remote_settings);
        git.args(["fetch", "--quiet", "--no-write-fetch-head"]).args(more).run()
    };
    let one = format!("+{commit}:refs/bench-action/{commit}");
    // What counts is whether the commit is there: the other side may fetch it at the same time.
    if let Err(GitError::Interrupted) = fetch(["--depth=1", url, &one]) {
        return Err(GitError::Interrupted);
    }
    if has(repository, &place, commit)? {
        return Ok(place);
    }
    let said = match fetch(["--tags", url, "+refs/heads/*:refs/heads/*"]) {
        Ok(_) if has(repository, &place, commit)? => return Ok(place),
        Ok(_) => "no branch or tag contains it".to_owned(),
        Err(error @ GitError::Failed { .. }) => error.said(),
        Err(other) => return Err(other),
    };
    let url = bench_results::Redactor::default().text(url).into_owned();
    Err(GitError::Submodule { path: path.to_owned(), commit: commit.to_owned(), url, said })
}

/// `.gitmodules` by path. Names that climb out of `modules/` are left out, as git does.
fn modules(git: Git<'_>, parent: &Parent) -> Result<HashMap<String, Module>, GitError> {
    let file = parent.checkout.join(".gitmodules");
    if !file.is_file() {
        return Ok(HashMap::new());
    }
    let list = git.args(["config", "--list", "-z", "--file", ".gitmodules"]).run()?;
    let mut by_name: HashMap<String, (String, Module)> = HashMap::new();
    for setting in zero_separated(&list) {
        let setting = String::from_utf8_lossy(setting);
        let Some((key, value)) = setting.split_once('\n') else { continue };
        let Some((name, key)) = key.strip_prefix("submodule.").and_then(|k| k.rsplit_once('.'))
        else {
            continue;
        };
        let (path, module) = by_name.entry(name.to_owned()).or_default();
        name.clone_into(&mut module.name);
        match key {
            "path" => value.clone_into(path),
            "url" => value.clone_into(&mut module.url),
            "update" => value.clone_into(&mut module.update),
            _ => {}
        }
    }
    let plain = |module: &Module| {
        Path::new(&module.name).components().all(|part| matches!(part, Component::Normal(_)))
            && !module.url.starts_with('-')
    };
    Ok(by_name.into_values().filter(|(_, module)| plain(module)).collect())
}

/// Where a submodule comes from: what the user made of it, else `.gitmodules`, in full.
fn address(
    repository: &Repository<'_>,
    parent: &Parent,
    module: &Module,
) -> Result<String, GitError> {
    if parent.git_dir.is_dir() {
        let key = format!("submodule.{}.url", module.name);
        let git = Git::new(&repository.root, repository.interrupt).git_dir(&parent.git_dir);
        if let Some(own) = git.args(["config", "--get", &key]).answer()? {
            return Ok(own);
        }
    }
    Ok(absolute(&parent.url, &module.url))
}

/// An address that starts with `./` or `../` is relative to that of the superproject.
fn absolute(parent: &str, url: &str) -> String {
    if !url.starts_with("./") && !url.starts_with("../") {
        return url.to_owned();
    }
    let mut parent = parent.trim_end_matches('/');
    let mut rest = url;
    loop {
        if let Some(up) = rest.strip_prefix("../") {
            let cut = parent.rfind(['/', ':']);
            // `host:path` keeps its colon; anything else loses the slash with the last part.
            parent = match cut {
                Some(at) if parent.as_bytes()[at] == b':' => &parent[..=at],
                Some(at) => &parent[..at],
                None => parent,
            };
            rest = up;
        } else if let Some(same) = rest.strip_prefix("./") {
            rest = same;
        } else {
            let slash = if parent.ends_with(':') { "" } else { "/" };
            return format!("{parent}{slash}{rest}");
        }
    }
}

/// Whether a path of a tree stays inside the checkout, also through symbolic links: a commit may
/// hold a link where a submodule's parent directory should be.
fn is_contained(checkout: &Path, path: &str) -> bool {
    let mut place = checkout.to_path_buf();
    Path::new(path).components().all(|part| {
        place.push(part);
        matches!(part, Component::Normal(_)) && !place.is_symlink()
    })
}

#[cfg(test)]
mod tests {
    use super::absolute;

    #[test]
    fn relative_addresses_are_taken_from_the_superproject() {
        let table = [
            ("https://host/org/repo.git", "../sub.git", "https://host/org/sub.git"),
            ("https://host/org/repo.git/", "./sub.git", "https://host/org/repo.git/sub.git"),
            ("git@host:org/repo.git", "../../other/sub.git", "git@host:other/sub.git"),
            ("/srv/repo", "../sub", "/srv/sub"),
            ("/srv/repo", "https://host/sub", "https://host/sub"),
        ];
        for (parent, url, whole) in table {
            assert_eq!(absolute(parent, url), whole);
        }
    }
}
