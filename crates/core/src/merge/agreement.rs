//! Whether shards belong to one run: everything that was registered before any data must be equal.

use super::{MergeError, Part, Refusal};
use bench_results::{ComparisonInfo, Results, Settings, SideInfo, ToolInfo};
use std::collections::{BTreeMap, BTreeSet};

/// Compares every shard with the first that has got as far.
pub(super) fn check(parts: &[Part]) -> Result<(), MergeError> {
    pairwise(parts, |_| true, asked)?;
    pairwise(parts, |part| !part.results.sides.is_empty(), compared)?;
    pairwise(parts, Part::is_planned, planned)
}

fn pairwise(
    parts: &[Part],
    counts: impl Fn(&Part) -> bool,
    differ: impl Fn(&Results, &Results) -> Option<Refusal>,
) -> Result<(), MergeError> {
    let mut parts = parts.iter().filter(|part| counts(part));
    let Some(first) = parts.next() else { return Ok(()) };
    for other in parts {
        if let Some(why) = differ(&first.results, &other.results) {
            return Err(MergeError::at([first.at, other.at], why));
        }
    }
    Ok(())
}

/// What is known before anything is looked for.
fn asked(a: &Results, b: &Results) -> Option<Refusal> {
    if a.tool != b.tool {
        return Some(Refusal::Tools(tool(&a.tool), tool(&b.tool)));
    }
    // Before the seed, which is made of the commits where none was given.
    if !(may_be_same(a, b, |it| &it.base) && may_be_same(a, b, |it| &it.head)) {
        return Some(Refusal::Commits(sides(a), sides(b)));
    }
    // Before the configuration, whose digest covers a seed that was given.
    if a.seed != b.seed {
        return Some(Refusal::Seeds(a.seed.clone(), b.seed.clone()));
    }
    // Each shard has a budget of its own, after the size of its part.
    let settings = |results: &Results| Settings { time_budget_s: 0.0, ..results.settings.clone() };
    (a.config != b.config || settings(a) != settings(b)).then_some(Refusal::Settings)
}

/// What runs of several machines must have in common.
pub(super) fn of_machines(a: &Results, b: &Results) -> Option<Refusal> {
    if a.tool != b.tool {
        return Some(Refusal::Tools(tool(&a.tool), tool(&b.tool)));
    }
    // How long each measured is its own affair.
    let rules = |results: &Results| Settings {
        time_budget_s: 0.0,
        max_blocks: 0,
        repeat: None,
        ..results.settings.clone()
    };
    if rules(a) != rules(b) {
        return Some(Refusal::Rules);
    }
    if !(may_be_same(a, b, |it| &it.base) && may_be_same(a, b, |it| &it.head)) {
        return Some(Refusal::OtherCommits(sides(a), sides(b)));
    }
    other_suite(a, b)
}

/// Whether the bases, or the heads, are of the same commits, as far as they have any.
fn may_be_same(a: &Results, b: &Results, of: fn(&ComparisonInfo) -> &String) -> bool {
    let commits = |results: &Results| -> BTreeSet<(Option<String>, Option<String>)> {
        let ids: BTreeSet<&String> = results.comparisons.iter().map(of).collect();
        let sides = results.sides.iter().filter(|side| ids.contains(&side.id));
        sides.map(|side| (side.commit.clone(), side.diff_digest.clone())).collect()
    };
    commits(a) == commits(b)
}

/// The revisions.
fn compared(a: &Results, b: &Results) -> Option<Refusal> {
    let identity = |results: &Results| -> Vec<_> {
        let of = |side: &SideInfo| (side.id.clone(), revision(side), side.diff_digest.clone());
        results.sides.iter().map(of).collect()
    };
    let is_same = identity(a) == identity(b) && a.comparisons.len() == b.comparisons.len();
    (!is_same).then(|| Refusal::Commits(sides(a), sides(b)))
}

/// The suite and who measures what of it.
fn planned(a: &Results, b: &Results) -> Option<Refusal> {
    if let Some(other) = other_suite(a, b) {
        return Some(other);
    }
    let (k_of_a, k_of_b) = (a.plan.family_size, b.plan.family_size);
    (a.plan != b.plan).then_some(Refusal::Plans(k_of_a, k_of_b))
}

/// A harness whose benchmarks are other code.
fn other_suite(a: &Results, b: &Results) -> Option<Refusal> {
    let (of_a, of_b) = (suites(a), suites(b));
    let is_other = |(name, commit): &(&&str, &Option<&str>)| {
        of_b.get(*name).is_some_and(|other| other != *commit)
    };
    of_a.iter().find(is_other).map(|(name, _)| Refusal::Suites((*name).to_owned()))
}

/// The benchmark code of each harness.
fn suites(results: &Results) -> BTreeMap<&str, Option<&str>> {
    let of = results.harnesses.iter();
    of.map(|harness| (harness.name.as_str(), harness.suite_commit.as_deref())).collect()
}

fn tool(tool: &ToolInfo) -> String {
    let commit = tool.commit.as_ref().map_or_else(String::new, |commit| format!(" ({commit})"));
    format!("{} {}{commit}", tool.name, tool.version)
}

fn revision(side: &SideInfo) -> String {
    side.commit.clone().unwrap_or_else(|| side.label.clone())
}

/// `base → head`, as a person knows them.
fn sides(results: &Results) -> String {
    let dirty = |side: &SideInfo| match &side.diff_digest {
        Some(digest) => format!(" with changes {}", digest.get(..12).unwrap_or(digest)),
        None => String::new(),
    };
    let name = |side: &SideInfo| revision(side) + &dirty(side);
    // Where there are several environments, the two stand in each.
    let names: Vec<String> = results.sides.iter().map(name).collect();
    let mut pairs: Vec<String> = names.chunks(2).map(|pair| pair.join(" → ")).collect();
    pairs.dedup();
    pairs.join(", ")
}
