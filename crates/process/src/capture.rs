//! The end of what a program wrote, made fit to be shown.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The last `lines` lines among the last `bytes` bytes of the file at `path`, cleaned as
/// [`clean`] does. Empty where the file is empty.
///
/// # Errors
/// If the file cannot be read.
pub fn tail(path: &Path, bytes: u64, lines: usize) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(bytes)))?;
    let mut end = Vec::new();
    file.take(bytes).read_to_end(&mut end)?;
    let text = clean(&String::from_utf8_lossy(&end));
    let all: Vec<&str> = text.trim_end().lines().collect();
    Ok(all[all.len().saturating_sub(lines)..].join("\n"))
}

/// `text` without terminal sequences and control characters. Of a line that a carriage return
/// rewrites, as progress bars do, the last version stays. Tabs and ends of line stay.
#[must_use]
pub fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            cleaned.push('\n');
        }
        let line = line.trim_end_matches('\r');
        let last = line.rsplit('\r').next().unwrap_or(line);
        push_printable(&mut cleaned, last);
    }
    cleaned
}

fn push_printable(cleaned: &mut String, line: &str) {
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\t' => cleaned.push('\t'),
            '\u{1b}' => skip_sequence(&mut characters),
            character if character.is_control() || is_direction_mark(character) => {}
            character => cleaned.push(character),
        }
    }
}

/// Skips the rest of an escape sequence (ECMA-48): `ESC [ … letter`, `ESC ] … BEL` or `ESC ] … ESC \`,
/// and `ESC` with one character.
fn skip_sequence(characters: &mut std::str::Chars<'_>) {
    match characters.next() {
        Some('[') => {
            characters.find(|c| ('\u{40}'..='\u{7e}').contains(c));
        }
        Some(']') => {
            let end = characters.find(|c| matches!(c, '\u{7}' | '\u{1b}'));
            // The second half of `ESC \`.
            end.filter(|&c| c == '\u{1b}').and_then(|_| characters.next());
        }
        _ => {}
    }
}

/// Characters that reorder the text around them could make a message read as another.
fn is_direction_mark(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail_of(content: &[u8], bytes: u64, lines: usize) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        tail(file.path(), bytes, lines).unwrap()
    }

    #[test]
    fn only_the_last_lines_are_kept() {
        assert_eq!(tail_of(b"a\nb\nc\n\n", 1000, 2), "b\nc");
        assert_eq!(tail_of(b"", 1000, 2), "");
    }

    #[test]
    fn a_cut_in_the_middle_of_a_character_does_no_harm() {
        assert_eq!(tail_of("\u{20ac}x".as_bytes(), 2, 5), "\u{fffd}x");
    }

    #[test]
    fn binary_rubbish_becomes_harmless_text() {
        let text = tail_of(b"\x00\x01ok\x7f\xff\x1b[31mred\x1b[0m\x1b]0;title\x07!\n", 1000, 5);
        assert_eq!(text, "ok\u{fffd}red!");
    }

    #[test]
    fn a_progress_bar_leaves_its_last_state() {
        assert_eq!(clean("10 %\r20 %\rdone\r\nnext"), "done\nnext");
    }

    #[test]
    fn an_unfinished_sequence_ends_with_its_line() {
        assert_eq!(clean("a\u{1b}[31\nb\u{1b}]0;x\nc\u{1b}"), "a\nb\nc");
    }
}
