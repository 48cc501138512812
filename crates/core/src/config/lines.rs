//! Where a configuration says what it says.

use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};

/// Where the keys of a file stand: `suite.0.threshold` → its line, counted from 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    /// The file, as it is shown.
    pub(crate) file: String,
    /// Every key and array element.
    pub(crate) of: BTreeMap<String, usize>,
    /// Byte offsets of the ends of all lines: a long file has many keys, and counting from its beginning
    /// for each of them would take the square of its length.
    ends: Vec<usize>,
}

impl Lines {
    /// Of a file of which nothing is known but its text; `file` is how it is called in messages.
    pub(crate) fn of_text(file: &str, text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at);
        Self { file: file.to_owned(), of: BTreeMap::new(), ends: ends.collect() }
    }

    /// `bench-action.toml:12` for a byte offset.
    pub(crate) fn at(&self, offset: usize) -> String {
        format!("{}:{}", self.file, self.line(offset))
    }

    /// `bench-action.toml:12` for a key; where the key is missing, the line of what should hold it.
    pub(crate) fn place(&self, key: &str) -> String {
        let mut path = key;
        loop {
            if let Some(line) = self.of.get(path) {
                return format!("{}:{line}", self.file);
            }
            match path.rfind('.') {
                Some(dot) => path = &path[..dot],
                None => return self.file.clone(),
            }
        }
    }

    /// Notes the keys of a table and of all that is in it; `path` is its own key, empty for the whole file.
    pub(crate) fn note(&mut self, path: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let path = if path.is_empty() {
                key.get_ref().to_string()
            } else {
                format!("{path}.{}", key.get_ref())
            };
            self.note_value(path, key.span().start, value.get_ref());
        }
    }

    fn note_value(&mut self, path: String, offset: usize, value: &DeValue<'_>) {
        match value {
            DeValue::Table(table) => self.note(&path, table),
            DeValue::Array(array) => {
                for (index, element) in array.iter().enumerate() {
                    let path = format!("{path}.{index}");
                    self.note_value(path, element.span().start, element.get_ref());
                }
            }
            _ => {}
        }
        self.of.insert(path, self.line(offset));
    }

    fn line(&self, offset: usize) -> usize {
        self.ends.partition_point(|end| *end < offset) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn lines_are_counted_from_one_and_end_with_their_newline() {
        let lines = Lines::of_text("file", "a\n\nb\n");
        let at = [0, 1, 2, 3, 4, 5, 99].map(|offset| lines.at(offset));
        assert_eq!(at, ["file:1", "file:1", "file:2", "file:3", "file:3", "file:4", "file:4"]);
        assert_eq!(Lines::of_text("empty", "").at(0), "empty:1");
    }
}
