//! `cargo xtask lint`: what others' linters say of the action, the workflows and the scripts. None of
//! them alone finds everything; a finding is mended, or explained where it stands.

use crate::failure::Failure;
use crate::{fetch, say, workspace};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Fails on anything that a linter says.
pub(crate) fn lint() -> Result<(), Failure> {
    let mut findings = Vec::new();
    let files = Files::tracked()?;
    match fetch::linters() {
        Ok(programs) => findings.extend(by_programs(&files, &programs)?),
        Err(reason) => say(&format!("note: zizmor, actionlint, shellcheck and act skip: {reason}")),
    }
    match fetch::parsers() {
        Ok(directory) => findings.extend(by_parsers(&files, &directory)?),
        Err(reason) => say(&format!("note: GitHub's workflow parser skips: {reason}")),
    }
    Failure::unless_empty("linters that object", findings)
}

/// What is looked at, relative to the root.
struct Files {
    actions: Vec<String>,
    workflows: Vec<String>,
    scripts: Vec<String>,
}

impl Files {
    /// The action, the examples, this repository's own workflows, and whatever a shell runs.
    fn tracked() -> Result<Self, Failure> {
        let mut files = Self { actions: Vec::new(), workflows: Vec::new(), scripts: Vec::new() };
        for path in workspace::files()? {
            if path == "action.yml" {
                files.actions.push(path);
            } else if is_workflow(&path) {
                files.workflows.push(path);
            } else if workspace::text(&path)?.is_some_and(|text| is_script(&text)) {
                files.scripts.push(path);
            }
        }
        Ok(files)
    }

    fn yaml(&self) -> impl Iterator<Item = &String> {
        self.actions.iter().chain(&self.workflows)
    }
}

fn is_workflow(path: &str) -> bool {
    let directories = ["examples/workflows/", ".github/workflows/"];
    path.ends_with(".yml") && directories.iter().any(|directory| path.starts_with(directory))
}

/// Whether the first line asks for a shell.
fn is_script(text: &str) -> bool {
    let first = text.lines().next().and_then(|line| line.strip_prefix("#!"));
    let program = first.and_then(|line| line.split(['/', ' ']).next_back());
    program.is_some_and(|program| ["sh", "bash"].contains(&program))
}

/// zizmor, actionlint, shellcheck and act.
fn by_programs(files: &Files, programs: &Path) -> Result<Vec<String>, Failure> {
    let mut zizmor = Command::new(programs.join("zizmor"));
    // Strict, because a file that it can't read would only be warned of, and skipped.
    zizmor.args(["-q", "--no-progress", "--color=never", "--offline", "--strict-collection"]);
    zizmor.args(["--persona", "auditor"]).args(files.yaml());
    let mut actionlint = Command::new(programs.join("actionlint"));
    actionlint.args(["-no-color", "-shellcheck"]).arg(programs.join("shellcheck"));
    actionlint.args(&files.workflows);
    let mut shellcheck = Command::new(programs.join("shellcheck"));
    shellcheck.args(&files.scripts);
    let mut commands = Vec::new();
    commands.extend(files.yaml().next().map(|_| zizmor));
    commands.extend(files.workflows.first().map(|_| actionlint));
    commands.extend(files.scripts.first().map(|_| shellcheck));
    commands.extend(files.workflows.iter().map(|file| {
        let mut act = Command::new(programs.join("act"));
        act.args(["--validate", "--strict", "-W", file]);
        act
    }));
    objections(commands)
}

/// GitHub's own parser, and the published schema.
fn by_parsers(files: &Files, directory: &Path) -> Result<Vec<String>, Failure> {
    let script = directory.join("parse.mjs");
    std::fs::write(&script, include_str!("parse.mjs")).map_err(Failure::io(&script))?;
    let mut node = Command::new("node");
    node.arg(script).args(files.yaml());
    objections(files.yaml().next().map(|_| node))
}

/// What the commands that fail have printed.
fn objections(commands: impl IntoIterator<Item = Command>) -> Result<Vec<String>, Failure> {
    let said = commands.into_iter().map(|mut command| objection(&mut command));
    said.filter_map(Result::transpose).collect()
}

fn objection(command: &mut Command) -> Result<Option<String>, Failure> {
    let program = PathBuf::from(command.get_program());
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let output = command
        .current_dir(workspace::root())
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Failure::Start { program: name.clone(), source })?;
    if output.status.success() {
        return Ok(None);
    }
    let texts = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    Ok(Some(format!("{name} ({}):\n{}", output.status, texts.concat().trim_end())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files that are wrong on purpose.
    fn bad(kind: &str) -> Files {
        let one = |name: &str| {
            let path = format!("crates/xtask/src/lint/{kind}/{name}");
            if workspace::root().join(&path).exists() { vec![path] } else { Vec::new() }
        };
        Files {
            actions: one("action.yml"),
            workflows: one("workflow.yml"),
            scripts: one("script.sh"),
        }
    }

    /// Every finding is told by its linter, where that can be had; a test that skips says so.
    fn finds(
        fetched: Result<PathBuf, Failure>,
        by: fn(&Files, &Path) -> Result<Vec<String>, Failure>,
        files: &Files,
        expected: &[(&str, &str)],
    ) {
        let place = match fetched {
            Ok(place) => place,
            Err(reason) => return say(&format!("skipped: {reason}")),
        };
        let said = by(files, &place).unwrap();
        for (linter, finding) in expected {
            let mut its = said.iter().filter(|text| text.starts_with(&format!("{linter} (")));
            assert!(its.any(|text| text.contains(finding)), "{linter}: {finding}: {said:#?}");
        }
    }

    #[test]
    fn what_is_dangerous_on_purpose_is_found() {
        let expected = [
            ("zizmor", "dangerous-triggers"),
            ("zizmor", "excessive-permissions"),
            ("zizmor", "artipacked"),
            ("zizmor", "unpinned-uses"),
            ("zizmor", "template-injection"),
            ("actionlint", "potentially untrusted"),
            ("shellcheck", "SC2086"),
        ];
        finds(fetch::linters(), by_programs, &bad("dangerous"), &expected);
    }

    #[test]
    fn what_is_misspelt_on_purpose_is_found() {
        let programs = [
            ("zizmor", "no audit was performed"),
            ("actionlint", "wirte"),
            ("actionlint", "githb"),
            ("act", "wirte"),
            ("act", "githb"),
        ];
        finds(fetch::linters(), by_programs, &bad("misread"), &programs);
        let parsers = ["wirte", "githb", "shell", "secrets", "requird"];
        let parsers = parsers.map(|finding| ("node", finding));
        finds(fetch::parsers(), by_parsers, &bad("misread"), &parsers);
    }

    #[test]
    fn what_is_looked_at_is_told_by_place_and_first_line() {
        assert!(is_workflow("examples/workflows/bench.yml"));
        assert!(is_workflow(".github/workflows/ci.yml"));
        assert!(!is_workflow("crates/xtask/src/lint/misread/workflow.yml"));
        for (text, is) in [
            ("#!/bin/sh\n", true),
            ("#!/usr/bin/env bash\n", true),
            ("#!/usr/bin/env python3\n", false),
        ] {
            assert_eq!(is_script(text), is, "{text}");
        }
    }
}
