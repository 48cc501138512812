//! Programs of benchmarks that cargo builds.

use super::{Dialect, NativeReady, Program};
use crate::place::Place;
use crate::steps::{Step, Steps};
use crate::{Detected, Ready, Site, Tree};
use bench_process::CpuClock;
use bench_results::Failure;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A line of `--message-format=json`, as far as it matters.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    target: Option<Target>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    src_path: PathBuf,
}

/// A side whose bench targets of a framework are built.
///
/// # Errors
/// The build failed.
pub(crate) fn prepared(
    site: &Site<'_>,
    framework: &str,
    dialect: impl Dialect + 'static,
) -> Result<Box<dyn Ready>, Failure> {
    let steps = Steps::new(site);
    let place = Place::of(site);
    steps.build(&place)?;
    let programs = bench_targets(&steps, &place, framework)?;
    Ok(Box::new(NativeReady::new(site, &place, dialect, programs, Vec::new())))
}

/// The names in what `--list --format terse` prints.
pub(crate) fn listed(printed: &str) -> Vec<String> {
    let names = printed.lines().filter_map(|line| line.strip_suffix(": benchmark"));
    names.map(ToOwned::to_owned).collect()
}

/// The programs of the suite's bench targets whose source names a framework. Outputs are kept
/// between runs, each side's in a place of its own: what only head changed is built anew.
///
/// # Errors
/// The build failed.
fn bench_targets(
    steps: &Steps<'_>,
    place: &Place,
    framework: &str,
) -> Result<Vec<Program>, Failure> {
    let site = steps.site;
    let kept = site.cache.join("cargo").join(&site.suite.name).join(site.side.word());
    let environment = place
        .build
        .clone()
        .with("CARGO_TARGET_DIR", &kept)
        .with("CARGO_BUILD_BUILD_DIR", &kept)
        .with("CARGO_TERM_COLOR", "never");
    let mut words = vec!["cargo", "bench", "--no-run", "--message-format=json-render-diagnostics"];
    words.extend(site.suite.arguments.iter().map(String::as_str));
    let printed = steps.capture("build", &Step::new(words, &environment, &place.directory))?;
    let messages = printed.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    Ok(messages.filter_map(|message| program(message, framework)).collect())
}

fn program(message: Message, framework: &str) -> Option<Program> {
    let (target, path) = (message.target?, message.executable?);
    let is_bench =
        message.reason == "compiler-artifact" && target.kind.iter().any(|k| k == "bench");
    if !is_bench || !names(&target.src_path, framework) {
        return None;
    }
    Some(Program {
        label: target.name,
        is_dynamic: CpuClock::reaches(&path),
        directory: message.manifest_path.parent()?.to_path_buf(),
        path,
    })
}

fn names(source: &Path, framework: &str) -> bool {
    std::fs::read_to_string(source).is_ok_and(|text| text.contains(framework))
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
}
