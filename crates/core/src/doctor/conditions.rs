//! Each condition that makes measurements noisy, judged by itself.

use super::facts::{Counters, Facts, Power};
use super::findings::{Finding, Status};
use Status::{Good, Note, Unknown, Warning};

/// A run needs one core, and one for itself and the system.
const CORES_NEEDED: f64 = 2.0;
/// Above this many waiting per core, others take turns with the benchmarks.
const BUSY: f64 = 0.7;
/// Hotter than this, degrees Celsius, most processors soon slow down.
const HOT: f64 = 90.0;
/// Clocks that a program reads without asking the kernel.
const FAST_CLOCKS: [&str; 4] =
    ["tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"];

pub(super) fn governor(facts: &Facts) -> Finding {
    let names = facts.governors.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.as_str() {
        "" => Finding::plain(
            "governor",
            Unknown,
            "the frequency governor is not to be seen; in a virtual machine or container the host decides",
        ),
        "performance" => Finding::plain("governor", Good, "the frequency governor is performance"),
        _ => Finding::helped(
            "governor",
            Warning,
            format!("the frequency governor is {names}: cores change their speed with the load"),
            "as root, for as long as you measure: cpupower frequency-set -g performance",
        ),
    }
}

pub(super) fn turbo(facts: &Facts) -> Finding {
    match facts.machine.turbo {
        Some(false) => Finding::plain("turbo", Good, "turbo is off"),
        Some(true) => Finding::helped(
            "turbo",
            Note,
            "turbo is on: a core's speed depends on heat and on its neighbours; turns of a millisecond \
             cancel most of that",
            "as root: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo (Intel) or echo 0 > \
             /sys/devices/system/cpu/cpufreq/boost; it costs speed, and gains little here",
        ),
        None => Finding::plain("turbo", Unknown, "whether turbo is on is not to be seen"),
    }
}

pub(super) fn hardware_threads(facts: &Facts) -> Finding {
    let check = "hardware-threads";
    match facts.hardware_threads {
        Some(false) => Finding::plain(
            check,
            Good,
            "each core we see runs one hardware thread (a host may hide more)",
        ),
        Some(true) => Finding::helped(
            check,
            Note,
            "cores run two hardware threads: work on the other one slows a benchmark down; a run prefers \
             cores whose other thread is idle",
            "leave the machine alone while it measures, or, as root: echo off > \
             /sys/devices/system/cpu/smt/control",
        ),
        None => {
            Finding::plain(check, Unknown, "whether cores run several hardware threads is not told")
        }
    }
}

pub(super) fn load(facts: &Facts) -> Finding {
    let Some(load) = facts.machine.load1 else {
        return Finding::plain("load", Unknown, "the load is not told");
    };
    let cores = facts.machine.cores.unwrap_or(1).max(1);
    #[expect(clippy::cast_precision_loss, reason = "few cores")]
    let is_busy = load > BUSY * cores as f64;
    let found = format!("the load of the last minute is {load:.2} on {cores} cores");
    if is_busy {
        Finding::helped(
            "load",
            Warning,
            format!("{found}: benchmarks share them with other work"),
            "end what else runs (top shows it), or wait; the bound on false alarms holds all the same, \
             but more stays undecided",
        )
    } else {
        Finding::plain("load", Good, found)
    }
}

/// Control groups, versions 1 and 2.
pub(super) fn quota(facts: &Facts, grown: Option<&Counters>) -> Finding {
    let waited = grown.and_then(|grown| grown.held_back).filter(|waited| waited.periods > 0);
    let Some(cpus) = facts.machine.limits.cpus else {
        return Finding::plain("quota", Good, "no quota limits our CPU time");
    };
    let found = format!("a quota limits us to {cpus:.2} cores' worth of CPU time");
    let remedy =
        "give the container more (docker: --cpus, Kubernetes: resources.limits.cpu), or none";
    match waited {
        Some(waited) => Finding::helped(
            "quota",
            Warning,
            format!(
                "{found}, and held us back in {} periods while measuring, {:.1} s in all",
                waited.periods,
                std::time::Duration::from_nanos(waited.waited_ns).as_secs_f64()
            ),
            remedy,
        ),
        None if cpus < CORES_NEEDED => Finding::helped(
            "quota",
            Warning,
            format!("{found}: at its end everything stands still until the next period"),
            remedy,
        ),
        None => Finding::plain("quota", Good, found),
    }
}

/// Affinity and cpuset.
pub(super) fn cores(facts: &Facts) -> Finding {
    let allowed = facts.machine.allowed_cores.len();
    let online = facts.machine.cores.unwrap_or(allowed);
    let isolated = match facts.isolated.as_str() {
        "" => String::new(),
        list => {
            format!("; the kernel keeps other work from {list}, which --cpu-list {list} would use")
        }
    };
    match allowed {
        0 => Finding::plain(
            "cores",
            Unknown,
            "which cores we may use is not told: programs run unpinned",
        ),
        1 => Finding::helped(
            "cores",
            Warning,
            format!(
                "we may use one core of {online}: what the system does there is noise{isolated}"
            ),
            "a second core lets everything else go elsewhere (docker: --cpuset-cpus, or a larger runner)",
        ),
        _ if allowed < online => Finding::plain(
            "cores",
            Good,
            format!("a cpuset or affinity lets us use {allowed} of {online} cores{isolated}"),
        ),
        _ => Finding::plain("cores", Good, format!("we may use all {online} cores{isolated}")),
    }
}

/// What a host gives to other guests.
pub(super) fn stolen(facts: &Facts, grown: Option<&Counters>) -> Finding {
    let machine = facts.machine.virtualization.as_deref().unwrap_or("unknown");
    let Some(ticks) = grown.and_then(|grown| grown.stolen) else {
        let found = match machine {
            "none" => "this is no virtual machine".to_owned(),
            other => {
                format!("virtualization: {other}; what the host takes away shows while measuring")
            }
        };
        return Finding::plain("host", if machine == "none" { Good } else { Note }, found);
    };
    // A tick is 10 ms.
    match ticks {
        0 => Finding::plain(
            "host",
            Good,
            format!("virtualization: {machine}; the host took nothing away"),
        ),
        _ => Finding::helped(
            "host",
            Warning,
            format!(
                "the host ran others for {:.2} s while we were ready to run",
                std::time::Duration::from_millis(ticks.saturating_mul(10)).as_secs_f64()
            ),
            "a dedicated host or a larger machine type; the schedules cancel part of it",
        ),
    }
}

pub(super) fn power(facts: &Facts) -> Finding {
    match facts.power {
        None => Finding::plain("battery", Good, "no battery to save"),
        Some(Power::Mains) => Finding::plain("battery", Good, "it runs on the mains"),
        Some(Power::Battery) => Finding::helped(
            "battery",
            Warning,
            "it runs on its battery: cores are slowed down to save it",
            "plug it in",
        ),
    }
}

pub(super) fn heat(facts: &Facts, grown: Option<&Counters>) -> Finding {
    let remedy = "let it cool down, free its air vents, or lower the top frequency (cpupower frequency-set -u)";
    let slowed = grown.and_then(|grown| grown.overheated).filter(|times| *times > 0);
    match (slowed, facts.temperature) {
        (Some(times), _) => Finding::helped(
            "heat",
            Warning,
            format!(
                "cores were slowed down {times} times while measuring because they were too hot"
            ),
            remedy,
        ),
        (None, Some(degrees)) if degrees >= HOT => {
            Finding::helped("heat", Warning, format!("a sensor shows {degrees:.0} °C"), remedy)
        }
        (None, Some(degrees)) => {
            Finding::plain("heat", Good, format!("the hottest sensor shows {degrees:.0} °C"))
        }
        (None, None) if facts.counters.overheated.is_some() => {
            Finding::plain("heat", Good, "no core was slowed down by heat")
        }
        (None, None) => Finding::plain("heat", Unknown, "temperatures are not told"),
    }
}

pub(super) fn clock(facts: &Facts) -> Finding {
    let Some(source) = &facts.clock_source else {
        return Finding::plain("clock", Unknown, "where the time is read from is not told");
    };
    if FAST_CLOCKS.contains(&source.as_str()) {
        return Finding::plain(
            "clock",
            Good,
            format!("the time is read from {source}, without the kernel"),
        );
    }
    let is_there = |fast: &&&str| facts.clock_sources.iter().any(|other| other == **fast);
    let remedy = match FAST_CLOCKS.iter().find(is_there) {
        Some(fast) => format!(
            "as root: echo {fast} > /sys/devices/system/clocksource/clocksource0/current_clocksource"
        ),
        None => {
            "none on this machine; benchmarks below a microsecond get longer slices by themselves"
                .to_owned()
        }
    };
    let found =
        format!("the time is read from {source}, which takes a microsecond or so each time");
    Finding::helped("clock", Warning, found, remedy)
}

pub(super) fn address_randomization(facts: &Facts) -> Finding {
    let check = "address-randomization";
    match facts.address_randomization {
        None => Finding::plain(check, Unknown, "whether addresses are random is not told"),
        Some(0) => Finding::helped(
            check,
            Warning,
            "addresses are not random: every process gets the same layout, and a change of layout looks \
             like a change of speed",
            "as root: echo 2 > /proc/sys/kernel/randomize_va_space; a run averages over layouts",
        ),
        Some(_) => Finding::plain(
            check,
            Good,
            "addresses are random: processes differ, and a run averages over them",
        ),
    }
}

pub(super) fn counters(facts: &Facts) -> Finding {
    let check = "perf-event-paranoid";
    match facts.perf_event_paranoid {
        None => Finding::plain(check, Unknown, "there are no hardware counters here"),
        Some(level) if level <= 2 => Finding::plain(
            check,
            Good,
            format!("perf_event_paranoid is {level}: harnesses may count instructions"),
        ),
        Some(level) => Finding::helped(
            check,
            Note,
            format!(
                "perf_event_paranoid is {level}: harnesses that count instructions can't; times need none"
            ),
            "as root: sysctl kernel.perf_event_paranoid=2",
        ),
    }
}
