//! A side's own copy of the benchmark directory: suites write beside themselves.

use super::conf::Conf;
use crate::steps::Steps;
use bench_results::{Failure, hex};
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A copied suite.
#[derive(Clone, Debug)]
pub(crate) struct Suite {
    /// The benchmark directory: the package that is imported.
    pub(crate) directory: PathBuf,
    /// Of its files' names and contents.
    pub(crate) digest: String,
}

/// What is beside a benchmark directory but is no part of the suite.
const LEFT_OUT: [&str; 5] = [".git", ".asv", ".bench-action", "__pycache__", ".venv"];

/// Copies the suite into the side's work directory, at the same place below it as below the tree's
/// root. Its neighbours are linked, so that a suite finds the data that lies beside it.
pub(crate) fn suite(steps: &Steps<'_>, conf: &Conf, conf_file: &Path) -> Result<Suite, Failure> {
    let site = steps.site;
    let conf_dir = conf_file.parent().unwrap_or(site.suite_root);
    let source = absolute(&conf_dir.join(&conf.benchmark_dir));
    if !source.is_dir() {
        let message = format!(
            "`{}` is no directory, but {} names it as `benchmark_dir`",
            source.display(),
            conf_file.display()
        );
        return Err(steps.failure("configuration", message));
    }
    let root = absolute(site.suite_root);
    let place = source.strip_prefix(&root).ok().filter(|place| place.file_name().is_some());
    // A directory that is the root itself, or outside of it, still needs its name: it is imported.
    let place = place.map(Path::to_owned).or_else(|| source.file_name().map(PathBuf::from));
    let place = place.unwrap_or_else(|| "benchmarks".into());
    let directory = site.work.join("suite").join(place);
    let mut digest = Sha256::new();
    copy(&source, &directory, Path::new(""), &mut digest)
        .and_then(|()| link_neighbours(conf, &source, &directory))
        .map_err(|error| steps.io("suite", &source, &error))?;
    Ok(Suite { directory, digest: hex(&digest.finalize()) })
}

fn copy(from: &Path, to: &Path, place: &Path, digest: &mut Sha256) -> io::Result<()> {
    fs::create_dir_all(to)?;
    let mut entries = fs::read_dir(from)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let (from, to, place) = (entry.path(), to.join(&name), place.join(&name));
        if LEFT_OUT.iter().any(|left_out| name == *left_out) {
            continue;
        }
        if from.is_dir() {
            copy(&from, &to, &place, digest)?;
        } else if from.is_file() {
            digest.update(place.as_os_str().as_encoded_bytes());
            digest.update(bench_results::file_digest(&from)?);
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

fn link_neighbours(conf: &Conf, source: &Path, directory: &Path) -> io::Result<()> {
    let (Some(from), Some(to)) = (source.parent(), directory.parent()) else { return Ok(()) };
    let made_by_asv = [&conf.env_dir, &conf.results_dir, &conf.html_dir];
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let left_out = LEFT_OUT.iter().any(|left_out| name == *left_out)
            || made_by_asv.iter().any(|path| path.as_os_str() == name);
        let to = to.join(&name);
        if !left_out && fs::symlink_metadata(&to).is_err() {
            std::os::unix::fs::symlink(entry.path(), to)?;
        }
    }
    Ok(())
}

/// Absolute, without `.` and `..`: a suite's directory is often given as `./benchmarks`.
fn absolute(path: &Path) -> PathBuf {
    use std::path::Component;
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    whole.components().fold(PathBuf::new(), |mut clean, part| {
        match part {
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
        clean
    })
}
