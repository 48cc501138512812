//! `action decide`: what this job does, told to the steps after it as outputs.
//!
//! The only step besides the report that has the token. It runs before any code of a pull request,
//! and what it fetches is all that later steps need.

use super::checkout::{self, Checkout};
use super::inputs::Inputs;
use super::measure::{Sides, run_words};
use super::occasion::Occasion;
use super::plan::{self, Ask, Measure, Plan, Telling};
use super::{ActionError, gathered, names, rerun, words};
use crate::commands::comment::connection;
use crate::error::CliError;
use crate::exit::Exit;
use crate::github::{self, Level, Reporter, Runner, annotation, variable};
use crate::terminal;
use bench_comment::{GitHub as _, Place, Reruns as _, Rest};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The title of what this step tells.
const TITLE: &str = "bench-action";

/// Decides.
pub(crate) fn decide() -> Result<Exit, CliError> {
    let inputs = Inputs::read(&variable).map_err(ActionError::from)?;
    let (name, event) = github::event()?;
    let occasion = Occasion::new(&name, &event).map_err(ActionError::from)?;
    let job = Job { inputs, occasion, runner: Runner::from_environment() };
    let plan = match plan::decide(&job.occasion, &job.inputs) {
        Plan::Ask(ask) => job.ask(&ask)?,
        other => other,
    };
    job.carry_out(&plan)
}

struct Job {
    inputs: Inputs,
    occasion: Occasion,
    runner: Runner,
}

impl Job {
    fn ask(&self, ask: &Ask) -> Result<Plan, CliError> {
        let github = github()?;
        let permission = ask.by.as_deref().map(|by| github.permission(by)).transpose();
        let permission = permission.map_err(CliError::Refused)?;
        let pull = github.pull(ask.pull).map_err(CliError::Refused)?;
        Ok(plan::asked(ask, &pull, permission, &self.inputs))
    }

    fn carry_out(&self, plan: &Plan) -> Result<Exit, CliError> {
        match plan {
            Plan::Nothing(why) => self.nothing(why)?,
            Plan::Again(again) => self.nothing(&rerun::run_again(&github()?, again)?)?,
            Plan::Refuse(why) => return Err(ActionError::Refused((*why).to_owned()).into()),
            // Asked already.
            Plan::Ask(_) => {}
            Plan::Report { run, pull } => self.report(*run, *pull)?,
            Plan::Measure(measure) => self.measure(measure)?,
            Plan::Warm => self.warm()?,
            Plan::Record => {
                self.set("action", "record")?;
                self.places()?;
            }
        }
        Ok(Exit::Done)
    }

    fn nothing(&self, why: &str) -> Result<(), CliError> {
        notice(Level::Notice, why)?;
        self.runner.summarize(&format!("bench-action: {}", bench_render::markdown_text(why)))?;
        self.set("action", "nothing")
    }

    fn report(&self, run: Option<u64>, pull: Option<u64>) -> Result<(), CliError> {
        self.set("action", "report")?;
        self.set_number("run", run)?;
        self.set_number("pull", pull)?;
        self.places()
    }

    fn measure(&self, measure: &Measure) -> Result<(), CliError> {
        let token = self.checkout()?;
        if let Occasion::Other(event) = &self.occasion {
            notice(Level::Notice, &words::unknown_event(event))?;
        }
        self.set("action", "measure")?;
        let pull = match &measure.telling {
            Telling::Comment(pull) => Some(*pull),
            Telling::Elsewhere(source) => {
                notice(Level::Notice, &words::elsewhere(*source))?;
                self.set("elsewhere", source.word())?;
                None
            }
            Telling::Nowhere => None,
        };
        self.set_number("pull", pull)?;
        self.set("base", measure.base.as_deref().unwrap_or_default())?;
        self.set("base-branch", measure.base_branch.as_deref().unwrap_or_default())?;
        self.set("head", measure.head.as_deref().unwrap_or_default())?;
        let label = self.inputs.accept_label.as_deref();
        let is_accepted = self.occasion.labels().iter().any(|found| Some(found.as_str()) == label);
        self.set("accepted", if is_accepted { "true" } else { "" })?;
        let sides = Sides::from(measure);
        let base = fetched(&run_words(&self.inputs, &sides, None), token)?.map(|[base, _]| base);
        self.cache("restore", base.as_deref())?;
        self.places()
    }

    fn warm(&self) -> Result<(), CliError> {
        let token = self.checkout()?;
        self.set("action", "warm")?;
        let head = || Some("HEAD".to_owned());
        let sides = Sides { base: head(), base_branch: None, head: head() };
        let base = fetched(&run_words(&self.inputs, &sides, None), token)?.map(|[base, _]| base);
        self.cache("save", base.as_deref())?;
        self.places()
    }

    /// Where the workspace has a repository, whether credentials have to be added to reach its
    /// server.
    fn checkout(&self) -> Result<Token, CliError> {
        // Existing builds need no repository, and another directory is looked at by `run`.
        let is_elsewhere = |word: &String| {
            word == "-C" || word.starts_with("--base-python") || word.starts_with("--base-path")
        };
        match checkout::look(&workspace()) {
            Checkout::Absent if !self.inputs.args.iter().any(is_elsewhere) => {
                Err(ActionError::Refused(words::NO_CHECKOUT.to_owned()).into())
            }
            Checkout::WithToken => {
                notice(Level::Warning, words::PERSISTED)?;
                Ok(Token::Persisted)
            }
            Checkout::Absent | Checkout::Plain => Ok(Token::Ours),
        }
    }

    /// What was built before is looked for by the commit it was built from.
    fn cache(&self, how: &str, base: Option<&str>) -> Result<(), CliError> {
        let prefix = names::cache_prefix(&self.inputs, &workspace());
        let wanted = self.inputs.cache && base.is_some();
        self.set("cache", if wanted { how } else { "" })?;
        self.set("cache-key", &format!("{prefix}{}", base.unwrap_or_default()))?;
        self.set("cache-prefix", &prefix)?;
        self.set("cache-paths", &names::cached_paths())
    }

    fn places(&self) -> Result<(), CliError> {
        let stem = names::stem(&self.inputs);
        self.set("out", &names::out(&stem).display().to_string())?;
        self.set("result-name", &names::artifact("result", &stem))?;
        self.set("report-name", &names::artifact("report", &stem))?;
        self.set("dashboard-name", &names::artifact("dashboard", &stem))?;
        self.set("result-pattern", &format!("{}*", gathered::beginning(&self.inputs)))?;
        let has_artifacts = has_artifacts(&Reporter::from_environment().server_url);
        self.set("artifacts", if has_artifacts { "true" } else { "" })
    }

    fn set(&self, name: &str, value: &str) -> Result<(), CliError> {
        self.runner.set(name, value).map_err(CliError::from)
    }

    fn set_number(&self, name: &str, value: Option<u64>) -> Result<(), CliError> {
        self.set(name, &value.map(|number| number.to_string()).unwrap_or_default())
    }
}

/// How the repository's server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// The checkout has left what is needed; a second header would be refused.
    Persisted,
    /// With ours.
    Ours,
}

/// Fetches what `run` with these words will need; says the commits of base and head. What goes
/// wrong here goes wrong in `run` too, and is told there.
fn fetched(words: &[String], token: Token) -> Result<Option<[String; 2]>, CliError> {
    let reporter = Reporter::from_environment();
    let mut command = Command::new(std::env::current_exe().map_err(ActionError::Start)?);
    command.args(["action", "fetch", "--"]).args(words);
    command.env_remove("GITHUB_TOKEN").env_remove("GH_TOKEN").stderr(Stdio::inherit());
    if token == Token::Ours {
        let given = variable("GIT_CONFIG_COUNT");
        command.envs(checkout::credentials(&reporter, given.as_deref()));
    }
    let output = command.output().map_err(ActionError::Start)?;
    // A mistake in the words is for `run` alone to name.
    if !matches!(output.status.code(), Some(code) if code == Exit::Done as i32 || code == Exit::Usage as i32)
    {
        notice(Level::Warning, words::NOT_FETCHED)?;
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(match (output.status.success(), text.lines().collect::<Vec<_>>().as_slice()) {
        (true, [base, head]) => Some([(*base).to_owned(), (*head).to_owned()]),
        _ => None,
    })
}

fn github() -> Result<Rest, CliError> {
    let reporter = Reporter::from_environment();
    let name = reporter.repository.clone();
    let place = name.as_deref().and_then(Place::new).ok_or(CliError::NoRepository(name))?;
    Rest::new(&connection(&reporter), place).map_err(CliError::Refused)
}

fn workspace() -> PathBuf {
    variable("GITHUB_WORKSPACE").map_or_else(|| PathBuf::from("."), PathBuf::from)
}

/// upload-artifact does not know Enterprise Servers.
fn has_artifacts(server_url: &str) -> bool {
    let host = server_url.split("://").nth(1).unwrap_or_default();
    host == "github.com" || host.ends_with(".ghe.com")
}

fn notice(level: Level, text: &str) -> Result<(), CliError> {
    terminal::print(&format!("{}\n", annotation(level, TITLE, text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_are_for_github_itself() {
        assert!(has_artifacts("https://github.com") && has_artifacts("https://octo.ghe.com"));
        assert!(!has_artifacts("https://github.com.example") && !has_artifacts("https://git.corp"));
    }
}
