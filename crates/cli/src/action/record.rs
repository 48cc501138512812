//! `action record`: what another job of this run has measured of the default branch goes into the
//! history, new changes into the job summary, and the whole into the dashboard's pages. It has the
//! token, needs no checkout and runs no code but ours.

use super::inputs::Inputs;
use super::{ActionError, conclude, gathered};
use crate::args::{Cli, Command};
use crate::commands::history::history_into;
use crate::error::CliError;
use crate::exit::Exit;
use crate::github::{Runner, variable};
use crate::terminal;
use clap::Parser as _;
use std::path::Path;

const NO_RESULTS: &str = "the job that measures has left no results: this job must come after it \
    (`needs:`), with the same `key` or with its `artifact-name`";

/// Records, looks for new changes, and writes the pages.
pub(crate) fn record() -> Result<Exit, CliError> {
    let inputs = Inputs::read(&variable).map_err(ActionError::from)?;
    let runner = Runner::from_environment();
    let out = conclude::out();
    let results = gathered::results_path(&inputs, &out)?;
    if !results.exists() {
        return Err(ActionError::Refused(NO_RESULTS.to_owned()).into());
    }
    let pages = out.join("dashboard");
    for words in [record_words(&inputs, &results), detect_words(&inputs), publish_words(&pages)] {
        let exit = history(&words, &runner)?;
        if exit != Exit::Done {
            return Ok(exit);
        }
    }
    runner.set("dashboard", &pages.display().to_string())?;
    Ok(Exit::Done)
}

/// Values are joined to their flags, or stand behind `--`, so that none can be a flag.
fn record_words(inputs: &Inputs, results: &Path) -> Vec<String> {
    let mut words = vec!["record".to_owned()];
    words.extend(inputs.samples.then(|| "--samples".to_owned()));
    words.extend(["--".to_owned(), results.display().to_string()]);
    words
}

/// The key is another than that of the comment that pull requests get while they are open.
fn detect_words(inputs: &Inputs) -> Vec<String> {
    let mut words: Vec<String> = ["detect", "--new", "--format=markdown"].map(str::to_owned).into();
    words.push(format!("--key=history-{}", inputs.key));
    words.extend(inputs.tell.comment.then(|| "--comment".to_owned()));
    words.extend(inputs.tell.issue.then(|| "--issue".to_owned()));
    words
}

fn publish_words(pages: &Path) -> Vec<String> {
    vec!["publish".into(), format!("--out={}", pages.display())]
}

/// One subcommand of `history`. What is reported goes to the log and to the job summary.
fn history(words: &[String], runner: &Runner) -> Result<Exit, CliError> {
    let all = ["bench-action", "history"].into_iter().chain(words.iter().map(String::as_str));
    let mut show = |text: &str| {
        runner.summarize(text)?;
        terminal::print(text)
    };
    match Cli::try_parse_from(all) {
        Ok(Cli { command: Some(Command::History(args)), global }) => {
            history_into(&args, &global, &mut show)
        }
        Ok(_) => Err(ActionError::Refused("no history was asked for".to_owned()).into()),
        Err(mistake) => Err(ActionError::Refused(mistake.to_string()).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::inputs::tests::inputs;
    use crate::args::{HistoryArgs, HistoryCommand};
    use std::path::PathBuf;

    fn parsed(words: &[String]) -> HistoryCommand {
        let all = ["bench-action", "history"].into_iter().chain(words.iter().map(String::as_str));
        match Cli::try_parse_from(all).unwrap().command {
            Some(Command::History(HistoryArgs { command })) => command,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn no_path_becomes_a_flag() {
        let record = parsed(&record_words(&inputs(&[]).unwrap(), Path::new("-out/results.json")));
        let HistoryCommand::Record(args) = record else { panic!("{record:?}") };
        assert_eq!(args.results, [PathBuf::from("-out/results.json")]);
        assert!(!args.samples);
        let publish = parsed(&publish_words(Path::new("-out")));
        let HistoryCommand::Publish(args) = publish else { panic!("{publish:?}") };
        assert_eq!(args.out, Path::new("-out"));
    }

    #[test]
    fn samples_are_kept_where_the_inputs_say() {
        let given = inputs(&[("samples", "true")]).unwrap();
        let record = parsed(&record_words(&given, Path::new("out/results.json")));
        let HistoryCommand::Record(args) = record else { panic!("{record:?}") };
        assert!(args.samples);
    }

    #[test]
    fn what_is_new_is_told_where_the_inputs_say() {
        let detect = parsed(&detect_words(&inputs(&[]).unwrap()));
        let HistoryCommand::Detect(args) = detect else { panic!("{detect:?}") };
        assert!(args.new && !args.dry_run && !args.tell.comment && !args.tell.issue);
        let detect = parsed(&detect_words(&inputs(&[("tell", "comment, issue")]).unwrap()));
        let HistoryCommand::Detect(args) = detect else { panic!("{detect:?}") };
        assert!(args.tell.comment && args.tell.issue);
        assert_eq!(args.tell.key, "history-bench");
    }
}
