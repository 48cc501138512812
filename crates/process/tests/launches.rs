//! Programs that behave, misbehave and attack, all started through a real launcher.
//!
//! The test program is its own launcher, and its own parent where a test needs one that can be
//! killed: the functions of `role` are started by name in another process.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bench_process::{
    CHANNEL_VARIABLE, Channel, Environment, Exit, Input, Interrupt, LaunchError, Launcher, Lines,
    Output, Process, Ready, Spec, Stage, Start, Status, WaitError, run, wait_any,
};
use nix::sys::signal::{SigHandler, Signal, kill, signal};
use nix::unistd::Pid;
use tempfile::TempDir;

/// Generous: on a loaded machine only a real hang takes this long.
const PATIENCE: Duration = Duration::from_secs(60);

mod role {
    //! Not tests: what other processes of the tests do.
    use super::*;

    #[test]
    #[ignore = "the launcher that the tests start"]
    #[expect(
        clippy::exit,
        reason = "the life of a launcher ends here, not with the test program's summary"
    )]
    fn launcher() {
        const CALLED_BY_HAND: i32 = 2;
        match bench_process::launch_main() {
            CALLED_BY_HAND => {}
            code => std::process::exit(code),
        }
    }

    #[test]
    #[ignore = "a parent for tests that kill it"]
    fn parent() {
        let Some(directory) = std::env::var_os("ROLE_DIRECTORY").map(PathBuf::from) else { return };
        let process = super::launcher().start(&shell(&directory, HYDRA)).unwrap();
        say(&format!("launcher {}", process.pid()));
        std::thread::sleep(PATIENCE * 10);
    }

    #[test]
    #[ignore = "a parent that cleans up when it is asked to end"]
    fn polite_parent() {
        let Some(directory) = std::env::var_os("ROLE_DIRECTORY").map(PathBuf::from) else { return };
        let interrupt = Interrupt::install().unwrap();
        let mut process = super::launcher().start(&shell(&directory, HYDRA)).unwrap();
        say("ready");
        let error = process.wait(None, &interrupt).unwrap_err();
        process.kill(Duration::ZERO);
        say(&format!("{error}: {:?}", interrupt.received()));
    }

    #[test]
    #[ignore = "a parent of 600 MB"]
    fn large_parent() {
        let Some(directory) = std::env::var_os("ROLE_DIRECTORY").map(PathBuf::from) else { return };
        let ballast = vec![1_u8; 600 << 20];
        let exit = run(
            &super::launcher(),
            &shell(&directory, "true"),
            Some(PATIENCE),
            &Interrupt::never(),
        )
        .unwrap();
        say(&format!(
            "peak {} of {}",
            exit.usage.max_rss_bytes,
            std::hint::black_box(ballast).len()
        ));
    }

    #[expect(clippy::print_stdout, reason = "how a role speaks to its test")]
    fn say(text: &str) {
        println!("\nSAYS {text}");
        std::io::stdout().flush().unwrap();
    }
}

/// A helper in its own session whose parent has gone, and a program that ignores SIGTERM.
const HYDRA: &str = "trap '' TERM
    (setsid sh -c 'echo $$ > orphan.tmp; mv orphan.tmp orphan; exec sleep 3000' &)
    sleep 3000 & echo $! > child.tmp; mv child.tmp child
    while :; do sleep 1; done";

fn start_role(name: &str, directory: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([&format!("role::{name}"), "--exact", "--ignored", "--nocapture"])
        .env("ROLE_DIRECTORY", directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The next thing a role says.
fn hear(output: &mut impl BufRead) -> String {
    let mut lines = output.lines().map(Result::unwrap);
    lines.find_map(|line| line.strip_prefix("SAYS ").map(str::to_owned)).expect("the role died")
}

fn launcher() -> Launcher {
    let arguments = ["role::launcher", "--exact", "--ignored", "--test-threads=1"];
    let arguments = arguments.map(Into::into).to_vec();
    Launcher { exe: std::env::current_exe().unwrap(), arguments }
}

fn environment() -> Environment {
    Environment::empty().with("PATH", std::env::var_os("PATH").unwrap())
}

fn shell(directory: &Path, script: &str) -> Spec {
    Spec::new("sh", directory, environment()).with_arguments(["-c", script])
}

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// A script whose output can be read.
    fn script(&self, script: &str) -> Spec {
        let mut spec = shell(self.path(), script);
        spec.stdout = Output::File(self.path().join("out"));
        spec.stderr = Output::File(self.path().join("err"));
        spec
    }

    fn run(&self, script: &str) -> Exit {
        finish(&self.script(script)).unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// The process number that a script writes into a file, once it is there.
    fn pid(&self, name: &str) -> Pid {
        let path = self.path().join(name);
        until(|| path.exists(), "the script did not get that far");
        Pid::from_raw(self.read(name).trim().parse().unwrap())
    }
}

fn finish(spec: &Spec) -> Result<Exit, WaitError> {
    run(&launcher(), spec, Some(PATIENCE), &Interrupt::never())
}

fn until(condition: impl Fn() -> bool, otherwise: &str) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "{otherwise}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Gone, or dead and only waiting for whoever is to reap it.
fn gone(pid: Pid) -> bool {
    let zombie =
        || fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "));
    kill(pid, None).is_err() || zombie()
}

fn wait(process: &mut Process) -> Exit {
    process.wait(Some(Instant::now() + PATIENCE), &Interrupt::never()).unwrap()
}

// What a program is given.

#[test]
fn a_program_gets_its_arguments_directory_variables_and_input_and_nothing_else() {
    let place = Place::new();
    fs::write(place.path().join("in"), "from the file").unwrap();
    let mut spec = place.script(r#"echo "$1|$(pwd -P)|$(cat)|$KEY|$HOME"; echo oops >&2; exit 7"#);
    spec.arguments.extend(["sh".into(), "an argument".into()]);
    spec.environment.set("KEY", "value");
    spec.stdin = Input::File(place.path().join("in"));
    let exit = finish(&spec).unwrap();
    assert_eq!(exit.status, Status::Code(7));
    let directory = place.path().canonicalize().unwrap();
    assert_eq!(
        place.read("out"),
        format!("an argument|{}|from the file|value|\n", directory.display())
    );
    assert_eq!(place.read("err"), "oops\n");
}

#[test]
fn several_commands_can_share_a_log_in_order() {
    let place = Place::new();
    let mut spec = place.script("echo out; echo err >&2; echo again");
    spec.stdout = Output::Append(place.path().join("out"));
    spec.stderr = Output::SameAsStdout;
    finish(&spec).unwrap();
    finish(&spec).unwrap();
    assert_eq!(place.read("out"), "out\nerr\nagain\n".repeat(2));
}

#[test]
fn a_relative_program_is_looked_for_in_its_own_directory() {
    let place = Place::new();
    fs::copy("/bin/sh", place.path().join("tool")).unwrap();
    let spec = Spec::new("./tool", place.path(), environment()).with_arguments(["-c", "exit 4"]);
    assert_eq!(finish(&spec).unwrap().status, Status::Code(4));
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_has_no_descriptor_but_its_own() {
    let place = Place::new();
    // One that is not closed on exec, as a CI service may leave it to us.
    let leak = fs::File::open("/dev/null").unwrap();
    nix::fcntl::fcntl(&leak, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::empty())).unwrap();
    // The fourth is the shell's or ls's own look at the directory.
    place.run("ls -1 /proc/self/fd");
    assert_eq!(place.read("out"), "0\n1\n2\n3\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_and_its_children_stay_on_their_core() {
    let place = Place::new();
    let core = bench_process::allowed_cores()[0];
    let mut spec = place.script("sh -c 'grep Cpus_allowed_list /proc/self/status'");
    spec.cores = Some(vec![core]);
    finish(&spec).unwrap();
    assert_eq!(place.read("out").split_whitespace().last(), Some(core.to_string().as_str()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_starts_with_default_signals_and_without_core_dumps() {
    let place = Place::new();
    // SAFETY: nothing in these tests uses this signal.
    unsafe { signal(Signal::SIGUSR1, SigHandler::SigIgn) }.unwrap();
    place.run("grep -E 'Sig(Blk|Ign)' /proc/self/status; ulimit -c; cat /proc/self/oom_score_adj");
    let output = place.read("out");
    let words: Vec<&str> = output.split_whitespace().collect();
    // The bits from 31 on are real-time signals and those that the C library keeps for itself.
    let standard = |mask: &str| u64::from_str_radix(mask, 16).unwrap() & 0x7fff_ffff;
    assert_eq!((words[0], standard(words[1])), ("SigBlk:", 0));
    assert_eq!((words[2], standard(words[3])), ("SigIgn:", 0));
    assert_eq!(words[4..], ["0", "1000"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_cannot_take_more_memory_than_it_may() {
    let place = Place::new();
    let mut spec = place.script("head -c 900000000 /dev/zero | tail -c 800000000 > /dev/null");
    spec.limits.address_space = Some(200 << 20);
    assert_ne!(finish(&spec).unwrap().status, Status::Code(0));
    assert!(!place.read("err").is_empty());
}

#[test]
fn a_program_cannot_write_a_larger_file_than_it_may() {
    let place = Place::new();
    let mut spec = place.script("trap '' XFSZ; head -c 100000 /dev/zero > large");
    spec.limits.file_size = Some(5000);
    assert_ne!(finish(&spec).unwrap().status, Status::Code(0));
    assert!(fs::metadata(place.path().join("large")).unwrap().len() <= 5000);
}

// What is known of it afterwards.

#[test]
fn what_a_program_used_is_its_own_and_its_childrens() {
    let place = Place::new();
    let exit = place.run("sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; true");
    let usage = exit.usage;
    assert!(usage.cpu_ns > 10_000_000, "{usage:?}");
    // Both clocks tick differently, by some milliseconds at most.
    assert!(usage.cpu_ns < usage.wall_ns + 20_000_000, "{usage:?}");
    assert!(usage.max_rss_bytes > 100_000, "{usage:?}");
    assert_eq!(usage.left_behind, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn time_spent_waiting_for_a_core_is_known() {
    let place = Place::new();
    if bench_process::Capabilities::of_this_system().run_delay {
        assert!(place.run("true").usage.run_delay_ns.is_some());
    }
}

/// Nor must the wait for a first turn, before it is the program, count as the program's: it would hide
/// that the program sleeps.
#[cfg(target_os = "linux")]
#[test]
fn on_a_crowded_machine_sleep_is_told_from_waiting_for_a_turn() {
    let place = Place::new();
    let busy = shell(place.path(), "while :; do :; done");
    let many = 6 * bench_process::allowed_cores().len();
    let mut crowd: Vec<Process> = (0..many).map(|_| launcher().start(&busy).unwrap()).collect();
    let sleeper = shell(place.path(), "exec sleep 0.05");
    for _ in 0..20 {
        let usage = finish(&sleeper).unwrap().usage;
        let Some(delay) = usage.run_delay_ns else { break };
        let slept = usage.wall_ns.saturating_sub(usage.cpu_ns + delay);
        assert!(slept >= 49_000_000, "{usage:?}");
    }
    for process in &mut crowd {
        process.kill(Duration::ZERO);
    }
}

#[test]
fn a_program_that_sleeps_uses_wall_time_and_switches_but_hardly_any_cpu_time() {
    let usage = Place::new().run("exec sleep 0.5").usage;
    assert!(usage.wall_ns >= 500_000_000, "{usage:?}");
    assert!(usage.cpu_ns < 400_000_000 && usage.voluntary_switches > 0, "{usage:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_program_has_used_so_far_grows_only_while_it_works() {
    let place = Place::new();
    let script = "touch ready; until test -e go; do :; done; touch done; exec sleep 900";
    let mut process = launcher().start(&shell(place.path(), script)).unwrap();
    until(|| place.path().join("ready").exists(), "it did not start");
    let working = Duration::from_millis(50);
    until(|| process.cpu_time().is_some_and(|time| time >= working), "it did not work");
    std::fs::write(place.path().join("go"), "").unwrap();
    until(|| place.path().join("done").exists(), "it did not go on");
    std::thread::sleep(Duration::from_millis(100));
    let before = process.cpu_time();
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(process.cpu_time(), before);
    process.kill(Duration::ZERO);
    assert_eq!(process.cpu_time(), None);
}

#[test]
fn peak_memory_is_the_programs_and_not_that_of_its_large_parent() {
    let place = Place::new();
    let output = start_role("large_parent", place.path()).wait_with_output().unwrap();
    let said = hear(&mut output.stdout.as_slice());
    let peak: u64 = said.split(' ').nth(1).unwrap().parse().unwrap();
    assert!(peak < 50 << 20, "{said}");
}

#[test]
fn death_by_a_signal_is_told_from_an_exit_code() {
    assert_eq!(Place::new().run("kill -KILL $$").status, Status::Signal(9));
    assert_eq!(Place::new().run("kill -SEGV $$").status, Status::Signal(11));
    assert_eq!(Place::new().run("exit 137").status, Status::Code(137));
}

#[test]
fn binary_rubbish_and_closed_descriptors_disturb_nobody() {
    let place = Place::new();
    let exit = place.run(
        "head -c 3000000 /dev/urandom; head -c 100000 /dev/urandom >&2
        exec 0<&- 1>&- 2>&-; sleep 0.1; exit 5",
    );
    assert_eq!(exit.status, Status::Code(5));
    assert!(bench_process::capture::tail(&place.path().join("err"), 4096, 20).is_ok());
}

// What cannot be started.

fn refusal(spec: &Spec) -> (Stage, String) {
    match launcher().start(spec) {
        Err(error @ LaunchError::Refused(_)) => {
            let text = error.to_string();
            let LaunchError::Refused(failure) = error else { unreachable!() };
            (failure.stage, text)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_missing_program_is_named() {
    let (stage, text) = refusal(&Spec::new("no-such-program", "/", environment()));
    assert_eq!(stage, Stage::Program);
    assert!(text.contains("`no-such-program`") && text.contains("PATH"), "{text}");
}

#[test]
fn an_argument_that_no_program_can_be_given_is_refused() {
    let (stage, text) = refusal(&shell(Path::new("/"), "true\0false"));
    assert!(stage == Stage::Program && text.contains("NUL"), "{text}");
}

#[test]
fn a_missing_directory_is_not_taken_for_a_missing_program() {
    let (stage, text) = refusal(&shell(Path::new("/no/such/directory"), "true"));
    assert_eq!(stage, Stage::Directory);
    assert!(text.contains("`/no/such/directory`"), "{text}");
}

#[test]
fn files_that_cannot_be_opened_are_named() {
    let place = Place::new();
    let mut spec = place.script("true");
    spec.stdout = Output::File(place.path().join("missing/out"));
    let (stage, text) = refusal(&spec);
    assert!(stage == Stage::Output && text.contains("missing/out"), "{text}");
    let mut spec = place.script("true");
    spec.stdin = Input::File(place.path().join("missing-in"));
    let (stage, text) = refusal(&spec);
    assert!(stage == Stage::Input && text.contains("missing-in"), "{text}");
}

#[test]
fn a_core_that_is_not_there_is_named() {
    let mut spec = shell(Path::new("/"), "true");
    spec.cores = Some(vec![1000]);
    let (stage, text) = refusal(&spec);
    assert!(stage == Stage::Cores && text.contains("1000"), "{text}");
}

#[test]
fn a_launcher_that_is_none_is_an_error_and_no_hang() {
    let launcher = |exe: &str| Launcher { exe: exe.into(), arguments: Vec::new() };
    let start = |exe| launcher(exe).start(&shell(Path::new("/"), "true")).unwrap_err();
    assert!(matches!(start("/no/such/launcher"), LaunchError::Launcher { .. }));
    assert!(matches!(start("/bin/true"), LaunchError::NoAnswer { .. }));
}

// Holding and releasing.

#[test]
fn held_programs_start_in_the_order_in_which_they_are_released() {
    let place = Place::new();
    let mut held: Vec<Process> = ["first", "second"]
        .map(|name| {
            let mut spec = shell(place.path(), &format!("echo {name} >> order"));
            spec.start = Start::OnRelease;
            launcher().start(&spec).unwrap()
        })
        .into();
    assert!(held.iter().all(|process| process.child_pid().is_none()));
    assert!(!place.path().join("order").exists());
    for process in held.iter_mut().rev() {
        process.release().unwrap();
        assert!(wait(process).success());
        assert!(process.child_pid().is_some());
    }
    assert_eq!(place.read("order"), "second\nfirst\n");
}

#[test]
fn a_held_program_that_is_never_released_never_starts() {
    let place = Place::new();
    let mut spec = shell(place.path(), "touch started");
    spec.start = Start::OnRelease;
    let mut process = launcher().start(&spec).unwrap();
    assert_eq!(process.kill(Duration::ZERO), None);
    drop(launcher().start(&spec).unwrap());
    assert!(!place.path().join("started").exists());
}

#[test]
fn a_release_and_a_kill_that_arrive_together_are_both_obeyed() {
    let mut spec = shell(Path::new("/"), "exec sleep 3000");
    spec.start = Start::OnRelease;
    let mut process = launcher().start(&spec).unwrap();
    // The launcher cannot read before both are there.
    let launcher = Pid::from_raw(process.pid().cast_signed());
    kill(launcher, Signal::SIGSTOP).unwrap();
    process.release().unwrap();
    let killer = std::thread::spawn(move || process.kill(Duration::ZERO));
    std::thread::sleep(Duration::from_millis(50));
    kill(launcher, Signal::SIGCONT).unwrap();
    assert_eq!(killer.join().unwrap().map(|exit| exit.status), Some(Status::Signal(9)));
}

#[test]
fn a_held_program_that_is_missing_shows_when_it_is_waited_for() {
    let mut spec = Spec::new("no-such-program", "/", environment());
    spec.start = Start::OnRelease;
    let mut process = launcher().start(&spec).unwrap();
    process.release().unwrap();
    let error = process.wait(None, &Interrupt::never()).unwrap_err();
    assert!(matches!(error, WaitError::Launch(LaunchError::Refused(_))), "{error}");
}

// Talking to it.

#[test]
fn a_program_talks_on_its_channel_while_it_prints_what_it_likes() {
    let place = Place::new();
    let script = format!(
        "echo noise; eval \"exec 7<&${CHANNEL_VARIABLE} 8>&${CHANNEL_VARIABLE}\"
        read line <&7; echo \"heard $line\" >&8"
    );
    let mut spec = place.script(&script);
    spec.channel = Channel::Socket;
    // The descriptor has two digits, which only some shells can redirect.
    spec.program = "bash".into();
    let Ok(mut process) = launcher().start(&spec) else {
        eprintln!("skipped: there is no bash");
        return;
    };
    let mut lines = Lines::new(process.take_channel().unwrap()).unwrap();
    let deadline = Some(Instant::now() + PATIENCE);
    let never = Interrupt::never();
    lines.send_line("you", deadline, &never).unwrap();
    assert_eq!(lines.receive_line(deadline, &never).unwrap(), "heard you");
    assert!(wait(&mut process).success());
    assert!(matches!(lines.receive_line(deadline, &never), Err(bench_process::LineError::Closed)));
}

#[test]
fn one_wait_serves_channels_and_ends_of_several_programs() {
    let place = Place::new();
    let mut quiet = launcher().start(&shell(place.path(), "exec sleep 3000")).unwrap();
    let mut spec = shell(place.path(), "exit 3");
    spec.start = Start::OnRelease;
    let mut ending = launcher().start(&spec).unwrap();
    ending.release().unwrap();
    let deadline = Some(Instant::now() + PATIENCE);
    let exit = loop {
        match wait_any(&[&quiet, &ending], deadline, &Interrupt::never()).unwrap() {
            Ready::At(1) => {
                if let Some(exit) = ending.try_wait().unwrap() {
                    break exit;
                }
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(exit.status, Status::Code(3));
    assert_eq!(quiet.try_wait().unwrap(), None);
    assert_eq!(quiet.kill(Duration::ZERO).unwrap().status, Status::Signal(9));
}

// Ending it.

#[test]
fn a_deadline_passes_without_harm_and_the_program_goes_on() {
    let mut process = launcher().start(&shell(Path::new("/"), "exec sleep 3000")).unwrap();
    let soon = Some(Instant::now() + Duration::from_millis(20));
    assert!(matches!(process.wait(soon, &Interrupt::never()), Err(WaitError::TimedOut)));
    assert_eq!(process.try_wait().unwrap(), None);
}

#[test]
fn a_program_that_takes_too_long_is_killed_with_its_children() {
    let place = Place::new();
    let spec = place.script("sleep 3000 & echo $! > child; wait");
    let process = launcher().start(&spec).unwrap();
    let child = place.pid("child");
    drop(process);
    assert!(gone(child));
    let timeout = Some(Duration::from_millis(50));
    let error = run(&launcher(), &spec, timeout, &Interrupt::never()).unwrap_err();
    assert!(matches!(error, WaitError::TimedOut));
}

#[test]
fn a_program_that_is_asked_may_end_by_itself() {
    let place = Place::new();
    let script = "trap 'echo bye; exit 6' TERM; touch ready; while :; do sleep 0.05; done";
    let mut process = launcher().start(&place.script(script)).unwrap();
    until(|| place.path().join("ready").exists(), "the script did not start");
    assert_eq!(process.kill(PATIENCE).unwrap().status, Status::Code(6));
    assert_eq!(place.read("out"), "bye\n");
}

#[cfg(target_os = "linux")]
#[test]
fn nobody_escapes_by_ignoring_signals_or_by_leaving_the_session() {
    let place = Place::new();
    let mut process = launcher().start(&shell(place.path(), HYDRA)).unwrap();
    let (orphan, child) = (place.pid("orphan"), place.pid("child"));
    let exit = process.kill(Duration::from_millis(50)).unwrap();
    assert_eq!(exit.status, Status::Signal(9));
    assert!(gone(orphan) && gone(child));
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_program_leaves_behind_is_killed_and_counted() {
    let place = Place::new();
    let exit = place.run(
        "(setsid sh -c 'echo $$ > a; exec sleep 3000' &)
        sleep 3000 & echo $! > b; while [ ! -s a ]; do sleep 0.01; done; exit 0",
    );
    assert_eq!(exit.status, Status::Code(0));
    assert_eq!(exit.usage.left_behind, 2);
    assert!(gone(place.pid("a")) && gone(place.pid("b")));
}

#[cfg(target_os = "linux")]
#[test]
fn orphans_can_be_killed_while_the_program_goes_on_with_its_own_children() {
    let place = Place::new();
    let script = "sleep 3000 & echo $! > own.tmp; mv own.tmp own
        (sleep 3000 & echo $! > near.tmp; mv near.tmp near)
        (setsid sh -c 'echo $$ > far.tmp; mv far.tmp far; exec sleep 3000' &)
        wait";
    let mut process = launcher().start(&shell(place.path(), script)).unwrap();
    let [own, near, far] = ["own", "near", "far"].map(|name| place.pid(name));
    assert_eq!(process.kill_orphans().unwrap(), 2);
    assert!(gone(near) && gone(far) && !gone(own));
    assert_eq!(process.kill_orphans().unwrap(), 0);
    assert_eq!(process.try_wait().unwrap(), None);
    process.kill(Duration::ZERO).unwrap();
    assert!(gone(own));
    assert_eq!(process.kill_orphans().unwrap(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_helper_that_ends_by_itself_is_not_left_behind() {
    // On a loaded machine it may be late once; always it is not.
    let in_time = |_| Place::new().run("sleep 0.02 & exit 0").usage.left_behind == 0;
    assert!((0..20).any(in_time));
}

#[cfg(target_os = "linux")]
#[test]
fn a_family_that_keeps_forking_is_caught() {
    let place = Place::new();
    let mut process = launcher()
        .start(&shell(place.path(), "f() { sleep 0.01; (f &) ; }; f; touch ready; exec sleep 3000"))
        .unwrap();
    until(|| place.path().join("ready").exists(), "the script did not start");
    assert!(process.kill(Duration::ZERO).is_some());
    let marker = place.path().canonicalize().unwrap();
    let inside = |entry: &fs::DirEntry| {
        fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == marker)
    };
    assert_eq!(fs::read_dir("/proc").unwrap().flatten().filter(inside).count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn when_the_parent_is_killed_nobody_is_left() {
    let place = Place::new();
    let mut parent = start_role("parent", place.path());
    let mut output = BufReader::new(parent.stdout.take().unwrap());
    let said = hear(&mut output);
    let launcher = Pid::from_raw(said.split(' ').nth(1).unwrap().parse().unwrap());
    let (orphan, child) = (place.pid("orphan"), place.pid("child"));
    parent.kill().unwrap();
    parent.wait().unwrap();
    until(|| [launcher, orphan, child].into_iter().all(gone), "somebody is left");
}

#[cfg(target_os = "linux")]
#[test]
fn when_the_launcher_is_killed_its_session_goes_and_the_parent_is_told() {
    let place = Place::new();
    let mut process = launcher().start(&shell(place.path(), HYDRA)).unwrap();
    let child = place.pid("child");
    kill(Pid::from_raw(process.pid().cast_signed()), Signal::SIGKILL).unwrap();
    let error = process.wait(Some(Instant::now() + PATIENCE), &Interrupt::never()).unwrap_err();
    assert!(matches!(error, WaitError::Lost { .. }), "{error}");
    until(|| gone(child), "the child is left");
    // What had left the session is beyond the parent's reach, and is cleaned up here.
    kill(place.pid("orphan"), Signal::SIGKILL).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_launcher_that_is_asked_to_end_takes_everybody_along() {
    let place = Place::new();
    let mut process = launcher().start(&shell(place.path(), HYDRA)).unwrap();
    let (orphan, child) = (place.pid("orphan"), place.pid("child"));
    kill(Pid::from_raw(process.pid().cast_signed()), Signal::SIGTERM).unwrap();
    assert_eq!(wait(&mut process).status, Status::Signal(9));
    assert!(gone(orphan) && gone(child));
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_to_the_parent_ends_its_wait_and_it_can_clean_up() {
    for (signal, name) in [(Signal::SIGTERM, "Terminate"), (Signal::SIGINT, "Interrupt")] {
        let place = Place::new();
        let mut parent = start_role("polite_parent", place.path());
        let mut output = BufReader::new(parent.stdout.take().unwrap());
        assert_eq!(hear(&mut output), "ready");
        let (orphan, child) = (place.pid("orphan"), place.pid("child"));
        kill(Pid::from_raw(parent.id().cast_signed()), signal).unwrap();
        assert_eq!(hear(&mut output), format!("interrupted: Some({name})"));
        assert!(gone(orphan) && gone(child));
        parent.wait().unwrap();
    }
}
