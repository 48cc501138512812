//! The one sentence that says what happened, and the facts that stand under it.

use super::line::{Kind, Mark};
use super::{grouped, unverified, with};
use crate::{Options, Origin, number, text::Text};
use bench_results::{Pairing, Results, Row, StoppedBy, Verdict, WholeVerdict};
use std::collections::HashSet;

/// What happened, in one sentence.
pub(crate) fn headline(results: &Results, options: &Options) -> Text {
    let said = || match &options.origin {
        Origin::Own => sentence(results),
        Origin::Contributor(claims) => unverified::sentence(results, claims),
    };
    let Some(why) = incomplete(results, options) else { return said() };
    match results.benchmarks.is_empty() {
        true => Text::of("✗ Nothing was measured: ").then(why),
        false => Text::of("✗ A part is missing: ").then(why).words(" · ").then(said()),
    }
}

/// Why the whole suite, or the part of a shard, has no results.
fn incomplete(results: &Results, options: &Options) -> Option<Text> {
    if let Some(failure) = &results.failure {
        let whose = match options.origin {
            Origin::Own => "",
            Origin::Contributor(_) => "in the contributor's run, ",
        };
        let side = Text::of(format!("{whose}{} ", failure.side));
        return Some(side.then(super::sides::went_wrong(&failure.stage)));
    }
    let shard = results.shard.as_ref().filter(|shard| !shard.missing.is_empty())?;
    let missing = shard.missing.len();
    Some(Text::of(format!("{missing} of {}", number::plural(shard.count as usize, "shard"))))
}

fn sentence(results: &Results) -> Text {
    let sentence = match results.summary.verdict {
        WholeVerdict::Empty => Text::of("Nothing to compare: ").then(why_empty(results)),
        WholeVerdict::Untrustworthy => Text::of("Not to be trusted: base differed from itself"),
        _ => outcome(results),
    };
    after_interruption(results).then(sentence)
}

/// Begins the sentence of a run that was cut short.
pub(super) fn after_interruption(results: &Results) -> Text {
    match results.stopped_by {
        StoppedBy::Signal | StoppedBy::Crash => Text::of("Interrupted · "),
        StoppedBy::Done | StoppedBy::Budget => Text::default(),
    }
}

/// What happened in one of several comparisons.
pub(super) fn of_part(part: &Results, options: &Options) -> Text {
    match &options.origin {
        Origin::Contributor(claims) if !part.benchmarks.is_empty() => {
            unverified::judged(part, claims)
        }
        _ if part.benchmarks.is_empty() => Text::of("nothing was measured"),
        _ => outcome(part),
    }
}

fn outcome(results: &Results) -> Text {
    let rows = &results.benchmarks;
    let judged = || rows.iter().filter(|row| row.verdict.is_some());
    let is_identical = |row: &Row| row.pairing == Pairing::Identical;
    if judged().next().is_some() && judged().all(is_identical) {
        let n = number::plural(judged().count(), "benchmark");
        return Text::of(format!("No change: both builds are identical, {n} not run"));
    }
    let counts = counts(results);
    let number_of = |verdict| with(results, verdict).count();
    let nothing_happened = [Verdict::Regressed, Verdict::Improved, Verdict::Failed]
        .into_iter()
        .all(|verdict| number_of(verdict) == 0);
    let unchanged = number_of(Verdict::Unchanged);
    match (nothing_happened, unchanged, number_of(Verdict::Inconclusive)) {
        (false, ..) => counts,
        (true, 0, 0) => counts,
        (true, 0, _) => Text::of("Nothing could be decided: ").then(counts),
        (true, _, 0) => Text::of("No change: ").then(counts),
        (true, ..) => Text::of("No change seen: ").then(counts),
    }
}

/// `▲ 2 slower · ▼ 1 faster · 97 unchanged · 3 undecided`, in the order of the report.
fn counts(results: &Results) -> Text {
    let failed = with(results, Verdict::Failed).count();
    let failed = (failed > 0).then(|| format!("✗ {} failed", number::count(failed)));
    let parts = failed.into_iter().chain(changes(results)).chain(tally(results));
    Text::of(parts.collect::<Vec<_>>().join(" · "))
}

/// What became worse, then what became better.
pub(super) fn changes(results: &Results) -> Vec<String> {
    let changed = with(results, Verdict::Regressed).chain(with(results, Verdict::Improved));
    let marks = changed.map(Mark::of).map(|mark| ((mark.kind, mark.word), mark.sign));
    let mut words = grouped(marks);
    words.sort_by_key(|((kind, _), _)| match kind {
        Kind::Worse => 0,
        Kind::Accepted => 1,
        _ => 2,
    });
    let part = |((kind, word), signs): &((Kind, &str), Vec<&'static str>)| {
        let accepted = if *kind == Kind::Accepted { " (accepted)" } else { "" };
        format!("{} {} {word}{accepted}", sign_of(signs), number::count(signs.len()))
    };
    words.iter().map(part).collect()
}

/// `▲`, `▼`, or both where some numbers rose and others fell, as with throughput and depth.
fn sign_of(signs: &[&'static str]) -> &'static str {
    let first = signs.first().copied().unwrap_or_default();
    if signs.iter().all(|sign| *sign == first) { first } else { "▲▼" }
}

/// The rest of the headline. What was added, removed or skipped on purpose is told below, unless
/// there is nothing else to tell.
fn tally(results: &Results) -> Vec<String> {
    use Verdict::{Added, Failed, Improved, Inconclusive, Regressed, Removed, Skipped, Unchanged};
    let is_unreached = |row: &Row| row.reason.as_deref() == Some("time budget");
    let number = |verdict| with(results, verdict).count();
    let unreached = with(results, Skipped).filter(|row| is_unreached(row)).count();
    let is_alone = [Failed, Regressed, Improved, Unchanged, Inconclusive]
        .into_iter()
        .all(|verdict| number(verdict) == 0);
    let also = |n| if is_alone { n } else { 0 };
    [
        (number(Unchanged), "unchanged"),
        (number(Inconclusive), "undecided"),
        (unreached, "never reached"),
        (also(number(Added)), "added"),
        (also(number(Removed)), "removed"),
        (also(number(Skipped) - unreached), "skipped"),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, word)| format!("{} {word}", number::count(n)))
    .collect()
}

pub(super) fn why_empty(results: &Results) -> Text {
    let n = |verdict| with(results, verdict).count();
    let rows = results.benchmarks.len();
    match (n(Verdict::Added), n(Verdict::Removed), n(Verdict::Skipped)) {
        (0, 0, 0) => match results.warnings.first() {
            Some(why) => Text::quoted(why),
            None => Text::of("no benchmarks were found"),
        },
        (added, 0, 0) if added == rows => {
            Text::of(format!("base has none of the {}", number::plural(added, "benchmark")))
        }
        (0, removed, 0) if removed == rows => {
            Text::of(format!("head has none of the {}", number::plural(removed, "benchmark")))
        }
        (added, removed, 0) if added > 0 && removed > 0 && added + removed == rows => {
            Text::of("no benchmark is on both sides: ").then(counts(results))
        }
        _ => counts(results),
    }
}

/// Whether the sentence quotes the first warning, which then is not told again below.
pub(super) fn quotes_a_warning(results: &Results, options: &Options) -> bool {
    use Verdict::{Added, Removed, Skipped};
    let is_bare = match &options.origin {
        Origin::Own => [Added, Removed, Skipped].iter().all(|v| with(results, *v).count() == 0),
        Origin::Contributor(_) => results.benchmarks.is_empty(),
    };
    results.failure.is_none() && results.summary.verdict == WholeVerdict::Empty && is_bare
}

/// How much, how long, how sure.
pub(super) fn facts(results: &Results, options: &Options) -> Vec<Text> {
    let mut facts = Vec::new();
    let benchmarks: HashSet<&str> =
        results.benchmarks.iter().map(|r| r.benchmark.as_str()).collect();
    if !benchmarks.is_empty() {
        let mut fact = number::plural(benchmarks.len(), "benchmark");
        if results.benchmarks.len() > benchmarks.len() {
            fact += &format!(" with {}", number::plural(results.benchmarks.len(), "result"));
        }
        facts.push(Text::of(fact));
    }
    let time = results.summary.time;
    let seconds = time.prepare_s + time.measure_s;
    if seconds > 0.0 {
        facts.push(Text::of(number::duration(seconds)));
    }
    if claims_to_be_right(results) {
        let alpha = number::share(results.settings.alpha);
        let condition = match options.origin {
            Origin::Own => "",
            Origin::Contributor(_) => ", if its numbers are what was measured",
        };
        facts.push(Text::of(format!(
            "chance of any false alarm in this report: at most {alpha}{condition}"
        )));
    }
    facts
}

/// The bound covers judged rows of a run that can be believed.
fn claims_to_be_right(results: &Results) -> bool {
    let is_judged = |row: &Row| {
        use Verdict::{Improved, Inconclusive, Regressed, Unchanged};
        matches!(row.verdict, Some(Regressed | Improved | Unchanged | Inconclusive))
            && row.pairing != Pairing::Identical
    };
    results.trust.ok && results.benchmarks.iter().any(is_judged)
}
