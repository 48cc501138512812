//! From bytes as they lie on disk to plain text: encodings, line ends, colours and time stamps of
//! CI logs are undone. Linear in the length of the file.

/// Plain text with `\n` line ends.
pub(super) fn decode(bytes: &[u8]) -> String {
    let text = characters(bytes);
    if !text.contains(['\u{1b}', '\r', '\u{feff}']) && !has_stamps(&text) {
        return text;
    }
    let plain = without_escapes(&text);
    let mut clean = String::with_capacity(plain.len());
    for line in plain.split_inclusive('\n') {
        clean.push_str(without_stamp(line));
    }
    clean
}

fn characters(bytes: &[u8]) -> String {
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // ASCII text in UTF-16 without a mark has a zero in every second byte.
        [first, 0, third, 0, ..] if *first != 0 && *third != 0 => utf16(bytes, u16::from_le_bytes),
        [0, second, 0, fourth, ..] if *second != 0 && *fourth != 0 => {
            utf16(bytes, u16::from_be_bytes)
        }
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

/// Takes out escape sequences (colours, cursor movements, titles, links) and carriage returns: one
/// at the end of a line belongs to it, one within a line begins what overwrites it.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => match characters.next() {
                Some('[') => {
                    // Parameters and intermediates, then one final character.
                    let is_inside = |c: &char| matches!(c, ' '..='?');
                    while characters.next_if(is_inside).is_some() {}
                    characters.next_if(|c| matches!(c, '@'..='~'));
                }
                Some(']') => skip_string(&mut characters),
                _ => {}
            },
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' => plain.push('\n'),
            '\u{feff}' => {}
            other => plain.push(other),
        }
    }
    plain
}

/// An operating system command ends with a bell, with `ESC \`, or where the line does.
fn skip_string(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while let Some(character) = characters.next_if(|c| *c != '\n') {
        match character {
            '\u{7}' => return,
            '\u{1b}' => {
                characters.next_if(|c| *c == '\\');
                return;
            }
            _ => {}
        }
    }
}

/// Whether the first line begins as CI systems begin theirs.
fn has_stamps(text: &str) -> bool {
    text.lines().take(20).any(|line| without_stamp(line).len() < line.len())
}

/// A line without `2026-04-12T18:35:21.1234567Z ` at its beginning, with or without the two names
/// (`job<TAB>step<TAB>`) that a downloaded log has before it.
fn without_stamp(line: &str) -> &str {
    let mut fields = line.splitn(3, '\t');
    let last = match (fields.next(), fields.next(), fields.next()) {
        (Some(_), Some(_), Some(rest)) if stamp(rest).is_some() => rest,
        _ => line,
    };
    stamp(last).map_or(line, |length| &last[length..])
}

fn stamp(line: &str) -> Option<usize> {
    const SHAPE: &[u8] = b"0000-00-00T00:00:00";
    let bytes = line.as_bytes();
    let fits = bytes.len() > SHAPE.len()
        && bytes.iter().zip(SHAPE).all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        });
    if !fits {
        return None;
    }
    let fraction = bytes[SHAPE.len()..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit() || **byte == b'.')
        .count();
    let zone = SHAPE.len() + fraction;
    let ends = bytes.get(zone) == Some(&b'Z') && bytes.get(zone + 1) == Some(&b' ');
    ends.then(|| zone + 2 + stream(&bytes[zone + 2..]))
}

/// `00O ` and `01E+`: what GitLab writes after its stamps, the number of a stream and its kind.
fn stream(bytes: &[u8]) -> usize {
    match bytes {
        [a, b, b'O' | b'E', b' ' | b'+', ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => 4,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_told_apart() {
        let utf16 = |mark: &[u8], unit: fn(u16) -> [u8; 2]| {
            let mut bytes = mark.to_vec();
            bytes.extend("µs \r\nb".encode_utf16().flat_map(unit));
            bytes
        };
        assert_eq!(decode(&utf16(&[0xff, 0xfe], u16::to_le_bytes)), "µs \nb");
        assert_eq!(decode(&utf16(&[0xfe, 0xff], u16::to_be_bytes)), "µs \nb");
        assert_eq!(decode(b"\xef\xbb\xbf{}"), "{}");
        assert_eq!(decode(b"{\0}\0 \0"), "{} ");
        assert_eq!(decode(b"a\xffb"), "a\u{fffd}b");
    }

    #[test]
    fn colours_links_and_line_ends_go() {
        assert_eq!(decode(b"\x1b[1;32mok\x1b[0m 1\x1b[K\r\n2"), "ok 1\n2");
        assert_eq!(decode(b"\x1b]8;;http://x\x07link\x1b]8;;\x1b\\ end"), "link end");
        assert_eq!(decode(b"50%\r100%\n"), "50%\n100%\n");
        assert_eq!(decode(b"cut \x1b["), "cut ");
    }

    #[test]
    fn time_stamps_of_ci_logs_go() {
        let log = "2026-04-12T18:35:21.1234567Z BenchmarkA 1\n2026-04-12T18:35:21Z  b\n";
        assert_eq!(decode(log.as_bytes()), "BenchmarkA 1\n b\n");
        assert_eq!(decode(b"job\tstep one\t2026-04-12T18:35:21.1Z x\n"), "x\n");
        assert_eq!(
            decode(b"2026-04-12T18:35:21.123456Z 00O test a\n2026-04-12T18:35:21.1Z 01E+b\n"),
            "test a\nb\n"
        );
        // A tab before a date that is no stamp is text.
        assert_eq!(decode(b"a\tb\t2026-04-12\n"), "a\tb\t2026-04-12\n");
    }
}
