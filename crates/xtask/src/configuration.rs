//! The page about `bench-action.toml`, made from its schema.

use crate::failure::Failure;
use crate::workspace::string;
use serde_json::Value;

const HEADER: &str =
    "<!-- Written by `cargo xtask docs`; changes belong into crates/core/src/config. -->";

const INTRODUCTION: &str = "Everything is optional: without a file the suites that are found are run with the \
defaults. The file is `bench-action.toml` at the root of the repository, or what `--config` names; flags go \
before the file. A key that is not known is an error that names its line and the key that was probably meant. \
`bench-action run --dry-run` prints what was made of it, and `bench-action list` the benchmarks it leads to.

```toml
[compare]
threshold = \"3%\"
fail-on = \"regression\"
ignore-paths = [\"docs/**\", \"*.md\"]

[[suite]]
name = \"asv\"
harness = \"asv\"

[[suite]]
name = \"cli\"
harness = \"command\"
build = [\"cargo build --release\"]

[[suite.benchmark]]
name = \"parse\"
run = \"target/release/tool parse big.txt\"
metrics = [\"time\", \"peak-memory\"]
```
";

/// The tables in the order they are read in: how each is written, and its name in the schema.
const TABLES: [(&str, &str); 6] = [
    ("[compare]", "CompareTable"),
    ("[[suite]]", "SuiteTable"),
    ("[[suite.benchmark]]", "BenchmarkTable"),
    ("[[suite.override]]", "OverrideTable"),
    ("[[environment]]", "EnvironmentTable"),
    ("[[accept]]", "AcceptTable"),
];

/// The page, from the schema's text.
pub(crate) fn page(schema: &str) -> Result<String, Failure> {
    let malformed = |message: String| Failure::Malformed { what: "schema config".into(), message };
    let schema: Value =
        serde_json::from_str(schema).map_err(|error| malformed(error.to_string()))?;
    let mut page = format!("# Configuration\n\n{HEADER}\n\n{INTRODUCTION}");
    for (written, name) in TABLES {
        let table = &schema["$defs"][name];
        let keys = table["properties"]
            .as_object()
            .ok_or_else(|| malformed(format!("there is no table {name}")))?;
        page += &format!(
            "\n## `{written}`\n\n{}\n\n| key | |\n|---|---|\n",
            string(&table["description"])
        );
        for (key, value) in keys {
            // Tables of their own have headings of their own.
            if !TABLES.iter().any(|(written, _)| *written == format!("[[suite.{key}]]")) {
                let mut required = table["required"].as_array().into_iter().flatten();
                let must = if required.any(|name| name == key) { "Required. " } else { "" };
                page += &format!("| `{key}` | {must}{} |\n", cell(string(&value["description"])));
            }
        }
    }
    Ok(page)
}

/// A description in one line, with nothing in it that would end a cell.
fn cell(description: &str) -> String {
    description.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stand_in_tables_with_what_they_mean() {
        let table = r#"{"description": "What.", "required": ["a-b"], "properties": {"a-b": {"description": "One |\n two."}, "benchmark": {}}}"#;
        let definitions: Vec<String> =
            TABLES.iter().map(|(_, name)| format!("\"{name}\": {table}")).collect();
        let page = page(&format!("{{\"$defs\": {{{}}}}}", definitions.join(","))).unwrap();
        assert!(page.contains("## `[[suite]]`\n\nWhat.\n"), "{page}");
        assert!(page.contains("| `a-b` | Required. One \\| two. |"), "{page}");
        assert!(!page.contains("| `benchmark`"), "{page}");
    }

    #[test]
    fn a_table_that_is_gone_is_noticed() {
        assert!(page("{}").is_err());
    }
}
