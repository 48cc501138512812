//! What a side's scripts need: installed as its lockfile says, by the tool that wrote the lockfile.

use crate::place::Place;
use crate::python::store::{Entry, key};
use crate::steps::{Step, Steps};
use crate::{Detected, EnvironmentKind, Subject, Tree};
use bench_results::Failure;
use std::path::{Path, PathBuf};

/// Lockfiles, and what installs exactly what they say.
const MANAGERS: [(&str, &[&str]); 6] = [
    ("package-lock.json", &["npm", "ci", "--no-audit", "--no-fund"]),
    ("npm-shrinkwrap.json", &["npm", "ci", "--no-audit", "--no-fund"]),
    ("pnpm-lock.yaml", &["pnpm", "install", "--frozen-lockfile"]),
    ("yarn.lock", &["yarn", "install", "--frozen-lockfile"]),
    ("bun.lock", &["bun", "install", "--frozen-lockfile"]),
    ("bun.lockb", &["bun", "install", "--frozen-lockfile"]),
];

/// Files beside a lockfile that decide what is installed.
const BESIDE: [&str; 6] =
    ["package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml", ".node-version"];

/// Installs what the side's `package.json` asks for, and gives what a person should know of it. A
/// suite with a `build` of its own says there what is to be done.
///
/// # Errors
/// The build or the installation failed.
pub(super) fn install(steps: &Steps<'_>, place: &Place) -> Result<Vec<String>, Failure> {
    let site = steps.site;
    if !site.suite.build.is_empty() {
        steps.build(place)?;
        return Ok(Vec::new());
    }
    let is_commit = matches!(site.subject, Subject::Commit { .. });
    if !is_commit || site.suite.environment == EnvironmentKind::Current {
        return Ok(Vec::new());
    }
    if let Some((directory, lock, words)) = locked(place) {
        let words = match lock {
            // What yarn calls it since its second version.
            "yarn.lock" if directory.join(".yarnrc.yml").is_file() => {
                &["yarn", "install", "--immutable"]
            }
            _ => words,
        };
        installed(steps, place, &directory, lock, words)?;
        return Ok(Vec::new());
    }
    let Some(directory) = upwards(place).find(|place| place.join("package.json").is_file()) else {
        return Ok(Vec::new());
    };
    if !has_dependencies(&directory) {
        return Ok(Vec::new());
    }
    let words = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock"];
    steps.run("install", &Step::new(words, &place.build, &directory))?;
    Ok(vec![format!(
        "suite {}: there is no lockfile, so that the sides may have got different packages; commit one",
        site.suite.name
    )])
}

/// The directories from the suite's up to the root of its side.
fn upwards(place: &Place) -> impl Iterator<Item = PathBuf> {
    let inside = place.directory.ancestors().take_while(|path| path.starts_with(&place.root));
    inside.map(Path::to_path_buf)
}

fn locked(place: &Place) -> Option<(PathBuf, &'static str, &'static [&'static str])> {
    upwards(place).find_map(|directory| {
        let (lock, words) = MANAGERS.iter().find(|(lock, _)| directory.join(lock).is_file())?;
        Some((directory, *lock, *words))
    })
}

/// Installs, or copies what the same lockfile has brought before.
fn installed(
    steps: &Steps<'_>,
    place: &Place,
    directory: &Path,
    lock: &str,
    words: &[&str],
) -> Result<(), Failure> {
    let install = || {
        let step = Step::new(words.iter().copied(), &place.build, directory);
        steps.run("install", &step).map_err(|failure| Failure {
            message: format!("{} (`{lock}` asks for `{}`)", failure.message, words[0]),
            ..failure
        })
    };
    let modules = directory.join("node_modules");
    // A workspace's packages are linked into it: it belongs to its checkout.
    if has_workspaces(directory) {
        return install();
    }
    let io = |error: &std::io::Error| steps.io("install", &modules, error);
    let shelf = steps.site.cache.join("node_modules");
    let identity = identity(steps, place, directory, lock, words)?;
    let identity: Vec<&str> = identity.iter().map(String::as_str).collect();
    let entry = Entry::lock(&shelf, &key(&identity)).map_err(|error| io(&error))?;
    let kept = entry.directory.join("node_modules");
    let copy = |from: &Path, to: &Path| {
        let words = [Path::new("cp"), Path::new("-a"), from, to].map(|p| p.display().to_string());
        steps.run("install", &Step::new(words, &place.build, directory))
    };
    if entry.note::<()>().is_some() {
        if modules.exists() {
            std::fs::remove_dir_all(&modules).map_err(|error| io(&error))?;
        }
        return copy(&kept, &modules);
    }
    install()?;
    entry.clear().map_err(|error| io(&error))?;
    if modules.is_dir() {
        copy(&modules, &kept)?;
        entry.complete(&()).map_err(|error| io(&error))?;
    }
    Ok(())
}

/// Everything that what is installed depends on.
fn identity(
    steps: &Steps<'_>,
    place: &Place,
    directory: &Path,
    lock: &str,
    words: &[&str],
) -> Result<Vec<String>, Failure> {
    let ask =
        Step::new(["node", "--print", "process.version + process.arch"], &place.build, directory);
    let mut identity = vec![steps.capture("install", &ask)?, words.join(" ")];
    for file in BESIDE.iter().copied().chain([lock]) {
        let path = directory.join(file);
        let digest = if path.is_file() {
            bench_results::file_digest(&path).map_err(|error| steps.io("install", &path, &error))?
        } else {
            String::new()
        };
        identity.push(digest);
    }
    Ok(identity)
}

fn manifest(directory: &Path) -> serde_json::Value {
    let text = std::fs::read(directory.join("package.json")).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

fn has_workspaces(directory: &Path) -> bool {
    manifest(directory).get("workspaces").is_some()
        || directory.join("pnpm-workspace.yaml").is_file()
}

fn has_dependencies(directory: &Path) -> bool {
    let manifest = manifest(directory);
    let names = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
    names.iter().any(|name| {
        manifest.get(name).and_then(|of| of.as_object()).is_some_and(|of| !of.is_empty())
    })
}

/// The packages that depend on another and have benchmark files, as vitest names them.
pub(super) fn with_benchmarks(tree: &dyn Tree, package: &str) -> Vec<Detected> {
    let depends = |path: &&String| {
        let text = tree.read(path).unwrap_or_default();
        let manifest: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        let names = ["dependencies", "devDependencies"];
        names.iter().any(|name| manifest.get(name).and_then(|of| of.get(package)).is_some())
    };
    let is_manifest = |path: &&String| Path::new(path).ends_with("package.json");
    let manifests = tree.files().iter().filter(is_manifest).filter(depends);
    let directory = |path: &str| Path::new(path).parent().unwrap_or(Path::new("")).to_path_buf();
    let places: Vec<(PathBuf, &String)> = manifests.map(|path| (directory(path), path)).collect();
    // A file belongs to the innermost package around it.
    let owner = |file: &String| {
        let around = places.iter().filter(|(place, _)| Path::new(file).starts_with(place));
        around.max_by_key(|(place, _)| place.components().count())
    };
    let files = tree.files().iter().filter(|file| is_benchmark(file));
    let owners: Vec<&(PathBuf, &String)> = files.filter_map(owner).collect();
    let found = places.iter().filter(|place| owners.contains(place));
    let detected = |(directory, evidence): &(PathBuf, &String)| Detected {
        directory: directory.clone(),
        config: None,
        evidence: (*evidence).clone(),
    };
    found.map(detected).collect()
}

/// What vitest takes for a file of benchmarks by default.
fn is_benchmark(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut parts = name.rsplit('.');
    let ending = parts.next().unwrap_or("");
    let is_script = ["js", "ts", "mjs", "mts", "cjs", "cts", "jsx", "tsx"].contains(&ending);
    is_script && matches!(parts.next(), Some("bench" | "benchmark")) && parts.next().is_some()
}

/// The version of a package, as found from a directory on upwards.
pub(super) fn version(directory: &Path, package: &str) -> Option<String> {
    let found = directory.ancestors().map(|place| place.join("node_modules").join(package));
    let found = found.map(|package| manifest(&package)).find(|manifest| !manifest.is_null())?;
    found.get("version")?.as_str().map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bench_process::Environment;

    fn place(root: &Path, directory: &str) -> Place {
        let environment = Environment::empty();
        Place {
            root: root.to_owned(),
            directory: root.join(directory),
            build: environment.clone(),
            run: environment,
        }
    }

    #[test]
    fn the_nearest_lockfile_says_which_tool_installs() -> std::io::Result<()> {
        let root = tempfile::tempdir()?;
        std::fs::create_dir_all(root.path().join("packages/a/bench"))?;
        let place = place(root.path(), "packages/a/bench");
        assert_eq!(locked(&place), None);
        std::fs::write(root.path().join("package-lock.json"), "{}")?;
        assert_eq!(locked(&place).map(|found| found.2[0]), Some("npm"));
        std::fs::write(root.path().join("packages/a/pnpm-lock.yaml"), "")?;
        assert_eq!(locked(&place).map(|found| found.2[0]), Some("pnpm"));
        Ok(())
    }

    #[test]
    fn benchmark_files_are_those_of_vitest() {
        assert!(is_benchmark("a/b.bench.ts") && is_benchmark("x.y.benchmark.mjs"));
        assert!(
            !is_benchmark("bench.ts") && !is_benchmark("a.bench.json") && !is_benchmark("a.ts")
        );
    }

    #[test]
    fn a_manifest_without_dependencies_needs_nothing() -> std::io::Result<()> {
        let root = tempfile::tempdir()?;
        let manifest = root.path().join("package.json");
        std::fs::write(&manifest, r#"{"type": "module", "devDependencies": {}}"#)?;
        assert!(!has_dependencies(root.path()) && !has_workspaces(root.path()));
        std::fs::write(&manifest, r#"{"devDependencies": {"a": "1"}, "workspaces": ["b"]}"#)?;
        assert!(has_dependencies(root.path()) && has_workspaces(root.path()));
        Ok(())
    }
}
