//! Names and places that steps and jobs find each other's files by.

use super::inputs::{Inputs, Shard};
use crate::github::variable;
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};

/// What is kept from one job to the next, below `.bench-action`: what was fetched and built, and
/// nothing of git, which `decide` has just brought.
const SHELVES: [&str; 6] = ["tools", "uv", "pip", "wheels", "environments", "targets"];

/// `key`, or `key-shard2of8`.
pub(crate) fn stem(inputs: &Inputs) -> String {
    let shard = |Shard { index, count }: Shard| format!("-shard{index}of{count}");
    format!("{}{}", inputs.key, inputs.shard.map(shard).unwrap_or_default())
}

/// Where results of this job go: outside the checkout, so that nothing of it can be in the way.
pub(crate) fn out(stem: &str) -> PathBuf {
    let temporary = variable("RUNNER_TEMP").map_or_else(std::env::temp_dir, PathBuf::from);
    temporary.join("bench-action").join(stem)
}

/// `bench-result-STEM-attempt2`: unique per key, shard and attempt, because GitHub refuses a name
/// twice.
pub(crate) fn artifact(kind: &str, stem: &str) -> String {
    let attempt = variable("GITHUB_RUN_ATTEMPT").unwrap_or_else(|| "1".to_owned());
    format!("bench-{kind}-{stem}-attempt{attempt}")
}

/// Where what was built is, one path a line, relative to the workspace.
pub(crate) fn cached_paths() -> String {
    SHELVES.map(|shelf| format!(".bench-action/cache/{shelf}")).join("\n")
}

/// The beginning of cache keys: everything but the commit that decides whether what was built for
/// one job can be used by another.
pub(crate) fn cache_prefix(inputs: &Inputs, workspace: &Path) -> String {
    let word = |name: &str| variable(name).unwrap_or_default();
    let image = match (word("ImageOS"), word("ImageVersion")) {
        (os, version) if !os.is_empty() => format!("{os}-{version}"),
        _ => "own".to_owned(),
    };
    let config = inputs.config.as_deref().unwrap_or("bench-action.toml");
    let config = std::fs::read(workspace.join(config)).unwrap_or_default();
    let mut hasher = Sha256::new();
    for part in [env!("CARGO_PKG_VERSION").as_bytes(), inputs.key.as_bytes(), &config] {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part);
    }
    let environment: String = bench_results::hex(&hasher.finalize()).chars().take(16).collect();
    let prefix = format!(
        "bench-action-{}-{}-{image}-{environment}-",
        word("RUNNER_OS"),
        word("RUNNER_ARCH")
    );
    // A comma would be one too many for the cache service.
    prefix.replace(',', "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::inputs::tests::inputs;

    #[test]
    fn artifacts_are_named_for_key_shard_and_attempt() {
        assert_eq!(stem(&inputs(&[]).unwrap()), "bench");
        let stem = stem(&inputs(&[("key", "linux.x64"), ("shard", "2/8")]).unwrap());
        assert_eq!(stem, "linux.x64-shard2of8");
        assert!(artifact("result", &stem).starts_with("bench-result-linux.x64-shard2of8-attempt"));
    }

    #[test]
    fn another_configuration_or_key_finds_another_cache() {
        let directory = tempfile::tempdir().unwrap();
        let prefix =
            |given: &[(&str, &str)]| cache_prefix(&inputs(given).unwrap(), directory.path());
        let plain = prefix(&[]);
        assert_ne!(plain, prefix(&[("key", "other")]));
        std::fs::write(directory.path().join("bench-action.toml"), "[compare]\n").unwrap();
        assert_ne!(plain, prefix(&[]));
        assert_eq!(prefix(&[]), prefix(&[("threshold", "5%")]));
    }
}
