//! A file of which nobody has said what wrote it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bench_fuzz::output(bytes, None));
