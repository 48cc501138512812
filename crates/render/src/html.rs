//! The report as one HTML file that needs nothing else.

use crate::{
    Options, RenderError,
    escape::Html,
    page::{Detail, Writer},
    template,
    text::Text,
    view::View,
};
use bench_results::Results;

/// The whole report as one self-contained file.
///
/// # Errors
/// [`RenderError::Template`] only if the built-in template is broken.
pub fn html(results: &Results, options: &Options) -> Result<String, RenderError> {
    let view = View::new(results, options);
    let writer = Writer {
        pen: &Html,
        detail: Detail::ALL,
        marker: String::new(),
        elsewhere: Text::default(),
        tool: Text::quoted(format!("{} {}", results.tool.name, results.tool.version)),
    };
    template::fill(
        "report.html",
        include_str!("../../../templates/report.html"),
        &writer.page(&view),
    )
}
