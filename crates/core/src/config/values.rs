//! How single values are written: percentages, durations, lists of cores, …
//!
//! The same functions read flags and the file. Each error says what is wrong and what to write; the
//! caller adds the place.

use super::settings::{BaseRule, Choice, FailOn, HeadRule, Pattern};
use super::suggest::hint;
use crate::shard::MOST_SHARDS;
use bench_harness::CommandLine;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// A fraction from a percentage: `3%` is 0.03. Plain numbers are refused, because `0.03` and `3`
/// have both been meant by it.
pub(crate) fn percentage(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix('%').map(str::trim);
    let percent = number.and_then(|number| number.parse::<f64>().ok());
    match percent {
        Some(percent) if (0.0..100.0).contains(&percent) => Ok(percent / 100.0),
        Some(_) => Err(format!("`{text}` must be at least 0% and below 100%")),
        None => Err(format!("`{text}` is no percentage, write it like `3%`")),
    }
}

/// A percentage above nothing.
pub fn change(text: &str) -> Result<f64, String> {
    match percentage(text)? {
        fraction if fraction > 0.0 => Ok(fraction),
        _ => Err(format!("`{text}` must be above 0%")),
    }
}

/// The size of an accepted regression: any percentage above nothing, also beyond 100 %.
pub(crate) fn growth(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix('%').and_then(|n| n.trim().parse::<f64>().ok());
    match number {
        Some(percent) if percent.is_finite() && percent > 0.0 => Ok(percent / 100.0),
        Some(_) => Err(format!("`{text}` must be above 0%")),
        None => Err(format!("`{text}` is no percentage, write it like `20%`")),
    }
}

/// A number followed by one of these units, in nanoseconds.
fn quantity(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let (_, scale) = units.iter().find(|(name, _)| *name == unit.trim())?;
    Some(number.parse::<f64>().ok()? * scale)
}

/// A duration above nothing: `500ms`, `90s`, `10m`, `2h`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let units = [("ms", 1e6), ("s", 1e9), ("m", 6e10), ("min", 6e10), ("h", 3.6e12)];
    let nanoseconds = quantity(text, &units)
        .ok_or_else(|| format!("`{text}` is no duration, write it like `90s`, `10m` or `500ms`"))?;
    // A thousand days is more than any run takes, and far from what overflows.
    if (1e6..=8.64e16).contains(&nanoseconds) {
        Ok(Duration::from_secs_f64(nanoseconds / 1e9))
    } else {
        Err(format!("`{text}` must be at least 1ms and at most 24000h"))
    }
}

/// A size of time in nanoseconds, zero allowed: `1us`, `250ns`, `2ms`.
pub(crate) fn nanoseconds(text: &str) -> Result<f64, String> {
    let units = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("μs", 1e3), ("ms", 1e6), ("s", 1e9)];
    quantity(text, &units)
        .or((text.trim() == "0").then_some(0.0))
        .ok_or_else(|| format!("`{text}` is no time, write it like `1us` or `250ns`"))
}

/// The chance of a false alarm.
pub(crate) fn alpha(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(alpha) if alpha > 0.0 && alpha < 0.5 => Ok(alpha),
        _ => Err(format!("`{text}` must be a number above 0 and below 0.5, such as 0.05")),
    }
}

/// `auto` or one of the words of `T`.
pub(crate) fn choice<T: FromStr>(text: &str, words: &[&str]) -> Result<Choice<T>, String> {
    if text == "auto" {
        return Ok(Choice::Auto);
    }
    let wrong =
        || format!("`{text}` is unknown{}", hint(text, ["auto"].iter().chain(words).copied()));
    text.parse().map(Choice::Fixed).map_err(|_| wrong())
}

/// `regression,failure,inconclusive` in any selection, or `never`.
pub(crate) fn fail_on<'a>(
    words: impl IntoIterator<Item = &'a str>,
) -> Result<BTreeSet<FailOn>, String> {
    let words: Vec<&str> = words.into_iter().map(str::trim).filter(|w| !w.is_empty()).collect();
    if words.contains(&"never") {
        let alone = words.len() == 1;
        return alone.then(BTreeSet::new).ok_or_else(|| "`never` must stand alone".to_owned());
    }
    words.into_iter().map(fail_word).collect()
}

fn fail_word(word: &str) -> Result<FailOn, String> {
    match word {
        "regression" => Ok(FailOn::Regression),
        "failure" => Ok(FailOn::Failure),
        "inconclusive" => Ok(FailOn::Inconclusive),
        _ => {
            let words = ["regression", "failure", "inconclusive", "never"];
            Err(format!("`{word}` is unknown{}", hint(word, words)))
        }
    }
}

/// `I/N`, both from 1.
pub(crate) fn shard(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((_, count)) if count > MOST_SHARDS => {
            Err(format!("`{text}`: there can be at most {MOST_SHARDS} shards"))
        }
        Some((index, count)) if 1 <= index && index <= count => Ok((index, count)),
        Some(_) => {
            Err(format!("`{text}` is no shard: they are numbered from 1, such as `1/4` to `4/4`"))
        }
        None => Err(format!("`{text}` is no shard, write it like `1/4`")),
    }
}

/// `0,2-5`: sorted, each core once.
pub(crate) fn cpu_list(text: &str) -> Result<Vec<usize>, String> {
    let wrong = || format!("`{text}` is no list of cores, write it like `0,2-5`");
    let mut cores = BTreeSet::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: usize = first.trim().parse().map_err(|_| wrong())?;
        let last: usize = last.trim().parse().map_err(|_| wrong())?;
        // No machine has more, and a slip such as `0-99999999999` must not fill the memory.
        if first > last || last >= 65_536 {
            return Err(wrong());
        }
        cores.extend(first..=last);
    }
    Ok(cores.into_iter().collect())
}

/// Any text: an empty one is a variable that was not set.
pub(crate) fn seed(text: &str) -> Result<String, String> {
    match text.is_empty() {
        true => Err("is empty: give any text, or leave the flag out".to_owned()),
        false => Ok(text.to_owned()),
    }
}

/// `NAME=VALUE`.
pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("`{text}` is no variable, write it like `NAME=VALUE`")),
    }
}

/// A regular expression; the error is its last line, which says what is wrong.
pub(crate) fn pattern(text: &str) -> Result<Pattern, String> {
    Pattern::new(text).map_err(|error| {
        let message = error.to_string();
        let what = message.lines().last().unwrap_or("").trim_start_matches("error: ");
        format!("`{text}` is no regular expression: {what}")
    })
}

/// A day.
pub(crate) fn date(text: &str) -> Result<jiff::civil::Date, String> {
    text.parse().map_err(|_| format!("`{text}` is no date, write it like `2027-03-01`"))
}

/// Which revision is the base; its words win over branches of that name.
pub(crate) fn base_rule(text: &str) -> Result<BaseRule, String> {
    match text {
        "merge-base" => Ok(BaseRule::MergeBase),
        "tip" => Ok(BaseRule::Tip),
        "worktree" => Err(only("worktree", "head")),
        "" => Err("a revision is missing".to_owned()),
        _ => Ok(BaseRule::Revision(text.to_owned())),
    }
}

/// Which revision is the head; its words win over branches of that name.
pub(crate) fn head_rule(text: &str) -> Result<HeadRule, String> {
    match text {
        "worktree" => Ok(HeadRule::Worktree),
        "merge-base" | "tip" => Err(only(text, "base")),
        "" => Err("a revision is missing".to_owned()),
        _ => Ok(HeadRule::Revision(text.to_owned())),
    }
}

fn only(word: &str, side: &str) -> String {
    format!("`{word}` is a word for {side} only; a branch of that name is `refs/heads/{word}`")
}

/// Words split as a shell would, without running one.
pub fn words(text: &str) -> Result<CommandLine, String> {
    match shlex::split(text) {
        Some(words) if !words.is_empty() => Ok(CommandLine::Words(words)),
        Some(_) => Err("the command is empty".to_owned()),
        None => Err(format!("`{text}` has a quote that is never closed")),
    }
}

/// A path that stays below what it is relative to; `.` is the place itself.
pub(crate) fn inside(path: &Path) -> Result<PathBuf, String> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    if parts.clone().all(|part| matches!(part, Component::Normal(_))) {
        Ok(parts.collect())
    } else {
        Err(format!("`{}` must be relative and stay inside the repository", path.display()))
    }
}
