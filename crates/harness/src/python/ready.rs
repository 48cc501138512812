//! A side of a Python suite made ready: how its workers are started, what they find.

use super::sides::Side;
use crate::{
    Benchmark, Discovery, Facts, Launch, Ready, Reply, Request, RoundSeeds, Site, Wish, Worker,
    WorkerError,
};
use bench_process::{Addresses, Channel, Interrupt, Launcher, Output, Spec, capture};
use bench_results::{Failure, Param, SideName};
use std::path::PathBuf;
use std::time::Duration;

/// What a worker runs, and what is told of the suite.
#[derive(Debug)]
pub(crate) struct Program {
    /// Python code that finds and runs the worker's `main`, given the arguments.
    pub(crate) boot: &'static str,
    pub(crate) arguments: Vec<String>,
    /// Commit or digest of the benchmark code.
    pub(crate) suite_digest: Option<String>,
    /// Whether names of broken modules begin with the suite's own package, which no benchmark's does.
    pub(crate) has_package: bool,
    /// Whether the worker forks for each benchmark; else it serves one and ends.
    pub(crate) forks: bool,
}

/// A side made ready.
#[derive(Debug)]
pub(crate) struct PythonReady {
    side: Side,
    program: Program,
    name: SideName,
    prefix: Vec<String>,
    preparing: Duration,
    work: PathBuf,
    log: PathBuf,
    /// Where Python keeps what it has compiled.
    bytecode: PathBuf,
}

impl PythonReady {
    pub(crate) fn new(site: &Site<'_>, side: Side, program: Program) -> Self {
        Self {
            side,
            program,
            name: site.side,
            prefix: site.environment.prefix.clone(),
            preparing: site.timeout,
            work: site.work.to_owned(),
            log: site.log.to_owned(),
            bytecode: site.cache.join("bytecode"),
        }
    }

    fn spec(&self, seeds: RoundSeeds) -> Spec {
        let mut words = self.prefix.clone();
        let interpreter = self.side.interpreter.executable.display().to_string();
        words.extend([interpreter, "-c".to_owned(), self.program.boot.to_owned()]);
        words.extend(self.program.arguments.iter().cloned());
        let environment = self
            .side
            .environment
            .clone()
            .with("PYTHONHASHSEED", seeds.hash.to_string())
            .with("BENCH_ACTION_RANDOM_SEED", seeds.random.to_string())
            // Compiled once, and into a place of ours, also for packages that are not ours.
            .without("PYTHONDONTWRITEBYTECODE")
            .with("PYTHONPYCACHEPREFIX", &self.bytecode)
            .with("BENCH_ACTION_PAD", "x".repeat(seeds.padding as usize));
        let program = words.remove(0);
        let mut spec = Spec::new(program, &self.work, environment).with_arguments(words);
        spec.stdout = Output::Append(self.log.clone());
        spec.stderr = Output::SameAsStdout;
        spec.channel = Channel::Socket;
        spec.addresses = Addresses::Fixed;
        spec
    }

    fn failure(&self, message: String) -> Failure {
        let stderr_tail = capture::tail(&self.log, 16 << 10, 40).unwrap_or_default();
        Failure { side: Some(self.name), stage: "import".into(), message, stderr_tail }
    }

    fn list(&self, worker: &mut Worker, interrupt: &Interrupt) -> Result<Discovery, Failure> {
        let lost = |error: WorkerError| self.failure(format!("listing the benchmarks: {error}"));
        match worker.ask(&Request::List, self.preparing, interrupt).map_err(lost)? {
            Reply::List(listing) => Ok(listing.found),
            Reply::Failed(failure) => {
                Err(Failure { stderr_tail: failure.details, ..self.failure(failure.message) })
            }
            other => Err(self.failure(format!("listing the benchmarks was answered by {other:?}"))),
        }
    }
}

impl Ready for PythonReady {
    fn facts(&self) -> &Facts {
        &self.side.facts
    }

    fn discover(&self, launcher: &Launcher, interrupt: &Interrupt) -> Result<Discovery, Failure> {
        let spec = self.spec(RoundSeeds { hash: 0, random: 0, padding: 0 });
        let mut worker =
            Worker::start(launcher, &spec).map_err(|error| self.failure(error.to_string()))?;
        let mut discovery = self.list(&mut worker, interrupt)?;
        worker.quit();
        for broken in &mut discovery.broken {
            // Names of benchmarks begin below the suite's own package.
            let below = broken.module.split_once('.').filter(|_| self.program.has_package);
            if let Some((_, below)) = below {
                broken.module = below.to_owned();
            }
        }
        // On base it means that all of head's benchmarks are new to it.
        let is_head = self.name == SideName::Head;
        let nothing = is_head && discovery.benchmarks.is_empty();
        if let (true, Some(broken)) = (nothing, discovery.broken.first()) {
            let message = format!("`{}` can't be imported: {}", broken.module, broken.message);
            return Err(Failure { stderr_tail: broken.details.clone(), ..self.failure(message) });
        }
        discovery.suite_digest.clone_from(&self.program.suite_digest);
        for param in discovery.benchmarks.iter_mut().flat_map(|benchmark| &mut benchmark.params) {
            *param = Param::new(std::mem::take(&mut param.name), std::mem::take(&mut param.value));
        }
        Ok(discovery)
    }

    fn launch(&self, _: &Benchmark, _: &Wish<'_>) -> Launch {
        Launch::Stepped
    }

    fn worker(&self, seeds: RoundSeeds) -> Option<Spec> {
        Some(self.spec(seeds))
    }

    fn forks(&self) -> bool {
        self.program.forks
    }
}
