//! The first line of the comment: by it the comment is found again, and in it stands which run the
//! comment tells of. Nobody sees it on the page.

use bench_results::is_commit;
use std::fmt;

/// Begins the line; a later grammar gets another number.
const OPENING: &str = "<!-- bench-action v1 ";

/// Ends it.
const CLOSING: &str = " -->";

/// Most characters of a key.
const LONGEST_KEY: usize = 64;

/// What tells apart several comments on one pull request, such as those of two workflows: 1 to 64
/// of the characters `A-Z a-z 0-9 . _ -`, and never `--`, which could end the line early.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key(String);

impl Key {
    /// The key of this text; none where the text is no key.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let fits = (1..=LONGEST_KEY).contains(&text.len());
        (fits && text.chars().all(is_safe) && !text.contains("--")).then(|| Self(text.to_owned()))
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The full id of a commit, as git writes it: nothing else can stand in the marker, where any other
/// text could end the line early and go on as it likes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Commit(String);

impl Commit {
    /// The commit of this id; none where the text is not 40 or 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        is_commit(text).then(|| Self(text.to_owned()))
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The beginning by which people know it.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.get(..7).unwrap_or(&self.0)
    }
}

impl fmt::Display for Commit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Whether a comment holds a table of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The run was measured.
    Results,
    /// The run came to no results: it could not be built, failed, or ran out of time.
    Nothing,
}

impl Content {
    fn word(self) -> &'static str {
        match self {
            Self::Results => "results",
            Self::Nothing => "nothing",
        }
    }
}

/// Which run a comment tells of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Whose comment it is, among ours.
    pub key: Key,
    /// The pull request's commit that was measured.
    pub head: Commit,
    /// The workflow run; 0 for one made by hand.
    pub run: u64,
    /// The attempt of that run, from 1; 0 for one made by hand.
    pub attempt: u32,
    /// Whether the run came to results.
    pub content: Content,
}

impl fmt::Display for Marker {
    /// The line, without its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, head, run, attempt, content } = self;
        let (key, content) = (key.as_str(), content.word());
        write!(
            f,
            "{OPENING}key={key} head={head} run={run} attempt={attempt} content={content}{CLOSING}"
        )
    }
}

impl Marker {
    /// Reads the first line of a comment. Anything but exactly what [`Self::to_string`] writes is
    /// no marker: a comment that somebody else began with something like it is not ours.
    #[must_use]
    pub fn of(body: &str) -> Option<Self> {
        let line = body.split('\n').next().unwrap_or_default();
        let line = line.strip_suffix('\r').unwrap_or(line);
        let fields = line.strip_prefix(OPENING)?.strip_suffix(CLOSING)?;
        let mut fields = fields.split(' ');
        let mut field = |name: &str| fields.next()?.strip_prefix(name)?.strip_prefix('=');
        let marker = Self {
            key: Key::new(field("key")?)?,
            head: Commit::new(field("head")?)?,
            run: number(field("run")?)?,
            attempt: u32::try_from(number(field("attempt")?)?).ok()?,
            content: match field("content")? {
                "results" => Content::Results,
                "nothing" => Content::Nothing,
                _ => return None,
            },
        };
        fields.next().is_none().then_some(marker)
    }

    /// Whether a comment that carries `other` tells of a newer state than this one, so that this
    /// must not replace it. `current` is the commit that the pull request stands at now: it beats
    /// any other; of two runs of one commit, or of two commits that are both gone, the later run
    /// counts. What is posted by hand is meant, and yields only to the pull request's own commit.
    #[must_use]
    pub fn is_superseded_by(&self, other: &Self, current: &str) -> bool {
        if self.head != other.head {
            if self.head.as_str() == current {
                return false;
            }
            if other.head.as_str() == current {
                return true;
            }
        }
        self.run != 0 && (other.run, other.attempt) > (self.run, self.attempt)
    }
}

/// A decimal number as we write it: no sign, no leading zero.
fn number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn marker(head: char, run: u64, attempt: u32) -> Marker {
        Marker {
            key: Key::new("bench").unwrap(),
            head: Commit::new(&head.to_string().repeat(40)).unwrap(),
            run,
            attempt,
            content: Content::Results,
        }
    }

    #[test]
    fn a_marker_is_read_back_from_the_first_line_whatever_follows() {
        let written = marker('a', 99, 2);
        for end in ["", "\n", "\r\nmore", "\n\n### two\nlines"] {
            assert_eq!(Marker::of(&format!("{written}{end}")), Some(written.clone()));
        }
        let nothing = Marker { content: Content::Nothing, ..written };
        assert_eq!(Marker::of(&nothing.to_string()), Some(nothing));
    }

    #[test]
    fn only_the_exact_line_at_the_very_beginning_is_a_marker() {
        let line = marker('a', 99, 2).to_string();
        for (from, to) in [
            ("<!--", " <!--"),
            ("<!--", "> <!--"),
            ("v1", "v2"),
            ("run=99", "run=+99"),
            ("run=99", "run=099"),
            ("run=99", "run=99999999999999999999999"),
            ("run=99 attempt=2", "attempt=2 run=99"),
            (" -->", " extra=1 -->"),
            (" -->", "  -->"),
            (" -->", " --> text"),
            ("key=bench", "key="),
            ("key=bench", "key=a--b"),
            ("key=bench", "key=a>b"),
            ("aaaa head", "aaaa  head"),
            ("head=a", "head=A"),
            ("head=a", "head="),
            ("content=results", "content=green"),
        ] {
            let forged = line.replacen(from, to, 1);
            if forged != line {
                assert_eq!(Marker::of(&forged), None, "{forged}");
            }
        }
        assert_eq!(Marker::of(&format!("hello\n{line}")), None);
    }

    #[test]
    fn a_key_cannot_end_the_line_early() {
        for bad in ["", "a b", "a-->b", "--", "ä", &"k".repeat(65)] {
            assert_eq!(Key::new(bad), None, "{bad:?}");
        }
        assert!(Key::new("linux_x86-64.v2").is_some());
    }

    #[test]
    fn no_text_but_the_full_id_of_a_commit_gets_into_the_line() {
        let id = "0123456789abcdef".repeat(4);
        for good in [&id[..40], &id] {
            assert_eq!(Commit::new(good).unwrap().as_str(), good);
        }
        let long = id.clone() + "0";
        for bad in [
            "",
            "--> hi @torvalds",
            &format!("{} run=9 attempt=9 content=results --> x <!--", &id[..40]),
            &id[..39],
            &id[..41],
            &long,
            &id[..40].to_uppercase(),
            &format!("{}\n", &id[..39]),
            &"é".repeat(20),
        ] {
            assert_eq!(Commit::new(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn the_commit_that_the_pull_request_stands_at_beats_all_others() {
        let (current, gone) = (marker('a', 5, 1), marker('b', 9, 1));
        let at = "a".repeat(40);
        assert!(gone.is_superseded_by(&current, &at));
        assert!(!current.is_superseded_by(&gone, &at));
        // By hand too.
        assert!(Marker { run: 0, attempt: 0, ..gone }.is_superseded_by(&current, &at));
    }

    #[test]
    fn of_one_commit_the_later_run_and_attempt_count_and_by_hand_wins() {
        let at = "a".repeat(40);
        assert!(marker('a', 5, 1).is_superseded_by(&marker('a', 6, 1), &at));
        assert!(marker('a', 5, 1).is_superseded_by(&marker('a', 5, 2), &at));
        assert!(!marker('a', 5, 2).is_superseded_by(&marker('a', 5, 2), &at));
        assert!(!marker('a', 0, 0).is_superseded_by(&marker('a', 5, 2), &at));
        // Both commits are gone: the run of the earlier push is the earlier run.
        assert!(marker('b', 5, 1).is_superseded_by(&marker('c', 6, 1), &at));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "(<!-- bench-action v1 )?.{0,200}") {
            let _read = Marker::of(&text);
        }

        #[test]
        fn runs_of_a_workflow_never_supersede_each_other_both_ways(
            (a, b) in (0u8..3, 0u8..3), (r, s) in (1u64..4, 1u64..4), at in 0u8..3,
        ) {
            let head = |n: u8| char::from(b'a' + n);
            let (x, y) = (marker(head(a), r, 1), marker(head(b), s, 1));
            let at = head(at).to_string().repeat(40);
            prop_assert!(!(x.is_superseded_by(&y, &at) && y.is_superseded_by(&x, &at)));
        }
    }
}
