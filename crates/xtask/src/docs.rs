//! `cargo xtask docs`: the documentation that is made from the program itself.

use crate::failure::Failure;
use crate::workspace::{self, string};
use crate::{action, configuration};
use std::path::{Path, PathBuf};
use std::process::Command;

const SCHEMAS: [&str; 3] = ["config", "results", "worker"];
const HEADER: &str =
    "<!-- Written by `cargo xtask docs`; changes belong into crates/cli/src/args. -->";

/// A generated file: its path from the root, and what it should hold.
type Page = (String, String);

/// Writes every generated file.
pub(crate) fn write() -> Result<(), Failure> {
    for (path, contents) in pages()? {
        let path = workspace::root().join(path);
        let directory = path.parent().unwrap_or(&path);
        std::fs::create_dir_all(directory).map_err(Failure::io(directory))?;
        std::fs::write(&path, contents).map_err(Failure::io(&path))?;
    }
    Ok(())
}

/// Fails where a generated file is not what it should be.
pub(crate) fn check() -> Result<(), Failure> {
    let mut findings = Vec::new();
    for (path, wanted) in pages()? {
        // A file that is missing differs from its first line on.
        let found = std::fs::read_to_string(workspace::root().join(&path)).unwrap_or_default();
        findings.extend(difference(&path, &found, &wanted));
    }
    Failure::unless_empty("generated files out of date (run `cargo xtask docs`)", findings)
}

/// The first line in which two texts differ, as a person wants to read it.
fn difference(path: &str, found: &str, wanted: &str) -> Option<String> {
    if found == wanted {
        return None;
    }
    let (mut found, mut wanted) = (found.lines(), wanted.lines());
    for number in 1.. {
        match (found.next(), wanted.next()) {
            (None, None) => break,
            (is, should) if is != should => {
                let is = is.unwrap_or("the end of the file");
                let should = should.unwrap_or("the end of the file");
                return Some(format!("{path}:{number}:\n  is      {is}\n  should  {should}"));
            }
            _ => {}
        }
    }
    Some(format!("{path}: differs in line ends"))
}

fn pages() -> Result<Vec<Page>, Failure> {
    let binary = build()?;
    let mut pages = vec![("docs/cli.md".to_owned(), command_line(&binary)?)];
    for name in SCHEMAS {
        let schema = ask(&binary, &["schema", name])?;
        if name == "config" {
            pages.push(("docs/configuration.md".to_owned(), configuration::page(&schema)?));
        }
        pages.push((format!("docs/schema/{name}.json"), schema));
    }
    pages.push((action::PAGE.to_owned(), action::page()?));
    Ok(pages)
}

/// Builds the program and returns its path.
fn build() -> Result<PathBuf, Failure> {
    let mut cargo = workspace::cargo();
    cargo.args(["build", "--quiet", "--package=bench-action", "--message-format=json"]);
    let messages = String::from_utf8_lossy(&workspace::output(&mut cargo)?).into_owned();
    let mut executables = messages.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(string(&message["executable"]).to_owned()).filter(|path| !path.is_empty())
    });
    executables.next_back().map(PathBuf::from).ok_or_else(|| Failure::Malformed {
        what: "cargo build".into(),
        message: "names no executable".into(),
    })
}

/// What the program prints, at a width that does not depend on the terminal.
fn ask(binary: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new(binary);
    command.args(arguments).env("COLUMNS", "100").env("NO_COLOR", "1");
    let text = String::from_utf8_lossy(&workspace::output(&mut command)?).into_owned();
    // Help pads some lines; a trailing space in a tracked file is a nuisance.
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    Ok(format!("{}\n", lines.join("\n").trim_end()))
}

fn command_line(binary: &Path) -> Result<String, Failure> {
    let whole = ask(binary, &["--help"])?;
    let (help, codes) = whole.split_once("Exit codes:").unwrap_or((&whole, ""));
    let mut page = format!("# Command line\n\n{HEADER}\n\n{}\n", block(help));
    page += &format!("## Exit codes\n\n{}\n", exit_codes(codes));
    for name in subcommands(help) {
        let help = ask(binary, &[name, "--help"])?;
        // What every subcommand takes is said once, above.
        let own = help.split("\nEverywhere:").next().unwrap_or_default();
        page += &format!("## bench-action {name}\n\n{}\n", block(own));
        for below in subcommands(own) {
            let help = ask(binary, &[name, below, "--help"])?;
            let own = help.split("\nEverywhere:").next().unwrap_or_default();
            page += &format!("### bench-action {name} {below}\n\n{}\n", block(own));
        }
    }
    Ok(page.trim_end().to_owned() + "\n")
}

fn block(text: &str) -> String {
    format!("```text\n{}\n```\n", text.trim_end())
}

/// The names under `Commands:`, in their order.
fn subcommands(help: &str) -> Vec<&str> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        // A description that goes on in the next line stands further to the right.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect()
}

/// `  10  a benchmark regressed` as rows of a table; other lines as text below it.
fn exit_codes(text: &str) -> String {
    let mut table = String::from("| code | meaning |\n|--:|---|\n");
    let mut notes = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.split_once("  ") {
            Some((code, meaning)) if code.parse::<u8>().is_ok() => {
                table += &format!("| {code} | {meaning} |\n");
            }
            _ => notes += &format!("{line}\n"),
        }
    }
    format!("{table}\n{notes}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named_with_its_line() {
        assert_eq!(difference("a.md", "x\ny\n", "x\ny\n"), None);
        let found = difference("a.md", "x\ny\n", "x\nz\n").unwrap();
        assert_eq!(found, "a.md:2:\n  is      y\n  should  z");
        assert!(difference("a.md", "", "x\n").unwrap().contains("the end of the file"));
    }

    #[test]
    fn subcommands_are_read_from_help() {
        let help =
            "About\n\nCommands:\n  run   Measure\n          more\n  list  Names\n\nOptions:\n  -h";
        assert_eq!(subcommands(help), ["run", "list"]);
    }

    #[test]
    fn exit_codes_become_a_table_with_notes_below() {
        let table = exit_codes("\n    0  done\n  130  interrupted\nThe first of 20, 21.");
        assert_eq!(
            table,
            "| code | meaning |\n|--:|---|\n| 0 | done |\n| 130 | interrupted |\n\nThe first of 20, 21.\n"
        );
    }
}
