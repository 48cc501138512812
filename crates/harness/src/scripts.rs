//! The scripts of a suite, as its configuration names them.

use crate::place::matching;
use crate::steps::Steps;
use bench_results::{Failure, SideName};
use std::path::{Path, PathBuf};

/// The scripts that the suite's `programs` name, relative to its directory; and in words what only base
/// lacks: the configuration is head's, so that all should be there on head.
///
/// # Errors
/// A name without a file on head.
pub(crate) fn named_scripts(
    steps: &Steps<'_>,
    directory: &Path,
) -> Result<(Vec<String>, Vec<String>), Failure> {
    let site = steps.site;
    let (mut scripts, mut missing) = (Vec::<String>::new(), Vec::new());
    for named in &site.suite.programs {
        match matching(directory, named, "file", Path::is_file) {
            Ok(found) => {
                let of = |path: &PathBuf| {
                    path.strip_prefix(directory).unwrap_or(path).display().to_string()
                };
                let new: Vec<String> =
                    found.iter().map(of).filter(|script| !scripts.contains(script)).collect();
                scripts.extend(new);
            }
            Err(message) if site.side == SideName::Base => {
                missing.push(format!("on base {message}"));
            }
            Err(message) => {
                let message = format!("suite {}, `programs`: {message}", site.suite.name);
                return Err(steps.failure("discover", message));
            }
        }
    }
    Ok((scripts, missing))
}
