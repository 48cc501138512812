//! How it was measured, on what, and by which program.

use super::{Fact, grouped};
use crate::{number, text::Text};
use bench_results::{
    Clock, EnvironmentInfo, MachineInfo, Pairing, Results, Row, Schedule, SideInfo, SideKind,
    Verdict,
};
use std::collections::BTreeMap;

/// Packages named before the rest is counted.
const PACKAGES_NAMED: usize = 12;

/// Lines of provenance; what is not known is left out.
pub(super) fn method(results: &Results) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut add = |name, text: Option<Text>| {
        let fact = text.filter(|text| !text.is_empty()).map(|text| Fact { name, text });
        // What is the same in several environments is told once.
        facts.extend(fact.filter(|fact| !facts.contains(fact)));
    };
    add("Measured", Some(measured(results)));
    add("Decided", decided(results));
    add("Noise", noise(results));
    add("Control", Some(control(results)));
    for machine in &results.machines {
        add("Machine", Some(machine_text(machine, results)));
    }
    for environment in &results.environments {
        add("Environment", Some(environment_text(environment, results.environments.len() > 1)));
    }
    add("Harness", harnesses(results));
    for side in &results.sides {
        add(role(side, results), side_text(side));
    }
    for (whose, details) in libraries(results) {
        add("Libraries", Some(libraries_text(&whose, details)));
    }
    add("Time", time(results));
    add("Made by", Some(made_by(results)));
    facts
}

/// How a block ran its sides.
pub(super) fn schedule_words(schedule: Schedule) -> &'static str {
    match schedule {
        Schedule::Duet => "both sides at once on one core",
        Schedule::Alternate => "both sides taking turns on one core",
        Schedule::Sequential => "one side after the other",
    }
}

/// What a result was timed by.
pub(super) fn clock_words(clock: Clock) -> &'static str {
    match clock {
        Clock::Cpu => "CPU time",
        Clock::Wall => "wall clock",
    }
}

fn were_run(results: &Results) -> impl Iterator<Item = &Row> {
    results.benchmarks.iter().filter(|row| row.schedule.is_some() && row.blocks_used > 0)
}

fn measured(results: &Results) -> Text {
    let blocks = number::range(were_run(results).map(|row| row.blocks_used), |n| n.to_string());
    let Some(blocks) = blocks else {
        return Text::of("nothing was run");
    };
    if were_run(results).all(|row| row.pairing == Pairing::Unpaired) {
        let launches = if blocks == "1" { "launch" } else { "launches" };
        return Text::of(format!("{blocks} {launches} of each side, in runs of their own"));
    }
    let schedules = tally(were_run(results).filter_map(|row| row.schedule), schedule_words);
    let clocks = tally(were_run(results).filter_map(|row| row.clock), clock_words);
    let parts = [
        format!("{blocks} {} each", if blocks == "1" { "block" } else { "blocks" }),
        schedules,
        clocks,
    ];
    Text::of(parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join("; "))
}

/// `CPU time`, or `CPU time (98 results), wall clock (2 results)`.
fn tally<T>(items: impl Iterator<Item = T>, word: impl Fn(T) -> &'static str) -> String {
    let mut groups = grouped(items.map(|item| (word(item), ())));
    groups.sort_by_key(|(_, items)| std::cmp::Reverse(items.len()));
    if let [(word, _)] = groups.as_slice() {
        return (*word).to_owned();
    }
    let counted =
        groups.iter().map(|(word, n)| format!("{word} ({})", number::plural(n.len(), "result")));
    counted.collect::<Vec<_>>().join(", ")
}

fn decided(results: &Results) -> Option<Text> {
    let settings = &results.settings;
    were_run(results).next()?;
    let thresholds = were_run(results).map(|row| row.rule.threshold);
    let threshold = number::range(thresholds, number::share).unwrap_or_default();
    let mut text = format!(
        "a change counts from {threshold} on, unchanged means within ±{threshold}; intervals hold with {}",
        confidences(results),
    );
    text += &format!(
        "; the bound on false alarms is shared among {}",
        number::plural(usize::try_from(results.plan.family_size).unwrap_or(usize::MAX), "result"),
    );
    if settings.fail_threshold > settings.threshold {
        text += &format!("; the job fails from {} on", number::share(settings.fail_threshold));
    }
    Some(Text::of(text))
}

/// `95 %`, with the exception that unchanged rows are.
fn confidences(results: &Results) -> String {
    let of = |is_unchanged: bool| {
        let rows = were_run(results)
            .filter(|row| (row.verdict == Some(Verdict::Unchanged)) == is_unchanged)
            .filter(|row| row.pairing != Pairing::Exact);
        number::range(rows.filter_map(|row| Some(row.change.as_ref()?.confidence)), number::share)
    };
    match (of(false), of(true)) {
        (Some(changed), Some(unchanged)) if changed != unchanged => {
            format!("{changed} confidence ({unchanged} where unchanged)")
        }
        (Some(same), _) | (None, Some(same)) => format!("{same} confidence"),
        (None, None) => "certainty".into(),
    }
}

/// The spread between equals, which bounds what can be seen.
fn noise(results: &Results) -> Option<Text> {
    let noise: Vec<f64> = were_run(results).filter_map(|row| Some(row.noise?.sd)).collect();
    let spread = number::range(noise.iter().copied(), number::share)?;
    let mut sorted = noise;
    sorted.sort_by(f64::total_cmp);
    let median = number::share(sorted[sorted.len() / 2]);
    Some(Text::of(format!("a block's result varies by {spread} (median {median})")))
}

fn control(results: &Results) -> Text {
    if results.trust.ok && results.sentinel.is_empty() {
        return Text::of("base against base: not run");
    }
    let rows = number::plural(results.sentinel.len(), "benchmark");
    let text = Text::of(format!("base against base, {rows}: "));
    match (results.trust.ok, &results.trust.reason) {
        (true, None) => text.words("no alarm"),
        (true, Some(reason)) => text.prose(reason),
        (false, _) => text.words("alarm"),
    }
}

fn machine_text(machine: &MachineInfo, results: &Results) -> Text {
    let name = machine.name.as_ref().map(|name| Text::default().code(name).words(": "));
    let mut parts = vec![name.unwrap_or_default().then(match &machine.cpu {
        Some(cpu) => Text::quoted(cpu),
        None => Text::of("unknown processor"),
    })];
    let cores = usize::try_from(machine.cores).unwrap_or(usize::MAX);
    parts.push(Text::of(number::plural(cores, "core")));
    #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
    parts.extend(machine.memory.map(|b| Text::of(number::quantity(b as f64, "bytes"))));
    parts.push(Text::quoted(&machine.os));
    let quoted = [("kernel ", &machine.kernel), ("virtualization ", &machine.virtualization)];
    parts.extend(
        quoted.into_iter().filter_map(|(words, fact)| Some(Text::of(words).prose(fact.as_ref()?))),
    );
    parts.extend(machine.governor.as_ref().map(|g| Text::of("governor ").prose(g)));
    parts.extend(machine.turbo.map(|on| Text::of(if on { "turbo on" } else { "turbo off" })));
    parts.extend(load(machine, results).map(|load| Text::of("load ").words(load)));
    parts.extend(machine.limits.iter().map(Text::quoted));
    parts.extend(machine.runner.as_ref().map(|r| Text::of("runner ").prose(r)));
    Text::join(parts, " · ")
}

/// The range of load averages while measuring, or the one at the start.
fn load(machine: &MachineInfo, results: &Results) -> Option<String> {
    let rows = results.benchmarks.iter().filter(|row| row.machine == machine.id);
    let loads = rows.flat_map(|row| row.blocks.iter().filter_map(|block| block.load));
    number::range(loads.chain(machine.load), |load| format!("{load:.1}"))
}

fn environment_text(environment: &EnvironmentInfo, several: bool) -> Text {
    let mut parts = Vec::new();
    if several {
        parts.push(Text::default().code(&environment.name));
    }
    parts.extend(environment.python.as_ref().map(|p| Text::of("Python ").prose(p)));
    let mut packages: Vec<&String> = environment.packages.iter().collect();
    packages.sort_unstable();
    let named = packages.iter().take(PACKAGES_NAMED);
    if !packages.is_empty() {
        let list = Text::join(named.map(|p| Text::quoted(p.replacen("==", " ", 1))), ", ");
        let more = packages.len().saturating_sub(PACKAGES_NAMED);
        let more = if more > 0 { format!(" and {more} more packages") } else { String::new() };
        parts.push(list.words(more));
    }
    let variable =
        |(name, value): (&String, &String)| Text::default().code(format!("{name}={value}"));
    parts.extend(environment.variables.iter().map(variable));
    Text::join(parts, " · ")
}

fn harnesses(results: &Results) -> Option<Text> {
    let harness = |h: &bench_results::HarnessInfo| {
        let name = if h.name == "asv" {
            Text::of("asv, run by asv_runner")
        } else {
            Text::quoted(&h.name)
        };
        let text = match &h.version {
            Some(version) => name.words(" ").prose(version),
            None => name,
        };
        match &h.suite_commit {
            Some(commit) if super::sides::is_commit(commit) => {
                text.words(", benchmarks of ").words(super::sides::short(commit))
            }
            Some(digest) => text.words(", benchmarks of ").prose(digest),
            None => text,
        }
    };
    let text = Text::join(results.harnesses.iter().map(harness), "; ");
    (!text.is_empty()).then_some(text)
}

/// Whether a side is compared with, or judged.
fn role(side: &SideInfo, results: &Results) -> &'static str {
    let is_base = results.comparisons.iter().any(|comparison| comparison.base == side.id);
    if is_base { "Base" } else { "Head" }
}

/// What is special about a side: an existing build, changes in no commit, its version.
fn side_text(side: &SideInfo) -> Option<Text> {
    let mut parts = Vec::new();
    match side.kind {
        SideKind::Existing => parts.push(Text::of("an existing build")),
        SideKind::Worktree => parts.push(Text::of("the working tree as it was")),
        SideKind::Built | SideKind::File => {}
    }
    parts.extend(side.version.as_ref().map(|v| Text::of("version ").prose(v)));
    parts.extend(side.diff_digest.as_ref().map(|digest| {
        Text::of("uncommitted changes with digest ")
            .prose(digest.chars().take(12).collect::<String>())
    }));
    if parts.is_empty() {
        return None;
    }
    let is_commit = super::sides::is_commit(&side.label);
    let label = if is_commit { super::sides::short(&side.label) } else { &side.label };
    Some(Text::default().code(label).words(": ").then(Text::join(parts, ", ")))
}

/// What the libraries of the sides tell of themselves, and whose: sides that are told the same stand
/// together.
fn libraries(results: &Results) -> Vec<(Vec<&SideInfo>, &BTreeMap<String, String>)> {
    let told = results.sides.iter().filter(|side| !side.details.is_empty());
    let mut groups: Vec<(Vec<&SideInfo>, &BTreeMap<String, String>)> = Vec::new();
    for side in told {
        match groups.iter_mut().find(|(_, details)| **details == side.details) {
            Some((sides, _)) => sides.push(side),
            None => groups.push((vec![side], &side.details)),
        }
    }
    groups
}

fn libraries_text(whose: &[&SideInfo], details: &BTreeMap<String, String>) -> Text {
    let whose = whose.iter().map(|side| Text::default().prose(&side.id));
    let detail = |(name, value): (&String, &String)| Text::quoted(name).words(" ").prose(value);
    let details = Text::join(details.iter().map(detail), "; ");
    Text::join(whose, ", ").words(": ").then(details)
}

fn time(results: &Results) -> Option<Text> {
    let time = results.summary.time;
    (time.prepare_s + time.measure_s > 0.0).then(|| {
        let text = format!(
            "{} preparing, {} measuring",
            number::duration(time.prepare_s),
            number::duration(time.measure_s)
        );
        Text::of(if time.sliced_s > 0.0 {
            format!("{text} ({} of it inside benchmarks)", number::duration(time.sliced_s))
        } else {
            text
        })
    })
}

fn made_by(results: &Results) -> Text {
    let text = Text::quoted(&results.tool.name).words(" ").prose(&results.tool.version);
    let text = text.words(" · ").code(&results.created);
    let text = text.words(" · seed ").code(&results.seed);
    let digest = |digest: &str| digest.chars().take(12).collect::<String>();
    let text = match results.plan.digest.as_str() {
        "" => text,
        plan => text.words(" · plan ").code(digest(plan)),
    };
    text.words(" · configuration ").code(digest(&results.config.digest))
}
