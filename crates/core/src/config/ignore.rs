//! `ignore-paths`: which changed files cannot matter.

use serde::{Serialize, Serializer};

/// Files whose changes cannot matter.
#[derive(Clone, Debug, Default)]
pub struct IgnorePaths {
    patterns: Vec<String>,
    set: globset::GlobSet,
}

impl IgnorePaths {
    /// Compiles the patterns. A pattern without `/` names files in any directory, as in a
    /// `.gitignore`; one with `/` is taken from the root, and its `*` does not cross a `/`.
    ///
    /// # Errors
    /// Names the first pattern that is none.
    pub fn new(patterns: &[String]) -> Result<Self, globset::Error> {
        let mut set = globset::GlobSetBuilder::new();
        for pattern in patterns {
            let whole = match pattern.strip_prefix('/') {
                Some(rooted) => rooted.to_owned(),
                None if pattern.contains('/') => pattern.clone(),
                None => format!("**/{pattern}"),
            };
            set.add(globset::GlobBuilder::new(&whole).literal_separator(true).build()?);
        }
        Ok(Self { patterns: patterns.to_vec(), set: set.build()? })
    }

    /// Whether a change of this file (relative to the root) cannot matter.
    #[must_use]
    pub fn ignores(&self, path: &str) -> bool {
        self.set.is_match(path)
    }

    /// As they were written.
    #[must_use]
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }
}

impl Serialize for IgnorePaths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.patterns.serialize(serializer)
    }
}
