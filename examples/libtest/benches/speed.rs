//! Benchmarks of the compiler's own harness; nothing in here knows of bench-action.
#![feature(test)]

extern crate test;

#[bench]
fn slower(bencher: &mut test::Bencher) {
    bencher.iter(libtest_example::slower);
}

#[bench]
fn faster(bencher: &mut test::Bencher) {
    bencher.iter(libtest_example::faster);
}

#[bench]
fn same(bencher: &mut test::Bencher) {
    bencher.iter(libtest_example::same);
}
