//! Results in every format: terminal, markdown (the text of the sticky comment), HTML, JSON, CSV.
//!
//! All formats say the same in the same order and the same words: the view (`view`) holds what
//! there is to say, and each format only writes it. This crate measures nothing, judges nothing and
//! talks to nobody. Everything that came from a benchmark is data and escaped as such (`escape`).

mod bar;
pub mod dashboard;
mod escape;
mod html;
mod markdown;
mod nothing;
mod number;
mod options;
mod page;
mod plot;
mod remark;
mod template;
mod terminal;
mod text;
mod view;

pub use html::html;
pub use markdown::{BUILT_IN_TEMPLATE, markdown};
pub use nothing::{Lack, nothing};
pub use options::{Color, LongLines, Marker, Options, Origin, Paths, Show, Unverified};
pub use remark::{Remark, remarks};
pub use terminal::terminal;

use bench_results::Results;

/// A report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The template is wrong.
    #[error(
        "the template `{template}` could not be filled in: {cause}; the names it may use are listed at the top of the built-in template"
    )]
    Template {
        /// Which template.
        template: &'static str,
        /// What is wrong, with line where known.
        cause: String,
    },
    /// Even the shortest report is longer than the budget.
    #[error(
        "the shortest report has {needed} bytes, and at most {budget} are allowed: allow more, or use a template that says less"
    )]
    TooLong {
        /// Bytes of the shortest report.
        needed: usize,
        /// Bytes allowed.
        budget: usize,
    },
}

/// Text from elsewhere, such as a benchmark's name, as a terminal or a log may show it.
#[must_use]
pub fn for_terminal(data: &str) -> String {
    escape::visible(data)
}

/// A sentence from elsewhere as it may stand in GitHub's markdown: it mentions nobody and ends
/// nothing.
#[must_use]
pub fn markdown_text(sentence: &str) -> String {
    escape::Pen::prose(&escape::Markdown, sentence)
}

/// What happened, in one sentence without markup.
#[must_use]
pub fn title(results: &Results, options: &Options) -> String {
    view::headline(results, options).written(&escape::Plain)
}

/// The results file itself.
#[must_use]
pub fn json(results: &Results) -> String {
    bench_results::to_json(results)
}

/// One line per launch, tidy; it can be read again like the results file itself.
#[must_use]
pub fn csv(results: &Results) -> String {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = bench_results::write_launches(results, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// One line per benchmark × metric × comparison: what was concluded, numbers in full precision.
#[must_use]
pub fn table(results: &Results) -> String {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = bench_results::write_table(results, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
