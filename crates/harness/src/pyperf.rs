//! The `pyperf` harness: scripts that give their benchmarks to a `pyperf.Runner`, unmodified.

use crate::place::below;
use crate::python::ready::{Program, PythonReady};
use crate::python::{WORKER, WORKER_NAME, installer, plain};
use crate::scripts::named_scripts;
use crate::steps::Steps;
use crate::{
    BenchmarksFrom, Defaults, Detected, EnvironmentKind, EnvironmentSettings, Harness, Language,
    Need, Ready, Site, Tree,
};
use bench_results::Failure;

/// Drives scripts of pyperf.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pyperf;

const NAME: &str = "pyperf";
const PYPERF_WORKER: &str = include_str!("python/pyperf_worker.py");

/// Both workers are modules in directories of their own.
const BOOT: &str = "import sys; sys.path[0:1] = sys.argv[1].split('|'); import pyperf_worker; del sys.path[0:2]; pyperf_worker.main()";

impl Harness for Pyperf {
    fn name(&self) -> &'static str {
        NAME
    }

    /// Scripts often stand beside what they import: each side runs its own.
    fn defaults(&self) -> Defaults {
        Defaults {
            benchmarks_from: BenchmarksFrom::Each,
            programs: Need::Required,
            ..Defaults::default()
        }
    }

    /// A script may do anything: which are run is never guessed.
    fn language(&self) -> Option<Language> {
        Some(Language::Python)
    }

    fn detect(&self, _: &dyn Tree) -> Vec<Detected> {
        Vec::new()
    }

    fn prepare(&self, site: &Site<'_>) -> Result<Box<dyn Ready>, Failure> {
        let environment = match site.suite.environment {
            EnvironmentKind::Own => with_pyperf(site.environment),
            // The job's own has what its suite needs.
            EnvironmentKind::Current => site.environment.clone(),
        };
        let site = &Site { environment: &environment, ..*site };
        let steps = Steps::new(site);
        let directory = below(site.suite_root, &site.suite.directory);
        let (scripts, missing) = named_scripts(&steps, &directory)?;
        let mut side = plain::side(&steps)?;
        let version = side.facts.packages.iter().find_map(|p| p.strip_prefix("pyperf=="));
        side.facts.harness_version = version.map(ToOwned::to_owned);
        side.facts.warnings.extend(missing);
        let worker = installer::script(&steps, "pyperf_worker.py", PYPERF_WORKER)?;
        let base = installer::script(&steps, WORKER_NAME, WORKER)?;
        let modules = [worker, base];
        let places: Vec<String> =
            modules.iter().filter_map(|file| Some(file.parent()?.display().to_string())).collect();
        let head = [places.join("|"), directory.display().to_string(), scripts.len().to_string()];
        let arguments = head.into_iter().chain(scripts).chain(site.suite.arguments.iter().cloned());
        let program = Program {
            boot: BOOT,
            arguments: arguments.collect(),
            suite_digest: plain::digest(site),
            has_package: false,
            forks: false,
        };
        Ok(Box::new(PythonReady::new(site, side, program)))
    }
}

/// pyperf is installed where the user's requirements do not say which.
fn with_pyperf(settings: &EnvironmentSettings) -> EnvironmentSettings {
    let mut settings = settings.clone();
    if !settings.requirements.iter().any(|found| found.contains(NAME)) {
        settings.requirements.push(NAME.to_owned());
    }
    settings
}
