//! The inputs of the action, as its steps get them: `INPUT_NAME` for `name`, empty for unset.

use crate::args::When;
use bench_comment::Key;

/// All inputs of action.yml, in its order; those that are read nowhere here are the installation's.
pub(crate) const NAMES: [&str; 28] = [
    "mode",
    "base",
    "head",
    "config",
    "suite",
    "filter",
    "threshold",
    "fail-threshold",
    "time-budget",
    "fail-on",
    "schedule",
    "shard",
    "args",
    "token",
    "key",
    "comment",
    "pr",
    "run-id",
    "artifact-name",
    "accept-label",
    "check-run",
    "tell",
    "samples",
    "cache",
    "version",
    "checksum",
    "binary-path",
    "download-base-url",
];

/// The variable that an input is in.
pub(crate) fn variable_of(name: &str) -> String {
    format!("INPUT_{}", name.to_ascii_uppercase().replace('-', "_"))
}

/// What the job is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Measure, and report where the token allows it.
    Run,
    /// Report what another job has measured.
    Report,
    /// Measure the newest commit against the pinned reference.
    History,
    /// Record what another job of this run has measured of it.
    Record,
    /// Build the newest commit, so that pull requests find it built.
    Warm,
}

/// All inputs but those of the installation, checked as far as they are no flags of `run`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inputs {
    pub(crate) mode: Mode,
    pub(crate) base: Option<String>,
    pub(crate) head: Option<String>,
    pub(crate) config: Option<String>,
    pub(crate) suites: Vec<String>,
    pub(crate) filters: Vec<String>,
    pub(crate) threshold: Option<String>,
    pub(crate) fail_threshold: Option<String>,
    pub(crate) time_budget: Option<String>,
    pub(crate) fail_on: Option<String>,
    pub(crate) schedule: Option<String>,
    pub(crate) shard: Option<Shard>,
    /// More flags of `run`.
    pub(crate) args: Vec<String>,
    pub(crate) key: String,
    pub(crate) comment: When,
    pub(crate) pull: Option<u64>,
    pub(crate) run: Option<u64>,
    pub(crate) artifact_name: Option<String>,
    pub(crate) accept_label: Option<String>,
    pub(crate) check_run: bool,
    /// Where new changes of the default branch are told besides the job summary.
    pub(crate) tell: Tell,
    /// Whether raw measurements go into the history as well.
    pub(crate) samples: bool,
    pub(crate) cache: bool,
}

/// Where new changes of the default branch are told besides the job summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tell {
    /// On the pull request that brought them.
    pub(crate) comment: bool,
    /// In an issue.
    pub(crate) issue: bool,
}

/// One part of a suite that is spread over jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    /// From 1.
    pub(crate) index: u32,
    pub(crate) count: u32,
}

/// An input that means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("input `{name}: {value}`: {remedy}")]
pub(crate) struct InputError {
    name: &'static str,
    value: String,
    remedy: &'static str,
}

/// Highest number of a pull request.
const MOST_DIGITS: usize = 10;

impl Inputs {
    /// Reads them; `get` gives the value of a variable that is set to something.
    pub(crate) fn read(get: &dyn Fn(&str) -> Option<String>) -> Result<Self, InputError> {
        let given = |name: &str| {
            get(&variable_of(name))
                .map(|value| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        let lines = |name: &str| -> Vec<String> {
            let text = given(name).unwrap_or_default();
            text.lines().map(str::trim).filter(|l| !l.is_empty()).map(str::to_owned).collect()
        };
        let checked = Checked { given: &given };
        Ok(Self {
            mode: checked.one(
                "mode",
                "one of run, report, history, record, warm",
                Mode::Run,
                mode,
            )?,
            base: given("base"),
            head: given("head"),
            config: given("config"),
            suites: lines("suite"),
            filters: lines("filter"),
            threshold: given("threshold"),
            fail_threshold: given("fail-threshold"),
            time_budget: given("time-budget"),
            fail_on: given("fail-on"),
            schedule: given("schedule"),
            shard: checked.maybe("shard", "write it like 2/8", shard)?,
            args: checked.one("args", "a quote is not closed", Vec::new(), shlex::split)?,
            key: checked.one("key", KEY, "bench".to_owned(), key)?,
            comment: checked.one("comment", "one of always, changes, never", When::Always, when)?,
            pull: checked.maybe("pr", "the number of a pull request", number)?,
            run: checked
                .maybe("run-id", "the number of a workflow run", |text| text.parse().ok())?,
            artifact_name: given("artifact-name"),
            accept_label: given("accept-label"),
            check_run: checked.one("check-run", "true or false", false, boolean)?,
            tell: checked.one(
                "tell",
                "any of comment, issue, separated by commas",
                Tell::default(),
                tell,
            )?,
            samples: checked.one("samples", "true or false", false, boolean)?,
            cache: checked.one("cache", "true or false", true, boolean)?,
        })
    }
}

const KEY: &str = "1 to 64 of the characters A-Z a-z 0-9 . _ - and no two dashes in a row";

/// Inputs that are not free text.
struct Checked<'g> {
    given: &'g dyn Fn(&str) -> Option<String>,
}

impl Checked<'_> {
    fn maybe<T>(
        &self,
        name: &'static str,
        remedy: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, InputError> {
        let Some(value) = (self.given)(name) else { return Ok(None) };
        match parse(&value) {
            Some(parsed) => Ok(Some(parsed)),
            None => Err(InputError { name, value, remedy }),
        }
    }

    fn one<T>(
        &self,
        name: &'static str,
        remedy: &'static str,
        default: T,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, InputError> {
        self.maybe(name, remedy, parse).map(|value| value.unwrap_or(default))
    }
}

fn mode(text: &str) -> Option<Mode> {
    match text {
        "run" => Some(Mode::Run),
        "report" => Some(Mode::Report),
        "history" => Some(Mode::History),
        "record" => Some(Mode::Record),
        "warm" => Some(Mode::Warm),
        _ => None,
    }
}

fn when(text: &str) -> Option<When> {
    match text {
        "always" => Some(When::Always),
        "changes" => Some(When::Changes),
        "never" => Some(When::Never),
        _ => None,
    }
}

fn key(text: &str) -> Option<String> {
    Key::new(text).map(|key| key.as_str().to_owned())
}

fn number(text: &str) -> Option<u64> {
    let is_number = text.len() <= MOST_DIGITS && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten().filter(|number| *number > 0)
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

fn tell(text: &str) -> Option<Tell> {
    text.split(',').map(str::trim).try_fold(Tell::default(), |tell, word| match word {
        "comment" => Some(Tell { comment: true, ..tell }),
        "issue" => Some(Tell { issue: true, ..tell }),
        _ => None,
    })
}

fn shard(text: &str) -> Option<Shard> {
    let (index, count) = text.split_once('/')?;
    let shard = Shard { index: index.parse().ok()?, count: count.parse().ok()? };
    (1..=shard.count).contains(&shard.index).then_some(shard)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Inputs as a workflow would give them.
    pub(crate) fn inputs(given: &[(&str, &str)]) -> Result<Inputs, InputError> {
        Inputs::read(&|name| {
            let found = given.iter().find(|(input, _)| variable_of(input) == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_inputs_of_action_yml_are_those_that_are_known() {
        let text = include_str!("../../../../action.yml");
        let inputs =
            text.split("\ninputs:\n").nth(1).unwrap().split("\noutputs:\n").next().unwrap();
        let names =
            inputs.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        let names: Vec<&str> = names.map(|line| line.trim().trim_end_matches(':')).collect();
        assert_eq!(names, NAMES);
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        let inputs = inputs(&[("base", "  ")]).unwrap();
        assert_eq!((inputs.mode, inputs.base, inputs.key.as_str()), (Mode::Run, None, "bench"));
        assert!(inputs.cache && !inputs.check_run && !inputs.samples);
    }

    #[test]
    fn lists_have_one_entry_a_line_and_arguments_are_split_like_a_shell() {
        let inputs = inputs(&[
            ("filter", "a b\n\n  c\n"),
            ("args", "--repeat 3 --base-var 'A=x y' \"--head-var=B=$(id)\""),
        ])
        .unwrap();
        assert_eq!(inputs.filters, ["a b", "c"]);
        assert_eq!(inputs.args, ["--repeat", "3", "--base-var", "A=x y", "--head-var=B=$(id)"]);
    }

    #[test]
    fn what_means_nothing_is_named_with_what_would() {
        for (name, value) in [
            ("mode", "measure"),
            ("pr", "7; rm"),
            ("pr", "0"),
            ("pr", "12345678901"),
            ("shard", "3/2"),
            ("shard", "0/2"),
            ("key", "a--b"),
            ("check-run", "yes"),
            ("args", "'open"),
            ("comment", "sometimes"),
            ("tell", "comment, mail"),
            ("samples", "always"),
        ] {
            let error = inputs(&[(name, value)]).unwrap_err().to_string();
            assert!(error.starts_with(&format!("input `{name}: {value}`: ")), "{error}");
        }
        assert_eq!(inputs(&[("shard", "2/8")]).unwrap().shard, Some(Shard { index: 2, count: 8 }));
    }
}
