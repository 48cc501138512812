//! `bench-action comment`: the one comment on a pull request, from a results file of this repository
//! or from what another run has left.

mod check;
mod event;
mod fetched;
mod own;
mod posting;
mod remedy;
mod settings;

pub(crate) use fetched::FetchError;

use crate::args::CommentArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{github, terminal};
use bench_comment::{Commit, Connection, Content, Key, Mode, Patience, Place, Posted, Rest};
use bench_core::config::FailOn;
use bench_render::{Lack, Origin};
use bench_results::Results;
use event::Event;
use std::collections::BTreeSet;

/// What came of it.
#[derive(Debug)]
pub(crate) struct Told {
    /// How the process ends.
    pub(crate) exit: Exit,
    /// The comment that tells of this run now; none where another stays, or none was wanted.
    pub(crate) posted: Option<Posted>,
    /// What was reported, as it was judged here; none where the run left no results.
    pub(crate) results: Option<Results>,
    /// What a reader of the job should know, one text each; they were printed already.
    pub(crate) notices: Vec<String>,
}

/// The subcommand.
pub(crate) fn comment(args: &CommentArgs) -> Result<Exit, CliError> {
    let Told { exit, posted, results, notices } = bring_up_to_date(args)?;
    let (verdict, notices) = (results.map(|results| results.summary.verdict), notices.len());
    tracing::debug!(?posted, ?verdict, notices, "reported");
    Ok(exit)
}

/// Brings the comment up to date.
pub(crate) fn bring_up_to_date(args: &CommentArgs) -> Result<Told, CliError> {
    let desk = Desk::new(args)?;
    let mut notices = Notices::default();
    let subject = match args.trusted.run_id {
        Some(run) => fetched::subject(run, args, &desk, &mut notices)?,
        None => Some(own::subject(args, &desk)?),
    };
    match subject {
        Some(subject) => posting::report(args, &desk, subject, notices),
        None => Ok(Told { exit: Exit::Done, posted: None, results: None, notices: notices.0 }),
    }
}

/// Where and as whom it is reported.
struct Desk {
    reporter: github::Reporter,
    event: Event,
    github: Rest,
    place: Place,
    key: Key,
}

impl Desk {
    fn new(args: &CommentArgs) -> Result<Self, CliError> {
        let reporter = github::Reporter::from_environment();
        let (name, told) = github::event()?;
        let repository = args.repository.clone().or(reporter.repository.clone());
        let place = repository.as_deref().and_then(Place::new);
        let place = place.ok_or(CliError::NoRepository(repository))?;
        let key = Key::new(&args.key).ok_or_else(|| CliError::Key(args.key.clone()))?;
        let github = Rest::new(&connection(&reporter), place.clone()).map_err(CliError::Refused)?;
        Ok(Self { event: Event::new(&name, &told), reporter, github, place, key })
    }
}

pub(crate) fn connection(reporter: &github::Reporter) -> Connection {
    Connection {
        api_url: reporter.api_url.clone(),
        graphql_url: reporter.graphql_url.clone(),
        token: reporter.token.clone(),
        proxy: reporter.proxy.clone(),
        no_proxy: reporter.no_proxy.clone(),
        patience: Patience::default(),
    }
}

/// The commit that GitHub says `what` stands at.
fn told_commit(what: impl FnOnce() -> String, text: &str) -> Result<Commit, CliError> {
    let odd = || CliError::OddCommit { what: what(), text: terminal::plain(text) };
    Commit::new(text).ok_or_else(odd)
}

/// What is to be told, and of which run.
struct Subject {
    /// The pull request.
    pull: u64,
    /// The commit that was measured.
    head: Commit,
    /// The run; 0 for one by hand.
    run: u64,
    attempt: u32,
    tale: Tale,
    /// Whether strangers' code wrote what is told.
    is_of_strangers: bool,
    /// When a comment is created, where that is not for the command line to say.
    mode: Option<Mode>,
    /// The page of the run.
    page: Option<String>,
}

/// What is told, and what it comes to.
struct Tale {
    said: Said,
    /// What the results say of themselves, for the check.
    outcome: Exit,
    /// How the process ends if all is told.
    exit: Exit,
}

impl Tale {
    /// Of results; the process ends as `exit` makes of their outcome.
    fn of_results(
        results: Results,
        origin: Origin,
        fail_on: &BTreeSet<FailOn>,
        exit: impl FnOnce(Exit) -> Exit,
    ) -> Self {
        let outcome = Exit::of_results(&results, fail_on);
        let said = Said::Results(Box::new(results), origin);
        Self { said, outcome, exit: exit(outcome) }
    }

    /// That there are none to show. Whatever is wrong was wrong elsewhere.
    fn of_nothing(lack: Lack, why: String) -> Self {
        let said = Said::Nothing(lack, why);
        Self { said, outcome: Exit::NothingMeasured, exit: Exit::Done }
    }
}

/// What is told.
enum Said {
    /// Results, and whose.
    Results(Box<Results>, Origin),
    /// That there are none to show, and why.
    Nothing(Lack, String),
}

impl Said {
    /// A run without a single measured side has no table to show.
    fn content(&self) -> Content {
        let has_table = match self {
            Self::Results(results, _) => {
                results.failure.is_none() || !results.benchmarks.is_empty()
            }
            Self::Nothing(..) => false,
        };
        if has_table { Content::Results } else { Content::Nothing }
    }
}

/// What the job's reader is told besides, printed as it comes.
#[derive(Default)]
struct Notices(Vec<String>);

impl Notices {
    fn say(&mut self, text: impl Into<String>) {
        let text = text.into();
        terminal::say(&format!("notice: {text}"));
        self.0.push(text);
    }
}
