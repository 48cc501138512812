//! A series as stretches that are level or slanted, with steps between them.

use super::rank::SHORTEST_SIDE;

/// Places of a step that are this much less likely than the best one, as a logarithm, are given up:
/// one part in twenty.
const PLACE_EVIDENCE: f64 = 3.0;

/// A stretch shorter than this on its own is taken to be level: so few values have no slope.
const SHORTEST_SLOPE: usize = 3 * SHORTEST_SIDE;

/// Fits stretches of a series. Everything is told from squares, which know no outliers: the values
/// should be winsorized.
pub(super) struct Model {
    /// For each length of the beginning: sums of y, y², xy; x is the index.
    running: Vec<[f64; 3]>,
    /// What the y are counted from: a value of the series, so that little is lost to cancellation.
    about: f64,
    variance: f64,
}

/// A stretch with what was fitted to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    from: usize,
    to: usize,
    mean: f64,
    slope: f64,
    /// Squares that are left over, in units of the noise, plus the price of what was fitted.
    pub(super) cost: f64,
    /// Numbers fitted.
    fitted: usize,
}

/// A step as the model sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Jump {
    /// Earliest and latest place that is not ruled out.
    pub(super) range: (usize, usize),
    /// Its size.
    pub(super) size: f64,
    /// The standard error of the size.
    pub(super) error: f64,
    /// Values that the size rests on, less the numbers fitted.
    pub(super) freedom: usize,
}

impl Fit {
    /// Whether the stretch is slanted.
    pub(super) fn is_slanted(&self) -> bool {
        self.fitted > 1
    }

    /// The fitted value at a place.
    pub(super) fn at(&self, place: f64) -> f64 {
        self.mean + self.slope * (place - self.middle())
    }

    /// The fitted change from its first value to its last.
    pub(super) fn rise(&self) -> f64 {
        self.slope * (self.to - self.from - 1) as f64
    }

    fn middle(&self) -> f64 {
        (self.from + self.to - 1) as f64 / 2.0
    }

    fn len(&self) -> f64 {
        (self.to - self.from) as f64
    }

    /// How far, in units of the noise's variance, the fitted value at a place is uncertain.
    fn spread(&self, place: f64) -> f64 {
        let n = self.len();
        let level = 1.0 / n;
        if !self.is_slanted() {
            return level;
        }
        level + (place - self.middle()).powi(2) * 12.0 / (n * (n * n - 1.0))
    }
}

impl Model {
    /// The model of a series whose values vary about their level with this variance.
    pub(super) fn new(values: &[f64], variance: f64) -> Self {
        let about = bench_stats::median(values).unwrap_or_default();
        let mut running = Vec::with_capacity(values.len() + 1);
        let mut sums = [0.0; 3];
        running.push(sums);
        for (x, value) in values.iter().enumerate() {
            let y = value - about;
            sums = [sums[0] + y, sums[1] + y * y, sums[2] + x as f64 * y];
            running.push(sums);
        }
        Self { running, about, variance }
    }

    fn len(&self) -> usize {
        self.running.len() - 1
    }

    /// What a number costs that is fitted (Schwarz's criterion).
    fn price(&self) -> f64 {
        (self.len().max(2) as f64).ln()
    }

    /// The better of level and slanted for the values from index `from` up to `to`.
    pub(super) fn fit(&self, from: usize, to: usize) -> Fit {
        let level = self.level(from, to);
        let n = (to - from) as f64;
        let [sum, _, products] = self.sums(from, to);
        let xy = products - (from + to - 1) as f64 / 2.0 * sum;
        let xx = n * (n * n - 1.0) / 12.0;
        let explained = if xx > 0.0 { xy * xy / xx / self.variance } else { 0.0 };
        if to - from < SHORTEST_SLOPE || explained <= self.price() {
            return level;
        }
        let left = level.cost - self.price();
        let cost = (left - explained).max(0.0) + 2.0 * self.price();
        Fit { slope: xy / xx, cost, fitted: 2, ..level }
    }

    fn level(&self, from: usize, to: usize) -> Fit {
        let n = (to - from) as f64;
        let [sum, squares, _] = self.sums(from, to);
        let left = (squares - sum * sum / n).max(0.0) / self.variance;
        let mean = self.about + sum / n;
        Fit { from, to, mean, slope: 0.0, cost: left + self.price(), fitted: 1 }
    }

    fn sums(&self, from: usize, to: usize) -> [f64; 3] {
        let (before, until) = (self.running[from], self.running[to]);
        [0, 1, 2].map(|i| until[i] - before[i])
    }

    /// What the values between two places cost as two levels, at the best place between them.
    pub(super) fn cost_of_two_levels(&self, from: usize, to: usize) -> f64 {
        let costs = places(from, to)
            .map(|at| self.level(from, at).cost + self.level(at, to).cost + self.price());
        costs.fold(f64::INFINITY, f64::min)
    }

    /// What the values between two places cost with a step at `at`, whose place is fitted as well.
    pub(super) fn cost_of_step(&self, from: usize, at: usize, to: usize) -> f64 {
        self.fit(from, at).cost + self.fit(at, to).cost + self.price()
    }

    /// The place between two others where a step leaves least over.
    pub(super) fn best_place(&self, from: usize, to: usize) -> Option<usize> {
        let costs = places(from, to).map(|at| (at, self.cost_of_step(from, at, to)));
        costs.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
    }

    /// The step at `at` between two other places.
    pub(super) fn jump(&self, from: usize, at: usize, to: usize) -> Jump {
        let (left, right) = (self.fit(from, at), self.fit(at, to));
        // Halfway between the last value before and the first after it.
        let edge = at as f64 - 0.5;
        let least = self.cost_of_step(from, at, to);
        let possible =
            |place: &usize| self.cost_of_step(from, *place, to) - least <= 2.0 * PLACE_EVIDENCE;
        Jump {
            range: (
                places(from, to).find(possible).unwrap_or(at),
                places(from, to).rev().find(possible).unwrap_or(at),
            ),
            size: right.at(edge) - left.at(edge),
            error: (self.variance * (left.spread(edge) + right.spread(edge))).sqrt(),
            freedom: (to - from).saturating_sub(left.fitted + right.fitted),
        }
    }
}

/// Where between two places a step may be.
fn places(from: usize, to: usize) -> std::ops::RangeInclusive<usize> {
    from + SHORTEST_SIDE..=to.saturating_sub(SHORTEST_SIDE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise that is small, without a pattern, and the same each time; its variance is .0029².
    fn noise(index: usize) -> f64 {
        ((index * 7919) % 101) as f64 / 101.0 * 0.01 - 0.005
    }

    fn model(series: impl Fn(usize) -> f64) -> Model {
        let values: Vec<f64> = (0..60).map(|i| noise(i) + series(i)).collect();
        Model::new(&values, 0.0029 * 0.0029)
    }

    #[test]
    fn a_step_is_told_from_a_line_and_from_nothing() {
        let step = model(|i| if i < 25 { 0.0 } else { 0.05 });
        assert_eq!(step.best_place(0, 60), Some(25));
        assert!(step.cost_of_step(0, 25, 60) < step.fit(0, 60).cost);
        let jump = step.jump(0, 25, 60);
        assert_eq!(jump.range, (25, 25));
        assert!((jump.size - 0.05).abs() < 3.0 * jump.error, "{jump:?}");
        for other in [model(|i| i as f64 * 0.001), model(|_| 0.0)] {
            let at = other.best_place(0, 60).unwrap();
            assert!(other.cost_of_step(0, at, 60) > other.fit(0, 60).cost);
        }
    }

    #[test]
    fn a_step_on_a_line_has_the_size_of_the_step_alone() {
        let both = model(|i| i as f64 * 0.002 + if i < 30 { 0.0 } else { 0.05 });
        assert_eq!(both.best_place(0, 60), Some(30));
        let jump = both.jump(0, 30, 60);
        // The slope runs on from 29.5 to 30.5 besides: .002.
        assert!((jump.size - 0.05).abs() < 0.002 + 3.0 * jump.error, "{jump:?}");
        assert!((both.fit(0, 30).rise() - 29.0 * 0.002).abs() < 0.01);
    }
}
