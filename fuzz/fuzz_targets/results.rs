//! A results file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bench_fuzz::results(bytes));
