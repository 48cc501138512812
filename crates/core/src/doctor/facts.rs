//! What the system tells about the things that make measurements noisy. Reads only; what the system
//! does not tell is `None`.

use bench_process::{Machine, Throttling, steal_ticks_under, throttling_under};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const CPUS: &str = "sys/devices/system/cpu";
const CLOCK: &str = "sys/devices/system/clocksource/clocksource0";

/// The facts, at the moment they were read.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The facts that every run records.
    pub machine: Machine,
    /// The distinct frequency governors of all cores; empty where there is none to see.
    pub governors: BTreeSet<String>,
    /// Whether physical cores run several hardware threads.
    pub hardware_threads: Option<bool>,
    /// Cores that the kernel keeps other work away from (`isolcpus`); empty for none.
    pub isolated: String,
    /// How much the addresses of a process are random: 0 not at all, 1 without the heap, 2 wholly.
    pub address_randomization: Option<u8>,
    /// Who may read hardware counters: from −1, anybody, to 4, nobody.
    pub perf_event_paranoid: Option<i8>,
    /// What the machine runs on, where it has a battery.
    pub power: Option<Power>,
    /// The hottest sensor, degrees Celsius.
    pub temperature: Option<f64>,
    /// Where the kernel reads the time from.
    pub clock_source: Option<String>,
    /// From where else it could.
    pub clock_sources: Vec<String>,
    /// What has happened so far.
    pub counters: Counters,
}

/// What the machine runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// Its battery.
    Battery,
    /// The mains.
    Mains,
}

/// Things that are counted since the machine, or the container, was started. Only growth between two
/// readings means anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Times that a core was slowed down because it was too hot.
    pub overheated: Option<u64>,
    /// Ticks that the host gave to others while we were ready to run.
    pub stolen: Option<u64>,
    /// Being held back by the quota of our control groups.
    pub held_back: Option<Throttling>,
}

impl Facts {
    /// Reads them all.
    #[must_use]
    pub fn read() -> Self {
        Self::read_under(Path::new("/"))
    }

    /// Reads them below another root of the file system.
    #[must_use]
    pub fn read_under(root: &Path) -> Self {
        let word = |path: String| text(&root.join(path));
        let cpus = cores(root);
        let governor = |cpu: &PathBuf| text(&cpu.join("cpufreq/scaling_governor"));
        Self {
            machine: Machine::read_under(root),
            governors: cpus.iter().filter_map(governor).collect(),
            hardware_threads: word(format!("{CPUS}/smt/active")).map(|active| active == "1"),
            isolated: word(format!("{CPUS}/isolated")).unwrap_or_default(),
            address_randomization: number(root, "proc/sys/kernel/randomize_va_space"),
            perf_event_paranoid: number(root, "proc/sys/kernel/perf_event_paranoid"),
            power: power(root),
            temperature: temperature(root),
            clock_source: word(format!("{CLOCK}/current_clocksource")),
            clock_sources: word(format!("{CLOCK}/available_clocksource"))
                .map(|list| list.split_whitespace().map(str::to_owned).collect())
                .unwrap_or_default(),
            counters: Counters::read_under(root),
        }
    }
}

impl Counters {
    /// Reads them all.
    #[must_use]
    pub fn read() -> Self {
        Self::read_under(Path::new("/"))
    }

    fn read_under(root: &Path) -> Self {
        let count = |cpu: PathBuf| number::<u64>(&cpu, "thermal_throttle/core_throttle_count");
        let counts: Vec<u64> = cores(root).into_iter().filter_map(count).collect();
        Self {
            overheated: (!counts.is_empty()).then(|| counts.iter().sum()),
            stolen: steal_ticks_under(root),
            held_back: throttling_under(root),
        }
    }

    /// What has been added since an earlier reading.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let grown = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        let held_back = self.held_back.zip(before.held_back).map(|(now, then)| Throttling {
            periods: now.periods.saturating_sub(then.periods),
            waited_ns: now.waited_ns.saturating_sub(then.waited_ns),
        });
        Self {
            overheated: grown(self.overheated, before.overheated),
            stolen: grown(self.stolen, before.stolen),
            held_back,
        }
    }
}

/// The directories of all cores.
fn cores(root: &Path) -> Vec<PathBuf> {
    let is_core = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.strip_prefix("cpu").is_some_and(|rest| {
            !rest.is_empty() && rest.bytes().all(|digit| digit.is_ascii_digit())
        })
    };
    entries(&root.join(CPUS)).into_iter().filter(is_core).collect()
}

/// A laptop has a battery, and often the state of the mains; the battery's own state tells as well.
fn power(root: &Path) -> Option<Power> {
    let supplies = entries(&root.join("sys/class/power_supply"));
    let of_kind = |kind: &str| {
        let is_kind = |supply: &&PathBuf| text(&supply.join("type")).as_deref() == Some(kind);
        supplies.iter().filter(is_kind).collect::<Vec<_>>()
    };
    let is_ours = |supply: &&&PathBuf| text(&supply.join("scope")).as_deref() != Some("Device");
    let batteries: Vec<_> = of_kind("Battery").into_iter().filter(|b| is_ours(&b)).collect();
    if batteries.is_empty() {
        return None;
    }
    let is_plugged =
        of_kind("Mains").iter().any(|s| text(&s.join("online")).as_deref() == Some("1"));
    let discharges =
        batteries.iter().any(|b| text(&b.join("status")).as_deref() == Some("Discharging"));
    Some(if discharges && !is_plugged { Power::Battery } else { Power::Mains })
}

/// Sensors tell thousandths of a degree; what is not between freezing and boiling is no core.
fn temperature(root: &Path) -> Option<f64> {
    let zones = entries(&root.join("sys/class/thermal"));
    let degrees = |zone: PathBuf| Some(number::<f64>(&zone, "temp")? / 1000.0);
    zones.into_iter().filter_map(degrees).filter(|t| (1.0..130.0).contains(t)).reduce(f64::max)
}

fn number<T: std::str::FromStr>(directory: &Path, file: &str) -> Option<T> {
    text(&directory.join(file))?.parse().ok()
}

fn text(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        root
    }

    #[test]
    fn a_laptop_is_read() {
        let root = tree(&[
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n"),
            ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n"),
            ("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "4\n"),
            ("sys/devices/system/cpu/cpufreq/boost", "1\n"),
            ("sys/devices/system/cpu/smt/active", "1\n"),
            ("sys/devices/system/cpu/isolated", "\n"),
            ("proc/sys/kernel/randomize_va_space", "2\n"),
            ("proc/sys/kernel/perf_event_paranoid", "-1\n"),
            ("sys/class/power_supply/BAT0/type", "Battery\n"),
            ("sys/class/power_supply/BAT0/status", "Discharging\n"),
            ("sys/class/power_supply/AC/type", "Mains\n"),
            ("sys/class/power_supply/AC/online", "0\n"),
            ("sys/class/power_supply/mouse/type", "Battery\n"),
            ("sys/class/power_supply/mouse/scope", "Device\n"),
            ("sys/class/thermal/thermal_zone0/temp", "71500\n"),
            ("sys/class/thermal/thermal_zone1/temp", "-274000\n"),
            ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"),
            ("sys/devices/system/clocksource/clocksource0/available_clocksource", "hpet acpi_pm\n"),
            ("proc/stat", "cpu  1 2 3 4 5 6 7 8 9 10\n"),
        ]);
        let facts = Facts::read_under(root.path());
        assert_eq!(facts.governors.iter().collect::<Vec<_>>(), ["performance", "powersave"]);
        assert_eq!((facts.hardware_threads, facts.isolated.as_str()), (Some(true), ""));
        assert_eq!((facts.address_randomization, facts.perf_event_paranoid), (Some(2), Some(-1)));
        assert_eq!((facts.power, facts.temperature), (Some(Power::Battery), Some(71.5)));
        assert_eq!(facts.clock_source.as_deref(), Some("hpet"));
        assert_eq!(facts.clock_sources, ["hpet", "acpi_pm"]);
        assert_eq!((facts.counters.overheated, facts.counters.stolen), (Some(7), Some(8)));
        assert_eq!(facts.machine.turbo, Some(true));
    }

    #[test]
    fn a_desktop_has_no_battery_and_a_full_one_is_no_sign_of_running_on_it() {
        let power = |files: &[(&str, &str)]| power(tree(files).path());
        assert_eq!(power(&[("sys/class/power_supply/AC/type", "Mains")]), None);
        let battery = ("sys/class/power_supply/BAT0/type", "Battery");
        let full = ("sys/class/power_supply/BAT0/status", "Full");
        assert_eq!(power(&[battery, full]), Some(Power::Mains));
    }

    #[test]
    fn a_system_that_tells_nothing_gives_nothing() {
        let facts = Facts::read_under(tree(&[]).path());
        assert_eq!(facts.counters, Counters::default());
        assert_eq!((facts.power, facts.clock_source, facts.hardware_threads), (None, None, None));
        assert!(facts.governors.is_empty() && facts.clock_sources.is_empty());
    }

    #[test]
    fn only_growth_of_the_counters_means_anything() {
        let then = Counters { overheated: Some(7), stolen: None, held_back: None };
        let now = Counters { overheated: Some(9), stolen: Some(3), held_back: None };
        let grown = Counters { overheated: Some(2), stolen: None, held_back: None };
        assert_eq!(now.since(&then), grown);
    }
}
