//! The command that measures the same again.

use bench_results::{Results, SideInfo, SideKind};

/// Flags whose values are replaced by what they came to.
const PINNED: [&str; 3] = ["--base", "--head", "--seed"];

/// Flags that only change what is shown and where it goes, without and with a value.
const SHOWN: [&str; 3] = ["-q", "--quiet", "--verbose"];
const SHOWN_AS: [&str; 3] = ["--color", "--progress", "--out"];

/// Whether a word only changes what is shown: `-q`, `-vv`.
fn is_for_show(word: &str) -> bool {
    let is_verbose =
        word.len() > 1 && word.starts_with('-') && word[1..].bytes().all(|b| b == b'v');
    SHOWN.contains(&word) || is_verbose
}

/// The words of a command without what only changes what is shown.
fn without_show(command: &[String]) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = command.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        match SHOWN_AS.iter().find(|flag| word.starts_with(**flag)) {
            Some(flag) if word.len() == flag.len() => drop(rest.next()),
            Some(flag) if word[flag.len()..].starts_with('=') => {}
            _ if is_for_show(word) => {}
            _ => words.push(word),
        }
    }
    words
}

/// The original command with both revisions and the seed pinned; a demonstration makes its own
/// revisions, so its command stands as it is. None for what cannot be repeated so, such as reading
/// files.
pub(super) fn reproduce(results: &Results) -> Option<String> {
    let mut arguments = without_show(&results.command).into_iter();
    let program = arguments.next()?;
    let program = program.rsplit(['/', '\\']).next().filter(|program| !program.is_empty())?;
    let words = match arguments.next()? {
        "run" => pinned(program, arguments, results),
        "demo" => [program, "demo"].into_iter().chain(arguments).map(str::to_owned).collect(),
        _ => return None,
    };
    let words = words.iter().map(|word| crate::escape::visible(word));
    Some(words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" "))
}

/// The words of `run` with their arguments, but for those that are replaced by what they came to.
fn pinned<'a>(
    program: &str,
    arguments: impl Iterator<Item = &'a str>,
    results: &Results,
) -> Vec<String> {
    let mut words = vec![program.to_owned(), "run".to_owned()];
    for (flag, value) in pins(results) {
        words.extend([flag.to_owned(), value]);
    }
    let mut rest = arguments;
    while let Some(word) = rest.next() {
        match PINNED.iter().find(|flag| word.starts_with(*flag)) {
            // `--base REV` takes its value along, `--base=REV` has it.
            Some(flag) if word.len() == flag.len() => drop(rest.next()),
            Some(flag) if word[flag.len()..].starts_with('=') => {}
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// Flags that name exactly what was compared.
fn pins(results: &Results) -> Vec<(&'static str, String)> {
    let side = |id: &str| results.sides.iter().find(|side| side.id == id);
    let revision = |side: &SideInfo| match side.kind {
        SideKind::Built => Some(side.commit.clone().unwrap_or_else(|| side.revision.clone())),
        SideKind::Worktree => Some("worktree".into()),
        SideKind::Existing | SideKind::File => None,
    };
    let comparison = results.comparisons.first();
    let base = comparison.and_then(|c| revision(side(&c.base)?)).map(|r| ("--base", r));
    let head = comparison.and_then(|c| revision(side(&c.head)?)).map(|r| ("--head", r));
    base.into_iter().chain(head).chain([("--seed", results.seed.clone())]).collect()
}

/// A word quoted for a POSIX shell.
fn quoted(word: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "-_./=:,%+@".contains(c);
    // Home directories are written so; between quotes a shell would not read it.
    if let Some(below) = word.strip_prefix("~/").filter(|below| !below.is_empty()) {
        return format!("~/{}", quoted(below));
    }
    if !word.is_empty() && word.chars().all(is_bare) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
