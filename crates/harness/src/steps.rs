//! Runs the commands of a preparation: what they print goes to the side's log, what goes wrong
//! becomes a failure with the end of it.

use crate::place::Place;
use crate::{CommandLine, HarnessError, Site, Subject};
use bench_process::{Environment, Output, Spec, Status, WaitError, capture, run};
use bench_results::Failure;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const TAIL_BYTES: u64 = 16 << 10;
const TAIL_LINES: usize = 40;

/// One command to run.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Program and arguments.
    pub(crate) words: Vec<String>,
    pub(crate) environment: Environment,
    pub(crate) directory: PathBuf,
    /// What it may take, if less than the preparation has left.
    pub(crate) limit: Option<Duration>,
}

impl Step {
    pub(crate) fn new<W: Into<String>>(
        words: impl IntoIterator<Item = W>,
        environment: &Environment,
        directory: &Path,
    ) -> Self {
        Self {
            words: words.into_iter().map(Into::into).collect(),
            environment: environment.clone(),
            directory: directory.to_owned(),
            limit: None,
        }
    }
}

/// Runs steps for one site, within its timeout.
#[derive(Debug)]
pub(crate) struct Steps<'a> {
    pub(crate) site: &'a Site<'a>,
    deadline: Instant,
}

impl<'a> Steps<'a> {
    /// The site's time begins now.
    pub(crate) fn new(site: &'a Site<'a>) -> Self {
        Self { site, deadline: Instant::now() + site.timeout }
    }

    /// Runs a step to a successful end.
    pub(crate) fn run(&self, stage: &str, step: &Step) -> Result<(), Failure> {
        self.run_accepting(stage, step, |code| code == 0)
    }

    /// Runs a step; `accepts` says which exit codes are a success.
    pub(crate) fn run_accepting(
        &self,
        stage: &str,
        step: &Step,
        accepts: impl Fn(i32) -> bool,
    ) -> Result<(), Failure> {
        let begin = self.note(&format!("$ {}\n", command_line(&step.words)));
        let output = Output::Append(self.site.log.to_owned());
        let status = self.start(stage, step, output, begin)?;
        match status {
            Status::Code(code) if accepts(code) => Ok(()),
            status => Err(self.ended(stage, step, status, begin)),
        }
    }

    /// Runs a step and gives what it printed on standard output.
    pub(crate) fn capture(&self, stage: &str, step: &Step) -> Result<String, Failure> {
        let begin = self.log_length();
        let file = tempfile::NamedTempFile::new_in(self.site.work)
            .map_err(|error| self.io(stage, self.site.work, &error))?;
        let status = self.start(stage, step, Output::File(file.path().to_owned()), begin)?;
        if status != Status::Code(0) {
            return Err(self.ended(stage, step, status, begin));
        }
        std::fs::read_to_string(file.path()).map_err(|error| self.io(stage, file.path(), &error))
    }

    /// Runs the build commands of the suite, if it has any. Not in a directory of the user's: it is there
    /// once for both sides and all environments, which would build over each other in it.
    pub(crate) fn build(&self, place: &Place) -> Result<(), Failure> {
        if !matches!(self.site.subject, Subject::Commit { .. }) {
            return Ok(());
        }
        for command in &self.site.suite.build {
            let words = match command {
                CommandLine::Words(words) => words.clone(),
                CommandLine::Shell(line) => vec!["sh".into(), "-c".into(), line.clone()],
            };
            self.run("build", &Step::new(words, &place.build, &place.directory))?;
        }
        Ok(())
    }

    fn start(
        &self,
        stage: &str,
        step: &Step,
        stdout: Output,
        begin: u64,
    ) -> Result<Status, Failure> {
        let (program, arguments) = step
            .words
            .split_first()
            .ok_or_else(|| self.failure(stage, "an empty command".to_owned()))?;
        let mut spec =
            Spec::new(program, &step.directory, step.environment.clone()).with_arguments(arguments);
        spec.stderr = match stdout {
            Output::Append(_) => Output::SameAsStdout,
            _ => Output::Append(self.site.log.to_owned()),
        };
        spec.stdout = stdout;
        let start = Instant::now();
        let left = self.deadline.saturating_duration_since(start);
        let limit = step.limit.map_or(left, |limit| limit.min(left));
        let ended = run(self.site.launcher, &spec, Some(limit), self.site.interrupt);
        tracing::debug!(
            side = %self.site.side, stage, seconds = start.elapsed().as_secs_f64(),
            "{}", command_line(&step.words)
        );
        match ended {
            Ok(exit) => Ok(exit.status),
            Err(error) => {
                let why = match error {
                    WaitError::TimedOut => format!("took longer than {} s", limit.as_secs()),
                    error => error.to_string(),
                };
                let message = format!("`{}`: {why}", command_line(&step.words));
                Err(self.with_tail(stage, message, begin))
            }
        }
    }

    fn ended(&self, stage: &str, step: &Step, status: Status, begin: u64) -> Failure {
        let message = format!("`{}` ended with {status}", command_line(&step.words));
        self.with_tail(stage, message, begin)
    }

    /// A failure without anything printed.
    pub(crate) fn failure(&self, stage: &str, message: String) -> Failure {
        Failure {
            side: Some(self.site.side),
            stage: stage.into(),
            message,
            stderr_tail: String::new(),
        }
    }

    /// A mistake in the suite's own configuration.
    pub(crate) fn mistake(&self, error: &HarnessError) -> Failure {
        self.failure("configuration", error.to_string())
    }

    /// A file that could not be read, written or made.
    pub(crate) fn io(&self, stage: &str, path: &Path, error: &std::io::Error) -> Failure {
        self.failure(stage, format!("`{}`: {error}", path.display()))
    }

    fn with_tail(&self, stage: &str, message: String, begin: u64) -> Failure {
        let printed = self.log_length().saturating_sub(begin).min(TAIL_BYTES);
        let tail = capture::tail(self.site.log, printed, TAIL_LINES);
        Failure { stderr_tail: tail.unwrap_or_default(), ..self.failure(stage, message) }
    }

    /// Adds a line to the log; gives the log's length after it. A log that can't be written shows
    /// in the next step, which writes there as well.
    fn note(&self, line: &str) -> u64 {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.site.log);
        if let Ok(mut log) = log {
            drop(log.write_all(line.as_bytes()));
        }
        self.log_length()
    }

    fn log_length(&self) -> u64 {
        std::fs::metadata(self.site.log).map_or(0, |data| data.len())
    }
}

/// Words as one would type them, shortened where they are very long.
fn command_line(words: &[String]) -> String {
    let line =
        shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "));
    match line.char_indices().nth(300) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
