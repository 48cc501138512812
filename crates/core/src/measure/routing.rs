//! Which schedule and clock tell the truth about a case (rules 6 to 10).

use super::action::{Activity, BlockReading, PilotReading};
use crate::case::Case;
use crate::config::Choice;
use bench_harness::{HowMeasured, StatePair};
use bench_results::{Clock, Schedule, SideName};
use bench_stats::{Occupation, state_matters};

/// Blocks between two looks at whether the CPU clock still sees everything.
pub const RECHECK_EVERY: usize = 4;

/// The stage of a failure that says: under a clock of CPU time it did not come to an end. Not the
/// benchmark's fault, but a reason to look at the wall.
pub const STOOD_STILL: &str = "clock";

/// Calls up to this long take turns; longer ones share the core.
const ALTERNATE_UP_TO_NS: f64 = 20e6;

/// Sharing the core costs a cache-sensitive benchmark at least this factor.
const CACHE_SENSITIVE: f64 = 1.10;

/// Untimed work before each slice of a cache-sensitive benchmark, nanoseconds.
const LEAD_IN_NS: u64 = 2_000_000;

/// How a case's blocks are run.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// How both sides run.
    pub schedule: Schedule,
    /// The clock that counts.
    pub clock: Clock,
    /// Why, in a few words.
    pub reason: String,
    /// Whether each call gets a fresh set-up.
    pub fresh: bool,
    /// Calls per slice.
    pub loops: u64,
    /// Untimed CPU time before each slice, nanoseconds.
    pub lead_in_ns: u64,
    /// Labels for the report.
    pub labels: Vec<String>,
    /// The position before which it was demoted to the wall clock.
    pub demoted_at: Option<u32>,
    /// Whether both sides keep to one core.
    pub pinned: bool,
    /// False where the user fixed the clock.
    pub may_demote: bool,
}

impl Route {
    /// Goes on with the wall clock and without pinning.
    pub fn demote(&mut self, position: u32, reason: &str) {
        self.clock = Clock::Wall;
        self.schedule = Schedule::Sequential;
        self.pinned = false;
        reason.clone_into(&mut self.reason);
        self.demoted_at = Some(position);
        self.labels.push("demoted".to_owned());
    }
}

/// The route after the pilot. `fresh` says whether this function's state matters.
pub fn first(case: &Case, pilot: &PilotReading, fresh: bool) -> Route {
    let trouble =
        SideName::BOTH.iter().find_map(|&side| trouble(case, side, &pilot.probes[side.index()]));
    let counts_cpu = case.can_count_cpu();
    let clock = match case.clock.fixed() {
        Some(clock) if counts_cpu => clock,
        None if counts_cpu && trouble.is_none() => Clock::Cpu,
        _ => Clock::Wall,
    };
    let schedule = case.schedule.fixed().unwrap_or_else(|| schedule(case, clock, pilot.call_ns));
    let shared = pilot.shared.filter(|_| clock == Clock::Cpu && schedule == Schedule::Alternate);
    let sensitive = shared.is_some_and(|[alone, shared]| shared > CACHE_SENSITIVE * alone);
    let label = |on: bool, word: &str| on.then(|| word.to_owned());
    Route {
        schedule,
        clock,
        reason: reason(case, clock, trouble.clone()),
        fresh,
        loops: if fresh { pilot.fresh_loops } else { pilot.loops },
        lead_in_ns: if sensitive { LEAD_IN_NS } else { 0 },
        labels: [
            label(sensitive, "cache-sensitive"),
            label(fresh && case.number().is_none(), "state-matters"),
        ]
        .into_iter()
        .flatten()
        .collect(),
        demoted_at: None,
        // Without a CPU clock, what keeps to one core is at least not moved about.
        pinned: clock == Clock::Cpu || !counts_cpu && trouble.is_none(),
        may_demote: case.clock == Choice::Auto,
    }
}

fn reason(case: &Case, clock: Clock, trouble: Option<String>) -> String {
    match (case.clock, trouble, clock) {
        (Choice::Fixed(fixed), _, _) if fixed == clock => "as configured".to_owned(),
        (_, Some(trouble), _) => trouble,
        (_, None, _) if case.counts() => "the harness counts and takes no times".to_owned(),
        (_, None, Clock::Wall) if !case.can_count_cpu() => {
            "the harness reports wall time".to_owned()
        }
        (_, None, Clock::Cpu) => "runs on one core and does not wait".to_owned(),
        (_, None, Clock::Wall) => "wall clock".to_owned(),
    }
}

fn schedule(case: &Case, clock: Clock, call_ns: f64) -> Schedule {
    match (case.how(), clock) {
        (HowMeasured::Value | HowMeasured::FreshValue, _) | (_, Clock::Wall) => {
            Schedule::Sequential
        }
        (
            HowMeasured::Opaque | HowMeasured::SteppedProcess | HowMeasured::Reported { .. },
            Clock::Cpu,
        ) => Schedule::Duet,
        (HowMeasured::Stepped { .. }, Clock::Cpu) if call_ns <= ALTERNATE_UP_TO_NS => {
            Schedule::Alternate
        }
        (HowMeasured::Stepped { .. }, Clock::Cpu) => Schedule::Duet,
    }
}

/// Why the CPU clock would not see everything, if it would not.
fn trouble(case: &Case, side: SideName, activity: &Activity) -> Option<String> {
    match occupation(case, activity) {
        Occupation::CpuBound => None,
        Occupation::Waits => Some(format!("{side} waits (sleep, input, output)")),
        Occupation::UsesThreads => Some(format!("{side} uses threads or processes")),
    }
}

/// How the case uses the machine, as far as that matters to how it is measured.
pub fn occupation(case: &Case, activity: &Activity) -> Occupation {
    if case.gives_value() || case.counts() || activity.repetitions == 0 {
        return Occupation::CpuBound;
    }
    bench_stats::route(&for_stats(case, activity)).occupation
}

/// Whether the case seems to wait for something in this activity.
pub fn seems_to_wait(case: &Case, activity: &Activity) -> bool {
    occupation(case, activity) == Occupation::Waits
}

/// What several looks say together of how the case uses the machine. What waits does so in each of
/// them; what a busy machine brought about does not, and such a look is passed over.
pub fn probed(case: &Case, looks: &[Activity]) -> Activity {
    let (waiting, other): (Vec<&Activity>, Vec<&Activity>) =
        looks.iter().partition(|look| seems_to_wait(case, look));
    let mut all = Activity::default();
    let counting = if other.is_empty() { waiting } else { other };
    counting.into_iter().for_each(|look| all.merge(look));
    all
}

/// The same activity in the words of the statistics.
pub fn for_stats(case: &Case, activity: &Activity) -> bench_stats::Activity {
    let whole_process = is_whole_process(case);
    let own_switches = case.switches() * u64::from(activity.repetitions);
    bench_stats::Activity {
        wall_ns: activity.wall_ns,
        process_cpu_ns: activity.cpu_ns,
        thread_cpu_ns: activity.thread_cpu_ns.filter(|_| !whole_process),
        run_delay_ns: activity.run_delay_ns,
        voluntary_switches: activity.voluntary_switches.saturating_sub(own_switches),
        repetitions: activity.repetitions.max(1),
    }
}

/// Looks again, at the latest blocks: a side that started to wait or to use threads must not pass.
/// One block of several is not enough: another process of a busy machine can do that to it.
pub fn recheck<'a>(
    case: &Case,
    pilot: &PilotReading,
    blocks: impl Iterator<Item = &'a BlockReading>,
) -> Option<String> {
    let blocks: Vec<&BlockReading> = blocks.collect();
    SideName::BOTH.iter().find_map(|&side| {
        let before = &pilot.probes[side.index()];
        let look = |now: &Activity| {
            if is_whole_process(case) {
                starts_to_wait(side, now, before)
            } else {
                trouble(case, side, now)
            }
        };
        let (mut all, mut in_trouble) = (Activity::default(), 0);
        for block in &blocks {
            if let Ok(launch) = &block.sides[side.index()] {
                all.merge(&launch.activity());
                in_trouble += usize::from(look(&launch.activity()).is_some());
            }
        }
        look(&all).filter(|_| in_trouble >= blocks.len().min(2))
    })
}

/// For whole commands: the wall of a shared core says nothing about waiting, and the run-queue
/// delay covers the first process only. Giving up the processor far more often than alone does.
fn starts_to_wait(side: SideName, now: &Activity, before: &Activity) -> Option<String> {
    let rate = |activity: &Activity| {
        activity.voluntary_switches as f64 / f64::from(activity.repetitions.max(1))
    };
    let many = rate(now) > 3.0 * rate(before) + 20.0;
    many.then(|| format!("{side} started to wait"))
}

fn is_whole_process(case: &Case) -> bool {
    case.runs_by_itself() || *case.how() == HowMeasured::SteppedProcess
}

/// Whether a fresh state matters by the pairs of either side (rule 9). A side without pairs could
/// not be called twice: there it matters.
pub fn state_says_fresh(pairs: &[Vec<StatePair>; 2]) -> bool {
    pairs.iter().any(|side| side.is_empty() || state_matters(&log_ratios(side)))
}

/// ln(first call / later call) of each pair.
pub fn log_ratios(pairs: &[StatePair]) -> Vec<f64> {
    pairs
        .iter()
        .filter(|StatePair(first, later)| *first > 0 && *later > 0)
        .map(|StatePair(first, later)| (*first as f64 / *later as f64).ln())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(first: u64, later: u64) -> Vec<StatePair> {
        vec![StatePair(first, later); 40]
    }

    #[test]
    fn state_matters_if_it_does_on_either_side() {
        assert!(!state_says_fresh(&[pairs(100, 100), pairs(105, 100)]));
        assert!(state_says_fresh(&[pairs(100, 100), pairs(120, 100)]));
        assert!(state_says_fresh(&[pairs(80, 100), pairs(100, 100)]));
    }

    #[test]
    fn what_cannot_be_called_twice_gets_a_fresh_state() {
        assert!(state_says_fresh(&[Vec::new(), pairs(100, 100)]));
    }

    #[test]
    fn pairs_below_the_tick_of_the_clock_say_nothing() {
        assert_eq!(log_ratios(&[StatePair(0, 5), StatePair(5, 0), StatePair(7, 7)]), [0.0]);
    }

    #[test]
    fn a_command_waits_when_it_gives_up_the_core_far_more_often_than_alone() {
        let often = |voluntary_switches| Activity {
            voluntary_switches,
            repetitions: 4,
            ..Activity::default()
        };
        // Alone 5 a run; 3 · 5 + 20 = 35 a run are put down to the shared core.
        assert_eq!(starts_to_wait(SideName::Head, &often(140), &often(20)), None);
        assert!(starts_to_wait(SideName::Head, &often(141), &often(20)).is_some());
    }
}
