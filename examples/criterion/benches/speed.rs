//! Benchmarks as criterion has them; nothing in here knows of bench-action.

use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion};
use criterion_example::{faster, same, slower};

fn all(criterion: &mut Criterion) {
    criterion.bench_function("slower", |b| b.iter(slower));
    criterion.bench_function("faster", |b| b.iter(faster));
    let mut group = criterion.benchmark_group("same");
    group.bench_with_input(BenchmarkId::from_parameter(10), &10, |b, &times| {
        b.iter(|| (0..times).map(|_| same()).sum::<u64>());
    });
}

criterion_group!(benches, all);
criterion_main!(benches);
