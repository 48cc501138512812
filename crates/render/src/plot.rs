//! Pictures of one benchmark, as SVG of our own: every launch, the interval, curves along a parameter.
//!
//! A picture is a few hundred bytes to two kilobytes, since a report may hold a thousand of them:
//! points are one path of zero-length strokes, and all styling is in the style sheet of the page.
//! Base is drawn round and grey, head square and in colour, so that nothing hangs on colour alone.

mod axis;
mod curve;
mod density;
mod interval;
mod path;
mod samples;

pub(crate) use curve::{Curve, Point, ratios as curve_ratios, values as curve_values};
pub(crate) use interval::interval;
pub(crate) use samples::samples;

/// A rectangle of the picture that holds marks, in its own units.
#[derive(Clone, Copy, Debug)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// A picture of `width` × `height` units that is called `label`, which holds nothing from outside.
fn picture(width: u32, height: u32, label: &str, inside: &str) -> String {
    format!(
        "<svg class=\"fig\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\">{inside}</svg>"
    )
}
