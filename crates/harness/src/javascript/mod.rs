//! Benchmarks in JavaScript: scripts of tinybench, mitata and benchmark.js, and the benchmarks of
//! vitest, unmodified, in Node.js.

mod packages;

use crate::place::Place;
use crate::python::installer;
use crate::scripts::named_scripts;
use crate::served::{ServedReady, Server};
use crate::steps::{Step, Steps};
use crate::{Defaults, Detected, Facts, Harness, Language, Need, Ready, Site, Tree};
use bench_results::Failure;

/// Packages are looked for from the script on, not from the worker. The collector works in the
/// benchmark's own thread: on the one core that both sides share, helpers would only be waited for.
const NODE: [&str; 3] = ["node", "--experimental-import-meta-resolve", "--single-threaded-gc"];

const WORKER: &str = include_str!("worker.mjs");

/// Drives scripts of a framework.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scripts {
    name: &'static str,
    /// The package's name.
    package: &'static str,
    /// Whether scripts are named in our configuration; else the framework finds its files.
    programs: Need,
}

const fn named(name: &'static str, package: &'static str) -> Scripts {
    Scripts { name, package, programs: Need::Required }
}

pub(crate) static TINYBENCH: Scripts = named("tinybench", "tinybench");
pub(crate) static MITATA: Scripts = named("mitata", "mitata");
pub(crate) static BENCHMARK_JS: Scripts = named("benchmark.js", "benchmark");
pub(crate) static VITEST: Scripts =
    Scripts { name: "vitest", package: "vitest", programs: Need::Unused };

impl Harness for Scripts {
    fn name(&self) -> &'static str {
        self.name
    }

    fn defaults(&self) -> Defaults {
        Defaults { programs: self.programs, ..Defaults::compiled() }
    }

    fn traces(&self) -> &'static str {
        match self.programs {
            Need::Unused => "vitest in a package.json with *.bench.* files below it",
            Need::Required => "",
        }
    }

    /// A script may do anything: which are run is never guessed.
    fn language(&self) -> Option<Language> {
        Some(Language::JavaScript)
    }

    fn detect(&self, tree: &dyn Tree) -> Vec<Detected> {
        match self.programs {
            Need::Unused => packages::with_benchmarks(tree, self.package),
            Need::Required => Vec::new(),
        }
    }

    fn prepare(&self, site: &Site<'_>) -> Result<Box<dyn Ready>, Failure> {
        let steps = Steps::new(site);
        let place = Place::of(site);
        let mut facts = node(&steps, &place)?;
        facts.warnings.extend(packages::install(&steps, &place)?);
        let (scripts, missing) = named_scripts(&steps, &place.directory)?;
        facts.warnings.extend(missing);
        facts.harness_version = packages::version(&place.directory, self.package);
        let worker = installer::script(&steps, "worker.mjs", WORKER)?;
        let mut words: Vec<String> = NODE.iter().map(ToString::to_string).collect();
        words.extend(site.suite.arguments.iter().cloned());
        words.push(worker.display().to_string());
        words.extend([self.name.to_owned(), place.directory.display().to_string()]);
        let config = site.suite.config.iter().map(|config| config.display().to_string());
        let scripts: Vec<String> = scripts.into_iter().chain(config).collect();
        words.push(scripts.len().to_string());
        words.extend(scripts);
        let server =
            Server { words, directory: place.directory, environment: place.run.plain_output() };
        Ok(Box::new(ServedReady::new(site, Some(server), facts, None)))
    }
}

/// Node.js, as the benchmarks will find it.
///
/// # Errors
/// There is none, or it is too old.
fn node(steps: &Steps<'_>, place: &Place) -> Result<Facts, Failure> {
    const OLDEST: u32 = 20;
    let ask = Step::new(["node", "--version"], &place.run, &place.directory);
    let version = steps.capture("environment", &ask).map_err(|failure| Failure {
        message: format!("{}; Node.js {OLDEST} or later is needed", failure.message),
        ..failure
    })?;
    let version = version.trim().trim_start_matches('v');
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < OLDEST) {
        let message = format!("Node.js {version} is too old: {OLDEST} or later is needed");
        return Err(steps.failure("environment", message));
    }
    Ok(Facts { packages: vec![format!("node=={version}")], ..Facts::default() })
}
