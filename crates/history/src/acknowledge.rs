//! Changes that are known and wanted: a file in the repository, with a reason and an end.

use serde::{Deserialize, Serialize};

/// Where the file lies, from the root of the repository.
pub const FILE: &str = "bench-acknowledged.toml";

/// Shortest beginning of a commit id that is taken for it.
const SHORTEST_ID: usize = 7;

/// One change that is acknowledged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acknowledgement {
    /// The benchmark × metric, by its id.
    pub benchmark: String,
    /// The environment; all where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// A commit of the change's range, by its id or at least seven characters of it.
    pub commit: String,
    /// Why it is right as it is.
    pub reason: String,
    /// The last day it holds, `2027-03-01`.
    pub until: String,
}

/// The file cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum AcknowledgeError {
    /// Not the TOML it should be.
    #[error("{FILE}: {0}")]
    Malformed(String),
    /// A day that is none.
    #[error("{FILE}: until = \"{0}\" is no day; write it as \"2027-03-01\"")]
    Day(String),
    /// Too little of a commit's id.
    #[error(
        "{FILE}: commit = \"{0}\": at least {SHORTEST_ID} characters of a commit's id are needed"
    )]
    Commit(String),
    /// Nothing said.
    #[error("{FILE}: the acknowledgement of {0} gives no reason")]
    Reason(String),
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    acknowledged: Vec<Acknowledgement>,
}

impl Acknowledgement {
    /// Whether it is about this series.
    #[must_use]
    pub fn is_for(&self, id: &str, environment: &str) -> bool {
        let same = self.environment.as_ref().is_none_or(|name| name == environment);
        self.benchmark == id && same
    }

    /// Whether it names this commit.
    #[must_use]
    pub fn names(&self, commit: &str) -> bool {
        commit.starts_with(&self.commit)
    }

    /// Whether it no longer holds on a day.
    #[must_use]
    pub fn has_expired(&self, today: &str) -> bool {
        self.until.as_str() < today
    }

    /// Its text in the file.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let fields = toml::to_string(self).unwrap_or_default();
        format!("[[acknowledged]]\n{fields}")
    }

    /// Checks what the types do not.
    ///
    /// # Errors
    /// Names the field that is wrong.
    pub fn check(&self) -> Result<(), AcknowledgeError> {
        if !is_day(&self.until) {
            return Err(AcknowledgeError::Day(self.until.clone()));
        }
        let is_id = self.commit.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if self.commit.len() < SHORTEST_ID || !is_id {
            return Err(AcknowledgeError::Commit(self.commit.clone()));
        }
        if self.reason.trim().is_empty() {
            return Err(AcknowledgeError::Reason(self.benchmark.clone()));
        }
        Ok(())
    }
}

/// Reads the file's text.
///
/// # Errors
/// Says what is wrong, and where.
pub fn read(text: &str) -> Result<Vec<Acknowledgement>, AcknowledgeError> {
    let file: File =
        toml::from_str(text).map_err(|error| AcknowledgeError::Malformed(error.to_string()))?;
    file.acknowledged.iter().try_for_each(Acknowledgement::check)?;
    Ok(file.acknowledged)
}

/// Whether a text is a day that a calendar may have; such texts are ordered as their days are.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let number = |part: &str, digits: usize| {
        let plain = part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| part.parse::<u32>().ok()).flatten()
    };
    number(year, 4).is_some()
        && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
        && number(day, 2).is_some_and(|day| (1..=31).contains(&day))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() -> Acknowledgement {
        Acknowledgement {
            benchmark: "asv/parse.time_\"all\"(n=1)".into(),
            environment: None,
            commit: "0123abc".into(),
            reason: "safer parsing, #123".into(),
            until: "2027-03-01".into(),
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = format!("# ours\n{}\n{}", one().to_toml(), one().to_toml());
        assert_eq!(read(&text).unwrap(), [one(), one()]);
        assert_eq!(read("").unwrap(), []);
    }

    #[test]
    fn it_holds_to_its_last_day() {
        assert!(!one().has_expired("2027-03-01"));
        assert!(one().has_expired("2027-03-02"));
    }

    #[test]
    fn mistakes_are_named() {
        let with = |change: fn(&mut Acknowledgement)| {
            let mut one = one();
            change(&mut one);
            read(&one.to_toml()).unwrap_err().to_string()
        };
        assert!(with(|one| one.until = "March".into()).contains("no day"));
        assert!(with(|one| one.commit = "abc".into()).contains("7 characters"));
        assert!(with(|one| one.reason = " ".into()).contains("no reason"));
        assert!(
            read("[[acknowledged]]\nbenchmrk = 1").unwrap_err().to_string().contains("benchmrk")
        );
    }
}
