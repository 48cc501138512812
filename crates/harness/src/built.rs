//! What makes two sides identical where programs of their own were built.

use crate::Subject;
use crate::place::Place;
use crate::steps::{Step, Steps};
use bench_results::{Artifact, file_digest, hex};
use sha2::{Digest, Sha256};
use std::path::Path;

/// The tracked files, and the programs built from them. A program may read any file of its checkout
/// and load any library that was built there, so the files count as a whole: equal programs alone say
/// nothing. Without a commit nothing is known of the files, and nothing is identical.
///
/// Programs that hold their checkout's path (Go's do, compressed) differ though their sources do not;
/// they are measured.
pub(crate) fn artifacts<'p>(
    steps: &Steps<'_>,
    place: &Place,
    programs: impl Iterator<Item = &'p Path>,
) -> Vec<Artifact> {
    if !matches!(steps.site.subject, Subject::Commit { .. }) {
        return Vec::new();
    }
    let git = place.build.clone().without("GIT_DIR").without("GIT_WORK_TREE");
    let ask = Step::new(["git", "rev-parse", "HEAD^{tree}"], &git, &place.root);
    let Ok(tree) = steps.capture("build", &ask) else { return Vec::new() };
    let files =
        Artifact { name: "tracked files".into(), sha256: hex(&Sha256::digest(tree.trim())) };
    let programs = programs.filter_map(|path| {
        let name = path.strip_prefix(&place.root).unwrap_or(path).display().to_string();
        Some(Artifact { name, sha256: file_digest(path).ok()? })
    });
    let mut artifacts: Vec<Artifact> = std::iter::once(files).chain(programs).collect();
    artifacts.dedup();
    artifacts
}
