//! The two streams of the process: the report on standard output, everything else on standard
//! error, and whether either may be coloured.

use crate::args::ColorChoice;
use crate::error::CliError;
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

/// Columns of the terminal that standard output is; a hundred where it is none.
pub(crate) fn width() -> usize {
    const UNKNOWN: usize = 100;
    match console::Term::stdout().size_checked() {
        Some((_, columns)) if io::stdout().is_terminal() => usize::from(columns),
        _ => UNKNOWN,
    }
}

/// Whether the user asked programs in general for plain text: NO_COLOR, set to anything.
fn no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}
