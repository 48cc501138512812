//! The variables a program is given: ours without what is secret or belongs to the CI service.
//!
//! The only place of this crate that reads the process environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::CHANNEL_VARIABLE;
use crate::os_text::OsText;

/// What code of a pull request must not see: credentials, and the files through which a step
/// changes the rest of its job.
const WITHHELD: [&str; 7] = [
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GITHUB_ENV",
    "GITHUB_PATH",
    "GITHUB_OUTPUT",
    "GITHUB_STATE",
    "GITHUB_STEP_SUMMARY",
];
const WITHHELD_PREFIX: &[u8] = b"ACTIONS_";

/// A complete set of variables, in order of name, so that equal sets are laid out equally.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// No variable at all.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Ours, for builds and benchmarks: without `GITHUB_TOKEN`, `GH_TOKEN`, `ACTIONS_*`,
    /// `GITHUB_ENV`, `GITHUB_PATH`, `GITHUB_OUTPUT`, `GITHUB_STATE`, `GITHUB_STEP_SUMMARY`.
    #[must_use]
    pub fn current() -> Self {
        Self::screened(std::env::vars_os())
    }

    /// These variables without the withheld ones.
    pub fn screened(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let variables = variables.into_iter().filter(|(name, _)| !is_withheld(name)).collect();
        Self { variables }
    }

    /// For output that a program of ours reads: English, UTF-8, no colours.
    #[must_use]
    pub fn plain_output(self) -> Self {
        // C.UTF-8 rather than C: file names and sources that are not ASCII must stay readable, and
        // a system that does not know it falls back to C. macOS only knows C.
        let locale = if cfg!(target_os = "linux") { "C.UTF-8" } else { "C" };
        self.without("LANGUAGE").with("LC_ALL", locale).with("NO_COLOR", "1").with("TERM", "dumb")
    }

    /// The same with `name` set to `value`.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.set(name, value);
        self
    }

    /// The same without `name`.
    #[must_use]
    pub fn without(mut self, name: impl AsRef<OsStr>) -> Self {
        self.variables.remove(name.as_ref());
        self
    }

    /// Sets `name` to `value`.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.variables.insert(name.into(), value.into());
    }

    /// The value of `name`.
    #[must_use]
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.variables.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// Puts `directory` before all others in `PATH`.
    #[must_use]
    pub fn with_path_first(self, directory: impl AsRef<OsStr>) -> Self {
        let mut path = directory.as_ref().to_owned();
        if let Some(rest) = self.get("PATH") {
            path.push(":");
            path.push(rest);
        }
        self.with("PATH", path)
    }

    /// All variables, in order of name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

/// The channel variable is withheld too: the descriptor it names is not passed on, and another may
/// have its number by now.
fn is_withheld(name: &OsStr) -> bool {
    WITHHELD.iter().any(|withheld| name == *withheld)
        || name.as_encoded_bytes().starts_with(WITHHELD_PREFIX)
        || name == CHANNEL_VARIABLE
}

impl Serialize for Environment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer
            .collect_seq(self.iter().map(|(name, value)| (OsText::from(name), OsText::from(value))))
    }
}

impl<'de> Deserialize<'de> for Environment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pairs = Vec::<(OsText, OsText)>::deserialize(deserializer)?;
        let variables =
            pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Ok(Self { variables })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screened(names: &[&str]) -> Vec<String> {
        let pairs = names.iter().map(|name| (OsString::from(name), OsString::from("x")));
        let kept = Environment::screened(pairs);
        kept.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn credentials_and_the_files_of_the_ci_service_are_withheld() {
        let all = [
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "ACTIONS_RUNTIME_TOKEN",
            "ACTIONS_ID_TOKEN_REQUEST_URL",
            "GITHUB_ENV",
            "GITHUB_PATH",
            "GITHUB_OUTPUT",
            "GITHUB_STATE",
            "GITHUB_STEP_SUMMARY",
        ];
        assert_eq!(screened(&all), Vec::<String>::new());
    }

    #[test]
    fn what_a_benchmark_may_need_is_kept() {
        let kept = ["GITHUB_ACTIONS", "GITHUB_SHA", "HOME", "PATH"];
        assert_eq!(screened(&kept), kept);
    }

    #[test]
    fn a_directory_put_first_on_the_path_keeps_the_rest() {
        let path = |environment: Environment| {
            environment.with_path_first("/a/bin").get("PATH").unwrap().to_owned()
        };
        assert_eq!(
            path(Environment::empty().with("PATH", "/usr/bin:/bin")),
            "/a/bin:/usr/bin:/bin"
        );
        assert_eq!(path(Environment::empty()), "/a/bin");
    }

    #[test]
    fn plain_output_overrides_the_language_of_the_user() {
        let environment =
            Environment::empty().with("LC_ALL", "de_DE").with("LANGUAGE", "de").plain_output();
        assert!(environment.get("LC_ALL").unwrap().to_string_lossy().starts_with('C'));
        assert_eq!(environment.get("LANGUAGE"), None);
    }
}
