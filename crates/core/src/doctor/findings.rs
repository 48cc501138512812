//! What the facts mean for measurements, and what would help. Pure: facts in, findings out.

use super::conditions;
use super::facts::{Counters, Facts};
use serde::Serialize;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// As it should be.
    Good,
    /// Worth knowing; runs are not worse for it, because of the way they are made.
    Note,
    /// It makes measurements noisier or slower.
    Warning,
    /// The system does not tell.
    Unknown,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// A stable name, for scripts: `governor`, `turbo`, …
    pub check: &'static str,
    /// How much it matters.
    pub status: Status,
    /// What was found, one sentence.
    pub found: String,
    /// What would help; null where nothing needs help.
    pub remedy: Option<String>,
}

impl Finding {
    /// A finding that needs no help.
    pub(super) fn plain(check: &'static str, status: Status, found: impl Into<String>) -> Self {
        Self { check, status, found: found.into(), remedy: None }
    }

    /// A finding with what would help.
    pub(super) fn helped(
        check: &'static str,
        status: Status,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { check, status, found: found.into(), remedy: Some(remedy.into()) }
    }
}

/// Everything that was looked at, in a fixed order. `grown` is what was counted while the machine was
/// measured; without a measurement only lasting conditions are judged.
#[must_use]
pub fn findings(facts: &Facts, grown: Option<&Counters>) -> Vec<Finding> {
    vec![
        conditions::governor(facts),
        conditions::turbo(facts),
        conditions::hardware_threads(facts),
        conditions::load(facts),
        conditions::quota(facts, grown),
        conditions::cores(facts),
        conditions::stolen(facts, grown),
        conditions::power(facts),
        conditions::heat(facts, grown),
        conditions::clock(facts),
        conditions::address_randomization(facts),
        conditions::counters(facts),
    ]
}
