//! The one sentence that says what happened, in every case there is.

use super::sample::{RowOf, bare, eventful, ordinary, results, row, unbuilt, unchanged};
use super::shown;
use bench_render::{Options, Origin, markdown};
use bench_results::{Pairing, Results, ShardInfo, StoppedBy, Verdict, WholeVerdict};

/// The headline and the notices below it.
fn head(results: &Results) -> String {
    head_with(results, &Options::default())
}

fn head_with(results: &Results, options: &Options) -> String {
    let text = shown(&markdown(results, options).unwrap());
    let lines = text.lines().take_while(|line| !line.starts_with('`'));
    lines.filter(|line| !line.is_empty() && *line != ">").collect::<Vec<_>>().join("\n")
}

fn undecided(n: usize) -> Vec<RowOf> {
    let row = |i| row(&format!("u.time_{i}"), Verdict::Inconclusive, 1e5, (1.01, 0.95, 1.07));
    (0..n).map(row).collect()
}

#[test]
fn changes_are_counted_by_what_they_mean() {
    insta::assert_snapshot!(head(&ordinary()), @"### ▲ 2 slower · ▼ 1 faster · 97 unchanged · 3 undecided");
    insta::assert_snapshot!(head(&eventful()), @r#"
    ### ✗ 3 failed · ▲ 1 slower · ▲ 1 larger · ▲▼ 2 worse · ▲ 1 slower (accepted) · ▼ 1 faster · ▼ 1 smaller · 60 unchanged · 2 undecided · 12 never reached
    > The time budget of 10~min ran out before 12~benchmarks could be measured; `--time-budget` gives it more.
    "#);
}

#[test]
fn a_run_without_changes_says_so_and_has_no_table() {
    let quiet = results(unchanged(97));
    insta::assert_snapshot!(head(&quiet), @"### No change: 97 unchanged");
    let above_the_fold = markdown(&quiet, &Options::default()).unwrap();
    let above_the_fold = above_the_fold.split("<details>").next().unwrap().to_owned();
    assert!(!above_the_fold.contains("| "), "{above_the_fold}");
    let rows = unchanged(90).into_iter().chain(undecided(7)).collect();
    insta::assert_snapshot!(head(&results(rows)), @"### No change seen: 90 unchanged · 7 undecided");
    insta::assert_snapshot!(head(&results(undecided(12))), @r#"
    ### Nothing could be decided: 12 undecided
    > 12 of 12~results could not be decided. To decide more: a larger `--max-blocks` (it was 60), a quieter machine, or a larger `--threshold`.
    "#);
}

#[test]
fn nothing_to_compare_says_why() {
    insta::assert_snapshot!(head(&results(Vec::new())), @"### Nothing to compare: no benchmarks were found");
    let mut irrelevant = results(Vec::new());
    irrelevant.warnings = vec!["only files under docs/ differ".into()];
    insta::assert_snapshot!(head(&irrelevant), @"### Nothing to compare: only files under docs&#47; differ");
    let added = (0..5).map(|i| bare(&format!("n.time_{i}"), Verdict::Added)).collect();
    insta::assert_snapshot!(head(&results(added)), @"### Nothing to compare: base has none of the 5~benchmarks");
    let mixed = vec![bare("a", Verdict::Added), bare("b", Verdict::Skipped).reason("filter")];
    insta::assert_snapshot!(head(&results(mixed)), @"### Nothing to compare: 1 added · 1 skipped");
}

#[test]
fn identical_builds_take_one_line() {
    let same = unchanged(103).into_iter().map(|row| row.with(|r| r.pairing = Pairing::Identical));
    insta::assert_snapshot!(head(&results(same.collect())), @"### No change: both builds are identical, 103~benchmarks not run");
}

#[test]
fn a_run_that_cannot_be_believed_says_so_first() {
    let mut results = results(undecided(5));
    results.trust.ok = false;
    results.trust.reason = Some("base differs from itself on asv/json.time_a".into());
    results.summary.verdict = WholeVerdict::Untrustworthy;
    insta::assert_snapshot!(head(&results), @r#"
    ### Not to be trusted: base differed from itself
    > **Do not act on these numbers.** base differs from itself on asv/json.time_a. Run it again on a quieter machine.
    "#);
    let text = markdown(&results, &Options::default()).unwrap();
    assert!(!text.contains("chance of any false alarm"), "{text}");
}

#[test]
fn an_interrupted_run_shows_what_it_has() {
    let mut results = ordinary();
    results.stopped_by = StoppedBy::Signal;
    insta::assert_snapshot!(head(&results), @r#"
    ### Interrupted · ▲ 2 slower · ▼ 1 faster · 97 unchanged · 3 undecided
    > The run was interrupted: what was measured before is below, the rest is missing. The same command goes on from there.
    "#);
    results.stopped_by = StoppedBy::Crash;
    assert!(head(&results).contains("made from its journal"));
}

#[test]
fn a_suite_that_the_budget_does_not_hold_says_how_much_it_holds() {
    let mut results = results(unchanged(488));
    (results.plan.planned, results.plan.screened) = (488, 7_675);
    insta::assert_snapshot!(head(&results), @r#"
    ### No change: 488 unchanged
    > The time budget of 10~min holds 488 of 8,163 benchmarks, which were chosen before anything was measured; `--time-budget` gives it more.
    "#);
}

#[test]
fn a_side_that_could_not_be_prepared_is_told_in_three_parts() {
    let text = shown(&markdown(&unbuilt(), &Options::default()).unwrap());
    insta::assert_snapshot!(text.split("<details>").next().unwrap(), @r#"
    ### ✗ Nothing was measured: head could not be built

    `main` 92f72a2 → `faster-hashing` a82b2ce · 4~min~12~s

    `faster-hashing` a82b2ce: `python -m pip wheel --no-deps -w … . ended with exit status 1`

    ```
      × Failed to build wheel
      error: subprocess-exited-with-error
    ```

    Mend the build of head, or name another revision with `--head REV`.
    "#);
}

#[test]
fn whose_run_and_how_old_it_is_are_told() {
    let mut results = results(unchanged(3));
    results.shard = Some(ShardInfo { index: 0, count: 4, missing: vec![2, 3] });
    let options = Options {
        newer_head: Some("1234567890abcdef1234567890abcdef12345678".into()),
        origin: Origin::Contributor,
        ..Options::default()
    };
    insta::assert_snapshot!(head_with(&results, &options), @r#"
    ### No change: 3 unchanged
    > Results of 2 of 4 shards are missing: 2, 3.
    > **This is about an earlier push.** Head is now 1234567.
    > Measured in the contributor's run, not in one of this repository.
    "#);
}
