//! Three functions to measure. Change how much work one of them does, and see it in the report.

const SLOWER: u64 = 1000;
const FASTER: u64 = 1000;
const SAME: u64 = 1000;

pub fn slower() -> u64 {
    work(SLOWER)
}

pub fn faster() -> u64 {
    work(FASTER)
}

pub fn same() -> u64 {
    work(SAME)
}

#[inline(never)]
fn work(units: u64) -> u64 {
    (0..std::hint::black_box(units)).fold(1, |x, unit| std::hint::black_box(x ^ (x << 13) ^ (x >> 7) ^ unit))
}
