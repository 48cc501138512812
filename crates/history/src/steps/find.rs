//! Finds the steps and the slow drifts of a series.

use super::model::{Jump, Model};
use super::rank::{SHORTEST_SIDE, greatest_statistic, ranks};
use super::threshold::threshold;
use bench_stats::{median, robust_sd};

/// A step must be this many of its standard errors large: it was chosen among many places.
pub const LEAST_EVIDENCE: f64 = 4.0;

/// Values are pulled to within this many deviations of the median of their neighbours.
const WINSOR: f64 = 3.0;

/// Neighbours on either side that such a median is taken over.
const NEIGHBOURS: usize = 4;

/// Rounds of moving the places; they settle after one or two.
const ROUNDS: usize = 8;

/// A step must explain this much more than a slant does, as twice a logarithm of odds: a slant blames
/// nobody, so where the two are alike it is the one to believe.
const DOUBT: f64 = 8.0;

/// Noise below this is not believed: numbers that repeat differ in their last digits.
const LEAST_NOISE: f64 = 1e-4;

/// What counts as a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Smallest step or drift that is reported, in the series' unit.
    pub least: f64,
}

/// A change of level between two values of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Index of the first value after it.
    pub at: usize,
    /// Indices of the earliest and the latest value that may be the first after it.
    pub range: (usize, usize),
    /// Its size.
    pub size: f64,
    /// Lower end of the size's 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A change of level without a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Index of the first value.
    pub from: usize,
    /// Index of the last value.
    pub to: usize,
    /// The difference between its end and its beginning.
    pub size: f64,
}

/// What was found in a series, in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The steps.
    pub steps: Vec<Step>,
    /// The drifts.
    pub drifts: Vec<Drift>,
}

/// Finds the steps and drifts of a series of finite values. The same series gives the same answer.
#[must_use]
pub fn find(values: &[f64], rule: Rule) -> Found {
    let calm = winsorized(values);
    let mut places = Vec::new();
    segment(values, 0, &mut places);
    let model = Model::new(&calm, variance(&calm, &places));
    settle(values, &model, &mut places);
    let end = values.len();
    let steps: Vec<Step> = (0..places.len())
        .filter_map(|index| stretch(&places, index, end))
        .filter_map(|(from, at, to)| step(at, &model.jump(from, at, to), rule))
        .collect();
    let drifts = drifts(&model, &places, &steps, end, rule);
    Found { steps, drifts }
}

/// Binary segmentation: splits where the rank statistic is greatest, as long as it is significant.
fn segment(values: &[f64], offset: usize, places: &mut Vec<usize>) {
    let mut open = vec![(offset, values)];
    while let Some((offset, values)) = open.pop() {
        if let Some(split) = significant(values) {
            places.push(offset + split);
            open.push((offset, &values[..split]));
            open.push((offset + split, &values[split..]));
        }
    }
    places.sort_unstable();
}

fn significant(values: &[f64]) -> Option<usize> {
    let (split, z) = greatest_statistic(&ranks(values), SHORTEST_SIDE)?;
    (z > threshold(values.len())).then_some(split)
}

/// How values vary about their level: as neighbours differ, or as they differ from the middle of their
/// stretch, whichever is more.
fn variance(calm: &[f64], places: &[usize]) -> f64 {
    let differences: Vec<f64> = calm.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let between = robust_sd(&differences).unwrap_or_default() / std::f64::consts::SQRT_2;
    let mut within = Vec::with_capacity(calm.len());
    for (from, to) in spans(places, calm.len()) {
        let middle = median(&calm[from..to]).unwrap_or_default();
        within.extend(calm[from..to].iter().map(|value| value - middle));
    }
    robust_sd(&within).unwrap_or_default().max(between).max(LEAST_NOISE).powi(2)
}

/// A place with the stretch between its neighbours.
fn stretch(places: &[usize], index: usize, end: usize) -> Option<(usize, usize, usize)> {
    let before = index.checked_sub(1).and_then(|index| places.get(index)).copied();
    let after = places.get(index + 1).copied();
    Some((before.unwrap_or(0), *places.get(index)?, after.unwrap_or(end)))
}

/// The stretches between places.
fn spans(places: &[usize], end: usize) -> Vec<(usize, usize)> {
    let ends = std::iter::once(0).chain(places.iter().copied()).chain(std::iter::once(end));
    let ends: Vec<usize> = ends.collect();
    ends.windows(2).map(|pair| (pair[0], pair[1])).filter(|(from, to)| from < to).collect()
}

/// Splits were found while other changes still disturbed them, and a slant looks like a staircase to
/// ranks: what a slant explains better is joined, what is left is moved to its best place, and
/// slanted stretches are looked at once more without their slant.
fn settle(values: &[f64], model: &Model, places: &mut Vec<usize>) {
    for _ in 0..ROUNDS {
        let before = places.clone();
        join(model, places, values.len());
        relocate(model, places, values.len());
        hidden(values, model, places);
        if *places == before {
            break;
        }
    }
    join(model, places, values.len());
}

/// Gives up the place that costs more than it explains, the worst one first.
fn join(model: &Model, places: &mut Vec<usize>, end: usize) {
    loop {
        let gain = |index: usize| {
            let (from, at, to) = stretch(places, index, end)?;
            let joined = model.fit(from, to);
            let doubt = if joined.is_slanted() { DOUBT } else { 0.0 };
            let gain = model.cost_of_step(from, at, to) - joined.cost + doubt;
            (gain > 0.0).then_some((index, gain))
        };
        let worst = (0..places.len()).filter_map(gain).max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((index, _)) = worst else { return };
        places.remove(index);
    }
}

fn relocate(model: &Model, places: &mut [usize], end: usize) {
    for index in 0..places.len() {
        if let Some((from, _, to)) = stretch(places, index, end)
            && let Some(best) = model.best_place(from, to)
        {
            places[index] = best;
        }
    }
}

/// Steps that a slant the other way hid from the ranks.
fn hidden(values: &[f64], model: &Model, places: &mut Vec<usize>) {
    for (from, to) in spans(places, values.len()) {
        let fit = model.fit(from, to);
        if !fit.is_slanted() {
            continue;
        }
        let straight: Vec<f64> =
            (from..to).map(|index| values[index] - fit.at(index as f64)).collect();
        segment(&straight, from, places);
    }
}

fn step(at: usize, jump: &Jump, rule: Rule) -> Option<Step> {
    let &Jump { range, size, error, freedom } = jump;
    if size.abs() < rule.least || size.abs() < LEAST_EVIDENCE * error {
        return None;
    }
    let reach = student(freedom) * error;
    Some(Step { at, range, size, low: size - reach, high: size + reach })
}

/// The .975 quantile of Student's distribution, by its expansion about the normal one (Abramowitz and
/// Stegun 26.7.5); within 1 % from 6 degrees of freedom on, which the shortest step has.
fn student(freedom: usize) -> f64 {
    let (z, n) = (1.959_964_f64, freedom.max(6) as f64);
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    z + first / n + second / (n * n)
}

/// Slanted stretches between steps, those that follow each other as one. Where two levels explain a
/// stretch better, though it has too few values for the ranks to be sure of a step, nothing is claimed yet.
fn drifts(model: &Model, places: &[usize], steps: &[Step], end: usize, rule: Rule) -> Vec<Drift> {
    let mut drifts: Vec<Drift> = Vec::new();
    for (from, to) in spans(places, end) {
        let fit = model.fit(from, to);
        if !fit.is_slanted() || model.cost_of_two_levels(from, to) < fit.cost {
            continue;
        }
        let goes_on = !steps.iter().any(|step| step.at == from);
        match drifts.last_mut() {
            Some(last) if goes_on && last.to + 1 == from => {
                (last.to, last.size) = (to - 1, last.size + fit.rise());
            }
            _ => drifts.push(Drift { from, to: to - 1, size: fit.rise() }),
        }
    }
    drifts.retain(|drift| drift.size.abs() >= rule.least);
    drifts
}

/// The series without its outliers: what lies far from the median of its neighbours is pulled near.
/// Steps and drifts stay as they are, since a running median follows them.
fn winsorized(values: &[f64]) -> Vec<f64> {
    let middle: Vec<f64> = (0..values.len())
        .map(|index| {
            let from = index.saturating_sub(NEIGHBOURS);
            let to = (index + NEIGHBOURS + 1).min(values.len());
            median(&values[from..to]).unwrap_or_default()
        })
        .collect();
    let apart: Vec<f64> =
        values.iter().zip(&middle).map(|(value, middle)| value - middle).collect();
    let reach = WINSOR * robust_sd(&apart).unwrap_or_default();
    apart.iter().zip(&middle).map(|(apart, middle)| middle + apart.clamp(-reach, reach)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_quantile_is_that_of_the_tables() {
        for (freedom, expected) in [(6, 2.447), (10, 2.228), (60, 2.000)] {
            assert!((student(freedom) / expected - 1.0).abs() < 0.01, "{freedom}");
        }
    }

    #[test]
    fn one_outlier_is_pulled_in_and_a_step_stays() {
        let mut values: Vec<f64> =
            (0..40).map(|i| f64::from(i % 3) + if i < 20 { 0.0 } else { 50.0 }).collect();
        values[7] = 1000.0;
        let calm = winsorized(&values);
        assert!(calm[7] < 10.0);
        assert!(calm[19] < 10.0 && calm[20] > 40.0);
    }

    #[test]
    fn too_few_values_and_equal_values_show_nothing() {
        let rule = Rule { least: 0.01 };
        assert_eq!(find(&[], rule), Found::default());
        assert_eq!(find(&[1.0, 2.0], rule), Found::default());
        assert_eq!(find(&[1.0; 100], rule), Found::default());
    }
}
