//! What is fuzzed, one function for each target: whatever the bytes are, there is an answer or an
//! error in words, what is promised of an answer holds, and neither takes long.

mod pace;

use bench_core::config::{Config, Flags};
use bench_harness::outputs::{self, Output, Status};
use bench_harness::{SuiteSettings, Tree};
use bench_results::Caps;
use std::collections::BTreeSet;

/// An output file, read as that of one harness or as whatever it is.
pub fn output(bytes: &[u8], harness: Option<&str>) {
    pace::hold(bytes, |bytes| match outputs::read("file", bytes, harness) {
        Ok(output) => check(&output),
        Err(error) => assert!(!error.message.is_empty()),
    });
}

/// What holds of every output that was read.
fn check(output: &Output) {
    assert!(!output.readings.is_empty(), "an output without rows is an error");
    let mut seen = BTreeSet::new();
    for row in &output.readings {
        let params: Vec<_> = row.params.iter().map(|p| (&p.name, &p.value)).collect();
        assert!(seen.insert((&row.name, params, &row.metric.name)), "two rows share {}", row.name);
        assert_eq!(row.status == Status::Ok, row.center.is_some(), "{row:?}");
        let samples = row.launches.iter().flat_map(|launch| &launch.samples);
        assert!(samples.chain(&row.center).all(|value| value.is_finite()), "{row:?}");
        assert!(row.values().iter().all(|value| value.is_finite()), "{row:?}");
    }
}

/// The two files of a criterion benchmark.
pub fn criterion_directory(bytes: &[u8]) {
    let zero = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (benchmark, sample) = bytes.split_at(zero);
    let root = tempfile::tempdir().expect("a place for files");
    let place = root.path().join("benchmark/new");
    std::fs::create_dir_all(&place).expect("a place for files");
    std::fs::write(place.join("benchmark.json"), benchmark).expect("a file");
    std::fs::write(place.join("sample.json"), sample.get(1..).unwrap_or(&[])).expect("a file");
    if let Ok(Some(output)) = outputs::read_criterion_directory(root.path()) {
        check(&output);
    }
}

/// The configuration of a run.
pub fn config(bytes: &[u8]) {
    pace::hold(bytes, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let (flags, today) = (Flags::default(), jiff::civil::date(2026, 1, 1));
        let harnesses = bench_harness::all();
        if let Err(error) = Config::from_text(&flags, Some(&text), "file", harnesses, today) {
            assert!(!error.to_string().is_empty());
        }
    });
}

/// The configuration of an asv suite, with the matrix that follows from it.
pub fn asv_conf(bytes: &[u8]) {
    struct OneFile<'b>([String; 1], &'b [u8]);
    impl Tree for OneFile<'_> {
        fn files(&self) -> &[String] {
            &self.0
        }
        fn read(&self, path: &str) -> Option<Vec<u8>> {
            self.0.iter().any(|file| file == path).then(|| self.1.to_vec())
        }
    }
    let asv = bench_harness::by_name("asv").expect("asv is a harness");
    let suite = SuiteSettings::new("asv", asv);
    pace::hold(bytes, |bytes| {
        if let Err(error) = asv.environments(&OneFile(["asv.conf.json".into()], bytes), &suite) {
            assert!(!error.message.is_empty());
        }
    });
}

/// A results file. What is read is written again as it was.
pub fn results(bytes: &[u8]) {
    pace::hold(bytes, |bytes| {
        let Ok(results) = bench_results::read(bytes, "file", Caps::default()) else { return };
        let written = bench_results::to_json(&results);
        let again = bench_results::read(written.as_bytes(), "file", Caps::default());
        assert_eq!(again.expect("what was written can be read"), results);
    });
}

/// The CSV of launches. What is read is written again as it was, and refused with its place.
pub fn launches(bytes: &[u8]) {
    pace::hold(bytes, |bytes| {
        if !bench_results::is_launches(bytes) {
            return;
        }
        let results = match bench_results::read(bytes, "file", Caps::default()) {
            Ok(results) => results,
            Err(error) => return assert!(error.to_string().starts_with("file:"), "{error}"),
        };
        let mut written = Vec::new();
        bench_results::write_launches(&results, &mut written).expect("memory is there");
        let again = bench_results::read(&written, "file", Caps::default());
        assert_eq!(again.expect("what was written can be read"), results);
    });
}

/// The first line of a comment. Whatever is taken for a marker is written exactly so.
pub fn marker(bytes: &[u8]) {
    pace::hold(bytes, |bytes| {
        let body = String::from_utf8_lossy(bytes);
        if let Some(marker) = bench_comment::Marker::of(&body) {
            assert!(body.starts_with(&marker.to_string()), "{marker}");
        }
    });
}

/// The results in an artifact. A small file may hold much: its time is not held against its length.
pub fn artifact(bytes: &[u8]) {
    if let Err(error) = bench_comment::results_of("artifact", bytes) {
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}
