//! What a contributor's samples are judged by: flags, and `bench-action.toml` as it is on the default
//! branch, which nobody can change without the rights to.

use super::{Desk, Notices};
use crate::args::CommentArgs;
use crate::error::CliError;
use bench_comment::GitHub as _;
use bench_core::config::{Config, FILE_NAME};
use bench_core::skeleton::today;

/// The configuration; defaults where there is no such file, or the token may not read it.
pub(super) fn trusted(
    args: &CommentArgs,
    desk: &Desk,
    branch: &str,
    notices: &mut Notices,
) -> Result<Config, CliError> {
    let bytes = match desk.github.file(FILE_NAME, branch) {
        Err(refusal) if refusal.is_missing_permission() => {
            notices.say(format!("the settings of {FILE_NAME} do not hold here: {refusal}"));
            None
        }
        other => other.map_err(CliError::Refused)?,
    };
    let text = bytes.as_deref().map(String::from_utf8_lossy);
    let name = format!("{FILE_NAME} on {branch}");
    let harnesses = bench_harness::all();
    Ok(Config::from_text(&args.flags(), text.as_deref(), &name, harnesses, today())?)
}
