//! The body of a comment.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bench_fuzz::marker(bytes));
