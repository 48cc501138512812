//! What is asked of GitHub to have a pull request measured again, and which run that is.

use crate::{Refusal, Run, WriteError};

/// What somebody may do in a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Everything.
    Admin,
    /// Push, which everybody may who maintains it.
    Write,
    /// Look at it.
    Read,
    /// Nothing.
    None,
}

impl Permission {
    /// Whether it is enough to spend the repository's machine time.
    #[must_use]
    pub fn can_write(self) -> bool {
        matches!(self, Self::Admin | Self::Write)
    }
}

/// Runs of workflows, and who may start them.
pub trait Reruns {
    /// What a person may do in the repository.
    ///
    /// # Errors
    /// See [`Refusal`].
    fn permission(&self, login: &str) -> Result<Permission, Refusal>;

    /// The runs that pull requests started for a commit, the newest first.
    ///
    /// # Errors
    /// See [`Refusal`].
    fn runs_for(&self, head: &str) -> Result<Vec<Run>, Refusal>;

    /// Runs a run again: same commit, same workflow, same rights as before.
    ///
    /// # Errors
    /// See [`WriteError`].
    fn run_again(&self, run: u64) -> Result<(), WriteError>;
}

/// Which of a commit's runs measured it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measuring<'r> {
    /// This one, which has ended.
    Ended(&'r Run),
    /// This one, which has not.
    Running(&'r Run),
    /// Several workflows have run, and none is known to measure.
    Unclear,
    /// There is none.
    None,
}

/// The last measuring run among those of a pull request's commit: of the workflow `path`, where
/// that has one; else of the only workflow there is, or of the only one that `measures`.
pub fn measuring_run<'r>(
    runs: &'r [Run],
    repository: Option<u64>,
    path: Option<&str>,
    measures: &mut dyn FnMut(&Run) -> bool,
) -> Measuring<'r> {
    let is_of_pull = |run: &&Run| run.event == "pull_request" && run.head_repository == repository;
    let of_pull: Vec<&Run> = runs.iter().filter(is_of_pull).collect();
    let newest = |runs: Vec<&'r Run>| runs.into_iter().max_by_key(|run| (run.id, run.attempt));
    let own = of_pull.iter().copied().filter(|run| Some(run.path.as_str()) == path).collect();
    let found = newest(own).or_else(|| {
        let is_one = of_pull.windows(2).all(|pair| matches!(pair, [a, b] if a.path == b.path));
        if is_one {
            return newest(of_pull.clone());
        }
        newest(of_pull.iter().copied().filter(|run| measures(run)).collect())
    });
    match found {
        Some(run) if run.conclusion.is_none() => Measuring::Running(run),
        Some(run) => Measuring::Ended(run),
        None if of_pull.is_empty() => Measuring::None,
        None => Measuring::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: u64, path: &str) -> Run {
        Run {
            id,
            attempt: 1,
            actor: None,
            event: "pull_request".into(),
            path: format!(".github/workflows/{path}.yml"),
            repository: 1,
            head: "a".repeat(40),
            head_branch: Some("feature".into()),
            head_repository: Some(9),
            head_owner: Some("contributor".into()),
            conclusion: Some("success".into()),
            url: String::new(),
        }
    }

    fn found(runs: &[Run], path: Option<&str>, measures: &[u64]) -> Option<u64> {
        let path = path.map(|path| format!(".github/workflows/{path}.yml"));
        let mut asked = |run: &Run| measures.contains(&run.id);
        match measuring_run(runs, Some(9), path.as_deref(), &mut asked) {
            Measuring::Ended(run) => Some(run.id),
            _ => None,
        }
    }

    #[test]
    fn the_newest_run_of_the_same_workflow_is_taken_first() {
        let runs = [run(4, "test"), run(3, "bench"), run(5, "bench"), run(6, "docs")];
        assert_eq!(found(&runs, Some("bench"), &[6]), Some(5));
    }

    #[test]
    fn of_other_workflows_the_one_that_measures_or_the_only_one() {
        let runs = [run(4, "test"), run(5, "bench")];
        assert_eq!(found(&runs, Some("again"), &[5]), Some(5));
        assert_eq!(found(&runs[1..], Some("again"), &[]), Some(5));
        let all = measuring_run(&runs, Some(9), None, &mut |_| false);
        assert_eq!(all, Measuring::Unclear);
    }

    #[test]
    fn runs_of_pushes_and_of_other_repositories_are_not_the_pull_requests() {
        let pushed = Run { event: "push".into(), ..run(4, "bench") };
        let foreign = Run { head_repository: Some(8), ..run(5, "bench") };
        let runs = [pushed, foreign];
        assert_eq!(measuring_run(&runs, Some(9), None, &mut |_| true), Measuring::None);
    }

    #[test]
    fn a_run_that_has_not_ended_is_left_alone() {
        let runs = [Run { conclusion: None, ..run(4, "bench") }];
        let found = measuring_run(&runs, Some(9), None, &mut |_| true);
        assert_eq!(found, Measuring::Running(&runs[0]));
    }
}
