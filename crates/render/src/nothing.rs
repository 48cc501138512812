//! The comment of a run that has no results to show.

use crate::{Options, escape::Markdown, text::Text, view};

/// What is lacking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The run left no results.
    Missing,
    /// What it left is not used.
    Unusable,
}

/// That the run of the commit `head` has no results, and why: a sentence, which may quote anything.
#[must_use]
pub fn nothing(lack: Lack, head: &str, why: &str, options: &Options) -> String {
    let of = Text::of("✗ The run of ").then(view::commit(head, options.repository_url.as_deref()));
    let headline = of.words(match lack {
        Lack::Missing => " left no results",
        Lack::Unusable => " left no results that can be used",
    });
    let notices = view::outdated(options).into_iter();
    let mut text = format!("### {}\n\n", headline.written(&Markdown));
    for notice in notices {
        text += &format!("> {}\n\n", notice.written(&Markdown));
    }
    text += &Text::quoted(why).written(&Markdown);
    if let Some(url) = &options.report_url {
        let link = Text::of("What there is, is in ").link("the run", Some(url)).words(".");
        text += &format!("\n\n{}", link.written(&Markdown));
    }
    text + "\n"
}
