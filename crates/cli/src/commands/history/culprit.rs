//! Which pull request brought a change: that of every commit among which the change may be, where
//! they all have the same one. Commits that were never measured count as well.

use bench_render::dashboard::{ChangeLine, Dashboard};
use std::collections::{BTreeMap, BTreeSet};

/// Among so many commits nobody is blamed.
const MOST_CANDIDATES: usize = 20;

/// A change, by its commits: what begins and ends at the same ones has the same candidates.
type Range = (usize, usize);

/// The pull requests that have brought changes. `mainline` are the commits of the default branch,
/// oldest first; `ask` names the pull requests of one.
pub(super) fn culprits<E>(
    shown: &Dashboard,
    mainline: &[&str],
    is_wanted: &dyn Fn(&ChangeLine) -> bool,
    ask: &mut dyn FnMut(&str) -> Result<Vec<u64>, E>,
) -> Result<BTreeMap<Range, u64>, E> {
    let place: BTreeMap<&str, usize> =
        mainline.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let find = |commit: usize| Some(*place.get(shown.commits.get(commit)?.id.as_str())?);
    let changes = shown.series.iter().flat_map(|series| &series.changes);
    let ranges: BTreeSet<Range> = changes.filter(|one| is_wanted(one)).map(range).collect();
    let mut known = BTreeMap::new();
    let mut found = BTreeMap::new();
    for range in ranges {
        let (Some(before), Some(last)) = (find(range.0), find(range.1)) else { continue };
        let candidates = mainline.get(before + 1..=last).unwrap_or_default();
        if candidates.len() > MOST_CANDIDATES {
            continue;
        }
        for commit in candidates {
            if !known.contains_key(commit) {
                known.insert(*commit, ask(commit)?);
            }
        }
        found.extend(common(candidates, &known).map(|pull| (range, pull)));
    }
    Ok(found)
}

/// By what a change is found among [`culprits`].
pub(super) fn range(change: &ChangeLine) -> Range {
    (change.before, change.last)
}

/// The one pull request of all.
fn common(candidates: &[&str], known: &BTreeMap<&str, Vec<u64>>) -> Option<u64> {
    let mut pulls =
        candidates.iter().map(|commit| known.get(commit).map_or(&[][..], Vec::as_slice));
    let first = pulls.next()?;
    let [pull] = first else { return None };
    pulls.all(|others| others == first).then_some(*pull)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bench_render::dashboard::{CommitLine, SeriesLine};
    use bench_results::Better;

    const MAINLINE: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

    fn change((before, at, last): (usize, usize, usize)) -> ChangeLine {
        ChangeLine {
            before,
            at,
            last,
            size: 0.1,
            low: 0.09,
            high: 0.11,
            is_worse: true,
            beside: None,
            is_new: true,
            acknowledged: None,
        }
    }

    /// Of a history that has only these commits.
    fn found(recorded: &[&str], changes: &[(usize, usize, usize)]) -> BTreeMap<Range, u64> {
        let commit = |id: &&str| CommitLine {
            id: (*id).to_owned(),
            day: "2026-08-01".into(),
            subject: String::new(),
        };
        let series = SeriesLine {
            suite: "s".into(),
            environment: "default".into(),
            id: "s/a".into(),
            name: "a".into(),
            metric: "time".into(),
            unit: "ns".into(),
            better: Better::Lower,
            pieces: Vec::new(),
            changes: changes.iter().copied().map(change).collect(),
            drifts: Vec::new(),
        };
        let shown = Dashboard {
            title: String::new(),
            commit_url: None,
            tool: String::new(),
            commits: recorded.iter().map(commit).collect(),
            machines: Vec::new(),
            references: Vec::new(),
            series: vec![series],
            shortest: 0,
        };
        let mut asked = Vec::new();
        let mut ask = |commit: &str| {
            assert!(!asked.contains(&commit.to_owned()), "{commit} was asked for twice");
            asked.push(commit.to_owned());
            Ok::<_, std::convert::Infallible>(match commit {
                "b" | "c" => vec![7],
                "d" => vec![8],
                "e" => vec![8, 9],
                _ => vec![],
            })
        };
        match culprits(&shown, &MAINLINE, &|_| true, &mut ask) {
            Ok(found) => found,
            Err(never) => match never {},
        }
    }

    #[test]
    fn a_change_is_of_the_pull_request_that_all_its_commits_came_with() {
        assert_eq!(found(&MAINLINE, &[(0, 1, 1)]), BTreeMap::from([((0, 1), 7)]));
        assert_eq!(found(&MAINLINE, &[(0, 1, 2), (2, 3, 3)]).len(), 2);
        // Between two pull requests, in two at once, and pushed by hand.
        for unclear in [(1, 2, 3), (3, 4, 4), (4, 5, 5)] {
            assert_eq!(found(&MAINLINE, &[unclear]), BTreeMap::new(), "{unclear:?}");
        }
    }

    #[test]
    fn commits_that_were_never_measured_are_suspects_too() {
        assert_eq!(found(&["a", "c", "f"], &[(0, 1, 1)]), BTreeMap::from([((0, 1), 7)]));
        assert_eq!(found(&["b", "d"], &[(0, 1, 1)]), BTreeMap::new());
        assert_eq!(found(&["a", "x"], &[(0, 1, 1)]), BTreeMap::new());
    }
}
