//! Programs of benchmarks that cargo builds.

use super::{Dialect, NativeReady, Program};
use crate::place::Place;
use crate::python::store::{Entry, key};
use crate::steps::{Step, Steps};
use crate::{Detected, Ready, Site, Subject, Tree};
use bench_process::CpuClock;
use bench_results::Failure;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// With this variable a stable compiler takes what is unstable.
const BOOTSTRAP: &str = "RUSTC_BOOTSTRAP";

/// Which of the programs that cargo builds are a framework's.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Targets {
    /// Bench targets whose source names one of these.
    Naming(&'static [&'static str]),
    /// All whose harness is the compiler's own: bench targets, and libraries and programs with
    /// benchmarks among their tests. It is unstable: a stable compiler is told to take it.
    OfCompiler,
}

/// A line of `--message-format=json`, as far as it matters.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    package_id: String,
    #[serde(default)]
    manifest_path: PathBuf,
    target: Option<Target>,
    profile: Option<Profile>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    src_path: PathBuf,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// A side whose programs of a framework are built.
///
/// # Errors
/// The build failed.
pub(crate) fn prepared(
    site: &Site<'_>,
    targets: Targets,
    dialect: impl Dialect + 'static,
) -> Result<Box<dyn Ready>, Failure> {
    let steps = Steps::new(site);
    let place = Place::of(site);
    steps.build(&place)?;
    let programs = built(&steps, &place, targets)?;
    Ok(Box::new(NativeReady::new(site, &place, dialect, programs, Vec::new())))
}

/// The names in what `--list --format terse` prints.
pub(crate) fn listed(printed: &str) -> Vec<String> {
    let names = printed.lines().filter_map(|line| line.strip_suffix(": benchmark"));
    names.map(ToOwned::to_owned).collect()
}

/// The programs of the suite that are a framework's. Outputs are kept between runs, in a place of their
/// own for each side and environment: what only head changed is built anew.
///
/// # Errors
/// The build failed.
fn built(steps: &Steps<'_>, place: &Place, targets: Targets) -> Result<Vec<Program>, Failure> {
    let site = steps.site;
    let shelf = site.cache.join("cargo");
    let entry = Entry::lock(&shelf, &format!("{}-{}", site.side, identity(site)))
        .map_err(|error| steps.io("build", &shelf, &error))?;
    let kept = &entry.directory;
    let mut environment = place
        .build
        .clone()
        .with("CARGO_TARGET_DIR", kept)
        .with("CARGO_BUILD_BUILD_DIR", kept)
        .with("CARGO_TERM_COLOR", "never");
    if matches!(targets, Targets::OfCompiler) && environment.get(BOOTSTRAP).is_none() {
        environment.set(BOOTSTRAP, "1");
    }
    let mut words = vec!["cargo", "bench", "--no-run", "--message-format=json-render-diagnostics"];
    words.extend(site.suite.arguments.iter().map(String::as_str));
    let printed = steps.capture("build", &Step::new(words, &environment, &place.directory))?;
    let messages = printed.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    let programs = messages.filter_map(|message| program(message, targets));
    Ok(told_apart(programs.collect()))
}

/// What tells the outputs of a side apart that cargo would write over each other: the suite, the checkout
/// (each environment may have its own), and all that the environment sets. Of one length.
fn identity(site: &Site<'_>) -> String {
    let checkout = match site.subject {
        Subject::Commit { checkout, .. } => checkout.file_name().unwrap_or_default(),
        Subject::Python { .. } | Subject::Path { .. } => "".as_ref(),
    };
    let mut parts = vec![site.suite.name.clone(), checkout.to_string_lossy().into_owned()];
    for variables in [&site.environment.variables, &site.environment.build_variables] {
        parts.push(variables.len().to_string());
        parts.extend(variables.iter().flat_map(|(name, value)| [name.clone(), value.clone()]));
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    key(&parts)
}

/// The program of a message, with its package's name.
fn program(message: Message, targets: Targets) -> Option<(String, Program)> {
    let is_wanted = message.reason == "compiler-artifact" && message.is_of(targets);
    let (target, path) = (message.target?, message.executable?);
    let program = Program {
        label: target.name,
        is_dynamic: CpuClock::reaches(&path),
        directory: message.manifest_path.parent()?.to_path_buf(),
        path,
    };
    is_wanted.then(|| (package(&message.package_id).to_owned(), program))
}

impl Message {
    fn is_of(&self, targets: Targets) -> bool {
        let Some(target) = &self.target else { return false };
        match targets {
            Targets::Naming(frameworks) => {
                let source = std::fs::read_to_string(&target.src_path).unwrap_or_default();
                target.kind.iter().any(|kind| kind == "bench")
                    && frameworks.iter().any(|framework| source.contains(framework))
            }
            Targets::OfCompiler => {
                let manifest = std::fs::read_to_string(&self.manifest_path).unwrap_or_default();
                self.profile.as_ref().is_some_and(|profile| profile.test)
                    && has_compilers_harness(&manifest, target)
            }
        }
    }
}

/// Whether a manifest leaves a target the harness that it has unless somebody says otherwise.
fn has_compilers_harness(manifest: &str, target: &Target) -> bool {
    let Ok(manifest) = manifest.parse::<toml::Table>() else { return false };
    let own = |table: &toml::Value| table.get("harness") == Some(&toml::Value::Boolean(false));
    let is_named = |table: &toml::Value| {
        table.get("name").and_then(toml::Value::as_str) == Some(target.name.as_str())
    };
    let is_kind = |kind: &str| target.kind.iter().any(|known| known == kind);
    match ["bench", "bin", "test", "example"].into_iter().find(|kind| is_kind(kind)) {
        Some(kind) => {
            let tables = manifest.get(kind).and_then(toml::Value::as_array);
            !tables.into_iter().flatten().any(|table| is_named(table) && own(table))
        }
        None => !manifest.get("lib").is_some_and(own),
    }
}

/// The name in a package's id: `path+file:///a/b#name@1.0.0`, or `path+file:///a/name#1.0.0`.
fn package(id: &str) -> &str {
    let (place, end) = id.rsplit_once('#').unwrap_or((id, ""));
    match end.split_once('@') {
        Some((name, _)) => name,
        None => place.rsplit('/').next().unwrap_or(place),
    }
}

/// Targets of one name in several packages have their package's name before it.
fn told_apart(programs: Vec<(String, Program)>) -> Vec<Program> {
    let labels: Vec<String> = programs.iter().map(|(_, program)| program.label.clone()).collect();
    let is_shared = |label: &str| labels.iter().filter(|known| *known == label).count() > 1;
    let told = |(package, program): (String, Program)| match is_shared(&program.label) {
        true => Program { label: format!("{package}/{}", program.label), ..program },
        false => program,
    };
    programs.into_iter().map(told).collect()
}

/// The packages whose manifest has one of these among its development dependencies.
pub(crate) fn detected(tree: &dyn Tree, wanted: &[&str]) -> Vec<Detected> {
    let has = |path: &&String| {
        let manifest = tree.read(path).and_then(|bytes| String::from_utf8(bytes).ok());
        manifest.is_some_and(|text| depends(&text, wanted))
    };
    let is_manifest = |path: &&String| Path::new(path).ends_with("Cargo.toml");
    let manifests = tree.files().iter().filter(is_manifest).filter(has);
    let place = |path: &String| Path::new(path).parent().unwrap_or(Path::new("")).to_path_buf();
    let detected =
        |path: &String| Detected { directory: place(path), config: None, evidence: path.clone() };
    manifests.map(detected).collect()
}

/// By the name of the dependency, or of the package behind it (`criterion = { package = "…" }`).
fn depends(manifest: &str, wanted: &[&str]) -> bool {
    let Ok(manifest) = manifest.parse::<toml::Table>() else { return false };
    let Some(dependencies) = manifest.get("dev-dependencies").and_then(toml::Value::as_table)
    else {
        return false;
    };
    dependencies.iter().any(|(name, value)| {
        let package = value.get("package").and_then(toml::Value::as_str).unwrap_or(name);
        wanted.contains(&package)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_known_by_its_package() {
        let manifest = "[dev-dependencies]\ncriterion = { package = \"codspeed-criterion-compat\", version = \"3\" }\n";
        assert!(depends(manifest, &["criterion", "codspeed-criterion-compat"]));
        assert!(!depends(manifest, &["criterion"]));
        assert!(depends("[dev-dependencies.criterion]\nversion = \"0.8\"\n", &["criterion"]));
        assert!(!depends("[dependencies]\ncriterion = \"0.8\"\n", &["criterion"]));
    }

    fn target(name: &str, kind: &str) -> Target {
        Target { name: name.into(), kind: vec![kind.into()], src_path: PathBuf::new() }
    }

    #[test]
    fn a_target_keeps_the_compilers_harness_unless_the_manifest_says_otherwise() {
        let manifest = "[[bench]]\nname = \"a\"\nharness = false\n[[bench]]\nname = \"b\"\n";
        assert!(!has_compilers_harness(manifest, &target("a", "bench")));
        assert!(has_compilers_harness(manifest, &target("b", "bench")));
        assert!(has_compilers_harness(manifest, &target("a", "rlib")));
        assert!(!has_compilers_harness("[lib]\nharness = false\n", &target("a", "lib")));
    }

    #[test]
    fn targets_of_one_name_in_two_packages_are_told_apart() {
        let program = |id: &str, label: &str| {
            let program = Program {
                label: label.into(),
                path: PathBuf::new(),
                directory: PathBuf::new(),
                is_dynamic: true,
            };
            (package(id).to_owned(), program)
        };
        let programs = vec![
            program("path+file:///w/a#0.1.0", "speed"),
            program("path+file:///w/b#two@0.1.0", "speed"),
            program("path+file:///w/b#two@0.1.0", "other"),
        ];
        let labels: Vec<String> = told_apart(programs).into_iter().map(|p| p.label).collect();
        assert_eq!(labels, ["a/speed", "two/speed", "other"]);
    }
}
