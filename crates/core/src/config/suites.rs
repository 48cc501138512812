//! The suites of the file, or those found in the repository, with every default filled in.

use super::environments::{self, plain};
use super::file::{BenchmarkTable, OverrideTable, SuiteTable};
use super::mistakes::Mistakes;
use super::resolve::{CLOCKS, SCHEDULES, percent};
use super::scalar::CommandText;
use super::settings::{Choice, Compare, Lfs, Override, Suite};
use super::suggest::hint;
use super::values;
use bench_harness::{
    BenchmarksFrom, CommandLine, CommandSettings, Defaults, EnvironmentKind, EnvironmentSettings,
    Harness, Need, SuiteSettings,
};
use std::path::Path;
use std::time::Duration;

/// The suites of the file.
pub(crate) fn resolve(
    tables: &[SuiteTable],
    harnesses: &[&dyn Harness],
    environments: &[EnvironmentSettings],
    mistakes: &mut Mistakes<'_>,
) -> Vec<Suite> {
    let mut suites: Vec<Suite> = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        let at = format!("suite.{index}");
        let harness = harnesses.iter().find(|harness| harness.name() == table.harness);
        let Some(harness) = harness else {
            let hint = hint(&table.harness, harnesses.iter().map(|harness| harness.name()));
            let message = format!("`{}` is unknown{hint}", table.harness);
            mistakes.at_key(&format!("{at}.harness"), message);
            continue;
        };
        check_environments(&at, table, environments, mistakes);
        let suite = suite(&at, table, &harness.defaults(), mistakes);
        if suites.iter().any(|earlier| earlier.settings.name == suite.settings.name) {
            let message = format!("`{}` is taken, give each suite its own", suite.settings.name);
            mistakes.at_key(&format!("{at}.name"), message);
        }
        suites.push(suite);
    }
    suites
}

/// The suites asked for by name; all, where none was.
pub(crate) fn select(
    suites: Vec<Suite>,
    wanted: &[String],
    mistakes: &mut Mistakes<'_>,
) -> Vec<Suite> {
    for name in wanted {
        if !suites.iter().any(|suite| suite.settings.name == *name) {
            let names = suites.iter().map(|suite| suite.settings.name.as_str());
            mistakes.at_flag("--suite", format!("there is no suite `{name}`{}", hint(name, names)));
        }
    }
    let is_wanted = |suite: &Suite| wanted.is_empty() || wanted.contains(&suite.settings.name);
    suites.into_iter().filter(is_wanted).collect()
}

/// A suite's own threshold must leave room for the tolerance, like the run's.
pub(crate) fn check_thresholds(suites: &[Suite], compare: &Compare, mistakes: &mut Mistakes<'_>) {
    for (index, suite) in suites.iter().enumerate() {
        let own = suite.threshold.map(|threshold| (format!("suite.{index}.threshold"), threshold));
        let exceptions = suite.overrides.iter().enumerate().filter_map(|(nth, exception)| {
            Some((format!("suite.{index}.override.{nth}.threshold"), exception.threshold?))
        });
        for (key, threshold) in own.into_iter().chain(exceptions) {
            if threshold <= compare.tolerance {
                let tolerance = percent(compare.tolerance);
                let message =
                    format!("{} must be above the tolerance of {tolerance}", percent(threshold));
                mistakes.at_key(&key, message);
            }
        }
    }
}

fn check_environments(
    at: &str,
    table: &SuiteTable,
    environments: &[EnvironmentSettings],
    mistakes: &mut Mistakes<'_>,
) {
    for (nth, name) in table.environments.iter().enumerate() {
        if let Err(message) = environments::find(environments, name) {
            mistakes.at_key(&format!("{at}.environments.{nth}"), message);
        }
    }
}

fn suite(at: &str, table: &SuiteTable, defaults: &Defaults, m: &mut Mistakes<'_>) -> Suite {
    let key = |name: &str| format!("{at}.{name}");
    let exceptions = table.r#override.iter().enumerate();
    let overrides =
        exceptions.filter_map(|(nth, table)| exception(&format!("{at}.override.{nth}"), table, m));
    let overrides = overrides.collect();
    Suite {
        settings: settings(at, table, defaults, m),
        links: table
            .links
            .iter()
            .filter_map(|link| m.key(&key("links"), values::inside(link)))
            .collect(),
        lfs: if table.lfs { Lfs::Fetch } else { Lfs::Pointers },
        filter: table.filter.as_ref().and_then(|text| m.key(&key("filter"), values::pattern(text))),
        schedule: choice(&key("schedule"), &table.schedule, SCHEDULES, m).unwrap_or_default(),
        clock: choice(&key("clock"), &table.clock, CLOCKS, m).unwrap_or_default(),
        threshold: table
            .threshold
            .as_ref()
            .and_then(|text| m.key(&key("threshold"), values::change(&text.0))),
        overrides,
        environments: table.environments.clone(),
    }
}

fn choice<T: std::str::FromStr>(
    key: &str,
    text: &Option<String>,
    words: &[&str],
    mistakes: &mut Mistakes<'_>,
) -> Option<Choice<T>> {
    text.as_ref().and_then(|text| mistakes.key(key, values::choice(text, words)))
}

fn exception(at: &str, table: &OverrideTable, mistakes: &mut Mistakes<'_>) -> Option<Override> {
    let key = |name: &str| format!("{at}.{name}");
    let threshold = table.threshold.as_ref();
    Some(Override {
        pattern: mistakes.key(&key("match"), values::pattern(&table.r#match))?,
        schedule: choice(&key("schedule"), &table.schedule, SCHEDULES, mistakes),
        clock: choice(&key("clock"), &table.clock, CLOCKS, mistakes),
        threshold: threshold
            .and_then(|text| mistakes.key(&key("threshold"), values::change(&text.0))),
    })
}

fn settings(
    at: &str,
    table: &SuiteTable,
    defaults: &Defaults,
    m: &mut Mistakes<'_>,
) -> SuiteSettings {
    let directory = table.directory.as_deref().unwrap_or(Path::new(""));
    let directory = m.key(&format!("{at}.directory"), values::inside(directory));
    let directory = directory.unwrap_or_default();
    let build_key = format!("{at}.build");
    SuiteSettings {
        name: table.name.clone().unwrap_or_else(|| table.harness.clone()),
        harness: table.harness.clone(),
        config: table.config.clone(),
        benchmarks_from: benchmarks_from(at, table, defaults, m),
        environment: environment(at, table, defaults, m),
        arguments: table.arguments.clone(),
        build: table.build.iter().filter_map(|command| m.key(&build_key, words(command))).collect(),
        commands: commands(at, table, defaults, &directory, m),
        run: run(at, table, defaults, m),
        programs: programs(at, table, defaults, m),
        snippet: None,
        directory,
    }
}

fn benchmarks_from(
    at: &str,
    table: &SuiteTable,
    defaults: &Defaults,
    mistakes: &mut Mistakes<'_>,
) -> BenchmarksFrom {
    let key = format!("{at}.benchmarks-from");
    let wanted = match (table.benchmarks_from.as_deref(), &table.path) {
        (Some("path"), Some(path)) => Ok(BenchmarksFrom::Path(path.clone())),
        (Some("path"), None) => Err("`path` needs the key `path` with the directory".to_owned()),
        (_, Some(_)) => Err("must be `path` where the key `path` is given".to_owned()),
        (None, None) => Ok(defaults.benchmarks_from.clone()),
        (Some("head"), None) => Ok(BenchmarksFrom::Head),
        (Some("base"), None) => Ok(BenchmarksFrom::Base),
        (Some("each"), None) => Ok(BenchmarksFrom::Each),
        (Some(word), None) => {
            Err(format!("`{word}` is unknown{}", hint(word, ["head", "base", "each", "path"])))
        }
    };
    mistakes.key(&key, wanted).unwrap_or_else(|| defaults.benchmarks_from.clone())
}

fn environment(
    at: &str,
    table: &SuiteTable,
    defaults: &Defaults,
    mistakes: &mut Mistakes<'_>,
) -> EnvironmentKind {
    let wanted = match table.environment.as_deref() {
        None => Ok(defaults.environment),
        Some("own") => Ok(EnvironmentKind::Own),
        Some("current") => Ok(EnvironmentKind::Current),
        Some(word) => Err(format!("`{word}` is unknown{}", hint(word, ["own", "current"]))),
    };
    mistakes.key(&format!("{at}.environment"), wanted).unwrap_or(defaults.environment)
}

fn words(command: &CommandText) -> Result<CommandLine, String> {
    match command {
        CommandText::Line(line) => values::words(line),
        CommandText::Words(words) if words.is_empty() => Err("the command is empty".to_owned()),
        CommandText::Words(words) => Ok(CommandLine::Words(words.clone())),
    }
}

/// The command of a suite's own worker.
fn run(
    at: &str,
    table: &SuiteTable,
    defaults: &Defaults,
    mistakes: &mut Mistakes<'_>,
) -> Option<CommandLine> {
    let key = format!("{at}.run");
    match (defaults.run, &table.run) {
        (Need::Required, None) => mistakes.at_key(
            at,
            "this suite needs `run`, the program that serves its benchmarks, such as \"node worker.mjs\"",
        ),
        (Need::Unused, Some(_)) => {
            let message = format_args!(
                "the harness `{}` has no `run`; commands have theirs in [[suite.benchmark]]",
                table.harness
            );
            mistakes.at_key(&key, message);
        }
        _ => {}
    }
    table.run.as_ref().and_then(|command| mistakes.key(&key, words(command)))
}

fn programs(
    at: &str,
    table: &SuiteTable,
    defaults: &Defaults,
    mistakes: &mut Mistakes<'_>,
) -> Vec<String> {
    let key = format!("{at}.programs");
    match (defaults.programs, table.programs.is_empty()) {
        (Need::Required, true) => mistakes.at_key(
            at,
            "this suite needs `programs`, the files that `build` makes, such as \"build/*_bench\"",
        ),
        (Need::Unused, false) => {
            let message = format_args!("the harness `{}` finds its programs itself", table.harness);
            mistakes.at_key(&key, message);
        }
        _ => {}
    }
    let inside = |program: &String| mistakes.key(&key, values::inside(Path::new(program)));
    table.programs.iter().filter_map(inside).map(|path| path.display().to_string()).collect()
}

fn commands(
    at: &str,
    table: &SuiteTable,
    defaults: &Defaults,
    directory: &Path,
    mistakes: &mut Mistakes<'_>,
) -> Vec<CommandSettings> {
    match (defaults.commands, table.benchmark.is_empty()) {
        (Need::Required, true) => mistakes.at_key(at, "this suite has no [[suite.benchmark]]"),
        (Need::Unused, false) => mistakes.at_key(
            &format!("{at}.benchmark.0"),
            format_args!("the harness `{}` finds its benchmarks itself", table.harness),
        ),
        _ => {}
    }
    let mut commands: Vec<CommandSettings> = Vec::new();
    for (nth, table) in table.benchmark.iter().enumerate() {
        let at = format!("{at}.benchmark.{nth}");
        if commands.iter().any(|earlier| earlier.name == table.name) {
            mistakes.at_key(&format!("{at}.name"), format_args!("`{}` is taken", table.name));
        }
        commands.extend(command(&at, table, directory, mistakes));
    }
    commands
}

fn command(
    at: &str,
    table: &BenchmarkTable,
    suite: &Path,
    m: &mut Mistakes<'_>,
) -> Option<CommandSettings> {
    let key = |name: &str| format!("{at}.{name}");
    let prepare = table.prepare.as_ref();
    let prepare = prepare.and_then(|c| m.key(&key("prepare"), command_line(c, table.shell)));
    let timeout = table.timeout.as_ref();
    let timeout = timeout.and_then(|text| m.key(&key("timeout"), values::duration(&text.0)));
    let directory = table.directory.as_deref().unwrap_or(Path::new(""));
    let directory = m.key(&key("directory"), values::inside(directory)).unwrap_or_default();
    let run = m.key(&key("run"), command_line(&table.run, table.shell))?;
    Some(CommandSettings {
        prepare,
        metrics: metrics(&key("metrics"), table, m),
        stdin: table.stdin.clone(),
        expect_exit: table.expect_exit,
        timeout_s: timeout.map_or(CommandSettings::TIMEOUT_S, whole_seconds),
        variables: plain(&table.variables),
        directory: suite.join(directory),
        ..CommandSettings::new(table.name.clone(), run)
    })
}

/// Rounded up, so that a timeout is never shorter than it was written.
fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

fn command_line(command: &CommandText, shell: bool) -> Result<CommandLine, String> {
    match (command, shell) {
        (CommandText::Line(line), true) => Ok(CommandLine::Shell(line.clone())),
        (CommandText::Words(_), true) => {
            Err("must be one text for a shell, or leave out `shell = true`".to_owned())
        }
        (command, false) => words(command),
    }
}

fn metrics(key: &str, table: &BenchmarkTable, mistakes: &mut Mistakes<'_>) -> Vec<String> {
    const KNOWN: [&str; 2] = ["time", "peak-memory"];
    let Some(metrics) = table.metrics.as_ref() else { return vec!["time".to_owned()] };
    if metrics.is_empty() {
        mistakes.at_key(key, "is empty, name at least `time` or `peak-memory`");
    }
    for (nth, metric) in metrics.iter().enumerate() {
        let message = match KNOWN.contains(&metric.as_str()) {
            false => format!("`{metric}` is unknown{}", hint(metric, KNOWN)),
            true if metrics[..nth].contains(metric) => format!("`{metric}` is named twice"),
            true => continue,
        };
        mistakes.at_key(key, message);
    }
    metrics.clone()
}
