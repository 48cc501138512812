//! The full list: every row by class. Where all combinations of a benchmark's parameters came out
//! unchanged, they can be told in one line.

use super::line::{Line, Mark, Names};
use super::{Full, grouped, with};
use crate::{number, text::Text};
use bench_results::{Change, ChangeKind, Results, Row, Verdict};

/// This many combinations of one benchmark, all unchanged, become one entry.
const FOLD_FROM: usize = 4;

/// The rows of one class (or module, or suite).
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The class; empty for benchmarks that have none.
    pub(crate) title: String,
    pub(crate) entries: Vec<Entry>,
}

/// A row, or the combinations of parameters of one benchmark.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) lines: Vec<Line>,
    /// What all of the lines say, where it is the same.
    pub(crate) folded: Option<Folded>,
}

/// Several lines in one.
#[derive(Clone, Debug)]
pub(crate) struct Folded {
    pub(crate) mark: Mark,
    pub(crate) name: String,
    /// How many, and which parameters vary.
    pub(crate) combinations: Text,
    /// The range of base's values.
    pub(crate) before: String,
    /// The range of head's values.
    pub(crate) after: String,
    /// Within what all intervals lie.
    pub(crate) within: String,
}

/// The full list of a run.
pub(super) fn full(results: &Results, names: &Names) -> Full {
    let measured = results.benchmarks.iter().filter(|row| is_listed(row));
    let groups = grouped(measured.map(|row| (place_and_title(row, names), row)));
    let group =
        |(title, rows): (String, Vec<&Row>)| Group { title, entries: entries(&rows, names) };
    Full { summary: summary(results), groups: groups.into_iter().map(group).collect() }
}

fn summary(results: &Results) -> Text {
    let all = results.benchmarks.iter().filter(|row| is_listed(row)).count();
    let unchanged = with(results, Verdict::Unchanged).count();
    let text = Text::of(format!("All {}", number::plural(all, "result")));
    let thresholds = with(results, Verdict::Unchanged).map(|row| row.rule.threshold);
    match number::range(thresholds, number::share) {
        None => text,
        Some(threshold) if unchanged == all => {
            text.words(format!(", each proved to be within ±{threshold}"))
        }
        Some(threshold) => text.words(format!(
            "; {} unchanged, each proved to be within ±{threshold}",
            number::count(unchanged)
        )),
    }
}

/// What was not measured has its own lists.
pub(super) fn is_listed(row: &Row) -> bool {
    use Verdict::{Added, Failed, Removed, Skipped};
    !matches!(row.verdict, Some(Added | Removed | Failed | Skipped))
}

/// The class and the last part of a name such as `module.Class.method`. A statement, a file or a number has
/// dots of its own, which divide nothing.
fn class_and_last(name: &str) -> (&str, &str) {
    let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_path = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "_./-".contains(c));
    match name.rsplit_once('.') {
        Some((class, last)) if is_path(class) && is_word(last) => (class, last),
        _ => ("", name),
    }
}

/// `suite/module.Class`, as far as it says anything.
fn title(row: &Row, names: &Names) -> String {
    let class = class_and_last(&row.name).0;
    match (names.several_suites(), class) {
        (false, class) => class.to_owned(),
        (true, "") => row.suite.clone(),
        (true, class) => format!("{}/{class}", row.suite),
    }
}

/// The same, with the comparison before it where there are several.
fn place_and_title(row: &Row, names: &Names) -> String {
    match (names.place(row), title(row, names)) {
        (Some(place), title) if title.is_empty() => place,
        (Some(place), title) => format!("{place} · {title}"),
        (None, title) => title,
    }
}

fn entries(rows: &[&Row], names: &Names) -> Vec<Entry> {
    let combinations = rows.iter().map(|&row| ((&row.name, &row.metric, &row.comparison), row));
    let entry = |rows: Vec<&Row>| {
        let is_quiet = rows.iter().all(|row| row.verdict == Some(Verdict::Unchanged));
        let is_folded = is_quiet && rows.len() >= FOLD_FROM;
        Entry {
            lines: rows.iter().map(|row| names.line_called(row, short(row, names))).collect(),
            folded: is_folded.then(|| folded(&rows)),
        }
    };
    grouped(combinations).into_iter().map(|(_, rows)| entry(rows)).collect()
}

/// The name inside its class: last part, parameters, metric where there are several.
fn short(row: &Row, names: &Names) -> String {
    let class = row.name.len() - class_and_last(&row.name).1.len();
    let prefix = row.suite.len() + 1 + class;
    match row.id.get(prefix..) {
        Some(rest) if row.id.starts_with(&row.suite) => rest.to_owned(),
        _ => names.bare(row),
    }
}

/// Rows of one benchmark, of which there is at least one, in one.
fn folded(rows: &[&Row]) -> Folded {
    let row = rows[0];
    let last = class_and_last(&row.name).1;
    let metric = row.id.strip_prefix(row.benchmark.as_str()).unwrap_or_default();
    let unit = row.unit.as_str();
    let values = |of: fn(&Row) -> Option<f64>| {
        number::range(rows.iter().filter_map(|row| of(row)), |v| number::quantity(v, unit))
            .unwrap_or_default()
    };
    Folded {
        mark: Mark::of(row),
        name: format!("{last}{metric}"),
        combinations: combinations(rows),
        before: values(|row| row.base.as_ref()?.center),
        after: values(|row| row.head.as_ref()?.center),
        within: within(rows),
    }
}

/// `24 combinations of n, order`.
fn combinations(rows: &[&Row]) -> Text {
    let text = Text::of(format!("{} combinations", number::count(rows.len())));
    let varies = |index: &usize| {
        let value = |row: &Row| row.params.get(*index).map(|p| p.value.clone());
        rows.iter().any(|row| value(row) != value(rows[0]))
    };
    let varying: Vec<Text> = (0..rows[0].params.len())
        .filter(varies)
        .map(|index| Text::default().code(&rows[0].params[index].name))
        .collect();
    if varying.is_empty() { text } else { text.words(" of ").then(Text::join(varying, ", ")) }
}

/// The hull of all intervals, where all of them are bounded ratios.
fn within(rows: &[&Row]) -> String {
    let bounds = |row: &&Row| match row.change {
        Some(Change { kind: ChangeKind::Ratio, low: Some(low), high: Some(high), .. }) => {
            Some((low, high))
        }
        _ => None,
    };
    let Some(all) = rows.iter().map(bounds).collect::<Option<Vec<_>>>() else {
        return String::new();
    };
    let low = all.iter().map(|b| b.0).fold(f64::INFINITY, f64::min);
    let high = all.iter().map(|b| b.1).fold(f64::NEG_INFINITY, f64::max);
    let gap = '\u{a0}';
    format!("all within ({}{gap}…{gap}{}){gap}%", number::percent(low), number::percent(high))
}

#[cfg(test)]
mod tests {
    use super::class_and_last;

    #[test]
    fn only_a_dotted_name_has_a_class() {
        assert_eq!(class_and_last("bench.Class.time_x"), ("bench.Class", "time_x"));
        assert_eq!(class_and_last("example.org/pkg.BenchmarkX"), ("example.org/pkg", "BenchmarkX"));
        for whole in ["a.max()", "np.sin(a)", "tests/test_a.py::test_b", "tool --rate 0.5", "plain"]
        {
            assert_eq!(class_and_last(whole), ("", whole));
        }
    }
}
