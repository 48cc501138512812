//! What a command finds where it is run.

use super::ready::Planned;
use crate::place::{Place, below, is_executable};
use crate::{CommandLine, CommandSettings, Site};
use bench_process::Environment;
use bench_results::SideName;
use std::path::{Path, PathBuf};

/// The command that one side runs.
fn of_side(settings: &CommandSettings, side: SideName) -> CommandSettings {
    let mut settings = settings.clone();
    let on_base = settings.run_on_base.take().filter(|_| side == SideName::Base);
    settings.run = on_base.unwrap_or(settings.run);
    settings
}

impl Place {
    /// A command with everything it needs found, or a word on what is missing.
    pub(super) fn planned(&self, site: &Site<'_>, settings: &CommandSettings) -> Planned {
        let settings = of_side(settings, site.side);
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
        }
    }

    /// The file of a program that is a path: in the working directory, else at the root. None for
    /// a bare name, which the PATH finds. The path is made absolute, for the same program whatever
    /// a prefix does.
    fn program(
        &self,
        word: &str,
        directory: &Path,
        environment: &Environment,
    ) -> Result<Option<PathBuf>, String> {
        if !word.contains('/') {
            return match on_path(word, environment) {
                true => Ok(None),
                false => Err(format!("there is no program `{word}` on the PATH")),
            };
        }
        let places = [below(directory, word), below(&self.root, word)];
        let found = places.iter().find(|path| path.is_file());
        match found {
            Some(path) if is_executable(path) => Ok(Some(path.clone())),
            Some(path) => Err(format!("{} is not executable", path.display())),
            None => Err(format!(
                "there is no `{word}` in {}{}",
                directory.display(),
                if self.directory == self.root { "" } else { ", nor at the root of the checkout" }
            )),
        }
    }
}

fn on_path(name: &str, environment: &Environment) -> bool {
    let path = environment.get("PATH").unwrap_or_default();
    std::env::split_paths(path).any(|directory| is_executable(&directory.join(name)))
}
