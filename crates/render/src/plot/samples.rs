//! Every launch of both sides in run order, and how they spread.

use super::{
    Area,
    axis::{Axis, Scale, bulk, ends},
    density::density,
    path::{Path, line, text},
    picture,
};
use crate::{
    escape::{Html, Pen as _},
    number,
};
use bench_results::{Measured, Row};

const WIDTH: u32 = 480;
const HEIGHT: u32 = 190;
const RUN: Area = Area { left: 66.0, right: 350.0, top: 10.0, bottom: 160.0 };
/// The middle of the outlines, and how far they reach to each side.
const MIDDLE: f64 = 415.0;
const REACH: f64 = 58.0;

/// Both sides' launches; none where no launch has a value.
pub(crate) fn samples(row: &Row) -> Option<String> {
    let [base, head] = [&row.base, &row.head].map(|side| launches(side.as_ref()));
    let values: Vec<f64> = base.iter().chain(&head).map(|launch| launch.1).collect();
    let (low, high) = bulk(&values)?;
    let pad = (high - low) * 0.06;
    let range = (low - pad, high + pad);
    let y = Axis::new(Scale::Linear, range, RUN.bottom, RUN.top);
    let order = ends(base.iter().chain(&head).map(|launch| launch.0))?;
    let x = Axis::new(Scale::Linear, order, RUN.left + 10.0, RUN.right - 10.0);
    let inside = [
        grid(&y, range, &row.unit),
        outlines(&base, &head, range, &y),
        center(row.base.as_ref(), &y, "bc"),
        center(row.head.as_ref(), &y, "hc"),
        dots(&base, &x, &y, "b"),
        dots(&head, &x, &y, "h"),
        legend(order),
    ];
    let label = format!(
        "Launches in run order and how they spread: {} of base, {} of head",
        base.len(),
        head.len()
    );
    Some(picture(WIDTH, HEIGHT, &label, &inside.concat()))
}

/// The block and value of each launch that has a value.
fn launches(side: Option<&Measured>) -> Vec<(f64, f64)> {
    let samples = side.map_or(&[][..], |side| side.samples.as_slice());
    let value = |s: &bench_results::Sample| Some((f64::from(s.block) + 1.0, s.value?));
    samples.iter().filter_map(value).filter(|launch| launch.1.is_finite()).collect()
}

/// Named values and their lines.
fn grid(y: &Axis, range: (f64, f64), unit: &str) -> String {
    let unit = number::unit_of(range.0.abs().max(range.1.abs()), unit);
    let (ticks, step) = y.ticks(4, unit.size);
    let tick = |value: &f64| {
        let name = Html.prose(&unit.tick(*value, step));
        line("g", (RUN.left, y.at(*value)), (MIDDLE + REACH, y.at(*value)))
            + &text("e", RUN.left - 6.0, y.at(*value) + 4.0, &name)
    };
    ticks.iter().map(tick).collect()
}

fn dots(launches: &[(f64, f64)], x: &Axis, y: &Axis, class: &str) -> String {
    let mut path = Path::default();
    for (block, value) in launches {
        path.dot(x.at(*block), y.at(*value));
    }
    path.element(class)
}

/// A line at the median.
fn center(side: Option<&Measured>, y: &Axis, class: &str) -> String {
    let center = side.and_then(|side| side.center).filter(|center| center.is_finite());
    center.map_or(String::new(), |c| line(class, (RUN.left, y.at(c)), (RUN.right, y.at(c))))
}

/// Base spreads to the left of the middle, head to the right, on one scale.
fn outlines(base: &[(f64, f64)], head: &[(f64, f64)], range: (f64, f64), y: &Axis) -> String {
    let values = |side: &[(f64, f64)]| side.iter().map(|launch| launch.1).collect::<Vec<_>>();
    let both = [base, head].map(|side| density(&values(side), range));
    let highest = both.iter().flatten().map(|(_, d)| *d).fold(f64::MIN_POSITIVE, f64::max);
    let outline = |points: &[(f64, f64)], reach: f64, class: &str| {
        let mut path = Path::default();
        for (place, density) in points {
            let (x, y) = ((MIDDLE + density / highest * reach).round(), y.at(*place).round());
            if *place == range.0 {
                path.start(MIDDLE, y);
            }
            path.line(x, y);
        }
        if !points.is_empty() {
            path.line(MIDDLE, y.at(range.1));
            path.close();
        }
        path.element(class)
    };
    outline(&both[0], -REACH, "bo") + &outline(&both[1], REACH, "ho")
}

fn legend((first, last): (f64, f64)) -> String {
    let y = RUN.bottom + 18.0;
    [
        text("s", RUN.left, y, &format!("block {first}")),
        text("e", RUN.right, y, &format!("{last}")),
        text("e bt", MIDDLE - 8.0, y, "● base"),
        text("s ht", MIDDLE + 8.0, y, "■ head"),
    ]
    .concat()
}
