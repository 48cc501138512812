//! gungraun (iai-callgrind): one JSON summary a line, or its text. Counts, not times: the same code
//! gives the same number.

use super::bounds::bounded;
use super::json::{as_number, line_objects, text};
use super::units::named;
use super::{Format, Lines, Reading, Status};
use serde_json::Value;

pub(super) const SUMMARIES: Format = Format {
    harness: "gungraun",
    label: "gungraun's JSON summaries",
    document: None,
    lines: Some(Lines { is: is_summary, read: read_summaries }),
};

pub(super) const TEXT: Format = Format {
    harness: "gungraun",
    label: "gungraun's text",
    document: None,
    lines: Some(Lines { is: is_metric, read: read_text }),
};

/// Instructions, as callgrind and cachegrind call them.
pub(crate) const INSTRUCTIONS: &str = "Ir";

/// The metric that stands for a benchmark, by format; where it is not there, the first count.
const PRIMARY: [&str; 2] = [INSTRUCTIONS, "Instructions"];

fn is_summary(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('{') && line.contains("\"module_path\"") && line.contains("\"function_name\"")
}

fn read_summaries(text_of_summaries: &str) -> Result<Vec<Reading>, String> {
    let objects = line_objects(text_of_summaries).filter(|(line, _)| is_summary(line));
    Ok(objects
        .flat_map(|(line, summary)| match summary {
            Some(summary) => of_summary(&summary),
            None => vec![Reading::unreadable("unreadable", line)],
        })
        .collect())
}

fn of_summary(summary: &Value) -> Vec<Reading> {
    let module = text(summary, "module_path").unwrap_or("");
    let function = text(summary, "function_name").unwrap_or("");
    // The module's path may end in the function already.
    let mut name = if module.ends_with(function) {
        module.to_owned()
    } else {
        format!("{module}::{function}")
    };
    if let Some(id) = text(summary, "id") {
        name = format!("{name} {id}");
    }
    let mut metrics = Vec::new();
    metrics_in(summary, &mut metrics);
    if metrics.is_empty() {
        let status = Status::Error("no count of this run".into());
        return vec![Reading::without(name, named(INSTRUCTIONS, "instructions"), status)];
    }
    readings(&name, &metrics)
}

/// `data.total.metrics.<Metric>.values` of every profile in version 7,
/// `summaries.total.summary.<Tool>.<Metric>.metrics` in version 6; older versions have the same a little
/// elsewhere, so it is looked for where totals are.
fn metrics_in(summary: &Value, found: &mut Vec<Metric>) {
    let profiles = match summary.get("profiles") {
        Some(Value::Array(profiles)) => profiles.as_slice(),
        _ => &[],
    };
    let data = profiles.iter().filter_map(|p| p.get("data").or_else(|| p.get("summaries")));
    let totals = data.filter_map(|data| data.get("total"));
    let old =
        summary.get("callgrind_summary").and_then(|old| old.get("callgrind_run")?.get("total"));
    for total in totals.chain(old) {
        let tools = total.get("summary").or_else(|| total.get("metrics")).unwrap_or(total);
        named_metrics(tools, found);
    }
}

/// Objects that have `metrics` are metrics; what is above them is a tool.
fn named_metrics(tools: &Value, found: &mut Vec<Metric>) {
    for (name, value) in tools.as_object().into_iter().flatten() {
        match value.get("metrics").or_else(|| value.get("values")) {
            Some(metrics) => found.extend(newest(name, metrics)),
            None => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    found.extend(value.get("metrics").and_then(|metrics| newest(name, metrics)));
                }
            }
        }
    }
}

/// `{"new": …}`, with the old beside it; before version 7 `{"Both": [new, old]}` and `{"Left": new}`, with
/// their types. What is old alone has nothing new.
fn newest(name: &str, metrics: &Value) -> Option<Metric> {
    let new = metrics.get("new").or_else(|| metrics.get("Left"));
    let value = new.or_else(|| metrics.get("Both")?.get(0))?;
    let tagged = value.get("Int").or_else(|| value.get("Float")).unwrap_or(value);
    let is_count = value.get("Float").is_none() && !tagged.is_f64();
    Some(Metric { name: name.to_owned(), value: as_number(tagged)?, is_count })
}

/// A metric of a benchmark: a count, or a rate made of counts.
struct Metric {
    name: String,
    value: f64,
    is_count: bool,
}

fn readings(name: &str, metrics: &[Metric]) -> Vec<Reading> {
    let name = &*bounded(name);
    let stands = |metric: &Metric| PRIMARY.contains(&metric.name.as_str());
    let primary = metrics.iter().position(stands);
    let primary = primary.or_else(|| metrics.iter().position(|metric| metric.is_count));
    let reading = |(at, metric): (usize, &Metric)| {
        let unit = match (stands(metric), metric.is_count) {
            (true, _) => "instructions",
            (false, true) => "count",
            (false, false) => "ratio",
        };
        let row = Reading::new(name, named(&metric.name, unit), Some(metric.value));
        let row = row.with_samples(vec![metric.value]);
        if at == primary.unwrap_or(0) { row } else { row.beside() }
    };
    metrics.iter().enumerate().map(reading).collect()
}

// Text

fn is_metric(line: &str) -> bool {
    line.trim_start().starts_with("Instructions:") && line.contains('|')
}

/// A line with a name, then indented lines `Metric:  new|old (…)`. Other lines are of other programs.
fn read_text(text: &str) -> Result<Vec<Reading>, String> {
    let mut found = Vec::new();
    let mut name = String::new();
    let mut metrics = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        if is_name(line) {
            found.extend(readings(&name, &std::mem::take(&mut metrics)));
            line.trim().clone_into(&mut name);
            goes_on = true;
        } else if let Some(metric) = metric_line(line) {
            metrics.extend(metric);
            goes_on = false;
        } else if goes_on && line.starts_with(char::is_whitespace) && !line.trim().is_empty() {
            // The id goes on on this line.
            name.push(' ');
            name.push_str(line.trim());
        }
    }
    found.extend(readings(&name, &metrics));
    Ok(found)
}

/// `speed::group::function id:arguments`: a path of identifiers, which no line of a log begins with.
fn is_name(line: &str) -> bool {
    let path = line.split(' ').next().unwrap_or("");
    let is_identifier = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
    };
    path.contains("::") && path.split("::").all(is_identifier)
}

/// `  L1 Hits:             2359|N/A             (*********)` -> `L1 Hits`, 2359. What is old alone has
/// nothing new: it is a metric's line without a metric.
fn metric_line(line: &str) -> Option<Option<Metric>> {
    let (name, rest) = line.strip_prefix("  ")?.split_once(':')?;
    let new = rest.split_once('|')?.0.trim();
    if new == "N/A" {
        return Some(None);
    }
    let value = new.replace(',', "").parse().ok()?;
    Some(Some(Metric { name: name.trim().to_owned(), value, is_count: true }))
}
