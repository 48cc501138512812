//! The CSV of launches.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bench_fuzz::launches(bytes));
