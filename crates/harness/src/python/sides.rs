//! One side of a Python suite: an environment of its own, the job's own, or a build that exists.

use super::installer::Installer;
use super::interpreters::{self, Interpreter, normalised};
use super::project::{Project, Recipe};
use super::wheels::{self, Build};
use super::{description, environments, store};
use crate::steps::Steps;
use crate::{BenchmarksFrom, EnvironmentKind, Facts, Subject};
use bench_process::Environment;
use bench_results::Failure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where a side's benchmarks run.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) interpreter: Interpreter,
    pub(crate) environment: Environment,
    pub(crate) facts: Facts,
}

/// What is kept beside an environment.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Note {
    build: Build,
    packages: Vec<String>,
}

/// Makes a side ready.
pub(crate) fn make(
    steps: &Steps<'_>,
    recipe: &Recipe,
    installer: &Installer,
    host: &Interpreter,
) -> Result<Side, Failure> {
    let site = steps.site;
    match site.subject {
        Subject::Python { interpreter } => existing(steps, recipe, interpreter),
        Subject::Path { directory } => path_first(steps, recipe, directory),
        Subject::Commit { commit, checkout } => {
            let kind = kind(steps, recipe)?;
            let python = match (kind, site.environment.python.as_deref()) {
                (EnvironmentKind::Current, _) => {
                    interpreters::current(steps, &environments::for_tools(site))?
                }
                (EnvironmentKind::Own, None) => host.clone(),
                (EnvironmentKind::Own, wanted) => {
                    interpreters::find(steps, wanted, &environments::for_tools(site))?
                }
            };
            let project = Project { steps, recipe, installer, commit, checkout, python: &python };
            let side = match kind {
                EnvironmentKind::Own => own(&project),
                EnvironmentKind::Current => current(&project),
            };
            let mut side = described(steps, recipe, side?);
            if recipe.commands.use_nothing() && site.suite.benchmarks_from != BenchmarksFrom::Each {
                side.facts.warnings.push(NOTHING_USED.to_owned());
            }
            Ok(side)
        }
    }
}

const NOTHING_USED: &str = "`build_command` and `install_command` are empty, so that both sides run the same files; \
     `benchmarks-from = \"each\"` compares the suites themselves";

/// Where the benchmarks run, given what asv would make.
fn kind(steps: &Steps<'_>, recipe: &Recipe) -> Result<EnvironmentKind, Failure> {
    let site = steps.site;
    let wanted = recipe.environment_type.as_deref();
    match (site.suite.environment, wanted) {
        (EnvironmentKind::Current, _) | (_, Some("existing")) => Ok(EnvironmentKind::Current),
        (_, None | Some("virtualenv" | "uv" | "venv")) => Ok(EnvironmentKind::Own),
        // A job that stands in such an environment already has what the suite wants.
        (_, Some(_)) if Environment::current().get("CONDA_PREFIX").is_some() => {
            Ok(EnvironmentKind::Current)
        }
        (_, Some(other)) => Err(steps.failure(
            "environment",
            format!(
                "the suite asks for environment_type `{other}`, which is not made here; \
                 `environment = \"current\"` in `[[suite]]` serves a job which stands in such an \
                 environment, and `[[environment]]` can describe a plain one"
            ),
        )),
    }
}

// An environment of its own

fn own(project: &Project<'_>) -> Result<Side, Failure> {
    let steps = project.steps;
    let site = steps.site;
    let mut identity = vec![
        "environment".to_owned(),
        project.identity(),
        project.python.executable.display().to_string(),
        format!("{:?}", site.environment.requirements),
    ];
    if project.recipe.commands.depend_on_checkout() {
        identity.push(project.checkout.display().to_string());
    }
    let identity: Vec<&str> = identity.iter().map(String::as_str).collect();
    let shelf = site.cache.join("environments");
    let entry = store::Entry::lock(&shelf, &store::key(&identity))
        .map_err(|error| steps.io("environment", &shelf, &error))?;
    // What is bound to a checkout is no longer true once the checkout has changed.
    let kept = entry.note::<Note>().filter(|_| !project.recipe.commands.depend_on_checkout());
    // What the other side has just built took its time all the same.
    let cached = kept.is_some() && !entry.was_taken;
    let note = match kept {
        Some(note) => note,
        None => fill(project, &entry)?,
    };
    let variables = project.asv_variables(Some(&entry.directory));
    let (environment, unset) = environments::for_benchmarks(site.environment);
    let environment = match environment.get("ASV_PYTHONPATH").map(ToOwned::to_owned) {
        Some(path) => environment.with("PYTHONPATH", path),
        None => environment.without("PYTHONPATH"),
    };
    let environment = with(environments::inside(&environment, &entry.directory), &variables)
        .without("PYTHONHOME")
        .with("PIP_USER", "false");
    let interpreter =
        Interpreter { executable: entry.directory.join("bin/python"), ..project.python.clone() };
    let facts = facts(project.recipe, &interpreter, &note, cached, &unset);
    Ok(Side { interpreter, environment, facts })
}

/// Makes the environment and installs the commit with all it needs.
fn fill(project: &Project<'_>, entry: &store::Entry) -> Result<Note, Failure> {
    let (steps, directory) = (project.steps, &entry.directory);
    let tools = environments::for_tools(steps.site);
    let commands = &project.recipe.commands;
    let io = |error: &std::io::Error| steps.io("environment", directory, error);
    entry.clear().map_err(|error| io(&error))?;
    project.installer.create(steps, project.python, directory, &tools)?;
    let python = directory.join("bin/python");
    let requirements = &steps.site.environment.requirements;
    if !commands.are_usual() {
        let seeds = project.installer.seeds(project.python).iter().copied();
        let mut wanted: Vec<String> = seeds.chain(["build", "wheel"]).map(str::to_owned).collect();
        wanted.extend(build_requirements(&project.build_dir()));
        wanted.extend(requirements.iter().cloned());
        project.installer.install(steps, "environment", &python, &wanted, &tools)?;
    }
    if let Some(lines) = &commands.uninstall {
        project.run("uninstall", lines, directory, Some(directory), None)?;
    }
    let (build, wheel, _) = project.build(&python, Some(directory))?;
    match (&commands.install, wheels::path(&wheel, &build)) {
        (Some(lines), _) => project.run_install(lines, directory, &wheel.directory)?,
        (None, Some(path)) => {
            let mut wanted = vec![path.display().to_string()];
            wanted.extend(requirements.iter().cloned());
            project.installer.install(steps, "install", &python, &wanted, &tools)?;
        }
        // Commands of our own configuration may install what they build.
        (None, None) if !steps.site.suite.build.is_empty() => {}
        (None, None) => return Err(no_wheel(steps)),
    }
    let packages = Interpreter::packages(&site_packages(directory));
    let note = Note { build, packages };
    entry.complete(&note).map_err(|error| io(&error))?;
    Ok(note)
}

fn no_wheel(steps: &Steps<'_>) -> Failure {
    let message = "the build left no wheel, or several, in {build_cache_dir}; `build_command` should \
                   leave one there (for instance `python -m pip wheel --no-deps -w \
                   {build_cache_dir} {build_dir}`)";
    steps.failure("build", message.to_owned())
}

/// What asv installs before it builds: the `requires` of `[build-system]`.
fn build_requirements(build_dir: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(build_dir.join("pyproject.toml")).unwrap_or_default();
    let table: toml::Table = text.parse().unwrap_or_default();
    let requires = table.get("build-system").and_then(|system| system.get("requires"));
    let requires = requires.and_then(toml::Value::as_array).map_or(&[][..], Vec::as_slice);
    requires.iter().filter_map(|text| text.as_str().map(ToOwned::to_owned)).collect()
}

fn site_packages(prefix: &Path) -> Vec<PathBuf> {
    let versions = std::fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
    versions.map(|entry| entry.path().join("site-packages")).filter(|path| path.is_dir()).collect()
}

// The job's own environment

fn current(project: &Project<'_>) -> Result<Side, Failure> {
    let (steps, python) = (project.steps, project.python);
    let site = steps.site;
    let identity = [project.identity(), python.executable.display().to_string()];
    let shelf = site.cache.join("targets");
    let entry = store::Entry::lock(&shelf, &store::key(&["target", &identity[0], &identity[1]]))
        .map_err(|error| steps.io("environment", &shelf, &error))?;
    let kept = entry.note::<Note>();
    let cached = kept.is_some() && !entry.was_taken;
    let mut note = match kept {
        Some(note) => note,
        None => fill_target(project, &entry)?,
    };
    let mut path = vec![entry.directory.clone()];
    path.extend(python.path.iter().cloned());
    note.packages = Interpreter::packages(&path);
    let (environment, unset) = environments::for_benchmarks(site.environment);
    let environment =
        with(first_on_path(environment, &entry.directory), &project.asv_variables(None));
    let mut facts = facts(project.recipe, python, &note, cached, &unset);
    let ignored = [
        (is_given(&project.recipe.commands.install), "`install_command`"),
        (is_given(&project.recipe.commands.uninstall), "`uninstall_command`"),
        (!site.environment.requirements.is_empty(), "the environment's requirements"),
    ];
    let ignored: Vec<_> = ignored.iter().filter(|(is, _)| *is).map(|(_, what)| *what).collect();
    if !ignored.is_empty() {
        facts.warnings.push(format!(
            "{} not used: the job's own environment is left as it is",
            ignored.join(" and ") + if ignored.len() == 1 { " is" } else { " are" }
        ));
    }
    Ok(Side { interpreter: python.clone(), environment, facts })
}

fn is_given(commands: &Option<Vec<String>>) -> bool {
    commands.as_ref().is_some_and(|lines| !lines.is_empty())
}

fn fill_target(project: &Project<'_>, entry: &store::Entry) -> Result<Note, Failure> {
    let steps = project.steps;
    let python = &project.python.executable;
    let (build, wheel, _) = project.build(python, None)?;
    let io = |error: &std::io::Error| steps.io("install", &entry.directory, error);
    entry.clear().map_err(|error| io(&error))?;
    match wheels::path(&wheel, &build) {
        Some(path) => {
            let words = [Path::new("--no-deps"), Path::new("--target"), &entry.directory, &path];
            let words = words.map(|word| word.display().to_string());
            let tools = environments::for_tools(steps.site);
            project.installer.install(steps, "install", python, &words, &tools)?;
        }
        None if project.recipe.commands.use_nothing() => {}
        None => return Err(no_wheel(steps)),
    }
    let note = Note { build, packages: Vec::new() };
    entry.complete(&note).map_err(|error| io(&error))?;
    Ok(note)
}

// What exists already

/// The interpreter as it is.
pub(crate) fn existing(
    steps: &Steps<'_>,
    recipe: &Recipe,
    interpreter: &Path,
) -> Result<Side, Failure> {
    let path = std::path::absolute(interpreter)
        .map_err(|error| steps.io("python", interpreter, &error))?;
    let interpreter = Interpreter::probe(steps, &path, &Environment::current())?;
    // What was asked for, not what it says of itself: a virtual environment's link must stay.
    let interpreter = Interpreter { executable: path, ..interpreter };
    let (environment, unset) = environments::for_benchmarks(steps.site.environment);
    let packages = Interpreter::packages(&interpreter.path);
    let note = Note { build: Build::default(), packages };
    let facts = facts(recipe, &interpreter, &note, true, &unset);
    Ok(described(steps, recipe, Side { interpreter, environment, facts }))
}

/// The job's own interpreter, with a directory first on its module path.
pub(crate) fn path_first(
    steps: &Steps<'_>,
    recipe: &Recipe,
    directory: &Path,
) -> Result<Side, Failure> {
    let directory =
        std::path::absolute(directory).map_err(|error| steps.io("python", directory, &error))?;
    if !directory.is_dir() {
        return Err(steps.failure("python", format!("`{}` is no directory", directory.display())));
    }
    let interpreter = interpreters::current(steps, &Environment::current())?;
    let (environment, unset) = environments::for_benchmarks(steps.site.environment);
    let environment = first_on_path(environment, &directory)
        // The user's directory is only read.
        .with("PYTHONPYCACHEPREFIX", steps.site.work.join("pycache"));
    let mut path = vec![directory];
    path.extend(interpreter.path.iter().cloned());
    let note = Note { build: Build::default(), packages: Interpreter::packages(&path) };
    let facts = facts(recipe, &interpreter, &note, true, &unset);
    Ok(described(steps, recipe, Side { interpreter, environment, facts }))
}

// What they have in common

fn described(steps: &Steps<'_>, recipe: &Recipe, mut side: Side) -> Side {
    description::add(steps, &recipe.project, &mut side);
    side
}

fn facts(
    recipe: &Recipe,
    interpreter: &Interpreter,
    note: &Note,
    cached: bool,
    unset: &[&str],
) -> Facts {
    let project = format!("{}==", normalised(&recipe.project));
    let installed = note.packages.iter().find_map(|package| package.strip_prefix(&project));
    let version = installed.or(note.build.version()).map(ToOwned::to_owned);
    let mut warnings = Vec::new();
    if let Some(version) = version.as_deref().filter(|version| wheels::is_fallback(version)) {
        warnings.push(format!(
            "the project's version is {version}, which builds fall back to when they can't find \
             the real one (are tags missing in the clone?)"
        ));
    }
    Facts {
        project_version: version,
        revision: None,
        details: BTreeMap::new(),
        harness_version: recipe.harness_version.clone(),
        python: Some(interpreter.version.clone()),
        packages: note.packages.clone(),
        artifacts: note.build.artifacts.clone(),
        variables: unset.iter().map(|&name| (name.to_owned(), "1".to_owned())).collect(),
        cached,
        warnings,
    }
}

fn with(mut environment: Environment, variables: &BTreeMap<String, String>) -> Environment {
    for (name, value) in variables {
        environment.set(name, value);
    }
    environment
}

fn first_on_path(environment: Environment, directory: &Path) -> Environment {
    let mut path = directory.as_os_str().to_owned();
    if let Some(rest) = environment.get("PYTHONPATH").filter(|rest| !rest.is_empty()) {
        path.push(":");
        path.push(rest);
    }
    environment.with("PYTHONPATH", path)
}
