//! Which cores there are for us, and going to one.

use std::fs;
use std::io;
use std::path::Path;

#[cfg(target_os = "linux")]
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
#[cfg(target_os = "linux")]
use nix::unistd::Pid;

/// The cores this thread may run on, in ascending order; a cgroup's cpuset is already taken into
/// account by the kernel. Empty where the system does not say.
#[must_use]
pub fn allowed_cores() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    if let Ok(set) = sched_getaffinity(Pid::from_raw(0)) {
        return (0..CpuSet::count()).filter(|&core| set.is_set(core) == Ok(true)).collect();
    }
    Vec::new()
}

/// The other hardware threads of the physical core that `core` belongs to. Empty where there are
/// none or the system does not say.
#[must_use]
pub fn thread_siblings(core: usize) -> Vec<usize> {
    siblings_under(Path::new("/sys/devices/system/cpu"), core)
}

fn siblings_under(root: &Path, core: usize) -> Vec<usize> {
    let list = fs::read_to_string(root.join(format!("cpu{core}/topology/thread_siblings_list")));
    let mut cores = parse_list(list.unwrap_or_default().trim());
    cores.retain(|&sibling| sibling != core);
    cores
}

/// Reads the kernel's `0-3,8` notation; what is no number is passed over.
fn parse_list(list: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    list.split(',').filter_map(range).flatten().collect()
}

/// Keeps this thread, and whatever it starts meanwhile, on some cores; dropped, it lets the thread
/// go where it could go before.
#[derive(Debug)]
#[must_use = "dropping it undoes the pinning"]
pub struct Pinned {
    #[cfg(target_os = "linux")]
    before: CpuSet,
}

impl Pinned {
    /// Goes to `cores`.
    ///
    /// # Errors
    /// If a core does not exist, none of them is allowed, or the system has no affinity.
    #[cfg(target_os = "linux")]
    pub fn to(cores: &[usize]) -> io::Result<Self> {
        let before = sched_getaffinity(Pid::from_raw(0))?;
        let mut set = CpuSet::new();
        for &core in cores {
            set.set(core)?;
        }
        sched_setaffinity(Pid::from_raw(0), &set)?;
        Ok(Self { before })
    }

    /// Goes to `cores`.
    ///
    /// # Errors
    /// Always: this system has no affinity.
    #[cfg(not(target_os = "linux"))]
    pub fn to(_cores: &[usize]) -> io::Result<Self> {
        Err(io::Error::from_raw_os_error(nix::libc::ENOTSUP))
    }
}

#[cfg(target_os = "linux")]
impl Drop for Pinned {
    fn drop(&mut self) {
        // If all of the former cores have been taken offline meanwhile, the kernel has moved us.
        let _ = sched_setaffinity(Pid::from_raw(0), &self.before);
    }
}

/// Keeps this thread on `core`.
///
/// # Errors
/// As [`Pinned::to`].
pub fn pin_self(core: usize) -> io::Result<Pinned> {
    Pinned::to(&[core])
}

/// Moves a running process of ours, with all its threads, to `core`. What it starts later follows.
///
/// # Errors
/// If the process is gone, the core is not allowed, or the system has no affinity.
#[cfg(target_os = "linux")]
pub fn pin_process(pid: u32, core: usize) -> io::Result<()> {
    let mut set = CpuSet::new();
    set.set(core)?;
    sched_setaffinity(Pid::from_raw(pid.cast_signed()), &set)?;
    // The call above moves one thread. Others may end while we look; a new one inherits.
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    for thread in tasks.filter_map(|task| task.file_name().to_str()?.parse().ok()) {
        let _ = sched_setaffinity(Pid::from_raw(thread), &set);
    }
    Ok(())
}

/// Moves a running process of ours, with all its threads, to `core`.
///
/// # Errors
/// Always: this system has no affinity.
#[cfg(not(target_os = "linux"))]
pub fn pin_process(_pid: u32, _core: usize) -> io::Result<()> {
    Err(io::Error::from_raw_os_error(nix::libc::ENOTSUP))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cores_are_read_as_the_kernel_writes_them() {
        assert_eq!(parse_list("0-2,5,7-8"), [0, 1, 2, 5, 7, 8]);
        assert_eq!(parse_list(""), Vec::<usize>::new());
        assert_eq!(parse_list("x,1-y,3"), [3]);
    }

    #[test]
    fn siblings_are_the_others_of_the_same_core() {
        let root = tempfile::tempdir().unwrap();
        let topology = root.path().join("cpu1/topology");
        fs::create_dir_all(&topology).unwrap();
        fs::write(topology.join("thread_siblings_list"), "1,5\n").unwrap();
        assert_eq!(siblings_under(root.path(), 1), [5]);
        assert_eq!(siblings_under(root.path(), 2), Vec::<usize>::new());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pinning_holds_until_it_is_dropped() {
        let before = allowed_cores();
        let core = before[before.len() - 1];
        let pinned = pin_self(core).unwrap();
        assert_eq!(allowed_cores(), [core]);
        drop(pinned);
        assert_eq!(allowed_cores(), before);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn another_process_is_moved_with_all_its_threads() {
        let core = allowed_cores()[0];
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        pin_process(child.id(), core).unwrap();
        let child_pid = Pid::from_raw(child.id().cast_signed());
        let set = sched_getaffinity(child_pid).unwrap();
        let cores: Vec<usize> =
            (0..CpuSet::count()).filter(|&c| set.is_set(c) == Ok(true)).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(cores, [core]);
        assert!(pin_process(child.id(), core).is_err());
    }

    #[test]
    fn a_core_that_does_not_exist_is_an_error() {
        assert!(pin_self(1_000_000).is_err());
    }
}
