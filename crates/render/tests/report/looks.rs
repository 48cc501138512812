//! What a reader sees, whole.

use super::parsed::parse;
use super::sample::{bare, eventful, ordinary, results, row, unbuilt, unchanged};
use super::shown;
use bench_render::{
    Color, LongLines, Options, Paths, Show, csv, html, json, markdown, table, terminal,
};
use bench_results::{Results, SideName, Verdict};

fn narrow(results: &Results, width: usize) -> String {
    terminal(results, &Options { width, ..Options::default() })
}

#[test]
fn a_terminal_report_aligns_and_ends_with_the_verdict() {
    let paths = Paths { results: "last/results.json".into(), report: "last/report.html".into() };
    let text = terminal(&ordinary(), &Options { paths: Some(paths), ..Options::default() });
    insta::assert_snapshot!(text, @r#"
    base  main 92f72a2            prepared in 3.1 s (cached), version 2.4.1
    head  faster-hashing a82b2ce  prepared in 3.1 s, version 2.4.1

    12 to 60 blocks each; both sides taking turns on one core (102 results), one side after the other
      (1 result); CPU time (102 results), wall clock (1 result)

       benchmark                     base      head   change                   −10 %  0  +10 %
    ▲  json.TimeDumps.time_large  1.89 ms → 2.08 ms  +10.2 %   (+8.8 … +11.5)  ·······│·····─►
    ▲  parse.time_marker(n=1000)   412 µs →  433 µs   +5.1 %   (+3.9 …  +6.4)  ·······│··─●···
       cache-sensitive
    ▼  version.time_hash_warm     61.0 µs → 31.7 µs  −48.1 %  (−48.9 … −47.4)  ◄······│·······
    ?  io.time_read               8.10 ms → 8.29 ms   +2.4 %   (−3.0 …  +8.1)  could see ≥ 6 %
       wall clock: it waits 41 % of the time
    ?  parse.time_tiny            95.0 ns → 96.0 ns   +1.1 %   (−1.5 …  +3.6)  could see ≥ 3.4 %
    ?  io.time_write              3.30 ms → 3.27 ms   −0.8 %   (−4.0 …  +3.0)  could see ≥ 4.5 %

    cache-sensitive: its time depends on how warm the processor's caches are, so each turn starts with
      an untimed lead-in
    3 undecided: changes smaller than 3.4 % to 6 % could not be seen. To decide more: a larger
      --max-blocks (it was 60), a quieter machine, or a larger --threshold.

    ▲ 2 slower · ▼ 1 faster · 97 unchanged · 3 undecided
    103 benchmarks · 4 min 12 s · chance of any false alarm in this report: at most 5 %
    results  last/results.json     report  last/report.html
    "#);
}

#[test]
fn a_narrow_terminal_loses_words_then_bars_then_middles_of_names() {
    let long = row(
        "package.subpackage.module.ClassOfBenchmarks.time_something",
        Verdict::Regressed,
        2e6,
        (1.2, 1.18, 1.22),
    );
    let results = results(vec![long]);
    let line = |width| {
        let text = narrow(&results, width);
        text.lines().find(|line| line.contains('▲')).unwrap().to_owned()
    };
    insta::assert_snapshot!([140, 110, 80, 60].map(line).join("\n"), @r#"
    ▲  slower  package.subpackage.module.ClassOfBenchmarks.time_something  2.00 ms → 2.40 ms  +20.0 %  (+18.0 … +22.0)  ·······│······►
    ▲  slower  package.subpackag…ks.time_something  2.00 ms → 2.40 ms  +20.0 %  (+18.0 … +22.0)  ·······│······►
    ▲  package.subpack…time_something  2.00 ms → 2.40 ms  +20.0 %  (+18.0 … +22.0)
    ▲  package.subpac…ime_something  2.00 ms → 2.40 ms  +20.0 %  (+18.0 … +22.0)
    "#);
}

#[test]
fn wide_characters_keep_the_columns_aligned() {
    let rows = ["日本語.time_a", "ascii.time_bb"]
        .map(|name| row(name, Verdict::Regressed, 2e6, (1.2, 1.18, 1.22)));
    let text = narrow(&results(rows.into_iter().collect()), 90);
    let before = |line: &str| {
        use unicode_width::UnicodeWidthStr as _;
        line.split("2.00 ms").next().unwrap().width()
    };
    let widths: Vec<usize> = text.lines().filter(|l| l.contains("2.00 ms")).map(before).collect();
    assert_eq!(widths.len(), 2);
    assert_eq!(widths[0], widths[1], "{text}");
}

#[test]
fn colours_only_repeat_what_signs_and_words_say() {
    let plain = narrow(&eventful(), 120);
    let coloured =
        terminal(&eventful(), &Options { color: Color::Always, width: 120, ..Options::default() });
    assert_ne!(plain, coloured);
    let mut stripped = String::new();
    for part in coloured.split('\u{1b}') {
        let text = part.strip_prefix('[').and_then(|p| p.split_once('m')).map_or(part, |p| p.1);
        stripped.push_str(text);
    }
    assert_eq!(plain, stripped);
}

#[test]
fn everything_is_listed_by_class() {
    let mut rows = unchanged(24);
    rows.push(row("json.TimeDumps.time_huge", Verdict::Improved, 9e6, (0.7, 0.69, 0.71)));
    let text = terminal(&results(rows), &Options { show: Show::All, ..Options::default() });
    let list: Vec<&str> = text.lines().skip(3).take(14).collect();
    insta::assert_snapshot!(list.join("\n"), @r#"
    12 blocks each; both sides taking turns on one core; CPU time

                  benchmark            base      head   change                   −10 %  0  +10 %
    json.TimeDumps
    =  unchanged  time_short(n=10)  1.00 µs →  995 ns   −0.5 %   (−1.1 …  +0.2)  ······─●·······
    =  unchanged  time_short(n=20)  6.58 µs → 6.61 µs   +0.5 %   (−0.1 …  +1.2)  ·······●─······
    =  unchanged  time_long(n=10)   1.87 µs → 1.88 µs   +0.2 %   (−0.4 …  +0.9)  ·······●─······
    =  unchanged  time_long(n=20)   12.3 µs → 12.3 µs   +0.1 %   (−0.5 …  +0.8)  ·······●─······
    =  unchanged  time_warm(n=10)   3.51 µs → 3.50 µs   −0.2 %   (−0.8 …  +0.5)  ······─●·······
    =  unchanged  time_warm(n=20)   23.1 µs → 23.0 µs   −0.3 %   (−0.9 …  +0.4)  ······─●·······
    ▼  faster     time_huge         9.00 ms → 6.30 ms  −30.0 %  (−31.0 … −29.0)  ◄······│·······
    parse.Marker
    =  unchanged  time_short(n=10)  1.17 µs → 1.18 µs   +0.5 %   (−0.1 …  +1.2)  ·······●─······
    =  unchanged  time_short(n=20)  7.70 µs → 7.73 µs   +0.4 %   (−0.2 …  +1.1)  ·······●─······
    "#);
}

#[test]
fn a_failed_build_is_told_like_an_error() {
    insta::assert_snapshot!(narrow(&unbuilt(), 90), @r#"
    base  main 92f72a2            prepared in 3.1 s (cached), version 2.4.1
    head  faster-hashing a82b2ce  prepared in 3.1 s, version 2.4.1

    error: head could not be built
      faster-hashing a82b2ce: python -m pip wheel --no-deps -w … . ended with exit status 1
      │   × Failed to build wheel
      │   error: subprocess-exited-with-error
      Mend the build of head, or name another revision with --head REV.

    ✗ Nothing was measured: head could not be built
    4 min 12 s
    "#);
}

#[test]
fn a_comment_shows_the_table_and_folds_the_rest() {
    let text = shown(&markdown(&ordinary(), &Options::default()).unwrap());
    insta::assert_snapshot!(text.split("<details><summary>All").next().unwrap(), @r#"
    ### ▲ 2 slower · ▼ 1 faster · 97 unchanged · 3 undecided

    `main` 92f72a2 → `faster-hashing` a82b2ce · 103~benchmarks · 4~min~12~s · chance of any false alarm in this report: at most 5~%

    | | benchmark | base | head | change | −10~%~…~0~…~+10~% |
    |:--|:--|--:|--:|--:|:-:|
    | ▲&nbsp;slower | `json.TimeDumps.time_large`<br><sub>12 blocks</sub> | 1.89~ms | 2.08~ms | **+10.2~%** (+8.8~…~+11.5) | `·······│·····─►` |
    | ▲&nbsp;slower | `parse.time_marker(n=1000)`<br><sub>18 blocks · cache-sensitive</sub> | 412~µs | 433~µs | **+5.1~%** (+3.9~…~+6.4) | `·······│··─●···` |
    | ▼&nbsp;faster | `version.time_hash_warm`<br><sub>12 blocks</sub> | 61.0~µs | 31.7~µs | **−48.1~%** (−48.9~…~−47.4) | `◄······│·······` |

    <details><summary>3 undecided: changes smaller than 3.4~% to 6~% could not be seen</summary>

    | | benchmark | base | head | change | could have seen | blocks |
    |:--|:--|--:|--:|--:|--:|--:|
    | ? | `io.time_read`<br><sub>wall clock: it waits 41 % of the time</sub> | 8.10~ms | 8.29~ms | +2.4~% (−3.0~…~+8.1) | ≥~6~% | 60 |
    | ? | `parse.time_tiny` | 95.0~ns | 96.0~ns | +1.1~% (−1.5~…~+3.6) | ≥~3.4~% | 12 |
    | ? | `io.time_write` | 3.30~ms | 3.27~ms | −0.8~% (−4.0~…~+3.0) | ≥~4.5~% | 12 |

    To decide more: a larger `--max-blocks` (it was 60), a quieter machine, or a larger `--threshold`.

    </details>
    "#);
}

#[test]
fn every_table_of_a_comment_has_as_many_cells_in_each_row_as_in_its_head() {
    let parsed = parse(&markdown(&eventful(), &Options::default()).unwrap());
    assert_eq!(parsed.tables.len(), 3);
    for table in &parsed.tables {
        assert!(table.iter().all(|row| row.len() == table[0].len()), "{table:#?}");
    }
    let first = &parsed.tables[0];
    assert_eq!(first.len(), 1 + 7);
    assert!(first[1][1].contains("core.track_depth [value]"), "{:?}", first[1]);
}

#[test]
fn all_formats_say_the_same_in_the_same_order() {
    let results = eventful();
    let options = Options { width: 300, ..Options::default() };
    let plain = |text: String| text.replace("&#95;", "_").replace('\u{a0}', " ");
    let texts = [
        plain(terminal(&results, &options)),
        plain(markdown(&results, &options).unwrap()),
        plain(html(&results, &options).unwrap()),
    ];
    let order = [
        "fast.time_a",
        "io.time_big",
        "core.track_depth",
        "core.time_sort",
        "core.mem_table",
        "core.track_rows",
        "safe.time_parse",
        "core.time_lookup",
        "core.peakmem_load",
    ];
    for text in &texts {
        let places: Vec<usize> = order.iter().map(|name| text.find(name).unwrap()).collect();
        assert!(places.is_sorted(), "{places:?} in {text}");
        assert!(text.contains("▲ 1 slower · ▲ 1 larger · ▲▼ 2 worse · ▲ 1 slower (accepted)"));
        for words in ["×14.2", "12 never reached: the time budget of 10 min ran out"] {
            assert!(text.contains(words), "{words} in {text}");
        }
    }
}

#[test]
fn what_libraries_tell_of_themselves_is_told_of_each_side() {
    let mut results = ordinary();
    let told = |simd: &str| [("simd".to_owned(), simd.to_owned())].into_iter().collect();
    results.sides[0].details = told("found AVX2 AVX512F");
    results.sides[1].details = told("found AVX2");
    let comment = markdown(&results, &Options::default()).unwrap();
    let (_, folded) = comment.split_once("<summary>How it was measured").unwrap();
    for words in ["Libraries: base: simd found AVX2 AVX512F", "Libraries: head: simd found AVX2"] {
        assert!(folded.contains(words), "{words} in {folded}");
    }
    let all = Options { show: Show::All, ..Options::default() };
    assert!(terminal(&results, &all).contains("Libraries: base: simd found AVX2 AVX512F"));
    results.sides[1].details = results.sides[0].details.clone();
    let comment = markdown(&results, &Options::default()).unwrap();
    assert!(comment.contains("Libraries: base, head: simd found"), "{comment}");
    assert!(html(&results, &Options::default()).unwrap().contains("simd: found AVX2 AVX512F"));
}

#[test]
fn the_thin_formats_are_the_results_file_its_launches_and_its_table() {
    let results = ordinary();
    let read = bench_results::read(json(&results).as_bytes(), "x", bench_results::Caps::default());
    assert_eq!(read.unwrap(), results);
    let read = bench_results::read(csv(&results).as_bytes(), "x", bench_results::Caps::default());
    assert_eq!(read.unwrap(), results);
    assert_eq!(table(&results).lines().count(), 1 + results.benchmarks.len());
}

#[test]
fn what_a_row_has_been_through_is_told_below_it() {
    let troubled = row("a.time_x", Verdict::Regressed, 2e6, (1.2, 1.18, 1.22)).with(|row| {
        row.base.as_mut().unwrap().wall = Some(3e6);
        row.void.head = 2;
        row.void.reasons = vec!["killed by signal 9".into()];
        row.labels = vec!["layout-sensitive".into(), "of another version".into()];
    });
    let text = narrow(&results(vec![troubled]), 120);
    let note: Vec<&str> = text.lines().skip_while(|l| !l.contains('▲')).skip(1).take(2).collect();
    insta::assert_snapshot!(note.join("\n"), @r#"
    layout-sensitive · of another version · on the wall 3.00 ms → 2.40 ms · blocks lost: 2 on head (killed by
      signal 9)
    "#);
    assert!(text.contains("layout-sensitive: its time depends on where"), "{text}");
}

/// The machine became faster meanwhile, and each block's two sides with it.
#[test]
fn medians_that_contradict_the_change_are_explained() {
    let drifting = |center: f64| {
        let row = row("a.time_x", Verdict::Inconclusive, 694e3, (1.006, 0.97, 1.04));
        let row = row.with(|row| row.head.as_mut().unwrap().center = Some(center));
        narrow(&results(vec![row]), 120)
    };
    let words = "base → head: each side's own median over the whole run";
    assert!(drifting(662e3).contains(words), "{}", drifting(662e3));
    assert!(!drifting(700e3).contains(words), "{}", drifting(700e3));
}

#[test]
fn the_command_that_repeats_a_run_pins_revisions_and_seed() {
    let mut results = ordinary();
    let words =
        "/usr/bin/bench-action -q run --base=tip --head x -vv --color never --out=/o --filter";
    results.command = words.split(' ').chain(["a b's"]).map(str::to_owned).collect();
    let text = html(&results, &Options::default()).unwrap();
    let command = text.rsplit("<pre><code>").next().unwrap().split("</code>").next().unwrap();
    insta::assert_snapshot!(command.replace("&#39;", "'"), @r#"bench-action run --base 92f72a292f72a292f72a292f72a292f72a292f72 --head a82b2cea82b2cea82b2cea82b2cea82b2cea82b2 --seed 19876543210:1 --filter 'a b'\''s'"#);
    results.command = ["bench-action", "demo", "--keep", "-q"].map(str::to_owned).to_vec();
    let comment = markdown(&results, &Options::default()).unwrap();
    assert!(comment.contains("```\nbench-action demo --keep\n```"), "{comment}");
    assert!(comment.contains("and how to run it again"), "{comment}");
    results.command = vec!["bench-action".into(), "compare".into(), "a.json".into()];
    let comment = markdown(&results, &Options::default()).unwrap();
    assert!(comment.contains("<summary>How and on what it was measured</summary>"), "{comment}");
    assert!(!html(&results, &Options::default()).unwrap().contains("<pre><code>"));
}

#[test]
fn where_no_terminal_is_nothing_is_cut() {
    let name = format!("package.{}.time_something", "subpackage.".repeat(20));
    let path = format!("  File \"/{}/suite.py\", line 7", "long/".repeat(40));
    let broken = bare("suite.time_x", Verdict::Failed).failure(SideName::Head, "run", "no", &path);
    let results = results(vec![row(&name, Verdict::Regressed, 2e6, (1.2, 1.18, 1.22)), broken]);
    let options = Options { long_lines: LongLines::Whole, ..Options::default() };
    let text = terminal(&results, &options);
    for words in [&name, &path, "slower", "·······│"] {
        assert!(text.contains(words), "{words} in {text}");
    }
    let cut = terminal(&results, &Options::default());
    assert!(!cut.contains(&path) && cut.contains("suite.py\", line 7"), "{cut}");
}

#[test]
fn an_interval_without_ends_is_not_drawn() {
    let mut open = row("a.time_x", Verdict::Inconclusive, 2e6, (1.0, 0.9, 1.1));
    let change = open.0.change.as_mut().unwrap();
    (change.low, change.high) = (None, None);
    let results = results(vec![open]);
    for text in [
        narrow(&results, 120),
        markdown(&results, &Options::default()).unwrap(),
        html(&results, &Options::default()).unwrap(),
    ] {
        assert!(text.contains("−∞") && !text.contains("◄───"), "{text}");
    }
}
