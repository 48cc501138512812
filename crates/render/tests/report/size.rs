//! A comment has a budget: what is given up first, and what the reader is told.

use super::sample::{eventful, ordinary, results, row, unchanged};
use super::shown;
use bench_render::{Options, RenderError, markdown};
use bench_results::Verdict;

fn within(budget: usize) -> Options {
    Options { budget, ..Options::default() }
}

#[test]
fn what_fits_is_said_in_full() {
    let text = shown(&markdown(&ordinary(), &within(60_000)).unwrap());
    assert!(!text.contains("Left out for length"), "{text}");
    assert!(text.contains("All 103~results"), "{text}");
}

#[test]
fn detail_is_given_up_in_a_fixed_order_and_the_reader_is_told() {
    let results = eventful();
    let mut before = markdown(&results, &within(60_000)).unwrap();
    // What is gone stays gone as the budget shrinks.
    let parts = ["All 72\u{a0}results", "- Machine: ", "late.time_11", "io.time_seek", "Traceback"];
    let mut gone = Vec::new();
    for budget in (1_400..before.len()).rev().step_by(211) {
        let text = markdown(&results, &within(budget)).unwrap();
        assert!(text.len() <= budget);
        assert!(text.len() <= before.len(), "less room, more text: {budget}");
        let missing: Vec<&str> = parts.into_iter().filter(|part| !text.contains(part)).collect();
        assert!(gone.iter().all(|part| missing.contains(part)), "{gone:?} {missing:?}");
        assert!(missing.is_empty() || text.contains("Left out for length: "), "{text}");
        assert_eq!(missing, parts[..missing.len()], "given up out of order");
        assert!(text.contains("✗ 3 failed · "), "{text}");
        (gone, before) = (missing, text);
    }
    assert_eq!(gone.len(), parts.len());
}

#[test]
fn of_many_changes_the_largest_stay() {
    let change = |i: usize| {
        let ratio = 1.05 + i as f64 / 1000.0;
        row(&format!("c.time_{i:03}"), Verdict::Regressed, 1e6, (ratio, ratio - 0.01, ratio + 0.01))
    };
    let results = results((0..600).map(change).collect());
    let text = markdown(&results, &within(60_000)).unwrap();
    assert!(text.len() <= 60_000 && text.len() > 58_000, "{} bytes", text.len());
    assert!(text.contains("time_599") && !text.contains("time_000"));
    let shown = text.matches("| ▲&nbsp;slower |").count();
    assert!(text.contains(&format!("{} smaller changes", 600 - shown)), "{text}");
    assert!(text.contains("All of it is in `report.html`"), "{text}");
}

/// A name of 300 characters and 450 bytes, and far more once it is escaped.
fn long_name(nth: usize) -> String {
    let name: String = "größe.日本語_|`*".chars().cycle().take(292).collect();
    format!("f{nth:04}_{name}.x")
}

#[test]
fn of_five_thousand_results_every_regression_that_fits_is_shown_and_the_rest_counted() {
    let regressed = |nth: usize| {
        let ratio = 1.05 + nth as f64 / 1000.0;
        row(&long_name(nth), Verdict::Regressed, 1e6, (ratio, ratio - 0.01, ratio + 0.01))
    };
    let all = (0..400).map(regressed).chain(unchanged(4_600));
    let results = results(all.collect());
    assert_eq!(results.benchmarks[0].name.chars().count(), 300);
    for budget in [60_000, 30_000] {
        let text = markdown(&results, &within(budget)).unwrap();
        let lines = text.lines().filter(|line| line.starts_with("| ▲&nbsp;slower |"));
        let longest = lines.clone().map(str::len).max().unwrap_or_default();
        assert!(text.len() <= budget, "{} bytes", text.len());
        assert!(
            text.len() + longest + 1 > budget,
            "one more of {longest} had fitted {}",
            text.len()
        );
        let shown = lines.count();
        assert!(shown > 0 && text.contains(&format!("{} smaller changes", 400 - shown)), "{text}");
        assert!(text.contains("▲ 400 slower · 4,600 unchanged"), "{text}");
    }
}

#[test]
fn of_thousands_undecided_as_many_are_shown_as_fit() {
    let open =
        |i: usize| row(&format!("c.time_{i:04}"), Verdict::Inconclusive, 1e6, (1.02, 0.97, 1.07));
    let results = results((0..5_000).map(open).collect());
    let text = markdown(&results, &within(60_000)).unwrap();
    assert!(text.len() <= 60_000 && text.len() > 59_000, "{} bytes", text.len());
    let shown = text.matches("time_").count();
    let left_out = 5_000 - shown;
    let left_out = format!("{},{:03} undecided", left_out / 1000, left_out % 1000);
    assert!(text.contains(&left_out), "{left_out}: {text}");
}

#[test]
fn a_budget_that_nothing_fits_is_an_error_that_says_so() {
    let error = markdown(&ordinary(), &within(50)).unwrap_err();
    assert!(matches!(error, RenderError::TooLong { budget: 50, .. }));
    assert!(error.to_string().contains("at most 50 are allowed"), "{error}");
}

#[test]
fn thousands_of_combinations_fold_into_their_benchmarks() {
    let text = shown(&markdown(&results(unchanged(5_000)), &within(60_000)).unwrap());
    assert!(text.contains("All 5,000~results, each proved to be within ±3"), "{text}");
    assert!(text.contains("combinations of `n`"), "{text}");
    assert!(text.len() < 10_000, "{} bytes", text.len());
}

#[test]
fn a_template_of_ones_own_replaces_the_text() {
    let fill = |source: &str| {
        let options = Options { template: Some(source.into()), ..Options::default() };
        markdown(&ordinary(), &options)
    };
    let source = "{{ headline }}\n{% for row in changed.items %}- {{ row.name }} {{ row.size }} {{ row.interval }}\n{% endfor %}";
    insta::assert_snapshot!(super::shown(&fill(source).unwrap()), @r#"
    ▲ 2 slower · ▼ 1 faster · 97 unchanged · 3 undecided
    - `json.TimeDumps.time_large` +10.2~% (+8.8~…~+11.5)
    - `parse.time_marker(n=1000)` +5.1~% (+3.9~…~+6.4)
    - `version.time_hash_warm` −48.1~% (−48.9~…~−47.4)
    "#);

    let error = fill("{{ headlin }}").unwrap_err().to_string();
    assert!(error.starts_with("the template `--template` could not be filled in"), "{error}");
    assert!(error.contains("headlin"), "{error}");
    assert!(fill("{% if %}").is_err());
}
