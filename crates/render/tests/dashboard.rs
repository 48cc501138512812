//! The pages of a history, with names that want to be more than names.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

use bench_render::dashboard::{
    ChangeLine, CommitLine, Dashboard, DriftLine, PageFile, PieceLine, PointLine, SeriesLine,
    changes_markdown, changes_terminal, dashboard,
};
use bench_results::Better;
use std::collections::HashSet;

const HOSTILE: &str = "time_</script><script>alert(1)</script>\u{202e}\"'|`@user";

fn series(name: &str, environment: &str) -> SeriesLine {
    let point = |commit: usize| PointLine {
        commit,
        machine: usize::from(commit > 20),
        reference: Some(0),
        level: if commit < 15 { 0.0 } else { 0.05 },
        error: 0.004,
        value: Some(1e6),
    };
    SeriesLine {
        suite: "asv".into(),
        environment: environment.into(),
        id: format!("asv/{name}"),
        name: name.into(),
        metric: "time".into(),
        unit: "ns".into(),
        better: Better::Lower,
        pieces: vec![PieceLine { is_paired: true, points: (0..30).map(point).collect() }],
        changes: vec![ChangeLine {
            before: 13,
            at: 15,
            last: 16,
            size: 0.05,
            low: 0.045,
            high: 0.055,
            is_worse: true,
            beside: None,
            is_new: true,
            acknowledged: Some(HOSTILE.into()),
        }],
        drifts: Vec::new(),
    }
}

fn of(series: Vec<SeriesLine>, commit_url: Option<&str>) -> Dashboard {
    let commit = |at: usize| CommitLine {
        id: format!("{at:040}"),
        day: format!("2026-08-{:02}", at + 1),
        subject: HOSTILE.into(),
    };
    Dashboard {
        title: HOSTILE.into(),
        commit_url: commit_url.map(str::to_owned),
        tool: "bench-action 0".into(),
        commits: (0..30).map(commit).collect(),
        machines: vec![HOSTILE.into(), "Processor".into()],
        references: vec![HOSTILE.into()],
        series,
        shortest: 14,
    }
}

fn pages(series: Vec<SeriesLine>) -> Vec<PageFile> {
    dashboard(&of(series, Some("https://github.com/o/r/commit/"))).unwrap()
}

#[test]
fn hostile_names_stay_names_on_every_page_and_in_every_script() {
    for file in pages(vec![series(HOSTILE, HOSTILE)]) {
        assert!(!file.text.contains("<script>alert"), "{}", file.path);
        // What a page shows has nothing hidden in it; the data has names as they are.
        let is_data = file.path.starts_with("data/");
        assert!(is_data || !file.text.contains('\u{202e}'), "{}", file.path);
        if file.path.ends_with(".js") {
            assert!(!file.text.contains('<'), "{}", file.path);
        }
        assert!(file.path.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-".contains(&b)));
    }
}

#[test]
fn names_that_differ_in_what_no_path_may_hold_have_pages_of_their_own() {
    let files = pages(vec![series("a b", "x"), series("a+b", "x"), series("a/b", "x")]);
    let paths: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths.len(), files.len());
    assert_eq!(files.iter().filter(|file| file.path.starts_with("b/")).count(), 3);
}

#[test]
fn environments_of_one_benchmark_share_a_page_with_a_line_each() {
    let files = pages(vec![series("a", "py3.11"), series("a", "py3.12")]);
    let page = files.iter().find(|file| file.path.starts_with("b/")).unwrap();
    assert_eq!(page.text.matches("<section id=").count(), 2);
    assert!(page.text.contains("class=\"legend\""));
    assert!(page.text.contains("from here on machine Processor"));
    // Below each line, and below both in one plot.
    assert_eq!(page.text.matches("<span>2026-08-01</span><span>2026-08-30</span>").count(), 3);
    let overview = files.iter().find(|file| file.path == "index.html").unwrap();
    // Every line of the overview leads to a place that is there.
    let links = overview.text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    for link in links.filter(|link| !link.starts_with("https:")) {
        let (path, anchor) = link.split_once('#').unwrap();
        let page = files.iter().find(|file| file.path == path).unwrap();
        assert!(page.text.contains(&format!("id=\"{anchor}\"")), "{link}");
    }
}

#[test]
fn every_page_has_a_policy_and_loads_nothing_from_elsewhere() {
    for file in pages(vec![series("a", "x")]).iter().filter(|f| f.path.ends_with(".html")) {
        assert!(file.text.contains("default-src 'none'"), "{}", file.path);
        let sources = file.text.split("src=\"").skip(1);
        assert!(sources.into_iter().all(|rest| rest.starts_with("../data/")), "{}", file.path);
    }
}

#[test]
fn a_commits_address_that_is_no_web_address_is_no_link() {
    let shown = of(vec![series("a", "x")], Some("javascript:alert(1)//"));
    for file in dashboard(&shown).unwrap() {
        assert!(!file.text.contains("javascript:"), "{}", file.path);
    }
    assert!(!changes_markdown(&shown, false).contains("javascript:"));
}

#[test]
fn a_change_says_its_size_its_interval_its_commit_and_those_it_may_be_besides() {
    let shown = of(vec![series("a", "x")], None);
    let text = changes_terminal(&shown, true);
    assert!(text.contains("1 worse, 0 better, 1 of them new"), "{text}");
    assert!(text.contains("+5.1 % (+4.6 … +5.7) at 0000000000 (or one of 2 beside it)"), "{text}");
    assert!(text.lines().all(|line| !line.chars().any(char::is_control)), "{text}");
    let markdown = changes_markdown(&shown, true);
    assert!(!markdown.contains("<script") && !markdown.contains("@user"), "{markdown}");
}

#[test]
fn a_history_that_is_too_short_for_any_change_says_so() {
    let of_length = |length: usize| {
        let mut one = SeriesLine { changes: Vec::new(), ..series("a", "default") };
        one.pieces[0].points.truncate(length);
        changes_terminal(&of(vec![one], None), true)
    };
    let words = "No new change; a series can show one from 14 points on, the longest has 13";
    assert!(of_length(13).starts_with(words), "{}", of_length(13));
    assert!(of_length(14).starts_with("No new change\n"), "{}", of_length(14));
}

#[test]
fn a_drift_without_a_step_is_in_the_overview_before_what_never_moved() {
    let still = SeriesLine { changes: Vec::new(), ..series("a_still", "default") };
    let drift = DriftLine { from: 0, to: 29, size: 1.08_f64.ln(), is_worse: true };
    let drifting =
        SeriesLine { changes: Vec::new(), drifts: vec![drift], ..series("b_drifting", "default") };
    let pages = pages(vec![still, drifting]);
    let overview = &pages.iter().find(|file| file.path == "index.html").unwrap().text;
    assert!(overview.contains("~ slowly worse +8.0 %"), "{overview}");
    let place = |name: &str| overview.find(name).unwrap();
    assert!(place("b_drifting") < place("a_still"));
}
