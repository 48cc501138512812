//! What a bisection has found out so far, as a file, from which it is taken up.

use super::{Bisection, Ends, Outcome};
use serde::{Deserialize, Serialize};

/// The schema's name and major version.
const SCHEMA: &str = "bench-action/bisect/v1";

/// The notes of one bisection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notes {
    schema: String,
    /// The good end, its full id.
    pub good: String,
    /// The commits after it, oldest first; the last is the bad end.
    pub commits: Vec<String>,
    /// The benchmark × metric, by its id.
    pub benchmark: String,
    /// What was measured between the ends.
    pub ends: Ends,
    /// What came of each action, in order.
    pub outcomes: Vec<Outcome>,
}

impl Notes {
    /// The notes of a bisection that begins.
    #[must_use]
    pub fn new(good: String, commits: Vec<String>, benchmark: String, ends: Ends) -> Self {
        Self { schema: SCHEMA.to_owned(), good, commits, benchmark, ends, outcomes: Vec::new() }
    }

    /// Notes from a file's text, if they are of the same search.
    #[must_use]
    pub fn read(text: &str, good: &str, commits: &[String]) -> Option<Self> {
        let notes: Self = serde_json::from_str(text).ok()?;
        let same = notes.schema == SCHEMA && notes.good == good && notes.commits == commits;
        same.then_some(notes)
    }

    /// The text of the file.
    #[must_use]
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        format!("{text}\n")
    }

    /// The bisection as far as the notes go.
    #[must_use]
    pub fn bisection(&self) -> Bisection {
        let mut bisection = Bisection::new(self.commits.len(), self.ends);
        self.outcomes.iter().for_each(|outcome| bisection.apply(*outcome));
        bisection
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bisect::Action;

    #[test]
    fn a_bisection_is_taken_up_where_its_notes_end() {
        let commits: Vec<String> = (0..16).map(|at| format!("c{at}")).collect();
        let ends = Ends { effect: 0.1, spread: 0.02 };
        let mut notes = Notes::new("g".into(), commits.clone(), "asv/a".into(), ends);
        notes.outcomes = vec![Outcome::Block { d: 0.1 }; 4];
        let again = Notes::read(&notes.to_json(), "g", &commits).unwrap();
        assert_eq!(again.bisection(), notes.bisection());
        // Three or four blocks of the full effect: the middle is bad, the earlier half is next.
        assert!(matches!(again.bisection().next(), Action::Measure(at) if at < 7));
        assert_eq!(Notes::read(&notes.to_json(), "g", &commits[1..]), None);
        assert_eq!(Notes::read("{", "g", &commits), None);
    }
}
