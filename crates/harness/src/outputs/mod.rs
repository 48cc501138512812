//! Output files of harnesses: what a run left behind, read as rows.
//!
//! A file is decoded to plain text first ([`text`]), recognised by its content, and read by its
//! harness's own module. Nothing is guessed: a line that looks like a result and cannot be read is a
//! row of its own that quotes it, and a file without any row is an error.

mod asv;
mod benchmark_js;
mod benchmarkdotnet;
mod bounds;
mod catch2;
mod criterion;
mod custom;
mod divan;
mod go;
mod google_benchmark;
mod gungraun;
mod hyperfine;
mod jmh;
mod json;
mod julia;
mod libtest;
mod mitata;
mod own;
mod pyperf;
mod pytest_benchmark;
mod reading;
mod text;
mod units;
mod vitest;

pub(crate) use catch2::cases as catch2_cases;
pub(crate) use criterion::names_by_title as criterion_names;
pub use criterion::read_criterion_directory;
pub(crate) use gungraun::INSTRUCTIONS;
pub use reading::{Launch, OutputError, Reading, Status};

use reading::unique;
use serde_json::Value;

/// How a format is recognised and read.
struct Format {
    /// The harness.
    harness: &'static str,
    /// What its files are called in messages.
    label: &'static str,
    /// From a whole JSON document.
    document: Option<Document>,
    /// From text, line by line.
    lines: Option<Lines>,
}

/// Recognises, and reads, a JSON document.
struct Document {
    is: fn(&Value) -> bool,
    read: fn(&Value) -> Vec<Reading>,
}

/// Recognises a line that only this format has, and reads the whole text.
struct Lines {
    is: fn(&str) -> bool,
    read: fn(&str) -> Result<Vec<Reading>, String>,
}

/// Every format, the more particular before the more general.
const FORMATS: [Format; 23] = [
    own::FORMAT,
    jmh::FORMAT,
    benchmarkdotnet::FORMAT,
    mitata::FORMAT,
    google_benchmark::FORMAT,
    pytest_benchmark::FORMAT,
    pyperf::FORMAT,
    hyperfine::FORMAT,
    asv::FORMAT,
    vitest::FORMAT,
    vitest::FORMAT_5,
    julia::FORMAT,
    custom::GITHUB_ACTION_BENCHMARK,
    custom::BENCHER,
    catch2::FORMAT,
    criterion::MESSAGES,
    gungraun::SUMMARIES,
    go::FORMAT,
    libtest::FORMAT,
    criterion::TEXT,
    divan::FORMAT,
    gungraun::TEXT,
    benchmark_js::FORMAT,
];

/// An output file as read.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The harness that wrote it.
    pub harness: &'static str,
    /// The format, in words.
    pub format: &'static str,
    /// Its rows, in order; no two have the same name, parameters and metric.
    pub readings: Vec<Reading>,
}

/// The harnesses whose output can be read.
#[must_use]
pub fn readable() -> Vec<&'static str> {
    let mut names: Vec<_> = FORMATS.iter().map(|format| format.harness).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Reads an output file; `place` names it in messages. `harness` restricts the formats to those of one
/// harness.
///
/// # Errors
/// When the file is cut short, of no known format, or holds no row at all.
pub fn read(place: &str, bytes: &[u8], harness: Option<&str>) -> Result<Output, OutputError> {
    let error = |message: String| OutputError { place: place.to_owned(), message };
    let text = text::decode(bytes);
    if text.trim().is_empty() {
        return Err(error("the file is empty".to_owned()));
    }
    let wanted: Vec<&Format> =
        FORMATS.iter().filter(|format| harness.is_none_or(|name| name == format.harness)).collect();
    if wanted.is_empty() {
        let known = readable().join(", ");
        return Err(error(format!(
            "there is no reader for `{}`; there is {known}",
            harness.unwrap_or("")
        )));
    }
    let (format, readings) =
        read_as(&text, &wanted).map_err(|message| error(unknown(&text, harness, message)))?;
    if readings.is_empty() {
        return Err(error(format!("{} without a single benchmark in it", format.label)));
    }
    Ok(Output { harness: format.harness, format: format.label, readings: unique(readings) })
}

/// What to say of a file that is not what was wanted: that it is another harness's, or of none.
fn unknown(text: &str, harness: Option<&str>, message: String) -> String {
    let Some(wanted) = harness else {
        let known = readable().join(", ");
        let is_cut = message.starts_with(json::CUT_SHORT);
        return if is_cut { message } else { format!("{message}; what can be read is of {known}") };
    };
    let all: Vec<&Format> = FORMATS.iter().collect();
    match read_as(text, &all) {
        Ok((format, _)) => format!(
            "this is {}, not what {wanted} writes: leave --harness out, or name {}",
            format.label, format.harness
        ),
        Err(_) => format!("not what {wanted} writes: {message}"),
    }
}

fn read_as<'f>(text: &str, wanted: &[&'f Format]) -> Result<(&'f Format, Vec<Reading>), String> {
    // Lines of a log may each be a small document; what has lines of its own is not one document.
    for format in wanted {
        if let Some(lines) = &format.lines
            && text.lines().any(lines.is)
        {
            return (lines.read)(text).map(|readings| (*format, readings));
        }
    }
    let is_known = |document: &Value| {
        wanted
            .iter()
            .filter_map(|format| format.document.as_ref())
            .any(|reader| (reader.is)(document))
    };
    let document = json::document(text, is_known)?;
    let known = wanted.iter().find_map(|format| {
        let reader = format.document.as_ref()?;
        (reader.is)(&document).then(|| (*format, (reader.read)(&document)))
    });
    known.ok_or_else(|| "the file is JSON of another kind".to_owned())
}
