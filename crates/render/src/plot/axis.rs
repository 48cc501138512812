//! Axes: where a value lies, and which values are named beside the line.

/// Values beyond this are drawn as if they were it: differences of larger ones are not finite.
const LARGEST: f64 = 1e300;

/// Places values on a line of the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    scale: Scale,
}

/// How values become places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Equal steps for equal differences.
    Linear,
    /// Equal steps for equal ratios; for positive values.
    Log,
}

impl Axis {
    /// An axis for values from `low` to `high`, drawn from the place `from` to the place `to`. An axis
    /// of no length is widened, so that its one value stands in the middle.
    pub(super) fn new(scale: Scale, (low, high): (f64, f64), from: f64, to: f64) -> Self {
        let (low, high) = (raw(scale, low), raw(scale, high));
        let room = match scale {
            Scale::Linear => (low.abs() * 1e-3).max(f64::MIN_POSITIVE),
            Scale::Log => 0.1,
        };
        let is_wide = high - low > room * 1e-6;
        let (low, high) = if is_wide { (low, high) } else { (low - room, high + room) };
        Self { low, high, from, to, scale }
    }

    /// Where a value lies; what is beyond an end is drawn at it.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = (raw(self.scale, value) - self.low) / (self.high - self.low);
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Round values to name on a linear axis, about `wanted` of them, with the step between them.
    pub(super) fn ticks(&self, wanted: u32, unit: f64) -> (Vec<f64>, f64) {
        let step = round_step((self.high - self.low) / unit / f64::from(wanted)) * unit;
        let first = (self.low / step).ceil();
        let ticks = (0..=20).map(|i| (first + f64::from(i)) * step);
        (ticks.take_while(|tick| *tick <= self.high * (1.0 + f64::EPSILON)).collect(), step)
    }

    /// Values to name on a logarithmic axis: powers of ten, or steps of 1, 2 and 5 where there is
    /// less than two of them.
    pub(super) fn decades(&self) -> Vec<f64> {
        let (low, high) = (self.low.exp(), self.high.exp());
        let first = low.log10().floor();
        let decades = (0..40).map(|i| 10_f64.powf(first + f64::from(i)));
        let steps: &[f64] = if (high / low) < 100.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let all = decades.flat_map(|decade| steps.iter().map(move |step| decade * step));
        let fits = |value: &f64| (low * 0.999..=high * 1.001).contains(value);
        let found: Vec<f64> = all.filter(fits).collect();
        let every = found.len().div_ceil(6).max(1);
        found.into_iter().step_by(every).collect()
    }
}

impl Axis {
    /// Round values to name, whatever the scale, each with how finely it must be told.
    pub(super) fn round_values(&self, wanted: u32) -> Vec<(f64, f64)> {
        match self.scale {
            Scale::Log => self.decades().into_iter().map(|value| (value, value)).collect(),
            Scale::Linear => {
                let (ticks, step) = self.ticks(wanted, 1.0);
                ticks.into_iter().map(|value| (value, step)).collect()
            }
        }
    }

    /// Ratios to name on a logarithmic axis of changes: round percentages with the step between
    /// them; where the axis is too long for these, factors, without a step.
    pub(super) fn ratios(&self, wanted: u32) -> (Vec<f64>, Option<f64>) {
        let (low, high) = (self.low.exp(), self.high.exp());
        if high / low > 4.0 {
            return (self.decades(), None);
        }
        let step = round_step((high - low) / f64::from(wanted));
        let first = ((low - 1.0) / step).ceil();
        let ticks = (0..=20).map(|i| 1.0 + (first + f64::from(i)) * step);
        (ticks.take_while(|ratio| *ratio <= high).collect(), Some(step))
    }
}

fn raw(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear => value.clamp(-LARGEST, LARGEST),
        Scale::Log => value.clamp(1.0 / LARGEST, LARGEST).ln(),
    }
}

/// The nearest of 1, 2, 5, 10, … that is not much smaller.
fn round_step(step: f64) -> f64 {
    if !step.is_finite() || step <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= step * 0.7).unwrap_or(step)
}

/// The ends of some values.
pub(super) fn ends(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.into_iter().filter(|v| v.is_finite());
    let mut values = finite.map(|v| v.clamp(-LARGEST, LARGEST));
    let first = values.next()?;
    Some(values.fold((first, first), |(low, high), v| (low.min(v), high.max(v))))
}

/// The ends of the bulk of some values: what lies further out than three times the distance of the
/// quartiles would press everything else into a line.
pub(super) fn bulk(values: &[f64]) -> Option<(f64, f64)> {
    let (low, high) = ends(values.iter().copied())?;
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let at = |share: usize| sorted.get((sorted.len() - 1) * share / 4).copied().unwrap_or(low);
    let (lower, upper) = (at(1), at(3));
    let reach = 3.0 * (upper - lower);
    Some(if reach > 0.0 { (low.max(lower - reach), high.min(upper + reach)) } else { (low, high) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_values_are_round_and_on_the_axis() {
        let axis = Axis::new(Scale::Linear, (1.83, 1.97), 0.0, 100.0);
        let (ticks, step) = axis.ticks(4, 1.0);
        assert_eq!((ticks.len(), step), (3, 0.05));
        assert!((ticks[0] - 1.85).abs() < 1e-9 && (ticks[2] - 1.95).abs() < 1e-9, "{ticks:?}");
        let axis = Axis::new(Scale::Log, (8.0, 2e5), 0.0, 100.0);
        assert_eq!(axis.decades(), [10.0, 100.0, 1000.0, 10_000.0, 100_000.0]);
    }

    #[test]
    fn one_value_stands_in_the_middle_and_none_leaves_the_axis() {
        for value in [0.0, -3.0, 5e9] {
            assert_eq!(Axis::new(Scale::Linear, (value, value), 0.0, 10.0).at(value), 5.0);
        }
        let axis = Axis::new(Scale::Linear, (1.0, 2.0), 10.0, 0.0);
        assert_eq!([0.0, 1.5, 9.0].map(|v| axis.at(v)), [10.0, 5.0, 0.0]);
    }

    #[test]
    fn one_spike_does_not_flatten_the_rest() {
        let mut values: Vec<f64> = (0..20).map(f64::from).collect();
        values.push(1e6);
        assert!(bulk(&values).unwrap().1 < 60.0);
        // Quartiles without a distance say nothing of what is far.
        assert_eq!(bulk(&[4.0, 4.0, 4.0, 4.0, 9.0]), Some((4.0, 9.0)));
    }
}
