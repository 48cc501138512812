//! The report as one HTML file that needs nothing else.

mod curves;
mod origin;
mod policy;
mod results;

use crate::{
    Options, RenderError,
    escape::Html,
    page::{Detail, FactPage, Page, Writer},
    template,
    text::Text,
    view::View,
};
use bench_results::Results;
use serde::Serialize;

const TEMPLATE: &str = include_str!("../../../templates/report.html");
const STYLE: &str = include_str!("../../../templates/report.css");
const SCRIPT: &str = include_str!("../../../templates/report.js");

/// The whole report as one self-contained file.
///
/// # Errors
/// [`RenderError::Template`] only if the built-in template is broken.
pub fn html(results: &Results, options: &Options) -> Result<String, RenderError> {
    let view = View::new(results, options);
    let writer = Writer {
        pen: &Html,
        // The table of this page has the rows of all lists.
        detail: Detail { full: false, undecided: 0, changes: 0, ..Detail::ALL },
        marker: String::new(),
        elsewhere: Text::default(),
        tool: Text::quoted(format!("{} {}", results.tool.name, results.tool.version)),
    };
    let document = Document {
        page: writer.page(&view),
        policy: policy::policy(STYLE, SCRIPT),
        style: STYLE,
        script: SCRIPT,
        method: writer.facts(view.method.iter().filter(|fact| !origin::TOLD.contains(&fact.name))),
        results: results::results(results, &writer),
        curves: curves::curves(results),
        origins: origin::origins(results),
    };
    template::fill("report.html", TEMPLATE, &document)
}

/// The context of the template: the page that every format shares, and what only HTML has room for.
#[derive(Debug, Serialize)]
struct Document {
    page: Page,
    /// The content security policy, which allows the one script and the one style sheet.
    policy: String,
    style: &'static str,
    script: &'static str,
    /// How it was measured, but for what the tables of `origins` tell.
    method: Vec<FactPage>,
    results: results::ResultsPage,
    curves: curves::CurvesPage,
    /// Sides, machines and environments.
    origins: Vec<origin::OriginPage>,
}
