//! The tables of inputs and outputs in docs/action.md, from action.yml.

use crate::failure::Failure;
use crate::workspace;

/// The page, and what its tables are made of.
pub(crate) const PAGE: &str = "docs/action.md";
const SOURCE: &str = "action.yml";

/// An input or an output.
#[derive(Debug, Default, PartialEq, Eq)]
struct Entry {
    name: String,
    description: String,
    /// Of inputs; empty where there is none.
    default: String,
}

/// The page as it should be: what stands between the marks is written anew.
pub(crate) fn page() -> Result<String, Failure> {
    let source = workspace::text(SOURCE)?.unwrap_or_default();
    let mut page = workspace::text(PAGE)?.unwrap_or_default();
    for (section, table) in [("inputs", inputs(&source)), ("outputs", outputs(&source))] {
        page = filled(&page, section, &table).ok_or_else(|| Failure::Malformed {
            what: PAGE.into(),
            message: format!("there are no marks <!-- {section} --> and <!-- /{section} -->"),
        })?;
    }
    Ok(page)
}

fn filled(page: &str, section: &str, table: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- {section} -->"), format!("<!-- /{section} -->"));
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n\n{table}\n{end}{after}"))
}

fn inputs(source: &str) -> String {
    let rows = entries(source, "inputs").into_iter().map(|Entry { name, description, default }| {
        let default = if default.is_empty() { String::new() } else { format!("`{default}`") };
        format!("| `{name}` | {description} | {default} |\n")
    });
    format!("| input | | default |\n|---|---|---|\n{}", rows.collect::<String>())
}

fn outputs(source: &str) -> String {
    let rows = entries(source, "outputs").into_iter();
    let rows = rows.map(|entry| format!("| `{}` | {} |\n", entry.name, entry.description));
    format!("| output | |\n|---|---|\n{}", rows.collect::<String>())
}

/// The entries of a section. The file is ours and written in one way: one line for each key, two
/// spaces before names, four before what is said of them.
fn entries(source: &str, section: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let lines = source.lines().skip_while(|line| *line != format!("{section}:")).skip(1);
    for line in lines.take_while(|line| line.is_empty() || line.starts_with(' ')) {
        let Some((key, value)) = line.trim().split_once(':') else { continue };
        let value = value.trim().trim_matches('"').to_owned();
        match (line.len() - line.trim_start().len(), entries.last_mut()) {
            (2, _) => entries.push(Entry { name: key.to_owned(), ..Entry::default() }),
            (4, Some(entry)) if key == "description" => entry.description = value,
            (4, Some(entry)) if key == "default" => entry.default = value,
            _ => {}
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "name: x\n\ninputs:\n  mode:\n    description: \"What: a or b\"\n    \
        default: run\n  base:\n    description: Base\n    default: \"\"\n\noutputs:\n  verdict:\n    \
        description: One word\n    value: x\nruns:\n  using: composite\n";

    #[test]
    fn inputs_and_outputs_are_read_with_what_is_said_of_them() {
        assert_eq!(
            inputs(SOURCE),
            "| input | | default |\n|---|---|---|\n| `mode` | What: a or b | `run` |\n| `base` | Base |  |\n"
        );
        assert_eq!(outputs(SOURCE), "| output | |\n|---|---|\n| `verdict` | One word |\n");
    }

    #[test]
    fn only_what_stands_between_the_marks_is_written() {
        let page = "a\n<!-- inputs -->\nold\n<!-- /inputs -->\nb\n";
        let filled_page = filled(page, "inputs", "new\n").unwrap();
        assert_eq!(filled_page, "a\n<!-- inputs -->\n\nnew\n\n<!-- /inputs -->\nb\n");
        assert_eq!(filled(&filled_page, "inputs", "new\n").as_deref(), Some(filled_page.as_str()));
        assert_eq!(filled("nothing", "inputs", ""), None);
    }
}
