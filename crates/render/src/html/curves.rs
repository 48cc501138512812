//! Results of one benchmark along a numeric parameter.

use crate::{
    bar::Interval,
    escape::{Html, Pen as _},
    plot::{self, Curve, Point},
    view::{Names, grouped},
};
use bench_results::{ChangeKind, Measured, Results, Row};
use serde::Serialize;

/// A line through fewer points says nothing that the table does not.
const FEWEST_POINTS: usize = 3;
/// Curves in one picture.
const MOST_CURVES: usize = 6;
/// Pictures in one report.
const MOST_FAMILIES: usize = 200;

/// What there is along parameters.
#[derive(Debug, Serialize)]
pub(super) struct CurvesPage {
    families: Vec<FamilyPage>,
    /// Families left out; 0 as a rule.
    more: usize,
}

/// One metric of one benchmark along one parameter.
#[derive(Debug, Serialize)]
struct FamilyPage {
    name: String,
    parameter: String,
    /// `a: order=rev`, where there are several curves.
    letters: Vec<String>,
    /// Curves that are not drawn.
    more: usize,
    figures: Vec<String>,
}

/// Rows of one benchmark and metric that have a numeric parameter: a curve for each combination of the
/// other parameters.
struct Family<'a> {
    name: String,
    parameter: &'a str,
    /// Where the parameter stands among the benchmark's own.
    index: usize,
    unit: &'a str,
    threshold: f64,
    curves: Vec<(String, Vec<&'a Row>)>,
}

/// All families with enough points.
pub(super) fn curves(results: &Results) -> CurvesPage {
    let families = families(results);
    let pages = families.iter().take(MOST_FAMILIES).map(family_page).collect();
    CurvesPage { families: pages, more: families.len().saturating_sub(MOST_FAMILIES) }
}

fn families(results: &Results) -> Vec<Family<'_>> {
    let names = Names::new(results);
    let key = |row: &Row| {
        (row.suite.clone(), row.name.clone(), row.metric.clone(), row.comparison.clone())
    };
    let mut families = Vec::new();
    for (_, rows) in grouped(results.benchmarks.iter().map(|row| (key(row), row))) {
        let name = rows.first().map(|row| names.unparametrized(row)).unwrap_or_default();
        let most = rows.iter().map(|row| row.params.len()).max().unwrap_or(0);
        families.extend((0..most).filter_map(|index| family(&name, &rows, index)));
    }
    families
}

/// The curves of one benchmark along its parameter at `index`.
fn family<'a>(name: &str, rows: &[&'a Row], index: usize) -> Option<Family<'a>> {
    let mut curves: Vec<(String, Vec<&Row>)> = Vec::new();
    for row in rows.iter().filter(|row| point(row, index).is_some()) {
        let others = row.params.iter().enumerate().filter(|(i, _)| *i != index);
        let others: Vec<String> = others.map(|(_, p)| format!("{}={}", p.name, p.value)).collect();
        let others = others.join(", ");
        match curves.iter_mut().find(|curve| curve.0 == others) {
            Some(curve) => curve.1.push(row),
            None => curves.push((others, vec![row])),
        }
    }
    curves.retain(|(_, rows)| distinct(rows, index) >= FEWEST_POINTS);
    let first = curves.first()?.1.first()?;
    Some(Family {
        name: name.to_owned(),
        parameter: &first.params.get(index)?.name,
        index,
        unit: &first.unit,
        threshold: first.rule.threshold,
        curves: curves.clone(),
    })
}

fn distinct(rows: &[&Row], index: usize) -> usize {
    let mut values: Vec<f64> =
        rows.iter().filter_map(|row| point(row, index)).map(|point| point.parameter).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values.len()
}

/// A row as a point of a curve along its parameter at `index`.
fn point(row: &Row, index: usize) -> Option<Point> {
    let center = |side: &Option<Measured>| side.as_ref()?.center.filter(|c| c.is_finite());
    let ratio = row.change.filter(|c| c.kind == ChangeKind::Ratio && c.ratio > 0.0);
    Some(Point {
        parameter: row.params.get(index)?.number?,
        base: center(&row.base)?,
        head: center(&row.head)?,
        change: ratio.map(|c| Interval { low: c.low, estimate: c.ratio, high: c.high }),
    })
}

fn family_page(family: &Family<'_>) -> FamilyPage {
    let several = family.curves.len() > 1;
    let letters = || ('a'..='z').take(MOST_CURVES);
    let named = family.curves.iter().zip(letters());
    let drawn: Vec<Curve> = named
        .clone()
        .map(|((_, rows), letter)| curve(rows, family.index, several.then_some(letter)))
        .collect();
    let letter = |((others, _), letter): (&(String, Vec<&Row>), char)| {
        format!("{letter}: {}", Html.code(others))
    };
    let figures =
        [plot::curve_values(&drawn, family.unit), plot::curve_ratios(&drawn, family.threshold)];
    FamilyPage {
        name: Html.code(&family.name),
        parameter: Html.code(family.parameter),
        letters: if several { named.map(letter).collect() } else { Vec::new() },
        more: family.curves.len().saturating_sub(MOST_CURVES),
        figures: figures.into_iter().flatten().collect(),
    }
}

fn curve(rows: &[&Row], index: usize, letter: Option<char>) -> Curve {
    let mut points: Vec<Point> = rows.iter().filter_map(|row| point(row, index)).collect();
    points.sort_by(|a, b| a.parameter.total_cmp(&b.parameter));
    Curve { letter, points }
}
