//! A side whose programs stand ready.

use super::{Dialect, Program, RUNNING_TIMEOUT, reported};
use crate::built::artifacts;
use crate::harness::stdout;
use crate::place::Place;
use crate::steps::Steps;
use crate::{
    Benchmark, BrokenModule, Discovery, Facts, HowMeasured, Launch, NotReported, Opaque, OwnClock,
    Ready, Reported, RoundSeeds, Site, Wish,
};
use bench_process::{Environment, Interrupt, Launcher, Output, Spec, Status, capture, run};
use bench_results::{Failure, SideName};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// What one launch may take: a harness decides itself how often it repeats a long iteration.
const LAUNCH_TIMEOUT: Duration = Duration::from_secs(300);

const TAIL_BYTES: u64 = 8 << 10;
const TAIL_LINES: usize = 20;

/// A side whose programs stand ready.
pub(crate) struct NativeReady<D> {
    dialect: D,
    programs: Vec<Program>,
    facts: Facts,
    side: SideName,
    environment: Environment,
    /// Words before every measured program.
    prefix: Vec<String>,
    /// The user's, for every call of a program.
    arguments: Vec<String>,
    work: PathBuf,
    has_clock: bool,
    /// Program and own name of each benchmark that was found.
    places: OnceLock<BTreeMap<String, (usize, String)>>,
}

impl<D: Dialect> NativeReady<D> {
    /// These programs, at this place; the warnings are about others.
    pub(crate) fn new(
        site: &Site<'_>,
        place: &Place,
        dialect: D,
        programs: Vec<Program>,
        warnings: Vec<String>,
    ) -> Self {
        let paths = programs.iter().map(|program| program.path.as_path());
        let artifacts = artifacts(&Steps::new(site), place, paths);
        let arguments = if dialect.takes_arguments() { &site.suite.arguments[..] } else { &[] };
        Self {
            facts: Facts { artifacts, warnings, ..Facts::default() },
            dialect,
            programs,
            side: site.side,
            environment: place.run.clone().plain_output(),
            prefix: site.environment.prefix.clone(),
            arguments: arguments.to_vec(),
            work: site.work.to_path_buf(),
            has_clock: site.has_clock,
            places: OnceLock::new(),
        }
    }

    /// The names in one program.
    fn names(
        &self,
        program: &Program,
        launcher: &Launcher,
        interrupt: &Interrupt,
    ) -> Result<Vec<String>, (String, String)> {
        let names = self.listed(program, self.dialect.list(), launcher, interrupt)?;
        let names = match self.dialect.list_else() {
            Some(words) if names.is_empty() => self.listed(program, words, launcher, interrupt)?,
            _ => names,
        };
        self.whole(program, names, launcher, interrupt)
    }

    /// The names with those whole that the list has cut. What a run does not tell stays as it is.
    fn whole(
        &self,
        program: &Program,
        mut names: Vec<String>,
        launcher: &Launcher,
        interrupt: &Interrupt,
    ) -> Result<Vec<String>, (String, String)> {
        let mut whole = BTreeMap::new();
        for (at, mut words) in self.dialect.look_ups(&names).into_iter().enumerate() {
            let left = self.work.join(format!("names-{at}"));
            // Another discovery may have been here, and only what this run leaves is believed.
            let fresh = std::fs::remove_dir_all(&left)
                .or_else(|error| if left.exists() { Err(error) } else { Ok(()) })
                .and_then(|()| std::fs::create_dir_all(&left));
            fresh.map_err(|error| (format!("{}: {error}", left.display()), String::new()))?;
            let wish = Wish { left: &left, samples: 1, sample_ns: 0, call_ns: 0.0, clock: None };
            words.extend(self.arguments.iter().cloned());
            let mut spec = self.call(program, &words, self.dialect.variables(&wish));
            spec.stdout = Output::File(wish.stdout());
            // What fails has no name here, and is told to have failed when it is measured.
            run(launcher, &spec, Some(RUNNING_TIMEOUT), interrupt)
                .map_err(|error| (error.to_string(), String::new()))?;
            whole.append(&mut self.dialect.whole_names(&left));
        }
        for name in &mut names {
            if let Some(whole) = whole.remove(name) {
                *name = whole;
            }
        }
        Ok(names)
    }

    /// A call of a program that measures nothing.
    fn call(
        &self,
        program: &Program,
        words: &[String],
        variables: impl IntoIterator<Item = (&'static str, PathBuf)>,
    ) -> Spec {
        let mut environment = self.environment.clone().with("PWD", &program.directory);
        for (name, value) in variables {
            environment.set(name, value);
        }
        Spec::new(&program.path, &program.directory, environment).with_arguments(words)
    }

    /// The names that a program lists when it is called with these arguments.
    fn listed(
        &self,
        program: &Program,
        mut words: Vec<String>,
        launcher: &Launcher,
        interrupt: &Interrupt,
    ) -> Result<Vec<String>, (String, String)> {
        let (printed, told) = (self.work.join("list.txt"), self.work.join("list-errors.txt"));
        let variables = self.dialect.list_variables().iter().map(|(n, v)| (*n, PathBuf::from(v)));
        words.extend(self.arguments.iter().cloned());
        let mut spec = self.call(program, &words, variables);
        spec.stdout = Output::File(printed.clone());
        spec.stderr = Output::File(told.clone());
        let tail = || capture::tail(&told, TAIL_BYTES, TAIL_LINES).unwrap_or_default();
        let exit = run(launcher, &spec, Some(self.dialect.list_timeout()), interrupt)
            .map_err(|error| (error.to_string(), tail()))?;
        if !matches!(exit.status, Status::Code(code) if self.dialect.is_listed(code)) {
            return Err((format!("listing its benchmarks ended with {}", exit.status), tail()));
        }
        let text = std::fs::read(&printed).map_err(|error| (error.to_string(), String::new()))?;
        Ok(self.dialect.listed(&String::from_utf8_lossy(&text)))
    }

    fn benchmark(&self, program: &Program, own: &str, name: &str) -> Benchmark {
        let reachable = program.is_dynamic && self.has_clock;
        let clock = match self.dialect.clock(own) {
            OwnClock::Preloaded if !reachable => OwnClock::Wall,
            clock => clock,
        };
        Benchmark {
            name: name.to_owned(),
            pretty_name: None,
            params: Vec::new(),
            index: 0,
            metrics: vec![self.dialect.metric()],
            how: HowMeasured::Reported {
                clock,
                launch_s: self.dialect.launch_s(),
                switches: self.dialect.switches(),
            },
            timeout_s: LAUNCH_TIMEOUT.as_secs_f64(),
            version: None,
            cache_key: None,
            cache_timeout_s: None,
            skip: None,
        }
    }

    fn place(&self, benchmark: &Benchmark) -> Option<(&Program, &str)> {
        let (program, own) = self.places.get()?.get(&benchmark.name)?;
        Some((&self.programs[*program], own))
    }

    fn spec(&self, program: &Program, own: &str, wish: &Wish<'_>) -> Spec {
        let mut environment = self.environment.clone().with("PWD", &program.directory);
        for (name, value) in self.dialect.variables(wish) {
            environment.set(name, value);
        }
        let preload = wish.clock.map(|clock| clock.variable(&environment));
        let mut words = self.prefix.clone();
        match preload {
            Some((name, value)) if self.prefix.is_empty() => environment.set(name, value),
            // The clock is for the program, not for what starts it.
            Some((name, value)) => {
                words.extend(["env".to_owned(), format!("{name}={}", value.to_string_lossy())]);
            }
            None => {}
        }
        words.push(program.path.display().to_string());
        words.extend(self.arguments.iter().cloned());
        words.extend(self.dialect.measure(own, wish));
        let (first, rest) = words.split_first().map_or(("", &[][..]), |(f, r)| (f.as_str(), r));
        let mut spec = Spec::new(first, &program.directory, environment).with_arguments(rest);
        spec.stdout = Output::File(wish.stdout());
        spec
    }
}

impl<D: Dialect> Ready for NativeReady<D> {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn discover(&self, launcher: &Launcher, interrupt: &Interrupt) -> Result<Discovery, Failure> {
        let mut discovery = Discovery::default();
        let mut found: Vec<(usize, String)> = Vec::new();
        for (at, program) in self.programs.iter().enumerate() {
            match self.names(program, launcher, interrupt) {
                Ok(names) => found.extend(names.into_iter().map(|name| (at, name))),
                Err((message, details)) => discovery.broken.push(BrokenModule {
                    module: program.label.clone(),
                    message,
                    details,
                }),
            }
        }
        if let (true, Some(broken)) = (found.is_empty(), discovery.broken.first()) {
            return Err(Failure {
                side: Some(self.side),
                stage: "discover".to_owned(),
                message: format!("`{}`: {}", broken.module, broken.message),
                stderr_tail: broken.details.clone(),
            });
        }
        let mut places = BTreeMap::new();
        let shown = |at: usize, own: &str| self.dialect.name(&self.programs[at], own);
        for (name, at, own) in named(&self.programs, found, shown) {
            discovery.benchmarks.push(self.benchmark(&self.programs[at], &own, &name));
            places.insert(name, (at, own));
        }
        // Discovered twice, it finds the same.
        let _ = self.places.set(places);
        Ok(discovery)
    }

    fn launch(&self, benchmark: &Benchmark, wish: &Wish<'_>) -> Launch {
        // Only what `discover` listed is launched; a stranger finds no worker and fails by name.
        let Some((program, own)) = self.place(benchmark) else { return Launch::Stepped };
        Launch::Opaque(Opaque {
            prepare: None,
            run: self.spec(program, own, wish),
            expect_exit: 0,
            timeout: LAUNCH_TIMEOUT,
        })
    }

    fn read(&self, benchmark: &Benchmark, left: &Path) -> Result<Reported, NotReported> {
        let own = self.place(benchmark).map_or(benchmark.name.as_str(), |(_, own)| own);
        let readings = self.dialect.read(own, left).map_err(|message| {
            let printed = capture::tail(&stdout(left), TAIL_BYTES, 3).unwrap_or_default();
            let printed = printed.trim();
            let words = if printed.is_empty() { "" } else { "; it printed: " };
            NotReported::Failed(format!("{message}{words}{printed}"))
        })?;
        let report = reported(&readings, own)?;
        Ok(Reported { warnings: self.dialect.warnings(left), ..report })
    }

    fn worker(&self, _: RoundSeeds) -> Option<Spec> {
        None
    }
}

/// A name of its own for each benchmark: the harness's, with its program's before it where two
/// programs have the same. One program that lists a name twice runs both by that name: it is one.
fn named(
    programs: &[Program],
    found: Vec<(usize, String)>,
    shown: impl Fn(usize, &str) -> String,
) -> Vec<(String, usize, String)> {
    let mut owners: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, own) in &found {
        let owners = owners.entry(shown(*at, own)).or_default();
        if !owners.contains(at) {
            owners.push(*at);
        }
    }
    let mut all: Vec<(String, usize, String)> = Vec::new();
    for (at, own) in found {
        let shown = shown(at, &own);
        let name = match owners.get(&shown).map_or(0, Vec::len) {
            0 | 1 => shown,
            _ => format!("{}::{shown}", programs[at].label),
        };
        if !all.iter().any(|(known, ..)| *known == name) {
            all.push((name, at, own));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_of_two_programs_are_told_apart_and_others_stay_as_they_are() {
        let program = |label: &str| Program {
            label: label.into(),
            path: label.into(),
            directory: PathBuf::new(),
            is_dynamic: true,
        };
        let found = [(0, "sort"), (0, "sum"), (1, "sort"), (1, "sort")];
        let found = found.map(|(at, name)| (at, name.to_owned())).to_vec();
        let names: Vec<String> =
            named(&[program("a"), program("b")], found, |_, own| own.to_owned())
                .into_iter()
                .map(|(name, ..)| name)
                .collect();
        assert_eq!(names, ["a::sort", "sum", "b::sort"]);
    }
}
