//! Which of some cores is the least busy.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use crate::cores::thread_siblings;

/// Shorter than this, `/proc/stat`, which counts ticks of 10 ms, tells nothing.
const SHORTEST_LOOK: Duration = Duration::from_millis(60);
/// What was longer ago than this says little about now.
const LONGEST_LOOK: Duration = Duration::from_secs(2);
/// The length of a tick of `/proc/stat`, whatever the kernel's own is: `USER_HZ` is 100 on every
/// architecture we run on.
const TICK: Duration = Duration::from_millis(10);

/// Finds the least busy of some cores, from what the kernel counted since an earlier look.
///
/// The time between two blocks is too short to look, so that a look spans the blocks before as well, and
/// what a block itself used on its core is given back with [`IdleWatch::forgive`]. Nobody waits for a
/// look to be long enough while there is an older one.
#[derive(Debug)]
pub struct IdleWatch {
    cores: Vec<usize>,
    siblings: BTreeMap<usize, Vec<usize>>,
    /// The oldest first; those before the latest that is long enough ago have been let go.
    looks: Vec<Look>,
    /// Where among `cores` the next choice between equals begins.
    turn: usize,
}

#[derive(Debug)]
struct Look {
    at: Instant,
    /// Ticks each core has been idle since the machine started.
    idle: BTreeMap<usize, u64>,
    /// What each core has been busy with since, because of us.
    forgiven: BTreeMap<usize, Duration>,
}

impl IdleWatch {
    /// Watches `cores`, from now on.
    #[must_use]
    pub fn new(cores: Vec<usize>) -> Self {
        let siblings = cores.iter().map(|&core| (core, thread_siblings(core))).collect();
        Self { cores, siblings, looks: vec![Look::now()], turn: 0 }
    }

    /// `core` was just busy for `cpu` because of us: that does not count.
    pub fn forgive(&mut self, core: usize, cpu: Duration) {
        for look in &mut self.looks {
            *look.forgiven.entry(core).or_default() += cpu;
        }
    }

    /// The core that was least busy in the last 60 ms or a little more, `None` if there are no cores to
    /// choose from. Sleeps for what is missing to 60 ms where there was no look in the last two seconds.
    /// A hardware thread whose siblings are idle is preferred; equals take turns.
    pub fn pick(&mut self) -> Option<usize> {
        self.looks.retain(|look| look.at.elapsed() <= LONGEST_LOOK);
        if self.looks.is_empty() {
            self.looks.push(Look::now());
        }
        thread::sleep(SHORTEST_LOOK.saturating_sub(self.looks[0].at.elapsed()));
        let now = Look::now();
        self.looks.drain(..latest_before(&self.looks, now.at));
        let idle = self.looks[0].idle_fractions(&now);
        self.looks.push(now);
        let picked = choose(&self.cores, &self.siblings, &idle, self.turn)?;
        self.turn = self.cores.iter().position(|&core| core == picked)? + 1;
        Some(picked)
    }
}

/// The index of the latest look that is long enough before `now`.
fn latest_before(looks: &[Look], now: Instant) -> usize {
    let is_long = |look: &Look| now.duration_since(look.at) >= SHORTEST_LOOK;
    looks.iter().rposition(is_long).unwrap_or(0)
}

impl Look {
    fn now() -> Self {
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        Self { at: Instant::now(), idle: parse_idle(&stat), forgiven: BTreeMap::new() }
    }

    /// How idle each core was from this look until `now`, 0 to 1; siblings that are not ours included.
    fn idle_fractions(&self, now: &Self) -> BTreeMap<usize, f64> {
        let span = now.at.duration_since(self.at).as_secs_f64();
        let fraction = |(&core, &ticks): (&usize, &u64)| {
            let before = *self.idle.get(&core)?;
            let ticks = u32::try_from(ticks.saturating_sub(before)).ok()?;
            let forgiven = self.forgiven.get(&core).copied().unwrap_or_default();
            let idle = (TICK * ticks + forgiven).as_secs_f64() / span;
            Some((core, idle.min(1.0)))
        };
        now.idle.iter().filter_map(fraction).collect()
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

    fn look(at: Instant, ticks: u64) -> Look {
        Look { at, idle: map(&[(0, ticks), (1, ticks)]), forgiven: BTreeMap::new() }
    }

    #[test]
    fn what_we_used_ourselves_does_not_make_a_core_look_busy() {
        let start = Instant::now();
        let looks = vec![look(start, 100)];
        let mut watch = IdleWatch { looks, ..IdleWatch::new(vec![0, 1]) };
        watch.forgive(0, Duration::from_millis(80));
        let now = look(start + Duration::from_millis(100), 102);
        let idle = watch.looks[0].idle_fractions(&now);
        assert!((idle[&0] - 1.0).abs() < 1e-9 && (idle[&1] - 0.2).abs() < 1e-9, "{idle:?}");
    }

    #[test]
    fn a_choice_looks_back_as_far_as_it_must_and_no_farther() {
        let start = Instant::now();
        let after = |ms| start + Duration::from_millis(ms);
        let looks = [0, 30, 60, 90].map(|ms| look(after(ms), 0));
        let back_to = |ms| latest_before(&looks, after(ms));
        assert_eq!([100, 120, 149, 150, 900].map(back_to), [1, 2, 2, 3, 3]);
    }

    /// Had each waited for a look of its own, no more than two would be kept.
    #[test]
    fn between_short_blocks_nobody_waits() {
        let mut watch = IdleWatch::new(vec![0]);
        let picked: Vec<_> = (0..6).map(|_| watch.pick()).collect();
        assert_eq!(picked, [Some(0); 6]);
        assert!(watch.looks.len() > 2, "{:?}", watch.looks);
    }
}
