//! `bench-action snippet`: statements or commands from the command line, on two sides, no suite needed.

use super::project::Project;
use super::run::measure;
use crate::args::{Format, GlobalArgs, SnippetArgs};
use crate::error::CliError;
use crate::exit::Exit;
use bench_core::config::{self, Suite};
use bench_core::git::GitError;
use bench_core::sides::SidesError;
use bench_harness::{
    CommandLine, CommandSettings, EnvironmentKind, SnippetSettings, SuiteSettings, by_name,
};
use bench_process::Interrupt;

/// Where its results go, apart from those of runs.
const OUT: &str = "snippet";

/// Times what the command line gives.
pub(crate) fn snippet(args: &SnippetArgs, global: &GlobalArgs) -> Result<Exit, CliError> {
    let suite = Suite::of(suite(args)?);
    let interrupt = Interrupt::install().map_err(CliError::Signals)?;
    let format = if args.paste { Format::Markdown } else { args.report.format };
    let timed = || {
        let out = args.report.out.as_deref();
        let mut project = Project::open_with(args.flags(), suite, &interrupt)?;
        if let Some(against) = &args.against {
            let head = args.statements.iter().chain(&args.command).next();
            project.sides.call([against, head.unwrap_or(against)]);
        }
        let out = project.out(out, OUT);
        measure(&project, &out, format, global, &interrupt)
    };
    timed().map_err(|error: CliError| explained(error).by_signal(&interrupt))
}

/// Outside of a repository there are no revisions, but other things to compare.
fn explained(error: CliError) -> CliError {
    match error {
        CliError::Sides(SidesError::Git(GitError::NoRepository { .. })) => CliError::Flag {
            what: "snippet".to_owned(),
            message: "has no revisions to compare outside of a git repository: give a second \
                      statement with --against, variables with --base-var and --head-var, or builds \
                      with --base-python and --head-python"
                .to_owned(),
        },
        other => other,
    }
}

/// The suite that the command line describes.
fn suite(args: &SnippetArgs) -> Result<SuiteSettings, CliError> {
    let subjects = args.statements.len() + args.command.len();
    if args.against.is_some() && subjects != 1 {
        let message = format!("compares one with one, and {subjects} were given");
        return Err(CliError::Flag { what: "--against".into(), message });
    }
    let is_python = args.command.is_empty();
    let harness = if is_python { "snippet" } else { "command" };
    let Some(harness) = by_name(harness) else { return Err(CliError::NoHarness(harness)) };
    let mut suite = SuiteSettings::new(harness.name(), harness);
    match &args.build {
        Some(command) if !command.is_empty() => suite.build.push(words("--build", command)?),
        Some(_) if !is_python => {
            let message = "a program needs its command, such as --build='cargo build --release'";
            return Err(CliError::Flag { what: "--build".into(), message: message.into() });
        }
        _ => {}
    }
    if is_python {
        suite.environment =
            if args.build.is_some() { EnvironmentKind::Own } else { EnvironmentKind::Current };
        suite.snippet = Some(statements(args)?);
    } else {
        suite.commands = commands(args)?;
    }
    Ok(suite)
}

fn statements(args: &SnippetArgs) -> Result<SnippetSettings, CliError> {
    let parameters: Result<Vec<_>, _> =
        args.parameters.iter().map(|text| parameter(text)).collect();
    let parameters = parameters?;
    let names = parameters.iter().map(|(name, _)| name);
    if let Some(name) = repeated(names) {
        let message = "is given twice, write all its values in one: `-P n=10,1000`";
        return Err(CliError::Flag { what: format!("-P {name}"), message: message.to_owned() });
    }
    Ok(SnippetSettings {
        setup: args.setup.join("\n"),
        statements: args.statements.clone(),
        against: args.against.clone(),
        parameters,
    })
}

/// `n=10,1000`.
fn parameter(text: &str) -> Result<(String, Vec<String>), CliError> {
    let is_name = |name: &&str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
            && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let parts = text.split_once('=').filter(|(name, _)| is_name(name));
    let (name, values) = parts.ok_or_else(|| CliError::Flag {
        what: format!("-P {text}"),
        message: "is no name with values, write it like `-P n=10,1000`".to_owned(),
    })?;
    let values = split(values);
    let slip = |message: String| Err(CliError::Flag { what: format!("-P {text}"), message });
    if values.iter().any(String::is_empty) {
        return slip("has an empty value; an empty text is `''`".to_owned());
    }
    if let Some(value) = repeated(values.iter()) {
        return slip(format!("has the value {value} twice"));
    }
    Ok((name.to_owned(), values))
}

/// Values, divided by the commas that are not inside of a Python literal's brackets or quotes.
fn split(text: &str) -> Vec<String> {
    let (mut values, mut value) = (Vec::new(), String::new());
    let (mut depth, mut quote) = (0_u32, None);
    for letter in text.chars() {
        match (quote, letter) {
            (None, ',') if depth == 0 => {
                values.push(std::mem::take(&mut value));
                continue;
            }
            (None, '\'' | '"') => quote = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
        value.push(letter);
    }
    values.push(value);
    values.iter().map(|value| value.trim().to_owned()).collect()
}

/// The first item that was there before.
fn repeated<'a>(items: impl Iterator<Item = &'a String>) -> Option<&'a String> {
    let mut seen = std::collections::HashSet::new();
    items.into_iter().find(|item| !seen.insert(*item))
}

fn commands(args: &SnippetArgs) -> Result<Vec<CommandSettings>, CliError> {
    let on_base = args.against.as_deref().map(|text| words("--against", text)).transpose()?;
    let command = |text: &String| {
        let run = words("--command", text)?;
        Ok(CommandSettings { run_on_base: on_base.clone(), ..CommandSettings::new(text, run) })
    };
    args.command.iter().map(command).collect()
}

/// A command as a shell would split it; no shell is involved.
fn words(flag: &str, text: &str) -> Result<CommandLine, CliError> {
    config::words(text)
        .map_err(|message| CliError::Flag { what: format!("{flag} {text}:"), message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_a_name_and_its_values() {
        let (name, values) = parameter("n=10, 1000,x y").unwrap();
        assert_eq!((name.as_str(), values), ("n", vec!["10".into(), "1000".into(), "x y".into()]));
        let (_, values) = parameter("shape=(10, 20),[1,2], '(,'").unwrap();
        assert_eq!(values, ["(10, 20)", "[1,2]", "'(,'"]);
        for text in ["n", "=1", "1n=2", "a b=1", "n=", "n=1,", "n=1,2, 1"] {
            assert!(parameter(text).is_err(), "{text}");
        }
    }
}
