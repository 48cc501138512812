//! The `worker` harness: a program of the user's, in any language, that serves its benchmarks by the
//! worker protocol (`docs/worker.md`).

use crate::place::Place;
use crate::served::{ServedReady, Server};
use crate::steps::Steps;
use crate::{CommandLine, Defaults, Detected, Facts, Harness, Need, Ready, Site, Tree};
use bench_results::{Failure, SideName};

/// Drives workers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnWorker;

impl Harness for OwnWorker {
    fn name(&self) -> &'static str {
        "worker"
    }

    fn defaults(&self) -> Defaults {
        Defaults { run: Need::Required, ..Defaults::compiled() }
    }

    /// Which program it is, is never guessed.
    fn detect(&self, _: &dyn Tree) -> Vec<Detected> {
        Vec::new()
    }

    fn prepare(&self, site: &Site<'_>) -> Result<Box<dyn Ready>, Failure> {
        let steps = Steps::new(site);
        let place = Place::of(site);
        steps.build(&place)?;
        let (server, facts) = match server(site, &place) {
            Ok(server) => (Some(server), Facts::default()),
            // The configuration is head's: what only base lacks has been added.
            Err(missing) if site.side == SideName::Base => {
                let warnings = vec![format!("on base {missing}: all its benchmarks are new")];
                (None, Facts { warnings, ..Facts::default() })
            }
            Err(missing) => {
                let message = format!("suite {}, `run`: {missing}", site.suite.name);
                return Err(steps.failure("discover", message));
            }
        };
        Ok(Box::new(ServedReady::new(site, server, facts, None)))
    }
}

/// The worker with its program found, or a word on what is missing.
fn server(site: &Site<'_>, place: &Place) -> Result<Server, String> {
    let Some(CommandLine::Words(words)) = &site.suite.run else {
        return Err("there is no command".to_owned());
    };
    let Some((program, arguments)) = words.split_first() else {
        return Err("its command is empty".to_owned());
    };
    let found = place
        .program(program, &place.directory, &place.run)
        .map_err(|missing| format!("{missing} after `build`"))?;
    let program = found.map_or_else(|| program.clone(), |path| path.display().to_string());
    let arguments = arguments.iter().chain(&site.suite.arguments).cloned();
    Ok(Server {
        words: std::iter::once(program).chain(arguments).collect(),
        directory: place.directory.clone(),
        environment: place.run.clone(),
    })
}
