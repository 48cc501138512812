//! What the control groups we live in allow us, and whether they have held us back. Linux, both
//! versions; elsewhere there is nothing to know.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The tightest limits among our group and those above it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Cores' worth of CPU time per second, 0.5 for half a core.
    pub cpus: Option<f64>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
}

/// How often, and for how long, our groups were denied the CPU because of their quota. Only growth
/// between two readings means anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Throttling {
    /// Periods in which the quota was used up.
    pub periods: u64,
    /// Time spent waiting for the next period, summed over cores.
    pub waited_ns: u64,
}

/// The throttling of our groups so far; `None` where the system does not say.
#[must_use]
pub fn throttling() -> Option<Throttling> {
    throttling_under(Path::new("/"))
}

/// The same of another root of the file system: a container's, or one made up for a test.
#[must_use]
pub fn throttling_under(root: &Path) -> Option<Throttling> {
    let read = |group: PathBuf| fs::read_to_string(group.join("cpu.stat")).ok();
    let stats = groups(root, "cpu").into_iter().filter_map(read);
    let found = stats.filter_map(|stat| {
        let field = |name: &str| -> Option<u64> {
            let line = stat.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line?.trim().parse().ok()
        };
        let microseconds = || field("throttled_usec").map(|us| us.saturating_mul(1000));
        let waited_ns = microseconds().or_else(|| field("throttled_time"))?;
        Some(Throttling { periods: field("nr_throttled")?, waited_ns })
    });
    found.reduce(|a, b| Throttling {
        periods: a.periods + b.periods,
        waited_ns: a.waited_ns.saturating_add(b.waited_ns),
    })
}

pub(crate) fn limits(root: &Path) -> Limits {
    let cpus = groups(root, "cpu").iter().filter_map(|group| cpu_limit(group)).reduce(f64::min);
    let memory = groups(root, "memory");
    Limits { cpus, memory_bytes: memory.iter().filter_map(|group| memory_limit(group)).min() }
}

/// Version 2 writes `QUOTA PERIOD` with `max` for none, version 1 two files with -1 for none.
fn cpu_limit(group: &Path) -> Option<f64> {
    let read = |name| fs::read_to_string(group.join(name)).ok();
    let (quota, period) = match read("cpu.max") {
        Some(both) => both.trim().split_once(' ').map(|(q, p)| (q.to_owned(), p.to_owned()))?,
        None => (read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?),
    };
    let quota: f64 = quota.trim().parse().ok()?;
    let period: f64 = period.trim().parse().ok()?;
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

/// Version 2 writes `max` for none, version 1 a number near the largest there is.
fn memory_limit(group: &Path) -> Option<u64> {
    let read = |name| fs::read_to_string(group.join(name)).ok();
    let text = read("memory.max").or_else(|| read("memory.limit_in_bytes"))?;
    text.trim().parse().ok().filter(|&bytes| bytes < 1 << 60)
}

/// The directories of our group for `controller` and of all groups above it, innermost first.
fn groups(root: &Path, controller: &str) -> Vec<PathBuf> {
    let own = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let mut found = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(names), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let mount = match names {
            "" => PathBuf::from("sys/fs/cgroup"),
            names if names.split(',').any(|name| name == controller) => {
                Path::new("sys/fs/cgroup").join(names)
            }
            _ => continue,
        };
        let top = root.join(mount);
        let group = top.join(path.trim_start_matches('/'));
        let up = group.ancestors().take_while(|group| group.starts_with(&top));
        found.extend(up.map(Path::to_owned));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::tree;

    #[test]
    fn the_tightest_limit_on_the_way_up_counts() {
        let root = tree(&[
            ("proc/self/cgroup", "0::/ci/job\n"),
            ("sys/fs/cgroup/ci/job/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/ci/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/ci/job/memory.max", "2000\n"),
            ("sys/fs/cgroup/ci/memory.max", "max\n"),
        ]);
        let expected = Limits { cpus: Some(1.5), memory_bytes: Some(2000) };
        assert_eq!(limits(root.path()), expected);
    }

    #[test]
    fn version_one_is_read_as_well() {
        let root = tree(&[
            ("proc/self/cgroup", "4:memory:/a\n3:cpu,cpuacct:/a\n"),
            ("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n"),
            (
                "sys/fs/cgroup/cpu,cpuacct/a/cpu.stat",
                "nr_periods 9\nnr_throttled 3\nthrottled_time 77\n",
            ),
        ]);
        assert_eq!(limits(root.path()), Limits { cpus: Some(0.5), memory_bytes: None });
        let expected = Throttling { periods: 3, waited_ns: 77 };
        assert_eq!(throttling_under(root.path()), Some(expected));
    }

    #[test]
    fn throttling_of_all_our_groups_is_added_up() {
        let root = tree(&[
            ("proc/self/cgroup", "0::/a\n"),
            (
                "sys/fs/cgroup/a/cpu.stat",
                "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 7\n",
            ),
            ("sys/fs/cgroup/cpu.stat", "usage_usec 5\nnr_throttled 1\nthrottled_usec 2\n"),
        ]);
        let expected = Throttling { periods: 4, waited_ns: 9000 };
        assert_eq!(throttling_under(root.path()), Some(expected));
    }

    #[test]
    fn without_groups_nothing_is_claimed() {
        let root = tree(&[]);
        assert_eq!(limits(root.path()), Limits::default());
        assert_eq!(throttling_under(root.path()), None);
    }
}
