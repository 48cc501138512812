//! New changes for the worse, told where people look: on the pull request that brought them, and in
//! an issue. Both are kept up to date as the comment on a pull request is.

use super::culprit::{culprits, range};
use super::place::Place;
use crate::args::{DetectArgs, TellArgs};
use crate::commands::comment::connection;
use crate::error::CliError;
use crate::github::Reporter;
use crate::terminal;
use bench_comment::{
    AsIssue, Commit, Content, Ending, Key, Marker, Mode, News, OnMerged, Post, Refusal, Report,
    Rest, Thread, Tracker as _, post,
};
use bench_core::skeleton::today;
use bench_render::dashboard::{ChangeLine, Dashboard, changes_table};
use jiff::ToSpan as _;
use std::collections::BTreeSet;
use std::time::Duration;

/// Who merged something longer ago has moved on; a history that was imported would wake everybody.
const DAYS: i64 = 90;

/// How long it takes until what one job has written is seen by another.
const SETTLE: Duration = Duration::from_secs(2);

const TITLE: &str = "Benchmarks changed for the worse on the default branch";

const HOW: &str = "The level of these benchmarks changed and has stayed since: what is compared is not two \
    runs but many before with many after, each commit measured against one pinned reference. The interval \
    holds in 95 of 100 cases. `bench-action bisect` looks closer; a change that is wanted is noted with \
    `bench-action history acknowledge`.";

/// Tells what the flags ask for.
pub(super) fn tell(
    args: &DetectArgs,
    place: &Place<'_>,
    shown: &Dashboard,
) -> Result<(), CliError> {
    if !args.tell.comment && !args.tell.issue {
        return Ok(());
    }
    // Without a commit there is nothing to tell.
    let Some(newest) = shown.commits.last() else { return Ok(()) };
    let desk = Desk::new(&args.tell, &newest.id, args.dry_run)?;
    if args.tell.comment {
        on_pulls(&desk, place, shown)?;
    }
    if args.tell.issue {
        desk.post(
            &AsIssue { tracker: &desk.github, title: TITLE },
            "the issue",
            news(shown, &ChangeLine::is_open),
            &|room| in_issue(shown, room),
        )?;
    }
    Ok(())
}

/// On each pull request that has brought something new for the worse: all that it has brought.
fn on_pulls(desk: &Desk, place: &Place<'_>, shown: &Dashboard) -> Result<(), CliError> {
    let first_day = today().saturating_sub(DAYS.days()).to_string();
    let is_recent = |change: &ChangeLine| {
        shown.commits.get(change.at).is_some_and(|commit| commit.day >= first_day)
    };
    let changes = || shown.series.iter().flat_map(|series| &series.changes);
    if !changes().any(|change| is_recent(change) && change.is_new && change.is_open()) {
        return Ok(());
    }
    let mainline = place.mainline()?;
    let ids: Vec<&str> = mainline.commits().iter().map(|commit| commit.id.as_str()).collect();
    let mut ask = |commit: &str| desk.github.merged_pulls(commit, &mainline.branch);
    let found = culprits(shown, &ids, &is_recent, &mut ask).map_err(CliError::Refused)?;
    let pulls: BTreeSet<u64> = found.values().copied().collect();
    for pull in pulls {
        let is_its = |change: &ChangeLine| found.get(&range(change)) == Some(&pull);
        if news(shown, &|change| change.is_open() && is_its(change)) == News::None {
            continue;
        }
        desk.post(
            &OnMerged { github: &desk.github, pull },
            &format!("pull request {pull}"),
            News::Some,
            &|room| on_pull(shown, &is_its, room),
        )?;
    }
    Ok(())
}

/// Whether one of these is new.
fn news(shown: &Dashboard, is_wanted: &dyn Fn(&ChangeLine) -> bool) -> News {
    let mut changes = shown.series.iter().flat_map(|series| &series.changes);
    if changes.any(|change| change.is_new && is_wanted(change)) { News::Some } else { News::None }
}

fn on_pull(shown: &Dashboard, is_its: &dyn Fn(&ChangeLine) -> bool, room: usize) -> String {
    let heading = "### Benchmarks changed on the default branch when this was merged";
    let room = room.saturating_sub(heading.len() + HOW.len() + 4);
    format!("{heading}\n\n{}\n{HOW}", changes_table(shown, is_its, room))
}

fn in_issue(shown: &Dashboard, room: usize) -> String {
    let changes = shown.series.iter().flat_map(|series| &series.changes);
    if !changes.into_iter().any(ChangeLine::is_open) {
        return "Every change for the worse is acknowledged or gone: this issue can be closed."
            .into();
    }
    let room = room.saturating_sub(HOW.len() + 2);
    format!("{}\n{HOW}", changes_table(shown, &ChangeLine::is_open, room))
}

/// Where and as what it is told.
struct Desk {
    github: Rest,
    marker: Marker,
    dry_run: bool,
}

impl Desk {
    fn new(args: &TellArgs, newest: &str, dry_run: bool) -> Result<Self, CliError> {
        let reporter = Reporter::from_environment();
        let name = args.repository.clone().or_else(|| reporter.repository.clone());
        let place = name.as_deref().and_then(bench_comment::Place::new);
        let place = place.ok_or(CliError::NoRepository(name))?;
        let key = Key::new(&args.key).ok_or_else(|| CliError::Key(args.key.clone()))?;
        let github = Rest::new(&connection(&reporter), place).map_err(CliError::Refused)?;
        let (run, attempt) = (reporter.run, reporter.attempt);
        let odd = || CliError::OddCommit {
            what: "the history".to_owned(),
            text: terminal::plain(newest),
        };
        let head = Commit::new(newest).ok_or_else(odd)?;
        let marker = Marker { key, head, run, attempt, content: Content::Results };
        Ok(Self { github, marker, dry_run })
    }

    fn post(
        &self,
        thread: &dyn Thread,
        what: &str,
        news: News,
        text: &dyn Fn(usize) -> String,
    ) -> Result<(), CliError> {
        if self.dry_run {
            if news == News::Some {
                terminal::say(&format!("{what} would be told of it"));
            }
            return Ok(());
        }
        let report = Report { marker: self.marker.clone(), news };
        let posting = Post { report, mode: Mode::Changes, settle: SETTLE };
        let mut write = |room: usize, _: &str| Ok::<_, CliError>(text(room));
        let line = match post(thread, &posting, &mut write)? {
            Ending::Created(posted) => format!("{what} was told: {}", posted.url),
            Ending::Updated(posted) => format!("{what} is up to date: {}", posted.url),
            Ending::Superseded(marker) => format!("{what} was told more by run {}", marker.run),
            Ending::NotNeeded => return Ok(()),
            // Nobody can be told there, and others still can elsewhere.
            Ending::Refused(refusal @ Refusal::Locked { .. }) => refusal.to_string(),
            Ending::TooLong => return Err(CliError::CommentTooLong),
            Ending::Contended => return Err(CliError::Contended),
            Ending::Refused(refusal) => return Err(CliError::Refused(refusal)),
        };
        terminal::say(&terminal::plain(&line));
        Ok(())
    }
}
