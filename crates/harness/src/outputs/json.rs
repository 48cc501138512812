//! JSON as harnesses write it: with bare `NaN` and `Infinity`, after and before other text.

use super::bounds::bounded_params;
use bench_results::{Param, number_of};
use serde_json::Value;

/// How the message about a file begins whose end is missing.
pub(super) const CUT_SHORT: &str = "the file is cut short";

/// The first JSON document that `is_known`, in a text that may have lines of other kinds around it.
/// Without such a one the first that there is.
pub(super) fn document(text: &str, is_known: impl Fn(&Value) -> bool) -> Result<Value, String> {
    Search::default().document(&with_nulls(text), is_known)
}

/// A mistake within so many characters is none of a document that somebody broke: `[INFO] …`.
const AT_ONCE: usize = 100;

/// The search for a document. What it has read, and what begins a document that it saw break, is
/// not read again: its work is linear in the length of the text.
#[derive(Default)]
struct Search {
    /// Up to where documents were read whole.
    after: usize,
    /// Beginnings, in order, of what was still open where a document broke: each would break there.
    broken: Vec<usize>,
    first: Option<Value>,
    first_error: Option<String>,
    /// Bytes that the parser was led through.
    parsed: usize,
}

impl Search {
    fn document(&mut self, text: &str, is_known: impl Fn(&Value) -> bool) -> Result<Value, String> {
        for start in beginnings(text) {
            if start < self.after || self.broken.binary_search(&start).is_ok() {
                continue;
            }
            let rest = &text[start..];
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            match values.next() {
                Some(Ok(value)) => {
                    self.parsed += values.byte_offset();
                    self.after = start + values.byte_offset();
                    if is_known(&value) {
                        return Ok(value);
                    }
                    self.first.get_or_insert(value);
                }
                // Cut short is cut short wherever else one begins to read.
                Some(Err(error)) if error.is_eof() => {
                    self.parsed += rest.len();
                    self.first_error = Some(cut_short(rest));
                    break;
                }
                Some(Err(error)) => self.breaks(text, start, &error),
                None => {}
            }
        }
        let nothing = || self.first_error.take().unwrap_or_else(|| neither(text));
        self.first.take().ok_or_else(nothing)
    }

    fn breaks(&mut self, text: &str, start: usize, error: &serde_json::Error) {
        let is_broken = error.line() > 1 || error.column() > AT_ONCE;
        if is_broken {
            self.first_error.get_or_insert_with(|| format!("the file is no JSON: {error}"));
        }
        let length = place(&text[start..], error);
        self.parsed += length;
        let sound = &text.as_bytes()[start..start + length];
        self.broken = open(sound).into_iter().map(|at| start + at).collect();
    }
}

/// How far the parser came: its lines and columns, in bytes, from 1.
fn place(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    (lines.map(str::len).sum::<usize>() + error.column()).min(text.len())
}

/// Where that begins which is not closed within the beginning of a document.
fn open(text: &[u8]) -> Vec<usize> {
    let (mut open, mut in_string, mut is_escaped) = (Vec::new(), false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => open.push(at),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
    }
    open
}

fn neither(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let quoted: String = line.trim().chars().take(80).collect();
    format!("the file is neither JSON nor the text of a known harness; it begins with `{quoted}`")
}

fn cut_short(text: &str) -> String {
    let tail: String = {
        let from = text.char_indices().rev().nth(39).map_or(0, |(at, _)| at);
        text[from..].split_whitespace().collect::<Vec<_>>().join(" ")
    };
    format!("{CUT_SHORT} (it ends with `{tail}`): was the harness killed while writing?")
}

/// Where lines begin with a brace or a bracket.
fn beginnings(text: &str) -> impl Iterator<Item = usize> {
    let mut at = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let blank = line.len() - line.trim_start().len();
        line[blank..].starts_with(['{', '[']).then_some(start + blank)
    })
}

/// Bare `NaN`, `Infinity`, `-inf` and their like outside strings become `null`: missing.
fn with_nulls(text: &str) -> std::borrow::Cow<'_, str> {
    let begins = |word: &[u8]| [b"nan", b"inf"].iter().any(|is| word.eq_ignore_ascii_case(*is));
    if !text.as_bytes().windows(3).any(begins) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut in_string) = (text, false);
    loop {
        let plain = rest
            .find(|c: char| matches!(c, '"' | '\\' | '\n' | '+' | '-') || c.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        out.push_str(&rest[..plain]);
        rest = &rest[plain..];
        let Some(character) = rest.chars().next() else { break };
        let width = match character {
            '\\' if in_string => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '"' | '\\' | '\n' => 1,
            _ => word_length(rest),
        };
        // A raw line end is never within a string: text before the document may have a stray quote.
        in_string = (in_string != (character == '"')) && character != '\n';
        let (word, after) = rest.split_at(width);
        out.push_str(if !in_string && is_not_finite(word) { "null" } else { word });
        rest = after;
    }
    out.into()
}

/// Of the word that the text begins with, its sign included.
fn word_length(text: &str) -> usize {
    let signs = text.len() - text.trim_start_matches(['+', '-']).len();
    let letters = text[signs..].find(|c: char| !c.is_alphanumeric());
    signs + letters.unwrap_or(text.len() - signs)
}

fn is_not_finite(word: &str) -> bool {
    let word = word.strip_prefix(['+', '-']).unwrap_or(word);
    ["nan", "inf", "infinity"].iter().any(|is| word.eq_ignore_ascii_case(is))
}

/// The objects that stand on lines of their own.
pub(super) fn line_objects(text: &str) -> impl Iterator<Item = (&str, Option<Value>)> {
    text.lines()
        .map(str::trim)
        .filter(|line| line.starts_with('{'))
        .map(|line| (line, serde_json::from_str(&with_nulls(line)).ok()))
}

/// A member that is text.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// A member that is a number, or spells one. `"NaN"` and `"+INF"` are missing.
pub(super) fn number(value: &Value, key: &str) -> Option<f64> {
    as_number(value.get(key)?)
}

pub(super) fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => number_of(text.trim()),
        _ => None,
    }
    .filter(|number| number.is_finite())
}

/// A member that is a list of numbers; others in it are left out.
pub(super) fn numbers(value: &Value, key: &str) -> Vec<f64> {
    array(value, key).iter().filter_map(as_number).collect()
}

/// A member that is a list; empty where it is not.
pub(super) fn array<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A member that is an object, as parameters in order.
pub(super) fn params(value: Option<&Value>) -> Vec<Param> {
    let members = value.and_then(Value::as_object).into_iter().flatten();
    bounded_params(members.map(|(name, value)| Param::new(name.clone(), shown(value))).collect())
}

/// A value as text, without quotes where it is text.
pub(super) fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bare_nan_is_missing_and_text_that_says_so_is_text() {
        let text = r#"{"a": NaN, "b": [-Infinity, 1, -2e-3], "c": "NaN \" Infinity",
            "d": [-nan, inf, +INF, null, true], "nan": "-inf"}"#;
        let found = document(text, |_| true).unwrap();
        let expected = json!({
            "a": null, "b": [null, 1, -2e-3], "c": "NaN \" Infinity",
            "d": [null, null, null, null, true], "nan": "-inf"
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn a_document_is_found_among_other_text() {
        let noise = "[INFO] Building x\n".repeat(50);
        let text =
            format!("it's \"ready\n{noise}{{\"level\": \"info\"}}\n  {{\"a\": 1}}\ntrailing {{\n");
        let found = document(&text, |value| value.get("a").is_some());
        assert_eq!(found.unwrap(), json!({"a": 1}));
    }

    #[test]
    fn a_text_of_any_shape_is_parsed_at_most_twice() {
        let ones = "1,".repeat(20_000);
        let nested = |count: usize| "[\n".repeat(count);
        let texts = [
            // Sixteen and more beginnings, each of which goes on to the same mistake at the end.
            format!("{}{ones} x", nested(100)),
            format!("{}{ones} x", "{\"a\":\n[\n".repeat(60)),
            // Deeper than the parser goes, more than once.
            nested(20_000),
            format!("{{\n\"a\": [\n{}] x", "[1],\n{\"b\": 1},\n".repeat(5_000)),
            "[1,\n2\nx]\n".repeat(5_000),
            "[INFO] built\n".repeat(5_000),
            "{\"a\": \"\\\"[\\\\\",\n[1] x\n".repeat(5_000),
        ];
        for text in texts {
            let mut search = Search::default();
            assert!(search.document(&text, |_| false).is_ok() || search.parsed > 0);
            let (parsed, length) = (search.parsed, text.len());
            assert!(parsed <= 2 * length, "{parsed} of {length}: {:?}", &text[..20]);
        }
    }

    #[test]
    fn what_is_whole_within_a_document_that_breaks_is_found() {
        let text = "{\"log\": [\n{\"a\": 1},\n{\"b\": 2}\n] and more\n{\"c\": 3}\n";
        for key in ["a", "b", "c"] {
            assert!(document(text, |value| value.get(key).is_some()).unwrap().get(key).is_some());
        }
    }

    #[test]
    fn what_is_cut_short_is_said_to_be() {
        let error = document("{\"a\": [1,\n 2", |_| true).unwrap_err();
        assert!(error.contains("cut short") && error.contains("[1, 2"), "{error}");
        assert!(document("hello", |_| true).unwrap_err().contains("begins with `hello`"));
    }
}
