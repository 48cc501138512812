//! `bench-action init`: the workflows for this repository, and a configuration where there is
//! something to say. Asks nothing that it can find out, and overwrites nothing.

mod pin;
mod repository;
mod workflows;

use super::tree::WorkingTree;
use crate::args::InitArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::terminal;
use pin::Pin;
use repository::Repository;
use std::io::Write as _;
use std::path::Path;

/// A file that is going to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Draft {
    /// From the repository's root.
    path: &'static str,
    text: String,
    /// What it is for.
    purpose: &'static str,
}

/// What is written where no suite was found.
const CONFIGURATION: &str = include_str!("bench-action.toml");

/// Writes them, or prints them.
pub(crate) fn init(args: &InitArgs) -> Result<Exit, CliError> {
    let tree = WorkingTree::find(Path::new(".")).ok_or(CliError::NoRepositoryHere)?;
    let repository = Repository::look(&tree)?;
    let pin = Pin::find(args.pin.as_deref());
    let mut drafts = workflows::drafts(args, &repository, &pin.commit);
    if repository.suites.is_empty() {
        let purpose = "to be filled in: no suite was found by itself";
        drafts.push(Draft { path: "bench-action.toml", text: CONFIGURATION.into(), purpose });
    }
    if args.dry_run {
        let shown = drafts.iter().map(|draft| format!("# {}\n{}\n", draft.path, draft.text));
        terminal::print(&shown.collect::<String>())?;
        terminal::say(&epilogue(args, &repository, &pin));
        return Ok(Exit::Done);
    }
    let mut lines = vec![format!("found  {}", repository.summary())];
    for (draft, is_there) in drafts.iter().zip(existing(&tree.root, &drafts)?) {
        let word = if is_there { "as is" } else { "wrote" };
        if !is_there {
            write(&tree.root, draft)?;
        }
        lines.push(format!("{word}  {:<40} {}", draft.path, draft.purpose));
    }
    terminal::print(&(lines.join("\n") + "\n"))?;
    terminal::say(&epilogue(args, &repository, &pin));
    Ok(Exit::Done)
}

/// For each whether it is there already, word for word. One that is there and says something else
/// ends it before anything is written: half a pair of workflows is worse than none.
fn existing(root: &Path, drafts: &[Draft]) -> Result<Vec<bool>, CliError> {
    let found = drafts.iter().map(|draft| std::fs::read(root.join(draft.path)).ok());
    let found: Vec<Option<Vec<u8>>> = found.collect();
    let other = |(draft, found): (&Draft, &Option<Vec<u8>>)| {
        found.as_ref().is_some_and(|bytes| bytes != draft.text.as_bytes()).then_some(draft.path)
    };
    let others: Vec<&str> = drafts.iter().zip(&found).filter_map(other).collect();
    match others.is_empty() {
        true => Ok(found.iter().map(Option::is_some).collect()),
        false => Err(CliError::Exists(others.join(", "))),
    }
}

fn write(root: &Path, draft: &Draft) -> Result<(), CliError> {
    let path = root.join(draft.path);
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| {
        // Whatever has come there meanwhile is not ours.
        let mut file = std::fs::File::create_new(&path)?;
        file.write_all(draft.text.as_bytes())
    });
    written.map_err(|source| CliError::File { path, source })
}

/// What is left to do.
fn epilogue(args: &InitArgs, repository: &Repository, pin: &Pin) -> String {
    let mut lines = Vec::new();
    if let Some(reason) = &pin.missing {
        lines.push(format!("pin    {reason}"));
    }
    if repository.suites.is_empty() {
        lines.push("next   say in bench-action.toml what is to be measured".into());
    }
    let branch = terminal::plain(&repository.default_branch);
    lines.push(match workflows::has_trusted_half(args) {
        true => format!(
            "next   commit them; comments come once bench-comment.yml is on {branch}, and not for the \
             pull request that adds it"
        ),
        false => "next   commit them; the pull request that adds them is the first to be measured".into(),
    });
    lines.join("\n")
}

#[cfg(test)]
mod tests;
