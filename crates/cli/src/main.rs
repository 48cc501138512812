//! The binary `bench-action`: reads the command line, calls one stage, and answers with an exit
//! code. What it measures, judges and prints is the business of the crates it is made of.

mod action;
mod args;
mod commands;
mod demo;
mod error;
mod exit;
mod github;
mod log;
mod progress;
mod report;
mod terminal;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: this process may be the small one that starts a benchmark, and every
    // page it touches counts in the peak memory it reports.
    if std::env::args_os().nth(1).is_some_and(|word| word == "launch") {
        return u8::try_from(bench_process::launch_main()).unwrap_or(1).into();
    }
    if std::env::args_os().nth(1).is_some_and(|word| word == bench_core::doctor::KERNEL) {
        return kernel().into();
    }
    match args::Cli::try_parse() {
        Ok(cli) => commands::dispatch(&cli).into(),
        Err(help_or_mistake) => answer(&help_or_mistake).into(),
    }
}

/// The work that `doctor` measures, in a process of its own.
fn kernel() -> exit::Exit {
    match bench_process::kernel_main() {
        Ok(()) => exit::Exit::Done,
        Err(error) => {
            terminal::say(&format!("error: {error}"));
            exit::Exit::Defect
        }
    }
}

/// Prints help, version, or a mistake in the command line, each where it belongs.
fn answer(clap: &clap::Error) -> exit::Exit {
    // A reader that went away, as in `--help | head -1`, is no failure.
    let _gone = clap.print();
    if clap.use_stderr() { exit::Exit::Usage } else { exit::Exit::Done }
}
