//! `bench-action list`: the benchmarks found, without running them.

use super::project::{LAST, Project};
use crate::args::{GlobalArgs, ListArgs, ListFormat};
use crate::error::CliError;
use crate::exit::Exit;
use crate::progress::Display;
use crate::terminal;
use bench_core::absent::{nothing_falls_to, why_nothing};
use bench_core::matching::{Matched, partition};
use bench_core::run::{claim, discover};
use bench_process::Interrupt;
use std::collections::BTreeSet;

/// Prepares both sides and prints what they have.
pub(crate) fn list(args: &ListArgs, global: &GlobalArgs) -> Result<Exit, CliError> {
    let interrupt = Interrupt::install().map_err(CliError::Signals)?;
    find(args, global, &interrupt).map_err(|error| error.by_signal(&interrupt))
}

fn find(args: &ListArgs, global: &GlobalArgs, interrupt: &Interrupt) -> Result<Exit, CliError> {
    let project = Project::open(args.flags(), interrupt)?;
    let plan = project.plan()?;
    let out = project.out(None, LAST);
    std::fs::create_dir_all(&out).map_err(|source| CliError::File { path: out.clone(), source })?;
    let job = project.job(&out);
    let mut display = Display::new(global);
    let _project = claim(&job, &mut display)?;
    let mut found =
        discover(&job, &project.config, &plan, &mut display).map_err(CliError::NotPrepared)?;
    let all = found.iter().flat_map(Matched::ids).collect::<BTreeSet<_>>().len();
    let partition = partition(&found, &project.config.compare);
    found.iter_mut().for_each(|group| group.keep(&partition));
    let text = match args.format {
        ListFormat::Terminal => lines(&found),
        ListFormat::Json => json(&found),
    };
    terminal::print(&text)?;
    if found.iter().any(|group| !group.cases.is_empty() || !group.rows.is_empty()) {
        return Ok(Exit::Done);
    }
    if all > 0 {
        terminal::say(&nothing_falls_to(&project.config, all as u64));
        return Ok(Exit::Done);
    }
    let unwanted: Vec<String> = found.into_iter().flat_map(|group| group.unwanted).collect();
    let why = why_nothing(&project.config, &unwanted, bench_harness::all());
    terminal::say(&terminal::plain(&why));
    Ok(Exit::NothingMeasured)
}

/// One id a line; what will not be measured says why.
fn lines(found: &[Matched]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for group in found {
        lines.extend(group.cases.iter().map(|case| terminal::plain(&case.id)));
        lines.extend(group.rows.iter().map(|row| {
            let verdict = row.verdict.map_or("", bench_results::Verdict::word);
            let reason =
                row.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
            terminal::plain(&format!("{}  ({verdict}{reason})", row.id))
        }));
    }
    lines.sort();
    lines.into_iter().map(|line| line + "\n").collect()
}

/// Everything known of each: how it is measured, its metrics, its timeout.
fn json(found: &[Matched]) -> String {
    let cases = found.iter().flat_map(|group| &group.cases).map(|case| {
        serde_json::json!({ "id": case.id, "benchmark": case.benchmark[1], "metrics": case.metrics })
    });
    let rows = found.iter().flat_map(|group| &group.rows).map(|row| {
        serde_json::json!({ "id": row.id, "verdict": row.verdict, "reason": row.reason, "failure": row.failure })
    });
    let all: Vec<serde_json::Value> = cases.chain(rows).collect();
    // A tree of plain values always has a text.
    serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
}
