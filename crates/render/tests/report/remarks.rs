//! The rows that somebody should look at, one line each.

use super::sample::{eventful, ordinary};
use bench_render::remarks;

#[test]
fn a_regression_is_one_line_with_its_sizes_and_its_interval() {
    let texts: Vec<String> = remarks(&ordinary()).into_iter().map(|remark| remark.text).collect();
    insta::assert_snapshot!(texts.join("\n"), @r"
    json.TimeDumps.time_large: 1.89 ms → 2.08 ms, +10.2 % (+8.8 … +11.5)
    parse.time_marker(n=1000): 412 µs → 433 µs, +5.1 % (+3.9 … +6.4)
    ");
}

#[test]
fn failures_come_first_and_what_was_accepted_is_no_remark() {
    let remarks = remarks(&eventful());
    let failures = remarks.iter().take_while(|remark| remark.is_failure).count();
    assert_eq!((failures, remarks.iter().filter(|remark| remark.is_failure).count()), (3, 3));
    assert!(remarks.iter().all(|remark| !remark.text.contains("safe.time_parse")));
}
