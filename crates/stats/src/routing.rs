//! Is work bound to one processor, so that a CPU clock on one core sees all of it?
//!
//! A CPU clock is blind to sleep and to input and output, and one core hides lost parallelism. Judged by what the work did,
//! not by how many threads exist.

/// Share of the wall time spent neither running nor ready to run, from which work is waiting.
const WAITING: f64 = 0.05;

/// Process CPU over thread CPU, from which helper threads do part of the work.
const HELPED: f64 = 1.1;

/// CPU over wall, beyond which a whole command must have used more than one core.
const PARALLEL: f64 = 1.05;

/// Repetitions over which voluntary switches can stand in for an unknown run-queue delay.
const LEAST_REPETITIONS: u32 = 3;

/// What was measured around timed work, summed over its repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// Wall time, in nanoseconds.
    pub wall_ns: u64,
    /// CPU time of all threads of the process, in nanoseconds.
    pub process_cpu_ns: u64,
    /// CPU time of the thread that ran the work, in nanoseconds; `None` for whole commands, where there is no such thread.
    pub thread_cpu_ns: Option<u64>,
    /// Time spent ready to run but not running, in nanoseconds; `None` where it can't be read or can't be trusted, as when
    /// the host or a limit took CPU time away meanwhile.
    pub run_delay_ns: Option<u64>,
    /// How often the work gave up the processor by itself.
    pub voluntary_switches: u64,
    /// Repetitions of the work, at least 1.
    pub repetitions: u32,
}

/// How work uses the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Occupation {
    /// One thread, always running or ready to: a CPU clock on one core sees everything.
    CpuBound,
    /// It sleeps, or waits for input, output or another process.
    Waits,
    /// More than one thread does the work.
    UsesThreads,
}

/// How work uses the machine, with the numbers that say so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Routing {
    /// The finding.
    pub occupation: Occupation,
    /// `(wall − cpu − run delay) / wall`, negative where threads overlap; `None` without a run-queue delay.
    pub blocked: Option<f64>,
    /// Process CPU over thread CPU, or for whole commands over wall time.
    pub cpu_ratio: f64,
}

/// Judges one side's activity; work counts as bound to the CPU only if it neither waits nor uses threads.
///
/// It waits if at least 5 % of the wall time was blocked *and* it gave up the processor by itself: either alone also comes
/// from a busy machine or a single slow page. Without a run-queue delay the switches decide alone: one per repetition over
/// three or more, any at all over fewer. It uses threads if process CPU reaches 1.1 × thread CPU; a whole command if its
/// CPU exceeds 1.05 × wall.
pub fn route(activity: &Activity) -> Routing {
    let blocked = blocked_share(activity);
    let (cpu_ratio, threads) = parallelism(activity);
    let occupation =
        if blocked.is_some_and(|share| share >= WAITING) && activity.voluntary_switches > 0 {
            Occupation::Waits
        } else if threads {
            Occupation::UsesThreads
        } else if blocked.is_none() && switches_repeatedly(activity) {
            Occupation::Waits
        } else {
            Occupation::CpuBound
        };
    Routing { occupation, blocked, cpu_ratio }
}

fn blocked_share(activity: &Activity) -> Option<f64> {
    let (wall, cpu) = (activity.wall_ns as f64, activity.process_cpu_ns as f64);
    let delay = activity.run_delay_ns? as f64;
    Some(if wall > 0.0 { (wall - cpu - delay) / wall } else { 0.0 })
}

/// The CPU ratio and whether it gives threads away.
fn parallelism(activity: &Activity) -> (f64, bool) {
    let ratio_to = |reference: u64| {
        let cpu = activity.process_cpu_ns;
        if cpu == reference { 1.0 } else { cpu as f64 / reference.max(1) as f64 }
    };
    match activity.thread_cpu_ns {
        Some(thread) => (ratio_to(thread), ratio_to(thread) >= HELPED),
        None => (ratio_to(activity.wall_ns), ratio_to(activity.wall_ns) > PARALLEL),
    }
}

fn switches_repeatedly(activity: &Activity) -> bool {
    let per_repetition =
        if activity.repetitions >= LEAST_REPETITIONS { u64::from(activity.repetitions) } else { 1 };
    activity.voluntary_switches >= per_repetition
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUSY: Activity = Activity {
        wall_ns: 50_000_000,
        process_cpu_ns: 49_900_000,
        thread_cpu_ns: Some(49_900_000),
        run_delay_ns: Some(50_000),
        voluntary_switches: 0,
        repetitions: 3,
    };

    #[test]
    fn a_single_busy_thread_is_bound_to_the_cpu() {
        let routing = route(&BUSY);
        assert_eq!(routing.occupation, Occupation::CpuBound);
        assert!((routing.blocked.unwrap() - 0.001).abs() < 1e-12);
        assert_eq!(routing.cpu_ratio, 1.0);
    }

    #[test]
    fn a_sleeper_waits() {
        let sleeper = Activity {
            process_cpu_ns: 17_000_000,
            thread_cpu_ns: Some(17_000_000),
            voluntary_switches: 250,
            ..BUSY
        };
        assert_eq!(route(&sleeper).occupation, Occupation::Waits);
    }

    #[test]
    fn time_lost_to_others_is_not_waiting() {
        let crowded = Activity { wall_ns: 100_000_000, run_delay_ns: Some(50_000_000), ..BUSY };
        assert_eq!(route(&crowded).occupation, Occupation::CpuBound);
        // Lost where the run queue does not see it, but never given up: still not waiting.
        let stolen = Activity { wall_ns: 100_000_000, ..BUSY };
        assert_eq!(route(&stolen).occupation, Occupation::CpuBound);
    }

    #[test]
    fn a_helper_thread_shows_in_the_process_clock() {
        let helped =
            Activity { process_cpu_ns: 98_000_000, thread_cpu_ns: Some(49_000_000), ..BUSY };
        assert_eq!(route(&helped).occupation, Occupation::UsesThreads);
        let idle_pool = Activity { process_cpu_ns: 49_900_100, ..BUSY };
        assert_eq!(route(&idle_pool).occupation, Occupation::CpuBound);
    }

    #[test]
    fn a_command_uses_threads_beyond_a_twentieth_more_cpu_than_wall() {
        let command = |cpu| Activity {
            process_cpu_ns: cpu,
            thread_cpu_ns: None,
            wall_ns: 100_000_000,
            ..BUSY
        };
        let at = |cpu| route(&command(cpu)).occupation;
        assert_eq!(at(105_000_000), Occupation::CpuBound);
        assert_eq!(at(105_100_000), Occupation::UsesThreads);
    }

    #[test]
    fn without_a_run_delay_switches_in_every_repetition_decide() {
        let unknown = |switches, repetitions| {
            let activity =
                Activity { run_delay_ns: None, voluntary_switches: switches, repetitions, ..BUSY };
            route(&activity).occupation
        };
        assert_eq!(unknown(2, 3), Occupation::CpuBound);
        assert_eq!(unknown(3, 3), Occupation::Waits);
        assert_eq!(unknown(1, 1), Occupation::Waits);
        assert_eq!(unknown(0, 1), Occupation::CpuBound);
    }

    #[test]
    fn nothing_measured_is_no_division_by_zero() {
        let nothing = Activity {
            wall_ns: 0,
            process_cpu_ns: 0,
            thread_cpu_ns: Some(0),
            run_delay_ns: Some(0),
            ..BUSY
        };
        let routing = route(&nothing);
        assert!(routing.blocked.unwrap().is_finite() && routing.cpu_ratio.is_finite());
    }
}
