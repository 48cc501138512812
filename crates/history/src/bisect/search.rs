//! The machine.

use serde::{Deserialize, Serialize};

/// How far one block moves the likelihood ratio at most.
const CLIP: f64 = 2.0;

/// The chance of one wrong turn over the whole search. What is left of 5 % is for the ends, whose
/// effect is measured and not known.
const WRONG_TURN: f64 = 0.02;

/// Fewest blocks a candidate is judged by, and most.
const FEWEST: usize = 2;
const MOST: usize = 40;

/// Candidates that may stay undecided. A third would hardly fare better, and each costs a build and
/// all its blocks.
const MOST_UNDECIDED: usize = 2;

/// Spread below this is not believed, as a log ratio.
const LEAST_SPREAD: f64 = 0.005;

/// What was measured between the two ends, before the search: bad against good.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ends {
    /// The effect, median of ln(bad / good) over blocks; positive is worse.
    pub effect: f64,
    /// The robust standard deviation of a block's log ratio.
    pub spread: f64,
}

/// What to do next. Commits are indices into the range: 0 is the first after the good end, the last
/// one is the bad end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Build this commit and measure one block of it against the good end.
    Measure(usize),
    /// Measure the second commit against the parent of the first with the whole procedure: they are one
    /// and the same where a culprit was found, else the ends of a range.
    Confirm(usize, usize),
    /// Nothing: it has ended.
    Stop,
}

/// What came of an action.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// ln(commit / good end) of one block, positive is worse.
    Block {
        /// The log ratio.
        d: f64,
    },
    /// The commit could not be built, or has not got the benchmark.
    NotBuilt,
    /// The block failed: no value.
    Void,
    /// The two that were to be confirmed differ by the whole procedure.
    Confirmed,
    /// They do not.
    NotConfirmed,
}

/// How a bisection has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// This commit changed the benchmark; it was measured against its parent.
    Culprit(usize),
    /// The change is in one of these commits, the last of which was measured against the parent of the
    /// first. Which one could not be told.
    Range {
        /// The first that may be it.
        first: usize,
        /// The last that may be it.
        last: usize,
        /// Why it could not be told.
        why: Refusal,
    },
    /// These commits looked like it, but the last does not differ from the parent of the first: several
    /// small steps, or not reproducible.
    NotConfirmed {
        /// The first of them.
        first: usize,
        /// The last of them.
        last: usize,
    },
}

/// Why a range could not be narrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The commits between do not build.
    Unbuildable,
    /// The blocks of the commits between did not decide.
    Undecided,
}

/// A bisection as far as it has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Bisection {
    ends: Ends,
    /// What decides: ln((1 − e) / e), the wrong turns shared among the steps.
    bound: f64,
    states: Vec<State>,
    /// The candidate that is being measured.
    current: Option<Current>,
    /// Index of the last commit known to be good, plus one: the first that may be the culprit.
    first: usize,
    /// Index of the first commit known to be bad.
    last: usize,
    /// What the last measurement said.
    confirmed: Option<bool>,
    builds: usize,
    blocks: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    NotBuilt,
    Undecided,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Current {
    commit: usize,
    evidence: f64,
    blocks: usize,
    voids: usize,
}

impl Bisection {
    /// A search among this many commits, of which the last is the bad end.
    #[must_use]
    pub fn new(commits: usize, ends: Ends) -> Self {
        let steps = commits.max(2).next_power_of_two().trailing_zeros();
        let wrong = WRONG_TURN / f64::from(steps);
        Self {
            ends,
            bound: ((1.0 - wrong) / wrong).ln(),
            states: vec![State::Open; commits],
            current: None,
            first: 0,
            last: commits.saturating_sub(1),
            confirmed: None,
            builds: 0,
            blocks: 0,
        }
    }

    /// What to do next.
    #[must_use]
    pub fn next(&self) -> Action {
        if let Some(current) = self.current {
            return Action::Measure(current.commit);
        }
        match (self.candidate(), self.confirmed) {
            (Some(commit), _) => Action::Measure(commit),
            (None, None) => Action::Confirm(self.first, self.last),
            _ => Action::Stop,
        }
    }

    /// Takes what came of the action that [`Self::next`] named.
    pub fn apply(&mut self, outcome: Outcome) {
        match (self.next(), outcome) {
            (Action::Measure(commit), outcome) => self.measured(commit, outcome),
            (Action::Confirm(..), Outcome::Confirmed) => self.confirmed = Some(true),
            (Action::Confirm(..), _) => self.confirmed = Some(false),
            (Action::Stop, _) => {}
        }
    }

    /// How it ended; none while something is to be done.
    #[must_use]
    pub fn ended(&self) -> Option<Ended> {
        if self.next() != Action::Stop {
            return None;
        }
        let (first, last) = self.range();
        Some(match self.confirmed {
            Some(true) if first == last => Ended::Culprit(last),
            Some(true) => Ended::Range { first, last, why: self.refusal() },
            _ => Ended::NotConfirmed { first, last },
        })
    }

    /// The commits among which the culprit is, as far as is known.
    #[must_use]
    pub fn range(&self) -> (usize, usize) {
        (self.first, self.last)
    }

    /// Commits that were built for it, or tried to be; the ends not counted.
    #[must_use]
    pub fn builds(&self) -> usize {
        self.builds
    }

    /// Blocks that were measured for it.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The open commit nearest to the middle, between the first that may be the culprit and the one
    /// before the first bad one. A commit's being bad means that it or one before it is the culprit.
    fn candidate(&self) -> Option<usize> {
        let undecided = self.between().iter().filter(|state| **state == State::Undecided).count();
        if undecided >= MOST_UNDECIDED {
            return None;
        }
        let middle = (self.first + self.last).saturating_sub(1) / 2;
        let is_open = |commit: &usize| self.states.get(*commit) == Some(&State::Open);
        // Of two as near, the earlier one.
        (self.first..self.last).filter(is_open).min_by_key(|commit| commit.abs_diff(middle))
    }

    /// What is known of the commits before the first bad one that may be the culprit.
    fn between(&self) -> &[State] {
        self.states.get(self.first..self.last).unwrap_or_default()
    }

    fn refusal(&self) -> Refusal {
        if self.between().contains(&State::Undecided) {
            Refusal::Undecided
        } else {
            Refusal::Unbuildable
        }
    }

    fn measured(&mut self, commit: usize, outcome: Outcome) {
        if self.current.is_none() {
            self.builds += 1;
        }
        let mut current =
            self.current.take().unwrap_or(Current { commit, evidence: 0.0, blocks: 0, voids: 0 });
        match outcome {
            Outcome::NotBuilt => return self.give_up(commit, State::NotBuilt),
            Outcome::Block { d } if d.is_finite() => {
                self.blocks += 1;
                current.blocks += 1;
                current.evidence += self.weight(d);
            }
            _ => current.voids += 1,
        }
        if current.blocks >= FEWEST && current.evidence.abs() >= self.bound {
            if current.evidence > 0.0 {
                self.last = commit;
            } else {
                self.first = commit + 1;
            }
        } else if current.blocks + current.voids >= MOST {
            self.give_up(commit, State::Undecided);
        } else {
            self.current = Some(current);
        }
    }

    fn give_up(&mut self, commit: usize, state: State) {
        if let Some(one) = self.states.get_mut(commit) {
            *one = state;
        }
    }

    /// The log likelihood ratio of one block, the full effect against none, for normal noise.
    fn weight(&self, d: f64) -> f64 {
        let Ends { effect, spread } = self.ends;
        let spread = spread.max(LEAST_SPREAD);
        (effect / (spread * spread) * (d - effect / 2.0)).clamp(-CLIP, CLIP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: Ends = Ends { effect: 0.05, spread: 0.01 };

    /// Answers without noise: from the culprit on every block shows the effect.
    fn answer(action: Action, culprit: usize) -> Outcome {
        match action {
            Action::Measure(commit) if commit >= culprit => Outcome::Block { d: 0.05 },
            Action::Measure(_) => Outcome::Block { d: 0.0 },
            Action::Confirm(first, last) if (first..=last).contains(&culprit) => Outcome::Confirmed,
            _ => Outcome::NotConfirmed,
        }
    }

    fn search(commits: usize, culprit: usize, broken: &[usize]) -> (Bisection, Ended) {
        let mut bisection = Bisection::new(commits, ENDS);
        for _ in 0..1000 {
            let action = bisection.next();
            match action {
                Action::Stop => break,
                Action::Measure(commit) if broken.contains(&commit) => {
                    bisection.apply(Outcome::NotBuilt);
                }
                _ => bisection.apply(answer(action, culprit)),
            }
        }
        let ended = bisection.ended().expect("an end");
        (bisection, ended)
    }

    #[test]
    fn without_noise_every_culprit_is_found_in_as_many_builds_as_the_logarithm() {
        for commits in 1..=70 {
            for culprit in 0..commits {
                let (bisection, ended) = search(commits, culprit, &[]);
                assert_eq!(ended, Ended::Culprit(culprit), "of {commits}");
                assert!(bisection.builds() <= 7, "{} of {commits}", bisection.builds());
            }
        }
    }

    #[test]
    fn commits_that_do_not_build_are_stepped_over_and_named_where_they_hide_it() {
        assert_eq!(search(64, 20, &[31, 30, 32, 15]).1, Ended::Culprit(20));
        // 20 cannot be told from 21, 22: good up to 19, bad from 22 on.
        let ended = search(64, 21, &[20, 21]).1;
        assert_eq!(ended, Ended::Range { first: 20, last: 22, why: Refusal::Unbuildable });
    }

    #[test]
    fn a_commit_between_two_levels_ends_in_a_range_and_not_in_a_guess() {
        let mut bisection = Bisection::new(3, ENDS);
        while let Action::Measure(_) = bisection.next() {
            // Exactly half the effect: no block says anything.
            bisection.apply(Outcome::Block { d: 0.025 });
        }
        assert_eq!(bisection.next(), Action::Confirm(0, 2));
        bisection.apply(Outcome::Confirmed);
        let ended = Ended::Range { first: 0, last: 2, why: Refusal::Undecided };
        assert_eq!(bisection.ended(), Some(ended));
        assert_eq!(bisection.blocks(), 2 * MOST);
    }

    #[test]
    fn a_culprit_that_does_not_differ_from_its_parent_is_none() {
        let mut bisection = Bisection::new(1, ENDS);
        assert_eq!(bisection.next(), Action::Confirm(0, 0));
        bisection.apply(Outcome::NotConfirmed);
        assert_eq!(bisection.ended(), Some(Ended::NotConfirmed { first: 0, last: 0 }));
    }

    #[test]
    fn blocks_that_fail_do_not_go_on_for_ever() {
        let mut bisection = Bisection::new(2, ENDS);
        for _ in 0..MOST {
            assert_eq!(bisection.next(), Action::Measure(0));
            bisection.apply(Outcome::Void);
        }
        assert_eq!(bisection.next(), Action::Confirm(0, 1));
    }

    #[test]
    fn one_wild_block_moves_it_by_two_at_most() {
        let bisection = Bisection::new(64, ENDS);
        assert!((bisection.weight(1e9) - CLIP).abs() < 1e-12);
        assert!((bisection.weight(-1e9) + CLIP).abs() < 1e-12);
        // ln((1 − .02/6) / (.02/6)) = 5.70: three blocks at least.
        assert!((bisection.bound - 5.700).abs() < 1e-3);
    }

    #[test]
    fn an_improvement_is_found_as_well() {
        let mut bisection = Bisection::new(16, Ends { effect: -0.1, spread: 0.02 });
        loop {
            let outcome = match bisection.next() {
                Action::Measure(commit) => {
                    Outcome::Block { d: if commit >= 5 { -0.1 } else { 0.0 } }
                }
                Action::Confirm(..) => Outcome::Confirmed,
                Action::Stop => break,
            };
            bisection.apply(outcome);
        }
        assert_eq!(bisection.ended(), Some(Ended::Culprit(5)));
    }
}
