//! How a bisection ended, in words to paste.

use crate::terminal::plain;
use bench_core::git::CommitFacts;
use bench_history::bisect::{Bisection, Ended, Notes, Refusal};

pub(super) fn report(
    notes: &Notes,
    bisection: &Bisection,
    ended: &Ended,
    good: &CommitFacts,
    commits: &[CommitFacts],
    (more, less): (&str, &str),
) -> String {
    let of = |at: usize| commits.get(at).map(shown).unwrap_or_default();
    let percent = 100.0 * notes.ends.effect.exp_m1();
    let word = if notes.ends.effect > 0.0 { more } else { less };
    let found = match ended {
        Ended::Culprit(at) => format!(
            "The commit that changed it:\n\n    {}\n\nConfirmed by a run of its own against its parent.",
            of(*at)
        ),
        Ended::Range { first, last, why } => {
            let why = match why {
                Refusal::Unbuildable => "those before the last one do not build",
                Refusal::Undecided => "the blocks of those between did not decide",
            };
            let list: Vec<String> = (*first..=*last).map(|at| format!("    {}", of(at))).collect();
            format!("One of these {} commits changed it; {why}:\n\n{}", list.len(), list.join("\n"))
        }
        Ended::NotConfirmed { first, last } => format!(
            "No single commit was found: the search led to\n\n    {}\n\nbut {} by a run of its own. \
             There may be several small steps, or it is not reproducible.",
            of(*last),
            if first == last {
                "it does not differ from its parent"
            } else {
                "those commits make no difference"
            }
        ),
    };
    let ends = commits.len().checked_sub(1).map(of).unwrap_or_default();
    let text = format!(
        "{}\n{percent:+.1} % ({word}) between\n    {} (good)\nand\n    {ends} (bad)\n\n{found}\n\n\
         {} commits, {} built besides the ends, {} blocks.",
        notes.benchmark,
        shown(good),
        commits.len(),
        bisection.builds(),
        bisection.blocks(),
    );
    let lines: Vec<String> = text.lines().map(plain).collect();
    format!("{}\n", lines.join("\n"))
}

fn shown(commit: &CommitFacts) -> String {
    let short = commit.id.get(..10).unwrap_or(&commit.id);
    format!("{short} {}", commit.subject)
}
