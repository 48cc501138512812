//! `results.json` as a script would read it: by the names of the contract, not by our own types.

use serde_json::Value;
use std::fs;
use std::path::Path;

/// A results file.
#[derive(Clone, Debug)]
pub(crate) struct ResultsFile(pub(crate) Value);

impl ResultsFile {
    /// Reads `results.json` in a directory.
    pub(crate) fn read(directory: &Path) -> Self {
        let path = directory.join("results.json");
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let value: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(value["schema"], "bench-action/results/v1");
        Self(value)
    }

    /// The rows.
    pub(crate) fn rows(&self) -> &[Value] {
        self.0["benchmarks"].as_array().unwrap()
    }

    /// The row of an id.
    pub(crate) fn row(&self, id: &str) -> &Value {
        let found = self.rows().iter().find(|row| row["id"] == id);
        found.unwrap_or_else(|| panic!("no row {id} among {:?}", self.ids()))
    }

    /// The verdict on an id.
    pub(crate) fn verdict(&self, id: &str) -> &str {
        self.row(id)["verdict"].as_str().unwrap()
    }

    /// All ids, in order.
    pub(crate) fn ids(&self) -> Vec<&str> {
        self.rows().iter().map(|row| row["id"].as_str().unwrap()).collect()
    }

    /// How many blocks of a row count.
    pub(crate) fn counted(&self, id: &str) -> usize {
        blocks(self.row(id)).iter().filter(|block| block["counted"] == true).count()
    }
}

/// The blocks of a row.
pub(crate) fn blocks(row: &Value) -> &[Value] {
    row["blocks"].as_array().map_or(&[], Vec::as_slice)
}
