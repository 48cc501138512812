//! `asv.conf.json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bench_fuzz::asv_conf(bytes));
