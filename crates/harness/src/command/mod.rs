//! The `command` harness: named commands, built in each side's checkout and timed as whole
//! processes.

mod found;
mod ready;

use crate::built::artifacts;
use crate::place::Place;
use crate::steps::Steps;
use crate::{
    BenchmarksFrom, Defaults, Detected, EnvironmentSettings, Facts, Harness, HarnessError, Need,
    Ready, Site, SuiteSettings, Tree,
};
use bench_results::{Failure, SideName};
use ready::{CommandReady, Planned};
use sha2::{Digest, Sha256};

/// Drives commands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command;

impl Harness for Command {
    fn name(&self) -> &'static str {
        "command"
    }

    fn defaults(&self) -> Defaults {
        Defaults { commands: Need::Required, ..Defaults::compiled() }
    }

    /// Commands are never guessed.
    fn detect(&self, _: &dyn Tree) -> Vec<Detected> {
        Vec::new()
    }

    fn environments(
        &self,
        _: &dyn Tree,
        suite: &SuiteSettings,
    ) -> Result<Vec<EnvironmentSettings>, HarnessError> {
        if suite.benchmarks_from != BenchmarksFrom::Each {
            return Err(HarnessError {
                place: format!("suite `{}`", suite.name),
                message: "commands run on each side's own files; remove `benchmarks-from`".into(),
            });
        }
        Ok(vec![EnvironmentSettings { name: "default".into(), ..Default::default() }])
    }

    fn prepare(&self, site: &Site<'_>) -> Result<Box<dyn Ready>, Failure> {
        let steps = Steps::new(site);
        let place = Place::of(site);
        let warnings = unused_settings(site);
        steps.build(&place)?;
        let commands: Vec<Planned> =
            site.suite.commands.iter().map(|command| place.planned(site, command)).collect();
        must_be_there(&steps, &commands)?;
        let programs = commands.iter().filter_map(|command| command.program.as_deref());
        let artifacts = artifacts(&steps, &place, programs);
        let facts = Facts { artifacts, warnings, ..Facts::default() };
        Ok(Box::new(CommandReady {
            suite: Sha256::digest(format!("{:?}", site.suite.commands)).to_vec(),
            log: site.log.to_path_buf(),
            commands,
            facts,
        }))
    }
}

/// Settings that mean something to other harnesses only are never ignored in silence.
fn unused_settings(site: &Site<'_>) -> Vec<String> {
    let environment = site.environment;
    let unused = [
        ("requirements", !environment.requirements.is_empty()),
        ("python", environment.python.is_some()),
        ("build-arguments", !environment.build_arguments.is_empty()),
        ("arguments", !site.suite.arguments.is_empty()),
        ("config", site.suite.config.is_some()),
    ];
    let unused = unused.into_iter().filter(|(_, is_set)| *is_set);
    unused
        .map(|(key, _)| {
            format!("suite {}: commands do not use `{key}`; say it in `build`", site.suite.name)
        })
        .collect()
}

/// The configuration is head's, so that all it names should be there on head, and what it names for
/// base alone on base. What only base lacks otherwise has been added.
fn must_be_there(steps: &Steps<'_>, commands: &[Planned]) -> Result<(), Failure> {
    let site: &Site<'_> = steps.site;
    let is_named = |command: &&Planned| site.side == SideName::Head || command.is_bases_own;
    let missing: Vec<String> = commands
        .iter()
        .filter(is_named)
        .filter_map(|command| {
            Some(format!("`{}`: {}", command.settings.name, command.missing.as_ref()?))
        })
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let remedy = match site.suite.build[..] {
        [] => "install it, or name it as it is called",
        [..] => "name it in `run` as it is after `build`",
    };
    let suite = &site.suite.name;
    let message = format!("suite {suite}, benchmark {}; {remedy}", missing.join("; benchmark "));
    Err(steps.failure("discover", message))
}
