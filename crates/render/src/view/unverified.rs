//! The headline of a contributor's run: what its samples show, and beside it, as its own words, what
//! nobody can check.

use super::{headline, with};
use crate::{Unverified, number, text::Text};
use bench_results::{Results, Verdict};

/// What happened, in one sentence.
pub(super) fn sentence(results: &Results, claims: &Unverified) -> Text {
    let judged = match (results.trust.ok, results.benchmarks.is_empty()) {
        (false, _) => Text::of("Not to be trusted: base differed from itself"),
        (true, true) => Text::of("Nothing to compare: ").then(headline::why_empty(results)),
        (true, false) => judged(results, claims),
    };
    headline::after_interruption(results).then(judged).then(claimed(claims))
}

/// What follows from the samples. Nothing is called without change that was left out.
pub(super) fn judged(results: &Results, claims: &Unverified) -> Text {
    let count = |verdict| with(results, verdict).count();
    let (unchanged, undecided) = (count(Verdict::Unchanged), count(Verdict::Inconclusive));
    let quiet = [(unchanged, "unchanged"), (undecided, "undecided")];
    let quiet = quiet.into_iter().filter(|(n, _)| *n > 0);
    let changes = headline::changes(results);
    let has_changes = !changes.is_empty();
    let parts = changes
        .into_iter()
        .chain(quiet.map(|(n, word)| format!("{} {word}", number::count(n))))
        .collect::<Vec<_>>()
        .join(" · ");
    let is_whole = undecided == 0 && numbers(claims).next().is_none();
    Text::of(match (has_changes, unchanged, undecided) {
        (true, ..) => parts,
        (false, 0, 0) => "Nothing could be judged".to_owned(),
        (false, 0, _) => format!("Nothing could be decided: {parts}"),
        (false, ..) if is_whole => format!("No change: {parts}"),
        (false, ..) => format!("No change seen: {parts}"),
    })
}

/// What the run says of itself.
fn claimed(claims: &Unverified) -> Text {
    let numbers: Vec<String> = numbers(claims).collect();
    let mut text = Text::default();
    if !numbers.is_empty() {
        text =
            text.words(format!(" · in the contributor's run, unverified: {}", numbers.join(", ")));
    }
    if claims.has_other_settings {
        text = text.words(" · measured by other settings than this repository's");
    }
    if let Some(commit) = claims.other_head.as_deref().map(named) {
        text = text.words(match commit {
            Some(commit) => format!(" · said to be of {commit}, another commit"),
            None => " · said to be of no commit".to_owned(),
        });
    }
    match claims.other_base.as_deref().map(named) {
        Some(Some(commit)) => text.words(format!(
            " · said to be compared with {commit}, which was not found on the base branch"
        )),
        Some(None) => text.words(" · said to be compared with no commit of the base branch"),
        None => text,
    }
}

/// The first digits of a commit's id; none where it is no id.
fn named(commit: &str) -> Option<&str> {
    super::sides::is_commit(commit).then(|| super::sides::short(commit))
}

fn numbers(claims: &Unverified) -> impl Iterator<Item = String> {
    let numbers = [
        (claims.failed, "failed"),
        (claims.removed, "missing on head"),
        (claims.skipped, "skipped"),
        (claims.identical, "called identical"),
        (claims.added, "only on head"),
        (claims.unjudged, "not judged"),
    ];
    let some = numbers.into_iter().filter(|(n, _)| *n > 0);
    some.map(|(n, words)| format!("{} {words}", number::count(n)))
}
