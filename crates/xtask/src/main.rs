//! Tasks of the house, run as `cargo xtask TASK`: tests, generated documentation, checks.
//! A bare machine with Rust, git and Python needs nothing else to run them.

mod action;
mod configuration;
mod deny;
mod docs;
#[cfg(test)]
mod examples;
mod failure;
mod fetch;
mod fuzz;
mod licence;
mod lint;
mod openapi;
mod test;
mod tidy;
mod workspace;

use failure::Failure;
use std::io::Write as _;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TASK

  test [--all] [-- ARGS]   run every test; --all adds the long ones; ARGS go to cargo test
  docs [--check]           write the generated documentation, or fail where it is out of date
  tidy                     check arrows between crates, paths in ARCHITECTURE.md, sizes, words
  lint                     run the linters of workflows, of the action and of shell scripts
  deny                     check licences, banned crates and sources of all dependencies
  fuzz [--minutes N]       give every reader of files what no harness writes; an hour, with nightly";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say(&format!("error: {failure}"));
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<(), Failure> {
    match words {
        ["test", rest @ ..] => test::test(rest),
        ["docs"] => docs::write(),
        ["docs", "--check"] => docs::check(),
        ["tidy"] => tidy::tidy(),
        ["lint"] => lint::lint(),
        ["deny"] => deny::deny(),
        ["fuzz", rest @ ..] => fuzz::fuzz(rest),
        ["help" | "-h" | "--help"] => {
            say(USAGE);
            Ok(())
        }
        _ => Err(Failure::Usage),
    }
}

/// Writes a line to standard error. Where even that fails, nobody is left to be told.
fn say(line: &str) {
    let _unheard = writeln!(std::io::stderr().lock(), "{line}");
}
