//! What makes environments and installs into them: `uv` where it can be had, else pip and venv.

use super::interpreters::{Interpreter, which};
use super::store::{Entry, key};
use crate::steps::{Step, Steps};
use bench_process::Environment;
use bench_results::Failure;
use std::path::{Path, PathBuf};

/// asv's runner, the same for both sides whatever their environments hold.
pub(crate) const ASV_RUNNER: &str = "0.3.2";

/// Versions and digests of what is installed for every run, as pip reads them.
const TOOLS: &str = include_str!("tools.txt");

/// The tool of choice.
#[derive(Clone, Debug)]
pub(crate) enum Installer {
    Uv(PathBuf),
    Pip,
}

impl Installer {
    /// `uv` on the PATH, or put into the cache by `host`'s pip; else `host`'s pip and venv.
    pub(crate) fn find(
        steps: &Steps<'_>,
        host: &Interpreter,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        if let Some(uv) = which("uv", environment) {
            return Ok(Self::Uv(uv));
        }
        if let Some(uv) = cached_uv(steps, host, environment)? {
            return Ok(Self::Uv(uv));
        }
        if host.has_pip || host.has_venv {
            return Ok(Self::Pip);
        }
        let message = format!(
            "`{}` can't make Python environments and there is no uv; install uv, or on Debian and \
             Ubuntu the packages python3-venv and python3-pip",
            host.executable.display()
        );
        Err(steps.failure("environment", message))
    }

    /// Makes an environment in an empty directory.
    pub(crate) fn create(
        &self,
        steps: &Steps<'_>,
        python: &Interpreter,
        directory: &Path,
        environment: &Environment,
    ) -> Result<(), Failure> {
        let executable = python.executable.display().to_string();
        let directory = directory.display().to_string();
        let words = match self {
            Self::Uv(uv) => {
                let uv = uv.display().to_string();
                let options = ["venv", "--allow-existing", "--python"].map(ToOwned::to_owned);
                [uv].into_iter().chain(options).chain([executable, directory]).collect()
            }
            // Without uv its own pip is what installs into it later.
            Self::Pip => vec![executable, "-m".into(), "venv".into(), directory],
        };
        steps.run("environment", &Step::new(words, environment, steps.site.work)).map_err(
            |mut failure| {
                if matches!(self, Self::Pip) {
                    failure.message +=
                        "; on Debian and Ubuntu the package python3-venv is needed, or install uv";
                }
                failure
            },
        )
    }

    /// What a new environment lacks of that which `venv` puts into its own, for commands that call it.
    pub(crate) fn seeds(&self, python: &Interpreter) -> &'static [&'static str] {
        match self {
            Self::Pip => &[],
            Self::Uv(_) if python.is_before(3, 12) => &["pip", "setuptools"],
            Self::Uv(_) => &["pip"],
        }
    }

    /// Installs with `arguments` as pip takes them, for `python`.
    pub(crate) fn install(
        &self,
        steps: &Steps<'_>,
        stage: &str,
        python: &Path,
        arguments: &[String],
        environment: &Environment,
    ) -> Result<(), Failure> {
        let python = python.display().to_string();
        let mut words = match self {
            Self::Uv(uv) => {
                let uv = uv.display().to_string();
                vec![uv, "pip".into(), "install".into(), "--python".into(), python]
            }
            Self::Pip => vec![python, "-m".into(), "pip".into(), "install".into()],
        };
        words.extend(arguments.iter().cloned());
        steps.run(stage, &Step::new(words, environment, steps.site.work))
    }

    /// Builds a wheel of `source` into `out`, without its dependencies.
    pub(crate) fn build(
        &self,
        steps: &Steps<'_>,
        python: &Path,
        source: &Path,
        out: &Path,
        arguments: &[String],
        environment: &Environment,
    ) -> Result<(), Failure> {
        let (python, source, out) =
            (python.display().to_string(), source.display().to_string(), out.display().to_string());
        let mut words: Vec<String> = match self {
            Self::Uv(uv) => [&uv.display().to_string(), "build", "--wheel", "--python", &python]
                .map(ToOwned::to_owned)
                .into(),
            Self::Pip => [&python, "-m", "pip", "wheel", "--no-deps"].map(ToOwned::to_owned).into(),
        };
        words.extend(arguments.iter().cloned());
        let out_option = if matches!(self, Self::Uv(_)) { "--out-dir" } else { "--wheel-dir" };
        words.extend([out_option.to_owned(), out, source]);
        steps.run("build", &Step::new(words, environment, steps.site.work))
    }
}

fn cached_uv(
    steps: &Steps<'_>,
    host: &Interpreter,
    environment: &Environment,
) -> Result<Option<PathBuf>, Failure> {
    let pinned = pinned(&["uv"]);
    let entry = tool(steps, &format!("uv-{}", key(&[&pinned])))?;
    let uv = entry.directory.join("bin/uv");
    if entry.note::<()>().is_some() && uv.exists() {
        return Ok(Some(uv));
    }
    if !host.has_pip {
        return Ok(None);
    }
    let requirements = script(steps, "uv.txt", &pinned)?;
    let words = pip_target(&host.executable, &entry.directory, &requirements);
    entry.clear().map_err(|error| steps.io("environment", &entry.directory, &error))?;
    // That it can't be had is no failure: pip itself may do.
    if steps.run("environment", &Step::new(words, environment, steps.site.work)).is_err()
        || !uv.exists()
    {
        return Ok(None);
    }
    entry.complete(&()).map_err(|error| steps.io("environment", &entry.directory, &error))?;
    Ok(Some(uv))
}

/// The directory with the pinned asv_runner and what it needs, made once for each Python version.
pub(crate) fn asv_runner(
    steps: &Steps<'_>,
    installer: &Installer,
    python: &Interpreter,
    host: &Interpreter,
    environment: &Environment,
) -> Result<PathBuf, Failure> {
    let minor = python.version.split('.').take(2).collect::<Vec<_>>().join(".");
    let name = format!("asv_runner-{ASV_RUNNER}-{}{minor}", python.implementation);
    let entry = tool(steps, &name)?;
    if entry.note::<()>().is_some() {
        return Ok(entry.directory);
    }
    let io = |error: &std::io::Error| steps.io("environment", &entry.directory, error);
    entry.clear().map_err(|error| io(&error))?;
    let requirements = script(steps, "asv_runner.txt", &pinned(&["asv_runner", "pympler"]))?;
    // Both are pure Python, so that any interpreter's pip may fetch them for any other.
    let words = match installer {
        Installer::Uv(uv) => {
            let python = ["--python".to_owned(), python.executable.display().to_string()];
            let start = [uv.display().to_string(), "pip".into(), "install".into()];
            let rest = target_options(&entry.directory, &requirements);
            start.into_iter().chain(python).chain(rest).collect()
        }
        Installer::Pip => pip_target(&host.executable, &entry.directory, &requirements),
    };
    steps.run("environment", &Step::new(words, environment, steps.site.work))?;
    entry.complete(&()).map_err(|error| io(&error))?;
    Ok(entry.directory)
}

/// The lines of `tools.txt` for these packages.
fn pinned(names: &[&str]) -> String {
    let mut is_wanted = false;
    let mut text = String::new();
    for line in TOOLS.lines().filter(|line| !line.starts_with('#')) {
        // Digests follow their package, indented.
        if !line.starts_with(' ') {
            is_wanted = line.split("==").next().is_some_and(|name| names.contains(&name));
        }
        if is_wanted {
            text.extend([line, "\n"]);
        }
    }
    text
}

fn pip_target(python: &Path, target: &Path, requirements: &Path) -> Vec<String> {
    let start = [&python.display().to_string(), "-m", "pip", "install", "--no-compile"];
    let start = start.map(ToOwned::to_owned);
    start.into_iter().chain(target_options(target, requirements)).collect()
}

/// What pip and uv both understand: wheels alone, with the digests that are known, and nothing else.
fn target_options(target: &Path, requirements: &Path) -> Vec<String> {
    let (target, requirements) = (target.display().to_string(), requirements.display().to_string());
    let only = ["--no-deps", "--only-binary", ":all:", "--require-hashes"];
    let places = ["--target", &target, "--requirement", &requirements];
    only.into_iter().chain(places).map(ToOwned::to_owned).collect()
}

fn tool(steps: &Steps<'_>, name: &str) -> Result<Entry, Failure> {
    let shelf = steps.site.cache.join("tools");
    Entry::lock(&shelf, name).map_err(|error| steps.io("environment", &shelf, &error))
}

/// Writes a file of ours into the cache; gives its path, which changes with its text.
pub(crate) fn script(steps: &Steps<'_>, name: &str, text: &str) -> Result<PathBuf, Failure> {
    let entry = tool(steps, &format!("{name}-{}", key(&[text])))?;
    let path = entry.directory.join(name);
    if entry.note::<()>().is_none() {
        entry
            .clear()
            .and_then(|()| std::fs::write(&path, text))
            .and_then(|()| entry.complete(&()))
            .map_err(|error| steps.io("environment", &path, &error))?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn every_tool_is_pinned_to_one_version_with_digests() {
        let asv_runner = pinned(&["asv_runner"]);
        assert!(asv_runner.starts_with(&format!("asv_runner=={ASV_RUNNER} ")), "{asv_runner}");
        for (name, files) in [("asv_runner", 1), ("pympler", 1), ("uv", 15)] {
            let lines = pinned(&[name]);
            assert_eq!(lines.matches("==").count(), 1, "{lines}");
            let digests = lines.matches("--hash=sha256:").count();
            assert!(digests >= files && digests == lines.lines().count() - 1, "{lines}");
        }
        assert_eq!(pinned(&["pip"]), "");
    }

    #[test]
    fn a_file_with_another_digest_is_not_installed() {
        let directory = tempfile::tempdir().unwrap();
        let (target, requirements) =
            (directory.path().join("target"), directory.path().join("tools.txt"));
        let other = format!("asv_runner=={ASV_RUNNER} --hash=sha256:{}\n", "0".repeat(64));
        std::fs::write(&requirements, other).unwrap();
        let words = pip_target(Path::new("python3"), &target, &requirements);
        let output = Command::new(&words[0]).args(&words[1..]).output().unwrap();
        assert!(!output.status.success() && !target.join("asv_runner").exists(), "{output:?}");
    }
}
