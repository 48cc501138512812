//! Catch2: the XML reporter; nanoseconds, six digits, no samples.

use super::bounds::bounded;
use super::{Format, Lines, Reading, Status};
use bench_results::Metric;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::rc::Rc;

pub(super) const FORMAT: Format = Format {
    harness: "catch2",
    label: "Catch2's XML report (-r xml)",
    document: None,
    lines: Some(Lines { is, read }),
};

fn is(line: &str) -> bool {
    line.contains("<Catch2TestRun")
        || line.contains("<Catch name=")
        || line.contains("<BenchmarkResults")
}

fn read(text: &str) -> Result<Vec<Reading>, String> {
    report(text).map(|report| report.readings)
}

/// The test case of each row that is read from a report, in order: what is run to get it.
///
/// # Errors
/// It cannot be read; in words.
pub(crate) fn cases(text: &str) -> Result<Vec<Rc<str>>, String> {
    report(text).map(|report| report.cases)
}

fn report(text: &str) -> Result<Report, String> {
    let text = without_others(text);
    let mut reader = Reader::from_str(&text);
    let mut report = Report::default();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => report.open(&tag, false),
            Ok(Event::Empty(tag)) => report.open(&tag, true),
            Ok(Event::End(tag)) => report.close(tag.name().as_ref()),
            Ok(Event::Eof) if report.depth > 0 => {
                return Err("the XML is cut short: was the program killed while writing?".into());
            }
            Ok(Event::Eof) => return Ok(report),
            Ok(_) => {}
            Err(error) => return Err(format!("the XML cannot be read: {error}")),
        }
    }
}

/// Elements that say something of a benchmark.
const ELEMENTS: [&str; 7] =
    ["Catch2TestRun", "Catch", "TestCase", "Section", "BenchmarkResults", "mean", "failed"];

/// The tags alone that say something of a benchmark: it may print anything between two of them, and
/// within one that waits for its other attributes. `a < b` begins none.
fn without_others(text: &str) -> String {
    let mut clean = String::new();
    let mut is_open = false;
    for piece in text.split('<').skip(1) {
        let name = piece.strip_prefix('/').unwrap_or(piece);
        let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        let is_ours = ELEMENTS.contains(&&name[..end]);
        if !is_ours && !is_open {
            continue;
        }
        clean.push(if is_ours { '<' } else { ' ' });
        let end = end_of_tag(piece);
        clean.push_str(&piece[..end.unwrap_or(piece.len())]);
        is_open = end.is_none();
    }
    clean
}

/// After the `>` that ends a tag: an attribute may have one in its value.
fn end_of_tag(piece: &str) -> Option<usize> {
    let mut is_quoted = false;
    let is_end = |(_, byte): &(usize, u8)| {
        is_quoted ^= *byte == b'"';
        *byte == b'>' && !is_quoted
    };
    piece.bytes().enumerate().find(is_end).map(|(at, _)| at + 1)
}

#[derive(Default)]
struct Report {
    depth: u32,
    case: Rc<str>,
    /// As it is shown.
    shown: String,
    /// The sections that are open, each with those around it.
    sections: Vec<String>,
    benchmark: Option<(String, Option<u64>)>,
    mean: Option<f64>,
    readings: Vec<Reading>,
    /// The test case of each.
    cases: Vec<Rc<str>>,
}

impl Report {
    fn open(&mut self, tag: &BytesStart<'_>, is_empty: bool) {
        self.depth += u32::from(!is_empty);
        match tag.name().as_ref() {
            b"TestCase" => {
                let case = attribute(tag, "name").unwrap_or_default();
                self.shown = bounded(case.as_str()).into_owned();
                self.case = case.into();
            }
            b"Section" if !is_empty => {
                let path = self.path(&attribute(tag, "name").unwrap_or_default());
                self.sections.push(bounded(path).into_owned());
            }
            b"BenchmarkResults" => {
                let count = attribute(tag, "samples").and_then(|count| count.parse().ok());
                self.benchmark = Some((attribute(tag, "name").unwrap_or_default(), count));
                self.mean = None;
            }
            b"mean" => self.mean = attribute(tag, "value").and_then(|value| value.parse().ok()),
            b"failed" if self.benchmark.is_some() => {
                self.fail(attribute(tag, "message").unwrap_or_default());
            }
            _ => {}
        }
    }

    fn close(&mut self, tag: &[u8]) {
        self.depth = self.depth.saturating_sub(1);
        match tag {
            b"Section" => drop(self.sections.pop()),
            b"BenchmarkResults" => {
                if let Some((name, count)) = self.benchmark.take() {
                    let row = Reading::new(self.path(&name), Metric::time(), self.mean.take());
                    self.push(row.with_count(count));
                }
            }
            _ => {}
        }
    }

    fn fail(&mut self, message: String) {
        if let Some((name, _)) = self.benchmark.take() {
            let status = Status::Error(message);
            self.push(Reading::without(self.path(&name), Metric::time(), status));
        }
    }

    fn push(&mut self, row: Reading) {
        self.readings.push(row);
        self.cases.push(self.case.clone());
    }

    /// What is within what is open.
    fn path(&self, benchmark: &str) -> String {
        format!("{}/{benchmark}", self.sections.last().unwrap_or(&self.shown))
    }
}

/// An attribute's value. The name of a benchmark is written before it runs and the others after, so that
/// what it prints stands between them.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    if let Ok(found) = tag.try_get_attribute(name) {
        return Some(found?.unescape_value().ok()?.into_owned());
    }
    let text = std::str::from_utf8(tag).ok()?;
    let (_, rest) = text.rsplit_once(&format!(" {name}=\""))?;
    let value = rest.split('"').next()?;
    Some(quick_xml::escape::unescape(value).ok()?.into_owned())
}
