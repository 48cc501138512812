//! Writes a view as a page.

use super::{
    AcrossPage, ComparedPage, Detail, FactPage, FailedPage, FailurePage, FullPage, GroupPage,
    LabelPage, List, OtherPage, Page, Plot, RowPage, SectionPage, SidePage, SpreadPage,
    UndecidedPage,
};
use crate::{
    bar::{self, Interval},
    escape::{Pen, Plain},
    number,
    text::Text,
    view::{
        Across, Compared, Entry, Fact, FailedGroup, Folded, Group, Line, Mark, Other, Part, Side,
        Spread, Unprepared, View,
    },
};

/// Comparisons named in the shortest report.
const FEWEST_PAIRS: usize = 3;

/// Writes a view with a pen.
pub(crate) struct Writer<'a> {
    pub(crate) pen: &'a dyn Pen,
    pub(crate) detail: Detail,
    /// First line of a comment; empty where there is none.
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
        let pairs = if rest { usize::MAX } else { FEWEST_PAIRS };
        Page {
            marker: self.marker.clone(),
            headline: self.text(&view.headline),
            title: self.pen.prose(&view.headline.written(&Plain)),
            notices: view.notices.iter().take(kept(usize::MAX)).map(|n| self.text(n)).collect(),
            failure: view.failure.as_ref().map(|failure| self.failure(failure)),
            compared: view.compared.iter().take(pairs).map(|c| self.compared(c)).collect(),
            facts: view.facts.iter().map(|fact| self.text(fact)).collect(),
            failed: self.failed(&view.failed),
            scale: bar::TITLE,
            changed: List::of(&view.changed, self.detail.changes, |line| self.row(line)),
            sections: self.sections(view),
            across: self.across(&view.across),
            undecided: self.undecided(view),
            others: view.others.iter().take(kept(usize::MAX)).map(|o| self.other(o)).collect(),
            labels: view.labels.iter().take(kept(usize::MAX)).map(|l| self.label(l)).collect(),
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

    /// A sentence in the words of this pen.
    pub(crate) fn text(&self, text: &Text) -> String {
        text.written(self.pen)
    }

    fn other(&self, other: &Other) -> OtherPage {
        OtherPage {
            what: self.text(&other.what),
            names: List::of(&other.names, self.detail.names, |name| self.pen.code(name)),
        }
    }

    fn label(&self, (label, meaning): &(String, &str)) -> LabelPage {
        LabelPage { label: self.pen.words(label), meaning: self.pen.words(meaning) }
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

    fn compared(&self, Compared { base, head }: &Compared) -> ComparedPage {
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

    /// What changed, by comparison.
    fn sections(&self, view: &View) -> Vec<SectionPage> {
        let changed = || view.changed.iter().take(self.detail.changes);
        if view.parts.is_empty() {
            let rows = changed().map(|line| self.row(line)).collect();
            return vec![SectionPage { name: String::new(), headline: String::new(), rows }];
        }
        let section = |part: &Part| SectionPage {
            name: self.pen.prose(&part.name),
            headline: self.text(&part.headline),
            rows: changed()
                .filter(|line| line.place.as_ref() == Some(&part.name))
                .map(|line| self.row_called(line, &line.name))
                .collect(),
        };
        let most = if self.detail.rest { usize::MAX } else { FEWEST_PAIRS };
        view.parts.iter().take(most).map(section).collect()
    }

    fn across(&self, across: &Across) -> AcrossPage {
        let spread = |spread: &Spread| SpreadPage {
            name: self.pen.code(&spread.name),
            cells: spread.cells.iter().map(|cell| Some(self.row(cell.as_ref()?))).collect(),
            place: self.text(&spread.place),
        };
        AcrossPage {
            title: self.text(&across.title),
            columns: across.columns.iter().map(|column| self.pen.prose(column)).collect(),
            rows: List::of(&across.rows, self.detail.spread, spread),
        }
    }

    fn full(&self, view: &View) -> FullPage {
        let groups = if self.detail.full { view.full.groups.as_slice() } else { &[] };
        let group = |group: &Group| GroupPage {
            title: if group.title.is_empty() { String::new() } else { self.pen.cell(&group.title) },
            rows: group.entries.iter().flat_map(|entry| self.entry(entry)).collect(),
        };
        FullPage {
            summary: self.text(&view.full.summary),
            groups: groups.iter().map(group).collect(),
        }
    }

    fn method(&self, view: &View) -> Vec<FactPage> {
        let facts = if self.detail.method { view.method.as_slice() } else { &[] };
        self.facts(facts.iter())
    }

    /// Lines of provenance.
    pub(crate) fn facts<'f>(&self, facts: impl Iterator<Item = &'f Fact>) -> Vec<FactPage> {
        facts.map(|f| FactPage { name: f.name, text: self.text(&f.text) }).collect()
    }

    fn entry(&self, entry: &Entry) -> Vec<RowPage> {
        match &entry.folded {
            Some(folded) if self.detail.folded => vec![self.folded(folded)],
            // The title of their group has the comparison.
            _ => entry.lines.iter().map(|line| self.row_called(line, &line.name)).collect(),
        }
    }

    fn folded(&self, folded: &Folded) -> RowPage {
        RowPage {
            before: self.pen.prose(&folded.before),
            after: self.pen.prose(&folded.after),
            size: self.pen.words(&folded.within),
            notes: vec![self.text(&folded.combinations)],
            ..self.bare_row(folded.mark, &folded.name)
        }
    }

    fn bare_row(&self, mark: Mark, name: &str) -> RowPage {
        RowPage {
            sign: mark.sign,
            word: mark.word,
            kind: mark.kind.word(),
            name: self.pen.cell(name),
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

    /// One row of a table.
    pub(crate) fn row(&self, line: &Line) -> RowPage {
        self.row_called(line, &line.full_name())
    }

    /// The same under another name.
    fn row_called(&self, line: &Line, name: &str) -> RowPage {
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
            notes: line.notes.iter().map(|note| self.text(note)).collect(),
            ..self.bare_row(line.mark, name)
        }
    }

    /// What was left out, in words, and where it is.
    fn missing(&self, view: &View) -> String {
        let detail = self.detail;
        let beyond = |all: usize, kept: usize, one: &str, many: &str| {
            let n = all.saturating_sub(kept);
            let what = if n == 1 { one } else { many };
            (n > 0).then(|| format!("{} {what}", number::count(n)))
        };
        let listed: usize = view.others.iter().map(|other| other.names.len()).sum();
        let shown: usize = view.others.iter().map(|o| o.names.len().min(detail.names)).sum();
        let outputs = view.failed.iter().take(detail.failures).filter(|f| !f.output.is_empty());
        let missing: Vec<String> = [
            (!detail.full && view.full.entries() > 0).then(|| "the list of all results".to_owned()),
            (!detail.method).then(|| "how it was measured".to_owned()),
            beyond(listed, if detail.rest { shown } else { 0 }, "name", "names"),
            beyond(view.warnings.len(), detail.names, "warning", "warnings"),
            beyond(view.undecided.lines.len(), detail.undecided, "undecided", "undecided"),
            beyond(outputs.count(), detail.outputs, "error output", "error outputs"),
            beyond(view.failed.len(), detail.failures, "failure", "failures"),
            beyond(view.across.rows.len(), detail.spread, "line across", "lines across"),
            beyond(view.changed.len(), detail.changes, "smaller change", "smaller changes"),
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
