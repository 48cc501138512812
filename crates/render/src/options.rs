//! What a caller may choose about a report.

/// Choices for all formats; each format uses those that concern it.
#[derive(Clone, Debug)]
pub struct Options {
    /// How much of the suite the terminal lists.
    pub show: Show,
    /// Whether the terminal report is coloured. The caller knows about `NO_COLOR` and terminals.
    pub color: Color,
    /// Columns of the terminal; text is wrapped to them.
    pub width: usize,
    /// What becomes of lines that cannot be wrapped and are wider.
    pub long_lines: LongLines,
    /// Most bytes of markdown.
    pub budget: usize,
    /// A Tera template in place of the built-in one, for markdown.
    pub template: Option<String>,
    /// Where the files are, for the last lines of the terminal report.
    pub paths: Option<Paths>,
    /// The marker that the comment is found by; it becomes the first line of the markdown.
    pub marker: Option<Marker>,
    /// The repository's address, `https://host/owner/name`, to which commits are linked.
    pub repository_url: Option<String>,
    /// Where the whole report can be had: the address of the artifact or of the run.
    pub report_url: Option<String>,
    /// The pull request's head, where it has moved on since the run.
    pub newer_head: Option<String>,
    /// Whose run it was.
    pub origin: Origin,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            show: Show::Changes,
            color: Color::Never,
            width: 100,
            long_lines: LongLines::Cut,
            budget: 60_000,
            template: None,
            paths: None,
            marker: None,
            repository_url: None,
            report_url: None,
            newer_head: None,
            origin: Origin::Own,
        }
    }
}

/// How much of the suite the terminal lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// What changed, failed or stayed undecided.
    Changes,
    /// Every row.
    All,
}

/// What becomes of table rows and program output that are wider than the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongLines {
    /// Columns are dropped and names lose their middles, for a person who looks.
    Cut,
    /// They stay as they are, for a file or another program.
    Whole,
}

/// Whether colours are used; signs and words carry the meaning either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// No escape sequences.
    Never,
    /// ANSI colours.
    Always,
}

/// Whose run the results come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A run of the repository itself, or of the reader.
    Own,
    /// A run of a fork, whose code could have written anything.
    Contributor(Unverified),
}

/// What a contributor's run says of itself and nobody can check: numbers of results, and how it was
/// measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unverified {
    /// Said to have failed.
    pub failed: usize,
    /// Said to be gone on head.
    pub removed: usize,
    /// Said to have been skipped.
    pub skipped: usize,
    /// Said to be of identical builds.
    pub identical: usize,
    /// Said to be new on head.
    pub added: usize,
    /// Shown and not judged.
    pub unjudged: usize,
    /// Whether it was decided by other settings than the reader's.
    pub has_other_settings: bool,
    /// What it says it measured, where that is not the commit it was for.
    pub other_head: Option<String>,
    /// What it says it compared with, where that was not found on the pull request's base branch.
    pub other_base: Option<String>,
}

/// Where a run's files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// `results.json`.
    pub results: String,
    /// `report.html`.
    pub report: String,
}

/// What the sticky comment is recognised by, and which run it tells of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Tells apart several comments on one pull request.
    pub key: String,
    /// The head commit.
    pub head: String,
    /// The workflow run.
    pub run: u64,
    /// The attempt of that run.
    pub attempt: u32,
}

impl Marker {
    /// `<!-- bench-action v1 key=… head=… run=… attempt=… -->`. Characters other than letters,
    /// digits, `.`, `_` and `-` are left out and each value is cut at 64, so that it stays a comment.
    #[must_use]
    pub fn line(&self) -> String {
        let safe = |text: &str| -> String {
            let safe = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
            text.chars().filter(safe).take(64).collect()
        };
        format!(
            "<!-- bench-action v1 key={} head={} run={} attempt={} -->",
            safe(&self.key),
            safe(&self.head),
            self.run,
            self.attempt
        )
    }
}
