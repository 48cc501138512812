//! What a step tells the runner of its job: outputs, the job summary, annotations. Values and
//! messages may come from benchmarks, so none of them can end where it stands and begin another.

use std::fs::OpenOptions;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Most bytes of a step's summary. GitHub drops a summary of more than a mebibyte whole, and one of
/// exactly a mebibyte as well.
const MOST_SUMMARY_BYTES: usize = 1_000_000;

/// Most characters of an annotation's message; GitHub shows no more of it.
const LONGEST_MESSAGE: usize = 4_000;

/// The files through which a step speaks; none where there is no runner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runner {
    output: Option<PathBuf>,
    summary: Option<PathBuf>,
}

/// A file of the runner's could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}; the runner named this file in {variable}")]
pub(crate) struct RunnerError {
    path: PathBuf,
    variable: &'static str,
    source: std::io::Error,
}

impl Runner {
    /// The runner of this process.
    pub(crate) fn from_environment() -> Self {
        let file = |name| super::variable(name).map(PathBuf::from);
        Self { output: file("GITHUB_OUTPUT"), summary: file("GITHUB_STEP_SUMMARY") }
    }

    /// Sets an output of this step.
    pub(crate) fn set(&self, name: &str, value: &str) -> Result<(), RunnerError> {
        let Some(path) = &self.output else { return Ok(()) };
        append(path, "GITHUB_OUTPUT", &assignment(name, value, &mut random_word))
    }

    /// Bytes that still fit into this step's summary.
    pub(crate) fn summary_room(&self) -> usize {
        let written = self.summary.as_deref().and_then(|path| path.metadata().ok());
        let written = written.map_or(0, |file| usize::try_from(file.len()).unwrap_or(usize::MAX));
        MOST_SUMMARY_BYTES.saturating_sub(written)
    }

    /// Adds a paragraph to the job summary; what does not fit is left out, and that is said.
    pub(crate) fn summarize(&self, text: &str) -> Result<(), RunnerError> {
        let Some(path) = &self.summary else { return Ok(()) };
        append(path, "GITHUB_STEP_SUMMARY", &fitting(text, self.summary_room()))
    }
}

fn append(path: &Path, variable: &'static str, text: &str) -> Result<(), RunnerError> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|source| RunnerError {
        path: path.to_owned(),
        variable,
        source,
    })
}

/// `name<<WORD`, the value, `WORD`, with a word that nobody can know before and the value lacks.
fn assignment(name: &str, value: &str, word: &mut dyn FnMut() -> String) -> String {
    let mut end = word();
    while value.contains(&end) {
        end = word();
    }
    format!("{name}<<{end}\n{value}\n{end}\n")
}

/// 128 random bits; the standard library's hash keys come from the system's random source.
fn random_word() -> String {
    let half = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("end-{:016x}{:016x}", half(), half())
}

/// The text as a paragraph of its own, of whole lines and at most `room` bytes.
fn fitting(text: &str, room: usize) -> String {
    const CUT: &str = "\n\nThe rest did not fit into the job summary.\n\n";
    let text = text.trim_end();
    if text.len() + 2 <= room {
        return format!("{text}\n\n");
    }
    let Some(room) = room.checked_sub(CUT.len()) else { return String::new() };
    let cut = (0..=room).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let kept = text.get(..cut).unwrap_or_default();
    let whole = kept.rfind('\n').and_then(|end| kept.get(..end)).unwrap_or_default();
    format!("{whole}{CUT}")
}

/// How loud an annotation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Notice,
    Warning,
    Error,
}

/// The workflow command for an annotation; to be printed as a line of its own.
pub(crate) fn annotation(level: Level, title: &str, message: &str) -> String {
    let level = match level {
        Level::Notice => "notice",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    let message: String = message.chars().take(LONGEST_MESSAGE).collect();
    format!("::{level} title={}::{}", property(title), data(&message))
}

/// A message: lines stay apart, other control characters go.
fn data(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control() || "\n\t".contains(*c)).collect();
    plain.replace('%', "%25").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_set_another_output() {
        let mut words = ["a", "b"].map(str::to_owned).into_iter();
        let mut word = || words.next().unwrap();
        let text = assignment("verdict", "x\na\nforged=1", &mut word);
        assert_eq!(text, "verdict<<b\nx\na\nforged=1\nb\n");
        assert_ne!(random_word(), random_word());
    }

    #[test]
    fn an_annotation_is_one_line_whatever_its_text() {
        let text = annotation(Level::Error, "a:b,c%\nd", "x\r\n::set-output name=a::b\u{1b}[0m");
        assert_eq!(text, "::error title=a%3Ab%2Cc%25%0Ad::x%0A::set-output name=a::b[0m");
        let long = annotation(Level::Notice, "t", &"x".repeat(1 << 20));
        assert!(long.len() < 5_000);
    }

    #[test]
    fn the_summary_is_added_to_and_never_grows_beyond_what_github_takes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("summary");
        std::fs::write(&path, "before\n").unwrap();
        let runner = Runner { output: None, summary: Some(path.clone()) };
        runner.summarize("one\ntwo").unwrap();
        runner.summarize(&"ä line\n".repeat(200_000)).unwrap();
        runner.summarize("no room").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("before\none\ntwo\n\nä line\n"), "{}", &text[..40]);
        assert!(text.ends_with("line\n\nThe rest did not fit into the job summary.\n\n"));
        assert!(text.len() <= MOST_SUMMARY_BYTES);
    }

    #[test]
    fn without_a_runner_nothing_is_written() {
        let runner = Runner::default();
        runner.set("a", "b").unwrap();
        runner.summarize("text").unwrap();
    }
}
