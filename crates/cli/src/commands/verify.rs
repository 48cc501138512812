//! `render --verify`: what a results file says follows from its evidence, and a report says what the file
//! says.

use crate::args::Format;
use crate::error::CliError;
use crate::report;
use bench_core::judge;
use bench_core::merge::whole_file;
use bench_render::Options;
use bench_results::{Caps, Results};
use serde_json::Value;
use std::io::Read as _;
use std::path::Path;

/// How far two numbers may be apart that come from the same evidence, of the larger one: logarithms of
/// other machines differ in their last bits.
const ROUNDING: f64 = 1e-9;

/// Characters of a line that are shown around where it differs.
const SHOWN: usize = 60;

/// The evidence judged again: every verdict in the file must come out as it stands there.
///
/// # Errors
/// The first row whose verdict its evidence denies.
pub(crate) fn verdicts(path: &Path, results: &Results) -> Result<Results, CliError> {
    let mut again = results.clone();
    judge::judge(&mut again);
    let mut pairs = results.benchmarks.iter().zip(&again.benchmarks);
    match pairs.find(|(stored, judged)| stored.verdict != judged.verdict) {
        None => Ok(again),
        Some((stored, judged)) => Err(CliError::Verify {
            path: path.to_owned(),
            id: stored.id.clone(),
            stored: stored.verdict,
            judged: judged.verdict,
        }),
    }
}

/// The same, and every figure and summary too; a samples file beside it must be the one that it names.
///
/// # Errors
/// The first thing that differs.
pub(crate) fn file(path: &Path, results: &Results) -> Result<(), CliError> {
    // A verdict is what matters most of a row, and the rest of it follows.
    let again = verdicts(path, results)?;
    if let Some(Difference { place, stored, again }) = difference("", &json(results), &json(&again))
    {
        return Err(CliError::VerifyFigure { path: path.to_owned(), place, stored, again });
    }
    match whole_file(path, results) {
        Some(Err(samples)) if samples.exists() => Err(CliError::VerifySamples(samples)),
        _ => Ok(()),
    }
}

/// A report must be what these results give, to the letter: figures, sentinel, commits and provenance. With
/// `template` where it was made with one.
///
/// # Errors
/// Where it first differs.
pub(crate) fn report(
    path: &Path,
    results: &Results,
    template: Option<String>,
) -> Result<(), CliError> {
    let unreadable = |source| CliError::Unreadable { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(Caps::default().bytes).read_to_end(&mut bytes).map_err(unreadable)?;
    let found = String::from_utf8_lossy(&bytes);
    let options = Options { template, ..Options::default() };
    let mut expected = Vec::new();
    for form in [Format::Markdown, Format::Html, Format::Json, Format::Csv, Format::Table] {
        expected.push(report::text(results, form, &options)?);
    }
    if expected.iter().any(|text| is_same(text, &found)) {
        return Ok(());
    }
    // The form that begins like it; of markdown the first line may differ already.
    let begins_alike = |text: &&String| text.lines().next() == found.lines().next();
    let expected = expected.iter().find(begins_alike).unwrap_or(&expected[0]);
    let (line, found, expected) = first_difference(&found, expected);
    Err(CliError::VerifyReport { path: path.to_owned(), line, found, expected })
}

/// Ends of lines, and of the file, are the transport's.
fn is_same(text: &str, found: &str) -> bool {
    text.trim_end().lines().eq(found.trim_end().lines())
}

/// The line, from 1, and what it says in either; past the end of one it says nothing.
fn first_difference(found: &str, expected: &str) -> (usize, String, String) {
    let (mut left, mut right) = (found.lines(), expected.lines());
    let mut line = 0;
    loop {
        line += 1;
        match (left.next(), right.next()) {
            (None, None) => return (line, String::new(), String::new()),
            (a, b) if a == b => {}
            (a, b) => {
                let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
                let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
                let from = same.saturating_sub(SHOWN / 2);
                let shown = |text: &str| text.chars().skip(from).take(SHOWN).collect::<String>();
                return (line, shown(a), shown(b));
            }
        }
    }
}

#[derive(Debug, PartialEq)]
struct Difference {
    place: String,
    stored: String,
    again: String,
}

fn json(results: &Results) -> Value {
    serde_json::to_value(results).unwrap_or_default()
}

/// The first place, in the order of names, where two values differ by more than rounding.
fn difference(place: &str, stored: &Value, again: &Value) -> Option<Difference> {
    match (stored, again) {
        (Value::Object(a), Value::Object(b)) => {
            let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
            names.into_iter().find_map(|name| {
                let of = |object: &serde_json::Map<String, Value>| {
                    object.get(name).cloned().unwrap_or_default()
                };
                let dot = if place.is_empty() { "" } else { "." };
                difference(&format!("{place}{dot}{name}"), &of(a), &of(b))
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(at, (a, b))| {
                let own = a["id"].as_str().map_or_else(|| at.to_string(), str::to_owned);
                difference(&format!("{place}[{own}]"), a, b)
            })
        }
        (Value::Number(a), Value::Number(b)) if is_close(a.as_f64()?, b.as_f64()?) => None,
        _ if stored == again => None,
        _ => {
            Some(Difference { place: place.to_owned(), stored: short(stored), again: short(again) })
        }
    }
}

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUNDING * a.abs().max(b.abs()).max(ROUNDING)
}

fn short(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        value => value.to_string().chars().take(SHOWN).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_differs_is_named_by_its_place_and_rounding_is_not() {
        let stored = json!({"rows": [{"id": "a", "x": 1.0}, {"id": "b", "x": 2.0}], "n": 3});
        let again = |x: f64| json!({"rows": [{"id": "a", "x": 1.0}, {"id": "b", "x": x}], "n": 3});
        assert_eq!(difference("", &stored, &again(2.000_000_000_000_1)), None);
        let found = difference("", &stored, &again(2.1)).unwrap();
        let Difference { place, stored, again } = found;
        assert_eq!([place, stored, again], ["rows[b].x", "2.0", "2.1"]);
        let missing = difference("", &json!({}), &json!({"x": 1})).unwrap();
        assert_eq!((missing.place.as_str(), missing.stored.as_str()), ("x", "nothing"));
    }

    #[test]
    fn lines_of_a_report_are_shown_around_where_they_differ() {
        let long = "x".repeat(200);
        let (line, found, expected) =
            first_difference(&format!("a\n{long}1"), &format!("a\n{long}2"));
        assert_eq!(line, 2);
        assert!(found.ends_with("x1") && expected.ends_with("x2"), "{found} {expected}");
        assert!(found.len() <= SHOWN);
        assert_eq!(first_difference("a\n", "a\nb\n"), (2, String::new(), "b".to_owned()));
        assert!(is_same("a\nb\n", "a\r\nb"));
        assert!(!is_same("a\nb\n", "a\nc\n"));
    }
}
