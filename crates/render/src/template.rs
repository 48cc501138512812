//! Fills in a template, and says in full what is wrong with one that cannot be filled in.

use crate::RenderError;
use serde::Serialize;
use std::error::Error;

/// The page in the words of a template. Nothing is escaped here: a page's values already are.
pub(crate) fn fill(
    name: &'static str,
    source: &str,
    page: &impl Serialize,
) -> Result<String, RenderError> {
    let wrong =
        |error: &tera::Error| RenderError::Template { template: name, cause: causes(error) };
    let mut tera = tera::Tera::new();
    tera.autoescape_on(Vec::<&str>::new());
    tera.add_raw_template(name, source).map_err(|e| wrong(&e))?;
    let context = tera::Context::from_serialize(page).map_err(|e| wrong(&e))?;
    tera.render(name, &context).map_err(|e| wrong(&e))
}

/// An error with everything below it, which is where Tera keeps the line.
fn causes(error: &tera::Error) -> String {
    let mut text = error.to_string();
    let mut below = error.source();
    while let Some(cause) = below {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        below = cause.source();
    }
    text
}
