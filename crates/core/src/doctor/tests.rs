//! Made-up machines, and what is said of them.

use super::{Counters, Facts, Finding, Power, Status, findings};
use bench_process::{CgroupLimits, Throttling};

/// A machine on which all is well.
fn calm() -> Facts {
    let root = tempfile::tempdir().unwrap();
    let mut facts = Facts::read_under(root.path());
    facts.governors = ["performance".to_owned()].into();
    facts.hardware_threads = Some(false);
    facts.address_randomization = Some(2);
    facts.perf_event_paranoid = Some(1);
    facts.temperature = Some(45.0);
    facts.clock_source = Some("tsc".into());
    (facts.machine.turbo, facts.machine.load1) = (Some(false), Some(0.1));
    (facts.machine.cores, facts.machine.allowed_cores) = (Some(4), vec![0, 1, 2, 3]);
    facts.machine.virtualization = Some("none".into());
    facts
}

/// The finding of one check on a machine that differs from a calm one.
fn found(check: &str, change: impl FnOnce(&mut Facts)) -> Finding {
    found_after(check, None, change)
}

fn found_after(check: &str, grown: Option<Counters>, change: impl FnOnce(&mut Facts)) -> Finding {
    let mut facts = calm();
    change(&mut facts);
    let all = findings(&facts, grown.as_ref());
    all.into_iter().find(|finding| finding.check == check).unwrap()
}

#[test]
fn a_calm_machine_has_nothing_to_mend() {
    let quiet = Counters { overheated: Some(0), stolen: Some(0), held_back: None };
    for grown in [None, Some(&quiet)] {
        for finding in findings(&calm(), grown) {
            assert_eq!((finding.status, &finding.remedy), (Status::Good, &None), "{finding:?}");
        }
    }
}

#[test]
fn whatever_needs_mending_says_how_and_each_check_has_its_own_name() {
    let mut facts = calm();
    facts.governors = ["powersave".to_owned(), "schedutil".to_owned()].into();
    facts.hardware_threads = Some(true);
    facts.address_randomization = Some(0);
    facts.perf_event_paranoid = Some(4);
    (facts.power, facts.temperature) = (Some(Power::Battery), Some(97.0));
    (facts.clock_source, facts.clock_sources) = (Some("hpet".into()), vec!["tsc".into()]);
    (facts.machine.turbo, facts.machine.load1) = (Some(true), Some(3.0));
    (facts.machine.cores, facts.machine.allowed_cores) = (Some(4), vec![2]);
    facts.machine.limits = CgroupLimits { cpus: Some(0.5), memory_bytes: None };
    let held_back = Some(Throttling { periods: 7, waited_ns: 1_500_000_000 });
    let grown = Counters { overheated: Some(2), stolen: Some(30), held_back };
    let all = findings(&facts, Some(&grown));
    for finding in &all {
        assert!(matches!(finding.status, Status::Warning | Status::Note), "{finding:?}");
        assert!(finding.remedy.is_some(), "{finding:?}");
    }
    let mut names: Vec<&str> = all.iter().map(|finding| finding.check).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len());
}

#[test]
fn a_system_that_tells_nothing_is_not_called_good_for_it() {
    let root = tempfile::tempdir().unwrap();
    let facts = Facts::read_under(root.path());
    for check in ["governor", "turbo", "hardware-threads", "load", "heat", "clock"] {
        let all = findings(&facts, None);
        let finding = all.iter().find(|finding| finding.check == check).unwrap();
        assert_eq!(finding.status, Status::Unknown, "{finding:?}");
    }
}

#[test]
fn load_counts_per_core() {
    let status = |load: f64, cores| {
        found("load", |facts| {
            (facts.machine.load1, facts.machine.cores) = (Some(load), Some(cores));
        })
        .status
    };
    assert_eq!([status(1.0, 4), status(1.0, 1)], [Status::Good, Status::Warning]);
}

#[test]
fn a_quota_matters_when_it_is_small_or_holds_us_back() {
    let quota = |cpus, held_back| {
        let grown = Counters { held_back, ..Counters::default() };
        found_after("quota", Some(grown), |facts| facts.machine.limits.cpus = Some(cpus))
    };
    assert_eq!(quota(0.5, None).status, Status::Warning);
    assert_eq!(quota(4.0, None).status, Status::Good);
    let held = quota(4.0, Some(Throttling { periods: 7, waited_ns: 1_500_000_000 }));
    assert_eq!(held.status, Status::Warning);
    assert!(held.found.contains("in 7 periods while measuring, 1.5 s in all"), "{held:?}");
}

#[test]
fn one_core_of_several_is_few_and_isolated_ones_are_named() {
    let cores = |allowed: Vec<usize>| {
        found("cores", |facts| {
            (facts.machine.allowed_cores, facts.isolated) = (allowed, "2-3".into());
        })
    };
    assert_eq!(cores(vec![1]).status, Status::Warning);
    let some = cores(vec![0, 1]);
    assert!(
        some.found.contains("2 of 4 cores") && some.found.contains("--cpu-list 2-3"),
        "{some:?}"
    );
}

#[test]
fn a_slow_clock_names_the_fast_one_where_there_is_one() {
    let clock = |others: &[&str]| {
        found("clock", |facts| {
            facts.clock_source = Some("acpi_pm".into());
            facts.clock_sources = others.iter().map(|name| (*name).to_owned()).collect();
        })
    };
    assert!(clock(&["acpi_pm", "tsc"]).remedy.unwrap().contains("echo tsc"));
    assert!(clock(&["acpi_pm"]).remedy.unwrap().starts_with("none on this machine"));
}
