//! What a template sees: the view, written by one format's pen, with as much detail as there is
//! room for. Every value is text that may be printed as it is.

use crate::{
    bar::{self, Interval},
    escape::Pen,
    number,
    text::Text,
    view::{Entry, FailedGroup, Line, Mark, Side, Unprepared, View},
};
use serde::Serialize;

/// How much is said. Each field cuts one thing, in the order in which things are given up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    /// The folded list of everything.
    pub(crate) full: bool,
    /// How it was measured, beyond the command that repeats it.
    pub(crate) method: bool,
    /// Names listed of each kind that has no verdict, and warnings shown.
    pub(crate) names: usize,
    /// Undecided ones listed.
    pub(crate) undecided: usize,
    /// Failures shown with the end of their output.
    pub(crate) outputs: usize,
    /// Lines of each such end.
    pub(crate) lines: usize,
    /// Failures shown.
    pub(crate) failures: usize,
    /// Changes shown.
    pub(crate) changes: usize,
    /// Everything else but the headline and what was compared.
    pub(crate) rest: bool,
}

impl Detail {
    /// Everything.
    pub(crate) const ALL: Self = Self {
        full: true,
        method: true,
        names: usize::MAX,
        undecided: usize::MAX,
        outputs: usize::MAX,
        lines: usize::MAX,
        failures: usize::MAX,
        changes: usize::MAX,
        rest: true,
    };

    /// What a comment says where there is room.
    pub(crate) const COMMENT: Self = Self { names: 50, lines: 20, ..Self::ALL };
}

/// The context of a template.
#[derive(Debug, Serialize)]
pub(crate) struct Page {
    /// First line of a comment; empty where there is none.
    marker: String,
    /// One sentence: what happened.
    headline: String,
    /// The same without markup.
    title: String,
    /// What must be known before the numbers are read.
    notices: Vec<String>,
    /// Why nothing was measured; null where something was.
    failure: Option<FailurePage>,
    /// The sides of each comparison.
    compared: Vec<ComparedPage>,
    /// How much, how long, how sure.
    facts: Vec<String>,
    /// What failed.
    failed: List<FailedPage>,
    /// Title of the column of bars.
    scale: &'static str,
    /// What changed.
    changed: List<RowPage>,
    undecided: UndecidedPage,
    /// Added, removed, skipped.
    others: Vec<OtherPage>,
    /// The labels above, explained.
    labels: Vec<LabelPage>,
    /// What the run warns of.
    warnings: List<String>,
    full: FullPage,
    /// How it was measured; empty when left out.
    method: Vec<FactPage>,
    /// The command that measures the same again; empty where there is none.
    reproduce: String,
    /// What was left out for length and where it is; empty when nothing was.
    missing: String,
    /// The program and its version.
    tool: String,
}

/// Items shown, and how many there are besides.
#[derive(Debug, Serialize)]
struct List<T> {
    items: Vec<T>,
    more: usize,
}

impl<T> List<T> {
    fn of<S>(all: &[S], most: usize, page: impl Fn(&S) -> T) -> Self {
        let items: Vec<T> = all.iter().take(most).map(page).collect();
        Self { more: all.len() - items.len(), items }
    }
}

#[derive(Debug, Serialize)]
struct FailurePage {
    what: String,
    place: String,
    output: String,
    remedy: String,
}

#[derive(Debug, Serialize)]
struct ComparedPage {
    base: SidePage,
    head: SidePage,
}

#[derive(Debug, Serialize)]
struct SidePage {
    name: String,
    prepared: String,
}

#[derive(Debug, Serialize)]
struct FailedPage {
    names: List<String>,
    what: String,
    output: String,
}

/// One row of a table.
#[derive(Debug, Serialize)]
struct RowPage {
    sign: &'static str,
    word: &'static str,
    /// `worse`, `accepted`, `better`, `same`, `open`, `failed`, `other`.
    kind: &'static str,
    name: String,
    before: String,
    after: String,
    /// The change alone, e.g. `+10.2 %`; empty where there is none.
    size: String,
    /// Its interval, e.g. `(+8.8 … +11.5)`.
    interval: String,
    bar: String,
    plot: Option<Plot>,
    blocks: String,
    could_see: String,
    notes: Vec<String>,
}

/// An interval on a line from 0 (−10 %) to 100 (+10 %), cut at the ends.
#[derive(Debug, Serialize)]
struct Plot {
    from: f64,
    to: f64,
    at: f64,
    /// Whether it goes on to the left of the line.
    beyond_left: bool,
    /// Whether it goes on to the right of the line.
    beyond_right: bool,
    /// Whether the estimate itself is on the line.
    shown: bool,
}

#[derive(Debug, Serialize)]
struct UndecidedPage {
    /// How many, and what could have been seen; empty when there are none.
    summary: String,
    rows: List<RowPage>,
    advice: String,
}

#[derive(Debug, Serialize)]
struct OtherPage {
    what: String,
    names: List<String>,
}

#[derive(Debug, Serialize)]
struct LabelPage {
    label: String,
    meaning: String,
}

#[derive(Debug, Serialize)]
struct FullPage {
    summary: String,
    /// Empty when left out.
    groups: Vec<GroupPage>,
}

#[derive(Debug, Serialize)]
struct GroupPage {
    title: String,
    rows: Vec<RowPage>,
}

#[derive(Debug, Serialize)]
struct FactPage {
    name: &'static str,
    text: String,
}

/// Writes a view with a pen.
pub(crate) struct Writer<'a> {
    pub(crate) pen: &'a dyn Pen,
    pub(crate) detail: Detail,
    /// Whether changes are called `accepted` etc. in words the pen can print.
    pub(crate) marker: String,
    /// Where the rest is, for a reader who is told that something is missing.
    pub(crate) elsewhere: Text,
    /// Name and version of the program.
    pub(crate) tool: Text,
}

impl Writer<'_> {
    /// The page.
    pub(crate) fn page(&self, view: &View) -> Page {
        let Detail { names, rest, .. } = self.detail;
        let kept = |n: usize| if rest { n } else { 0 };
        Page {
            marker: self.marker.clone(),
            headline: self.text(&view.headline),
            title: self.pen.prose(&view.headline.written(&crate::escape::Plain)),
            notices: self.texts(&view.notices[..kept(view.notices.len())]),
            failure: view.failure.as_ref().map(|failure| self.failure(failure)),
            compared: view.compared.iter().map(|c| self.compared(&c.base, &c.head)).collect(),
            facts: self.texts(&view.facts),
            failed: self.failed(&view.failed),
            scale: bar::TITLE,
            changed: List::of(&view.changed, self.detail.changes, |line| self.row(line)),
            undecided: self.undecided(view),
            others: view.others[..kept(view.others.len())]
                .iter()
                .map(|other| OtherPage {
                    what: self.text(&other.what),
                    names: List::of(&other.names, names, |name| self.pen.code(name)),
                })
                .collect(),
            labels: view.labels[..kept(view.labels.len())]
                .iter()
                .map(|(label, meaning)| LabelPage {
                    label: self.pen.words(label),
                    meaning: self.pen.words(meaning),
                })
                .collect(),
            warnings: List::of(&view.warnings, names, |warning| self.pen.prose(warning)),
            full: self.full(view),
            method: self.method(view),
            reproduce: match &view.reproduce {
                Some(command) if rest => self.pen.block(command),
                _ => String::new(),
            },
            missing: self.missing(view),
            tool: self.text(&self.tool),
        }
    }

    fn text(&self, text: &Text) -> String {
        text.written(self.pen)
    }

    fn texts(&self, texts: &[Text]) -> Vec<String> {
        texts.iter().map(|text| self.text(text)).collect()
    }

    fn failure(&self, failure: &Unprepared) -> FailurePage {
        FailurePage {
            what: self.text(&failure.what),
            place: self.text(&failure.place),
            output: self.output(&failure.output, self.detail.outputs > 0),
            remedy: self.text(&failure.remedy),
        }
    }

    fn output(&self, output: &str, is_shown: bool) -> String {
        if !is_shown || output.trim().is_empty() {
            return String::new();
        }
        let lines: Vec<&str> = output.trim_end().lines().collect();
        let first = lines.len().saturating_sub(self.detail.lines);
        self.pen.block(&lines[first..].join("\n"))
    }

    fn compared(&self, base: &Side, head: &Side) -> ComparedPage {
        let side = |side: &Side| SidePage {
            name: self.text(&side.name),
            prepared: self.text(&side.prepared),
        };
        ComparedPage { base: side(base), head: side(head) }
    }

    fn failed(&self, groups: &[FailedGroup]) -> List<FailedPage> {
        let mut failed = List::of(groups, self.detail.failures, |group| FailedPage {
            names: List::of(&group.names, self.detail.names.max(1), |name| self.pen.code(name)),
            what: self.text(&group.what),
            output: String::new(),
        });
        for (page, group) in failed.items.iter_mut().zip(groups).take(self.detail.outputs) {
            page.output = self.output(&group.output, true);
        }
        failed
    }

    fn undecided(&self, view: &View) -> UndecidedPage {
        let undecided = &view.undecided;
        UndecidedPage {
            summary: self.text(&undecided.summary),
            rows: List::of(&undecided.lines, self.detail.undecided, |line| self.row(line)),
            advice: self.text(&undecided.advice),
        }
    }

    fn full(&self, view: &View) -> FullPage {
        let groups = if self.detail.full { view.full.groups.as_slice() } else { &[] };
        let group = |group: &crate::view::Group| GroupPage {
            title: if group.title.is_empty() { String::new() } else { self.pen.code(&group.title) },
            rows: group.entries.iter().map(|entry| self.entry(entry)).collect(),
        };
        FullPage {
            summary: self.text(&view.full.summary),
            groups: groups.iter().map(group).collect(),
        }
    }

    fn method(&self, view: &View) -> Vec<FactPage> {
        let facts = if self.detail.method { view.method.as_slice() } else { &[] };
        facts.iter().map(|f| FactPage { name: f.name, text: self.text(&f.text) }).collect()
    }

    fn entry(&self, entry: &Entry) -> RowPage {
        match entry {
            Entry::One(line) => self.row(line),
            Entry::Folded { mark, name, combinations, before, after, within } => RowPage {
                before: self.pen.prose(before),
                after: self.pen.prose(after),
                size: self.pen.words(within),
                notes: vec![self.text(combinations)],
                ..self.bare_row(*mark, name)
            },
        }
    }

    fn bare_row(&self, mark: Mark, name: &str) -> RowPage {
        RowPage {
            sign: mark.sign,
            word: mark.word,
            kind: mark.kind.word(),
            name: self.pen.code(name),
            before: String::new(),
            after: String::new(),
            size: String::new(),
            interval: String::new(),
            bar: String::new(),
            plot: None,
            blocks: String::new(),
            could_see: String::new(),
            notes: Vec::new(),
        }
    }

    fn row(&self, line: &Line) -> RowPage {
        // A change of a metric with a unit of its own holds that unit, which is data.
        let (size, interval) = match &line.change {
            Some(change) => (self.pen.prose(&change.size), self.pen.prose(&change.interval())),
            None => (String::new(), String::new()),
        };
        RowPage {
            before: self.pen.prose(&line.before),
            after: self.pen.prose(&line.after),
            size,
            interval,
            bar: line.bar(),
            plot: line.interval.map(plot),
            blocks: if line.blocks > 0 { line.blocks.to_string() } else { String::new() },
            could_see: line.could_see.clone(),
            notes: self.texts(&line.notes),
            ..self.bare_row(line.mark, &line.name)
        }
    }

    /// What was left out, in words, and where it is.
    fn missing(&self, view: &View) -> String {
        let detail = self.detail;
        let beyond = |all: usize, kept: usize, what: &str| {
            let n = all.saturating_sub(kept);
            (n > 0).then(|| format!("{} {what}", number::count(n)))
        };
        let listed: usize = view.others.iter().map(|other| other.names.len()).sum();
        let shown: usize = view.others.iter().map(|o| o.names.len().min(detail.names)).sum();
        let rows = view.full.groups.iter().map(|g| g.entries.len()).sum::<usize>();
        let outputs = view.failed.iter().take(detail.failures).filter(|f| !f.output.is_empty());
        let missing: Vec<String> = [
            (!detail.full && rows > 0).then(|| "the list of all results".to_owned()),
            (!detail.method).then(|| "how it was measured".to_owned()),
            beyond(listed, if detail.rest { shown } else { 0 }, "names"),
            beyond(view.warnings.len(), detail.names, "warnings"),
            beyond(view.undecided.lines.len(), detail.undecided, "undecided"),
            beyond(outputs.count(), detail.outputs, "error outputs"),
            beyond(view.failed.len(), detail.failures, "failures"),
            beyond(view.changed.len(), detail.changes, "smaller changes"),
            (!detail.rest).then(|| "notices".to_owned()),
        ]
        .into_iter()
        .flatten()
        .collect();
        if missing.is_empty() {
            return String::new();
        }
        let text = Text::of(format!("Left out for length: {}. ", missing.join(", ")));
        self.text(&text.then(self.elsewhere.clone()))
    }
}

fn plot(interval: Interval) -> Plot {
    let place = |ratio: f64| 50.0 + (ratio - 1.0) / bar::REACH * 50.0;
    let low = interval.low.map_or(f64::NEG_INFINITY, place);
    let high = interval.high.map_or(f64::INFINITY, place);
    // Two decimals are finer than any screen.
    let cut = |x: f64| (x.clamp(0.0, 100.0) * 100.0).round() / 100.0;
    Plot {
        from: cut(low),
        to: cut(high),
        at: cut(place(interval.estimate)),
        beyond_left: low < 0.0,
        beyond_right: high > 100.0,
        shown: (0.0..=100.0).contains(&place(interval.estimate)),
    }
}
