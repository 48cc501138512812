//! What a command finds where it is run.

use super::ready::Planned;
use crate::place::{Place, below};
use crate::{CommandLine, CommandSettings, Site};
use bench_results::SideName;

/// The command that one side runs, and whether it is named for base alone.
fn of_side(settings: &CommandSettings, side: SideName) -> (CommandSettings, bool) {
    let mut settings = settings.clone();
    let on_base = settings.run_on_base.take().filter(|_| side == SideName::Base);
    let is_bases_own = on_base.is_some();
    settings.run = on_base.unwrap_or(settings.run);
    (settings, is_bases_own)
}

impl Place {
    /// A command with everything it needs found, or a word on what is missing.
    pub(super) fn planned(&self, site: &Site<'_>, settings: &CommandSettings) -> Planned {
        let (settings, is_bases_own) = of_side(settings, site.side);
        let directory = below(&self.root, &settings.directory);
        let mut environment = self.run.clone().with("PWD", &directory);
        for (name, value) in &settings.variables {
            environment.set(name, value);
        }
        let program = match &settings.run {
            CommandLine::Words(words) => match words.first() {
                Some(word) => self.program(word, &directory, &environment),
                None => Err("its command is empty".to_owned()),
            },
            CommandLine::Shell(_) => Ok(None),
        };
        let stdin = settings.stdin.as_ref().map(|file| directory.join(file));
        let missing = match (&program, &stdin) {
            // What is prepared for a launch is not there before one.
            _ if settings.prepare.is_some() => None,
            _ if !directory.is_dir() => Some(format!("{} is no directory", directory.display())),
            (Err(missing), _) => Some(missing.clone()),
            (_, Some(file)) if !file.is_file() => {
                Some(format!("its input {} is not there", file.display()))
            }
            _ => None,
        };
        Planned {
            settings,
            prefix: site.environment.prefix.clone(),
            program: program.ok().flatten(),
            directory,
            environment,
            stdin,
            missing,
            is_bases_own,
        }
    }
}
