//! Lines as SVG paths and as text. Many points become few: of those that share a pixel the middle and
//! the extremes are drawn.

use super::{PieceLine, PointLine};

/// Half of what a single point is drawn as, as a share of the width.
const DASH: f64 = 0.006;

/// Most points a line is drawn with.
const MOST_POINTS: usize = 500;

/// A box that points are drawn in: x from 0 to `width`, y from 0 (the highest level) to `height`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    pub(super) width: f64,
    pub(super) height: f64,
    /// How many commits there are.
    pub(super) commits: usize,
    /// Level at the lower edge.
    pub(super) low: f64,
    /// Level at the upper edge.
    pub(super) high: f64,
}

/// A stretch of points that share a pixel.
struct Bucket {
    x: f64,
    middle: f64,
    low: f64,
    high: f64,
}

impl Frame {
    /// A frame that holds all points of these pieces, with some air.
    pub(super) fn around<'p>(
        pieces: impl Iterator<Item = &'p PieceLine> + Clone,
        commits: usize,
        (width, height): (f64, f64),
    ) -> Self {
        let levels = pieces.flat_map(|piece| piece.points.iter().map(|point| point.level));
        let low = levels.clone().fold(f64::INFINITY, f64::min);
        let high = levels.fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
        // At least two per cent, so that noise does not look like a mountain range.
        let air = ((high - low) * 0.08).max(0.01);
        Self { width, height, commits, low: low - air, high: high + air }
    }

    pub(super) fn x(&self, commit: usize) -> f64 {
        // In the middle of its share of the width.
        (commit as f64 + 0.5) / self.commits.max(1) as f64 * self.width
    }

    pub(super) fn y(&self, level: f64) -> f64 {
        (self.high - level) / (self.high - self.low) * self.height
    }

    /// The line through the middles.
    pub(super) fn line(&self, points: &[PointLine], most: usize) -> String {
        let buckets = self.buckets(points, most);
        // A line of one point has no length and would not be seen.
        if let [one] = buckets.as_slice() {
            let reach = self.width * DASH;
            return path([-reach, reach].into_iter().map(|by| (one.x + by, self.y(one.middle))));
        }
        path(buckets.iter().map(|bucket| (bucket.x, self.y(bucket.middle))))
    }

    /// The area of the 95 % intervals, or of the extremes where points share a pixel.
    pub(super) fn band(&self, points: &[PointLine]) -> String {
        let buckets = self.buckets(points, MOST_POINTS);
        let upper = buckets.iter().map(|bucket| (bucket.x, self.y(bucket.high).max(0.0)));
        let lower =
            buckets.iter().rev().map(|bucket| (bucket.x, self.y(bucket.low).min(self.height)));
        let area = path(upper.chain(lower));
        if area.is_empty() { area } else { format!("{area}Z") }
    }

    fn buckets(&self, points: &[PointLine], most: usize) -> Vec<Bucket> {
        let size = points.len().div_ceil(most.min(MOST_POINTS)).max(1);
        points.chunks(size).filter_map(|chunk| self.bucket(chunk)).collect()
    }

    fn bucket(&self, chunk: &[PointLine]) -> Option<Bucket> {
        let mut levels: Vec<f64> = chunk.iter().map(|point| point.level).collect();
        levels.sort_by(f64::total_cmp);
        let reach = |point: &PointLine| 1.96 * point.error;
        let low =
            chunk.iter().map(|point| point.level - reach(point)).fold(f64::INFINITY, f64::min);
        let high =
            chunk.iter().map(|point| point.level + reach(point)).fold(f64::NEG_INFINITY, f64::max);
        let commit = chunk.get(chunk.len() / 2)?.commit;
        Some(Bucket { x: self.x(commit), middle: *levels.get(levels.len() / 2)?, low, high })
    }

    /// Levels for the lines across, with their distance from `zero` in per cent: round steps.
    pub(super) fn ticks(&self, zero: f64) -> Vec<(f64, f64)> {
        const STEPS: [f64; 11] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3, 1e4];
        let percent = |level: f64| 100.0 * (level - zero).exp_m1();
        let (low, high) = (percent(self.low), percent(self.high));
        let step = STEPS.into_iter().find(|step| (high - low) / step <= 6.0).unwrap_or(1e5);
        let first = (low / step).ceil();
        let ticks = (0..8).map(|index| (first + f64::from(index)) * step);
        ticks
            .filter(|tick| *tick <= high && *tick > -100.0)
            .map(|tick| (self.y(zero + (tick / 100.0).ln_1p()), tick))
            .collect()
    }
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.enumerate() {
        path.push(if index == 0 { 'M' } else { 'L' });
        path.push_str(&format!("{x:.1} {y:.1}"));
    }
    path
}

/// A line of eight heights, one character for each of at most `width` stretches.
#[must_use]
pub fn sparkline_text(levels: &[f64], width: usize) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let size = levels.len().div_ceil(width.max(1)).max(1);
    let middles: Vec<f64> = levels
        .chunks(size)
        .filter_map(|chunk| {
            let mut sorted = chunk.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted.get(sorted.len() / 2).copied()
        })
        .collect();
    let low = middles.iter().copied().fold(f64::INFINITY, f64::min);
    let high = middles.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Noise must not look like a mountain range: less than four per cent never fills the height.
    let span = (high - low).max(0.04);
    let height = |level: f64| {
        let share = (level - low) / span * 7.0;
        HEIGHTS
            .iter()
            .enumerate()
            .rfind(|(at, _)| *at as f64 <= share + 0.5)
            .map_or('▁', |h| *h.1)
    };
    middles.into_iter().map(height).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_text_rises_where_levels_do() {
        assert_eq!(sparkline_text(&[0.0, 0.0, 0.1, 0.1], 4), "▁▁██");
        assert_eq!(sparkline_text(&[0.0, 0.001, 0.0], 8), "▁▁▁");
        assert_eq!(sparkline_text(&[0.0, 0.02], 8), "▁▅");
        assert_eq!(sparkline_text(&[], 8), "");
        assert_eq!(sparkline_text(&[0.0; 100], 10).chars().count(), 10);
    }

    #[test]
    fn a_single_point_is_seen() {
        let point = PointLine {
            commit: 0,
            machine: 0,
            reference: None,
            level: 0.0,
            error: 0.0,
            value: None,
        };
        let piece = PieceLine { is_paired: true, points: vec![point] };
        let frame = Frame::around(std::iter::once(&piece), 3, (100.0, 10.0));
        // In the middle of the first third, 16.7, and 0.6 to each side.
        assert_eq!(frame.line(&piece.points, 60), "M16.1 5.0L17.3 5.0");
    }

    #[test]
    fn ten_thousand_points_are_drawn_with_few() {
        let point = |commit| PointLine {
            commit,
            machine: 0,
            reference: None,
            level: 0.0,
            error: 0.0,
            value: None,
        };
        let points: Vec<PointLine> = (0..10_000).map(point).collect();
        let piece = PieceLine { is_paired: true, points };
        let frame = Frame::around(std::iter::once(&piece), 10_000, (100.0, 10.0));
        assert_eq!(frame.line(&piece.points, 60).matches('L').count(), 59);
        assert!(frame.band(&piece.points).len() < 20_000);
    }

    #[test]
    fn lines_across_are_at_round_distances() {
        let frame = Frame { width: 1.0, height: 100.0, commits: 1, low: -0.05, high: 0.1 };
        let ticks: Vec<f64> = frame.ticks(0.0).into_iter().map(|(_, tick)| tick).collect();
        assert_eq!(ticks, [0.0, 5.0, 10.0]);
    }
}
