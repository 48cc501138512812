//! Building and installing a commit by its suite's commands, which follow asv's rules, or the usual
//! way where it has none.

use super::commands::{Command, depends_on_checkout};
use super::installer::Installer;
use super::interpreters::Interpreter;
use super::wheels::{self, Build};
use super::{environments, store};
use crate::steps::{Step, Steps};
use crate::{CommandLine, SuiteSettings};
use bench_process::Environment;
use bench_results::Failure;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How a project is built and installed, as its suite has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recipe {
    /// The project's name, for its version and for commands.
    pub(crate) project: String,
    /// The directory to build, relative to the checkout.
    pub(crate) subdirectory: PathBuf,
    /// Where `in-dir=` starts.
    pub(crate) directory: PathBuf,
    /// asv's word for the environment it wants, where the suite has one.
    pub(crate) environment_type: Option<String>,
    pub(crate) commands: Commands,
    /// Seconds each command may take.
    pub(crate) command_timeout: f64,
    /// What is told of the harness itself.
    pub(crate) harness_version: Option<String>,
}

/// What a suite says of building and installing; none = the usual way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Commands {
    pub(crate) build: Option<Vec<String>>,
    pub(crate) install: Option<Vec<String>>,
    pub(crate) uninstall: Option<Vec<String>>,
}

impl Commands {
    /// `[[suite]] build` goes before what the harness's own configuration says.
    pub(crate) fn overridden_by(self, suite: &SuiteSettings) -> Self {
        let own: Vec<String> = suite.build.iter().map(command_line).collect();
        Self { build: if own.is_empty() { self.build } else { Some(own) }, ..self }
    }

    pub(crate) fn are_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Whether they are given and empty: nothing of the commit is built or installed.
    pub(crate) fn use_nothing(&self) -> bool {
        [&self.build, &self.install].iter().all(|lines| lines.as_ref().is_some_and(Vec::is_empty))
    }

    /// Whether what they make is bound to the directory it was made in.
    pub(crate) fn depend_on_checkout(&self) -> bool {
        [&self.build, &self.install].into_iter().flatten().any(|lines| depends_on_checkout(lines))
    }
}

/// A configured command as asv would write it. A shell gets its text as it stands: it has the
/// `ASV_*` variables.
fn command_line(command: &CommandLine) -> String {
    let join = |words: &[&str]| shlex::try_join(words.iter().copied()).unwrap_or_default();
    match command {
        CommandLine::Words(words) => join(&words.iter().map(String::as_str).collect::<Vec<_>>()),
        CommandLine::Shell(text) => {
            join(&["sh", "-c", &text.replace('{', "{{").replace('}', "}}")])
        }
    }
}

/// A commit to be built and installed for one interpreter.
#[derive(Debug)]
pub(crate) struct Project<'a> {
    pub(crate) steps: &'a Steps<'a>,
    pub(crate) recipe: &'a Recipe,
    pub(crate) installer: &'a Installer,
    pub(crate) commit: &'a str,
    pub(crate) checkout: &'a Path,
    /// What builds run in.
    pub(crate) python: &'a Interpreter,
}

impl Project<'_> {
    /// The directory that is built.
    pub(crate) fn build_dir(&self) -> PathBuf {
        self.checkout.join(&self.recipe.subdirectory)
    }

    /// Everything a build depends on.
    pub(crate) fn identity(&self) -> String {
        let settings = self.steps.site.environment;
        let mut parts = vec![
            self.commit.to_owned(),
            self.recipe.subdirectory.display().to_string(),
            format!("{:?}", self.recipe.commands),
            self.python.identity(),
            environments::build_identity(settings),
        ];
        if !self.recipe.commands.are_usual() {
            // They run inside the environment, with what is installed there.
            parts.push(format!("{:?}", settings.requirements));
        }
        parts.join("\n")
    }

    /// asv's variables for one side, which are its placeholders too.
    pub(crate) fn asv_variables(&self, env_dir: Option<&Path>) -> BTreeMap<String, String> {
        let text = |path: &Path| path.display().to_string();
        let kind = self.recipe.environment_type.as_deref().unwrap_or("virtualenv");
        let mut variables = BTreeMap::from([
            ("ASV".to_owned(), "true".to_owned()),
            ("ASV_PROJECT".to_owned(), self.recipe.project.clone()),
            ("ASV_CONF_DIR".to_owned(), text(&self.recipe.directory)),
            ("ASV_ENV_NAME".to_owned(), self.steps.site.environment.name.clone()),
            ("ASV_ENV_TYPE".to_owned(), kind.to_owned()),
            ("ASV_COMMIT".to_owned(), self.commit.to_owned()),
        ]);
        if let Some(env_dir) = env_dir {
            variables.insert("ASV_ENV_DIR".into(), text(env_dir));
        }
        variables
    }

    /// Builds the commit, or takes its wheel from the cache. True if nothing was built.
    pub(crate) fn build(
        &self,
        python: &Path,
        env_dir: Option<&Path>,
    ) -> Result<(Build, store::Entry, bool), Failure> {
        let entry = wheels::entry(self.steps, &store::key(&["wheel", &self.identity()]))?;
        if let Some(build) = entry.note::<Build>() {
            return Ok((build, entry, true));
        }
        entry.clear().map_err(|error| self.steps.io("build", &entry.directory, &error))?;
        let environment = self.build_environment(env_dir);
        match &self.recipe.commands.build {
            Some(lines) => {
                self.run("build", lines, &self.build_dir(), env_dir, Some(&entry.directory))?;
            }
            None => self.installer.build(
                self.steps,
                python,
                &self.build_dir(),
                &entry.directory,
                &self.steps.site.environment.build_arguments,
                &environment,
            )?,
        }
        let build = wheels::finish(self.steps, &entry, python, &environment)?;
        Ok((build, entry, false))
    }

    /// Installs a build into an environment with the suite's own command.
    pub(crate) fn run_install(
        &self,
        lines: &[String],
        env_dir: &Path,
        cache_dir: &Path,
    ) -> Result<(), Failure> {
        self.run("install", lines, &self.build_dir(), Some(env_dir), Some(cache_dir))
    }

    /// Runs commands by asv's rules.
    pub(crate) fn run(
        &self,
        stage: &str,
        lines: &[String],
        directory: &Path,
        env_dir: Option<&Path>,
        cache_dir: Option<&Path>,
    ) -> Result<(), Failure> {
        let mut variables = self.asv_variables(env_dir);
        variables.insert("ASV_BUILD_DIR".into(), self.build_dir().display().to_string());
        if let Some(cache_dir) = cache_dir {
            variables.insert("ASV_BUILD_CACHE_DIR".into(), cache_dir.display().to_string());
        }
        for line in lines {
            let placeholders = placeholders(&variables, cache_dir);
            let command = Command::parse(line, &placeholders)
                .map_err(|message| self.steps.failure(stage, message))?;
            let mut environment = self.build_environment(env_dir);
            for (name, value) in command.variables.iter().chain(&variables) {
                environment.set(name, value);
            }
            let own = command.directory.as_ref().map(|own| self.recipe.directory.join(own));
            let directory = own.as_deref().unwrap_or(directory);
            let mut step = Step::new(command.words.clone(), &environment, directory);
            step.limit = Duration::try_from_secs_f64(self.recipe.command_timeout).ok();
            self.steps.run_accepting(stage, &step, |code| command.accepts(code))?;
        }
        Ok(())
    }

    fn build_environment(&self, env_dir: Option<&Path>) -> Environment {
        let environment = environments::for_builds(self.steps.site);
        let environment = match environment.get("ASV_PYTHONPATH").map(ToOwned::to_owned) {
            Some(path) => environment.with("PYTHONPATH", path),
            None => environment,
        };
        match (env_dir, self.python.executable.parent()) {
            (Some(env_dir), _) => environments::inside(&environment, env_dir),
            (None, Some(bin)) => environment.with_path_first(bin),
            (None, None) => environment,
        }
    }
}

/// Every `ASV_*` variable without its prefix and in lower case, and the wheel once there is one.
fn placeholders(
    variables: &BTreeMap<String, String>,
    cache_dir: Option<&Path>,
) -> BTreeMap<String, String> {
    let named = |(name, value): (&String, &String)| {
        Some((name.strip_prefix("ASV_")?.to_lowercase(), value.clone()))
    };
    let mut placeholders: BTreeMap<_, _> = variables.iter().filter_map(named).collect();
    if let Some(directory) = cache_dir
        && let Ok(Some(wheel)) = wheels::only_wheel(directory)
    {
        placeholders.insert("wheel_file".into(), directory.join(wheel).display().to_string());
    }
    placeholders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_line_survives_asvs_splitting_and_filling() {
        let line = command_line(&CommandLine::Shell("make \"${X}\" && echo 'a b'".into()));
        let command = Command::parse(&line, &BTreeMap::new()).unwrap();
        assert_eq!(command.words, ["sh", "-c", "make \"${X}\" && echo 'a b'"]);
    }

    #[test]
    fn placeholders_are_the_variables_in_lower_case() {
        let variables = [("ASV", "true"), ("ASV_BUILD_DIR", "/b")];
        let variables = variables.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        let filled = placeholders(&variables, None);
        assert_eq!(filled.into_iter().collect::<Vec<_>>(), [("build_dir".into(), "/b".into())]);
    }
}
