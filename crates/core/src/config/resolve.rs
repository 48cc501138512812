//! From flags and file to the resolved configuration: the only place where defaults live.

use super::environments;
use super::file::{CompareTable, Document};
use super::flags::Flags;
use super::ignore::IgnorePaths;
use super::mistakes::{ConfigError, Mistakes};
use super::scalar::Scalar;
use super::settings::{
    Accept, BaseRule, Choice, Compare, Config, Coverage, FailOn, HeadRule, Identical, Subjects,
    Wanted,
};
use super::{shards, suites, values};
use bench_harness::{EnvironmentSettings, Harness};
use jiff::civil::Date;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Words of the two choices, for suggestions.
pub(crate) const SCHEDULES: &[&str] = &["duet", "alternate", "sequential"];
/// Words of the clock choice.
pub(crate) const CLOCKS: &[&str] = &["cpu", "wall"];

const THRESHOLD: f64 = 0.03;
/// Of peak memory, which moves in pages and arenas (statistics, section 4.8).
const MEMORY_THRESHOLD: f64 = 0.05;
const TOLERANCE: f64 = 0.01;
const ALPHA: f64 = 0.05;
const MAX_BLOCKS: u32 = 60;
const PREPARE_TIMEOUT: Duration = Duration::from_secs(60 * 60);

impl Config {
    /// Reads the file (`--config`, else `bench-action.toml` at `root`, else none) and resolves it
    /// with the flags. `today` decides which accepted regressions have expired.
    ///
    /// # Errors
    /// Every mistake found, each with its line or flag.
    pub fn load(
        flags: &Flags,
        root: &Path,
        harnesses: &[&dyn Harness],
        today: Date,
    ) -> Result<Self, ConfigError> {
        let document = Document::load(flags.config.as_deref(), root)?;
        resolve(flags, &document, harnesses, today)
    }

    /// The same from the text of a file, which messages call `name`; none = there is no such file.
    ///
    /// # Errors
    /// Every mistake found, each with its line or flag.
    pub fn from_text(
        flags: &Flags,
        text: Option<&str>,
        name: &str,
        harnesses: &[&dyn Harness],
        today: Date,
    ) -> Result<Self, ConfigError> {
        let document = Document::parse(text.unwrap_or_default(), name)?;
        resolve(flags, &document, harnesses, today)
    }
}

/// The same for a file that is read already.
pub(crate) fn resolve(
    flags: &Flags,
    document: &Document,
    harnesses: &[&dyn Harness],
    today: Date,
) -> Result<Config, ConfigError> {
    let mut mistakes = Mistakes::new(&document.lines);
    let mut warnings = Vec::new();
    let environments = environments::resolve(&document.file.environment, &mut mistakes);
    let mut compare = compare(flags, &document.file.compare, &mut mistakes);
    check_sizes(&mut compare, flags, &document.file.compare, &mut mistakes, &mut warnings);
    check_environments(&compare, &environments, &mut mistakes);
    let accepts = accepts(document, today, &mut mistakes, &mut warnings);
    let given = suites::resolve(&document.file.suite, harnesses, &environments, &mut mistakes);
    suites::check_thresholds(&given, &compare, &mut mistakes);
    let suites = if given.is_empty() {
        given
    } else {
        suites::select(given, &compare.suites, &mut mistakes)
    };
    mistakes.finish(Config { compare, accepts, suites, environments, warnings })
}

fn check_environments(
    compare: &Compare,
    environments: &[EnvironmentSettings],
    mistakes: &mut Mistakes<'_>,
) {
    let sides =
        [("--base-env", &compare.base_environment), ("--head-env", &compare.head_environment)];
    for (flag, name) in sides {
        if let Some(Err(message)) = name.as_ref().map(|n| environments::find(environments, n)) {
            mistakes.at_flag(flag, message);
        }
    }
}

/// A setting that both layers may hold; the flag wins.
struct Setting<'a> {
    flag: &'a str,
    given: Option<&'a str>,
    key: &'a str,
    written: Option<&'a str>,
}

impl<'a> Setting<'a> {
    fn new(
        (flag, given): (&'a str, &'a Option<String>),
        (key, written): (&'a str, &'a Option<Scalar>),
    ) -> Self {
        let written = written.as_ref().map(|scalar| scalar.0.as_str());
        Self { flag, given: given.as_deref(), key, written }
    }

    /// A setting without a key in the file.
    fn flag(flag: &'a str, given: &'a Option<String>) -> Self {
        Self { flag, given: given.as_deref(), key: "", written: None }
    }

    /// A setting without a flag.
    fn key(key: &'a str, written: &'a Option<Scalar>) -> Self {
        let written = written.as_ref().map(|scalar| scalar.0.as_str());
        Self { flag: "", given: None, key, written }
    }

    /// Its value. A mistake in the file is told even where a flag wins over it.
    fn read<T>(
        &self,
        mistakes: &mut Mistakes<'_>,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let written = self.written.and_then(|text| mistakes.key(self.key, parse(text)));
        match self.given {
            Some(text) => mistakes.flag(self.flag, parse(text)),
            None => written,
        }
    }
}

fn compare(flags: &Flags, table: &CompareTable, mistakes: &mut Mistakes<'_>) -> Compare {
    let m = mistakes;
    let threshold =
        Setting::new(("--threshold", &flags.threshold), ("compare.threshold", &table.threshold));
    let tolerance =
        Setting::new(("--tolerance", &flags.tolerance), ("compare.tolerance", &table.tolerance));
    let fail_threshold = Setting::new(
        ("--fail-threshold", &flags.fail_threshold),
        ("compare.fail-threshold", &table.fail_threshold),
    );
    let budget = Setting::new(
        ("--time-budget", &flags.time_budget),
        ("compare.time-budget", &table.time_budget),
    );
    let alpha = Setting::new(("--alpha", &flags.alpha), ("compare.alpha", &table.alpha));
    let absolute = Setting::key("compare.threshold-absolute", &table.threshold_absolute);
    let preparing = Setting::key("compare.prepare-timeout", &table.prepare_timeout);
    let wanted = threshold.read(m, values::change);
    let threshold = wanted.unwrap_or(THRESHOLD);
    Compare {
        base: base(flags, table, m),
        head: head(flags, m),
        base_branch: flags.base_branch.clone(),
        subjects: subjects(flags, m),
        base_environment: flags.base_environment.clone(),
        head_environment: flags.head_environment.clone(),
        environments: wanted_environments(&flags.environments),
        base_variables: variables("--base-var", &flags.base_variables, m),
        head_variables: variables("--head-var", &flags.head_variables, m),
        threshold,
        memory_threshold: wanted.unwrap_or(MEMORY_THRESHOLD),
        tolerance: tolerance.read(m, values::percentage).unwrap_or(TOLERANCE),
        alpha: alpha.read(m, values::alpha).unwrap_or(ALPHA),
        fail_threshold: fail_threshold.read(m, values::change).unwrap_or(threshold),
        threshold_absolute_ns: absolute.read(m, values::nanoseconds).unwrap_or(0.0),
        time_budget: budget.read(m, values::duration),
        prepare_timeout: preparing.read(m, values::duration).unwrap_or(PREPARE_TIMEOUT),
        fail_on: fail_on(flags, table, m),
        ignore_paths: ignore_paths(table, m),
        max_blocks: blocks(flags, m),
        repeat: flags.repeat,
        schedule: Setting::flag("--schedule", &flags.schedule)
            .read(m, |text| values::choice(text, SCHEDULES))
            .unwrap_or(Choice::Auto),
        clock: Setting::flag("--clock", &flags.clock)
            .read(m, |text| values::choice(text, CLOCKS))
            .unwrap_or(Choice::Auto),
        seed: flags.seed.as_deref().and_then(|text| m.flag("--seed", values::seed(text))),
        cpu_list: Setting::flag("--cpu-list", &flags.cpu_list).read(m, values::cpu_list),
        shard: shards::resolve(flags, m),
        filters: flags
            .filters
            .iter()
            .filter_map(|text| m.flag("--filter", values::pattern(text)))
            .collect(),
        suites: flags.suites.clone(),
        coverage: if flags.all { Coverage::All } else { Coverage::Budgeted },
        identical: if flags.measure_identical { Identical::Measure } else { Identical::Skip },
        estimates_only: flags.estimates_only,
    }
}

fn base(flags: &Flags, table: &CompareTable, mistakes: &mut Mistakes<'_>) -> BaseRule {
    let written = table.base.as_deref().map(values::base_rule);
    let written = written.and_then(|rule| mistakes.key("compare.base", rule));
    let given = flags.base.as_deref().map(values::base_rule);
    given.and_then(|rule| mistakes.flag("--base", rule)).or(written).unwrap_or(BaseRule::MergeBase)
}

fn head(flags: &Flags, mistakes: &mut Mistakes<'_>) -> HeadRule {
    let given = flags.head.as_deref().map(values::head_rule);
    let given = given.and_then(|rule| mistakes.flag("--head", rule));
    given.unwrap_or_else(|| HeadRule::Revision("HEAD".to_owned()))
}

/// Existing builds come in pairs, of one kind, and leave no room for revisions.
fn subjects(flags: &Flags, mistakes: &mut Mistakes<'_>) -> Subjects {
    let pythons = pair("python", &flags.base_python, &flags.head_python, mistakes);
    let paths = pair("path", &flags.base_path, &flags.head_path, mistakes);
    let subjects = match (pythons, paths) {
        (Some(_), Some(_)) => {
            mistakes
                .at_flag("--base-python", "cannot be used with --base-path, choose one of them");
            return Subjects::Commits;
        }
        (Some((base, head)), None) => Subjects::Pythons { base, head },
        (None, Some((base, head))) => Subjects::Paths { base, head },
        (None, None) => return Subjects::Commits,
    };
    for (flag, given) in [("--base", &flags.base), ("--head", &flags.head)] {
        if given.is_some() {
            mistakes
                .at_flag(flag, "names a commit, but the sides are existing builds; leave it out");
        }
    }
    subjects
}

fn pair(
    kind: &str,
    base: &Option<PathBuf>,
    head: &Option<PathBuf>,
    mistakes: &mut Mistakes<'_>,
) -> Option<(PathBuf, PathBuf)> {
    match (base, head) {
        (Some(base), Some(head)) => return Some((base.clone(), head.clone())),
        (Some(_), None) => {
            mistakes.at_flag(&format!("--base-{kind}"), format!("needs --head-{kind} beside it"));
        }
        (None, Some(_)) => {
            mistakes.at_flag(&format!("--head-{kind}"), format!("needs --base-{kind} beside it"));
        }
        (None, None) => {}
    }
    None
}

/// The word that stands for every environment.
const ALL: &str = "all";

/// Whether names are those of environments is known when each suite's own are.
fn wanted_environments(names: &[String]) -> Wanted {
    match names {
        [] => Wanted::OfSuite,
        names if names.iter().any(|name| name == ALL) => Wanted::All,
        names => Wanted::Named(names.to_vec()),
    }
}

fn variables(flag: &str, given: &[String], mistakes: &mut Mistakes<'_>) -> Vec<(String, String)> {
    given.iter().filter_map(|text| mistakes.flag(flag, values::variable(text))).collect()
}

fn fail_on(flags: &Flags, table: &CompareTable, mistakes: &mut Mistakes<'_>) -> BTreeSet<FailOn> {
    let written = table.fail_on.as_ref().map(|words| values::fail_on(words.iter()));
    let written = written.and_then(|words| mistakes.key("compare.fail-on", words));
    let given = flags.fail_on.as_deref().map(|text| values::fail_on(text.split(',')));
    let given = given.and_then(|words| mistakes.flag("--fail-on", words));
    given.or(written).unwrap_or_else(|| BTreeSet::from([FailOn::Failure]))
}

fn ignore_paths(table: &CompareTable, mistakes: &mut Mistakes<'_>) -> IgnorePaths {
    let compiled = IgnorePaths::new(&table.ignore_paths).map_err(|error| error.to_string());
    mistakes.key("compare.ignore-paths", compiled).unwrap_or_default()
}

fn blocks(flags: &Flags, mistakes: &mut Mistakes<'_>) -> u32 {
    for (flag, given) in [("--repeat", flags.repeat), ("--max-blocks", flags.max_blocks)] {
        if given == Some(0) {
            mistakes.at_flag(flag, "must be at least 1");
        }
    }
    if flags.repeat.is_some() && flags.max_blocks.is_some() {
        mistakes.at_flag("--repeat", "fixes the number of blocks, so --max-blocks cannot bound it");
    }
    flags.repeat.or(flags.max_blocks).unwrap_or(MAX_BLOCKS)
}

/// The sizes against each other. A mistake is told where the user last spoke of one of them.
fn check_sizes(
    compare: &mut Compare,
    flags: &Flags,
    table: &CompareTable,
    mistakes: &mut Mistakes<'_>,
    warnings: &mut Vec<String>,
) {
    let (threshold, tolerance) = (percent(compare.threshold), percent(compare.tolerance));
    if compare.tolerance >= compare.threshold {
        let above = format!("{threshold} must be above the tolerance of {tolerance}");
        let below = format!("{tolerance} must be below the threshold of {threshold}");
        match (&flags.tolerance, &flags.threshold, &table.tolerance) {
            (Some(_), _, _) => mistakes.at_flag("--tolerance", below),
            (_, Some(_), _) => mistakes.at_flag("--threshold", above),
            (_, _, Some(_)) => mistakes.at_key("compare.tolerance", below),
            (_, _, None) => mistakes.at_key("compare.threshold", above),
        }
    }
    if compare.fail_threshold < compare.threshold {
        warnings.push(format!(
            "fail-threshold {} is below the threshold of {threshold}, which holds instead",
            percent(compare.fail_threshold),
        ));
        compare.fail_threshold = compare.threshold;
    }
}

/// `3%`, rounded to what a person would have written.
pub(crate) fn percent(fraction: f64) -> String {
    format!("{}%", (fraction * 1e8).round() / 1e6)
}

fn accepts(
    document: &Document,
    today: Date,
    mistakes: &mut Mistakes<'_>,
    warnings: &mut Vec<String>,
) -> Vec<Accept> {
    let mut accepts = Vec::new();
    for (index, table) in document.file.accept.iter().enumerate() {
        let at = format!("accept.{index}");
        let pattern = mistakes.key(&format!("{at}.match"), values::pattern(&table.r#match));
        let up_to = table
            .up_to
            .as_ref()
            .and_then(|text| mistakes.key(&format!("{at}.up-to"), values::growth(&text.0)));
        let until = table
            .until
            .as_ref()
            .and_then(|text| mistakes.key(&format!("{at}.until"), values::date(&text.0)));
        let Some(pattern) = pattern else { continue };
        if let Some(until) = until.filter(|until| *until < today) {
            warnings.push(format!(
                "{}: the accepted regression `{}` expired on {until} and no longer counts",
                document.lines.place(&at),
                table.r#match
            ));
        } else {
            accepts.push(Accept { pattern, up_to, reason: table.reason.clone(), until });
        }
    }
    accepts
}
