//! What no tracked file may hold: paths of somebody's machine, addresses of package registries (a
//! user may be behind a mirror), and talk about how the code came to be.

use crate::failure::Failure;
use crate::workspace;

// Each is written in two parts, so that this file does not find itself.
const ROOTS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/Us", "ers/")];
const WORDS: [&str; 11] = [
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("npmjs", ".org"),
    concat!("debian", ".org"),
    concat!("language", " model"),
    concat!("this", " session"),
    concat!("sub", "agent"),
    concat!("the lead", " will"),
    concat!("clau", "de"),
    concat!("anthro", "pic"),
];

/// Fails on any of them in any tracked file.
pub(super) fn check() -> Result<(), Failure> {
    let mut findings = Vec::new();
    for path in workspace::files()?.iter().filter(|path| !is_generated(path)) {
        let Some(text) = workspace::text(path)? else { continue };
        for (number, line) in text.lines().enumerate() {
            let found = found(line).map(|what| format!("{path}:{}: {what}", number + 1));
            findings.extend(found);
        }
    }
    Failure::unless_empty("words that do not belong in this repository", findings)
}

/// Lock files name their registry.
fn is_generated(path: &str) -> bool {
    path.ends_with(".lock")
}

fn found(line: &str) -> Option<&'static str> {
    let lower = line.to_ascii_lowercase();
    let word = WORDS.into_iter().find(|word| lower.contains(word));
    word.or_else(|| ROOTS.into_iter().find(|root| has_absolute(line, root)))
}

/// Whether the root stands where a path begins, and not in the middle of one.
fn has_absolute(line: &str, root: &str) -> bool {
    line.match_indices(root).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && !"._-/}".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tracked_file_speaks_of_machines_registries_or_its_making() {
        super::super::pass(check());
    }

    #[test]
    fn an_absolute_path_is_found_and_a_directory_of_that_name_is_not() {
        assert_eq!(found(concat!("see /wo", "rk/main")), Some(ROOTS[0]));
        assert_eq!(found(concat!("in .bench-action/wo", "rk/head")), None);
        assert_eq!(found(concat!("from PyP", "I.org")), Some(WORDS[1]));
    }
}
