//! Which revisions were compared, and why one of them could not be prepared.

use super::{Compared, Side, Unprepared};
use crate::{Options, number, text::Text};
use bench_results::{Results, RunFailure, SideInfo, SideKind, SideName};

/// Both sides of every comparison; of a run that compares nothing, the sides there are.
pub(super) fn compared(results: &Results, options: &Options) -> Vec<Compared> {
    let find = |id: &str| results.sides.iter().find(|side| side.id == id);
    let pairs = results.comparisons.iter().filter_map(|c| Some((find(&c.base)?, find(&c.head)?)));
    let several = results.comparisons.len() > 1;
    let repository = options.repository_url.as_deref();
    let describe = |info: &SideInfo| Side {
        name: if several {
            name(info, repository).words(" in ").code(&info.environment)
        } else {
            name(info, repository)
        },
        prepared: prepared(info),
    };
    pairs.map(|(base, head)| Compared { base: describe(base), head: describe(head) }).collect()
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

fn prepared(info: &SideInfo) -> Text {
    let how = match (info.kind, info.cached) {
        (SideKind::Existing, _) => return Text::of("an existing build"),
        (SideKind::File, _) => return Text::of("a file of a harness"),
        (_, false) if info.prepare_s <= 0.0 => return Text::of("not prepared"),
        (_, true) => " (cached)",
        (_, false) => "",
    };
    let text = Text::of(format!("prepared in {}{how}", number::duration(info.prepare_s)));
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
