//! What asv writes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bench_fuzz::output(bytes, Some("asv")));
