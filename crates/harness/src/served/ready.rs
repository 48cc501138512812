//! A side whose worker stands ready: how it is started, what it has to serve.

use super::listed::checked;
use crate::{
    Benchmark, Discovery, Facts, Launch, PROTOCOL, Ready, Reply, Request, RoundSeeds, Site, Wish,
    Worker, WorkerError,
};
use bench_process::{Channel, Environment, Interrupt, Launcher, Output, Spec, capture};
use bench_results::{Failure, SideName};
use std::path::PathBuf;
use std::time::Duration;

/// Listing runs no benchmark, but may have to load a whole suite.
const LIST_TIMEOUT: Duration = Duration::from_secs(120);

const TAIL_BYTES: u64 = 16 << 10;
const TAIL_LINES: usize = 40;

/// How a worker is started.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// Program and arguments.
    pub(crate) words: Vec<String>,
    pub(crate) directory: PathBuf,
    pub(crate) environment: Environment,
}

/// A side whose worker stands ready.
#[derive(Debug)]
pub(crate) struct ServedReady {
    /// None on a side that has no worker yet.
    server: Option<Server>,
    facts: Facts,
    suite_digest: Option<String>,
    side: SideName,
    prefix: Vec<String>,
    log: PathBuf,
}

impl ServedReady {
    /// The digest is that of the benchmark code, where it is known.
    pub(crate) fn new(
        site: &Site<'_>,
        server: Option<Server>,
        facts: Facts,
        suite_digest: Option<String>,
    ) -> Self {
        Self {
            server,
            facts,
            suite_digest,
            side: site.side,
            prefix: site.environment.prefix.clone(),
            log: site.log.to_owned(),
        }
    }

    fn spec(&self, server: &Server, seeds: RoundSeeds) -> Spec {
        let mut words = self.prefix.iter().chain(&server.words);
        let program = words.next().cloned().unwrap_or_default();
        let environment = server
            .environment
            .clone()
            .with("PWD", &server.directory)
            .with("BENCH_ACTION_PROTOCOL", PROTOCOL.to_string())
            .with("BENCH_ACTION_RANDOM_SEED", seeds.random.to_string())
            .with("PYTHONHASHSEED", seeds.hash.to_string())
            .with("BENCH_ACTION_PAD", "x".repeat(seeds.padding as usize));
        let mut spec =
            Spec::new(program, &server.directory, environment).with_arguments(words.cloned());
        spec.stdout = Output::Append(self.log.clone());
        spec.stderr = Output::SameAsStdout;
        spec.channel = Channel::Socket;
        spec
    }

    fn failure(&self, message: &str) -> Failure {
        Failure {
            side: Some(self.side),
            stage: "list".to_owned(),
            message: format!("listing the benchmarks of `{}`: {message}", self.command()),
            stderr_tail: capture::tail(&self.log, TAIL_BYTES, TAIL_LINES).unwrap_or_default(),
        }
    }

    fn command(&self) -> String {
        let words = self.server.as_ref().map_or(&[][..], |server| &server.words);
        shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
    }
}

impl Ready for ServedReady {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn discover(&self, launcher: &Launcher, interrupt: &Interrupt) -> Result<Discovery, Failure> {
        let Some(server) = &self.server else { return Ok(Discovery::default()) };
        let spec = self.spec(server, RoundSeeds { hash: 0, random: 0, padding: 0 });
        let lost = |error: WorkerError| self.failure(&error.to_string());
        let mut worker = Worker::start(launcher, &spec).map_err(lost)?;
        let listing = match worker.ask(&Request::List, LIST_TIMEOUT, interrupt).map_err(lost)? {
            Reply::List(listing) => listing,
            Reply::Failed(failure) => {
                let told = self.failure(&failure.message);
                return Err(match failure.details.is_empty() {
                    true => told,
                    false => Failure { stderr_tail: failure.details, ..told },
                });
            }
            other => return Err(self.failure(&format!("it answered {other:?}"))),
        };
        worker.quit();
        let mut found = checked(listing).map_err(|wrong| self.failure(&wrong))?;
        if let Some(digest) = &self.suite_digest {
            found.suite_digest = Some(digest.clone());
        }
        if let (true, Some(broken)) = (found.benchmarks.is_empty(), found.broken.first()) {
            let message = format!("`{}` cannot be loaded: {}", broken.module, broken.message);
            return Err(Failure { stderr_tail: broken.details.clone(), ..self.failure(&message) });
        }
        Ok(found)
    }

    fn launch(&self, _: &Benchmark, _: &Wish<'_>) -> Launch {
        Launch::Stepped
    }

    fn worker(&self, seeds: RoundSeeds) -> Option<Spec> {
        Some(self.spec(self.server.as_ref()?, seeds))
    }

    fn forks(&self) -> bool {
        false
    }
}
