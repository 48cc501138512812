//! Where a side's own programs are built and run.

use crate::{Site, Subject};
use bench_process::Environment;
use globset::Glob;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where a side's commands are built and run.
pub(crate) struct Place {
    pub(crate) root: PathBuf,
    pub(crate) directory: PathBuf,
    pub(crate) build: Environment,
    pub(crate) run: Environment,
}

impl Place {
    pub(crate) fn of(site: &Site<'_>) -> Self {
        let root = match site.subject {
            Subject::Commit { checkout, .. } => checkout.clone(),
            Subject::Python { .. } | Subject::Path { .. } => site.suite_root.to_path_buf(),
        };
        let settings = site.environment;
        let mut run = Environment::current();
        for (name, value) in settings.variables.iter().chain(&settings.run_variables) {
            run.set(name, value);
        }
        let mut build = Environment::current();
        for (name, value) in settings.variables.iter().chain(&settings.build_variables) {
            build.set(name, value);
        }
        let directory = below(&root, &site.suite.directory);
        let installed = site.work.join("installed");
        Self {
            build: own_outputs(build, &root, &directory, &installed),
            run: of_side(run, site.subject).with_path_first(installed.join("bin")),
            root,
            directory,
        }
    }

    /// The file of a program that is a path: in the working directory, else at the root. None for
    /// a bare name, which the PATH finds. The path is made absolute, for the same program whatever
    /// a prefix does.
    pub(crate) fn program(
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

/// A path without `.` in it and without an end that names nothing.
pub(crate) fn below(place: &Path, path: impl AsRef<Path>) -> PathBuf {
    place.join(path).components().collect()
}

/// Puts what tools build or install where only this side sees it, over whatever the user's
/// environment and configuration say: with a shared directory head would be a copy of base.
fn own_outputs(
    environment: Environment,
    root: &Path,
    directory: &Path,
    installed: &Path,
) -> Environment {
    let target = cargo_target(root, directory);
    environment
        .with("CARGO_BUILD_BUILD_DIR", &target)
        .with("CARGO_TARGET_DIR", target)
        .without("CARGO_BUILD_TARGET_DIR")
        .with("CARGO_INSTALL_ROOT", installed)
        .with("GOBIN", installed.join("bin"))
        .with("PWD", directory)
        .with_path_first(installed.join("bin"))
}

/// Where cargo would build if nobody had said anything, so that `target/release/tool` is found:
/// beside the outermost manifest with a workspace, else the innermost manifest.
fn cargo_target(root: &Path, directory: &Path) -> PathBuf {
    let mut innermost = None;
    let mut workspace = None;
    for place in directory.ancestors().take_while(|place| place.starts_with(root)) {
        let Ok(manifest) = std::fs::read_to_string(place.join("Cargo.toml")) else { continue };
        innermost.get_or_insert(place);
        if manifest.lines().any(|line| line.trim_start().starts_with("[workspace")) {
            workspace = Some(place);
        }
    }
    workspace.or(innermost).unwrap_or(directory).join("target")
}

/// An existing build goes first where programs look for it.
fn of_side(environment: Environment, subject: &Subject) -> Environment {
    match subject {
        Subject::Commit { .. } => environment,
        Subject::Python { interpreter } => {
            let directory = interpreter.parent().unwrap_or(Path::new("/"));
            environment.with_path_first(directory)
        }
        Subject::Path { directory } => {
            let mut path = directory.clone().into_os_string();
            if let Some(rest) = environment.get("PYTHONPATH") {
                path.push(":");
                path.push(rest);
            }
            environment.with("PYTHONPATH", path)
        }
    }
}

/// Whether it is a file that somebody may run.
pub(crate) fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

/// The files of a name in which `*` and `?` may stand for parts of a file's name.
///
/// # Errors
/// In words: there is none.
pub(crate) fn matching(
    directory: &Path,
    named: &str,
    kind: &str,
    is_wanted: impl Fn(&Path) -> bool,
) -> Result<Vec<PathBuf>, String> {
    let whole = below(directory, named);
    let missing = |what: &str| {
        Err(format!("there is no {kind}{what} `{named}` in {} after `build`", directory.display()))
    };
    let (Some(parent), Some(name)) = (whole.parent(), whole.file_name()) else {
        return missing("");
    };
    let name = name.to_string_lossy();
    if !name.contains(['*', '?']) {
        return match is_wanted(&whole) {
            true => Ok(vec![whole]),
            false => missing(""),
        };
    }
    let pattern = Glob::new(&name).map_err(|error| error.to_string())?.compile_matcher();
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| pattern.is_match(Path::new(&entry.file_name())))
        .map(|entry| entry.path())
        .filter(|path| is_wanted(path))
        .collect();
    found.sort();
    if found.is_empty() { missing(" named like") } else { Ok(found) }
}
