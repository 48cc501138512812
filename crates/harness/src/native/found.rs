//! The programs of a suite, as its configuration names them.

use super::{Dialect, NativeReady, Program};
use crate::place::{Place, is_executable, matching};
use crate::{Ready, Site, steps::Steps};
use bench_process::CpuClock;
use bench_results::{Failure, SideName};
use std::path::{Path, PathBuf};

/// A suite that its own `build` makes, as programs which its configuration names.
///
/// # Errors
/// A build that fails, or a name without a program on head.
pub(crate) fn prepare_named(
    site: &Site<'_>,
    dialect: impl Dialect + 'static,
) -> Result<Box<dyn Ready>, Failure> {
    let steps = Steps::new(site);
    let place = Place::of(site);
    steps.build(&place)?;
    let (programs, missing) = named_programs(&steps, &place)?;
    Ok(Box::new(NativeReady::new(site, &place, dialect, programs, missing)))
}

/// The programs that the suite's `programs` name. The configuration is head's, so that all should be
/// there on head; what only base lacks has been added, and is told in words.
///
/// # Errors
/// A name without a program on head.
fn named_programs(
    steps: &Steps<'_>,
    place: &Place,
) -> Result<(Vec<Program>, Vec<String>), Failure> {
    let site: &Site<'_> = steps.site;
    let (mut programs, mut missing) = (Vec::<Program>::new(), Vec::new());
    for named in &site.suite.programs {
        let found = match matching(&place.directory, named, "program", is_executable) {
            Ok(found) => found,
            Err(message) if site.side == SideName::Base => {
                missing.push(format!("on base {message}"));
                continue;
            }
            Err(message) => {
                let message = format!("suite {}, `programs`: {message}", site.suite.name);
                return Err(steps.failure("discover", message));
            }
        };
        let is_new = |path: &PathBuf| !programs.iter().any(|known| known.path == *path);
        let new: Vec<PathBuf> = found.into_iter().filter(is_new).collect();
        programs.extend(new.into_iter().map(|path| program(path, place)));
    }
    tell_apart(&mut programs, &place.directory);
    Ok((programs, missing))
}

/// Programs of one name in several directories are called by their paths.
fn tell_apart(programs: &mut [Program], directory: &Path) {
    let labels: Vec<String> = programs.iter().map(|program| program.label.clone()).collect();
    let is_shared = |label: &str| labels.iter().filter(|known| *known == label).count() > 1;
    for program in programs.iter_mut().filter(|program| is_shared(&program.label)) {
        let path = program.path.strip_prefix(directory).unwrap_or(&program.path);
        program.label = path.display().to_string();
    }
}

fn program(path: PathBuf, place: &Place) -> Program {
    Program {
        label: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        is_dynamic: CpuClock::reaches(&path),
        directory: place.directory.clone(),
        path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_one_name_are_called_by_their_paths() {
        let program = |path: &str| Program {
            label: Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            path: path.into(),
            directory: PathBuf::new(),
            is_dynamic: true,
        };
        let mut programs = ["/w/a/speed", "/w/b/speed", "/w/b/other"].map(program);
        tell_apart(&mut programs, Path::new("/w"));
        assert_eq!(programs.map(|program| program.label), ["a/speed", "b/speed", "other"]);
    }
}
