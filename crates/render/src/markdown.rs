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

/// Bytes that a row of a table has at least: a report of more rows than fit need not be written to
/// know that it is too long.
const SHORTEST_ROW: usize = 16;

/// Items tried first where not all may fit.
const FIRST_STRIDE: usize = 16;

/// The most detailed text that fits the budget. The whole is written where it may fit; else, from the
/// shortest report on, what is given up last comes back first, in steps that begin small: thousands of
/// benchmarks beyond the budget are not written again and again to find how many fit.
fn fit(
    view: &View,
    budget: usize,
    write: impl Fn(Detail) -> Result<String, RenderError>,
) -> Result<String, RenderError> {
    let may_fit = rows(view) <= budget / SHORTEST_ROW;
    if may_fit {
        let whole = write(Detail::COMMENT)?;
        if whole.len() <= budget {
            return Ok(whole);
        }
    }
    let steps = steps(view);
    let least = steps.iter().fold(Detail::COMMENT, |detail, step| (step.set)(detail, 0));
    let mut best = (least, write(least)?);
    if best.1.len() > budget {
        return Err(RenderError::TooLong { needed: best.1.len(), budget });
    }
    // With everything else back, the first step is the whole, which was written already.
    for step in steps[usize::from(may_fit)..].iter().rev() {
        let kept = step.restore(&mut best, budget, &write)?;
        if kept < step.items {
            break;
        }
    }
    Ok(best.1)
}

/// Rows of all tables.
fn rows(view: &View) -> usize {
    view.full.entries() + view.changed.len() + view.undecided.lines.len() + view.across.rows.len()
}

/// One thing that can be given up.
struct Step {
    /// Sets how many items are kept.
    set: fn(Detail, usize) -> Detail,
    /// How many there are.
    items: usize,
}

impl Step {
    /// Brings back as many items as fit the budget, and says how many.
    fn restore(
        &self,
        best: &mut (Detail, String),
        budget: usize,
        write: impl Fn(Detail) -> Result<String, RenderError>,
    ) -> Result<usize, RenderError> {
        let without = best.0;
        let (mut kept, mut too_many, mut stride) = (0, self.items + 1, FIRST_STRIDE);
        while too_many - kept > 1 {
            let all_fitted = too_many > self.items;
            let count =
                if all_fitted { self.items.min(kept + stride) } else { kept.midpoint(too_many) };
            let detail = (self.set)(without, count);
            let text = write(detail)?;
            if text.len() <= budget {
                (kept, stride, *best) = (count, stride * 2, (detail, text));
            } else {
                too_many = count;
            }
        }
        Ok(kept)
    }
}

/// What is given up, first to last.
fn steps(view: &View) -> [Step; 9] {
    let names = view.others.iter().map(|other| other.names.len());
    let names = names.chain(view.failed.iter().map(|f| f.names.len())).chain([view.warnings.len()]);
    let failures = view.failed.len();
    [
        Step { set: |d, n| Detail { full: n > 0, ..d }, items: 1 },
        Step { set: |d, n| Detail { method: n > 0, ..d }, items: 1 },
        Step {
            set: |d, n| Detail { names: n, ..d },
            items: names.max().unwrap_or(0).min(Detail::COMMENT.names),
        },
        Step { set: |d, n| Detail { undecided: n, ..d }, items: view.undecided.lines.len() },
        // A side that could not be prepared has one too.
        Step { set: |d, n| Detail { outputs: n, ..d }, items: failures.max(1) },
        Step { set: |d, n| Detail { failures: n, ..d }, items: failures },
        Step { set: |d, n| Detail { spread: n, ..d }, items: view.across.rows.len() },
        Step { set: |d, n| Detail { changes: n, ..d }, items: view.changed.len() },
        Step { set: |d, n| Detail { rest: n > 0, ..d }, items: 1 },
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
