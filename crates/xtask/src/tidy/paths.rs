//! Documents that name files must name files that exist.

use crate::failure::Failure;
use crate::workspace;

const DOCUMENTS: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Fails on a path in backticks that leads nowhere.
pub(super) fn check() -> Result<(), Failure> {
    let mut findings = Vec::new();
    for document in DOCUMENTS {
        let text = workspace::text(document)?.unwrap_or_default();
        let dead = paths(&text).into_iter().filter(|path| !workspace::root().join(path).exists());
        findings.extend(dead.map(|path| format!("{document}: `{path}`")));
    }
    Failure::unless_empty("paths that lead nowhere", findings)
}

/// What stands in backticks and looks like a path of this repository: it has a `/` inside, or the
/// name of a file, and nothing that no path of ours has.
fn paths(markdown: &str) -> Vec<&str> {
    let spans = markdown.split('`').skip(1).step_by(2);
    spans.filter(|span| looks_like_a_path(span)).collect()
}

fn looks_like_a_path(span: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let is_file = [".rs", ".md", ".toml", ".json", ".py"].iter().any(|end| span.ends_with(end));
    // `.bench-action/…` and results are made by runs; `a/b` with a leading `/` or `-` is no path of
    // ours.
    let is_ours = !span.starts_with(['/', '-']) && !span.starts_with(".bench-action");
    let is_made =
        ["results.json", "report.md", "bench-action.toml", "asv.conf.json"].contains(&span);
    span.chars().all(is_plain) && is_ours && !is_made && (span.contains('/') || is_file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_that_a_document_names_exists() {
        super::super::pass(check());
    }

    #[test]
    fn paths_are_told_from_commands_names_and_products() {
        let text = "`crates/core`, `cargo xtask test`, `d = ln(h/b)`, `README.md`, `results.json`, \
            `.bench-action/last`, `Harness`, `crates/<name>`";
        assert_eq!(paths(text), ["crates/core", "README.md"]);
    }
}
