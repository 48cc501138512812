//! Several comparisons in one report: a section each, and where they differ.

use super::parsed::parse;
use super::sample::{RowOf, results, row};
use super::shown as visible;
use bench_render::{Options, html, markdown, terminal};
use bench_results::{ComparisonInfo, Results, Row, Verdict};

fn in_place(place: &'static str) -> impl Fn(&mut Row) {
    move |row| row.comparison = place.to_owned()
}

/// The same commits in several environments.
fn of_several(rows: Vec<RowOf>, places: &[&str]) -> Results {
    let mut results = results(rows);
    let sides = std::mem::take(&mut results.sides);
    results.comparisons.clear();
    for place in places {
        let id = |side: &str| format!("{side} in {place}");
        results.sides.extend(sides.iter().map(|side| {
            let mut side = side.clone();
            (side.id, side.environment) = (id(&side.id), (*place).to_owned());
            side
        }));
        results.comparisons.push(ComparisonInfo {
            id: (*place).to_owned(),
            base: id("base"),
            head: id("head"),
            machine: None,
        });
    }
    results
}

fn sample() -> Results {
    use Verdict::{Improved, Inconclusive, Regressed, Unchanged};
    let rows = [
        ("dot", "mkl", Unchanged, (1.002, 0.99, 1.01)),
        ("dot", "openblas", Regressed, (1.2, 1.18, 1.22)),
        ("sort", "mkl", Improved, (0.8, 0.78, 0.82)),
        ("sort", "openblas", Regressed, (1.1, 1.08, 1.12)),
        ("take", "mkl", Inconclusive, (1.03, 0.98, 1.08)),
        ("take", "openblas", Regressed, (1.06, 1.04, 1.08)),
        ("where", "mkl", Improved, (0.5, 0.48, 0.52)),
        ("where", "openblas", Improved, (0.5, 0.48, 0.52)),
        ("zip", "mkl", Unchanged, (1.0, 0.99, 1.01)),
    ];
    let rows = rows.map(|(name, place, verdict, change)| {
        row(&format!("linalg.time_{name}"), verdict, 2e6, change).with(in_place(place))
    });
    of_several(rows.into_iter().collect(), &["mkl", "openblas"])
}

#[test]
fn the_terminal_shows_where_comparisons_differ_and_then_each() {
    let text = terminal(&sample(), &Options { width: 110, ..Options::default() });
    insta::assert_snapshot!(visible(&text), @r#"
    base  main 92f72a2                             prepared in 6.2 s (cached), version 2.4.1
    head  faster-hashing a82b2ce in mkl, openblas  prepared in 6.2 s, version 2.4.1

    12 blocks each; both sides taking turns on one core; CPU time

    Across environments: they disagree on 2 results
    linalg.time_sort: worse in openblas, better in mkl
    ▼  faster     mkl       2.00 ms → 1.60 ms  −20.0 %  (−22.0 … −18.0)  ◄······│·······
    ▲  slower     openblas  2.00 ms → 2.20 ms  +10.0 %   (+8.0 … +12.0)  ·······│·····─►
    linalg.time_dot: only in openblas
    =  unchanged  mkl       2.00 ms → 2.00 ms   +0.2 %   (−1.0 …  +1.0)  ······─●─······
    ▲  slower     openblas  2.00 ms → 2.40 ms  +20.0 %  (+18.0 … +22.0)  ·······│······►
    linalg.time_take: seen in openblas, undecided in mkl
    ?  undecided  mkl       2.00 ms → 2.06 ms   +3.0 %   (−2.0 …  +8.0)  could see ≥ 3.1 %
    ▲  slower     openblas  2.00 ms → 2.12 ms   +6.0 %   (+4.0 …  +8.0)  ·······│··─●──·
    linalg.time_where: in all
    ▼  faster     mkl       2.00 ms → 1.00 ms  −50.0 %  (−52.0 … −48.0)  ◄······│·······
    ▼  faster     openblas  2.00 ms → 1.00 ms  −50.0 %  (−52.0 … −48.0)  ◄······│·······

                  benchmark             base      head   change                   −10 %  0  +10 %
    mkl: ▼ 2 faster · 2 unchanged · 1 undecided
    ▼  faster     linalg.time_where  2.00 ms → 1.00 ms  −50.0 %  (−52.0 … −48.0)  ◄······│·······
    ▼  faster     linalg.time_sort   2.00 ms → 1.60 ms  −20.0 %  (−22.0 … −18.0)  ◄······│·······
    ?  undecided  linalg.time_take   2.00 ms → 2.06 ms   +3.0 %   (−2.0 …  +8.0)  could see ≥ 3.1 %
    openblas: ▲ 3 slower · ▼ 1 faster
    ▲  slower     linalg.time_dot    2.00 ms → 2.40 ms  +20.0 %  (+18.0 … +22.0)  ·······│······►
    ▲  slower     linalg.time_sort   2.00 ms → 2.20 ms  +10.0 %   (+8.0 … +12.0)  ·······│·····─►
    ▲  slower     linalg.time_take   2.00 ms → 2.12 ms   +6.0 %   (+4.0 …  +8.0)  ·······│··─●──·
    ▼  faster     linalg.time_where  2.00 ms → 1.00 ms  −50.0 %  (−52.0 … −48.0)  ◄······│·······

    1 undecided: changes smaller than 3.1 % could not be seen. To decide more: a larger --max-blocks (it was
      60), a quieter machine, or a larger --threshold.

    ▲ 3 slower · ▼ 3 faster · 2 unchanged · 1 undecided
    5 benchmarks with 9 results · 4 min 12 s · chance of any false alarm in this report: at most 5 %
    "#);
}

#[test]
fn the_comment_has_a_table_across_and_a_section_each() {
    let text = markdown(&sample(), &Options::default()).unwrap();
    let (shown, _) = text.split_once("<details>").unwrap();
    insta::assert_snapshot!(visible(shown), @r#"
    ### ▲ 3 slower · ▼ 3 faster · 2 unchanged · 1 undecided

    `main` 92f72a2 → `faster-hashing` a82b2ce in `mkl`, `openblas` · 5~benchmarks with 9~results · 4~min~12~s · chance of any false alarm in this report: at most 5~%

    #### Across environments: they disagree on 2~results

    | benchmark | mkl | openblas | where |
    |:--|--:|--:|:--|
    | `linalg.time_sort` | ▼ −20.0~% (−22.0~…~−18.0) | ▲ +10.0~% (+8.0~…~+12.0) | worse in `openblas`, better in `mkl` |
    | `linalg.time_dot` | = +0.2~% (−1.0~…~+1.0) | ▲ +20.0~% (+18.0~…~+22.0) | only in `openblas` |
    | `linalg.time_take` | ? +3.0~% (−2.0~…~+8.0) | ▲ +6.0~% (+4.0~…~+8.0) | seen in `openblas`, undecided in `mkl` |
    | `linalg.time_where` | ▼ −50.0~% (−52.0~…~−48.0) | ▼ −50.0~% (−52.0~…~−48.0) | in all |

    #### mkl: ▼ 2 faster · 2 unchanged · 1 undecided

    | | benchmark | base | head | change | −10~%~…~0~…~+10~% |
    |:--|:--|--:|--:|--:|:-:|
    | ▼&nbsp;faster | `linalg.time_where`<br><sub>12 blocks</sub> | 2.00~ms | 1.00~ms | **−50.0~%** (−52.0~…~−48.0) | `◄······│·······` |
    | ▼&nbsp;faster | `linalg.time_sort`<br><sub>12 blocks</sub> | 2.00~ms | 1.60~ms | **−20.0~%** (−22.0~…~−18.0) | `◄······│·······` |

    #### openblas: ▲ 3 slower · ▼ 1 faster

    | | benchmark | base | head | change | −10~%~…~0~…~+10~% |
    |:--|:--|--:|--:|--:|:-:|
    | ▲&nbsp;slower | `linalg.time_dot`<br><sub>12 blocks</sub> | 2.00~ms | 2.40~ms | **+20.0~%** (+18.0~…~+22.0) | `·······│······►` |
    | ▲&nbsp;slower | `linalg.time_sort`<br><sub>12 blocks</sub> | 2.00~ms | 2.20~ms | **+10.0~%** (+8.0~…~+12.0) | `·······│·····─►` |
    | ▲&nbsp;slower | `linalg.time_take`<br><sub>12 blocks</sub> | 2.00~ms | 2.12~ms | **+6.0~%** (+4.0~…~+8.0) | `·······│··─●──·` |
    | ▼&nbsp;faster | `linalg.time_where`<br><sub>12 blocks</sub> | 2.00~ms | 1.00~ms | **−50.0~%** (−52.0~…~−48.0) | `◄······│·······` |
    "#);
    let (_, full) = text.split_once("All 9\u{a0}results").unwrap();
    assert!(full.contains("**<code>mkl &#183; linalg</code>**"), "{full}");
}

#[test]
fn the_page_has_both_too() {
    let text = html(&sample(), &Options::default()).unwrap();
    for words in ["id=\"across\"", "they disagree on 2\u{a0}results", "openblas: 4 changed"] {
        assert!(text.contains(words), "{words}");
    }
    parse(&text);
}

#[test]
fn a_comment_without_room_says_how_much_of_the_table_is_missing() {
    let mut rows = Vec::new();
    for n in 0..200 {
        for place in ["a", "b"] {
            let changed = row(&format!("m.time_{n}"), Verdict::Regressed, 2e6, (1.2, 1.18, 1.22));
            rows.push(changed.with(in_place(place)));
        }
    }
    let results = of_several(rows, &["a", "b"]);
    let text = markdown(&results, &Options { budget: 20_000, ..Options::default() }).unwrap();
    assert!(text.len() <= 20_000 && text.contains("lines across"), "{text}");
}

#[test]
fn comparisons_that_agree_say_so() {
    let changed =
        |place| row("m.time_x", Verdict::Regressed, 2e6, (1.2, 1.18, 1.22)).with(in_place(place));
    let text =
        markdown(&of_several(vec![changed("a"), changed("b")], &["a", "b"]), &Options::default());
    let text = text.unwrap();
    assert!(text.contains("Across environments: they agree on 1\u{a0}result"), "{text}");
}
