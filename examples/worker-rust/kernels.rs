//! The code under test.

const UNITS: [u64; 3] = [1000, 1000, 1000];

pub fn slower(seed: u64) -> u64 {
    work(seed, UNITS[0])
}

pub fn faster(seed: u64) -> u64 {
    work(seed, UNITS[1])
}

pub fn same(seed: u64) -> u64 {
    work(seed, UNITS[2])
}

#[inline(never)]
fn work(seed: u64, units: u64) -> u64 {
    (0..units).fold(seed, |x, unit| (x ^ (x << 13) ^ (x >> 7) ^ unit).rotate_left(5))
}
