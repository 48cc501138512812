//! The report for a terminal or a log: as wide as there is room, aligned by display width.

mod layout;

use crate::{
    Color, LongLines, Options, Show, bar,
    escape::{Pen as _, Plain},
    text::Text,
    view::{FailedGroup, Kind, Line, Mark, NOT_KNOWN, Unprepared, View},
};
use bench_results::Results;
use layout::{Cell, Column, Style, Table, cut_middle, wrap};

/// Lines of output shown of each failure.
const OUTPUT_LINES: usize = 20;
/// Names listed of each kind that has no verdict, unless everything is asked for.
const NAMES: usize = 5;
/// Sign, word, name, base, arrow, head, change, lower end, upper end, bar.
const COLUMNS: [Column; 10] = {
    use Column::{Close, Flexible, Left, Right};
    [Left, Left, Flexible, Right, Close, Close, Right, Right, Close, Left]
};
/// What a narrow terminal goes without: the words (their signs stay), then the bar.
const DROPPABLE: [usize; 2] = [1, 9];

/// The report, ending with a newline. Escape sequences are in it only where colours are asked for.
#[must_use]
pub fn terminal(results: &Results, options: &Options) -> String {
    let view = View::new(results, options);
    let mut screen = Screen { out: String::new(), options };
    screen.sides(&view);
    screen.failure(view.failure.as_ref());
    screen.failed(&view.failed);
    screen.across(&view);
    screen.rows(&view);
    screen.others(&view);
    screen.remarks(&view);
    screen.method(&view);
    screen.verdict(&view);
    screen.out
}

struct Screen<'a> {
    out: String,
    options: &'a Options,
}

impl Screen<'_> {
    fn sides(&mut self, view: &View) {
        let mut table = Table::new(&[Column::Left, Column::Flexible, Column::Left], &[2]);
        for pair in &view.compared {
            for (word, side) in [("base", &pair.base), ("head", &pair.head)] {
                table.row(vec![
                    Cell::styled(word, Style::Dim),
                    Cell::new(plain(&side.name)),
                    Cell::styled(plain(&side.prepared), Style::Dim),
                ]);
            }
        }
        self.table(&table);
        let measured = view.method.iter().find(|fact| fact.name == "Measured");
        if let (Some(fact), None) = (measured, &view.failure) {
            self.paragraph(&plain(&fact.text), 0, Style::Dim);
            self.gap();
        }
    }

    fn failure(&mut self, failure: Option<&Unprepared>) {
        let Some(failure) = failure else { return };
        self.paragraph(&format!("error: {}", plain(&failure.what)), 0, Style::Bad);
        self.paragraph(&plain(&failure.place), 2, Style::Normal);
        self.output(&failure.output);
        self.paragraph(&plain(&failure.remedy), 2, Style::Normal);
        self.gap();
    }

    fn failed(&mut self, groups: &[FailedGroup]) {
        for group in groups {
            let names = self.names(&group.names);
            self.paragraph(&format!("✗ {names} {}", plain(&group.what)), 0, Style::Bad);
            self.output(&group.output);
        }
        self.gap();
    }

    /// The end of what a program printed.
    fn output(&mut self, output: &str) {
        let text = Plain.block(output);
        let lines: Vec<&str> = text.lines().collect();
        let hidden = lines.len().saturating_sub(OUTPUT_LINES);
        let room = self.room().saturating_sub(6).max(20);
        for line in &lines[hidden..] {
            // A path's end, with file and line, says more than its middle.
            self.line(&format!("    │ {}", cut_middle(line, room)));
        }
    }

    /// Columns that a line which cannot be wrapped may take.
    fn room(&self) -> usize {
        match self.options.long_lines {
            LongLines::Cut => self.options.width,
            LongLines::Whole => usize::MAX,
        }
    }

    /// Where several comparisons differ.
    fn across(&mut self, view: &View) {
        if view.parts.is_empty() {
            return;
        }
        self.paragraph(&plain(&view.across.title), 0, Style::Bold);
        let mut table = Table::new(&COLUMNS, &DROPPABLE);
        for spread in &view.across.rows {
            table.title(format!("{}: {}", Plain.code(&spread.name), plain(&spread.place)));
            for (column, cell) in view.across.columns.iter().zip(&spread.cells) {
                cell.iter().for_each(|line| add_cells(&mut table, line, column));
            }
        }
        if !table.is_empty() {
            self.table(&table);
        }
        self.gap();
    }

    /// Changes and undecided ones in one table, so that their columns align; or everything.
    fn rows(&mut self, view: &View) {
        let mut table = Table::new(&COLUMNS, &DROPPABLE);
        if self.options.show == Show::All {
            for group in &view.full.groups {
                if !group.title.is_empty() {
                    table.title(Plain.code(&group.title));
                }
                let lines = group.entries.iter().flat_map(|entry| &entry.lines);
                lines.for_each(|line| add_line(&mut table, line));
            }
        } else if view.parts.is_empty() {
            let lines = view.changed.iter().chain(&view.undecided.lines);
            lines.for_each(|line| add_line(&mut table, line));
        } else {
            for part in &view.parts {
                table.title(format!("{}: {}", Plain.prose(&part.name), plain(&part.headline)));
                let lines = view.changed.iter().chain(&view.undecided.lines);
                let own = lines.filter(|line| line.place.as_ref() == Some(&part.name));
                own.for_each(|line| add_line(&mut table, line));
            }
        }
        if !table.is_empty() {
            let mut headed = Table::new(&COLUMNS, &DROPPABLE);
            headed.row(header());
            headed.append(table);
            self.table(&headed);
        }
    }

    fn others(&mut self, view: &View) {
        for other in &view.others {
            let names = self.names(&other.names);
            self.paragraph(&format!("{}: {names}", plain(&other.what)), 0, Style::Normal);
        }
        self.gap();
    }

    /// What goes with the numbers: labels, advice, warnings.
    fn remarks(&mut self, view: &View) {
        for (label, meaning) in &view.labels {
            self.paragraph(&format!("{label}: {meaning}"), 0, Style::Dim);
        }
        if !view.undecided.summary.is_empty() {
            let advice = plain(&view.undecided.advice);
            // It is not said twice within a screen.
            let comes = view.notices.iter().any(|notice| plain(notice).ends_with(&advice));
            let advice = if comes { String::new() } else { advice };
            let text = format!("{}. {advice}", plain(&view.undecided.summary));
            self.paragraph(text.trim_end(), 0, Style::Dim);
        }
        for warning in &view.warnings {
            self.paragraph(&format!("! {}", Plain.prose(warning)), 0, Style::Open);
        }
        self.gap();
    }

    /// How it was measured, for those who want to know everything.
    fn method(&mut self, view: &View) {
        if self.options.show != Show::All {
            return;
        }
        for fact in &view.method {
            self.paragraph(&format!("{}: {}", fact.name, plain(&fact.text)), 0, Style::Dim);
        }
        if let Some(command) = &view.reproduce {
            self.line(&format!("  {}", Plain.code(command)));
        }
        self.gap();
    }

    /// The last lines, which stay in sight: what happened, and where the files are.
    fn verdict(&mut self, view: &View) {
        for notice in &view.notices {
            self.paragraph(&format!("! {}", plain(notice)), 0, Style::Open);
        }
        self.paragraph(&plain(&view.headline), 0, Style::Bold);
        let facts = Text::join(view.facts.iter().cloned(), " · ");
        if !facts.is_empty() {
            self.paragraph(&plain(&facts), 0, Style::Normal);
        }
        if let Some(paths) = &self.options.paths {
            let (results, report) = (Plain.code(&paths.results), Plain.code(&paths.report));
            self.line(&format!("  results  {results}     report  {report}"));
        }
    }

    fn names(&self, names: &[String]) -> String {
        let most = if self.options.show == Show::All { usize::MAX } else { NAMES };
        let shown: Vec<String> = names.iter().take(most).map(|name| Plain.code(name)).collect();
        let list = shown.join(", ");
        match names.len() - shown.len() {
            0 => list,
            more => format!("{list} and {more} more"),
        }
    }

    fn table(&mut self, table: &Table) {
        let color = self.options.color;
        let widths = (self.room(), self.options.width);
        for line in table.print(widths, |style, text| paint(color, style, text)) {
            self.line(&line);
        }
        self.gap();
    }

    fn paragraph(&mut self, text: &str, indent: usize, style: Style) {
        for line in wrap(text, self.options.width, indent + 2) {
            let line = paint(self.options.color, style, &line);
            self.line(&line);
        }
    }

    fn line(&mut self, line: &str) {
        self.out.push_str(&harmless_in_logs(line));
        self.out.push('\n');
    }

    /// One empty line, unless there is one already or nothing before.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }
}

/// A CI log obeys lines that begin with `::`, white space aside, and `##[` anywhere in them.
fn harmless_in_logs(line: &str) -> String {
    let line = line.replace("##[", "## [");
    let text = line.trim_start();
    if text.starts_with("::") {
        let indent = &line[..line.len() - text.len()];
        return format!("{indent}· {text}");
    }
    line
}

fn plain(text: &Text) -> String {
    text.written(&Plain)
}

fn paint(color: Color, style: Style, text: &str) -> String {
    match color {
        Color::Never => text.to_owned(),
        Color::Always => style.paint(text),
    }
}

fn style(mark: Mark) -> Style {
    match mark.kind {
        Kind::Worse | Kind::Failed => Style::Bad,
        Kind::Better => Style::Good,
        Kind::Open | Kind::Accepted => Style::Open,
        Kind::Same | Kind::Other => Style::Dim,
    }
}

fn header() -> Vec<Cell> {
    let words = ["", "", "benchmark", "base", "", "head", "change", "", "", bar::SCALE];
    words.map(|word| Cell::styled(word, Style::Dim)).to_vec()
}

fn add_line(table: &mut Table, line: &Line) {
    add_cells(table, line, &line.name);
    add_note(table, &Text::join(line.notes.iter().cloned(), " · "));
}

/// The cells of a line, under a name.
fn add_cells(table: &mut Table, line: &Line, name: &str) {
    let style = style(line.mark);
    let prose = |text: &str| Plain.prose(text);
    let (size, low, high) = match &line.change {
        Some(c) if c.high.is_empty() => {
            (prose(&c.size), format!("({})", prose(&c.low)), String::new())
        }
        Some(c) => {
            (prose(&c.size), format!("({} …", prose(&c.low)), format!("{})", prose(&c.high)))
        }
        None => Default::default(),
    };
    let bar = if line.mark.kind == Kind::Open && line.could_see != NOT_KNOWN {
        format!("could see {}", Plain.words(&line.could_see))
    } else {
        line.bar()
    };
    let arrow = if line.before.is_empty() || line.after.is_empty() { "" } else { "→" };
    table.row(vec![
        Cell::styled(line.mark.sign, style),
        Cell::styled(line.mark.word, style),
        Cell::new(Plain.code(name)),
        Cell::new(prose(&line.before)),
        Cell::styled(arrow, Style::Dim),
        Cell::new(prose(&line.after)),
        Cell::styled(size, style),
        Cell::new(low),
        Cell::new(high),
        Cell::new(bar),
    ]);
}

fn add_note(table: &mut Table, note: &Text) {
    if !note.is_empty() {
        table.note(plain(note));
    }
}
