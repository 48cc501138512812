//! What changed, what failed, what stayed open, and what was not compared.

use super::line::{FailedGroup, Kind, Line, Names};
use super::{Other, Undecided, grouped, with};
use crate::{number, text::Text};
use bench_results::{Pairing, Results, Row, SideName, Stage, StoppedBy, Verdict};

/// Reasons for skipping that are told apart.
const REASONS: usize = 8;

/// Worse before better, accepted in between, the largest first.
pub(super) fn changed(results: &Results, names: &Names) -> Vec<Line> {
    let rows = with(results, Verdict::Regressed).chain(with(results, Verdict::Improved));
    let mut lines: Vec<Line> = rows.map(|row| names.line(row)).collect();
    let rank = |line: &Line| match line.mark.kind {
        Kind::Worse => 0,
        Kind::Accepted => 1,
        _ => 2,
    };
    lines.sort_by(|a, b| {
        rank(a).cmp(&rank(b)).then(b.magnitude.total_cmp(&a.magnitude)).then(a.name.cmp(&b.name))
    });
    lines
}

/// Failures with equal causes stand together: a broken module is one failure, not fifty.
pub(super) fn failed(results: &Results, names: &Names) -> Vec<FailedGroup> {
    let cause = |row: &Row| {
        let failure = row.failure.as_ref();
        failure.map(|f| (f.side, f.stage.clone(), f.message.clone())).ok_or(row.id.clone())
    };
    let rows = with(results, Verdict::Failed).map(|row| (cause(row), row));
    let mut groups: Vec<FailedGroup> =
        grouped(rows).into_iter().map(|(_, rows)| failed_group(&rows, names)).collect();
    // What fails on head alone is what the change broke.
    groups.sort_by_key(|group| match group.side {
        Some(SideName::Head) => 0,
        None => 1,
        Some(SideName::Base) => 2,
    });
    groups
}

/// Rows of one cause, of which there is at least one.
fn failed_group(rows: &[&Row], names: &Names) -> FailedGroup {
    let names = rows.iter().map(|row| names.full(row)).collect();
    let Some(failure) = rows[0].failure.as_ref() else {
        let reason = rows[0].reason.clone().unwrap_or_default();
        let what = Text::of("failed: ").prose(reason);
        return FailedGroup { names, side: None, what, output: String::new() };
    };
    let what = Text::of(match failure.side {
        Some(SideName::Base) => "failed on base, ",
        Some(SideName::Head) => "failed on head, ",
        None => "failed on both sides, ",
    });
    let what = match stage(&failure.stage) {
        Some(words) => what.words(words),
        None => what.words("stage ").code(&failure.stage),
    };
    FailedGroup {
        names,
        side: failure.side,
        what: what.words(": ").code(&failure.message),
        output: failure.stderr_tail.clone(),
    }
}

/// When in a benchmark's life a stage is.
fn stage(word: &str) -> Option<&'static str> {
    Some(match word {
        "import" => "when its module was imported",
        "setup_cache" => "in its `setup_cache`",
        "setup" => "in its set-up",
        "run" => "while it ran",
        "teardown" => "in its tear-down",
        "timeout" => "at its time limit",
        "exit" => "by its exit status",
        "build" => "when it was built",
        _ => return None,
    })
}

/// The undecided ones: those that look largest first.
pub(super) fn undecided(results: &Results, names: &Names) -> Undecided {
    let screened = with(results, Verdict::Inconclusive).filter(|row| is_screened(row)).count();
    let rows: Vec<&Row> =
        with(results, Verdict::Inconclusive).filter(|row| !is_screened(row)).collect();
    let mut lines: Vec<Line> = rows.iter().map(|row| names.line(row)).collect();
    lines.sort_by(|a, b| b.magnitude.total_cmp(&a.magnitude).then(a.name.cmp(&b.name)));
    let summary = if results.trust.ok { seen(&rows, screened) } else { unbelieved(lines.len()) };
    Undecided { summary, lines, advice: advice(results) }
}

/// Rows that the budget left with too few blocks to decide anything are told in one line.
fn is_screened(row: &Row) -> bool {
    row.stage == Stage::Screened || row.reason.as_deref() == Some("screened")
}

fn unbelieved(n: usize) -> Text {
    if n == 0 {
        return Text::default();
    }
    Text::of(format!("{}, not to be believed", number::plural(n, "result")))
}

fn seen(rows: &[&Row], screened: usize) -> Text {
    let detectable = rows.iter().filter_map(|r| r.change.as_ref()?.detectable);
    let mut parts = Vec::new();
    if !rows.is_empty() {
        let text = Text::of(format!("{} undecided", number::count(rows.len())));
        parts.push(match number::range(detectable, number::share) {
            Some(size) => text.words(format!(": changes smaller than {size} could not be seen")),
            None => text,
        });
    }
    if screened > 0 {
        let number = number::count(screened);
        parts.push(Text::of(format!("{number} with too few blocks for any verdict")));
    }
    Text::join(parts, "; ")
}

/// What would decide more.
pub(super) fn advice(results: &Results) -> Text {
    if results.benchmarks.iter().any(|row| row.pairing == Pairing::Unpaired) {
        return Text::of("Files of different runs never show that nothing changed. More launches of each side decide more, and ")
            .code("bench-action run")
            .words(" measures both at the same time.");
    }
    lever(results).words("a quieter machine, or a larger ").code("--threshold").words(".")
}

/// What ended the measuring is what gives room for more.
fn lever(results: &Results) -> Text {
    let settings = &results.settings;
    let larger = |flag: &str, was: String| {
        Text::of("To decide more: a larger ").code(flag).words(format!(" (it was {was}), "))
    };
    match (settings.repeat, results.stopped_by) {
        (_, StoppedBy::Signal | StoppedBy::Crash) => {
            Text::of("To decide more: letting the run come to its end, ")
        }
        (Some(blocks), _) => larger("--repeat", blocks.to_string()),
        (None, StoppedBy::Budget) => {
            larger("--time-budget", number::duration(settings.time_budget_s))
        }
        (None, StoppedBy::Done) => larger("--max-blocks", settings.max_blocks.to_string()),
    }
}

/// Added, removed, then skipped by reason, the most frequent first.
pub(super) fn others(results: &Results, names: &Names) -> Vec<Other> {
    let list = |verdict| with(results, verdict).map(|row| names.full(row)).collect::<Vec<_>>();
    let mut others = Vec::new();
    for (verdict, words) in
        [(Verdict::Added, "added: only head has"), (Verdict::Removed, "removed: only base has")]
    {
        let names = list(verdict);
        if !names.is_empty() {
            let it = if names.len() == 1 { "it" } else { "them" };
            let what = Text::of(format!("{} {words} {it}", number::count(names.len())));
            others.push(Other { what, names });
        }
    }
    others.extend(skipped(results, names));
    others
}

fn skipped(results: &Results, names: &Names) -> Vec<Other> {
    let rows = with(results, Verdict::Skipped)
        .map(|row| (row.reason.as_deref().unwrap_or_default(), names.full(row)));
    let mut reasons = grouped(rows);
    reasons.sort_by_key(|(_, list)| std::cmp::Reverse(list.len()));
    let rare = reasons.split_off(reasons.len().min(REASONS));
    let other = |(reason, names): (&str, Vec<String>)| Other {
        what: skipped_because(reason, names.len(), results),
        names,
    };
    let mut others: Vec<Other> = reasons.into_iter().map(other).collect();
    if !rare.is_empty() {
        let kinds = number::plural(rare.len(), "other reason");
        let names: Vec<String> = rare.into_iter().flat_map(|(_, names)| names).collect();
        let what = Text::of(format!("{} skipped for {kinds}", number::count(names.len())));
        others.push(Other { what, names });
    }
    others
}

fn skipped_because(reason: &str, n: usize, results: &Results) -> Text {
    let number = number::count(n);
    let budget = number::duration(results.settings.time_budget_s);
    match reason {
        "time budget" => {
            Text::of(format!("{number} never reached: the time budget of {budget} ran out"))
        }
        "budget" => Text::of(format!(
            "{number} left out by the plan: the time budget of {budget} does not hold them"
        )),
        "" => Text::of(format!("{number} skipped")),
        _ => Text::of(format!("{number} skipped: ")).prose(reason),
    }
}
