//! The `asv` harness: suites written for airspeed velocity, with their `asv.conf.json`, unmodified.

mod conf;
mod copy;
mod matrix;

use crate::python::installer::{self, ASV_RUNNER, Installer};
use crate::python::project::{Commands, Recipe};
use crate::python::ready::{Program, PythonReady};
use crate::python::{WORKER, WORKER_NAME, environments, interpreters, sides};
use crate::steps::Steps;
use crate::{
    Detected, EnvironmentKind, EnvironmentSettings, Harness, HarnessError, Language, Ready, Site,
    SuiteSettings, Tree,
};
use bench_results::Failure;
use conf::Conf;
use std::path::{Path, PathBuf};

/// Drives asv suites.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asv;

/// Imported, the worker is compiled once; as a script it would be compiled for every round.
const BOOT: &str =
    "import sys; sys.path[0] = sys.argv[1]; import bench_action_worker as worker; worker.main()";

impl Harness for Asv {
    fn name(&self) -> &'static str {
        "asv"
    }

    fn language(&self) -> Option<Language> {
        Some(Language::Python)
    }

    fn traces(&self) -> &'static str {
        "asv*.conf.json in any directory"
    }

    fn detect(&self, tree: &dyn Tree) -> Vec<Detected> {
        tree.files().iter().filter(|path| is_conf(path)).map(|path| detected(path)).collect()
    }

    fn environments(
        &self,
        tree: &dyn Tree,
        suite: &SuiteSettings,
    ) -> Result<Vec<EnvironmentSettings>, HarnessError> {
        if suite.environment == EnvironmentKind::Current {
            return Ok(vec![EnvironmentSettings { name: "default".into(), ..Default::default() }]);
        }
        let name = conf_name(&suite.directory, suite.config.as_deref(), |path| {
            tree.files().iter().any(|file| file == path)
        });
        let name = name.map_err(|error| match error {
            Unfound::Missing(name) => missing(&name, &self.detect(tree)),
            Unfound::Two(error) => error,
        })?;
        let bytes = tree.read(&name).ok_or_else(|| missing(&name, &[]))?;
        let conf = Conf::parse(&name, &text(&name, bytes)?)?;
        matrix::environments(&conf, platform())
    }

    fn prepare(&self, site: &Site<'_>) -> Result<Box<dyn Ready>, Failure> {
        let steps = Steps::new(site);
        std::fs::create_dir_all(site.work)
            .map_err(|error| steps.io("environment", site.work, &error))?;
        let (conf, conf_file) = read_conf(site).map_err(|error| steps.mistake(&error))?;
        let tools = environments::for_tools(site);
        let host = interpreters::find(&steps, None, &tools)?;
        let installer = Installer::find(&steps, &host, &tools)?;
        let recipe = recipe(site, &conf, &conf_file);
        let mut side = sides::make(&steps, &recipe, &installer, &host)?;
        let worker = installer::script(&steps, WORKER_NAME, WORKER)?;
        let runner = installer::asv_runner(&steps, &installer, &side.interpreter, &host, &tools)?;
        let suite = copy::suite(&steps, &conf, &conf_file)?;
        side.facts.warnings.splice(0..0, conf.warnings.iter().cloned());
        let place = worker.parent().unwrap_or(&worker);
        let index = site.work.join("index.json");
        let paths = [place, &suite.directory, &runner, &index].map(|p| p.display().to_string());
        let timeout = conf.default_benchmark_timeout.to_string();
        let program = Program {
            boot: BOOT,
            arguments: paths.into_iter().chain([timeout]).collect(),
            suite_digest: Some(suite.digest),
            has_package: true,
            forks: true,
        };
        Ok(Box::new(PythonReady::new(site, side, program)))
    }
}

/// How the suite's configuration has its project built.
fn recipe(site: &Site<'_>, conf: &Conf, conf_file: &Path) -> Recipe {
    let commands = Commands {
        build: conf.build_command.clone(),
        install: conf.install_command.clone(),
        uninstall: conf.uninstall_command.clone(),
    };
    Recipe {
        project: conf.project.clone(),
        subdirectory: conf.repo_subdir.clone(),
        directory: conf_file.parent().unwrap_or(site.suite_root).to_owned(),
        environment_type: conf.environment_type.clone(),
        commands: commands.overridden_by(site.suite),
        command_timeout: conf.install_timeout,
        harness_version: Some(ASV_RUNNER.to_owned()),
    }
}

/// `linux`, `darwin`: Python's `sys.platform`.
fn platform() -> &'static str {
    if cfg!(target_os = "macos") { "darwin" } else { "linux" }
}

/// `asv.conf.json`, `asv.ci.conf.jsonc` and their like, in any directory.
fn is_conf(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.strip_suffix(".conf.json").or_else(|| name.strip_suffix(".conf.jsonc"));
    stem.is_some_and(|stem| stem == "asv" || stem.starts_with("asv.") || stem.starts_with("asv_"))
}

fn detected(path: &str) -> Detected {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    Detected { directory: directory.into(), config: Some(name.into()), evidence: path.to_owned() }
}

/// Path of the configuration file: as configured, else `asv.conf.json` or `.jsonc`.
fn conf_name(
    directory: &Path,
    config: Option<&Path>,
    exists: impl Fn(&str) -> bool,
) -> Result<String, Unfound> {
    let name = |file: &Path| directory.join(file).to_string_lossy().into_owned();
    if let Some(config) = config {
        let name = name(config);
        return if exists(&name) { Ok(name) } else { Err(Unfound::Missing(name)) };
    }
    let both = ["asv.conf.json", "asv.conf.jsonc"].map(|file| name(Path::new(file)));
    match (exists(&both[0]), exists(&both[1])) {
        (true, false) => Ok(both[0].clone()),
        (false, true) => Ok(both[1].clone()),
        (false, false) => Err(Unfound::Missing(both[0].clone())),
        (true, true) => Err(Unfound::Two(HarnessError {
            place: both[0].clone(),
            message: format!("{} stands beside it; asv takes neither: keep one", both[1]),
        })),
    }
}

/// No file to take.
enum Unfound {
    /// The one that should be there is not.
    Missing(String),
    /// There are two.
    Two(HarnessError),
}

/// What is not there, and what is instead.
fn missing(name: &str, others: &[Detected]) -> HarnessError {
    let others = match others {
        [] => String::new(),
        [other] => format!(", but there is ./{}", other.evidence),
        [other, ..] => {
            format!(", but there are ./{} and {} more", other.evidence, others.len() - 1)
        }
    };
    HarnessError {
        place: name.to_owned(),
        message: format!(
            "there is no such file{others}; name the suite's own with `config` and `directory` in `[[suite]]`"
        ),
    }
}

fn text(name: &str, bytes: Vec<u8>) -> Result<String, HarnessError> {
    String::from_utf8(bytes)
        .map_err(|_| HarnessError { place: name.to_owned(), message: "it is not UTF-8".into() })
}

fn read_conf(site: &Site<'_>) -> Result<(Conf, PathBuf), HarnessError> {
    let suite = site.suite;
    let exists = |name: &str| site.suite_root.join(name).is_file();
    let name = conf_name(&suite.directory, suite.config.as_deref(), exists);
    let name = name.map_err(|error| match error {
        Unfound::Missing(name) => missing(&name, &[]),
        Unfound::Two(error) => error,
    })?;
    let path = site.suite_root.join(&name);
    let bytes = std::fs::read(&path)
        .map_err(|error| HarnessError { place: name.clone(), message: error.to_string() })?;
    Ok((Conf::parse(&name, &text(&name, bytes)?)?, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Files(Vec<String>, &'static str);

    impl Tree for Files {
        fn files(&self) -> &[String] {
            &self.0
        }

        fn read(&self, path: &str) -> Option<Vec<u8>> {
            self.0.iter().any(|file| file == path).then(|| self.1.into())
        }
    }

    fn files(names: &[&str]) -> Files {
        Files(names.iter().map(ToString::to_string).collect(), "{pythons: ['3.11', '3.12']}")
    }

    fn suite(directory: &str, config: Option<&str>) -> SuiteSettings {
        SuiteSettings {
            name: "asv".into(),
            harness: "asv".into(),
            directory: directory.into(),
            config: config.map(Into::into),
            benchmarks_from: crate::BenchmarksFrom::Head,
            environment: EnvironmentKind::Own,
            arguments: Vec::new(),
            build: Vec::new(),
            commands: Vec::new(),
            run: None,
            programs: Vec::new(),
            snippet: None,
        }
    }

    #[test]
    fn configuration_files_give_suites_away_in_any_directory() {
        let tree = files(&["asv.conf.json", "b/asv_ci.conf.jsonc", "b/x.conf.json", "asv.json"]);
        let found = Asv.detect(&tree);
        let found: Vec<_> = found.iter().map(|d| (d.directory.to_str(), &*d.evidence)).collect();
        assert_eq!(found, [(Some(""), "asv.conf.json"), (Some("b"), "b/asv_ci.conf.jsonc")]);
    }

    #[test]
    fn environments_come_from_the_file_that_is_configured_or_found() {
        let tree = files(&["b/asv.conf.jsonc", "b/ci.json"]);
        assert_eq!(Asv.environments(&tree, &suite("b", None)).unwrap().len(), 2);
        assert_eq!(Asv.environments(&tree, &suite("b", Some("ci.json"))).unwrap().len(), 2);
        let error = Asv.environments(&tree, &suite("", None)).unwrap_err();
        assert!(
            error.to_string().starts_with("asv.conf.json: there is no such file, but there is ."),
            "{error}"
        );
        let tree = files(&["asv.conf.json", "b/x.py"]);
        let error = Asv.environments(&tree, &suite("b", None)).unwrap_err().to_string();
        let words = "b/asv.conf.json: there is no such file, but there is ./asv.conf.json; name";
        assert!(error.starts_with(words), "{error}");
        let both = files(&["asv.conf.json", "asv.conf.jsonc"]);
        assert!(Asv.environments(&both, &suite("", None)).is_err());
    }
}
