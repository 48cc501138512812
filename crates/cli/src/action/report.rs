//! `action report`: the comment. The second and last step with the token; it runs no code but
//! ours, and takes what was measured as data.

use super::inputs::Inputs;
use super::{ActionError, conclude, gathered};
use crate::args::{Cli, Command, CommentArgs, When};
use crate::commands::comment::{Told, bring_up_to_date};
use crate::error::CliError;
use crate::exit::Exit;
use crate::github::{Level, Reporter, Runner, annotation, variable};
use crate::terminal;
use clap::Parser as _;
use std::path::PathBuf;

/// Reports what this job, another job of this run, or another run has measured.
pub(crate) fn report() -> Result<Exit, CliError> {
    let inputs = Inputs::read(&variable).map_err(ActionError::from)?;
    let runner = Runner::from_environment();
    let words = words(&inputs, &Subject::from_steps(&inputs)?);
    match bring_up_to_date(&arguments(&words)?) {
        Ok(told) => outputs(&runner, &told),
        Err(CliError::Refused(refusal)) if refusal.is_missing_permission() => {
            runner.set("posted", "false")?;
            let text = "no comment from this job, its token only reads: a job with `mode: report` can \
                        write it, or add to this one\n  permissions:\n    pull-requests: write";
            // Whoever wants no comment has said so.
            if inputs.comment != When::Never {
                let line = annotation(Level::Notice, "bench-action", text);
                terminal::print(&format!("{line}\n"))?;
            }
            terminal::say(&terminal::plain(&refusal.to_string()));
            Ok(Exit::Done)
        }
        Err(error) => Err(error),
    }
}

/// What is reported, as the steps before have told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Subject {
    /// Another run.
    run: Option<String>,
    /// The pull request; of another run only to choose among several.
    pull: Option<String>,
    /// Results of this run, and what is said where there are none.
    results: PathBuf,
    nothing: String,
    /// The page of this run.
    page: Option<String>,
}

impl Subject {
    fn from_steps(inputs: &Inputs) -> Result<Self, CliError> {
        let Reporter { server_url, repository, run, .. } = Reporter::from_environment();
        let has_measured = variable("PLAN_ACTION").as_deref() == Some("measure");
        let nothing = if has_measured {
            conclude::why_nothing(conclude::status())
        } else {
            "The job that measures has left no results; its log says why"
        };
        Ok(Self {
            run: variable("PLAN_RUN"),
            pull: variable("PLAN_PULL"),
            results: gathered::results_path(inputs, &conclude::out())?,
            nothing: nothing.to_owned(),
            page: repository
                .filter(|_| run > 0)
                .map(|name| format!("{server_url}/{name}/actions/runs/{run}")),
        })
    }
}

/// `comment`, with everything that inputs and steps say. Values are joined to their flags, so that
/// none can be one.
fn words(inputs: &Inputs, subject: &Subject) -> Vec<String> {
    let mut words = vec!["comment".to_owned()];
    let mut add = |flag: &str, value: &str| words.push(format!("--{flag}={value}"));
    add("key", &inputs.key);
    add(
        "when",
        match inputs.comment {
            When::Always => "always",
            When::Changes => "changes",
            When::Never => "never",
        },
    );
    subject.pull.iter().for_each(|pull| add("pr", pull));
    if inputs.check_run {
        add("check-run", &inputs.key);
    }
    let Some(run) = &subject.run else {
        add("nothing", &subject.nothing);
        subject.page.iter().for_each(|page| add("report-url", page));
        words.extend(["--".to_owned(), subject.results.display().to_string()]);
        return words;
    };
    add("run-id", run);
    // The measuring job cannot be asked: a fork decides what it says.
    for (flag, value) in [
        ("artifact-name", &inputs.artifact_name),
        ("threshold", &inputs.threshold),
        ("fail-threshold", &inputs.fail_threshold),
        ("fail-on", &inputs.fail_on),
    ] {
        value.iter().for_each(|value| add(flag, value));
    }
    words
}

fn arguments(words: &[String]) -> Result<CommentArgs, CliError> {
    let all = std::iter::once("bench-action").chain(words.iter().map(String::as_str));
    match Cli::try_parse_from(all) {
        Ok(Cli { command: Some(Command::Comment(args)), .. }) => Ok(args),
        Ok(_) => Err(ActionError::Refused("no comment was asked for".to_owned()).into()),
        Err(mistake) => Err(ActionError::Refused(mistake.to_string()).into()),
    }
}

fn outputs(runner: &Runner, told: &Told) -> Result<Exit, CliError> {
    let posted = told.posted.as_ref();
    runner.set("posted", if posted.is_some() { "true" } else { "false" })?;
    runner.set("comment-id", &posted.map(|posted| posted.id.to_string()).unwrap_or_default())?;
    runner.set("comment-url", posted.map_or("", |posted| &posted.url))?;
    if variable("PLAN_ACTION").as_deref() == Some("report")
        && let Some(results) = &told.results
    {
        conclude::set_outputs(runner, results, &conclude::out())?;
        conclude::summarize(runner, results)?;
    }
    Ok(told.exit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::inputs::tests::inputs;
    use std::path::Path;

    #[test]
    fn a_file_of_this_run_or_the_artifact_of_another_is_commented_on() {
        let inputs = inputs(&[("check-run", "true"), ("fail-on", "never"), ("threshold", "-1")]);
        let inputs = inputs.unwrap();
        let subject = Subject {
            pull: Some("7".into()),
            results: PathBuf::from("-out/results.json"),
            nothing: "--why".into(),
            ..Subject::default()
        };
        let args = arguments(&words(&inputs, &subject)).unwrap();
        assert_eq!(args.results.as_deref(), Some(Path::new("-out/results.json")));
        assert_eq!((args.pr, args.nothing.as_deref()), (Some(7), Some("--why")));
        assert_eq!(args.check_run.as_deref(), Some("bench"));
        let another = Subject { run: Some("99".into()), ..subject };
        let args = arguments(&words(&inputs, &another)).unwrap();
        assert_eq!((args.trusted.run_id, &args.results), (Some(99), &None));
        assert_eq!(args.flags().fail_on.as_deref(), Some("never"));
    }
}
