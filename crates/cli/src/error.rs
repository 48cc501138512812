//! Everything that ends a subcommand early, with the exit code each stands for.

use crate::exit::Exit;
use bench_core::doctor::DoctorError;
use bench_core::run::RunError;
use bench_process::{Interrupt, Signal};
use std::path::PathBuf;

/// Why a subcommand could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// A harness that the registry lacks.
    #[error("the harness `{0}` is not built in; a defect of ours, please report it")]
    NoHarness(&'static str),
    /// A flag whose value makes no sense.
    #[error("{what} {message}")]
    Flag {
        /// The flag, with its value where it has one.
        what: String,
        /// What is wrong and what to do.
        message: String,
    },
    /// `-C DIR`.
    #[error("-C {path}: {source}; name an existing directory")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// Standard output was closed or is full.
    #[error("the report could not be written to standard output: {0}")]
    Output(std::io::Error),
    /// A file that is read.
    #[error("{path}: {source}; name one that exists and can be read")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// `render` before there are any.
    #[error("there are no results here yet: run `bench-action run` first, or name a results file")]
    NoResults,
    /// A file that is written.
    #[error("{path}: {source}; is the place writable, and the disk not full?")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// Signals cannot be waited for.
    #[error("signals cannot be waited for: {0}")]
    Signals(std::io::Error),
    /// A mistake in flags or file.
    #[error(transparent)]
    Config(#[from] bench_core::config::ConfigError),
    /// A mistake in a harness's own configuration.
    #[error(transparent)]
    Harness(#[from] bench_harness::HarnessError),
    /// The revisions could not be found or checked out.
    #[error(transparent)]
    Sides(#[from] bench_core::sides::SidesError),
    /// A revision or a path that the user named is not there.
    #[error("{0}")]
    Named(bench_core::sides::SidesError),
    /// The run could not end as it should.
    #[error(transparent)]
    Run(#[from] bench_core::run::RunError),
    /// The machine could not be measured.
    #[error(transparent)]
    Doctor(#[from] DoctorError),
    /// A signal was the reason of another.
    #[error("{error}")]
    Stopped {
        /// The signal.
        signal: Signal,
        /// How it showed.
        error: Box<CliError>,
    },
    /// A side could not be prepared, for a subcommand that makes no results.
    #[error("{} could not be prepared ({})\n  {}\n{}", .0.side, .0.stage, .0.message, .0.stderr_tail)]
    NotPrepared(bench_results::RunFailure),
    /// A results file that is none.
    #[error(transparent)]
    Read(#[from] bench_results::ReadError),
    /// Files that cannot be compared.
    #[error(transparent)]
    Files(#[from] bench_core::outputs::FilesError),
    /// Results that are not shards of one run, or a place that cannot take the merged ones.
    #[error("{0}")]
    Merge(String),
    /// A results file that cannot be written.
    #[error(transparent)]
    Write(bench_results::WriteError),
    /// The report could not be made.
    #[error(transparent)]
    Render(#[from] bench_render::RenderError),
    /// A template for a form that has none.
    #[error("--template is for --format markdown")]
    Template,
    /// `render --slices` of results whose samples file is elsewhere.
    #[error(
        "{0}: it is not there, or not the one that the results name; put the samples file of that run there, or \
         take `--format csv`, which needs the results alone and has a line for each launch"
    )]
    Slices(PathBuf),
    /// `render --slices` of results that have none.
    #[error(
        "{0}: these results name no samples file, so there are no slices; `--format csv` has a line for each launch"
    )]
    NoSlices(PathBuf),
    /// A stored verdict does not follow from the stored evidence.
    #[error(
        "{path}: {id} is stored as {}, its evidence says {}; the file was changed, or another version wrote it",
        word(*stored), word(*judged)
    )]
    Verify {
        /// The file.
        path: PathBuf,
        /// The row.
        id: String,
        /// The verdict in the file.
        stored: Option<bench_results::Verdict>,
        /// The verdict from the evidence.
        judged: Option<bench_results::Verdict>,
    },
    /// A stored figure does not.
    #[error(
        "{path}: {place} is stored as {stored}, the evidence says {again}; the file was changed, or another version wrote it"
    )]
    VerifyFigure {
        /// The file.
        path: PathBuf,
        /// Which figure.
        place: String,
        /// What the file says.
        stored: String,
        /// What follows from the evidence.
        again: String,
    },
    /// The samples beside results are not theirs.
    #[error(
        "{0}: not the samples file that the results beside it name: its digest is another; put the file of that run beside them, or take this one away"
    )]
    VerifySamples(PathBuf),
    /// A report is not that of the results.
    #[error(
        "{path}: not the report of these results: line {line} says `{found}`, they give `{expected}`; it is of another run, was changed, or was written by another version or with another template (--template)"
    )]
    VerifyReport {
        /// The report.
        path: PathBuf,
        /// The first line that differs, from 1.
        line: usize,
        /// What it says there.
        found: String,
        /// What it should say.
        expected: String,
    },
    /// The demo's repository.
    #[error(transparent)]
    Demo(#[from] crate::demo::DemoError),
    /// `init` outside of a repository.
    #[error("there is no git repository here: `init` writes into one; go there with -C DIR")]
    NoRepositoryHere,
    /// `init` where something is already.
    #[error(
        "{0}: already there, and not what would be written; nothing was changed. Move it away, or \
             see with --dry-run what would stand there"
    )]
    Exists(String),
    /// GitHub refused, or could not be reached.
    #[error(transparent)]
    Refused(bench_comment::Refusal),
    /// `comment` without a pull request.
    #[error("which pull request? Pass --pr N; only a job started by one knows its number")]
    NoPullRequest,
    /// Somebody else's word for a commit, which is none.
    #[error(
        "{what} is said to stand at `{text}`, which is no commit: 40 or 64 lower-case hexadecimal digits"
    )]
    OddCommit {
        /// What stands there.
        what: String,
        /// The word.
        text: String,
    },
    /// `comment` without a repository.
    #[error("which repository? {}; pass --repository OWNER/NAME", .0.as_ref().map_or_else(
        || "GITHUB_REPOSITORY is not set".to_owned(), |name| format!("`{name}` is none")))]
    NoRepository(Option<String>),
    /// A key that could end the marker early.
    #[error(
        "--key {0:?}: a key has 1 to 64 of the characters A-Z a-z 0-9 . _ - and no two dashes in a row"
    )]
    Key(String),
    /// Even the shortest comment was refused.
    #[error(
        "GitHub takes no comment as short as this report can be made; the report is in its artifact"
    )]
    CommentTooLong,
    /// A check was refused for its length.
    #[error("GitHub takes no check of this length; the report is in its artifact")]
    CheckTooLong,
    /// Others wrote at the same time, again and again.
    #[error(
        "other runs wrote this comment again and again; run this job again, and give workflows keys of their own with --key"
    )]
    Contended,
    /// What another run has left.
    #[error(transparent)]
    Fetched(#[from] crate::commands::comment::FetchError),
    /// A history.
    #[error(transparent)]
    History(#[from] crate::commands::HistoryError),
    /// The job's variables or its event file.
    #[error(transparent)]
    GitHub(#[from] crate::github::EventError),
    /// A file of the runner's.
    #[error(transparent)]
    Runner(#[from] crate::github::RunnerError),
    /// A step of the action.
    #[error(transparent)]
    Action(#[from] crate::action::ActionError),
}

impl CliError {
    /// The same, put down to the signal that was received: what then could not be prepared is
    /// nobody's fault.
    pub(crate) fn by_signal(self, interrupt: &Interrupt) -> Self {
        match (self.exit(), interrupt.received()) {
            (Exit::Interrupted | Exit::NotPrepared, Some(signal)) => {
                Self::Stopped { signal, error: Box::new(self) }
            }
            _ => self,
        }
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Refused(_)
            | Self::OddCommit { .. }
            | Self::CommentTooLong
            | Self::CheckTooLong
            | Self::Contended => Exit::GitHub,
            Self::Fetched(error) => error.exit(),
            Self::History(error) => error.exit(),
            Self::NoPullRequest
            | Self::NoRepository(_)
            | Self::NoRepositoryHere
            | Self::Exists(_)
            | Self::Key(_)
            | Self::Directory { .. }
            | Self::GitHub(_)
            | Self::Flag { .. }
            | Self::Action(_)
            | Self::Config(_)
            | Self::Named(_)
            | Self::Harness(_)
            | Self::Read(_)
            | Self::Files(_)
            | Self::Merge(_)
            | Self::Render(_)
            | Self::Template
            | Self::Slices(_)
            | Self::NoSlices(_)
            | Self::Write(_)
            | Self::Unreadable { .. }
            | Self::NoResults
            | Self::File { .. } => Exit::Usage,
            Self::Sides(error) if error.is_interrupt() => Exit::Interrupted,
            Self::Sides(_) | Self::NotPrepared(_) | Self::Demo(_) => Exit::NotPrepared,
            Self::Run(RunError::Interrupted) => Exit::Interrupted,
            Self::Stopped { signal: Signal::Interrupt, .. } => Exit::Interrupted,
            Self::Stopped { signal: Signal::Terminate, .. } => Exit::Terminated,
            Self::Doctor(DoctorError::Interrupted(Signal::Interrupt)) => Exit::Interrupted,
            Self::Doctor(DoctorError::Interrupted(Signal::Terminate)) => Exit::Terminated,
            Self::Run(_)
            | Self::Verify { .. }
            | Self::VerifyFigure { .. }
            | Self::VerifySamples(_)
            | Self::VerifyReport { .. }
            | Self::Doctor(_) => Exit::Untrustworthy,
            Self::Output(_) | Self::Signals(_) | Self::Runner(_) | Self::NoHarness(_) => {
                Exit::Defect
            }
        }
    }
}

fn word(verdict: Option<bench_results::Verdict>) -> &'static str {
    verdict.map_or("not judged", bench_results::Verdict::word)
}

/// An error and all its causes in one text; a cause that its parent already quotes is left out.
pub(crate) fn whole_message(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = error.source();
    }
    message
}
