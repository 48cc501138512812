//! The cells of one line of CSV, by the names of their columns.

use crate::ReadError;
use std::collections::BTreeMap;
use std::str::FromStr;

/// Where the columns are that a reader needs.
pub(super) struct Columns {
    place: String,
    at: BTreeMap<&'static str, usize>,
}

impl Columns {
    /// Finds the wanted ones; others may stand there too.
    ///
    /// # Errors
    /// When one is missing or there twice.
    pub(super) fn of(
        header: &csv::StringRecord,
        wanted: impl Iterator<Item = &'static str>,
        place: &str,
    ) -> Result<Self, ReadError> {
        let mut at = BTreeMap::new();
        for name in wanted {
            let mut found = header.iter().enumerate().filter(|(_, title)| *title == name);
            let message = match (found.next(), found.next()) {
                (Some((column, _)), None) => {
                    at.insert(name, column);
                    continue;
                }
                (Some(_), Some(_)) => "it is there twice: remove or rename one",
                (None, _) => {
                    "it is missing: keep all columns of `bench-action render --format csv`, with commas between them"
                }
            };
            return Err(cell(place, 1, name, message));
        }
        Ok(Self { place: place.to_owned(), at })
    }
}

/// One line.
pub(super) struct Cells<'a> {
    columns: &'a Columns,
    record: &'a csv::StringRecord,
    /// Where it begins, from 1.
    pub(super) line: u64,
}

impl<'a> Cells<'a> {
    pub(super) fn new(columns: &'a Columns, record: &'a csv::StringRecord) -> Self {
        let line = record.position().map_or(0, csv::Position::line);
        Self { columns, record, line }
    }

    /// What stands in a column; `name` is one of those that were wanted.
    pub(super) fn text(&self, name: &str) -> &'a str {
        self.columns.at.get(name).and_then(|at| self.record.get(*at)).unwrap_or("")
    }

    pub(super) fn has(&self, name: &str) -> bool {
        !self.text(name).is_empty()
    }

    /// A whole number, if the cell has one.
    pub(super) fn whole<N: FromStr>(&self, name: &str) -> Result<Option<N>, ReadError> {
        self.parsed(name, "no whole number that fits here, such as 12")
    }

    /// A finite number, if the cell has one.
    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, ReadError> {
        const EXPECTED: &str = "no finite number, such as 0.25";
        let number = self.parsed::<f64>(name, EXPECTED)?;
        match number {
            Some(number) if !number.is_finite() => Err(self.wrong(name, EXPECTED)),
            number => Ok(number),
        }
    }

    /// `TRUE` or `FALSE`, if the cell has one, as R writes it, or `True` as pandas does.
    pub(super) fn truth(&self, name: &str) -> Result<Option<bool>, ReadError> {
        match self.text(name) {
            "" => Ok(None),
            "TRUE" | "True" | "true" => Ok(Some(true)),
            "FALSE" | "False" | "false" => Ok(Some(false)),
            _ => Err(self.wrong(name, "neither `TRUE` nor `FALSE`")),
        }
    }

    fn parsed<T: FromStr>(&self, name: &str, expected: &str) -> Result<Option<T>, ReadError> {
        let text = self.text(name);
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| self.wrong(name, expected))
    }

    /// What must be there.
    pub(super) fn needed<T>(&self, name: &str, value: Option<T>) -> Result<T, ReadError> {
        value.ok_or_else(|| {
            self.error(name, "the cell is empty: fill it, or write the file anew with `bench-action render --format csv`")
        })
    }

    /// A cell that holds something else than is expected of it.
    pub(super) fn wrong(&self, name: &str, expected: &str) -> ReadError {
        let shown: String = self.text(name).chars().take(40).collect();
        self.error(name, &format!("`{shown}` is {expected}: mend the cell"))
    }

    pub(super) fn error(&self, name: &str, message: &str) -> ReadError {
        cell(&self.columns.place, self.line, name, message)
    }
}

/// An error at a line and a column.
pub(super) fn cell(place: &str, line: u64, column: &str, message: &str) -> ReadError {
    ReadError::Cell {
        place: format!("{place}:{line}"),
        column: column.to_owned(),
        message: message.to_owned(),
    }
}
