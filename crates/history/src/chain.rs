//! Joins what was measured against different references into one series.
//!
//! A ratio to one reference build says nothing about another one by itself. Two references are linked
//! by an overlap: one of them measured against the other, or commits measured against both. The ratios
//! of all that hang together are then told against the reference that was used last; what is linked
//! to nothing stays a piece of its own.

use std::collections::BTreeMap;

/// Errors below this are not believed when values are weighed against each other.
const LEAST_ERROR: f64 = 1e-3;

/// One commit measured against one reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Observation {
    /// Index of the commit.
    pub(crate) commit: usize,
    /// Index of the reference.
    pub(crate) reference: usize,
    /// Index of the machine.
    pub(crate) machine: usize,
    /// ln(commit / reference).
    pub(crate) log_ratio: f64,
    /// Its standard error.
    pub(crate) error: f64,
    /// The commit's own value.
    pub(crate) value: Option<f64>,
}

/// Where a reference stands: in which piece, and by how much it is above that piece's zero.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    piece: usize,
    above: f64,
    /// Variance of `above`: that of all links on the way.
    variance: f64,
}

/// One commit in a joined piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Joined {
    /// Index of the commit.
    pub(crate) commit: usize,
    /// Index of the machine.
    pub(crate) machine: usize,
    /// Index of the reference it was measured against.
    pub(crate) reference: usize,
    /// ln(commit / the piece's zero).
    pub(crate) level: f64,
    /// Its standard error, the links not counted.
    pub(crate) error: f64,
    /// Variance of the links between its reference and the piece's zero.
    pub(crate) links: f64,
    /// The commit's own value.
    pub(crate) value: Option<f64>,
}

/// Joins observations into pieces, the one with the last commit last. `reference_of` tells which
/// reference a commit is, if it is one.
pub(crate) fn join(
    observations: &[Observation],
    reference_of: impl Fn(usize) -> Option<usize>,
) -> Vec<Vec<Joined>> {
    let places = places(observations, &links(observations, reference_of));
    let mut pieces: BTreeMap<usize, Vec<Joined>> = BTreeMap::new();
    for seen in observations {
        let Some(place) = places.get(&seen.reference) else { continue };
        pieces.entry(place.piece).or_default().push(Joined {
            commit: seen.commit,
            machine: seen.machine,
            reference: seen.reference,
            level: seen.log_ratio + place.above,
            error: seen.error,
            links: place.variance,
            value: seen.value,
        });
    }
    let mut pieces: Vec<Vec<Joined>> = pieces.into_values().map(one_per_commit).collect();
    pieces.sort_by_key(|piece| piece.last().map(|last| last.commit));
    pieces
}

/// Where every reference stands. Each piece begins at the reference that was used last and goes on
/// over the most precise link there is.
fn places(
    observations: &[Observation],
    links: &BTreeMap<(usize, usize), Link>,
) -> BTreeMap<usize, Place> {
    let mut last_use: BTreeMap<usize, usize> = BTreeMap::new();
    for seen in observations {
        let last = last_use.entry(seen.reference).or_default();
        *last = (*last).max(seen.commit);
    }
    let mut roots: Vec<usize> = last_use.keys().copied().collect();
    roots.sort_by_key(|reference| std::cmp::Reverse(last_use[reference]));
    let mut places: BTreeMap<usize, Place> = BTreeMap::new();
    for (piece, root) in roots.into_iter().enumerate() {
        if places.contains_key(&root) {
            continue;
        }
        places.insert(root, Place { piece, above: 0.0, variance: 0.0 });
        while let Some((reference, place)) = next(&places, links, piece) {
            places.insert(reference, place);
        }
    }
    places
}

/// The reference that the most precise link adds to a piece.
fn next(
    places: &BTreeMap<usize, Place>,
    links: &BTreeMap<(usize, usize), Link>,
    piece: usize,
) -> Option<(usize, Place)> {
    let reachable = links.iter().filter_map(|(&(lower, upper), link)| {
        let (low, high) = (places.get(&lower), places.get(&upper));
        match (low, high) {
            (Some(low), None) if low.piece == piece => {
                Some((link, upper, low.above + link.estimate(), low.variance))
            }
            (None, Some(high)) if high.piece == piece => {
                Some((link, lower, high.above - link.estimate(), high.variance))
            }
            _ => None,
        }
    });
    let precise = reachable.min_by(|a, b| a.0.variance().total_cmp(&b.0.variance()));
    let (link, reference, above, variance) = precise?;
    Some((reference, Place { piece, above, variance: variance + link.variance() }))
}

/// What is known of ln(upper / lower) of two references: a weighted mean.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    weight: f64,
    sum: f64,
}

impl Link {
    fn add(&mut self, log_ratio: f64, variance: f64) {
        self.weight += 1.0 / variance;
        self.sum += log_ratio / variance;
    }

    fn estimate(&self) -> f64 {
        self.sum / self.weight
    }

    fn variance(&self) -> f64 {
        1.0 / self.weight
    }
}

fn variance(error: f64) -> f64 {
    error.max(LEAST_ERROR).powi(2)
}

/// The links between references, by their indices, the smaller first.
fn links(
    observations: &[Observation],
    reference_of: impl Fn(usize) -> Option<usize>,
) -> BTreeMap<(usize, usize), Link> {
    let mut links: BTreeMap<(usize, usize), Link> = BTreeMap::new();
    let mut add = |from: usize, to: usize, log_ratio: f64, variance: f64| {
        let (key, sign) = if from < to { ((from, to), 1.0) } else { ((to, from), -1.0) };
        links.entry(key).or_default().add(sign * log_ratio, variance);
    };
    let mut by_commit: Vec<&Observation> = observations.iter().collect();
    by_commit.sort_by_key(|seen| seen.commit);
    for seen in observations {
        if let Some(other) = reference_of(seen.commit).filter(|other| *other != seen.reference) {
            add(seen.reference, other, seen.log_ratio, variance(seen.error));
        }
    }
    for seen in by_commit.chunk_by(|a, b| a.commit == b.commit) {
        for (index, a) in seen.iter().enumerate() {
            for b in seen.iter().skip(index + 1).filter(|b| b.reference != a.reference) {
                // ln(c/a) − ln(c/b) = ln(b/a).
                let spread = variance(a.error) + variance(b.error);
                add(a.reference, b.reference, a.log_ratio - b.log_ratio, spread);
            }
        }
    }
    links
}

/// Several measurements of a commit are one, weighted by their precision.
fn one_per_commit(mut piece: Vec<Joined>) -> Vec<Joined> {
    piece.sort_by_key(|seen| seen.commit);
    let mut joined: Vec<Joined> = Vec::with_capacity(piece.len());
    for same in piece.chunk_by(|a, b| a.commit == b.commit) {
        let Some(last) = same.last() else { continue };
        if same.len() == 1 {
            joined.push(*last);
            continue;
        }
        let weights = same.iter().map(|seen| 1.0 / variance(seen.error));
        let weight: f64 = weights.clone().sum();
        let sum: f64 = weights.zip(same).map(|(weight, seen)| weight * seen.level).sum();
        let is_exact = same.iter().all(|seen| seen.error == 0.0);
        let error = if is_exact { 0.0 } else { (1.0 / weight).sqrt() };
        joined.push(Joined { level: sum / weight, error, ..*last });
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(commit: usize, reference: usize, log_ratio: f64) -> Observation {
        Observation { commit, reference, machine: 0, log_ratio, error: 0.004, value: None }
    }

    fn levels(pieces: &[Vec<Joined>]) -> Vec<Vec<f64>> {
        let round = |joined: &Joined| (joined.level * 1e6).round() / 1e6;
        pieces.iter().map(|piece| piece.iter().map(round).collect()).collect()
    }

    #[test]
    fn a_new_reference_measured_against_the_old_one_goes_on_where_it_left_off() {
        // Commit 2 is the new reference, .10 above the old one; nothing changes after it.
        let all = [seen(0, 0, 0.0), seen(1, 0, 0.1), seen(2, 0, 0.1), seen(3, 1, 0.0)];
        let pieces = join(&all, |commit| (commit == 2).then_some(1));
        assert_eq!(levels(&pieces), [[-0.1, 0.0, 0.0, 0.0]]);
    }

    #[test]
    fn a_commit_measured_against_both_links_them_as_well() {
        let all = [seen(0, 0, 0.2), seen(1, 0, 0.2), seen(1, 1, -0.1), seen(2, 1, 0.0)];
        let pieces = join(&all, |_| None);
        assert_eq!(levels(&pieces), [[-0.1, -0.1, 0.0]]);
    }

    #[test]
    fn references_without_a_link_stay_apart_the_latest_last() {
        let pieces = join(&[seen(5, 0, 0.2), seen(1, 1, 0.3)], |_| None);
        assert_eq!(levels(&pieces), [[0.3], [0.2]]);
    }

    #[test]
    fn a_chain_of_references_is_followed_to_its_end() {
        let all = [seen(0, 0, 0.0), seen(1, 0, 0.1), seen(2, 1, 0.1), seen(3, 2, 0.0)];
        // Commit 1 is reference 1, commit 2 is reference 2.
        let pieces = join(&all, |commit| Some(commit).filter(|c| *c == 1 || *c == 2));
        assert_eq!(levels(&pieces), [[-0.2, -0.1, 0.0, 0.0]]);
    }

    #[test]
    fn measurements_of_one_commit_are_weighed() {
        let precise = Observation { error: 0.002, ..seen(0, 0, 0.0) };
        let vague = Observation { error: 0.004, ..seen(0, 0, 0.1) };
        // Weights 4 to 1.
        assert_eq!(levels(&join(&[precise, vague], |_| None)), [[0.02]]);
    }
}
