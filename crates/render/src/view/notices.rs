//! What a reader must know before the numbers: that a run was cut short, is not to be trusted, or
//! is about an older push.

use super::with;
use crate::{Options, Origin, number, text::Text};
use bench_results::{Results, StoppedBy, Verdict};
use std::collections::HashSet;

/// Undecided results are many from this number on, if they are also one in so many.
const MANY: usize = 4;

/// The gravest first.
pub(super) fn notices(results: &Results, options: &Options) -> Vec<Text> {
    [
        untrustworthy(results),
        interrupted(results),
        budget(results),
        undecided(results),
        shards(results),
        outdated(options),
        origin(options),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn untrustworthy(results: &Results) -> Option<Text> {
    if results.trust.ok {
        return None;
    }
    let text = Text::default().strong("Do not act on these numbers.").words(" ");
    let text = match results.trust.reason.as_deref().filter(|reason| !reason.is_empty()) {
        Some(reason) => text.prose(reason).words(". "),
        None => text.words("Base was compared with itself and seemed to change. "),
    };
    Some(text.words("Run it again on a quieter machine."))
}

fn interrupted(results: &Results) -> Option<Text> {
    let why = match results.stopped_by {
        StoppedBy::Signal => "The run was interrupted",
        StoppedBy::Crash => "The run died, and this report was made from its journal",
        StoppedBy::Done | StoppedBy::Budget => return None,
    };
    Some(Text::of(format!(
        "{why}: what was measured before is below, the rest is missing. The same command goes on from there."
    )))
}

fn budget(results: &Results) -> Option<Text> {
    let skipped = with(results, Verdict::Skipped);
    let unreached = skipped.filter(|row| row.reason.as_deref() == Some("time budget")).count();
    let left_out = results.plan.screened;
    let budget = number::duration(results.settings.time_budget_s);
    let text = if unreached > 0 {
        let n = number::plural(unreached, "benchmark");
        Text::of(format!("The time budget of {budget} ran out before {n} could be measured"))
    } else if left_out > 0 {
        let planned = usize::try_from(results.plan.planned).unwrap_or(usize::MAX);
        let all = planned.saturating_add(usize::try_from(left_out).unwrap_or(usize::MAX));
        Text::of(format!(
            "The time budget of {budget} holds {} of {} benchmarks, which were chosen before anything was measured",
            number::count(planned),
            number::count(all)
        ))
    } else {
        return None;
    };
    Some(text.words("; ").code("--time-budget").words(" gives it more."))
}

/// A run that leaves much open is told what would help, above the fold.
fn undecided(results: &Results) -> Option<Text> {
    use Verdict::{Improved, Inconclusive, Regressed, Unchanged};
    let open = with(results, Inconclusive).count();
    let judged = [Regressed, Improved, Unchanged].map(|verdict| with(results, verdict).count());
    let all = open + judged.iter().sum::<usize>();
    (results.trust.ok && open >= MANY && open * MANY >= all).then(|| {
        let numbers = format!("{} of {}", number::count(open), number::plural(all, "result"));
        Text::of(format!("{numbers} could not be decided. ")).then(super::changes::advice(results))
    })
}

fn shards(results: &Results) -> Option<Text> {
    let shard = results.shard.as_ref()?;
    if !shard.missing.is_empty() {
        let list: Vec<String> = shard.missing.iter().take(20).map(u32::to_string).collect();
        let (n, all) = (shard.missing.len(), shard.count);
        let list = list.join(", ");
        let with_them = unknown(results)
            .map_or_else(String::new, |benchmarks| format!(", and with them {benchmarks}"));
        return Some(Text::of(format!(
            "Results of {n} of {all} shards are missing: {list}{with_them}."
        )));
    }
    (shard.count > 1 && shard.index > 0)
        .then(|| Text::of(format!("This is shard {} of {}.", shard.index, shard.count)))
}

/// `12 of 80 benchmarks`: those that only the missing shards have seen.
fn unknown(results: &Results) -> Option<String> {
    let known: HashSet<&str> =
        results.benchmarks.iter().map(|row| row.benchmark.as_str()).collect();
    let found = usize::try_from(results.plan.found).unwrap_or(usize::MAX);
    let unknown = found.checked_sub(known.len()).filter(|unknown| *unknown > 0)?;
    Some(format!("{} of {}", number::count(unknown), number::plural(found, "benchmark")))
}

/// That the pull request has moved on since the run.
pub(crate) fn outdated(options: &Options) -> Option<Text> {
    let newer = options.newer_head.as_deref()?;
    let text = Text::default().strong("This is about an earlier push.").words(" Head is now ");
    Some(if super::sides::is_commit(newer) {
        text.words(super::sides::short(newer)).words(".")
    } else {
        text.code(newer).words(".")
    })
}

fn origin(options: &Options) -> Option<Text> {
    matches!(options.origin, Origin::Contributor(_))
        .then(|| Text::of("Measured in the contributor's run, not in one of this repository."))
}
