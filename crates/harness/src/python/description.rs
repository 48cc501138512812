//! What only an interpreter knows of a side: the revision that a build says it was made from, the list
//! of its files, NumPy's BLAS and instruction sets.

use super::sides::Side;
use crate::steps::{Step, Steps};
use crate::{Facts, Subject};
use bench_results::Artifact;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What `describe.py` tells.
#[derive(Debug, Deserialize)]
struct Description {
    version: Option<String>,
    record: Option<String>,
    editable: bool,
    revision: Option<String>,
    details: BTreeMap<String, String>,
}

/// Adds to a side's facts what its interpreter tells. What it cannot tell is left out: it is no reason
/// not to measure.
pub(crate) fn add(steps: &Steps<'_>, project: &str, side: &mut Side) {
    let exists = !matches!(steps.site.subject, Subject::Commit { .. });
    let has_numpy = side.facts.packages.iter().any(|package| package.starts_with("numpy=="));
    if !exists && !has_numpy {
        return;
    }
    let program = side.interpreter.executable.display().to_string();
    let words = [&program, "-c", include_str!("describe.py"), project];
    let printed = steps.capture("python", &Step::new(words, &side.environment, steps.site.work));
    // A module may print when it is imported; the last line is ours.
    let line = printed.as_deref().unwrap_or_default().lines().last().unwrap_or_default();
    match serde_json::from_str::<Description>(line) {
        Ok(description) => merge(&mut side.facts, description, project, exists),
        Err(error) => tracing::debug!(%error, "the interpreter told nothing of {project}"),
    }
}

fn merge(facts: &mut Facts, told: Description, project: &str, exists: bool) {
    facts.details = told.details;
    if !exists {
        return;
    }
    facts.project_version = told.version.or(facts.project_version.take());
    facts.revision = told.revision;
    facts.artifacts.extend(
        told.record.map(|sha256| Artifact { name: format!("{project}, list of files"), sha256 }),
    );
    if told.editable {
        facts.warnings.push(format!(
            "{project} is an editable build: it is measured as it is, and not rebuilt on import"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Description {
        serde_json::from_str(text).unwrap()
    }

    const NUMPY: &str = r#"{"version": "2.2.6", "record": "ab", "editable": false,
        "revision": "b832a09", "details": {"simd": "baseline SSE"}}"#;

    #[test]
    fn an_existing_build_has_a_revision_and_a_list_of_files() {
        let mut facts = Facts::default();
        merge(&mut facts, told(NUMPY), "numpy", true);
        assert_eq!(facts.revision.as_deref(), Some("b832a09"));
        assert_eq!(facts.artifacts.first().map(|a| a.sha256.as_str()), Some("ab"));
        assert_eq!(facts.details.get("simd").map(String::as_str), Some("baseline SSE"));
    }

    #[test]
    fn what_we_built_is_known_without_asking() {
        let mut facts = Facts { project_version: Some("1.0".into()), ..Facts::default() };
        merge(&mut facts, told(NUMPY), "numpy", false);
        assert_eq!((facts.project_version.as_deref(), facts.revision), (Some("1.0"), None));
        assert!(facts.artifacts.is_empty() && !facts.details.is_empty());
    }
}
