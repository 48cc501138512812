//! What a launch costs: `cargo run --release -p bench-process --example overhead`.
//!
//! Prints the median time of a run of `true`, started directly and through the launcher, and of
//! the launcher's steps. A look at the machine, not a test.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::error::Error;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use bench_process::{Environment, Interrupt, Launcher, Spec, Start, launch_main};

const ROUNDS: usize = 300;

fn main() -> ExitCode {
    if std::env::args().nth(1).is_some_and(|argument| argument == "launch") {
        return ExitCode::from(u8::try_from(launch_main()).unwrap_or(1));
    }
    match report() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn report() -> Result<(), Box<dyn Error>> {
    let launcher = Launcher::current()?;
    let spec = Spec::new("/bin/true", "/", Environment::current());
    let held = Spec { start: Start::OnRelease, ..spec.clone() };
    let never = Interrupt::never();
    let (mut direct, mut ready, mut rest, mut whole) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut wall, mut cpu, mut peak) = (Vec::new(), Vec::new(), 0);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        Command::new("/bin/true").stdin(Stdio::null()).status()?;
        direct.push(start.elapsed());

        let start = Instant::now();
        let exit = launcher.start(&spec)?.wait(None, &never)?;
        whole.push(start.elapsed());
        wall.push(Duration::from_nanos(exit.usage.wall_ns));
        cpu.push(Duration::from_nanos(exit.usage.cpu_ns));
        peak = exit.usage.max_rss_bytes;

        let start = Instant::now();
        let mut process = launcher.start(&held)?;
        ready.push(start.elapsed());
        let start = Instant::now();
        process.release()?;
        process.wait(None, &never)?;
        rest.push(start.elapsed());
    }
    println!("started directly              {:>9.2?}", median(direct));
    println!("through the launcher          {:>9.2?}", median(whole));
    println!("  until ready to be released  {:>9.2?}", median(ready));
    println!("  from release to the end     {:>9.2?}", median(rest));
    println!("the program's own wall time   {:>9.2?}", median(wall));
    println!("the program's own CPU time    {:>9.2?}", median(cpu));
    println!("the program's peak memory     {:>6} kB", peak / 1000);
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
