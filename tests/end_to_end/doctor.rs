//! The doctor, as root and as a user who may do nothing: it looks, measures, and changes nothing.

use crate::support::run::{Finished, Run};
use crate::support::{DEADLINE, processes, wait_until};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::process::Command;

/// What it looks at, in its order: a contract with scripts.
const CHECKS: [&str; 12] = [
    "governor",
    "turbo",
    "hardware-threads",
    "load",
    "quota",
    "cores",
    "host",
    "battery",
    "heat",
    "clock",
    "address-randomization",
    "perf-event-paranoid",
];

/// Settings that a tool of this kind could be tempted to change.
const SETTINGS: [&str; 6] = [
    "/proc/sys/kernel/randomize_va_space",
    "/proc/sys/kernel/perf_event_paranoid",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "/sys/devices/system/cpu/intel_pstate/no_turbo",
    "/sys/devices/system/cpu/smt/control",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource",
];

fn settings() -> Vec<Option<String>> {
    SETTINGS.iter().map(|path| fs::read_to_string(path).ok()).collect()
}

fn report(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished}"))
}

fn assert_names_every_check(report: &Value) {
    assert_eq!(report["schema"], "bench-action/doctor/v1");
    let findings = report["findings"].as_array().unwrap();
    let names: Vec<&str> = findings.iter().map(|f| f["check"].as_str().unwrap()).collect();
    assert_eq!(names, CHECKS);
    for finding in findings.iter().filter(|finding| finding["status"] == "warning") {
        assert!(finding["remedy"].is_string(), "{finding}");
    }
}

#[test]
fn it_looks_without_measuring_and_leaves_everything_as_it_is() {
    let here = tempfile::tempdir().unwrap();
    let before = settings();
    let finished = Run::new(here.path(), &["doctor", "--no-measure", "--json"]).expect(0);
    let report = report(&finished);
    assert_names_every_check(&report);
    assert_eq!(
        (&report["schedules"], &report["trust"]["ok"]),
        (&serde_json::json!([]), &Value::Bool(true))
    );
    assert_eq!(settings(), before);
    assert_eq!(fs::read_dir(here.path()).unwrap().count(), 0);
    let text = Run::new(here.path(), &["doctor", "--no-measure"]).expect(0).stdout;
    assert!(text.contains("nothing was measured"), "{text}");
}

#[test]
fn it_measures_every_schedule_and_its_exit_code_says_what_it_says() {
    let here = tempfile::tempdir().unwrap();
    let before = settings();
    let finished = Run::new(here.path(), &["doctor", "--quick", "--json"]).finish();
    let report = report(&finished);
    assert_names_every_check(&report);
    assert_measured(&report, finished.exit);
    assert_eq!(settings(), before);
    processes::assert_none_left(here.path());
}

/// A machine that is too busy has nothing but its reason to show.
fn assert_measured(report: &Value, exit: Option<i32>) {
    let is_trusted = report["trust"]["ok"].as_bool().unwrap();
    assert_eq!(exit, Some(if is_trusted { 0 } else { 13 }), "{report}");
    assert_eq!(report["trust"]["reason"].is_null(), is_trusted, "{report}");
    let schedules = report["schedules"].as_array().unwrap();
    assert!(!is_trusted || schedules.len() >= 2, "{report}");
    for schedule in schedules {
        assert!(schedule["blocks"].as_u64().unwrap() > 10, "{schedule}");
        assert!(schedule["spread"].as_f64().unwrap() >= 0.0, "{schedule}");
        assert!(!schedule["sees"].as_array().unwrap().is_empty(), "{schedule}");
    }
}

#[test]
fn a_user_without_rights_gets_the_same() {
    use std::os::unix::process::CommandExt as _;
    if fs::metadata("/proc/self").map_or(1, |own| own.uid()) != 0 {
        eprintln!("skipped: only root can become another user; the other tests ran as one");
        return;
    }
    let here = tempfile::tempdir().unwrap();
    let program = here.path().join("bench-action");
    fs::copy(env!("CARGO_BIN_EXE_bench-action"), &program).unwrap();
    fs::set_permissions(here.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let nobody = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.args(arguments).current_dir("/").env_clear().uid(65_534).gid(65_534);
        command.output().unwrap()
    };
    let output = nobody(&["doctor", "--quick", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_names_every_check(&report);
    assert_measured(&report, output.status.code());
}

#[test]
fn a_signal_ends_it_and_leaves_nothing_running() {
    let here = tempfile::tempdir().unwrap();
    let mut running = Run::new(here.path(), &["doctor"]).start();
    let began = wait_until(DEADLINE, || {
        !running.is_running() || running.stderr().contains("measuring equal against equal")
    });
    assert!(began && running.is_running(), "{}", running.stderr());
    running.signal(Signal::SIGTERM);
    let finished = running.finish(DEADLINE);
    assert_eq!(finished.exit, Some(143), "{finished}");
    assert_eq!(finished.stdout, "", "no half of a report");
    processes::assert_none_left(here.path());
}
