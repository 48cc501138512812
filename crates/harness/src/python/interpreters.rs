//! Python interpreters: found by version, name or path, and asked what they are.

use crate::steps::{Step, Steps};
use bench_process::Environment;
use bench_results::Failure;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// An interpreter, as it describes itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Interpreter {
    pub(crate) executable: PathBuf,
    /// `3.12.1`.
    pub(crate) version: String,
    /// `cpython`, `pypy`.
    pub(crate) implementation: String,
    /// The tag of extension modules.
    pub(crate) abi: String,
    pub(crate) platform: String,
    /// Where modules are looked for.
    pub(crate) path: Vec<PathBuf>,
    pub(crate) has_pip: bool,
    pub(crate) has_venv: bool,
}

impl Interpreter {
    /// Asks the interpreter at `executable`.
    pub(crate) fn probe(
        steps: &Steps<'_>,
        executable: &Path,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let words =
            [executable.display().to_string(), "-c".into(), include_str!("probe.py").into()];
        let printed = steps.capture("python", &Step::new(words, environment, steps.site.work))?;
        serde_json::from_str(&printed).map_err(|error| {
            let message = format!("`{}` is no Python that we know: {error}", executable.display());
            steps.failure("python", message)
        })
    }

    /// What a build depends on.
    pub(crate) fn identity(&self) -> String {
        format!("{} {} {} {}", self.implementation, self.version, self.abi, self.platform)
    }

    /// Whether its version is below `major.minor`.
    pub(crate) fn is_before(&self, major: u32, minor: u32) -> bool {
        let mut parts = self.version.split('.').map_while(|part| part.parse::<u32>().ok());
        (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) < (major, minor)
    }

    /// `name==version` of the distributions in `path`, in order of name; of several of one name,
    /// the first found, which is the one that is imported.
    pub(crate) fn packages(path: &[PathBuf]) -> Vec<String> {
        let mut found = std::collections::BTreeMap::new();
        for directory in path {
            let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
            for entry in entries {
                let name = entry.file_name().to_string_lossy().into_owned();
                if let Some((name, version)) = distribution(&name) {
                    found.entry(normalised(name)).or_insert_with(|| version.to_owned());
                }
            }
        }
        found.into_iter().map(|(name, version)| format!("{name}=={version}")).collect()
    }
}

/// Name and version of a `*.dist-info` or `*.egg-info` directory.
fn distribution(file: &str) -> Option<(&str, &str)> {
    let stem = file.strip_suffix(".dist-info").or_else(|| file.strip_suffix(".egg-info"))?;
    let (name, rest) = stem.split_once('-')?;
    Some((name, rest.split('-').next().unwrap_or(rest)))
}

/// A distribution's name as the packaging rules compare it.
pub(crate) fn normalised(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for letter in name.chars() {
        let letter =
            if matches!(letter, '-' | '_' | '.') { '-' } else { letter.to_ascii_lowercase() };
        if letter != '-' || !normal.ends_with('-') {
            normal.push(letter);
        }
    }
    normal
}

/// Finds the interpreter that `wanted` asks for: nothing (the one on the PATH), a version (`3.12`),
/// a name (`pypy3.10`) or a path.
pub(crate) fn find(
    steps: &Steps<'_>,
    wanted: Option<&str>,
    environment: &Environment,
) -> Result<Interpreter, Failure> {
    let mut last = None;
    for candidate in candidates(wanted, environment) {
        match Interpreter::probe(steps, &candidate, environment) {
            Ok(found) if fits(&found, wanted) => return Ok(found),
            Ok(_) => {}
            Err(failure) => last = Some(failure),
        }
    }
    let message = wanted.map_or_else(
        || "no Python on the PATH; install python3".to_owned(),
        |wanted| {
            format!(
                "no Python `{wanted}` was found; put it on the PATH (for instance with \
                 actions/setup-python), or ask for another in `[[environment]] python`"
            )
        },
    );
    let tail = last.map_or(String::new(), |failure| failure.stderr_tail);
    Err(Failure { stderr_tail: tail, ..steps.failure("python", message) })
}

/// The interpreter that the job stands in.
pub(crate) fn current(
    steps: &Steps<'_>,
    environment: &Environment,
) -> Result<Interpreter, Failure> {
    for variable in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        let Some(prefix) = environment.get(variable) else { continue };
        let python = Path::new(prefix).join("bin/python");
        if python.exists() {
            return Interpreter::probe(steps, &python, environment);
        }
    }
    find(steps, None, environment)
}

fn candidates(wanted: Option<&str>, environment: &Environment) -> Vec<PathBuf> {
    let names: Vec<String> = match wanted {
        None => vec!["python3".into(), "python".into()],
        Some(path) if path.contains('/') => return vec![path.into()],
        Some(version) if version.starts_with(|c: char| c.is_ascii_digit()) => {
            vec![format!("python{version}"), "python3".into(), "python".into()]
        }
        Some(name) => vec![name.into()],
    };
    names.iter().filter_map(|name| which(name, environment)).collect()
}

fn fits(found: &Interpreter, wanted: Option<&str>) -> bool {
    let version = wanted.filter(|wanted| wanted.starts_with(|c: char| c.is_ascii_digit()));
    version.is_none_or(|wanted| {
        found
            .version
            .strip_prefix(wanted)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// The file of a program that may be given by its bare name, which our own PATH finds.
#[must_use]
pub fn program_called(given: &Path) -> PathBuf {
    let name = given.to_str().filter(|name| !name.contains('/'));
    let found = name.and_then(|name| which(name, &Environment::current()));
    found.unwrap_or_else(|| given.to_owned())
}

/// The program that a bare name means on the PATH of this environment.
pub(crate) fn which(name: &str, environment: &Environment) -> Option<PathBuf> {
    let path = environment.get("PATH")?;
    std::env::split_paths(path).map(|directory| directory.join(name)).find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_as_packaging_does() {
        assert_eq!(normalised("Foo.Bar__baz-qux"), "foo-bar-baz-qux");
        assert_eq!(distribution("six-1.16.0.dist-info"), Some(("six", "1.16.0")));
        assert_eq!(distribution("x-1-py3.11.egg-info"), Some(("x", "1")));
        assert_eq!(distribution("six.py"), None);
    }

    #[test]
    fn a_version_fits_by_whole_parts() {
        let mut found = Interpreter {
            executable: "p".into(),
            version: "3.11.7".into(),
            implementation: "cpython".into(),
            abi: "a".into(),
            platform: "p".into(),
            path: Vec::new(),
            has_pip: true,
            has_venv: true,
        };
        assert!(fits(&found, Some("3.11")) && fits(&found, Some("3")) && fits(&found, None));
        assert!(!fits(&found, Some("3.1")));
        assert!(found.is_before(3, 12) && !found.is_before(3, 11) && !found.is_before(2, 12));
        found.version = "3.1".into();
        assert!(fits(&found, Some("3.1")) && fits(&found, Some("pypy3.10")));
    }
}
