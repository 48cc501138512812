//! The one sentence that says what happened, in every case there is.

use super::sample::{RowOf, bare, eventful, ordinary, results, row, unbuilt, unchanged};
use super::shown;
use bench_render::{Lack, Options, Origin, Unverified, markdown, nothing};
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
    results.plan.found = 7;
    let options = Options {
        newer_head: Some("1234567890abcdef1234567890abcdef12345678".into()),
        origin: Origin::Contributor(Unverified::default()),
        ..Options::default()
    };
    insta::assert_snapshot!(head_with(&results, &options), @r#"
    ### ✗ A part is missing: 2 of 4~shards · No change: 3 unchanged
    > Results of 2 of 4 shards are missing: 2, 3, and with them 4 of 7~benchmarks.
    > **This is about an earlier push.** Head is now 1234567.
    > Measured in the contributor's run, not in one of this repository.
    "#);
}

#[test]
fn a_shard_whose_side_failed_does_not_hide_what_the_others_found() {
    let mut results = unbuilt();
    results.benchmarks = self::results(unchanged(3)).benchmarks;
    results.failure.as_mut().unwrap().message = "shard 2 of 4: cc is not there".into();
    let text = markdown(&results, &Options::default()).unwrap();
    assert!(
        text.contains("### ✗ A part is missing: head could not be built · No change: 3"),
        "{text}"
    );
    assert!(text.contains("`shard 2 of 4: cc is not there`"), "{text}");
}

#[test]
fn what_a_contributors_run_says_of_itself_stands_beside_what_its_samples_show() {
    let shown = |rows: Vec<RowOf>, claims: Unverified| {
        let options = Options { origin: Origin::Contributor(claims), ..Options::default() };
        head_with(&results(rows), &options).lines().next().unwrap().to_owned()
    };
    let claims = Unverified {
        failed: 1,
        removed: 2,
        skipped: 3,
        identical: 4,
        added: 5,
        unjudged: 6,
        has_other_settings: true,
        other_head: Some("1234567890abcdef1234567890abcdef12345678".into()),
        other_base: Some("abcdef1234567890abcdef1234567890abcdef12".into()),
    };
    insta::assert_snapshot!(shown(unchanged(3), claims), @"### No change seen: 3 unchanged · in the contributor's run, unverified: 1 failed, 2 missing on head, 3 skipped, 4 called identical, 5 only on head, 6 not judged · measured by other settings than this repository's · said to be of 1234567, another commit · said to be compared with abcdef1, which was not found on the base branch");
    let one = |failed| Unverified { failed, ..Unverified::default() };
    let failed = || vec![bare("a", Verdict::Failed)];
    insta::assert_snapshot!(shown(failed(), one(1)), @"### Nothing could be judged · in the contributor's run, unverified: 1 failed");
    insta::assert_snapshot!(shown(unchanged(3), one(0)), @"### No change: 3 unchanged");
    let slower = row("t.time_x", Verdict::Regressed, 1e6, (1.2, 1.1, 1.3));
    insta::assert_snapshot!(shown(failed().into_iter().chain([slower]).collect(), one(1)), @"### ▲ 1 slower · in the contributor's run, unverified: 1 failed");
    insta::assert_snapshot!(shown(undecided(1), one(0)), @"### Nothing could be decided: 1 undecided");
    let options = Options { origin: Origin::Contributor(one(0)), ..Options::default() };
    let mut empty = results(Vec::new());
    empty.warnings = vec!["the run measured nothing".into()];
    let text = markdown(&empty, &options).unwrap();
    assert!(text.contains("### Nothing to compare: the run measured nothing"), "{text}");
    assert_eq!(text.matches("measured nothing").count(), 1, "{text}");
    let forged = Unverified { other_head: Some("@all".into()), ..one(0) };
    insta::assert_snapshot!(shown(unchanged(1), forged), @"### No change: 1 unchanged · said to be of no commit");
    let forged = Unverified { other_base: Some("@all".into()), ..one(0) };
    insta::assert_snapshot!(shown(unchanged(1), forged), @"### No change: 1 unchanged · said to be compared with no commit of the base branch");
}

#[test]
fn the_bound_on_false_alarms_of_a_contributors_run_has_its_condition() {
    let origin = Origin::Contributor(Unverified::default());
    let options = Options { origin, ..Options::default() };
    let text = markdown(&results(unchanged(3)), &options).unwrap();
    assert!(text.contains("at most 5\u{a0}%, if its numbers are what was measured"), "{text}");
    let mut unbuilt = unbuilt();
    unbuilt.failure.as_mut().unwrap().message = "@all".into();
    let text = markdown(&unbuilt, &options).unwrap();
    assert!(text.contains("in the contributor's run, head could not be built"), "{text}");
}

#[test]
fn a_run_without_results_says_of_which_commit_and_why() {
    let options = Options {
        repository_url: Some("https://github.com/org/hello".into()),
        report_url: Some("https://github.com/org/hello/actions/runs/9".into()),
        newer_head: Some("2".repeat(40)),
        ..Options::default()
    };
    let text = nothing(Lack::Missing, &"1".repeat(40), "it ended: @all <b>\n| x --> #1", &options);
    insta::assert_snapshot!(text, @r##"
    ### ✗ The run of <a href="https://github.com/org/hello/commit/1111111111111111111111111111111111111111">1111111</a> left no results

    > **This is about an earlier push.** Head is now 2222222.

    it ended&#58; <code>&#64;<wbr>all</code> &#60;b&#62; &#124; x &#45;&#45;&#62; <code>&#35;1</code>

    What there is, is in <a href="https://github.com/org/hello/actions/runs/9">the run</a>.
    "##);
    let text = nothing(Lack::Unusable, "<b>", "row 1", &Options::default());
    insta::assert_snapshot!(text, @r"
    ### ✗ The run of <code>&#60;b&#62;</code> left no results that can be used

    row 1
    ");
}
