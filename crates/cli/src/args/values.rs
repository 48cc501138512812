//! Choices that belong to the command line alone. Values that `bench-action.toml` can give as well
//! stay text here and are checked with the file's, by the same code. The meaning of each
//! choice stands in the help of its flag: a doc comment here would double the length of all help.

use clap::ValueEnum;

/// When colour is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressChoice {
    #[default]
    Auto,
    Never,
    Lines,
}

/// A form of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    #[default]
    Terminal,
    Markdown,
    Json,
    Html,
    Csv,
    Table,
}

/// How `list` prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    #[default]
    Terminal,
    Json,
}

/// A fraction from a percentage above nothing: `2%` is 0.02.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix('%').and_then(|number| number.trim().parse().ok());
    match number {
        Some(percent) if (0.0..100.0).contains(&percent) && percent > 0.0 => Ok(percent / 100.0),
        Some(_) => Err("it must be above 0% and below 100%".to_owned()),
        None => Err("it is no percentage, write it like 2%".to_owned()),
    }
}
