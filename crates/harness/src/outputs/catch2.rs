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
    // A benchmark may have printed before the document begins.
    let start = text.find("<?xml").or_else(|| text.find("<Catch")).unwrap_or(0);
    let mut reader = Reader::from_str(&text[start..]);
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
        if report.is_done {
            return Ok(report);
        }
    }
}

#[derive(Default)]
struct Report {
    depth: u32,
    is_done: bool,
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
        self.is_done = self.depth == 0;
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

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.try_get_attribute(name).ok()??;
    Some(found.unescape_value().ok()?.into_owned())
}
