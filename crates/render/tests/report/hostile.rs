//! Names, values and messages from outside are data in every format.

use super::parsed::parse;
use super::sample::{bare, hostile, results, row};
use bench_render::{Marker, Options, RenderError, Show, html, markdown, terminal};
use bench_results::{Better, Results, SideName, Verdict};
use proptest::prelude::*;

/// Pieces that mean something to somebody.
const PIECES: [&str; 34] = [
    "|",
    "`",
    "<",
    ">",
    "@octocat",
    "#12",
    "*",
    "_",
    "[x](y)",
    "\n",
    "\r\n",
    "&amp;",
    "&#64;",
    "</code>",
    "</details>",
    "<details>",
    "<script>alert(1)</script>",
    "-->",
    "<!--",
    "{{ x }}",
    "{% for %}",
    "\\",
    "https://evil.example",
    "www.evil.example",
    "\u{1b}[2J",
    "\u{202e}",
    "\u{200b}",
    "~~",
    "```",
    "::error::",
    "日本語",
    "👩‍👩‍👧",
    "$HOME",
    "1. ",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => proptest::sample::select(PIECES.to_vec()).prop_map(str::to_owned),
        2 => "[a-z_.]{1,12}",
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// A run in which everything that can come from outside is made of `texts`.
fn run(texts: &[String], verdicts: &[Verdict]) -> Results {
    let mut texts = texts.iter().cycle().cloned();
    let mut next = move || texts.next().unwrap_or_default();
    let rows = verdicts.iter().enumerate().map(|(i, verdict)| {
        let (name, unit) = (next(), next());
        let row = match verdict {
            Verdict::Failed => {
                bare(&name, *verdict).failure(SideName::Head, &next(), &next(), &next())
            }
            Verdict::Added | Verdict::Removed | Verdict::Skipped => bare(&name, *verdict),
            _ => row(&name, *verdict, 1e4 + i as f64, (1.0 + i as f64 / 7.0, 0.9, 1.3)),
        };
        let row = row
            .launched(i as u64)
            .params(&[(&next(), &next()), (&next(), &i.to_string())])
            .reason(&next())
            .label(&next())
            .wall(&next());
        if i % 3 == 0 { row.metric(&next(), &unit, Better::Higher) } else { row }
    });
    let mut results = results(rows.collect());
    results.warnings = vec![next(), next()];
    results.seed = next();
    results.command = vec!["bench-action".into(), "run".into(), next()];
    results.trust.reason = Some(next());
    for side in &mut results.sides {
        (side.label, side.commit, side.version) = (next(), Some(next()), Some(next()));
    }
    let environment = &mut results.environments[0];
    (environment.python, environment.packages) = (Some(next()), vec![next(), next()]);
    environment.variables.insert(next(), next());
    let machine = &mut results.machines[0];
    (machine.cpu, machine.os, machine.runner) = (Some(next()), next(), Some(next()));
    results.tool.version = next();
    results
}

fn verdicts() -> impl Strategy<Value = Vec<Verdict>> {
    use Verdict::{Added, Failed, Improved, Inconclusive, Regressed, Removed, Skipped, Unchanged};
    let all = [Added, Failed, Improved, Inconclusive, Regressed, Removed, Skipped, Unchanged];
    proptest::collection::vec(proptest::sample::select(all.to_vec()), 0..60)
}

/// Every tag of the page, but its script.
const PAGE_TAGS: [&str; 42] = [
    "a", "body", "br", "button", "code", "dd", "details", "div", "dl", "dt", "footer", "h1", "h2",
    "header", "input", "label", "li", "main", "nav", "output", "p", "path", "pre", "rect",
    "section", "small", "span", "strong", "summary", "svg", "table", "tbody", "td", "text", "th",
    "thead", "tr", "ul", "html", "h3", "em", "script",
];

/// What stands after each `<`, without the slash of a closing tag.
fn tags_before_the_script(body: &str) -> impl Iterator<Item = &str> {
    let markup = body.split("<script").next().unwrap_or_default();
    markup.split('<').skip(1).map(|rest| {
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default()
    })
}

/// Every tag that the comment's own template and pen use.
const OUR_TAGS: [&str; 18] = [
    "!", "wbr", "code", "/code", "a", "/a", "br", "sub", "/sub", "details", "/details", "summary",
    "/summary", "pre", "/pre", "strong", "/strong", "",
];

fn check_markdown(text: &str, budget: usize) {
    assert!(text.len() <= budget, "{} bytes", text.len());
    assert!(text.starts_with("<!-- bench-action v1 key=k head=abc run=1 attempt=1 -->\n"));
    let parsed = parse(text);
    assert!(parsed.foreign.is_empty(), "{:?} in\n{text}", parsed.foreign);
    let foreign = parsed.tags.iter().find(|tag| !OUR_TAGS.contains(&tag.as_str()));
    assert_eq!(foreign, None, "in\n{text}");
    for tag in ["details", "summary", "code", "pre", "sub"] {
        let count = |wanted: &str| parsed.tags.iter().filter(|tag| *tag == wanted).count();
        assert_eq!(count(tag), count(&format!("/{tag}")), "{tag} in\n{text}");
    }
    for line in text.lines().filter(|line| line.starts_with('|')) {
        let cells = line.matches('|').count() - 1;
        assert!([5, 6, 7].contains(&cells), "{cells} cells in {line}");
    }
    // Nobody acts on what stands in a code span.
    let data: String = text.lines().skip(1).flat_map(|line| line.split('`').step_by(2)).collect();
    assert!(!data.contains('@') && !data.contains("]("), "{text}");
    assert!(!data.contains("<script") && !data.contains("<!--"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_comment_keeps_its_budget_and_its_structure_whatever_the_names(
        texts in proptest::collection::vec(text(), 1..12),
        verdicts in verdicts(),
        budget in 4_000_usize..30_000,
    ) {
        let marker = Marker { key: "k".into(), head: "abc".into(), run: 1, attempt: 1 };
        let options = Options { budget, marker: Some(marker), ..Options::default() };
        match markdown(&run(&texts, &verdicts), &options) {
            Ok(text) => check_markdown(&text, budget),
            Err(RenderError::TooLong { needed, .. }) => prop_assert!(needed > budget),
            Err(error) => prop_assert!(false, "{error}"),
        }
    }

    #[test]
    fn html_holds_no_markup_of_others_whatever_the_names(
        texts in proptest::collection::vec(text(), 1..12),
        verdicts in verdicts(),
    ) {
        let text = html(&run(&texts, &verdicts), &Options::default()).unwrap();
        let body = text.split("</head>").nth(1).unwrap();
        prop_assert_eq!(body.matches("<script").count(), 1);
        let foreign = tags_before_the_script(body).find(|tag| !PAGE_TAGS.contains(tag));
        prop_assert_eq!(foreign, None);
        for tag in ["code", "details", "table", "tr", "td", "th", "p", "dd", "svg"] {
            let opened = body.matches(&format!("<{tag}>")).count()
                + body.matches(&format!("<{tag} ")).count();
            prop_assert_eq!(opened, body.matches(&format!("</{tag}>")).count(), "{}", tag);
        }
    }

    #[test]
    fn a_terminal_gets_only_visible_characters_whatever_the_names(
        texts in proptest::collection::vec(text(), 1..12),
        verdicts in verdicts(),
        width in 20_usize..200,
    ) {
        let results = run(&texts, &verdicts);
        for show in [Show::Changes, Show::All] {
            let text = terminal(&results, &Options { show, width, ..Options::default() });
            let hidden = text.chars().find(|c| {
                (c.is_control() && *c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{200b}')
            });
            prop_assert_eq!(hidden, None);
        }
    }
}

#[test]
fn known_tricks_come_out_as_the_text_they_are() {
    let results = hostile();
    let text = markdown(&results, &Options::default()).unwrap();
    let parsed = parse(&text);
    let cells: Vec<&str> = parsed.tables[0].iter().map(|row| row[1].as_str()).collect();
    let names = [
        "a|b|c",
        "`x` ``y",
        "<script>alert(1)</script>",
        "@octocat and #12",
        "__init__ *b* ~~c~~",
        "[x](https://evil.example)",
        "www.evil.example",
        "line break  again",
        "</code></details>-->",
        "{{ headline }}",
        "[31mredtxt",
        "日本語.größe(n=1)",
        "::error::x",
        "&#64;x &lt;",
        "\\| \\",
        "1. 2) - +",
    ];
    for name in names {
        let cell = format!("<code>{name}</code><br>");
        assert!(cells.iter().any(|c| c.starts_with(&cell)), "{name} in {cells:#?}");
    }
    assert!(parsed.foreign.is_empty(), "{:?}", parsed.foreign);
}

#[test]
fn no_line_of_a_terminal_report_is_a_command_to_a_ci_log() {
    let name = "::error::x.time_a ##[add-matcher]x ".repeat(9);
    let mut results = results(vec![row(&name, Verdict::Regressed, 1e6, (1.2, 1.1, 1.3))]);
    results.warnings = vec!["::warning::w ".repeat(40)];
    for show in [Show::Changes, Show::All] {
        let text = terminal(&results, &Options { show, width: 60, ..Options::default() });
        assert!(text.contains("::warning::w"), "{text}");
        assert!(!text.contains("##["), "{text}");
        assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
    }
}

#[test]
fn a_marker_stays_one_comment_whatever_its_key() {
    let marker = Marker { key: "a--> <b>@x".into(), head: "h\nh".into(), run: 1, attempt: 2 };
    assert_eq!(marker.line(), "<!-- bench-action v1 key=a--bx head=hh run=1 attempt=2 -->");
}
