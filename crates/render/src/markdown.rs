//! The text of the comment, which has a budget of bytes: detail is given up in a fixed order, and
//! the reader is told.

use crate::{
    Options, RenderError,
    escape::{Markdown, Pen},
    page::{Detail, Writer},
    template,
    text::Text,
    view::View,
};
use bench_results::Results;

/// The template of the comment. Its first lines document what a replacement may use.
pub const BUILT_IN_TEMPLATE: &str = include_str!("../../../templates/comment.md.tera");

/// The comment: at most `options.budget` bytes of GitHub's markdown.
///
/// # Errors
/// [`RenderError::Template`] when a template of the caller's own cannot be filled in;
/// [`RenderError::TooLong`] when even the shortest report is over the budget.
pub fn markdown(results: &Results, options: &Options) -> Result<String, RenderError> {
    let view = View::new(results, options);
    let (name, source) = match &options.template {
        Some(source) => ("--template", source.as_str()),
        None => ("comment.md.tera", BUILT_IN_TEMPLATE),
    };
    let write = |detail: Detail| -> Result<String, RenderError> {
        let pen: &dyn Pen = &Markdown;
        let writer = Writer {
            pen,
            detail,
            marker: options.marker.as_ref().map(crate::Marker::line).unwrap_or_default(),
            elsewhere: elsewhere(options),
            tool: tool(results),
        };
        let filled = template::fill(name, source, &writer.page(&view))?;
        Ok(tidy(&filled))
    };
    fit(&view, options.budget, write)
}

/// The most detailed text that fits the budget.
fn fit(
    view: &View,
    budget: usize,
    write: impl Fn(Detail) -> Result<String, RenderError>,
) -> Result<String, RenderError> {
    let mut detail = Detail::COMMENT;
    let mut text = write(detail)?;
    for step in steps(view) {
        if text.len() <= budget {
            return Ok(text);
        }
        (detail, text) = step.give_up(detail, budget, &write)?;
    }
    if text.len() <= budget {
        return Ok(text);
    }
    Err(RenderError::TooLong { needed: text.len(), budget })
}

/// One thing that is given up.
struct Step {
    /// Sets how many items are kept.
    set: fn(Detail, usize) -> Detail,
    /// How many there are.
    items: usize,
}

impl Step {
    /// Keeps as many items as fit the budget, none if that is still too long.
    fn give_up(
        &self,
        detail: Detail,
        budget: usize,
        write: impl Fn(Detail) -> Result<String, RenderError>,
    ) -> Result<(Detail, String), RenderError> {
        let mut best = (self.set)(detail, 0);
        let mut text = write(best)?;
        let (mut kept, mut too_many) = (0, self.items);
        while text.len() <= budget && too_many - kept > 1 {
            let middle = kept.midpoint(too_many);
            let tried = (self.set)(detail, middle);
            let longer = write(tried)?;
            if longer.len() <= budget {
                (kept, best, text) = (middle, tried, longer);
            } else {
                too_many = middle;
            }
        }
        Ok((best, text))
    }
}

/// What is given up, first to last.
fn steps(view: &View) -> [Step; 8] {
    let names = view.others.iter().map(|other| other.names.len());
    let names = names.chain(view.failed.iter().map(|f| f.names.len())).chain([view.warnings.len()]);
    let failures = view.failed.len();
    [
        Step { set: |d, _| Detail { full: false, ..d }, items: 0 },
        Step { set: |d, _| Detail { method: false, ..d }, items: 0 },
        Step {
            set: |d, n| Detail { names: n, ..d },
            items: names.max().unwrap_or(0).min(Detail::COMMENT.names),
        },
        Step { set: |d, n| Detail { undecided: n, ..d }, items: view.undecided.lines.len() },
        Step { set: |d, n| Detail { outputs: n, ..d }, items: failures.max(1) },
        Step { set: |d, n| Detail { failures: n, ..d }, items: failures },
        Step { set: |d, n| Detail { changes: n, ..d }, items: view.changed.len() },
        Step { set: |d, _| Detail { rest: false, ..d }, items: 0 },
    ]
}

/// Where a reader finds what is missing.
fn elsewhere(options: &Options) -> Text {
    match (&options.report_url, &options.paths) {
        (Some(url), _) => {
            Text::of("All of it is in ").link("the whole report", Some(url)).words(".")
        }
        (None, Some(paths)) => Text::of("All of it is in ").code(&paths.report).words("."),
        (None, None) => {
            Text::of("All of it is in ").code("report.html").words(", which the run keeps.")
        }
    }
}

fn tool(results: &Results) -> Text {
    Text::quoted(format!("{} {}", results.tool.name, results.tool.version))
}

/// At most one empty line in a row and none at the ends: templates need not care.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_empty_before = true;
    for line in text.lines() {
        let line = line.trim_end();
        if line.is_empty() && is_empty_before {
            continue;
        }
        is_empty_before = line.is_empty();
        out.push_str(line);
        out.push('\n');
    }
    let end = out.trim_end().len();
    out.truncate(end);
    out.push('\n');
    out
}
