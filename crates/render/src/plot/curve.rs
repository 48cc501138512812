//! Curves along a numeric parameter: the values of both sides, and the change with its interval.

use super::{
    Area,
    axis::{Axis, Scale, ends},
    path::{Path, line, text},
    picture,
};
use crate::{bar::Interval, number};

const HEIGHT: u32 = 210;
/// The least distance of two letters.
const LETTER: f64 = 11.0;
const VALUES: Area = Area { left: 66.0, right: 450.0, top: 10.0, bottom: 168.0 };
const CHANGES: Area = Area { left: 58.0, right: 318.0, top: 10.0, bottom: 168.0 };

/// One benchmark with all parameters fixed but one.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    /// A letter, where a picture holds several.
    pub(crate) letter: Option<char>,
    /// In order of the parameter.
    pub(crate) points: Vec<Point>,
}

/// One value of the parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) parameter: f64,
    pub(crate) base: f64,
    pub(crate) head: f64,
    pub(crate) change: Option<Interval>,
}

/// Both sides' values, log–log where nothing is zero or negative.
pub(crate) fn values(curves: &[Curve], unit: &str) -> Option<String> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let x = parameter_axis(curves, VALUES)?;
    let range = ends(points().flat_map(|p| [p.base, p.head]))?;
    let scale = if range.0 > 0.0 { Scale::Log } else { Scale::Linear };
    let range = padded(range, scale);
    let y = Axis::new(scale, range, VALUES.bottom, VALUES.top);
    let name = |value: f64, step: f64| number::unit_of(value.abs(), unit).tick(value, step);
    let ticks: Vec<(f64, String)> = match scale {
        Scale::Log => y.decades().into_iter().map(|v| (v, name(v, v))).collect(),
        Scale::Linear => {
            let (ticks, step) = y.ticks(4, number::unit_of(range.1, unit).size);
            ticks.into_iter().map(|v| (v, name(v, step))).collect()
        }
    };
    let mut inside = named_lines(&y, &ticks, VALUES) + &parameter_ticks(&x, VALUES);
    for curve in curves {
        inside += &joined(curve, &x, |p| y.at(p.base), "b");
        inside += &joined(curve, &x, |p| y.at(p.head), "h");
    }
    inside += &letters(curves, &x, &y);
    inside += &text("e bt", 240.0, VALUES.bottom + 36.0, "● base");
    inside += &text("s ht", 256.0, VALUES.bottom + 36.0, "■ head");
    Some(picture(480, HEIGHT, "The values of both sides along the parameter", &inside))
}

/// The change at each value of the parameter, with the lines of the threshold.
pub(crate) fn ratios(curves: &[Curve], threshold: f64) -> Option<String> {
    let changes = || curves.iter().flat_map(|c| c.points.iter().filter_map(|p| p.change));
    changes().next()?;
    let x = parameter_axis(curves, CHANGES)?;
    let known = |i: Interval| [i.low.filter(|low| *low > 0.0), i.high, Some(i.estimate)];
    let margin = 1.0 + threshold * 1.3;
    let seen = changes().flat_map(known).flatten().filter(|ratio| *ratio > 0.0);
    let (low, high) = ends(seen.chain([margin, 1.0 / margin]))?;
    let y = Axis::new(Scale::Log, padded((low, high), Scale::Log), CHANGES.bottom, CHANGES.top);
    let (ticks, step) = y.ratios(5);
    let ticks: Vec<_> = ticks.into_iter().map(|v| (v, number::change_tick(v, step))).collect();
    let across = |class: &str, ratio: f64| {
        line(class, (CHANGES.left, y.at(ratio)), (CHANGES.right, y.at(ratio)))
    };
    let mut inside = named_lines(&y, &ticks, CHANGES) + &parameter_ticks(&x, CHANGES);
    inside += &across("zero", 1.0);
    inside += &across("thr", 1.0 + threshold);
    inside += &across("thr", 1.0 / (1.0 + threshold));
    for (curve, shift) in curves.iter().zip(shifts(curves.len())) {
        inside += &whiskers(curve, &x, &y, shift);
    }
    Some(picture(340, HEIGHT, "The change along the parameter, with its interval", &inside))
}

/// The letters at the ends of the curves, far enough apart to be read.
fn letters(curves: &[Curve], x: &Axis, y: &Axis) -> String {
    let end = |curve: &Curve| {
        let last = curve.points.last()?;
        Some((curve.letter?, x.at(last.parameter) + 9.0, y.at(last.head) + 4.0))
    };
    let mut ends: Vec<(char, f64, f64)> = curves.iter().filter_map(end).collect();
    ends.sort_by(|a, b| a.2.total_cmp(&b.2));
    let mut above = f64::NEG_INFINITY;
    let letter = |(letter, x, y): &(char, f64, f64)| {
        above = y.max(above + LETTER);
        text("s", *x, above, &letter.to_string())
    };
    ends.iter().map(letter).collect()
}

/// Curves side by side, so that their whiskers do not cover each other.
fn shifts(curves: usize) -> impl Iterator<Item = f64> {
    let last = u32::try_from(curves.saturating_sub(1)).unwrap_or(0);
    (0..=last).map(move |i| (f64::from(i) - f64::from(last) / 2.0) * LETTER * 0.8)
}

fn whiskers(curve: &Curve, x: &Axis, y: &Axis, shift: f64) -> String {
    let mut bars = Path::default();
    let mut marks = Path::default();
    for (point, change) in curve.points.iter().filter_map(|p| Some((p, p.change?))) {
        let at = x.at(point.parameter) + shift;
        bars.start(at, y.at(change.low.unwrap_or(f64::MIN_POSITIVE)));
        bars.line(at, y.at(change.high.unwrap_or(f64::MAX)));
        marks.dot(at, y.at(change.estimate));
    }
    let last = curve.points.iter().rev().find_map(|p| Some((p.parameter, p.change?)));
    let letter = curve.letter.zip(last).map(|(letter, (parameter, change))| {
        let top = y.at(change.high.unwrap_or(f64::MAX));
        text("m", x.at(parameter) + shift, top - 5.0, &letter.to_string())
    });
    bars.element("ci thin") + &marks.element("h") + &letter.unwrap_or_default()
}

fn joined(curve: &Curve, x: &Axis, y: impl Fn(&Point) -> f64, class: &str) -> String {
    let mut path = Path::default();
    let mut marks = Path::default();
    for (index, point) in curve.points.iter().enumerate() {
        let (x, y) = (x.at(point.parameter), y(point));
        if index == 0 {
            path.start(x, y)
        } else {
            path.line(x, y)
        }
        marks.dot(x, y);
    }
    path.element(&format!("{class}c")) + &marks.element(class)
}

fn parameter_axis(curves: &[Curve], area: Area) -> Option<Axis> {
    let range = ends(curves.iter().flat_map(|c| c.points.iter().map(|p| p.parameter)))?;
    let scale = if range.0 > 0.0 && range.1 / range.0 > 3.0 { Scale::Log } else { Scale::Linear };
    Some(Axis::new(scale, range, area.left + 14.0, area.right - 22.0))
}

fn padded((low, high): (f64, f64), scale: Scale) -> (f64, f64) {
    match scale {
        Scale::Log => {
            let pad = (high / low).powf(0.05);
            (low / pad, high * pad)
        }
        Scale::Linear => {
            let pad = (high - low) * 0.05;
            (low - pad, high + pad)
        }
    }
}

/// Named values with a line across each.
fn named_lines(y: &Axis, ticks: &[(f64, String)], area: Area) -> String {
    let tick = |(value, name): &(f64, String)| {
        line("g", (area.left, y.at(*value)), (area.right, y.at(*value)))
            + &text("e", area.left - 6.0, y.at(*value) + 4.0, name)
    };
    ticks.iter().map(tick).collect()
}

fn parameter_ticks(x: &Axis, area: Area) -> String {
    let tick = |(value, name): (f64, String)| {
        line("g", (x.at(value), area.bottom), (x.at(value), area.bottom + 4.0))
            + &text("m", x.at(value), area.bottom + 17.0, &name)
    };
    let names = x
        .round_values(5)
        .into_iter()
        .map(|(value, step)| (value, number::unit_of(value.abs(), "count").tick(value, step)));
    names.map(tick).collect()
}
