//! `bench-action comment`: the one comment on a pull request, from a results file of this repository.

use crate::args::{CommentArgs, When};
use crate::error::CliError;
use crate::exit::Exit;
use crate::{github, report, terminal};
use bench_comment::{
    Action, Connection, Content, Ending, GitHub as _, Key, Marker, Mode, News, Patience, Place,
    Post, PostError, Pull, Rest, plan, post,
};
use bench_render::Options;
use bench_results::{Results, WholeVerdict, read_path};
use std::time::Duration;

/// How long it takes until what one job has written is seen by another.
const SETTLE: Duration = Duration::from_secs(2);

/// Brings the comment up to date.
pub(crate) fn comment(args: &CommentArgs) -> Result<Exit, CliError> {
    let results = read_path(&args.results.clone().map_or_else(report::last, Ok)?)?;
    let reporter = github::Reporter::from_environment();
    let job = github::Job::from_environment()?;
    let pull = job.as_ref().and_then(|job| job.pull_request.as_ref());
    let number = args.pr.or(pull.map(|pull| pull.number)).ok_or(CliError::NoPullRequest)?;
    let name = args.repository.clone().or(reporter.repository.clone());
    let place = name.as_deref().and_then(Place::new).ok_or(CliError::NoRepository(name))?;
    let key = Key::new(&args.key).ok_or_else(|| CliError::Key(args.key.clone()))?;
    let github = Rest::new(&connection(&reporter), place.clone()).map_err(CliError::Refused)?;
    let head = measured(&results, &github.pull(number).map_err(CliError::Refused)?);
    let content = content(&results);
    let marker = Marker { key, head, run: reporter.run, attempt: reporter.attempt, content };
    let posting = Post {
        pull: number,
        report: bench_comment::Report { marker, news: news(&results) },
        mode: mode(args.when),
        settle: SETTLE,
    };
    let template = args.template.as_deref().map(report::read_template).transpose()?;
    let repository_url = format!("{}/{place}", reporter.server_url);
    let mut write = |budget: usize, current: &str| {
        let newer = (current != posting.report.marker.head).then(|| current.to_owned());
        let options = Options {
            budget,
            template: template.clone(),
            repository_url: Some(repository_url.clone()),
            report_url: args.report_url.clone(),
            newer_head: newer,
            ..Options::default()
        };
        bench_render::markdown(&results, &options)
    };
    if args.dry_run {
        let (action, text) = plan(&github, &posting, &mut write).map_err(|error| match error {
            PostError::Refused(refusal) => CliError::Refused(refusal),
            PostError::Report(error) => CliError::Render(error),
        })?;
        terminal::say(&planned(&action));
        terminal::print(&text.unwrap_or_default())?;
        return Ok(Exit::Done);
    }
    ended(post(&github, &posting, &mut write)?)
}

fn connection(reporter: &github::Reporter) -> Connection {
    Connection {
        api_url: reporter.api_url.clone(),
        graphql_url: reporter.graphql_url.clone(),
        token: reporter.token.clone(),
        proxy: reporter.proxy.clone(),
        no_proxy: reporter.no_proxy.clone(),
        patience: Patience::default(),
    }
}

/// The pull request's commit that was measured: the merge of both is measured for its head, and an
/// existing build for where the pull request stands.
fn measured(results: &Results, pull: &Pull) -> String {
    let id = results.comparisons.first().map(|comparison| comparison.head.as_str());
    let side = results.sides.iter().find(|side| Some(side.id.as_str()) == id);
    match side.and_then(|side| side.commit.as_deref()).map(str::to_ascii_lowercase) {
        Some(commit) if Some(&commit) != pull.merge_commit.as_ref() => commit,
        _ => pull.head.clone(),
    }
}

/// A run without a single measured side has no table to show.
fn content(results: &Results) -> Content {
    if results.failure.is_some() { Content::Nothing } else { Content::Results }
}

fn news(results: &Results) -> News {
    let counts = &results.summary.counts;
    let is_quiet = matches!(
        results.summary.verdict,
        WholeVerdict::Unchanged | WholeVerdict::Empty | WholeVerdict::Inconclusive
    );
    if is_quiet && counts.improved == 0 { News::None } else { News::Some }
}

fn mode(when: When) -> Mode {
    match when {
        When::Always => Mode::Always,
        When::Changes => Mode::Changes,
        When::Never => Mode::Never,
    }
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
    let head = marker.head.get(..7).unwrap_or_default();
    format!("the comment tells of a newer state ({head}, run {}) and stays", marker.run)
}

fn ended(ending: Ending) -> Result<Exit, CliError> {
    match ending {
        Ending::Created(posted) => terminal::say(&format!("comment created: {}", posted.url)),
        Ending::Updated(posted) => terminal::say(&format!("comment updated: {}", posted.url)),
        Ending::Superseded(marker) => terminal::say(&superseded(&marker)),
        Ending::NotNeeded => terminal::say("no comment: there is nothing to say"),
        Ending::TooLong => return Err(CliError::CommentTooLong),
        Ending::Contended => return Err(CliError::Contended),
        Ending::Refused(refusal) => return Err(CliError::Refused(refusal)),
    }
    Ok(Exit::Done)
}
