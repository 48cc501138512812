//! The page: what it holds, what it draws, what it lets in.

use super::sample::{RowOf, bare, eventful, ordinary, results, row, suite, unchanged};
use bench_render::{Options, html};
use bench_results::{Results, Verdict};
use proptest::prelude::*;

fn page(results: &Results) -> String {
    html(results, &Options::default()).unwrap()
}

/// The part of a page from one text to another.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    text.split_once(from).unwrap().1.split_once(to).unwrap().0
}

#[test]
fn it_needs_nothing_but_itself() {
    let text = page(&eventful());
    let markup = text.split("<script>").next().unwrap();
    for loading in
        ["src=", "href=\"h", "url(", "@import", "<link", "<iframe", "style=", " onclick", " onload"]
    {
        let attribute = text.split("</style>").nth(1).unwrap().split('<');
        let found = attribute.filter_map(|tag| tag.split('>').next()).find(|t| t.contains(loading));
        assert_eq!(found, None, "{loading}");
    }
    assert!(text.starts_with("<!doctype html>\n<html lang=\"en\">"));
    assert!(text.contains("prefers-color-scheme: dark") && text.contains("@media print"));
    assert!(markup.matches("<thead>").count() >= 3);
    let policy = between(&text, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
}

#[test]
fn links_lead_to_places_of_the_page() {
    let text = page(&suite(60));
    for link in text.split("href=\"#").skip(1) {
        let id = link.split('"').next().unwrap();
        assert_eq!(text.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
    }
}

#[test]
fn the_table_holds_each_result_once_with_what_changed_first() {
    let results = ordinary();
    let text = page(&results);
    let table = between(&text, "<table id=\"results\">", "</table>");
    assert_eq!(table.matches("<tbody class=\"entry\"").count(), results.benchmarks.len());
    let titles: Vec<&str> = table
        .split("<th scope=\"rowgroup\" colspan=\"7\">")
        .skip(1)
        .map(|rest| rest.split("</th>").next().unwrap())
        .collect();
    let unchanged = "97 unchanged, each proved to be within ±3\u{a0}%";
    assert_eq!(titles, ["3 changed", "3 undecided", unchanged]);
    // Worse before better: the order of the keys is the order of the report.
    let keys = table.split("data-keys=\"").skip(1).map(|rest| rest.split(' ').next().unwrap());
    assert!(keys.is_sorted());
}

#[test]
fn every_launch_and_every_block_is_a_mark() {
    let results =
        results(vec![row("a.time_x", Verdict::Regressed, 2e6, (1.2, 1.18, 1.22)).launched(7)]);
    let launches = results.benchmarks[0].blocks.len();
    let text = page(&results);
    for class in ["b", "h", "blk"] {
        let path = between(&text, &format!("<path class=\"{class}\" d=\""), "\"");
        assert_eq!(path.matches('M').count(), launches, "{class}: {path}");
    }
    assert!(text.contains("← faster") && text.contains("slower →"));
    assert!(text.contains(">+20\u{a0}%</text>"), "{text}");
}

#[test]
fn a_metric_that_should_grow_names_its_ends_the_other_way_round() {
    let more = row("a.track_x", Verdict::Improved, 2e6, (1.2, 1.18, 1.22)).launched(7);
    let more = more.metric("value", "rows/s", bench_results::Better::Higher);
    let text = page(&results(vec![more]));
    assert!(text.contains("← worse") && text.contains("better →"));
}

#[test]
fn results_along_a_numeric_parameter_are_curves() {
    let text = page(&suite(80));
    let curves = between(&text, "<section id=\"curves\">", "</section>");
    let first = "<summary><code>sort.Sort0.time_sort</code> along <code>n</code></summary>";
    assert!(curves.contains(first), "{curves}");
    assert_eq!(curves.matches("<summary>").count(), 8);
    assert!(
        curves.contains("<li>a: <code>order=rev</code></li><li>b: <code>order=rand</code></li>")
    );
    // Log–log: a line of slope one is straight, from the left end to the right end of the axis.
    let line = between(curves, "<path class=\"hc\" d=\"", "\"");
    let points: Vec<(f64, f64)> = line
        .split(['M', 'L'])
        .skip(1)
        .map(|p| p.split_once(' ').map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap())).unwrap())
        .collect();
    let slopes: Vec<f64> =
        points.windows(2).map(|p| (p[1].1 - p[0].1) / (p[1].0 - p[0].0)).collect();
    assert!(slopes.len() == 3 && slopes.iter().all(|s| (s - slopes[0]).abs() < 0.01), "{slopes:?}");
    assert!(!page(&ordinary()).contains("time_marker</code> along"), "one point is no curve");
}

#[test]
fn a_large_suite_has_pictures_of_what_matters_and_says_so() {
    let text = page(&suite(2_000));
    assert_eq!(text.matches("aria-label=\"Launches in run order").count(), 1_000);
    assert!(text.contains("The first 1,000 results have pictures"));
    let changed = between(&text, "parse.Lines.time_0", "</tbody>");
    assert!(changed.contains("aria-label=\"Launches in run order"), "{changed}");
    let per_result = text.len() / 2_000;
    assert!(per_result < 4_000, "{per_result} bytes per result");
}

#[test]
fn where_nothing_was_measured_there_is_no_table_and_no_empty_picture() {
    let text = page(&results(vec![bare("a.time_x", Verdict::Added)]));
    assert!(!text.contains("id=\"results\"") && !text.contains("class=\"fig\""));
    assert!(text.contains("<h2>Not compared</h2>"));
    // Files of harnesses hold values without launches: the interval is all there is to draw.
    let text = page(&results(unchanged(1)));
    assert_eq!(text.matches("class=\"fig\"").count(), 1);
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-0.0),
        Just(f64::MIN_POSITIVE),
        Just(f64::MAX),
        Just(1.0),
        -1e3..1e3,
        1e-12..1e-9,
        1e9..1e15,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_the_numbers_pictures_hold_only_places(
        values in proptest::collection::vec((number(), number(), number()), 1..12),
        unit in proptest::sample::select(vec!["ns", "bytes", "count", "rows/s"]),
    ) {
        let rows = values.iter().enumerate().map(|(i, (base, head, ratio))| {
            let ratio = ratio.abs();
            let ends = (ratio, ratio * 0.9, if i % 3 == 0 { f64::MAX } else { ratio * 1.1 });
            let row = row("m.time_x", Verdict::Unchanged, *base, ends).launched(i as u64);
            odd(row, *base, *head, unit).params(&[("n", &base.to_string())])
        });
        let text = page(&results(rows.collect()));
        let pictures = text.split("<svg class=\"fig\"").skip(1).map(|p| p.split("</svg>").next().unwrap());
        for picture in pictures {
            prop_assert!(!picture.contains("NaN") && !picture.contains("inf"), "{}", picture);
        }
    }
}

/// The row with other values at its ends.
fn odd(row: RowOf, base: f64, head: f64, unit: &str) -> RowOf {
    row.with(|row| {
        row.unit = unit.into();
        for (side, value) in [(&mut row.base, base), (&mut row.head, head)] {
            if let Some(side) = side {
                side.center = Some(value);
                if let Some(sample) = side.samples.first_mut() {
                    sample.value = Some(value);
                }
            }
        }
    })
}
