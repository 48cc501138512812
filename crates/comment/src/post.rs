//! Drives the machine of [`crate::upsert`]: does what it asks for and tells it what came of it.

use crate::body::{compose, room};
use crate::{Action, Draft, Ending, Mode, Outcome, Pause, Refusal, Report, Texts, Thread, Upsert};
use std::time::Duration;

/// Writes the report in at most so many bytes; the second argument is the commit that the pull
/// request stands at.
pub type Write<'w, E> = &'w mut dyn FnMut(usize, &str) -> Result<String, E>;

/// What is to be posted, and how patiently.
#[derive(Clone, Debug)]
pub struct Post {
    /// What is reported.
    pub report: Report,
    /// When a comment is created.
    pub mode: Mode,
    /// The pause after which what was written can be seen by everyone.
    pub settle: Duration,
}

/// A comment could not be brought up to date.
#[derive(Debug)]
pub enum PostError<E> {
    /// GitHub refused.
    Refused(Refusal),
    /// The report could not be written.
    Report(E),
}

/// Brings the comment up to date.
///
/// # Errors
/// What `write` fails with. What GitHub refuses is an [`Ending`].
pub fn post<E>(thread: &dyn Thread, post: &Post, write: Write<'_, E>) -> Result<Ending, E> {
    let mut machine = Upsert::new(post.report.clone(), post.mode);
    let mut current = post.report.marker.head.as_str().to_owned();
    loop {
        let action = machine.next().clone();
        let mut text = |draft: &Draft| text(post, draft, &current, write);
        let outcome = match action {
            Action::List(pause) => {
                std::thread::sleep(wait(pause, post.settle));
                list(thread, &mut current)
            }
            Action::Create(draft) => written(thread.create(&text(&draft)?)),
            Action::Update { id, draft } => written(thread.update(id, &text(&draft)?)),
            Action::Delete { id } => match thread.remove(id) {
                Ok(()) => Outcome::Deleted,
                Err(error) => Outcome::Failed(error),
            },
            Action::End(ending) => return Ok(ending),
        };
        machine.apply(outcome);
    }
}

/// What would be done first, and with what text; nothing is written.
///
/// # Errors
/// Where the comments cannot be read, or `write` fails.
pub fn plan<E>(
    thread: &dyn Thread,
    post: &Post,
    write: Write<'_, E>,
) -> Result<(Action, Option<String>), PostError<E>> {
    let mut machine = Upsert::new(post.report.clone(), post.mode);
    let mut current = post.report.marker.head.as_str().to_owned();
    machine.apply(list(thread, &mut current));
    let action = machine.next().clone();
    let text = match &action {
        Action::Create(draft) | Action::Update { draft, .. } => {
            Some(text(post, draft, &current, write).map_err(PostError::Report)?)
        }
        Action::End(Ending::Refused(refusal)) => return Err(PostError::Refused(refusal.clone())),
        _ => None,
    };
    Ok((action, text))
}

fn text<E>(post: &Post, draft: &Draft, current: &str, write: Write<'_, E>) -> Result<String, E> {
    let marker = &post.report.marker;
    let report = write(room(marker, draft.size), current)?;
    Ok(compose(marker, &report, draft.kept.as_ref(), draft.size))
}

/// The texts, and where their place stands now.
fn list(thread: &dyn Thread, current: &mut String) -> Outcome {
    match thread.texts() {
        Ok(Texts { comments, head }) => {
            if let Some(head) = &head {
                current.clone_from(head);
            }
            Outcome::Listed { comments, head: head.unwrap_or_default() }
        }
        Err(refusal) => Outcome::Refused(refusal),
    }
}

fn written(result: Result<crate::Posted, crate::WriteError>) -> Outcome {
    match result {
        Ok(posted) => Outcome::Written(posted),
        Err(error) => Outcome::Failed(error),
    }
}

fn wait(pause: Pause, settle: Duration) -> Duration {
    match pause {
        Pause::None => Duration::ZERO,
        Pause::Settle => settle,
        Pause::Recover(times) => settle * 2u32.pow(times.min(5)),
    }
}
