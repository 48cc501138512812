//! A change's interval drawn on a line of fixed-width marks: `·······│··─●──·`.
//!
//! All marks belong to the characters that nearly every monospace font draws itself (WGL4): a mark
//! borrowed from another font would have another width, and the columns would no longer align.

/// The bar reaches from minus to plus this share.
pub(crate) const REACH: f64 = 0.10;
/// What stands over a column of bars where columns are not aligned by character.
pub(crate) const TITLE: &str = "−10\u{a0}%\u{a0}…\u{a0}0\u{a0}…\u{a0}+10\u{a0}%";
/// The same as wide as a bar, its 0 over the axis.
pub(crate) const SCALE: &str = "−10 %  0  +10 %";

/// Cells of a bar, and the one of them that stands for no change.
const CELLS: i32 = 15;
const CENTER: i32 = CELLS / 2;

/// An interval of ratios and its estimate. An absent end is unbounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: Option<f64>,
    pub(crate) estimate: f64,
    pub(crate) high: Option<f64>,
}

/// Draws an interval; an arrow at the edge says that it goes on beyond it.
pub(crate) fn draw(interval: Interval) -> String {
    let low = cell(interval.low.unwrap_or(f64::NEG_INFINITY));
    let high = cell(interval.high.unwrap_or(f64::INFINITY));
    let estimate = cell(interval.estimate);
    let mark = |at| match at {
        0 if low < 0 => '◄',
        _ if at == CELLS - 1 && high >= CELLS => '►',
        _ if at == estimate => '●',
        CENTER if low <= at && at <= high => '┼',
        _ if low <= at && at <= high => '─',
        CENTER => '│',
        _ => '·',
    };
    (0..CELLS).map(mark).collect()
}

/// The cell a ratio falls into; −1 and [`CELLS`] are beyond the edges.
fn cell(ratio: f64) -> i32 {
    let from_center = (ratio - 1.0) / REACH * f64::from(CENTER);
    #[expect(clippy::cast_possible_truncation, reason = "clamped to the bar and its edges")]
    let cell = (f64::from(CENTER) + from_center).round().clamp(-1.0, f64::from(CELLS)) as i32;
    cell
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr as _;

    fn bar(low: f64, estimate: f64, high: f64) -> String {
        draw(Interval { low: Some(low), estimate, high: Some(high) })
    }

    #[test]
    fn an_interval_is_drawn_where_it_lies() {
        assert_eq!(
            bar(1.039, 1.051, 1.064),
            "·······│··─●···".chars().take(15).collect::<String>()
        );
        assert_eq!(bar(0.98, 1.01, 1.03), "······─┼●─·····".chars().take(15).collect::<String>());
        assert_eq!(bar(0.999, 1.0, 1.001), "·······●·······");
    }

    #[test]
    fn what_lies_outside_is_shown_by_an_arrow() {
        assert_eq!(bar(0.511, 0.519, 0.526), "◄······│·······");
        assert_eq!(bar(1.088, 1.15, 1.2), "·······│·····─►");
        let unbounded = Interval { low: None, estimate: 1.0, high: None };
        assert_eq!(draw(unbounded), "◄──────●──────►");
    }

    #[test]
    fn every_bar_is_as_wide_as_its_scale() {
        for (low, high) in [(0.0, 9.0), (0.95, 0.97), (1.0, 1.0), (1.099, 1.101)] {
            let bar = bar(low, (low + high) / 2.0, high);
            assert_eq!((bar.chars().count(), bar.width()), (15, 15), "{bar}");
        }
        assert_eq!(SCALE.chars().count(), 15);
        assert_eq!(SCALE.chars().nth(7), Some('0'));
    }
}
