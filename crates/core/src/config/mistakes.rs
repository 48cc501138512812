//! What is wrong with a configuration: every mistake with its place, all of them at once.

use super::lines::Lines;
use std::fmt;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// File and line, or the flag.
    pub place: String,
    /// What is wrong and what to write.
    pub message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// A configuration that cannot be used: at least one mistake, in the order in which they were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(pub Vec<Mistake>);

impl ConfigError {
    /// A single mistake.
    pub(crate) fn one(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self(vec![Mistake { place: place.into(), message: message.into() }])
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for ConfigError {}

/// Collects mistakes while a configuration is resolved, so that a person hears of all at once.
pub(crate) struct Mistakes<'a> {
    lines: &'a Lines,
    list: Vec<Mistake>,
}

impl<'a> Mistakes<'a> {
    pub(crate) fn new(lines: &'a Lines) -> Self {
        Self { lines, list: Vec::new() }
    }

    /// Notes a mistake in the file.
    pub(crate) fn at_key(&mut self, key: &str, message: impl fmt::Display) {
        let name = key.rsplit('.').next().unwrap_or(key);
        let message = match name.parse::<usize>() {
            Ok(_) => message.to_string(),
            Err(_) => format!("{name}: {message}"),
        };
        self.list.push(Mistake { place: self.lines.place(key), message });
    }

    /// Notes a mistake in a flag.
    pub(crate) fn at_flag(&mut self, flag: &str, message: impl fmt::Display) {
        self.list.push(Mistake { place: flag.to_owned(), message: message.to_string() });
    }

    /// The value in a flag, or none and a note.
    pub(crate) fn flag<T>(&mut self, flag: &str, value: Result<T, String>) -> Option<T> {
        value.map_err(|message| self.at_flag(flag, message)).ok()
    }

    /// The value of a key, or none and a note.
    pub(crate) fn key<T>(&mut self, key: &str, value: Result<T, String>) -> Option<T> {
        value.map_err(|message| self.at_key(key, message)).ok()
    }

    /// The value, if nothing was noted.
    pub(crate) fn finish<T>(self, value: T) -> Result<T, ConfigError> {
        if self.list.is_empty() { Ok(value) } else { Err(ConfigError(self.list)) }
    }
}
