//! The two streams of the process: the report on standard output, everything else on standard
//! error, and whether either may be coloured.

use crate::args::ColorChoice;
use crate::error::CliError;
use bench_render::LongLines;
use std::io::{self, IsTerminal as _, Write as _};

/// Writes to standard output, whole. A reader that went away (`| head`) is no failure.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Output(error)),
        _ => Ok(()),
    }
}

/// Writes a line to standard error. Where even that fails, nobody is left to be told.
pub(crate) fn say(line: &str) {
    let _unheard = writeln!(io::stderr().lock(), "{line}");
}

/// Text from a benchmark or a repository as it may go to a terminal: control characters, which
/// could move the cursor or change the title, are replaced.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Whether what goes to standard output is coloured.
pub(crate) fn is_coloured(choice: ColorChoice) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => io::stdout().is_terminal() && !no_color(),
    }
}

/// How wide a report on standard output may be, and what becomes of lines that are wider. COLUMNS
/// says it where it is set; else the terminal does, where there is one.
pub(crate) fn width() -> (usize, LongLines) {
    let given = std::env::var("COLUMNS").ok();
    let terminal = console::Term::stdout().size_checked().filter(|_| io::stdout().is_terminal());
    width_of(given.as_deref(), terminal.map(|(_, columns)| columns.into()))
}

fn width_of(given: Option<&str>, terminal: Option<usize>) -> (usize, LongLines) {
    const UNKNOWN: usize = 100;
    let given = given.and_then(|text| text.trim().parse().ok()).filter(|columns| *columns > 0);
    match given.or(terminal) {
        Some(columns) => (columns, LongLines::Cut),
        None => (UNKNOWN, LongLines::Whole),
    }
}

/// Whether the user asked programs in general for plain text: NO_COLOR, set to anything.
fn no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_known_width_cuts() {
        assert_eq!(width_of(None, None), (100, LongLines::Whole));
        assert_eq!(width_of(None, Some(80)), (80, LongLines::Cut));
        assert_eq!(width_of(Some("120"), Some(80)), (120, LongLines::Cut));
        assert_eq!(width_of(Some("120"), None), (120, LongLines::Cut));
        for nonsense in ["", "0", "-3", "wide"] {
            assert_eq!(width_of(Some(nonsense), None), (100, LongLines::Whole));
        }
    }
}
