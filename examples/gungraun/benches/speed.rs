//! Benchmarks as gungraun has them; nothing in here knows of bench-action.

use gungraun::{library_benchmark, library_benchmark_group, main};

#[library_benchmark]
fn slower() -> u64 {
    gungraun_example::slower()
}

#[library_benchmark]
fn faster() -> u64 {
    gungraun_example::faster()
}

#[library_benchmark]
#[bench::ten(10)]
fn same(times: u64) -> u64 {
    (0..times).map(|_| gungraun_example::same()).sum()
}

library_benchmark_group!(name = all, benchmarks = [slower, faster, same]);
main!(library_benchmark_groups = all);
