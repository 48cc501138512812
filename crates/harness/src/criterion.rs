//! criterion.rs: bench targets that cargo builds, measured unmodified.

use crate::native::Dialect;
use crate::native::cargo::{self, Targets};
use crate::outputs::{Reading, read_criterion_directory};
use crate::{Defaults, Detected, Harness, Language, OwnClock, Ready, Site, Tree, Wish};
use bench_results::Failure;
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
        words.extend(match cut(name) {
            None => vec!["--exact".to_owned(), "--".to_owned(), name.to_owned()],
            Some(beginning) => vec!["--".to_owned(), format!("^{}", regex::escape(beginning))],
        });
        words
    }

    /// A home of its own for each launch, and no threads for the analysis.
    fn variables(&self, wish: &Wish<'_>) -> Vec<(&'static str, PathBuf)> {
        vec![("CRITERION_HOME", wish.left.join("criterion")), ("RAYON_NUM_THREADS", "1".into())]
    }

    fn read(&self, name: &str, left: &Path) -> Result<Vec<Reading>, String> {
        let output = read_criterion_directory(&left.join("criterion"));
        let output = output.map_err(|error| error.to_string())?;
        let output = output.ok_or_else(|| "it has left no sample.json".to_owned())?;
        let mut readings = output.readings;
        if let Some(beginning) = cut(name) {
            readings.retain(|row| row.name.starts_with(beginning));
            readings.iter_mut().for_each(|row| name.clone_into(&mut row.name));
        }
        Ok(readings)
    }
}

/// The beginning of a name that its list has cut: it shows about a hundred bytes and three dots, and
/// runs by whole names only.
fn cut(listed: &str) -> Option<&str> {
    const SHORTEST: usize = 96;
    listed.strip_suffix("...").filter(|beginning| beginning.len() >= SHORTEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_cut_is_chosen_by_its_beginning() {
        let wish = Wish {
            left: Path::new("/"),
            samples: 3,
            sample_ns: 2_500_000,
            call_ns: 0.0,
            clock: None,
        };
        let long = "a+".repeat(50);
        let words = Speech.measure(&format!("{long}..."), &wish);
        assert!(words.contains(&format!("^{}", r"a\+".repeat(50))), "{words:?}");
        assert!(!words.contains(&"--exact".to_owned()));
        assert!(Speech.measure("wait...", &wish).contains(&"--exact".to_owned()));
    }
}
