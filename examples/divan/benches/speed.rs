//! Benchmarks as divan has them; nothing in here knows of bench-action.

fn main() {
    divan::main();
}

#[divan::bench]
fn slower() -> u64 {
    divan_example::slower()
}

#[divan::bench]
fn faster() -> u64 {
    divan_example::faster()
}

#[divan::bench(args = [10])]
fn same(times: u64) -> u64 {
    (0..times).map(|_| divan_example::same()).sum()
}
