//! Writes what is to be told: the comment, then the check.

use super::{Desk, Notices, Said, Subject, Told, check, remedy};
use crate::args::{CommentArgs, When};
use crate::error::CliError;
use crate::exit::Exit;
use crate::{report as files, terminal};
use bench_comment::{
    Action, Check, Content, Ending, Marker, Mode, News, OnPull, Post, PostError, Posted, Report,
    plan, post,
};
use bench_render::{Options, Origin, RenderError};
use bench_results::{Results, WholeVerdict};
use std::time::Duration;

/// How long it takes until what one job has written is seen by another.
const SETTLE: Duration = Duration::from_secs(2);

/// Brings comment and check up to date.
pub(super) fn report(
    args: &CommentArgs,
    desk: &Desk,
    subject: Subject,
    mut notices: Notices,
) -> Result<Told, CliError> {
    let posting = posting(args, desk, &subject);
    let thread = OnPull { github: &desk.github, pull: subject.pull };
    let options = options(args, desk, &subject)?;
    let mut write = |budget: usize, current: &str| text(&subject, &options, budget, current);
    let checked = args.check_run.as_deref().map(|name| check::check(name, &subject, &options));
    let checked = checked.transpose()?;
    let (exit, posted) = if args.dry_run {
        show(&thread, &posting, &mut write, checked.as_ref())?;
        (Exit::Done, None)
    } else {
        let ending = post(&thread, &posting, &mut write)?;
        let told = ended(ending, desk, &mut notices)?;
        if let Some(checked) = &checked {
            check::set(checked, desk, &mut notices)?;
        }
        match told {
            Some(posted) => (subject.tale.exit, posted),
            // What a fork's own job may not tell, it does not fail for.
            None => (Exit::Done, None),
        }
    };
    let results = match subject.tale.said {
        Said::Results(results, _) => Some(*results),
        Said::Nothing(..) => None,
    };
    Ok(Told { exit, posted, results, notices: notices.0 })
}

fn posting(args: &CommentArgs, desk: &Desk, subject: &Subject) -> Post {
    let content = subject.tale.said.content();
    let marker = Marker {
        key: desk.key.clone(),
        head: subject.head.clone(),
        run: subject.run,
        attempt: subject.attempt,
        content,
    };
    let news = match &subject.tale.said {
        Said::Results(results, origin) => news(results, origin),
        Said::Nothing(..) => News::Some,
    };
    Post {
        report: Report { marker, news },
        mode: subject.mode.unwrap_or_else(|| mode(args.when)),
        settle: SETTLE,
    }
}

fn options(args: &CommentArgs, desk: &Desk, subject: &Subject) -> Result<Options, CliError> {
    Ok(Options {
        template: args.template.as_deref().map(files::read_template).transpose()?,
        repository_url: Some(format!("{}/{}", desk.reporter.server_url, desk.place)),
        report_url: args.report_url.clone().or_else(|| subject.page.clone()),
        origin: match &subject.tale.said {
            Said::Results(_, origin) => origin.clone(),
            Said::Nothing(..) => Origin::Own,
        },
        ..Options::default()
    })
}

/// The report for a pull request that stands at the commit `current`.
fn text(
    subject: &Subject,
    options: &Options,
    budget: usize,
    current: &str,
) -> Result<String, RenderError> {
    let newer_head = (current != subject.head.as_str()).then(|| current.to_owned());
    let options = Options { budget, newer_head, ..options.clone() };
    match &subject.tale.said {
        Said::Results(results, _) => bench_render::markdown(results, &options),
        Said::Nothing(lack, why) => {
            Ok(bench_render::nothing(*lack, subject.head.as_str(), why, &options))
        }
    }
}

/// That a contributor's run was measured by other settings than ours, or for another commit, is news.
fn news(results: &Results, origin: &Origin) -> News {
    let counts = &results.summary.counts;
    let is_quiet = matches!(
        results.summary.verdict,
        WholeVerdict::Unchanged | WholeVerdict::Empty | WholeVerdict::Inconclusive
    );
    let is_usual = match origin {
        Origin::Own => true,
        Origin::Contributor(claims) => {
            !claims.has_other_settings && claims.other_head.is_none() && claims.other_base.is_none()
        }
    };
    if is_quiet && is_usual && counts.improved == 0 { News::None } else { News::Some }
}

fn mode(when: When) -> Mode {
    match when {
        When::Always => Mode::Always,
        When::Changes => Mode::Changes,
        When::Never => Mode::Never,
    }
}

/// Prints what would be written.
fn show(
    thread: &OnPull<'_>,
    posting: &Post,
    write: bench_comment::Write<'_, RenderError>,
    checked: Option<&Check>,
) -> Result<(), CliError> {
    let (action, text) = plan(thread, posting, write).map_err(|error| match error {
        PostError::Refused(refusal) => CliError::Refused(refusal),
        PostError::Report(error) => CliError::Render(error),
    })?;
    terminal::say(&planned(&action));
    if let Some(Check { name, conclusion, .. }) = checked {
        terminal::say(&format!("the check {name:?} would be {}", conclusion.word()));
    }
    terminal::print(&text.unwrap_or_default())
}

fn planned(action: &Action) -> String {
    match action {
        Action::Create(_) => "a new comment would be created:".to_owned(),
        Action::Update { id, .. } => format!("comment {id} would become:"),
        Action::End(Ending::Superseded(marker)) => superseded(marker),
        _ => "nothing would be done: there is no comment, and none is wanted".to_owned(),
    }
}

fn superseded(marker: &Marker) -> String {
    let head = marker.head.short();
    let state = match marker.content {
        Content::Results => "",
        Content::Nothing => ", which left no results",
    };
    format!("the comment tells of a newer state ({head}, run {}{state}) and stays", marker.run)
}

/// The comment that was written, if any; nothing at all where this job may not write one.
fn ended(
    ending: Ending,
    desk: &Desk,
    notices: &mut Notices,
) -> Result<Option<Option<Posted>>, CliError> {
    let (line, posted) = match (ending, desk.event.read_only) {
        (Ending::Refused(refusal), Some(whose)) if refusal.is_missing_permission() => {
            notices.say(remedy::second_workflow(whose, desk));
            return Ok(None);
        }
        (Ending::Created(posted), _) => (format!("comment created: {}", posted.url), Some(posted)),
        (Ending::Updated(posted), _) => (format!("comment updated: {}", posted.url), Some(posted)),
        (Ending::Superseded(marker), _) => (superseded(&marker), None),
        (Ending::NotNeeded, _) => ("no comment: there is nothing to say".to_owned(), None),
        (Ending::TooLong, _) => return Err(CliError::CommentTooLong),
        (Ending::Contended, _) => return Err(CliError::Contended),
        (Ending::Refused(refusal), _) => return Err(CliError::Refused(refusal)),
    };
    terminal::say(&line);
    Ok(Some(posted))
}
