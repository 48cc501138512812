//! An artifact of a run that anybody may have written.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bench_fuzz::artifact(bytes));
