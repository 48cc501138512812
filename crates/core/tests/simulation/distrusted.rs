//! What a forged file can and cannot bring about.

use super::bench::{Bench, Values};
use super::noise::Draws;
use super::run::Ask;
use super::world::World;
use bench_core::config::{Config, Flags};
use bench_core::distrust::{Absurd, Judged, Ours, claimed_bases, judged, stripped};
use bench_core::skeleton::today;
use bench_results::{
    Better, ChangeKind, Failure, Pairing, Results, RunFailure, SideInfo, SideKind, SideName,
    ToolInfo, Verdict, WholeVerdict,
};
use serde_json::{Value, json};

const HEAD: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// What it is called, or what is said of it, and what it does.
type Forgery = (&'static str, fn(&mut Results));

/// A run as the program writes it: one benchmark slower by a fifth, one equal, one that repeats.
fn honest() -> Results {
    let benches = vec![
        Bench::timed("slow").slower(1.2),
        Bench::timed("same"),
        Bench::value("exact", Values::Exact([10.0, 12.0])),
    ];
    let ask = Ask { sentinels: true, ..Ask::default() };
    let mut results = ask.run(World::new(1, benches)).results();
    for row in results.benchmarks.iter_mut().chain(&mut results.sentinel) {
        row.name = row.name.replace("suite/", "");
    }
    results.sides =
        [("base", "2"), ("head", "a")].map(|(id, digit)| side(id, &digit.repeat(40))).to_vec();
    results
}

fn side(id: &str, commit: &str) -> SideInfo {
    SideInfo {
        id: id.into(),
        label: "main".into(),
        revision: "main".into(),
        commit: Some(commit.into()),
        subject: Some("@everyone look".into()),
        version: Some("1".into()),
        dirty: false,
        diff_digest: None,
        environment: "main".into(),
        kind: SideKind::Built,
        artifacts: Vec::new(),
        prepare_s: 1.0,
        cached: false,
        details: [("@all".to_owned(), "evil".to_owned())].into(),
    }
}

fn config(text: &str) -> Config {
    let config = Config::from_text(&Flags::default(), Some(text), "file", &[], today());
    config.expect("a file without mistakes")
}

fn judged_by(claimed: &Results, text: &str) -> Judged {
    let tool = ToolInfo { name: "bench-action".into(), version: "ours".into(), commit: None };
    let config = config(text);
    let ours = Ours { config: &config, tool: &tool, head: HEAD, merge: None };
    judged(stripped(claimed).expect("results that are taken"), ours)
}

fn verdicts(results: &Results) -> Vec<Option<Verdict>> {
    results.benchmarks.iter().map(|row| row.verdict).collect()
}

const TRUTH: [Option<Verdict>; 3] =
    [Some(Verdict::Regressed), Some(Verdict::Unchanged), Some(Verdict::Regressed)];

#[test]
fn an_honest_file_gets_its_own_verdicts_and_numbers_and_claims_nothing() {
    let honest = honest();
    let Judged { results, claims } = judged_by(&honest, "");
    assert_eq!(claims, bench_core::distrust::Claims::default());
    assert_eq!(verdicts(&honest), TRUTH);
    for (ours, theirs) in results.benchmarks.iter().zip(&honest.benchmarks) {
        let mut theirs = theirs.clone();
        theirs.routing = ours.routing.clone();
        theirs.calibration = None;
        theirs.labels.clear();
        theirs.blocks.iter_mut().for_each(|block| block.load = None);
        for side in [&mut theirs.base, &mut theirs.head].into_iter().flatten() {
            side.wall = None;
        }
        assert_eq!(*ours, theirs);
    }
    assert_eq!(results.trust, honest.trust);
    assert_eq!(results.summary.counts, honest.summary.counts);
}

#[test]
fn a_forged_verdict_threshold_family_or_trust_changes_nothing() {
    let forgeries: [Forgery; 8] = [
        ("verdict", |r| r.benchmarks[0].verdict = Some(Verdict::Unchanged)),
        ("exact", |r| r.benchmarks[0].pairing = Pairing::Exact),
        ("rule", |r| {
            r.settings.threshold = 9.0;
            r.benchmarks.iter_mut().for_each(|row| row.rule.threshold = 9.0);
        }),
        ("floor", |r| r.benchmarks[0].rule.absolute = 1e15),
        ("alpha", |r| r.settings.alpha = 1e-30),
        ("family", |r| {
            r.plan.family_size = u64::MAX;
            r.benchmarks.iter_mut().for_each(|row| row.family = u64::MAX);
        }),
        ("trust", |r| {
            r.trust.ok = false;
            r.summary.verdict = WholeVerdict::Unchanged;
            r.warnings = vec!["@maintainer all is well".into(); 9];
        }),
        ("labels", |r| {
            r.benchmarks[0].labels = vec!["accepted".into(), "exact".into()];
            r.benchmarks[0].reason = Some("screened".into());
            r.benchmarks[0].change.as_mut().unwrap().kind = ChangeKind::Difference;
        }),
    ];
    for (what, forge) in forgeries {
        let mut forged = honest();
        forge(&mut forged);
        let Judged { results, claims } = judged_by(&forged, "");
        assert_eq!(verdicts(&results), TRUTH, "{what}");
        assert_eq!(results.plan.family_size, 3, "{what}");
        assert!(results.trust.ok && results.warnings.is_empty(), "{what}");
        assert!(results.benchmarks.iter().all(|row| row.reason.is_none()), "{what}");
        let are_other = ["rule", "floor", "alpha"].contains(&what);
        assert_eq!(claims.has_other_settings, are_other, "{what}");
    }
}

#[test]
fn a_forged_family_never_makes_alarms_cheaper_than_the_rows_do() {
    let mut forged = honest();
    forged.plan.family_size = 0;
    assert_eq!(judged_by(&forged, "").results.plan.family_size, 3);
}

#[test]
fn our_settings_and_accepted_regressions_hold_whatever_the_file_says() {
    let text = "[compare]\nthreshold = \"30%\"\n[[suite]]\nname = \"other\"\nharness = \"x\"\n";
    let wide = text.split("[[suite]]").next().unwrap();
    let Judged { results, claims } = judged_by(&honest(), wide);
    assert!(claims.has_other_settings);
    assert_eq!(verdicts(&results)[0], Some(Verdict::Unchanged));
    assert!((results.settings.threshold - 0.3).abs() < 1e-12);
    let accept = "[[accept]]\nmatch = \"slow\"\nreason = \"known\"\n";
    let Judged { results, .. } = judged_by(&honest(), accept);
    assert_eq!(results.benchmarks[0].labels, ["accepted"]);
    assert_eq!(results.summary.counts.accepted, 1);
}

#[test]
fn what_cannot_be_judged_again_is_counted_and_never_green() {
    let mut forged = honest();
    let extra = |name: &str, verdict| {
        let mut row = honest().benchmarks[0].clone();
        (row.name, row.verdict) = (name.to_owned(), verdict);
        row.benchmark = format!("suite/{name}");
        row.id.clone_from(&row.benchmark);
        row
    };
    let (mut identical, mut unpaired, mut failed) = (
        extra("identical", Some(Verdict::Unchanged)),
        extra("unpaired", Some(Verdict::Unchanged)),
        extra("failed", Some(Verdict::Failed)),
    );
    identical.pairing = Pairing::Identical;
    unpaired.pairing = Pairing::Unpaired;
    failed.failure = Some(Failure {
        side: Some(SideName::Base),
        stage: "s".repeat(10_000),
        message: "m".repeat(10_000),
        stderr_tail: "t".repeat(10_000),
    });
    forged.benchmarks.extend([
        identical,
        unpaired,
        failed,
        extra("hidden", None),
        extra("added", Some(Verdict::Added)),
        extra("removed", Some(Verdict::Removed)),
        extra("skipped", Some(Verdict::Skipped)),
    ]);
    let Judged { results, claims } = judged_by(&forged, "");
    let counted = [
        claims.identical,
        claims.failed,
        claims.unjudged,
        claims.added,
        claims.removed,
        claims.skipped,
    ];
    assert_eq!(counted, [1; 6]);
    assert_eq!(results.summary.counts.unchanged, 1);
    assert_eq!(results.summary.counts.inconclusive, 1);
    let failure = results.benchmarks[5].failure.as_ref().unwrap();
    assert!(failure.message.len() < 400 && failure.stage.len() < 100, "{failure:?}");
    assert!(failure.stderr_tail.len() <= 2_000);
    let kept = results.benchmarks.iter().filter(|row| !row.blocks.is_empty()).count();
    assert_eq!(kept, 4, "three honest rows, and one that is shown without a verdict");
}

#[test]
fn nothing_of_the_runs_own_words_is_left_but_names_and_short_reasons() {
    let mut forged = honest();
    let evil = "@maintainers <b>see</b> https://evil.example";
    forged.command = vec!["bench-action".into(), "run".into(), evil.into()];
    forged.seed = evil.into();
    forged.created = evil.into();
    forged.plan.digest = evil.into();
    forged.trust.reason = Some(evil.into());
    forged.tool.version = evil.into();
    forged.sides[0].label = evil.into();
    forged.sides[0].commit = Some(evil.into());
    forged.benchmarks[0].reason = Some(evil.into());
    forged.benchmarks[0].labels = vec![evil.into()];
    forged.benchmarks[0].void.reasons = vec![evil.into()];
    let Judged { results, .. } = judged_by(&forged, "");
    let text = bench_results::to_json(&results);
    assert!(!text.contains("evil") && !text.contains("@maintainers"), "{text}");
}

#[test]
fn a_side_that_could_not_be_prepared_stays_told_in_few_words() {
    let mut forged = honest();
    forged.benchmarks.clear();
    forged.failure = Some(RunFailure {
        side: SideName::Head,
        stage: "build".into(),
        message: "x".repeat(9_000),
        stderr_tail: format!("{}the end", "y".repeat(9_000)),
    });
    let failure = judged_by(&forged, "").results.failure.unwrap();
    assert!(failure.message.len() < 400);
    assert!(failure.stderr_tail.ends_with("the end") && failure.stderr_tail.len() <= 2_000);
}

#[test]
fn a_block_counts_only_with_a_result_that_its_samples_have() {
    let mut forged = honest();
    // Samples show a fifth more, blocks say that nothing changed by a factor of a thousand.
    forged.benchmarks[0].blocks.iter_mut().for_each(|block| block.d = Some(-6.9));
    let row = judged_by(&forged, "").results.benchmarks.swap_remove(0);
    assert_eq!(row.verdict, Some(Verdict::Inconclusive));
    assert!(row.blocks.iter().all(|block| block.d.is_none()));
    forged.benchmarks[0].head = None;
    forged.benchmarks[0].blocks.iter_mut().for_each(|block| block.d = Some(0.0));
    let row = judged_by(&forged, "").results.benchmarks.swap_remove(0);
    assert_eq!(row.verdict, Some(Verdict::Inconclusive), "no values, no result");
}

#[test]
fn another_commit_than_the_runs_is_told_unless_it_is_the_merge_that_was_asked_for() {
    let mut results = honest();
    let merge = "3".repeat(40);
    results.sides[1].commit = Some(merge.clone());
    assert_eq!(judged_by(&results, "").claims.other_head, Some(merge.clone()));
    let (config, tool) = (config("[compare]\nbase = \"tip\"\n"), results.tool.clone());
    let ours = Ours { config: &config, tool: &tool, head: HEAD, merge: Some(&merge) };
    assert_eq!(judged(stripped(&results).unwrap(), ours).claims.other_head, None);
    results.sides[1].kind = SideKind::Existing;
    assert_eq!(judged_by(&results, "").claims.other_head.as_deref(), Some("no commit"));
}

#[test]
fn every_base_that_is_claimed_is_told_once_and_what_is_no_commit_too() {
    let mut results = honest();
    let bases = |results: &Results| Vec::from_iter(claimed_bases(&stripped(results).unwrap()));
    let base = results.sides[0].commit.clone().unwrap();
    assert_eq!(bases(&results), [base.as_str()]);
    let (mut side, mut comparison) = (results.sides[0].clone(), results.comparisons[0].clone());
    (side.id, comparison.id, comparison.base) = ("b2".into(), "c2".into(), "b2".into());
    side.dirty = true;
    results.sides.push(side);
    results.comparisons.push(comparison);
    assert_eq!(bases(&results), [base, "no commit".into()]);
}

#[test]
fn what_no_run_writes_is_refused_with_its_place() {
    let absurdities: [Forgery; 13] = [
        ("a time of which more is better", |r| r.benchmarks[0].better = Better::Higher),
        ("there twice", |r| r.benchmarks[1] = r.benchmarks[0].clone()),
        ("not made of its name", |r| r.benchmarks[0].id = "suite/other".into()),
        ("not made of its name", |r| r.benchmarks[0].benchmark = "suite/other".into()),
        ("no comparison", |r| r.benchmarks[0].comparison = "other".into()),
        ("sides that are not there", |r| r.comparisons[0].base = "other".into()),
        ("two sides of one name", |r| r.sides[1].id = "base".into()),
        ("over-long", |r| r.benchmarks[0].unit = "u".repeat(1_000_000)),
        ("over-long", |r| r.sides[0].environment = "e".repeat(1_000_000)),
        ("a sample of -1 ns", |r| value(r, -1.0)),
        ("a sample of NaN ns", |r| value(r, f64::NAN)),
        ("a sample of 1000000000000000000000 ns", |r| value(r, 1e21)),
        ("not a number", |r| r.benchmarks[0].blocks[0].d = Some(f64::INFINITY)),
    ];
    for (wanted, forge) in absurdities {
        let mut forged = honest();
        forge(&mut forged);
        let message = refusal(&forged).to_string();
        assert!(message.contains(wanted) && message.contains("nothing of it is used"), "{message}");
    }
    let mut endless = honest();
    let block = endless.benchmarks[0].blocks[0].clone();
    endless.benchmarks[0].blocks = vec![block; 2];
    assert!(refusal(&endless).to_string().contains("one of them twice"));
    endless.benchmarks[0].name = "a\n::error::\u{202e}".into();
    endless.benchmarks[0].id = "a\n::error::\u{202e}".into();
    assert!(!refusal(&endless).to_string().contains('\n'));
}

fn refusal(results: &Results) -> Absurd {
    stripped(results).expect_err("results that are not taken")
}

fn value(results: &mut Results, value: f64) {
    let base = results.benchmarks[0].base.as_mut().expect("samples of base");
    base.samples[0].value = Some(value);
}

/// What a forger may write in the place of this, mostly of its own kind.
fn anything(was: &Value, draws: &mut Draws) -> Value {
    let numbers = [0.0, -1.0, 1e-300, 1e300, 1e18, 0.5, 2.0, 1e6, 1.2e6];
    let whole = [0, 1, 2, 7, u64::from(u32::MAX), u64::MAX];
    let words = ["", "ns", "bytes", "base", "head", "exact", "paired", "identical", "failed", "x"];
    let pick = draws.next() as usize;
    match was {
        _ if pick.is_multiple_of(16) => Value::Null,
        Value::Number(number) if number.is_u64() => json!(whole[pick % whole.len()]),
        Value::Number(_) => json!(numbers[pick % numbers.len()]),
        Value::String(_) => json!(words[pick % words.len()]),
        Value::Bool(bool) => json!(!bool),
        Value::Array(_) => json!([words[pick % words.len()]]),
        Value::Null | Value::Object(_) => json!(numbers[pick % numbers.len()]),
    }
}

/// Puts something else in one place of a file.
fn forge(value: &mut Value, draws: &mut Draws) {
    let pick = draws.next() as usize;
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let at = pick % fields.len();
            fields.iter_mut().skip(at).take(1).for_each(|(_, field)| forge(field, draws));
        }
        Value::Array(items) if items.len() > 1 && draws.next().is_multiple_of(8) => {
            let copy = items[pick % items.len()].clone();
            items.push(copy);
        }
        Value::Array(items) if !items.is_empty() => {
            let at = pick % items.len();
            forge(&mut items[at], draws);
        }
        other => *other = anything(other, draws),
    }
}

#[test]
fn a_file_that_was_changed_anywhere_is_refused_or_judged_and_never_ends_the_program() {
    let honest = serde_json::to_value(honest()).unwrap();
    let (mut refused, mut taken) = (0, 0);
    for seed in 0..3_000 {
        let mut draws = Draws::of(&[seed]);
        let mut forged = honest.clone();
        for _ in 0..=seed % 3 {
            forge(&mut forged, &mut draws);
        }
        let Ok(claimed) = serde_json::from_value::<Results>(forged) else { continue };
        let Ok(stripped) = stripped(&claimed) else {
            refused += 1;
            continue;
        };
        taken += 1;
        let (config, tool) = (config(""), claimed.tool.clone());
        let ours = Ours { config: &config, tool: &tool, head: HEAD, merge: None };
        let Judged { results, .. } = judged(stripped, ours);
        let shown = results.benchmarks.iter().filter_map(|row| row.change);
        assert!(shown.into_iter().all(|change| change.ratio.is_finite()), "{seed}");
        assert!(results.plan.family_size >= 1 && results.plan.family_size <= 4, "{seed}");
        let all = results.summary.counts;
        let judged = all.regressed + all.improved + all.unchanged + all.inconclusive;
        assert!(judged as usize <= results.benchmarks.len(), "{seed}");
    }
    assert!(refused > 100 && taken > 100, "{refused} refused, {taken} taken");
}
