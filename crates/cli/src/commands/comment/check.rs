//! The check on the commit that was measured.

use super::{Desk, Notices, Said, Subject};
use crate::error::CliError;
use crate::exit::Exit;
use bench_comment::{Check, Conclusion, GitHub as _, WriteError};
use bench_render::{Lack, Options, RenderError};

/// Most bytes of its text; GitHub takes 65,535.
const BUDGET: usize = 60_000;

/// The check of this name.
pub(super) fn check(
    name: &str,
    subject: &Subject,
    options: &Options,
) -> Result<Check, RenderError> {
    let options = Options { budget: BUDGET, template: None, newer_head: None, ..options.clone() };
    let (title, summary) = match &subject.tale.said {
        Said::Results(results, _) => {
            (bench_render::title(results, &options), bench_render::markdown(results, &options)?)
        }
        Said::Nothing(lack, why) => (
            match lack {
                Lack::Missing => "The run left no results".to_owned(),
                Lack::Unusable => "The run left no results that can be used".to_owned(),
            },
            bench_render::nothing(*lack, subject.head.as_str(), why, &options),
        ),
    };
    let has_failed = subject.tale.outcome != Exit::Done;
    Ok(Check {
        name: name.to_owned(),
        head: subject.head.as_str().to_owned(),
        conclusion: Conclusion::of(has_failed, subject.is_of_strangers),
        title,
        summary,
    })
}

/// Sets it. That the token may not is told with what to add.
pub(super) fn set(check: &Check, desk: &Desk, notices: &mut Notices) -> Result<(), CliError> {
    let refusal = match desk.github.set_check(check) {
        Ok(address) => {
            let conclusion = check.conclusion.word();
            crate::terminal::say(&format!("check set to {conclusion}: {address}"));
            return Ok(());
        }
        Err(WriteError::Refused(refusal) | WriteError::Unclear(refusal)) => refusal,
        Err(WriteError::Gone | WriteError::TooLong) => return Err(CliError::CheckTooLong),
    };
    if refusal.is_missing_permission() {
        notices.say(format!("no check was set: {refusal}"));
        return Ok(());
    }
    Err(CliError::Refused(refusal))
}
