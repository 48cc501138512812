//! criterion.rs: bench targets that cargo builds, measured unmodified.

use crate::native::Dialect;
use crate::native::cargo::{self, Targets};
use crate::outputs::{Reading, criterion_names, read_criterion_directory};
use crate::{Defaults, Detected, Harness, Language, OwnClock, Ready, Site, Tree, Wish};
use bench_results::Failure;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Drives criterion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Criterion;

/// Criterion itself, and the package that takes its place.
const PACKAGES: [&str; 2] = ["criterion", "codspeed-criterion-compat"];

/// Fewest samples it takes.
const FEWEST_SAMPLES: u32 = 10;

impl Harness for Criterion {
    fn name(&self) -> &'static str {
        "criterion"
    }

    fn defaults(&self) -> Defaults {
        Defaults::compiled()
    }

    fn language(&self) -> Option<Language> {
        Some(Language::Rust)
    }

    fn detect(&self, tree: &dyn Tree) -> Vec<Detected> {
        cargo::detected(tree, &PACKAGES)
    }

    fn prepare(&self, site: &Site<'_>) -> Result<Box<dyn Ready>, Failure> {
        cargo::prepared(site, Targets::Naming(&["criterion"]), Speech)
    }
}

/// How its programs are spoken to.
struct Speech;

impl Dialect for Speech {
    fn list(&self) -> Vec<String> {
        ["--bench", "--list", "--format", "terse"].map(ToOwned::to_owned).to_vec()
    }

    fn listed(&self, printed: &str) -> Vec<String> {
        cargo::listed(printed)
    }

    /// Its list shows titles: of a long name about a hundred bytes and three dots, and a number where
    /// another has the same title; yet it runs by whole names only. The files of a run have both.
    fn look_ups(&self, listed: &[String]) -> Vec<Vec<String>> {
        let patterns: BTreeSet<String> =
            listed.iter().filter_map(|title| hidden(title, listed)).collect();
        let words = |pattern: String| {
            let quick = ["--bench", "--noplot", "--nresamples", "1001", "--quick"];
            let short = ["--warm-up-time=0.001", "--measurement-time=0.001", "--", &pattern];
            quick.into_iter().chain(short).map(ToOwned::to_owned).collect()
        };
        patterns.into_iter().map(words).collect()
    }

    fn whole_names(&self, left: &Path) -> BTreeMap<String, String> {
        criterion_names(&home(left))
    }

    fn takes_arguments(&self) -> bool {
        false
    }

    fn clock(&self, _: &str) -> OwnClock {
        OwnClock::Preloaded
    }

    /// It writes half a dozen files, and takes ten samples and more after its warm-up.
    fn switches(&self) -> u32 {
        10
    }

    /// Its own analysis is kept short: it would share the core with the other side's measurement, and
    /// we make our own.
    fn measure(&self, name: &str, wish: &Wish<'_>) -> Vec<String> {
        let samples = wish.samples.max(FEWEST_SAMPLES);
        let mut words =
            ["--bench", "--noplot", "--nresamples", "1001"].map(ToOwned::to_owned).to_vec();
        words.extend([
            format!("--sample-size={samples}"),
            "--warm-up-time=0.02".to_owned(),
            format!("--measurement-time={:.6}", f64::from(samples) * wish.sample_ns as f64 / 1e9),
        ]);
        // Behind the dashes a name may begin with one.
        words.extend(["--exact", "--", name].map(ToOwned::to_owned));
        words
    }

    /// A home of its own for each launch, and no threads for the analysis.
    fn variables(&self, wish: &Wish<'_>) -> Vec<(&'static str, PathBuf)> {
        vec![("CRITERION_HOME", home(wish.left)), ("RAYON_NUM_THREADS", "1".into())]
    }

    fn read(&self, name: &str, left: &Path) -> Result<Vec<Reading>, String> {
        let output = read_criterion_directory(&home(left)).map_err(|error| error.to_string())?;
        // Nothing else was run; where two groups have one name both were, and the first is taken.
        let row = output.and_then(|output| output.readings.into_iter().next());
        let row = row.ok_or_else(|| match beginning(name) {
            None => "it has left no sample.json".to_owned(),
            Some(_) => "criterion's list cuts names after 100 bytes, and a short run has not told \
                        the whole of this one: shorten it, or see why it fails"
                .to_owned(),
        })?;
        // Of a very long name a row has the beginning.
        Ok(vec![Reading { name: name.to_owned(), ..row }])
    }
}

fn home(left: &Path) -> PathBuf {
    left.join("criterion")
}

/// A pattern of the benchmarks that a listed title may belong to, where it may not be a name.
fn hidden(title: &str, listed: &[String]) -> Option<String> {
    if let Some(beginning) = beginning(title) {
        return Some(format!("^{}", regex::escape(beginning)));
    }
    let first = without_number(title)?;
    let is_listed = listed.iter().any(|other| other == first);
    // `\d` is not in every build of its regular expressions.
    is_listed.then(|| format!("^{}( #[0-9]+)?$", regex::escape(first)))
}

/// What is left of a name that was cut.
fn beginning(title: &str) -> Option<&str> {
    // A character is not cut in two.
    const CUT: std::ops::RangeInclusive<usize> = 97..=100;
    let title = without_number(title).unwrap_or(title);
    title.strip_suffix("...").filter(|beginning| CUT.contains(&beginning.len()))
}

/// `a #2` -> `a`
fn without_number(title: &str) -> Option<&str> {
    let (first, number) = title.rsplit_once(" #")?;
    number.parse::<u32>().is_ok().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(listed: &[&str]) -> Vec<String> {
        listed.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn titles_that_may_be_no_names_are_looked_up_once() {
        let long = "a+".repeat(50);
        let (cut, second) = (format!("{long}..."), format!("{long}... #2"));
        let looked_up = Speech.look_ups(&names(&["wait...", &cut, &second, "x", "x #2", "y #2"]));
        let patterns: Vec<&String> = looked_up.iter().filter_map(|words| words.last()).collect();
        assert_eq!(patterns, [&format!("^{}", r"a\+".repeat(50)), r"^x( #[0-9]+)?$"]);
        assert!(Speech.look_ups(&names(&["a", "b #3"])).is_empty());
    }

    #[test]
    fn whole_names_are_taken_from_what_a_run_has_left() {
        let left = tempfile::tempdir().unwrap();
        let title = format!("{}...", "l".repeat(100));
        for (at, title) in [title.clone(), format!("{title} #2")].iter().enumerate() {
            let place = home(left.path()).join(at.to_string()).join("new");
            std::fs::create_dir_all(&place).unwrap();
            let name = format!("{} {at}", "l".repeat(120));
            let benchmark = format!(r#"{{"full_id": "{name}", "title": "{title}"}}"#);
            std::fs::write(place.join("benchmark.json"), benchmark).unwrap();
            std::fs::write(place.join("sample.json"), r#"{"iters": [1], "times": [5]}"#).unwrap();
            assert_eq!(Speech.whole_names(left.path())[title], name);
        }
    }

    #[test]
    fn a_name_that_stayed_cut_is_refused_in_words() {
        let left = tempfile::tempdir().unwrap();
        let refused = Speech.read(&format!("{}...", "l".repeat(100)), left.path()).unwrap_err();
        assert!(refused.contains("cuts names"), "{refused}");
        assert!(Speech.read("wait...", left.path()).unwrap_err().contains("no sample.json"));
    }
}
