//! Markdown as a parser sees it: what is a table, what is markup, what is text.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// What a parser found.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    /// Cells of each row of each table, heads included.
    pub(crate) tables: Vec<Vec<Vec<String>>>,
    /// Names of HTML tags, closing ones with a slash.
    pub(crate) tags: Vec<String>,
    /// Markup that only a template of ours may use, and never does: links, images, indented code.
    pub(crate) foreign: Vec<String>,
}

/// Parses a comment the way GitHub does.
pub(crate) fn parse(markdown: &str) -> Parsed {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_GFM;
    let mut parsed = Parsed::default();
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::Table(_)) => parsed.tables.push(Vec::new()),
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                parsed.tables.last_mut().unwrap().push(Vec::new());
            }
            Event::Start(Tag::TableCell) => {
                parsed.tables.last_mut().unwrap().last_mut().unwrap().push(String::new());
            }
            Event::Start(
                tag @ (Tag::Link { .. }
                | Tag::Image { .. }
                | Tag::CodeBlock(CodeBlockKind::Indented)
                | Tag::Strikethrough),
            ) => parsed.foreign.push(format!("{tag:?}")),
            Event::End(TagEnd::Table) => {}
            Event::Text(text) => add_text(&mut parsed, &text),
            Event::Code(text) => add_text(&mut parsed, &format!("<code>{text}</code>")),
            Event::Html(html) | Event::InlineHtml(html) => {
                // A place where a line may break is no part of a name.
                add_text(&mut parsed, &html.replace("<wbr>", ""));
                parsed.tags.extend(tags(&html));
            }
            _ => {}
        }
    }
    parsed
}

fn add_text(parsed: &mut Parsed, text: &str) {
    let cell = parsed.tables.last_mut().and_then(|t| t.last_mut()).and_then(|r| r.last_mut());
    if let Some(cell) = cell {
        cell.push_str(text);
    }
}

/// Names of the tags in a piece of HTML; comments are named `!`.
fn tags(html: &str) -> Vec<String> {
    let starts = html.split('<').skip(1);
    starts
        .map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '/' && c != '!');
            rest[..end.unwrap_or(rest.len())].to_owned()
        })
        .collect()
}
