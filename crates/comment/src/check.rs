//! The check on a pull request's commit.

/// What a check says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Green.
    Success,
    /// Red.
    Failure,
    /// Grey: neither satisfies nor fails a required check by its colour alone.
    Neutral,
}

impl Conclusion {
    /// What may be said. Numbers from a fork's run are whatever its author wanted: they make nothing
    /// green, and nothing red.
    #[must_use]
    pub fn of(has_failed: bool, is_from_fork: bool) -> Self {
        match (is_from_fork, has_failed) {
            (true, _) => Self::Neutral,
            (false, true) => Self::Failure,
            (false, false) => Self::Success,
        }
    }

    /// As the API spells it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Neutral => "neutral",
        }
    }
}

/// A check to be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What it is called.
    pub name: String,
    /// The commit.
    pub head: String,
    /// What it says.
    pub conclusion: Conclusion,
    /// One line.
    pub title: String,
    /// The report, at most 65,535 bytes of markdown.
    pub summary: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forks_numbers_are_never_green_and_never_red() {
        assert_eq!(Conclusion::of(false, true), Conclusion::Neutral);
        assert_eq!(Conclusion::of(true, true), Conclusion::Neutral);
        assert_eq!(Conclusion::of(false, false), Conclusion::Success);
        assert_eq!(Conclusion::of(true, false), Conclusion::Failure);
    }
}
