//! A side whose commands stand ready, and how each is launched.

use crate::{
    Benchmark, CommandLine, CommandSettings, Discovery, Facts, HowMeasured, Launch, MetricPlan,
    Opaque, Ready, RoundSeeds, Wish,
};
use bench_process::{Environment, Input, Interrupt, Launcher, Output, Spec};
use bench_results::{Failure, Metric};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A command with everything it needs.
pub(super) struct Planned {
    pub(super) settings: CommandSettings,
    pub(super) prefix: Vec<String>,
    /// The program's file, where it is a path.
    pub(super) program: Option<PathBuf>,
    pub(super) directory: PathBuf,
    pub(super) environment: Environment,
    pub(super) stdin: Option<PathBuf>,
    /// What is not there on this side.
    pub(super) missing: Option<String>,
    /// Whether the command is named for base alone.
    pub(super) is_bases_own: bool,
}

impl Planned {
    fn benchmark(&self) -> Benchmark {
        let named = &self.settings.metrics;
        let mut metrics = [Metric::time(), Metric::peak_memory()].map(|metric| {
            let place = named.iter().position(|name| *name == metric.name);
            (place, MetricPlan { gated: place.is_some(), exact: false, metric })
        });
        // Those named come first, in their order; the others are shown.
        metrics.sort_by_key(|(place, _)| place.unwrap_or(usize::MAX));
        Benchmark {
            name: self.settings.name.clone(),
            pretty_name: None,
            params: Vec::new(),
            index: 0,
            metrics: metrics.map(|(_, plan)| plan).to_vec(),
            how: HowMeasured::Opaque,
            timeout_s: self.timeout().as_secs_f64(),
            version: None,
            cache_key: None,
            cache_timeout_s: None,
            skip: None,
        }
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs(self.settings.timeout_s)
    }

    fn run(&self) -> Spec {
        let mut words = self.words(&self.settings.run);
        if let (Some(program), Some(first)) = (&self.program, words.first_mut()) {
            *first = program.display().to_string();
        }
        words.splice(0..0, self.prefix.iter().cloned());
        let mut spec = self.spec(&words);
        if let Some(file) = &self.stdin {
            spec.stdin = Input::File(file.clone());
        }
        spec
    }

    fn prepare(&self, log: &Path) -> Option<Spec> {
        let mut spec = self.spec(&self.words(self.settings.prepare.as_ref()?));
        spec.stdout = Output::Append(log.to_path_buf());
        spec.stderr = Output::SameAsStdout;
        Some(spec)
    }

    fn words(&self, command: &CommandLine) -> Vec<String> {
        match command {
            CommandLine::Words(words) => words.clone(),
            CommandLine::Shell(line) => vec!["sh".into(), "-c".into(), line.clone()],
        }
    }

    fn spec(&self, words: &[String]) -> Spec {
        let (program, arguments) = words.split_first().map_or(("", &[][..]), |(p, a)| (p, a));
        Spec::new(program, &self.directory, self.environment.clone()).with_arguments(arguments)
    }
}

/// A side whose commands stand ready.
pub(super) struct CommandReady {
    pub(super) suite: Vec<u8>,
    pub(super) log: PathBuf,
    pub(super) commands: Vec<Planned>,
    pub(super) facts: Facts,
}

impl Ready for CommandReady {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn discover(&self, _: &Launcher, _: &Interrupt) -> Result<Discovery, Failure> {
        let (missing, present): (Vec<&Planned>, Vec<&Planned>) =
            self.commands.iter().partition(|command| command.missing.is_some());
        let warnings = missing.iter().filter_map(|command| {
            let missing = command.missing.as_ref()?;
            Some(format!("benchmark `{}` is not on base: {missing}", command.settings.name))
        });
        Ok(Discovery {
            benchmarks: present.iter().map(|command| command.benchmark()).collect(),
            broken: Vec::new(),
            suite_digest: Some(bench_results::hex(&self.suite)),
            warnings: warnings.collect(),
        })
    }

    fn launch(&self, benchmark: &Benchmark, _: &Wish<'_>) -> Launch {
        let command = self.commands.iter().find(|c| c.settings.name == benchmark.name);
        // Only what `discover` listed is launched; a stranger finds no worker and fails by name.
        let Some(command) = command else { return Launch::Stepped };
        Launch::Opaque(Opaque {
            prepare: command.prepare(&self.log),
            run: command.run(),
            expect_exit: command.settings.expect_exit,
            timeout: command.timeout(),
        })
    }

    fn worker(&self, _: RoundSeeds) -> Option<Spec> {
        None
    }
}
