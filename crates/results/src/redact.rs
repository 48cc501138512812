//! Keeps secrets out of files: userinfo in URLs, values of variables named like secrets, and whose machine
//! it was.

use crate::whereabouts::{In, Whereabouts};
use crate::{EnvironmentInfo, Failure, Results, SideInfo};
use std::borrow::Cow;

/// What stands in place of a secret.
pub const REDACTED: &str = "[redacted]";

const SECRET_WORDS: [&str; 9] = [
    "TOKEN",
    "KEY",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "INDEX_URL",
    "CREDENTIAL",
    "COOKIE",
];

/// What a CI service gives its own steps is nobody else's.
const SECRET_PREFIX: &str = "ACTIONS_";
/// `NPM_AUTH` and the like, but not `GIT_AUTHOR_NAME`.
const SECRET_END: &str = "AUTH";

/// Shorter values are too likely to be ordinary words ("1", "true") to be replaced everywhere.
const SHORTEST_SECRET: usize = 6;

/// Replaces known secrets in any text that leaves in a file, a log or a comment.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    values: Vec<String>,
    whereabouts: Whereabouts,
}

impl Redactor {
    /// Learns the secret values among these environment variables, and whose machine it is.
    pub fn from_variables<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let variables: Vec<(&str, &str)> = variables.into_iter().collect();
        let mut values: Vec<String> = variables
            .iter()
            .filter(|(name, value)| Self::is_secret_name(name) && value.len() >= SHORTEST_SECRET)
            .map(|(_, value)| (*value).to_owned())
            .collect();
        // Longest first, so that a secret which contains another is replaced whole.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        Self { values, whereabouts: Whereabouts::from_variables(variables) }
    }

    /// Learns the machine's name too.
    #[must_use]
    pub fn on_host(mut self, name: Option<&str>) -> Self {
        name.into_iter().for_each(|name| self.whereabouts.add_host(name));
        self
    }

    /// Whether a variable of this name holds a secret.
    #[must_use]
    pub fn is_secret_name(name: &str) -> bool {
        let name = name.to_ascii_uppercase();
        name.starts_with(SECRET_PREFIX)
            || name.ends_with(SECRET_END)
            || SECRET_WORDS.iter().any(|word| name.contains(word))
    }

    /// A variable's value as it may be shown.
    #[must_use]
    pub fn variable(&self, name: &str, value: &str) -> String {
        if Self::is_secret_name(name) { REDACTED.to_owned() } else { self.path(value).into_owned() }
    }

    /// Any text as it may be shown.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.whereabouts.hide(self.without_secrets(text), In::Prose)
    }

    /// The same for what may be a path or an address: other words of it mean something and stay.
    fn path<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.whereabouts.hide(self.without_secrets(text), In::Paths)
    }

    fn without_secrets<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = strip_userinfo(text);
        for value in &self.values {
            if text.contains(value.as_str()) {
                text = Cow::Owned(text.replace(value.as_str(), REDACTED));
            }
        }
        text
    }

    /// The same in place.
    pub fn replace(&self, text: &mut String) {
        if let Cow::Owned(shown) = self.text(text) {
            *text = shown;
        }
    }

    fn replace_path(&self, text: &mut String) {
        if let Cow::Owned(shown) = self.path(text) {
            *text = shown;
        }
    }

    /// A failure quotes what a benchmark or a build printed.
    pub fn failure(&self, failure: &mut Failure) {
        self.replace(&mut failure.message);
        self.replace(&mut failure.stderr_tail);
    }

    /// Everything in a results file that quotes a benchmark, a build, the suite or the machine.
    pub fn results(&self, results: &mut Results) {
        for row in results.benchmarks.iter_mut().chain(&mut results.sentinel) {
            row.source.iter_mut().for_each(|source| self.replace_path(&mut source.file));
            row.failure.iter_mut().for_each(|failure| self.failure(failure));
            row.reason.iter_mut().chain(&mut row.void.reasons).for_each(|text| self.replace(text));
        }
        if let Some(failure) = &mut results.failure {
            self.replace(&mut failure.message);
            self.replace(&mut failure.stderr_tail);
        }
        results.warnings.iter_mut().for_each(|warning| self.replace(warning));
        results.sides.iter_mut().for_each(|side| self.side(side));
        results.environments.iter_mut().for_each(|environment| self.environment(environment));
        for machine in &mut results.machines {
            machine
                .runner
                .iter_mut()
                .chain(&mut machine.limits)
                .for_each(|text| self.replace(text));
        }
    }

    fn side(&self, side: &mut SideInfo) {
        self.replace_path(&mut side.label);
        self.replace_path(&mut side.revision);
        side.version.iter_mut().for_each(|version| self.replace_path(version));
        side.details.values_mut().for_each(|detail| self.replace_path(detail));
        side.artifacts.iter_mut().for_each(|artifact| self.replace_path(&mut artifact.name));
    }

    fn environment(&self, environment: &mut EnvironmentInfo) {
        environment.packages.iter_mut().for_each(|package| self.replace_path(package));
        environment.python.iter_mut().for_each(|python| self.replace_path(python));
        for (name, value) in &mut environment.variables {
            *value = self.variable(name, value);
        }
    }

    /// An argument list as it may be shown: the same, and `NAME=value` where NAME is a secret's.
    #[must_use]
    pub fn arguments(&self, arguments: &[String]) -> Vec<String> {
        arguments.iter().map(|argument| self.argument(argument)).collect()
    }

    fn argument(&self, argument: &str) -> String {
        match argument.split_once('=') {
            Some((name, _)) if Self::is_secret_name(name) => format!("{name}={REDACTED}"),
            Some((flag, rest)) if flag.starts_with('-') => {
                format!("{flag}={}", self.argument(rest))
            }
            _ => self.path(argument).into_owned(),
        }
    }
}

/// Replaces `user:password@` after a `://`.
fn strip_userinfo(text: &str) -> Cow<'_, str> {
    if !text.contains("://") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after.find(|c: char| {
            c == '/' || c == '?' || c == '#' || c.is_whitespace() || c == '"' || c == '\''
        });
        let authority = &after[..end.unwrap_or(after.len())];
        match authority.rfind('@') {
            Some(user_end) => {
                out.push_str(REDACTED);
                rest = &after[user_end..];
            }
            None => rest = after,
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn userinfo_in_urls_is_replaced_wherever_it_stands() {
        let redactor = Redactor::default();
        assert_eq!(
            redactor.text("clone https://me:s3cret@host/x and https://plain/y?a@b"),
            "clone https://[redacted]@host/x and https://plain/y?a@b"
        );
    }

    #[test]
    fn values_of_secret_variables_are_replaced_in_any_text() {
        let redactor = Redactor::from_variables([
            ("MY_TOKEN", "abcdef123"),
            ("HOME", "/home/x"),
            ("A_KEY", "1"),
        ]);
        assert_eq!(redactor.text("got abcdef123 in /home/x 1"), "got [redacted] in ~ 1");
        assert_eq!(redactor.variable("A_KEY", "1"), REDACTED);
        assert_eq!(
            redactor.arguments(&["--x".into(), "API_KEY=zz".into(), "--v=API_KEY=zz".into()]),
            ["--x", "API_KEY=[redacted]", "--v=API_KEY=[redacted]"]
        );
    }
}
