//! Which crate may know which: the arrows of ARCHITECTURE.md, and no others.

use crate::failure::Failure;
use crate::workspace::{self, array, string};
use serde_json::Value;

/// Every crate with the crates it may depend on. Dependencies of tests count too: a test that needs
/// another arrow belongs to the crate at that arrow's foot.
const ARROWS: &[(&str, &[&str])] = &[
    ("bench-results", &[]),
    ("bench-stats", &[]),
    ("bench-process", &[]),
    ("bench-harness", &["bench-results", "bench-process"]),
    ("bench-core", &["bench-results", "bench-stats", "bench-process", "bench-harness"]),
    ("bench-render", &["bench-results"]),
    ("bench-comment", &["bench-results"]),
    ("bench-history", &["bench-results", "bench-stats"]),
    (
        "bench-action",
        &[
            "bench-results",
            "bench-stats",
            "bench-process",
            "bench-harness",
            "bench-core",
            "bench-render",
            "bench-comment",
            "bench-history",
        ],
    ),
    ("xtask", &[]),
];

/// Fails on any arrow that is not listed.
pub(super) fn check() -> Result<(), Failure> {
    let findings = forbidden(&workspace::metadata(&["--no-deps"])?);
    Failure::unless_empty("arrows that crates/xtask/src/tidy/arrows.rs does not allow", findings)
}

fn forbidden(metadata: &Value) -> Vec<String> {
    let mut findings = Vec::new();
    for package in array(&metadata["packages"]) {
        let name = string(&package["name"]);
        let Some((_, allowed)) = ARROWS.iter().find(|(crate_name, _)| *crate_name == name) else {
            findings.push(format!("{name} → anything: the crate is not listed"));
            continue;
        };
        // Only what lives in this repository has a path.
        let ours = array(&package["dependencies"]).iter().filter(|dep| dep["path"].is_string());
        let refused = ours.map(|dep| string(&dep["name"])).filter(|dep| !allowed.contains(dep));
        findings.extend(refused.map(|dep| format!("{name} → {dep}")));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn crates_depend_on_each_other_along_the_arrows_only() {
        super::super::pass(check());
    }

    #[test]
    fn a_new_arrow_and_an_unknown_crate_are_found() {
        let metadata = json!({"packages": [
            {"name": "bench-stats", "dependencies": [
                {"name": "bench-results", "path": "x", "kind": "dev"},
                {"name": "serde", "path": null},
            ]},
            {"name": "bench-new", "dependencies": []},
        ]});
        let found = forbidden(&metadata);
        let expected =
            ["bench-stats → bench-results", "bench-new → anything: the crate is not listed"];
        assert_eq!(found, expected);
    }
}
