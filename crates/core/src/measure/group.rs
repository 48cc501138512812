//! A suite in an environment, both sides ready.

use bench_harness::Ready;
use bench_results::SideName;

/// A suite in an environment with both sides made ready: what rounds are run on.
pub struct Group {
    /// The suite's name.
    pub suite: String,
    /// The environment's name.
    pub environment: String,
    /// The harness's name.
    pub harness: String,
    /// Base and head.
    pub ready: [Box<dyn Ready>; 2],
}

impl Group {
    /// One side.
    #[must_use]
    pub fn side(&self, side: SideName) -> &dyn Ready {
        &*self.ready[side.index()]
    }
}

impl std::fmt::Debug for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Group")
            .field("suite", &self.suite)
            .field("environment", &self.environment)
            .finish_non_exhaustive()
    }
}
