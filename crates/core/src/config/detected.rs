//! The suites that are found in a repository whose file names none.

use super::lines::Lines;
use super::mistakes::{ConfigError, Mistakes};
use super::settings::{Choice, Config, Lfs, Suite};
use super::suites::select;
use bench_harness::{Detected, Harness, SuiteSettings, Tree};
use std::path::{Path, PathBuf};

impl Config {
    /// Looks for suites in a revision's files, where the file names none.
    ///
    /// # Errors
    /// A suite was asked for by name and is not among those found.
    pub fn detect(
        &mut self,
        tree: &dyn Tree,
        harnesses: &[&dyn Harness],
    ) -> Result<(), ConfigError> {
        if !self.suites.is_empty() {
            return Ok(());
        }
        let mut found: Vec<Suite> = Vec::new();
        for harness in harnesses {
            let detected = harness.detect(tree);
            let alone = detected.len() == 1;
            for suite in detected {
                let name = detected_name(harness.name(), &suite, alone, &found);
                found.push(detected_suite(name, *harness, suite));
            }
        }
        let lines = Lines::default();
        let mut mistakes = Mistakes::new(&lines);
        let selected = match found.is_empty() {
            true => found,
            false => select(found, &self.compare.suites, &mut mistakes),
        };
        self.suites = mistakes.finish(selected)?;
        Ok(())
    }
}

/// The harness's name where that is enough, else with the directory, the file, a number.
fn detected_name(harness: &str, suite: &Detected, alone: bool, found: &[Suite]) -> String {
    let is_free = |name: &String| !found.iter().any(|suite| suite.settings.name == *name);
    let flat = |path: &Path| path.display().to_string().replace(['/', '\\'], "-");
    let mut names = Vec::new();
    if alone || suite.directory.as_os_str().is_empty() {
        names.push(harness.to_owned());
    } else {
        names.push(format!("{harness}-{}", flat(&suite.directory)));
    }
    let config = suite.config.as_deref().and_then(Path::file_stem).map(PathBuf::from);
    names.extend(config.map(|stem| format!("{}-{}", names[0], flat(&stem))));
    names.extend(
        (2..)
            .take(found.len() + 1)
            .map(|number| format!("{}-{number}", names[0]))
            .collect::<Vec<_>>(),
    );
    names.into_iter().find(is_free).unwrap_or_else(|| harness.to_owned())
}

fn detected_suite(name: String, harness: &dyn Harness, detected: Detected) -> Suite {
    Suite::of(SuiteSettings {
        directory: detected.directory,
        config: detected.config,
        ..SuiteSettings::new(name, harness)
    })
}

impl Suite {
    /// A suite that is measured by the run's own rules, whole.
    #[must_use]
    pub fn of(settings: SuiteSettings) -> Self {
        Self {
            settings,
            links: Vec::new(),
            lfs: Lfs::Pointers,
            filter: None,
            schedule: Choice::Auto,
            clock: Choice::Auto,
            threshold: None,
            overrides: Vec::new(),
            environments: Vec::new(),
        }
    }
}
