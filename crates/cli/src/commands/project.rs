//! What `run`, `list` and `demo` have in common: the place, the configuration, the two sides.

use crate::error::CliError;
use crate::{github, report};
use bench_core::config::{BaseRule, Compare, Config, Coverage, Flags, HeadRule, Suite};
use bench_core::plan::{self, Plan};
use bench_core::run::{Job, not_found};
use bench_core::sides::{Place, Sides, SidesError, irrelevant};
use bench_core::skeleton::{self, Identity};
use bench_process::{Interrupt, Launcher};
use bench_render::Show;
use bench_results::{Redactor, ToolInfo};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where results go, in our own directory.
pub(crate) const LAST: &str = "last";

/// Everything a subcommand works on.
pub(crate) struct Project<'a> {
    /// The resolved configuration, suites detected.
    pub(crate) config: Config,
    /// The two sides.
    pub(crate) sides: Sides<'a>,
    state: PathBuf,
    launcher: Launcher,
    identity: Identity,
    interrupt: &'a Interrupt,
    /// Where a dry run keeps what it has to write; gone with it.
    _scratch: Option<TempDir>,
}

impl<'a> Project<'a> {
    /// Reads configuration and repository; builds nothing.
    pub(crate) fn open(flags: Flags, interrupt: &'a Interrupt) -> Result<Self, CliError> {
        Self::open_or(flags, None, interrupt, Trace::Kept, |_| {})
    }

    /// The same for one suite that the caller has made.
    pub(crate) fn open_with(
        flags: Flags,
        suite: Suite,
        interrupt: &'a Interrupt,
    ) -> Result<Self, CliError> {
        Self::open_or(flags, Some(suite), interrupt, Trace::Kept, |_| {})
    }

    /// The same, writing nothing in the project, whatever comes of it.
    pub(crate) fn look(flags: Flags, interrupt: &'a Interrupt) -> Result<Self, CliError> {
        Self::open_or(flags, None, interrupt, Trace::None, |_| {})
    }

    /// The same for a run, which leaves results also where the sides are not found: in `out`, or in
    /// our own directory if it is in a repository. A mistake in what the user named leaves none.
    pub(crate) fn open_for_results(
        flags: Flags,
        out: Option<&Path>,
        interrupt: &'a Interrupt,
    ) -> Result<Self, CliError> {
        Self::open_or(flags, None, interrupt, Trace::Kept, |unfound| {
            let own = unfound.state.parent().is_some_and(|root| root.join(".git").exists());
            let own = own.then(|| unfound.state.join(LAST));
            if let Some(out) = out.map(Path::to_owned).or(own)
                && let Err(error) = unfound.record(&out)
            {
                tracing::warn!("{error}");
            }
        })
    }

    fn open_or(
        mut flags: Flags,
        suite: Option<Suite>,
        interrupt: &'a Interrupt,
        trace: Trace,
        not_found: impl FnOnce(&Unfound<'_>),
    ) -> Result<Self, CliError> {
        let here = std::env::current_dir()
            .map_err(|source| CliError::Unreadable { path: ".".into(), source })?;
        let named_head = flags.head.clone();
        let job = github::Job::from_environment()?;
        let head_is_open =
            flags.head.is_none() && flags.head_python.is_none() && flags.head_path.is_none();
        if let Some(job) = &job {
            job.fill(&mut flags);
        }
        let scratch = trace.scratch()?;
        let place = match &scratch {
            None => Place::find(&here, interrupt),
            Some(scratch) => Place::look(&here, scratch.path(), interrupt),
        };
        let state = place.state();
        let today = skeleton::today();
        let mut config = Config::load(&flags, &place.root, bench_harness::all(), today)?;
        if let Some(suite) = suite {
            config.suites = vec![suite];
        }
        config.check_cores(&bench_process::allowed_cores())?;
        if let Some(head) =
            job.as_ref().and_then(|job| job.head(&config.compare.base)).filter(|_| head_is_open)
        {
            config.compare.head = HeadRule::Revision(head.to_owned());
        }
        let identity = identity(job.and_then(|job| job.runner), &config);
        // Only the files of head say which suites there are.
        let listed = |sides: Sides<'a>| sides.tree().map(drop).map(|()| sides);
        let sides = match Sides::find(place, &config.compare).and_then(listed) {
            Ok(sides) => sides,
            Err(error) if error.is_mistake(&named(named_head.as_deref(), &config.compare)) => {
                return Err(CliError::Named(error));
            }
            Err(error) => {
                not_found(&Unfound {
                    config: &config,
                    state: &state,
                    identity: &identity,
                    error: &error,
                });
                return Err(error.into());
            }
        };
        config.detect(&*sides.tree()?, bench_harness::all())?;
        let launcher = Launcher::current().map_err(CliError::Signals)?;
        Ok(Self { config, sides, state, launcher, identity, interrupt, _scratch: scratch })
    }

    /// What is going to be done.
    pub(crate) fn plan(&self) -> Result<Plan<'_>, CliError> {
        let tree = self.sides.tree()?;
        Ok(self.sides.plan(plan::groups(&self.config, &*tree)?))
    }

    /// Where results go: as given, else below our own directory.
    pub(crate) fn out(&self, given: Option<&Path>, below: &str) -> PathBuf {
        let out = given.map_or_else(|| self.state.join(below), Path::to_owned);
        std::path::absolute(&out).unwrap_or(out)
    }

    /// What a run is given.
    pub(crate) fn job<'j>(&'j self, out: &'j Path) -> Job<'j> {
        Job {
            sides: &self.sides,
            state: &self.state,
            out,
            launcher: &self.launcher,
            interrupt: self.interrupt,
            identity: self.identity.clone(),
            slower_by: 0.0,
        }
    }

    /// Why there is nothing to compare, if the diff alone says so.
    pub(crate) fn irrelevant(&self) -> Option<String> {
        irrelevant(&self.sides, &self.config.compare)
    }

    /// How much of the suite the terminal lists.
    pub(crate) fn show(&self) -> Show {
        match self.config.compare.coverage {
            Coverage::All => Show::All,
            Coverage::Budgeted => Show::Changes,
        }
    }
}

/// Whether a subcommand may write in the project.
#[derive(Clone, Copy)]
enum Trace {
    Kept,
    None,
}

impl Trace {
    /// Where git's own files go instead, if nothing may be written in the project.
    fn scratch(self) -> Result<Option<TempDir>, CliError> {
        let make = || {
            tempfile::tempdir()
                .map_err(|source| CliError::File { path: std::env::temp_dir(), source })
        };
        match self {
            Self::Kept => Ok(None),
            Self::None => make().map(Some),
        }
    }
}

/// The revisions that a person has written down, in a flag or in the file. Those of a job's event
/// are not: that one of them is gone is no slip.
fn named<'n>(head: Option<&'n str>, compare: &'n Compare) -> Vec<&'n str> {
    let base = match &compare.base {
        BaseRule::Revision(base) => Some(base.as_str()),
        BaseRule::MergeBase | BaseRule::Tip => None,
    };
    base.into_iter().chain(head).collect()
}

/// A run whose sides were not found.
struct Unfound<'u> {
    config: &'u Config,
    state: &'u Path,
    identity: &'u Identity,
    error: &'u SidesError,
}

impl Unfound<'_> {
    fn record(&self, out: &Path) -> Result<(), CliError> {
        if out.starts_with(self.state) {
            let root = self.state.parent().unwrap_or(self.state);
            bench_core::git::home(root)
                .map_err(|source| CliError::File { path: self.state.to_owned(), source })?;
        }
        let results = not_found(self.identity, self.config, self.error, out)?;
        report::write_files(&results, out)
    }
}

/// This program, as the results file names it.
pub(crate) fn identity(runner: Option<String>, config: &Config) -> Identity {
    let mut variables: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    variables.extend(config.variables());
    Identity {
        tool: ToolInfo {
            name: "bench-action".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: option_env!("BENCH_ACTION_COMMIT").map(str::to_owned),
        },
        command: std::env::args_os()
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect(),
        runner,
        seed: random_seed(),
        redactor: Redactor::from_variables(
            variables.iter().map(|(name, value)| (name.as_str(), value.as_str())),
        )
        .on_host(bench_process::host_name().as_deref()),
    }
}

/// Drawn anew for each run where nobody gives one; the standard library's hash keys come from the
/// system's random source.
pub(super) fn random_seed() -> String {
    use std::hash::{BuildHasher as _, Hasher as _};
    let keys = std::collections::hash_map::RandomState::new();
    format!("{:016x}", keys.build_hasher().finish())
}
