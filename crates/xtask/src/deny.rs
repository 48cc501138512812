//! `cargo xtask deny`: licences, banned crates and sources of every dependency, as `deny.toml` says.
//! With cargo-deny where it is installed; else the same three questions are asked of cargo itself.

use crate::failure::Failure;
use crate::workspace::{self, array, string};
use crate::{licence, say};
use serde_json::Value;

/// Fails on a dependency that `deny.toml` does not allow.
pub(crate) fn deny() -> Result<(), Failure> {
    let mut version = workspace::cargo();
    version.args(["deny", "--version"]).stderr(std::process::Stdio::null());
    if version.output().is_ok_and(|output| output.status.success()) {
        let checks = ["deny", "check", "licenses", "bans", "sources"];
        return workspace::run(workspace::cargo().args(checks));
    }
    say("note: cargo-deny is not installed; asking cargo itself");
    let rules = Rules::read()?;
    let metadata = workspace::metadata(&["--locked"])?;
    let refused = array(&metadata["packages"]).iter().filter_map(|package| rules.refusal(package));
    Failure::unless_empty("dependencies against deny.toml", refused.collect())
}

/// What `deny.toml` says, as far as it is looked at here.
struct Rules {
    licences: Vec<String>,
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
        Ok(Self {
            licences: list("licenses", "allow").iter().filter_map(names).collect(),
            banned: list("bans", "deny").iter().filter_map(names).collect(),
        })
    }

    /// Why a package is refused, if it is.
    fn refusal(&self, package: &Value) -> Option<String> {
        let name = string(&package["name"]);
        let licence = string(&package["license"]);
        let source = string(&package["source"]);
        let why = if self.banned.iter().any(|banned| banned == name) {
            "is banned".to_owned()
        } else if !licence::is_allowed(licence, &self.licences) {
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
        let rules = Rules { licences: vec!["MIT".into()], banned: vec!["openssl-sys".into()] };
        let package = |name: &str, licence: &str, source: Option<&str>| {
            rules.refusal(&json!({
                "name": name, "version": "1.0.0", "license": licence, "source": source
            }))
        };
        assert_eq!(package("a", "MIT", Some("registry+x")), None);
        assert_eq!(package("ours", "MIT", None), None);
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
