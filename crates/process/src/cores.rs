//! Which cores there are for us, which is the least busy, and going to one.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
#[cfg(target_os = "linux")]
use nix::unistd::Pid;

/// Shorter than this, `/proc/stat`, which counts ticks of 10 ms, tells nothing.
const SHORTEST_LOOK: Duration = Duration::from_millis(60);
/// What was longer ago than this says little about now.
const LONGEST_LOOK: Duration = Duration::from_secs(2);
/// The length of a tick of `/proc/stat`, whatever the kernel's own is: `USER_HZ` is 100 on every
/// architecture we run on.
const TICK: Duration = Duration::from_millis(10);

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

/// Finds the least busy of some cores, from what the kernel counted between two looks.
///
/// The time between two blocks is too short to look, so the look spans the block as well, and what
/// the block itself used on its core is given back with [`IdleWatch::forgive`].
#[derive(Debug)]
pub struct IdleWatch {
    cores: Vec<usize>,
    siblings: BTreeMap<usize, Vec<usize>>,
    last: Look,
    forgiven: BTreeMap<usize, Duration>,
    /// Where among `cores` the next choice between equals begins.
    turn: usize,
}

#[derive(Debug)]
struct Look {
    at: Instant,
    /// Ticks each core has been idle since the machine started.
    idle: BTreeMap<usize, u64>,
}

impl IdleWatch {
    /// Watches `cores`, from now on.
    #[must_use]
    pub fn new(cores: Vec<usize>) -> Self {
        let siblings = cores.iter().map(|&core| (core, thread_siblings(core))).collect();
        Self { cores, siblings, last: Look::now(), forgiven: BTreeMap::new(), turn: 0 }
    }

    /// `core` was busy for `cpu` since the last look because of us: that does not count.
    pub fn forgive(&mut self, core: usize, cpu: Duration) {
        *self.forgiven.entry(core).or_default() += cpu;
    }

    /// Starts looking anew, forgetting what was seen and forgiven.
    pub fn restart(&mut self) {
        self.last = Look::now();
        self.forgiven.clear();
    }

    /// The least busy core since the last look, `None` if there are no cores to choose from.
    /// Sleeps for what is missing to 60 ms, and looks for 60 ms if the last look is older than two
    /// seconds. A hardware thread whose siblings are idle is preferred; equals take turns.
    pub fn pick(&mut self) -> Option<usize> {
        if self.last.at.elapsed() > LONGEST_LOOK {
            self.restart();
        }
        thread::sleep(SHORTEST_LOOK.saturating_sub(self.last.at.elapsed()));
        let now = Look::now();
        let idle = self.idle_fractions(&now);
        self.last = now;
        self.forgiven.clear();
        let picked = choose(&self.cores, &self.siblings, &idle, self.turn)?;
        self.turn = self.cores.iter().position(|&core| core == picked)? + 1;
        Some(picked)
    }

    /// How idle each core was since the last look, 0 to 1; siblings that are not ours included.
    fn idle_fractions(&self, now: &Look) -> BTreeMap<usize, f64> {
        let span = now.at.duration_since(self.last.at).as_secs_f64();
        let fraction = |(&core, &ticks): (&usize, &u64)| {
            let before = *self.last.idle.get(&core)?;
            let ticks = u32::try_from(ticks.saturating_sub(before)).ok()?;
            let forgiven = self.forgiven.get(&core).copied().unwrap_or_default();
            let idle = (TICK * ticks + forgiven).as_secs_f64() / span;
            Some((core, idle.min(1.0)))
        };
        now.idle.iter().filter_map(fraction).collect()
    }
}

impl Look {
    fn now() -> Self {
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        Self { at: Instant::now(), idle: parse_idle(&stat) }
    }
}

/// Field four of each `cpuN` line: ticks spent idle. Waiting for a disk, field five, is idle too.
fn parse_idle(stat: &str) -> BTreeMap<usize, u64> {
    let line = |line: &str| {
        let mut fields = line.strip_prefix("cpu")?.split_ascii_whitespace();
        let core = fields.next()?.parse().ok()?;
        let ticks: Vec<u64> = fields.skip(3).take(2).filter_map(|f| f.parse().ok()).collect();
        Some((core, ticks.iter().sum()))
    };
    // The first line, `cpu  …`, is the sum over all and has no number of its own.
    stat.lines().filter(|line| !line.starts_with("cpu ")).filter_map(line).collect()
}

/// The core with the most idle time, its siblings' counted half: they slow it, but less than work
/// on the core itself. Differences below a tick or two in the shortest look are none.
fn choose(
    cores: &[usize],
    siblings: &BTreeMap<usize, Vec<usize>>,
    idle: &BTreeMap<usize, f64>,
    turn: usize,
) -> Option<usize> {
    let idle_of = |core: &usize| idle.get(core).copied().unwrap_or(1.0);
    let score = |core: usize| {
        let least = siblings.get(&core).into_iter().flatten().map(idle_of).fold(1.0, f64::min);
        idle_of(&core) + least / 2.0
    };
    let best = cores.iter().map(|&core| score(core)).fold(f64::NEG_INFINITY, f64::max);
    let in_turn = (0..cores.len()).map(|i| cores[(turn + i) % cores.len()]);
    in_turn.into_iter().find(|&core| score(core) >= best - 0.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  100 0 100 900 50 0 0 7 0 0\n\
        cpu0 60 0 50 400 30 0 0 3 0 0\ncpu1 40 0 50 500 20 0 0 4 0 0\nintr 1 2\n";

    fn map<T: Copy>(pairs: &[(usize, T)]) -> BTreeMap<usize, T> {
        pairs.iter().copied().collect()
    }

    #[test]
    fn idle_ticks_are_read_for_each_core_and_not_for_their_sum() {
        assert_eq!(parse_idle(STAT), map(&[(0, 430), (1, 520)]));
        assert_eq!(parse_idle("rubbish\ncpux 1\n"), BTreeMap::new());
    }

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

    #[test]
    fn the_idle_core_wins_and_equals_take_turns() {
        let none = BTreeMap::new();
        assert_eq!(choose(&[0, 1], &none, &map(&[(0, 0.1), (1, 0.9)]), 0), Some(1));
        let equal = map(&[(0, 0.95), (1, 0.9)]);
        assert_eq!(choose(&[0, 1], &none, &equal, 1), Some(1));
        assert_eq!(choose(&[0, 1], &none, &equal, 2), Some(0));
        assert_eq!(choose(&[], &none, &equal, 0), None);
    }

    #[test]
    fn a_core_whose_sibling_is_busy_loses_to_one_whose_sibling_is_idle() {
        let siblings: BTreeMap<_, _> = [(0, vec![2]), (1, vec![3])].into();
        let idle = map(&[(0, 1.0), (1, 1.0), (2, 0.0), (3, 1.0)]);
        assert_eq!(choose(&[0, 1], &siblings, &idle, 0), Some(1));
    }

    #[test]
    fn what_we_used_ourselves_does_not_make_a_core_look_busy() {
        let start = Instant::now();
        let look = |at, ticks| Look { at, idle: map(&[(0, ticks), (1, ticks)]) };
        let mut watch = IdleWatch { last: look(start, 100), ..IdleWatch::new(vec![0, 1]) };
        watch.forgive(0, Duration::from_millis(80));
        let idle = watch.idle_fractions(&look(start + Duration::from_millis(100), 102));
        assert!((idle[&0] - 1.0).abs() < 1e-9 && (idle[&1] - 0.2).abs() < 1e-9, "{idle:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pinning_holds_until_it_is_dropped() {
        let before = allowed_cores();
        let core = IdleWatch::new(before.clone()).pick().unwrap();
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
