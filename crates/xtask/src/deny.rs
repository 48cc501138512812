//! `cargo xtask deny`: licences, banned crates and sources of every dependency, as `deny.toml` says.
//! With cargo-deny where it is installed; else the same three questions are asked of cargo itself.

use crate::failure::Failure;
use crate::workspace::{self, array, string};
use crate::{licence, say};
use serde_json::Value;

/// What is published, and what fuzzes it.
const WORKSPACES: [&str; 2] = ["Cargo.toml", "fuzz/Cargo.toml"];

/// Fails on a dependency that `deny.toml` does not allow.
pub(crate) fn deny() -> Result<(), Failure> {
    let mut version = workspace::cargo();
    version.args(["deny", "--version"]).stderr(std::process::Stdio::null());
    if version.output().is_ok_and(|output| output.status.success()) {
        return WORKSPACES.iter().try_for_each(|manifest| {
            let checks = ["--config", "deny.toml", "licenses", "bans", "sources"];
            let mut cargo = workspace::cargo();
            cargo.args(["deny", "--manifest-path", manifest, "check"]).args(checks);
            workspace::run(&mut cargo)
        });
    }
    say("note: cargo-deny is not installed; asking cargo itself");
    let rules = Rules::read()?;
    let mut refused = Vec::new();
    for manifest in WORKSPACES {
        let metadata = workspace::metadata(&["--locked", "--manifest-path", manifest])?;
        refused.extend(array(&metadata["packages"]).iter().filter_map(|p| rules.refusal(p)));
    }
    Failure::unless_empty("dependencies against deny.toml", refused)
}

/// What `deny.toml` says, as far as it is looked at here.
struct Rules {
    licences: Vec<String>,
    /// Packages that may have another licence besides, with it.
    exceptions: Vec<(String, String)>,
    banned: Vec<String>,
}

impl Rules {
    fn read() -> Result<Self, Failure> {
        let text = workspace::text("deny.toml")?.unwrap_or_default();
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            Failure::Malformed { what: "deny.toml".into(), message: error.to_string() }
        })?;
        let list = |section: &str, key: &str| -> Vec<toml::Value> {
            let list = table.get(section).and_then(|section| section.get(key));
            list.and_then(toml::Value::as_array).cloned().unwrap_or_default()
        };
        let names = |value: &toml::Value| {
            let name = value.get("crate").unwrap_or(value);
            name.as_str().map(str::to_owned)
        };
        let exceptions = list("licenses", "exceptions").into_iter().flat_map(|exception| {
            let name = names(&exception).unwrap_or_default();
            let allowed = exception.get("allow").and_then(toml::Value::as_array).cloned();
            let allowed = allowed.into_iter().flatten();
            let licences = allowed.filter_map(|licence| licence.as_str().map(str::to_owned));
            licences.map(|licence| (name.clone(), licence)).collect::<Vec<_>>()
        });
        Ok(Self {
            exceptions: exceptions.collect(),
            licences: list("licenses", "allow").iter().filter_map(names).collect(),
            banned: list("bans", "deny").iter().filter_map(names).collect(),
        })
    }

    /// The licences that a package may have.
    fn allowed(&self, name: &str) -> Vec<String> {
        let own = self.exceptions.iter().filter(|(of, _)| of == name);
        self.licences.iter().chain(own.map(|(_, licence)| licence)).cloned().collect()
    }

    /// Why a package is refused, if it is.
    fn refusal(&self, package: &Value) -> Option<String> {
        let name = string(&package["name"]);
        let licence = string(&package["license"]);
        let source = string(&package["source"]);
        let why = if self.banned.iter().any(|banned| banned == name) {
            "is banned".to_owned()
        } else if !licence::is_allowed(licence, &self.allowed(name)) {
            format!("has the licence `{licence}`")
        } else if !source.is_empty() && !source.starts_with("registry+") {
            format!("comes from {source}")
        } else {
            return None;
        };
        Some(format!("{name} {} {why}", string(&package["version"])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn licence_ban_and_source_each_refuse_a_package() {
        let rules = Rules {
            licences: vec!["MIT".into()],
            exceptions: vec![("tool".into(), "NCSA".into())],
            banned: vec!["openssl-sys".into()],
        };
        let package = |name: &str, licence: &str, source: Option<&str>| {
            rules.refusal(&json!({
                "name": name, "version": "1.0.0", "license": licence, "source": source
            }))
        };
        assert_eq!(package("a", "MIT", Some("registry+x")), None);
        assert_eq!(package("ours", "MIT", None), None);
        assert_eq!(package("tool", "MIT AND NCSA", Some("registry+x")), None);
        assert!(package("a", "MIT AND NCSA", Some("registry+x")).is_some());
        assert!(package("openssl-sys", "MIT", None).unwrap().contains("banned"));
        assert!(package("a", "GPL-3.0", None).unwrap().contains("GPL-3.0"));
        assert!(package("a", "MIT", Some("git+x")).unwrap().contains("git+x"));
    }

    #[test]
    fn the_rules_of_this_repository_name_licences_and_bans() {
        let rules = Rules::read().unwrap();
        assert!(rules.licences.iter().any(|licence| licence == "MIT"));
        assert!(!rules.banned.is_empty());
    }
}
