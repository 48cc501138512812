//! The interval of a change against the tolerance and the threshold, over the blocks it comes from.

use super::{
    Area,
    axis::{Axis, Scale, bulk},
    path::{Path, line, text, units},
    picture,
};
use crate::{bar::Interval, view::Directions};
use bench_results::{Better, ChangeKind, Row};

const WIDTH: u32 = 340;
const HEIGHT: u32 = 190;
const AREA: Area = Area { left: 14.0, right: 326.0, top: 10.0, bottom: 142.0 };
/// Blocks stand above this height, the interval on it.
const BLOCKS_END: f64 = 104.0;
const INTERVAL_AT: f64 = 122.0;

/// The change of a row as a ratio; none for differences and where both ends are unknown.
pub(crate) fn interval(row: &Row) -> Option<String> {
    let change = row.change.filter(|c| c.kind == ChangeKind::Ratio && c.ratio > 0.0)?;
    let shown = Interval { low: change.low, estimate: change.ratio, high: change.high };
    shown.low.or(shown.high)?;
    let blocks = ratios(row);
    let x = axis(row, shown, &blocks);
    let inside = [margins(row, &x), dots(&blocks, &x), bar(shown, &x), ticks(&x), ends(row)];
    let label = format!(
        "The change of each of {} blocks, and the interval against threshold and tolerance",
        blocks.len()
    );
    Some(picture(WIDTH, HEIGHT, &label, &inside.concat()))
}

/// Head over base of each block that counts. `d` is positive where head is worse.
fn ratios(row: &Row) -> Vec<f64> {
    let sign = match row.better {
        Better::Lower => 1.0,
        Better::Higher => -1.0,
    };
    let counted = row.blocks.iter().filter(|block| block.counted);
    let ratio = |d: f64| Some((sign * d).exp()).filter(|r| r.is_finite() && *r > 0.0);
    counted.filter_map(|block| ratio(block.corrected.or(block.d)?)).collect()
}

/// Wide enough for both margins, the interval and the bulk of the blocks.
fn axis(row: &Row, shown: Interval, blocks: &[f64]) -> Axis {
    let margin = 1.0 + row.rule.threshold.max(row.rule.tolerance).max(0.001) * 1.4;
    let blocks = bulk(blocks).unwrap_or((1.0, 1.0));
    let low = shown.low.filter(|low| *low > 0.0).unwrap_or(shown.estimate);
    let high = shown.high.unwrap_or(shown.estimate);
    let range = (low.min(blocks.0).min(1.0 / margin), high.max(blocks.1).max(margin));
    let pad = (range.1 / range.0).powf(0.04);
    Axis::new(Scale::Log, (range.0 / pad, range.1 * pad), AREA.left, AREA.right)
}

/// The band of the tolerance, the lines of the threshold, the line of no change.
fn margins(row: &Row, x: &Axis) -> String {
    let upper = 1.0 + row.rule.tolerance;
    let (from, to) = (x.at(1.0 / upper), x.at(upper));
    let band = format!(
        "<rect class=\"tol\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
        units(from),
        units(AREA.top),
        units(to - from),
        units(AREA.bottom - AREA.top)
    );
    let upright = |class: &str, at: f64| line(class, (at, AREA.top), (at, AREA.bottom));
    let threshold = 1.0 + row.rule.threshold;
    [
        band,
        upright("thr", x.at(1.0 / threshold)),
        upright("thr", x.at(threshold)),
        upright("zero", x.at(1.0)),
    ]
    .concat()
}

/// The first block on top, the last above the interval.
fn dots(blocks: &[f64], x: &Axis) -> String {
    let mut path = Path::default();
    let last = u32::try_from(blocks.len().saturating_sub(1)).unwrap_or(u32::MAX).max(1);
    let step = (BLOCKS_END - AREA.top - 8.0) / f64::from(last);
    for (index, ratio) in (0..=last).zip(blocks) {
        path.dot(x.at(*ratio), AREA.top + 4.0 + f64::from(index) * step);
    }
    path.element("blk")
}

/// The interval with its estimate; an end that is unknown is the end of the axis.
fn bar(shown: Interval, x: &Axis) -> String {
    let low = x.at(shown.low.unwrap_or(f64::MIN_POSITIVE));
    let high = x.at(shown.high.unwrap_or(f64::MAX));
    let mut estimate = Path::default();
    estimate.dot(x.at(shown.estimate), INTERVAL_AT);
    line("ci", (low, INTERVAL_AT), (high, INTERVAL_AT)) + &estimate.element("est")
}

fn ticks(x: &Axis) -> String {
    let (ticks, step) = x.ratios(5);
    let tick = |ratio: &f64| {
        text("m", x.at(*ratio), AREA.bottom + 16.0, &crate::number::change_tick(*ratio, step))
            + &line("g", (x.at(*ratio), AREA.bottom), (x.at(*ratio), AREA.bottom + 4.0))
    };
    line("g", (AREA.left, AREA.bottom), (AREA.right, AREA.bottom))
        + &ticks.iter().map(tick).collect::<String>()
}

/// What the two directions mean.
fn ends(row: &Row) -> String {
    let Directions { less, more } = Directions::of(row);
    let y = AREA.bottom + 38.0;
    text("s", AREA.left, y, &format!("← {less}")) + &text("e", AREA.right, y, &format!("{more} →"))
}
