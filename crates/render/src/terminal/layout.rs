//! Tables and paragraphs that fit a width, measured as terminals display them.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// How a piece of text stands out. Each has a plain meaning without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Normal,
    Bold,
    Dim,
    Bad,
    Good,
    Open,
}

impl Style {
    /// Text between the escape sequences of a style.
    pub(super) fn paint(self, text: &str) -> String {
        let code = match self {
            Self::Normal => return text.to_owned(),
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Bad => "1;31",
            Self::Good => "1;32",
            Self::Open => "33",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// A cell of a table.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self::styled(text, Style::Normal)
    }

    pub(super) fn styled(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// To the right, close to the column before.
    Close,
    /// To the left; its texts lose their middles where there is no room.
    Flexible,
}

/// A line of a table.
enum Line {
    Cells(Vec<Cell>),
    /// Text across the columns, indented as far as the first flexible column.
    Note(String),
    Title(String),
}

/// A table.
pub(super) struct Table {
    columns: Vec<Column>,
    /// Columns that may go, first to last.
    droppable: Vec<usize>,
    lines: Vec<Line>,
}

/// What a table is indented by.
const INDENT: usize = 2;
/// Below this, columns are dropped rather than names shortened further.
const LEAST_NAME: usize = 28;

impl Table {
    pub(super) fn new(columns: &[Column], droppable: &[usize]) -> Self {
        Self { columns: columns.to_vec(), droppable: droppable.to_vec(), lines: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: Vec<Cell>) {
        self.lines.push(Line::Cells(cells));
    }

    pub(super) fn note(&mut self, text: String) {
        self.lines.push(Line::Note(text));
    }

    pub(super) fn title(&mut self, text: String) {
        self.lines.push(Line::Title(text));
    }

    /// Adds the lines of another table with the same columns.
    pub(super) fn append(&mut self, other: Self) {
        self.lines.extend(other.lines);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The table's lines, at most `room` columns wide where that can be; notes are wrapped at
    /// `notes`.
    pub(super) fn print(
        &self,
        (room, notes): (usize, usize),
        paint: impl Fn(Style, &str) -> String,
    ) -> Vec<String> {
        let widths = self.widths(room);
        let start: usize = (0..self.columns.len())
            .take_while(|&column| self.columns[column] != Column::Flexible)
            .map(|column| self.advance(column, &widths))
            .sum();
        let print = |line: &Line| match line {
            Line::Cells(cells) => vec![self.print_cells(cells, &widths, &paint)],
            Line::Note(text) => {
                let lines = wrap(text, notes, INDENT + start);
                lines.iter().map(|line| paint(Style::Dim, line)).collect()
            }
            Line::Title(text) => {
                vec![format!("{:INDENT$}{}", "", paint(Style::Bold, &cut_middle(text, room)))]
            }
        };
        self.lines.iter().flat_map(print).collect()
    }

    fn print_cells(
        &self,
        cells: &[Cell],
        widths: &[usize],
        paint: &impl Fn(Style, &str) -> String,
    ) -> String {
        let mut out = " ".repeat(INDENT);
        let mut pending = 0;
        for (column, cell) in cells.iter().enumerate() {
            let width = widths[column];
            if width == 0 {
                continue;
            }
            let text = cut_middle(&cell.text, width);
            let padding = width - text.width().min(width);
            let is_right = matches!(self.columns[column], Column::Right | Column::Close);
            let (before, after) = if is_right { (padding, 0) } else { (0, padding) };
            if !text.is_empty() {
                out.push_str(&" ".repeat(pending + before));
                out.push_str(&paint(cell.style, &text));
                pending = 0;
            } else {
                pending += before;
            }
            pending += after + self.gap(column + 1, widths);
        }
        out
    }

    /// Width of each column, 0 for those that are empty or dropped.
    fn widths(&self, room: usize) -> Vec<usize> {
        let mut widths = vec![0; self.columns.len()];
        for line in &self.lines {
            let Line::Cells(cells) = line else { continue };
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.text.width());
            }
        }
        let flexible = self.columns.iter().position(|column| *column == Column::Flexible);
        if let Some(flexible) = flexible {
            self.fit(&mut widths, flexible, room);
        }
        widths
    }

    /// Drops columns until what is left fits with no more than shortened names.
    fn fit(&self, widths: &mut [usize], flexible: usize, room: usize) {
        let wanted = widths[flexible];
        let over = |widths: &[usize]| (INDENT + self.total(widths)).saturating_sub(room);
        for &column in &self.droppable {
            if over(widths) == 0 || wanted >= LEAST_NAME + over(widths) {
                break;
            }
            widths[column] = 0;
        }
        // A terminal that is narrower still gets lines that are too long, and readable.
        let shortened = wanted.saturating_sub(over(widths));
        widths[flexible] = shortened.max(wanted.min(LEAST_NAME));
    }

    fn total(&self, widths: &[usize]) -> usize {
        (0..widths.len()).map(|column| self.advance(column, widths)).sum::<usize>()
            - self.last_gap(widths)
    }

    /// A column and the gap after it.
    fn advance(&self, column: usize, widths: &[usize]) -> usize {
        if widths[column] == 0 { 0 } else { widths[column] + self.gap(column + 1, widths) }
    }

    /// The gap before a column.
    fn gap(&self, column: usize, widths: &[usize]) -> usize {
        let next = (column..self.columns.len()).find(|&next| widths[next] > 0);
        match next.map(|next| self.columns[next]) {
            Some(Column::Close) => 1,
            Some(_) => 2,
            None => 0,
        }
    }

    fn last_gap(&self, widths: &[usize]) -> usize {
        let last = (0..widths.len()).rfind(|&column| widths[column] > 0);
        last.map_or(0, |last| self.gap(last + 1, widths))
    }
}

/// Text at most `most` columns wide, its middle replaced by `…`.
pub(super) fn cut_middle(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(1);
    let tail: String = take(text.chars().rev(), room / 2).chars().rev().collect();
    let head = take(text.chars(), room.saturating_sub(tail.width()));
    format!("{head}…{tail}")
}

fn take(chars: impl Iterator<Item = char>, room: usize) -> String {
    let mut used = 0;
    chars
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= room
        })
        .collect()
}

/// Words in lines at most `room` columns wide; lines after the first are indented further.
pub(super) fn wrap(text: &str, room: usize, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = " ".repeat(indent);
    let (mut used, mut is_fresh) = (indent, true);
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let width = word.width();
        if !is_fresh && used + 1 + width > room {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent + 2)));
            (used, is_fresh) = (indent + 2, true);
        }
        if !is_fresh {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += width;
        is_fresh = false;
    }
    lines.push(line);
    lines
}
