//! What a template sees: the view, written by one format's pen, with as much detail as there is
//! room for. Every value is text that may be printed as it is.

mod writer;

use serde::Serialize;
pub(crate) use writer::Writer;

/// How much is said. Each field cuts one thing, in the order in which things are given up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    /// The list of everything.
    pub(crate) full: bool,
    /// Whether unchanged combinations of one benchmark share a line of it.
    pub(crate) folded: bool,
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
    /// Benchmarks shown across several comparisons.
    pub(crate) spread: usize,
    /// Changes shown.
    pub(crate) changes: usize,
    /// Everything else but the headline and what was compared.
    pub(crate) rest: bool,
}

impl Detail {
    /// Everything.
    pub(crate) const ALL: Self = Self {
        full: true,
        folded: false,
        method: true,
        names: usize::MAX,
        undecided: usize::MAX,
        outputs: usize::MAX,
        lines: usize::MAX,
        failures: usize::MAX,
        spread: usize::MAX,
        changes: usize::MAX,
        rest: true,
    };

    /// What a comment says where there is room.
    pub(crate) const COMMENT: Self = Self { folded: true, names: 50, lines: 20, ..Self::ALL };
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
    /// The same by comparison; a single one has no name.
    sections: Vec<SectionPage>,
    /// Where several comparisons differ.
    across: AcrossPage,
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
pub(crate) struct RowPage {
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
    pub(crate) plot: Option<Plot>,
    blocks: String,
    could_see: String,
    notes: Vec<String>,
}

/// An interval on a line from 0 (−10 %) to 100 (+10 %), cut at the ends.
#[derive(Debug, Serialize)]
pub(crate) struct Plot {
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
struct SectionPage {
    /// The comparison; empty where it is the only one.
    name: String,
    headline: String,
    rows: Vec<RowPage>,
}

#[derive(Debug, Serialize)]
struct AcrossPage {
    /// Empty where there is but one comparison.
    title: String,
    columns: Vec<String>,
    rows: List<SpreadPage>,
}

#[derive(Debug, Serialize)]
struct SpreadPage {
    name: String,
    /// One for each column; null where the benchmark is not there.
    cells: Vec<Option<RowPage>>,
    place: String,
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
pub(crate) struct FactPage {
    name: &'static str,
    text: String,
}
