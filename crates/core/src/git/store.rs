//! The private repositories: they borrow objects, and have their own shallow edges and tags.

use super::command::Git;
use super::error::GitError;
use super::repository::Repository;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Whether a repository has files.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Bare,
    WithFiles,
}

/// Makes the bare private repository, or brings it up to date with the user's: where the objects
/// are, where history ends, which tags there are.
pub(super) fn refresh(repository: &Repository<'_>) -> Result<(), GitError> {
    let store = &repository.store;
    let works = store.join("HEAD").exists()
        && repository.stored().args(["rev-parse", "--git-dir"]).output()?.status.success();
    if !works {
        remove(store)?;
        init(repository, store, Shape::Bare)?;
    }
    let captured = captured(repository);
    std::fs::create_dir_all(&captured).map_err(GitError::file(&captured))?;
    let mut lenders = lenders(&repository.common.join("objects"));
    lenders.push(captured);
    borrow(store, &lenders)?;
    let edges = edges_of(&repository.common)?.into_iter().chain(edges_of(store)?).collect();
    write_edges(store, &still_edges(repository, &edges)?)?;
    copy_tags(repository.user(), || repository.stored())
}

/// Where the objects of captured working trees are, apart from all others.
pub(super) fn captured(repository: &Repository<'_>) -> PathBuf {
    repository.home.join("cache").join("captured")
}

/// Makes an empty repository that runs no template and no hook.
pub(super) fn init(
    repository: &Repository<'_>,
    directory: &Path,
    shape: Shape,
) -> Result<(), GitError> {
    std::fs::create_dir_all(directory).map_err(GitError::file(directory))?;
    let format = format!("--object-format={}", repository.object_format);
    let bare = match shape {
        Shape::Bare => Some("--bare"),
        Shape::WithFiles => None,
    };
    let git = Git::new(directory, repository.interrupt);
    git.args(["init", "--quiet", &format]).args(bare).run().map(drop)
}

/// An object directory and those it borrows from itself.
pub(super) fn lenders(objects: &Path) -> Vec<PathBuf> {
    let mut lenders = vec![objects.to_path_buf()];
    let borrowed = std::fs::read_to_string(objects.join("info/alternates")).unwrap_or_default();
    let lines = borrowed.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lenders.extend(lines.map(|line| objects.join(line)));
    lenders
}

/// Lets a repository read the objects of others.
pub(super) fn borrow(git_dir: &Path, lenders: &[PathBuf]) -> Result<(), GitError> {
    let lines: Vec<String> = lenders.iter().map(|path| format!("{}\n", path.display())).collect();
    write(&git_dir.join("objects/info/alternates"), &lines.concat())
}

/// The commits at which a repository's history is cut off.
pub(super) fn edges_of(git_dir: &Path) -> Result<BTreeSet<String>, GitError> {
    let path = git_dir.join("shallow");
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(GitError::file(path)(error)),
    }
}

/// Cuts a repository's history off at these commits.
pub(super) fn write_edges(git_dir: &Path, edges: &BTreeSet<String>) -> Result<(), GitError> {
    let path = git_dir.join("shallow");
    if edges.is_empty() {
        return match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(GitError::file(path)(error))
            }
            _ => Ok(()),
        };
    }
    let lines: Vec<String> = edges.iter().map(|commit| format!("{commit}\n")).collect();
    write(&path, &lines.concat())
}

/// The edges that have a parent which is not there: in one repository or the other the history
/// beyond may have been fetched since. (Raw objects tell their parents whatever the edges.)
fn still_edges(
    repository: &Repository<'_>,
    edges: &BTreeSet<String>,
) -> Result<BTreeSet<String>, GitError> {
    let mut kept = BTreeSet::new();
    for edge in edges {
        let raw = repository.stored().args(["cat-file", "commit", edge]).output()?;
        if !raw.status.success() {
            continue;
        }
        let raw = String::from_utf8_lossy(&raw.stdout).into_owned();
        let header = raw.lines().take_while(|line| !line.is_empty());
        for parent in header.filter_map(|line| line.strip_prefix("parent ")) {
            if !repository.stored().args(["cat-file", "-e", parent]).output()?.status.success() {
                kept.insert(edge.clone());
            }
        }
    }
    Ok(kept)
}

/// Gives one repository the tags of another, from which tools read a project's version.
pub(super) fn copy_tags<'a>(from: Git<'_>, to: impl Fn() -> Git<'a>) -> Result<(), GitError> {
    let present = tags(to())?;
    let missing = tags(from)?.into_iter().filter(|(name, id)| present.get(name) != Some(id));
    let updates: String = missing.map(|(name, id)| format!("update {name} {id}\n")).collect();
    if updates.is_empty() {
        return Ok(());
    }
    to().args(["update-ref", "--stdin"]).stdin(updates).run().map(drop)
}

fn tags(git: Git<'_>) -> Result<BTreeMap<String, String>, GitError> {
    let list =
        git.args(["for-each-ref", "--format=%(refname) %(objectname)", "refs/tags"]).text()?;
    let pairs = list.lines().filter_map(|line| line.split_once(' '));
    Ok(pairs.map(|(name, id)| (name.to_owned(), id.to_owned())).collect())
}

/// Removes a directory of ours, if it is there.
pub(super) fn remove(directory: &Path) -> Result<(), GitError> {
    match std::fs::remove_dir_all(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(GitError::file(directory)(error))
        }
        _ => Ok(()),
    }
}

fn write(path: &Path, text: &str) -> Result<(), GitError> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory).map_err(GitError::file(directory))?;
    }
    std::fs::write(path, text).map_err(GitError::file(path))
}
