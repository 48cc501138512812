//! Which pull request a run belongs to, and which of its artifacts holds the results: decided from
//! what the API says, never from what the run itself has written.

use crate::{Artifact, Pull, Run};

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The pull request.
    One(Pull),
    /// No open pull request stands at the run's commit: there was another push, or it was closed.
    Superseded,
    /// One commit in several pull requests.
    Several(Vec<u64>),
    /// The run was not started by a pull request, but by this.
    OtherEvent(String),
    /// The run is of another repository.
    OtherRepository,
}

/// The pull request of a run, among the open ones of the run's branch. `wanted` chooses where
/// several fit; it never adds one.
#[must_use]
pub fn pull_of_run(run: &Run, pulls: &[Pull], repository: u64, wanted: Option<u64>) -> Found {
    if run.repository != repository {
        return Found::OtherRepository;
    }
    if run.event != "pull_request" {
        return Found::OtherEvent(run.event.clone());
    }
    let is_of_run = |pull: &&Pull| {
        pull.head == run.head
            && pull.head_repository == run.head_repository
            && pull.head_repository.is_some()
            && pull.base_repository == repository
    };
    let is_wanted = |pull: &&Pull| wanted.is_none_or(|number| number == pull.number);
    let found: Vec<&Pull> = pulls.iter().filter(is_of_run).filter(is_wanted).collect();
    match found.as_slice() {
        [] => Found::Superseded,
        [pull] => Found::One((*pull).clone()),
        several => Found::Several(several.iter().map(|pull| pull.number).collect()),
    }
}

/// The artifact of this name, or, of names that add the number of an attempt (`name-2`), the one of
/// the latest attempt; of two with one name, the later.
#[must_use]
pub fn choose_artifact<'a>(artifacts: &'a [Artifact], name: &str) -> Option<&'a Artifact> {
    let attempt = |artifact: &Artifact| -> Option<u32> {
        match artifact.name.strip_prefix(name)? {
            "" => Some(0),
            rest => rest.strip_prefix('-')?.parse().ok(),
        }
    };
    let there = artifacts.iter().filter(|artifact| !artifact.expired);
    let fitting = there.filter_map(|artifact| Some((attempt(artifact)?, artifact.id, artifact)));
    fitting.max_by_key(|(attempt, id, _)| (*attempt, *id)).map(|(_, _, artifact)| artifact)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: u64 = 1;
    const FORK: u64 = 9;

    fn run() -> Run {
        Run {
            id: 99,
            attempt: 1,
            event: "pull_request".into(),
            path: ".github/workflows/bench.yml".into(),
            repository: BASE,
            head: "a".repeat(40),
            head_branch: Some("feature".into()),
            head_repository: Some(FORK),
            head_owner: Some("contributor".into()),
            conclusion: Some("success".into()),
            url: String::new(),
        }
    }

    fn pull(number: u64) -> Pull {
        Pull {
            number,
            head: "a".repeat(40),
            head_repository: Some(FORK),
            base_repository: BASE,
            base_branch: "main".into(),
            merge_commit: None,
        }
    }

    #[test]
    fn a_pull_request_must_have_the_runs_commit_and_repository() {
        let other_commit = Pull { head: "b".repeat(40), ..pull(1) };
        let other_fork = Pull { head_repository: Some(8), ..pull(2) };
        let other_base = Pull { base_repository: 5, ..pull(3) };
        let pulls = [other_commit, other_fork, other_base, pull(4)];
        assert_eq!(pull_of_run(&run(), &pulls, BASE, None), Found::One(pull(4)));
        assert_eq!(pull_of_run(&run(), &pulls[..3], BASE, None), Found::Superseded);
    }

    #[test]
    fn a_fork_that_is_gone_belongs_to_no_pull_request() {
        let run = Run { head_repository: None, ..run() };
        let pull = Pull { head_repository: None, ..pull(1) };
        assert_eq!(pull_of_run(&run, &[pull], BASE, None), Found::Superseded);
    }

    #[test]
    fn of_several_the_wanted_one_is_taken_and_a_wanted_stranger_never() {
        let pulls = [pull(4), Pull { base_branch: "stable".into(), ..pull(5) }];
        assert_eq!(pull_of_run(&run(), &pulls, BASE, None), Found::Several(vec![4, 5]));
        assert_eq!(pull_of_run(&run(), &pulls, BASE, Some(4)), Found::One(pull(4)));
        assert_eq!(pull_of_run(&run(), &pulls, BASE, Some(77)), Found::Superseded);
    }

    #[test]
    fn a_run_of_another_kind_or_repository_has_no_pull_request() {
        let pushed = Run { event: "push".into(), ..run() };
        assert_eq!(pull_of_run(&pushed, &[pull(1)], BASE, None), Found::OtherEvent("push".into()));
        let foreign = Run { repository: 2, ..run() };
        assert_eq!(pull_of_run(&foreign, &[pull(1)], BASE, None), Found::OtherRepository);
    }

    #[test]
    fn the_latest_attempts_artifact_is_chosen_and_an_expired_one_never() {
        let artifact =
            |id, name: &str, expired| Artifact { id, name: name.to_owned(), bytes: 1, expired };
        let all = [
            artifact(1, "bench-result", false),
            artifact(2, "bench-result-2", false),
            artifact(3, "bench-result-10", true),
            artifact(4, "bench-result-x", false),
            artifact(5, "bench-report", false),
            artifact(6, "bench-result", false),
        ];
        let chosen = |all: &[Artifact]| choose_artifact(all, "bench-result").map(|found| found.id);
        assert_eq!(chosen(&all), Some(2));
        assert_eq!(chosen(&[all[0].clone(), all[5].clone()]), Some(6));
        assert_eq!(chosen(&all[2..5]), None);
    }
}
