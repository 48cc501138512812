//! Which revisions were compared, and why one of them could not be prepared.

use super::{Compared, Side, Unprepared, grouped};
use crate::{Options, number, text::Text};
use bench_results::{Pairing, Results, RunFailure, SideInfo, SideKind, SideName};

/// Both sides of every comparison; those of several comparisons stand together where they are the same
/// two, each in the same environment.
pub(super) fn compared(results: &Results, options: &Options) -> Vec<Compared> {
    let find = |id: &str| results.sides.iter().find(|side| side.id == id);
    let several = results.comparisons.len() > 1;
    let of_files = results.benchmarks.iter().any(|row| row.pairing == Pairing::Unpaired);
    let repository = options.repository_url.as_deref();
    let pairs =
        results.comparisons.iter().filter_map(|c| Some((c, find(&c.base)?, find(&c.head)?)));
    let named = pairs.map(|(comparison, base, head)| {
        let key = (same(base), same(head), base.environment == head.environment);
        (key, (comparison.id.as_str(), base, head))
    });
    let describe = |(key, pairs): (Key<'_>, Vec<(&str, &SideInfo, &SideInfo)>)| {
        let (_, base, head) = pairs[0];
        let (bases, heads) = pairs.iter().map(|(_, base, head)| (*base, *head)).unzip();
        let side = |info: &SideInfo, other: &SideInfo, all: Vec<&SideInfo>| Side {
            name: match key.2 {
                true => name(info, repository),
                false => name(info, repository).then(own_settings(results, info, other)),
            },
            prepared: prepared(&together(info, &all), of_files),
        };
        let mut compared =
            Compared { base: side(base, head, bases), head: side(head, base, heads) };
        if several && key.2 {
            let places = pairs.iter().map(|(id, ..)| Text::default().code(*id));
            let word =
                if results.comparisons.iter().all(|c| c.machine.is_some()) { "on" } else { "in" };
            compared.head.name =
                compared.head.name.words(format!(" {word} ")).then(Text::join(places, ", "));
        }
        compared
    };
    // Sides in environments that differ are told apart by these.
    let (one, apart): (Vec<_>, Vec<_>) = named.partition(|((_, _, is_one), _)| *is_one);
    let apart = apart.into_iter().map(|(key, pair)| (key, vec![pair]));
    grouped(one.into_iter()).into_iter().chain(apart).map(describe).collect()
}

/// What a side's environment has that the other's has not: its name, or its variables where these alone
/// tell one from the other.
fn own_settings(results: &Results, info: &SideInfo, other: &SideInfo) -> Text {
    let shared = |side: &SideInfo| {
        let of = |word: &SideName| side.environment.strip_suffix(&format!(" on {word}"));
        SideName::BOTH.iter().find_map(of).map(str::to_owned)
    };
    if shared(info).is_none() || shared(info) != shared(other) {
        return Text::of(" in ").code(&info.environment);
    }
    let find = |side: &SideInfo| results.environments.iter().find(|e| e.name == side.environment);
    let (Some(own), Some(others)) = (find(info), find(other)) else { return Text::default() };
    let own =
        own.variables.iter().filter(|&(name, value)| others.variables.get(name) != Some(value));
    let own: Vec<Text> =
        own.map(|(name, value)| Text::default().code(format!("{name}={value}"))).collect();
    match own.is_empty() {
        true => Text::default(),
        false => Text::of(" with ").then(Text::join(own, ", ")),
    }
}

/// What makes two pairs of sides the same: base, head, and whether one environment is for both.
type Key<'a> = ((&'a str, Option<&'a str>), (&'a str, Option<&'a str>), bool);

fn same(side: &SideInfo) -> (&str, Option<&str>) {
    (&side.label, side.commit.as_deref())
}

/// A side that was prepared in several environments.
fn together(info: &SideInfo, all: &[&SideInfo]) -> SideInfo {
    SideInfo {
        prepare_s: all.iter().map(|side| side.prepare_s).sum(),
        cached: all.iter().all(|side| side.cached),
        ..info.clone()
    }
}

/// The label and the commit, which leads to GitHub where the address is known.
fn name(info: &SideInfo, repository: Option<&str>) -> Text {
    let mut text = Text::default();
    let commit = info.commit.as_deref().filter(|c| is_commit(c));
    let short = commit.map(short);
    if Some(info.label.as_str()) != short && Some(info.label.as_str()) != commit {
        text = text.code(&info.label);
    }
    if let (Some(commit), Some(short)) = (commit, short) {
        let address =
            repository.map(|url| format!("{}/commit/{commit}", url.trim_end_matches('/')));
        text = if text.is_empty() { text } else { text.words(" ") };
        text = text.link(short, address.as_deref());
    }
    if info.dirty {
        text = text.words(" with uncommitted changes");
    }
    text
}

fn prepared(info: &SideInfo, of_files: bool) -> Text {
    let how = match (info.kind, info.cached) {
        (SideKind::Existing, _) => return Text::of("an existing build"),
        (SideKind::File, _) => return Text::of("a file of a harness"),
        (_, false) if info.prepare_s <= 0.0 && !of_files => return Text::of("not prepared"),
        (_, true) => " (cached)",
        (_, false) => "",
    };
    let text = if of_files {
        Text::of("measured in a run of its own")
    } else {
        Text::of(format!("prepared in {}{how}", number::duration(info.prepare_s)))
    };
    match &info.version {
        Some(version) => text.words(", version ").prose(version),
        None => text,
    }
}

/// Whether a text is a commit id, and so harmless.
pub(super) fn is_commit(text: &str) -> bool {
    (7..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The first seven digits of a commit id.
pub(super) fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}

/// `could not be built` and the like.
pub(super) fn went_wrong(stage: &str) -> Text {
    match stage {
        "checkout" => Text::of("could not be checked out"),
        "environment" => Text::of("has no environment to run in"),
        "build" => Text::of("could not be built"),
        "discover" => Text::of("could not list its benchmarks"),
        _ => Text::of("could not be prepared, at stage ").code(stage),
    }
}

/// What happened, where, and what to do.
pub(super) fn unprepared(results: &Results, failure: &RunFailure) -> Unprepared {
    let side = failure.side;
    let of_side = |c: &bench_results::ComparisonInfo| match side {
        SideName::Base => c.base.clone(),
        SideName::Head => c.head.clone(),
    };
    let ids: Vec<String> = results.comparisons.iter().map(of_side).collect();
    let info = results.sides.iter().find(|s| ids.contains(&s.id));
    let place = match info {
        Some(info) => name(info, None).words(": ").code(&failure.message),
        None => Text::default().code(&failure.message),
    };
    Unprepared {
        what: Text::of(format!("{side} ")).then(went_wrong(&failure.stage)),
        place,
        output: failure.stderr_tail.clone(),
        remedy: remedy(side, &failure.stage),
    }
}

fn remedy(side: SideName, stage: &str) -> Text {
    let flag = format!("--{side} REV");
    let text = match stage {
        "checkout" => Text::of(format!(
            "See that the revision of {side} exists and can be fetched, or name another with "
        )),
        "environment" => Text::of(format!(
            "Mend the environment that {side} asks for, or name another revision with "
        )),
        "discover" => Text::of(format!("Mend the suite on {side}, or name another revision with ")),
        _ => Text::of(format!("Mend the build of {side}, or name another revision with ")),
    };
    text.code(flag).words(".")
}
