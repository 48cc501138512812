//! `action measure`: becomes `run`, or `list` to warm the cache, with its flags from the inputs.
//!
//! It is started without any token. What is measured does not see the runner's own files either:
//! the variables that name them are dropped here already, and every build and benchmark is started
//! without them once more.

use super::ActionError;
use super::inputs::{self, Inputs, Mode};
use super::plan::Measure;
use crate::args::{Cli, Command as Subcommand, GlobalArgs, RunArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::github::variable;
use crate::terminal;
use clap::Parser as _;
use std::path::Path;
use std::process::Command;

/// What a step of the action is told that `run` has no use for, besides the inputs. (A runner that
/// gives steps of composite actions all inputs gives them the token among these.)
const DROPPED: [&str; 14] = [
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GITHUB_ENV",
    "GITHUB_PATH",
    "GITHUB_OUTPUT",
    "GITHUB_STATE",
    "GITHUB_STEP_SUMMARY",
    "BENCH_ACTION_BINARY",
    "BENCH_ACTION_SHA256",
    "PLAN_ACTION",
    "PLAN_BASE",
    "PLAN_BASE_BRANCH",
    "PLAN_HEAD",
    "PLAN_OUT",
];

/// Becomes the subcommand that the plan names.
pub(crate) fn measure() -> Result<Exit, CliError> {
    let given = Inputs::read(&variable).map_err(ActionError::from)?;
    let out = variable("PLAN_OUT").unwrap_or_default();
    let words = if variable("PLAN_ACTION").as_deref() == Some("warm") {
        warm_words(&given)
    } else {
        let planned = |name| variable(name);
        let sides = Sides {
            base: planned("PLAN_BASE"),
            base_branch: planned("PLAN_BASE_BRANCH"),
            head: planned("PLAN_HEAD"),
        };
        run_words(&given, &sides, Some(Path::new(&out)))
    };
    let shown = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
    terminal::say(&terminal::plain(&format!("bench-action {shown}")));
    let mut command = Command::new(std::env::current_exe().map_err(ActionError::Start)?);
    command.args(&words);
    for name in DROPPED.map(str::to_owned).into_iter().chain(inputs::NAMES.map(inputs::variable_of))
    {
        command.env_remove(name);
    }
    Err(ActionError::Start(become_(command)?).into())
}

/// The same process goes on as the subcommand, so that signals reach it.
#[cfg(unix)]
fn become_(mut command: Command) -> Result<std::io::Error, CliError> {
    use std::os::unix::process::CommandExt as _;
    Ok(command.exec())
}

/// Waits for the subcommand and ends as it did.
#[cfg(not(unix))]
fn become_(mut command: Command) -> Result<std::io::Error, CliError> {
    let status = command.status().map_err(ActionError::Start)?;
    #[expect(clippy::exit, reason = "the only way to end with a number that another process chose")]
    std::process::exit(status.code().unwrap_or(1))
}

/// What is compared, as the plan has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sides {
    pub(crate) base: Option<String>,
    pub(crate) base_branch: Option<String>,
    pub(crate) head: Option<String>,
}

impl From<&Measure> for Sides {
    fn from(measure: &Measure) -> Self {
        let Measure { base, base_branch, head, .. } = measure.clone();
        Self { base, base_branch, head }
    }
}

/// `run`, with everything that the inputs say. Values are joined to their flags, so that none can
/// be one.
pub(crate) fn run_words(inputs: &Inputs, sides: &Sides, out: Option<&Path>) -> Vec<String> {
    let mut words = vec!["run".to_owned()];
    let mut add = |flag: &str, value: &str| words.push(format!("--{flag}={value}"));
    let shard = inputs.shard.map(|shard| format!("{}/{}", shard.index, shard.count));
    let out = out.map(|out| out.display().to_string());
    // How a commit stands to a reference of long ago is no reason to fail.
    let never = (inputs.mode == Mode::History).then(|| "never".to_owned());
    let fail_on = inputs.fail_on.clone().or(never);
    // `args` may give another.
    let is_given = inputs.args.iter().any(|word| word == "--seed" || word.starts_with("--seed="));
    let seed = (inputs.mode == Mode::History && !is_given)
        .then(|| crate::commands::history::SEED.to_owned());
    for (flag, value) in [
        ("base", &sides.base),
        ("base-branch", &sides.base_branch),
        ("head", &sides.head),
        ("config", &inputs.config),
        ("threshold", &inputs.threshold),
        ("fail-threshold", &inputs.fail_threshold),
        ("time-budget", &inputs.time_budget),
        ("fail-on", &fail_on),
        ("schedule", &inputs.schedule),
        ("shard", &shard),
        ("seed", &seed),
        ("out", &out),
    ] {
        value.iter().for_each(|value| add(flag, value));
    }
    inputs.suites.iter().for_each(|suite| add("suite", suite));
    inputs.filters.iter().for_each(|filter| add("filter", filter));
    // Last, so that they may say a thing again.
    words.extend(inputs.args.iter().cloned());
    words
}

/// What `run` makes of such words; nothing where it will name a mistake in them.
pub(crate) fn parsed(words: &[String]) -> Option<(GlobalArgs, Box<RunArgs>)> {
    let words = std::iter::once("bench-action").chain(words.iter().map(String::as_str));
    match Cli::try_parse_from(words) {
        Ok(Cli { global, command: Some(Subcommand::Run(args)), .. }) => Some((global, args)),
        _ => None,
    }
}

/// `list`, which builds what it lists: the newest commit on both sides.
fn warm_words(inputs: &Inputs) -> Vec<String> {
    let mut words: Vec<String> = ["list", "--base=HEAD", "--head=HEAD"].map(str::to_owned).into();
    words.extend(inputs.config.iter().map(|config| format!("--config={config}")));
    words.extend(inputs.suites.iter().map(|suite| format!("--suite={suite}")));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::inputs::tests::inputs;
    use crate::args::{Cli, Command as Sub};

    #[test]
    fn every_input_becomes_its_flag_and_no_value_becomes_one() {
        let inputs = inputs(&[
            ("config", "ci/bench.toml"),
            ("suite", "a\nb"),
            ("filter", "--out=/etc"),
            ("threshold", "5%"),
            ("fail-threshold", "10%"),
            ("time-budget", "5m"),
            ("fail-on", "regression"),
            ("schedule", "duet"),
            ("shard", "1/2"),
            ("args", "--repeat 3"),
        ])
        .unwrap();
        let sides = Sides { head: Some("-x".into()), ..Sides::default() };
        let words = run_words(&inputs, &sides, Some(Path::new("a b")));
        let parsed = Cli::try_parse_from(["bench-action".to_owned()].iter().chain(&words));
        let Some(Sub::Run(args)) = parsed.unwrap().command else { panic!("no run: {words:?}") };
        let flags = args.flags();
        assert_eq!(flags.head.as_deref(), Some("-x"));
        assert_eq!(flags.filters, ["--out=/etc"]);
        assert_eq!((flags.suites.len(), flags.repeat), (2, Some(3)));
        assert_eq!(flags.shard.as_deref(), Some("1/2"));
        assert_eq!(args.report.out.as_deref(), Some(Path::new("a b")));
    }

    #[test]
    fn all_commits_of_a_history_share_a_seed_and_other_runs_have_their_own() {
        let seed = |given: &[(&str, &str)]| {
            let words = run_words(&inputs(given).unwrap(), &Sides::default(), None);
            let parsed = Cli::try_parse_from(["bench-action".to_owned()].iter().chain(&words));
            let Some(Sub::Run(args)) = parsed.unwrap().command else { panic!("no run: {words:?}") };
            args.flags().seed
        };
        assert_eq!(seed(&[("mode", "history"), ("base", "v1")]).as_deref(), Some("history"));
        let own = [("mode", "history"), ("base", "v1"), ("args", "--seed mine")];
        assert_eq!(seed(&own).as_deref(), Some("mine"));
        assert_eq!(seed(&[]), None);
    }

    #[test]
    fn the_cache_is_warmed_by_listing_one_commit() {
        let words = warm_words(&inputs(&[("suite", "a")]).unwrap());
        let parsed = Cli::try_parse_from(["bench-action".to_owned()].iter().chain(&words));
        assert!(matches!(parsed.unwrap().command, Some(Sub::List(_))), "{words:?}");
    }
}
