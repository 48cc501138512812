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

/// An artifact that holds results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Which.
    pub artifact: Artifact,
    /// Which part of the run it holds, and of how many; none where it holds the whole.
    pub shard: Option<(u32, u32)>,
}

/// Most shards of a run: GitHub starts no more jobs for one matrix.
const MOST_SHARDS: u32 = 256;

/// The artifacts that hold a run's results, shards in order. Their names are `name`, then
/// `-shard<I>of<N>` for a shard, then `-attempt<A>`; or `name` alone. Of several attempts the newest
/// counts, for each shard: a job that is run again by itself leaves the others' as they are. `latest`
/// is the run's own attempt: the names are the run's to choose, and none can be of a later one.
#[must_use]
pub fn choose_artifacts(artifacts: &[Artifact], name: &str, latest: u32) -> Vec<Chosen> {
    let there = artifacts.iter().filter(|artifact| !artifact.expired);
    let mut fitting: Vec<(Ending, &Artifact)> = there
        .filter_map(|artifact| Some((Ending::of(&artifact.name, name)?, artifact)))
        .filter(|(ending, _)| ending.attempt <= latest)
        .collect();
    fitting.sort_by_key(|(ending, artifact)| std::cmp::Reverse((ending.attempt, artifact.id)));
    let Some(count) = fitting.first().map(|(ending, _)| ending.count()) else { return Vec::new() };
    fitting.retain(|(ending, _)| ending.count() == count);
    // Sorting keeps the order of equals: the newest of each shard stands first.
    fitting.sort_by_key(|(ending, _)| ending.shard);
    fitting.dedup_by_key(|(ending, _)| ending.shard);
    let chosen = |(ending, artifact): (Ending, &Artifact)| Chosen {
        artifact: artifact.clone(),
        shard: ending.shard,
    };
    fitting.into_iter().map(chosen).collect()
}

/// What stands behind the name of an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ending {
    shard: Option<(u32, u32)>,
    /// 0 where the name does not say.
    attempt: u32,
}

impl Ending {
    /// Reads it; none where the artifact is another.
    fn of(artifact: &str, name: &str) -> Option<Self> {
        let rest = artifact.strip_prefix(name)?;
        if rest.is_empty() {
            return Some(Self { shard: None, attempt: 0 });
        }
        let (shard, attempt) = rest.rsplit_once("-attempt")?;
        let attempt = number(attempt)?;
        if shard.is_empty() {
            return Some(Self { shard: None, attempt });
        }
        let (index, count) = shard.strip_prefix("-shard")?.split_once("of")?;
        let (index, count) = (number(index)?, number(count)?);
        (index <= count && count <= MOST_SHARDS)
            .then_some(Self { shard: Some((index, count)), attempt })
    }

    fn count(&self) -> Option<u32> {
        self.shard.map(|(_, count)| count)
    }
}

/// A number from 1, as a program writes it.
fn number(text: &str) -> Option<u32> {
    let number: u32 = text.parse().ok()?;
    (number > 0 && number.to_string() == text).then_some(number)
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
            actor: Some("contributor".into()),
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
    fn dependabots_branch_is_of_this_repository_and_its_run_of_strangers_all_the_same() {
        let own = Run { head_repository: Some(BASE), ..run() };
        assert!(!own.is_of_strangers() && run().is_of_strangers());
        assert!(Run { actor: Some(crate::DEPENDABOT.into()), ..own }.is_of_strangers());
    }

    #[test]
    fn a_run_of_another_kind_or_repository_has_no_pull_request() {
        let pushed = Run { event: "push".into(), ..run() };
        assert_eq!(pull_of_run(&pushed, &[pull(1)], BASE, None), Found::OtherEvent("push".into()));
        let foreign = Run { repository: 2, ..run() };
        assert_eq!(pull_of_run(&foreign, &[pull(1)], BASE, None), Found::OtherRepository);
    }

    fn chosen(names: &[&str], latest: u32) -> Vec<(u64, Option<(u32, u32)>)> {
        let artifact = |(id, name): (usize, &&str)| Artifact {
            id: id as u64,
            name: name.trim_start_matches('!').to_owned(),
            bytes: 1,
            expired: name.starts_with('!'),
        };
        let all: Vec<Artifact> = names.iter().enumerate().map(artifact).collect();
        let chosen = choose_artifacts(&all, "bench-result-k", latest);
        chosen.into_iter().map(|chosen| (chosen.artifact.id, chosen.shard)).collect()
    }

    #[test]
    fn the_artifact_of_the_newest_attempt_is_chosen_and_an_expired_one_never() {
        let names = [
            "bench-result-k-attempt1",
            "bench-result-k-attempt2",
            "!bench-result-k-attempt10",
            "bench-result-k-x",
            "bench-report-k-attempt3",
            "bench-result-k2-attempt3",
            "bench-result-k",
        ];
        assert_eq!(chosen(&names, 10), [(1, None)]);
        assert_eq!(chosen(&["bench-result-k", "bench-result-k"], 1), [(1, None)]);
        assert_eq!(chosen(&names[2..6], 10), []);
    }

    #[test]
    fn an_attempt_that_has_not_been_yet_and_a_number_no_program_writes_are_no_artifacts_of_ours() {
        for name in [
            "bench-result-k-attempt2",
            "bench-result-k-attempt0",
            "bench-result-k-attempt01",
            "bench-result-k-attempt+1",
            "bench-result-k-attempt99999999999999999999",
            "bench-result-k-shard2of1-attempt1",
            "bench-result-k-shard0of1-attempt1",
            "bench-result-k-shard1of257-attempt1",
            "bench-result-k-shard1of2",
        ] {
            assert_eq!(chosen(&[name], 1), [], "{name}");
        }
    }

    #[test]
    fn of_each_shard_the_newest_attempt_counts() {
        let names = [
            "bench-result-k-shard1of3-attempt1",
            "bench-result-k-shard3of3-attempt1",
            "bench-result-k-shard2of3-attempt1",
            "bench-result-k-shard2of3-attempt2",
            "bench-result-k-shard1of2-attempt1",
            "bench-result-k-attempt1",
        ];
        let shard = |index| Some((index, 3));
        assert_eq!(chosen(&names, 2), [(0, shard(1)), (3, shard(2)), (1, shard(3))]);
    }
}
