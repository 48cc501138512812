//! Reading output files of harnesses: real ones where they are at hand, awkward ones of our own.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]
#![expect(clippy::print_stderr, reason = "a test that skips says so")]

mod apart;
mod awkward;
mod fixtures;
mod formats;
mod long;
mod mutations;

use bench_harness::outputs::{Output, Reading, Status, read};

/// Reads what must be readable.
fn output(text: &str) -> Output {
    read("file", text.as_bytes(), None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The benchmark's own rows.
fn primary(output: &Output) -> Vec<&Reading> {
    output.readings.iter().filter(|reading| reading.is_primary).collect()
}

/// Name and central value of the benchmark's own rows that are in order.
fn centers(output: &Output) -> Vec<(&str, f64)> {
    let rows = primary(output).into_iter().filter(|reading| reading.status == Status::Ok);
    rows.map(|reading| (reading.name.as_str(), reading.center.unwrap())).collect()
}
