//! One file per subcommand: each calls a stage and returns its exit code.

mod bisect;
pub(crate) mod comment;
mod compare;
mod completions;
mod demo;
mod doctor;
mod here;
pub(crate) mod history;
mod init;
mod list;
pub(crate) mod merge;
pub(crate) mod project;
mod render;
mod run;
mod schema;
mod self_test;
mod snippet;
mod tree;
mod verify;

pub(crate) use history::HistoryError;

use crate::args::{Cli, Command, GlobalArgs};
use crate::error::{CliError, whole_message};
use crate::exit::Exit;
use crate::terminal;

/// Does what the command line says.
pub(crate) fn dispatch(cli: &Cli) -> Exit {
    crate::log::start(&cli.global);
    serve(cli).unwrap_or_else(|error| {
        terminal::say(&format!("error: {}", whole_message(&error)));
        error.exit()
    })
}

fn serve(cli: &Cli) -> Result<Exit, CliError> {
    enter(&cli.global)?;
    let Some(command) = &cli.command else { return here::here() };
    match command {
        Command::Schema(args) => schema::schema(args),
        Command::Completions(args) => completions::completions(args),
        Command::Run(args) => run::run(args, &cli.global),
        Command::List(args) => list::list(args, &cli.global),
        Command::Compare(args) => compare::compare(args, &cli.global),
        Command::Render(args) => render::render(args, &cli.global),
        Command::Demo(args) => demo::demo(args, &cli.global),
        Command::Snippet(args) => snippet::snippet(args, &cli.global),
        Command::Comment(args) => comment::comment(args),
        Command::Merge(args) => merge::merge(args, &cli.global),
        Command::History(args) => history::history(args, &cli.global),
        Command::Bisect(args) => bisect::bisect(args, &cli.global),
        Command::Doctor(args) => doctor::doctor(args, &cli.global),
        Command::SelfTest(args) => self_test::self_test(args, &cli.global),
        Command::Action(args) => crate::action::action(args),
        Command::Init(args) => init::init(args),
    }
}

/// `-C DIR`.
pub(crate) fn enter(global: &GlobalArgs) -> Result<(), CliError> {
    let Some(path) = &global.directory else { return Ok(()) };
    std::env::set_current_dir(path)
        .map_err(|source| CliError::Directory { path: path.clone(), source })
}
