//! The two files of a benchmark below `target/criterion`, one after the other with a zero between.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bench_fuzz::criterion_directory(bytes));
