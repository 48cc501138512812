//! The text of the comment: the marker, the report, and under a report without results the table
//! of the last run that had some. A reader never sees a green table where the newest push failed.

use crate::{Content, Marker};

/// Begins the part that is kept from an earlier state; the same on every later state.
const KEPT: &str = "<!-- bench-action kept -->";

/// How long a text may be. GitHub takes 262,144 bytes at most, though it speaks of 65,536
/// characters; servers of one's own may take less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// What is tried first.
    Full,
    /// What is tried when that was too long for GitHub.
    Short,
    /// The last try.
    Shortest,
}

/// Most bytes of the whole comment, by [`Size`].
pub const BUDGETS: [usize; 3] = [60_000, 30_000, 8_000];

impl Size {
    /// Most bytes of the whole comment.
    #[must_use]
    pub fn budget(self) -> usize {
        BUDGETS[self as usize]
    }

    /// The next smaller one.
    #[must_use]
    pub fn smaller(self) -> Option<Self> {
        match self {
            Self::Full => Some(Self::Short),
            Self::Short => Some(Self::Shortest),
            Self::Shortest => None,
        }
    }
}

/// What stays of an earlier state of the comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// From the heading on.
    text: String,
}

impl Kept {
    /// The last results in a comment of ours, if it has any.
    pub(crate) fn of(body: &str, marker: &Marker) -> Option<Self> {
        // A comment that was edited on the page has other line ends.
        let body = body.replace("\r\n", "\n");
        let (_, below) = body.split_once('\n')?;
        match marker.content {
            Content::Results => {
                let heading = format!("#### The last results are of {}:", marker.head.short());
                Some(Self { text: format!("{heading}\n\n{}", below.trim()) })
            }
            Content::Nothing => {
                let (_, kept) = below.split_once(&format!("\n{KEPT}\n"))?;
                Some(Self { text: kept.trim().to_owned() })
            }
        }
        .filter(|kept| !kept.text.is_empty())
    }
}

/// Bytes left for the report itself.
pub(crate) fn room(marker: &Marker, size: Size) -> usize {
    size.budget().saturating_sub(marker.to_string().len() + 2)
}

/// The whole text. What is kept is cut, at the beginning of a folded part, where there is no room
/// for all of it.
pub(crate) fn compose(marker: &Marker, report: &str, kept: Option<&Kept>, size: Size) -> String {
    let mut body = format!("{marker}\n{}\n", report.trim());
    if let Some(kept) = kept {
        let opening = format!("\n{KEPT}\n");
        let room = size.budget().saturating_sub(body.len() + opening.len() + 1);
        if let Some(text) = cut(&kept.text, room) {
            body = format!("{body}{opening}{text}\n");
        }
    }
    body
}

/// The text, or as many of its parts as there is room for. Parts begin at a line that opens a
/// folded block: cut anywhere else, a table or a block would be left open.
fn cut(text: &str, room: usize) -> Option<&str> {
    if text.len() <= room {
        return Some(text);
    }
    let starts = text.match_indices("\n<details>").map(|(at, _)| at);
    let end = starts.filter(|at| *at <= room && is_closed(&text[..*at])).last()?;
    Some(text[..end].trim_end())
}

/// Whether every folded block in the text ends in it.
fn is_closed(text: &str) -> bool {
    text.matches("\n<details>").count() == text.matches("\n</details>").count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Commit, Key};

    fn marker(head: char, content: Content) -> Marker {
        let head = Commit::new(&head.to_string().repeat(40)).unwrap();
        Marker { key: Key::new("k").unwrap(), head, run: 1, attempt: 1, content }
    }

    #[test]
    fn the_marker_is_at_byte_0_and_the_report_right_below() {
        let body = compose(&marker('a', Content::Results), "### Hello\n", None, Size::Full);
        assert_eq!(Marker::of(&body), Some(marker('a', Content::Results)));
        assert!(body.ends_with("-->\n### Hello\n"), "{body}");
    }

    #[test]
    fn a_failure_stands_above_the_last_results_which_keep_their_commit() {
        let old = marker('a', Content::Results);
        let green = compose(&old, "### All good\n\n| table |", None, Size::Full);
        let kept = Kept::of(&green, &old);
        let failed = marker('b', Content::Nothing);
        let body = compose(&failed, "### Not built", kept.as_ref(), Size::Full);
        let at = |text: &str| body.find(text).unwrap_or_else(|| panic!("no {text} in {body}"));
        assert!(at("### Not built") < at("The last results are of aaaaaaa"));
        assert!(at("The last results are of aaaaaaa") < at("### All good"));

        // Failing again keeps the same results, once.
        let again = Kept::of(&body, &failed);
        let body = compose(&marker('c', Content::Nothing), "### Again", again.as_ref(), Size::Full);
        assert_eq!(body.matches("The last results are of aaaaaaa").count(), 1, "{body}");
        assert_eq!(body.matches("| table |").count(), 1, "{body}");
        assert!(!body.contains("Not built"), "{body}");
    }

    #[test]
    fn nothing_is_kept_of_a_comment_that_never_had_results() {
        let failed = marker('a', Content::Nothing);
        let body = compose(&failed, "### Not built", None, Size::Full);
        assert_eq!(Kept::of(&body, &failed), None);
    }

    #[test]
    fn what_is_kept_is_cut_where_a_folded_part_begins_and_never_over_the_budget() {
        let folded =
            format!("<details><summary>x</summary>\n\n{}\n\n</details>", "y".repeat(20_000));
        let table = "| a |\n|---|\n| b |";
        let old = marker('a', Content::Results);
        let green = compose(&old, &format!("{table}\n\n{folded}\n\n{folded}"), None, Size::Full);
        let kept = Kept::of(&green, &old);
        for (size, folds) in [(Size::Full, 2), (Size::Short, 1), (Size::Shortest, 0)] {
            let body = compose(&marker('b', Content::Nothing), "no", kept.as_ref(), size);
            assert!(body.len() <= size.budget());
            assert!(body.contains(table));
            assert_eq!(body.matches("<details>").count(), folds);
            assert_eq!(body.matches("</details>").count(), folds);
        }
    }

    #[test]
    fn what_does_not_fit_and_cannot_be_cut_is_left_out() {
        let old = marker('a', Content::Results);
        let kept = Kept::of(&compose(&old, &"z".repeat(9_000), None, Size::Full), &old);
        let body = compose(&marker('b', Content::Nothing), "no", kept.as_ref(), Size::Shortest);
        assert!(body.ends_with("-->\nno\n"), "{body}");
    }
}
