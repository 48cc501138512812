//! Marks as SVG text, with no more digits than a screen shows.

use std::fmt::Write as _;

/// The `d` of a path, built up.
#[derive(Clone, Debug, Default)]
pub(super) struct Path(String);

impl Path {
    /// A stroke of nearly no length, which its cap makes a dot or a square: one of no length at all
    /// has no direction, and printers leave its square out. Whole units do for its place.
    pub(super) fn dot(&mut self, x: f64, y: f64) {
        self.step('M', x.round(), y.round());
        self.0.push_str("h.1");
    }

    /// Lifts the pen to a point.
    pub(super) fn start(&mut self, x: f64, y: f64) {
        self.step('M', x, y);
    }

    /// A line to a point.
    pub(super) fn line(&mut self, x: f64, y: f64) {
        self.step('L', x, y);
    }

    /// Back to where the pen was put down.
    pub(super) fn close(&mut self) {
        self.0.push('Z');
    }

    /// The path as an element of a class; nothing where nothing was drawn.
    pub(super) fn element(&self, class: &str) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        format!("<path class=\"{class}\" d=\"{}\"/>", self.0)
    }

    fn step(&mut self, command: char, x: f64, y: f64) {
        // Writing to memory cannot fail.
        let _ = write!(self.0, "{command}{} {}", units(x), units(y));
    }
}

/// One straight line.
pub(super) fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> String {
    let mut path = Path::default();
    path.start(from.0, from.1);
    path.line(to.0, to.1);
    path.element(class)
}

/// A word at a point. `class` sets the anchor: `s` start, `m` middle, `e` end. The text is ours, or
/// escaped by the caller.
pub(super) fn text(class: &str, x: f64, y: f64, text: &str) -> String {
    format!("<text class=\"{class}\" x=\"{}\" y=\"{}\">{text}</text>", units(x), units(y))
}

/// A coordinate with one decimal, and none where it is whole.
pub(super) fn units(x: f64) -> String {
    let text = format!("{x:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".into(),
        Some(whole) => whole.into(),
        None => text,
    }
}
