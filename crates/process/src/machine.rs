//! What kind of machine this is, as far as it bears on measurements. Never fails: what the system
//! does not tell is `None`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::cgroup::{self, Limits};
use crate::cores::allowed_cores;

/// The facts, at the moment they were read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The same at every start of this machine, different on another: 16 hexadecimal digits.
    pub id: String,
    /// The processor's name.
    pub cpu: Option<String>,
    /// Hardware threads that are online.
    pub cores: Option<usize>,
    /// Those we may use, in ascending order. Empty where the system does not say.
    pub allowed_cores: Vec<usize>,
    /// Physical memory.
    pub memory_bytes: Option<u64>,
    /// Name and version of the operating system.
    pub os: Option<String>,
    /// Name, release and architecture of the kernel.
    pub kernel: Option<String>,
    /// The kind of virtual machine and container, joined with ` + `; `none` on bare metal.
    pub virtualization: Option<String>,
    /// The frequency governor of the first core.
    pub governor: Option<String>,
    /// Whether cores may run faster than their nominal frequency.
    pub turbo: Option<bool>,
    /// Mean length of the run queue over the last minute.
    pub load1: Option<f64>,
    /// Limits of our control groups.
    pub limits: Limits,
}

impl Machine {
    /// Reads them all.
    #[must_use]
    pub fn read() -> Self {
        Self::read_under(Path::new("/"))
    }

    /// Reads them below another root of the file system, made up for a test; what the kernel tells by
    /// calls (its name, the cores we may use) is still that of this machine.
    #[must_use]
    pub fn read_under(root: &Path) -> Self {
        let read = |path: &str| read(root, path);
        let cpuinfo = read("proc/cpuinfo").unwrap_or_default();
        let mut machine = Self {
            id: String::new(),
            cpu: cpu_name(&cpuinfo),
            cores: std::thread::available_parallelism().ok().map(usize::from),
            allowed_cores: allowed_cores(),
            memory_bytes: read("proc/meminfo").and_then(|text| memory(&text)),
            os: read("etc/os-release").and_then(|text| os_name(&text)),
            kernel: kernel(),
            virtualization: virtualization(root, &cpuinfo),
            governor: read("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            turbo: turbo(root),
            load1: load_under(root),
            limits: cgroup::limits(root),
        };
        machine.cores = online(&cpuinfo).or(machine.cores);
        machine.os = machine.os.or_else(|| Some(std::env::consts::OS.to_owned()));
        machine.id = machine.identity(read("etc/machine-id").as_deref());
        machine
    }

    /// Only a digest leaves the machine: its own identity is nobody else's business.
    fn identity(&self, machine_id: Option<&str>) -> String {
        let mut digest = Sha256::new();
        let facts = format!("{:?} {:?} {:?}", self.cpu, self.cores, self.memory_bytes);
        for part in ["bench-action machine", machine_id.unwrap_or_default(), &facts] {
            digest.update(part);
            digest.update([0]);
        }
        digest.finalize().iter().take(8).fold(String::new(), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _: std::fmt::Result = write!(hex, "{byte:02x}");
            hex
        })
    }
}

/// Mean length of the run queue over the last minute.
#[must_use]
pub fn load1() -> Option<f64> {
    load_under(Path::new("/"))
}

/// Ticks in which a core of ours was ready to run and the host ran something else, over all cores
/// since the machine started; only growth between two readings means anything.
#[must_use]
pub fn steal_ticks() -> Option<u64> {
    steal_ticks_under(Path::new("/"))
}

/// The same below another root of the file system.
#[must_use]
pub fn steal_ticks_under(root: &Path) -> Option<u64> {
    steal(&read(root, "proc/stat")?)
}

fn steal(stat: &str) -> Option<u64> {
    let all = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    all.split_ascii_whitespace().nth(7)?.parse().ok()
}

fn read(root: &Path, path: &str) -> Option<String> {
    let text = fs::read_to_string(root.join(path)).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn load_under(root: &Path) -> Option<f64> {
    read(root, "proc/loadavg")?.split(' ').next()?.parse().ok()
}

fn cpuinfo_field<'a>(cpuinfo: &'a str, names: &[&str]) -> Option<&'a str> {
    let field = |line: &'a str| {
        let (name, value) = line.split_once(':')?;
        names.contains(&name.trim()).then(|| value.trim())
    };
    cpuinfo.lines().find_map(field)
}

/// x86 has names; arm64 only the numbers of maker and part.
fn cpu_name(cpuinfo: &str) -> Option<String> {
    if let Some(name) = cpuinfo_field(cpuinfo, &["model name", "Model"]) {
        return Some(name.to_owned());
    }
    let maker = cpuinfo_field(cpuinfo, &["CPU implementer"])?;
    let part = cpuinfo_field(cpuinfo, &["CPU part"])?;
    Some(format!("implementer {maker} part {part}"))
}

fn online(cpuinfo: &str) -> Option<usize> {
    let count = cpuinfo
        .lines()
        .filter(|line| line.split(':').next().is_some_and(|n| n.trim() == "processor"))
        .count();
    (count > 0).then_some(count)
}

fn memory(meminfo: &str) -> Option<u64> {
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

fn os_name(release: &str) -> Option<String> {
    let quoted = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(quoted.trim_matches(['"', '\'']).to_owned())
}

/// What this machine calls itself: to be kept out of files.
#[must_use]
pub fn host_name() -> Option<String> {
    let name = nix::sys::utsname::uname().ok()?;
    Some(name.nodename().to_str()?.to_owned())
}

fn kernel() -> Option<String> {
    let name = nix::sys::utsname::uname().ok()?;
    let parts = [name.sysname(), name.release(), name.machine()];
    Some(parts.map(|part| part.to_string_lossy()).join(" "))
}

/// Intel's own driver knows "no turbo", the others "boost".
fn turbo(root: &Path) -> Option<bool> {
    let off = read(root, "sys/devices/system/cpu/intel_pstate/no_turbo").map(|text| text == "0");
    off.or_else(|| read(root, "sys/devices/system/cpu/cpufreq/boost").map(|text| text == "1"))
}

/// What firmware and kernel say of the maker of the machine, and the traces that container engines
/// leave. `None` on a system where none of these places exists.
fn virtualization(root: &Path, cpuinfo: &str) -> Option<String> {
    let machine = hypervisor(root, cpuinfo);
    let container = container(root);
    match (machine, container) {
        (Some(machine), Some(container)) => Some(format!("{machine} + {container}")),
        (Some(one), None) | (None, Some(one)) => Some(one),
        (None, None) if cpuinfo.is_empty() => None,
        (None, None) => Some("none".to_owned()),
    }
}

fn hypervisor(root: &Path, cpuinfo: &str) -> Option<String> {
    const MAKERS: [(&str, &str); 11] = [
        ("Amazon EC2", "amazon"),
        ("Google", "google"),
        ("Microsoft Corporation Virtual", "hyper-v"),
        ("KVM", "kvm"),
        ("QEMU", "qemu"),
        ("OpenStack", "openstack"),
        ("VMware", "vmware"),
        ("VirtualBox", "virtualbox"),
        ("Xen", "xen"),
        ("Parallels", "parallels"),
        ("Apple Virtualization", "apple"),
    ];
    let parts =
        ["sys_vendor", "product_name"].map(|name| read(root, &format!("sys/class/dmi/id/{name}")));
    let firmware = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let known = MAKERS.iter().find(|(mark, _)| firmware.contains(mark));
    let known = known.map(|&(_, name)| name.to_owned());
    let flags = cpuinfo_field(cpuinfo, &["flags"]).unwrap_or_default();
    let unnamed = || {
        flags.split(' ').any(|flag| flag == "hypervisor").then(|| "unknown hypervisor".to_owned())
    };
    known.or_else(|| read(root, "sys/hypervisor/type")).or_else(unnamed)
}

fn container(root: &Path) -> Option<String> {
    if let Some(name) = read(root, "run/systemd/container") {
        return Some(name);
    }
    let traces = [(".dockerenv", "docker"), ("run/.containerenv", "podman")];
    let trace = traces.iter().find(|(path, _)| root.join(path).exists());
    trace.map(|&(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::tree;

    const CPUINFO: &str = "processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\nflags\t\t: fpu hypervisor sse\n\nprocessor\t: 1\nmodel name\t: Fast CPU @ 3 GHz\n";

    #[test]
    fn a_cloud_runner_is_described() {
        let root = tree(&[
            ("proc/cpuinfo", CPUINFO),
            ("proc/meminfo", "MemTotal:        1024 kB\nMemFree: 5 kB\n"),
            ("proc/loadavg", "1.25 0.80 0.50 1/200 999\n"),
            ("etc/os-release", "NAME=x\nPRETTY_NAME=\"Some Linux 12\"\n"),
            ("sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n"),
            ("sys/class/dmi/id/product_name", "Virtual Machine\n"),
            (".dockerenv", ""),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"),
        ]);
        let machine = Machine::read_under(root.path());
        assert_eq!(machine.cpu.as_deref(), Some("Fast CPU @ 3 GHz"));
        assert_eq!((machine.cores, machine.memory_bytes), (Some(2), Some(1 << 20)));
        assert_eq!(machine.os.as_deref(), Some("Some Linux 12"));
        assert_eq!(machine.virtualization.as_deref(), Some("hyper-v + docker"));
        assert_eq!(machine.governor.as_deref(), Some("performance"));
        assert_eq!((machine.turbo, machine.load1), (Some(false), Some(1.25)));
    }

    #[test]
    fn an_unnamed_hypervisor_and_bare_metal_are_told_apart() {
        let under = |cpuinfo: &str| virtualization(tree(&[]).path(), cpuinfo);
        assert_eq!(under(CPUINFO).as_deref(), Some("unknown hypervisor"));
        assert_eq!(under("processor : 0\nflags : fpu\n").as_deref(), Some("none"));
        assert_eq!(under(""), None);
    }

    #[test]
    fn a_system_that_tells_nothing_still_gets_a_description() {
        let machine = Machine::read_under(tree(&[]).path());
        assert_eq!((machine.cpu, machine.memory_bytes, machine.load1), (None, None, None));
        assert_eq!(machine.id.len(), 16);
    }

    #[test]
    fn the_id_depends_on_the_machine_and_not_on_its_load() {
        let id = |machine_id, load| {
            let root = tree(&[("etc/machine-id", machine_id), ("proc/loadavg", load)]);
            Machine::read_under(root.path()).id
        };
        assert_eq!(id("abc", "1.0"), id("abc", "2.0"));
        assert_ne!(id("abc", "1.0"), id("abd", "1.0"));
    }

    #[test]
    fn an_arm_processor_is_named_by_its_numbers() {
        let cpuinfo = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert_eq!(cpu_name(cpuinfo).as_deref(), Some("implementer 0x41 part 0xd0c"));
    }

    #[test]
    fn stolen_time_is_the_eighth_field_of_the_sum() {
        assert_eq!(steal("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 99 9 10\n"), Some(8));
        assert_eq!(steal("cpu  1 2\n"), None);
    }
}
