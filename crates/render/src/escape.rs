//! How text reaches each format. What is ours is printed as it stands; what is data (every name,
//! value, message and command) is made harmless first, here and nowhere else.

/// Longest name in markdown, in characters; the middle of a longer one is cut out.
const NAME_IN_MARKDOWN: usize = 200;
/// Longest piece of a name in a table's cell in markdown: GitHub breaks no line inside of code, and a
/// table that is too wide hides its numbers.
const LINE_IN_MARKDOWN: usize = 36;
/// Longest sentence in markdown, in characters.
const PROSE_IN_MARKDOWN: usize = 1000;

/// One format's way to write.
pub(crate) trait Pen {
    /// Words of ours, which hold nothing that came from outside.
    fn words(&self, text: &str) -> String;
    /// Words of ours with emphasis.
    fn strong(&self, text: &str) -> String;
    /// A name, value or command: data, shown as code, on one line.
    fn code(&self, data: &str) -> String;
    /// A name in a table's cell, where it may take several lines.
    fn cell(&self, data: &str) -> String {
        self.code(data)
    }
    /// A sentence or quantity from elsewhere: data, shown as text, on one line.
    fn prose(&self, data: &str) -> String;
    /// Output of a program: data, shown as code, line by line.
    fn block(&self, data: &str) -> String;
    /// A link. An address that is not plainly http or https is left out.
    fn link(&self, text: &str, address: &str) -> String;
}

/// GitHub's markdown, inside paragraphs, list items and table cells.
pub(crate) struct Markdown;

/// HTML, in text and in attribute values.
pub(crate) struct Html;

/// Plain text for a terminal or a log.
pub(crate) struct Plain;

impl Pen for Markdown {
    fn words(&self, text: &str) -> String {
        text.to_owned()
    }

    fn strong(&self, text: &str) -> String {
        format!("**{text}**")
    }

    /// A code span where it can hold the name, since that is what a person reads who sees the text
    /// itself: in a terminal, in an e-mail.
    fn code(&self, data: &str) -> String {
        one_line(&shorten(&visible(data), NAME_IN_MARKDOWN))
    }

    fn cell(&self, data: &str) -> String {
        let shown = shorten(&visible(data), NAME_IN_MARKDOWN);
        pieces(&shown, LINE_IN_MARKDOWN).into_iter().map(one_line).collect::<Vec<_>>().join("<br>")
    }

    /// Entities alone do not stop GitHub from acting on mentions, references, addresses and commit
    /// ids, which it looks for in the finished text, except in code. So such words become code, as an
    /// element: sentences also stand inside HTML, where nobody reads code spans.
    fn prose(&self, data: &str) -> String {
        let visible = shorten(&visible(data), PROSE_IN_MARKDOWN);
        let word = |word: &str| {
            if acts_on_github(word) { coded(word) } else { entities(word) }
        };
        visible.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }

    /// A fenced block where nothing in it could be more than text to any reader of markdown.
    fn block(&self, data: &str) -> String {
        let shown = lines(data, str::to_owned);
        if shown.contains(['`', '~', '@', '<', '|', '&', '\\']) || shown.contains("](") {
            format!("<pre><code>{}</code></pre>", lines(data, entities))
        } else {
            format!("```\n{shown}\n```")
        }
    }

    fn link(&self, text: &str, address: &str) -> String {
        if is_web_address(address) {
            format!("<a href=\"{}\">{text}</a>", html(address))
        } else {
            text.to_owned()
        }
    }
}

impl Pen for Html {
    fn words(&self, text: &str) -> String {
        html(text)
    }

    fn strong(&self, text: &str) -> String {
        format!("<strong>{}</strong>", html(text))
    }

    fn code(&self, data: &str) -> String {
        format!("<code>{}</code>", html(&visible(data)))
    }

    fn prose(&self, data: &str) -> String {
        html(&visible(data))
    }

    fn block(&self, data: &str) -> String {
        format!("<pre><code>{}</code></pre>", lines(data, html))
    }

    fn link(&self, text: &str, address: &str) -> String {
        if is_web_address(address) {
            format!("<a href=\"{}\">{}</a>", html(address), html(text))
        } else {
            html(text)
        }
    }
}

impl Pen for Plain {
    fn words(&self, text: &str) -> String {
        text.replace('\u{a0}', " ")
    }

    fn strong(&self, text: &str) -> String {
        self.words(text)
    }

    fn code(&self, data: &str) -> String {
        self.words(&visible(data))
    }

    fn prose(&self, data: &str) -> String {
        self.words(&visible(data))
    }

    fn block(&self, data: &str) -> String {
        lines(data, |line| self.words(line))
    }

    fn link(&self, text: &str, _address: &str) -> String {
        self.words(text)
    }
}

/// One line of text in which everything can be seen and nothing moves: white space becomes spaces;
/// control, direction and zero-width characters are gone.
pub(crate) fn visible(data: &str) -> String {
    data.chars()
        .map(|c| if c.is_whitespace() && c != '\u{a0}' { ' ' } else { c })
        .filter(|&c| !is_hidden(c))
        .collect()
}

/// Characters that are not seen but do something: to terminals, to the direction of text, or to
/// the eye of a reader who compares two names.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Text of at most `most` characters: the middle of a longer one becomes `…`, since both ends of a
/// benchmark's name tell it from its neighbours.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let tail = most.saturating_sub(1) / 2;
    let head = most.saturating_sub(1) - tail;
    let start = text.chars().take(head);
    start.chain(['…']).chain(text.chars().skip(length - tail)).collect()
}

fn lines(data: &str, print: impl Fn(&str) -> String) -> String {
    let lines: Vec<String> = data.trim_end().lines().map(|line| print(&visible(line))).collect();
    lines.join("\n")
}

fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// A name, or a piece of one, as code.
fn one_line(shown: &str) -> String {
    if is_plain(shown) { format!("`{shown}`") } else { coded(shown) }
}

/// A name in pieces of at most `most` characters, cut at the last place of each where names part, if
/// there is one in its second half. White space around a cut is lost.
fn pieces(name: &str, most: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = name;
    while let Some((end, _)) = rest.char_indices().nth(most) {
        let seams = rest[..end].char_indices().rev().filter_map(|(at, c)| match c {
            '(' | '[' => Some(at),
            '.' | ':' | '/' | ',' | '-' | '_' | ' ' => Some(at + 1),
            _ => None,
        });
        let seam = seams.into_iter().find(|seam| *seam > end / 2);
        let (piece, after) = rest.split_at(seam.unwrap_or(end));
        pieces.push(piece.trim_end());
        rest = after.trim_start();
    }
    pieces.push(rest);
    pieces
}

/// Whether a name can stand in a code span, in a table's cell, too: it then means nothing to markdown
/// (GFM 6.3: inside, only a backtick ends it; 4.10: a table is cut at `|` before that).
fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._-()=,:/[] '\"+*%…@#".contains(c);
    // Spaces at both ends would be lost, and what looks like a link need not be tried on every reader.
    !name.is_empty() && name.trim() == name && name.chars().all(is_plain) && !name.contains("](")
}

/// A name as code, whatever it holds. Some readers look for addresses in the text of an element, too,
/// but none across a place where a line may break: after `@` and `:`, before the point of `www.`.
fn coded(shown: &str) -> String {
    let text = entities(shown).replace("&#64;", "&#64;<wbr>").replace("&#58;", "&#58;<wbr>");
    format!("<code>{}</code>", text.replace("&#46;", "<wbr>&#46;"))
}

/// Text in which no character means anything to markdown: all but letters, digits and a few that
/// mean nothing inside a line become numeric entities, which never open markup.
fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 2);
    let mut before = ' ';
    let mut open = 0_usize;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let literal = match c {
            ' ' | '\u{a0}' | ',' | '%' | '(' | '…' | '−' | '×' | '÷' | '∞' => true,
            // `www.` opens a link; `1.`, `1)`, `+` and `-` a list.
            ')' => open > 0,
            '+' => rest.peek().copied().is_some_and(is_inner),
            // Inside a word, an underscore is no emphasis (GFM 6.4, rules 2 and 4).
            '.' | '-' | '/' | '_' => is_inner(before) && rest.peek().copied().is_some_and(is_inner),
            _ => c.is_alphanumeric(),
        };
        if literal {
            out.push(c);
        } else {
            out.push_str(&format!("&#{};", u32::from(c)));
        }
        match c {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
        before = c;
    }
    out
}

fn is_inner(c: char) -> bool {
    c.is_alphanumeric() && !matches!(c, 'w' | 'W')
}

/// Whether GitHub might make something of a word of finished text: a mention, a reference to an
/// issue, a link, an emoji or a commit.
fn acts_on_github(word: &str) -> bool {
    let inner = word.trim_end_matches([':', '.', ',', ';']);
    let lower = inner.to_ascii_lowercase();
    let is_commit = |part: &str| {
        part.len() >= 7
            && part.bytes().all(|b| b.is_ascii_hexdigit())
            && part.bytes().any(|b| b.is_ascii_digit())
    };
    inner.contains(['@', '#', ':'])
        || lower.contains("www")
        || lower.contains("gh-")
        || lower.split(|c: char| !c.is_ascii_alphanumeric()).any(is_commit)
}

fn is_web_address(address: &str) -> bool {
    (address.starts_with("https://") || address.starts_with("http://"))
        && address.chars().all(|c| c.is_ascii_alphanumeric() || "-._~:/?#!$&+,;=%".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_markdown_is_a_span_where_the_name_allows_it() {
        for name in [
            "json.time_large(n=1000)",
            "x[a-b]: 'rev', 1.5",
            "@user #12",
            "www.example.org",
            "größe",
        ] {
            assert_eq!(Markdown.code(name), format!("`{name}`"));
        }
        assert_eq!(Markdown.code("line\nbreak\r\u{0}\u{202e}x\u{200b}"), "`line break x`");
    }

    #[test]
    fn code_in_markdown_leaves_nothing_to_interpret() {
        let cases = [
            ("a|b`c`<b>", "a&#124;b&#96;c&#96;&#60;b&#62;"),
            ("@user|#12 user@host", "&#64;<wbr>user&#124;&#35;12 user&#64;<wbr>host"),
            (" a", " a"),
            ("größe·日本語", "größe&#183;日本語"),
            ("-->", "&#45;&#45;&#62;"),
            ("a](b)", "a&#93;(b)"),
            ("", ""),
        ];
        for (data, expected) in cases {
            assert_eq!(Markdown.code(data), format!("<code>{expected}</code>"), "{data:?}");
        }
    }

    #[test]
    fn a_long_name_in_a_cell_takes_several_lines_cut_where_names_part() {
        assert_eq!(Markdown.cell("json.time_large(n=1000)"), "`json.time_large(n=1000)`");
        assert_eq!(
            Markdown
                .cell("parser.tokens.TimeTokens.time_feed(size=1000, kind='utf-8', strict=True)"),
            "`parser.tokens.TimeTokens.time_feed`<br>`(size=1000, kind='utf-8',`<br>`strict=True)`"
        );
        assert_eq!(
            Markdown.cell(&"ü".repeat(50)),
            format!("`{}`<br>`{}`", "ü".repeat(36), "ü".repeat(14))
        );
        let hostile = format!("{}|<b>@all", "a".repeat(36));
        let second = "<code>&#124;&#60;b&#62;&#64;<wbr>all</code>";
        assert_eq!(Markdown.cell(&hostile), format!("`{}`<br>{second}", "a".repeat(36)));
        assert_eq!(Html.cell(&"a".repeat(50)), Html.code(&"a".repeat(50)));
        assert_eq!(pieces("", 3), [""]);
        assert_eq!(pieces("a  , b", 3), ["a", ", b"]);
    }

    #[test]
    fn prose_in_markdown_puts_words_that_github_acts_on_into_code() {
        let prose = Markdown.prose("ask @maintainers, see owner/repo#12 or https://x.org: done");
        assert_eq!(
            prose,
            "ask <code>&#64;<wbr>maintainers,</code> see <code>owner/repo&#35;12</code> or \
             <code>https&#58;<wbr>&#47;&#47;x.org&#58;<wbr></code> done"
        );
        assert_eq!(Markdown.prose("fixed by 0a1b2c3"), "fixed by <code>0a1b2c3</code>");
        assert_eq!(
            Markdown.prose("12.5\u{a0}rows/s x86_64 _a_"),
            "12.5\u{a0}rows/s x86_64 &#95;a&#95;"
        );
    }

    #[test]
    fn a_terminal_gets_no_control_sequences() {
        assert_eq!(Plain.code("\u{1b}[2Jgone\u{9b}1m\u{202e}\tx"), "[2Jgone1m x");
        assert_eq!(Plain.block("a\u{1b}]0;t\u{7}\n\tb\n\n"), "a]0;t\n b");
    }

    #[test]
    fn html_is_escaped_in_text_and_attributes() {
        assert_eq!(
            Html.code("<a href='x'>&\""),
            "<code>&lt;a href=&#39;x&#39;&gt;&amp;&quot;</code>"
        );
    }

    #[test]
    fn only_plain_web_addresses_become_links() {
        assert_eq!(Markdown.link("x", "https://h/o/n"), "<a href=\"https://h/o/n\">x</a>");
        for bad in ["javascript:alert(1)", "https://h/\"onclick=", "https://h/<b>", "data:x"] {
            assert_eq!(Html.link("x", bad), "x");
        }
    }

    #[test]
    fn a_long_text_loses_its_middle() {
        assert_eq!(shorten("abcdefghij", 5), "ab…ij");
        assert_eq!(shorten("日本語", 3), "日本語");
    }
}
