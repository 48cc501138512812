//! The pilot of a stepped case: how many calls make a slice, how the case uses the machine, whether
//! it minds a shared cache, and whether its state matters. Nothing of it counts as evidence.

use super::action::{Activity, Pilot, PilotReading};
use super::driver::Trouble;
use super::routing::{log_ratios, occupation, probed};
use super::session::Session;
use bench_harness::{HowMeasured, Measure, Reply, Request, SliceReading, StatePair};
use bench_results::SideName;
use bench_stats::{Occupation, median, state_matters};

/// What a slice should take, nanoseconds. Where a core's speed jumps every few milliseconds, as on
/// shared machines, neighbours that are shorter agree better, and more of them fit into a block: 16
/// kernels of .3 to 3 ms took 117 blocks with slices of this length, and 154 with those of 1 ms (four
/// and two runs, in turns).
const SLICE_NS: f64 = 3e5;

/// How much longer a slice of head may be than one of base was made: a call that got a thousand times
/// slower must not take a thousand milliseconds each time.
const SLOWER_SLICE: u64 = 20;

/// A slice with fresh set-ups should take no longer than this, set-ups included.
const FRESH_SLICE_NS: f64 = 20e6;

/// CPU time of the routing probe, nanoseconds, and its fewest repetitions: waiting and threads show
/// in the first few slices, and every fourth block looks again.
const PROBE_NS: u64 = 12_000_000;
const LONG_PROBE_NS: u64 = 50_000_000;
const PROBE_REPETITIONS: u32 = 3;

/// A probe up to this long is made again where it seems to wait, nanoseconds.
const SECOND_LOOK_NS: u64 = 250_000_000;

/// Calibration gives up growing here: nothing is that quick.
const MOST_LOOPS: u64 = 1 << 30;

/// The cache detector: base alone for so long, against alternated slices: twice, and twice more where
/// sharing seems to cost anything; not for calls that outlast a refill of the cache.
const ALONE_NS: f64 = 8e6;
const FIRST_SWAPS: usize = 2;
const SWAPS: usize = 4;
const SUSPICIOUS_COST: f64 = 1.02;
const REFILLING_CALL_NS: f64 = 5e6;

/// The state test (rule 9): fifteen pairs, and forty where those raise a suspicion; only fifteen where
/// the set-up is slow, none where it is slower still.
const FIRST_STATE_PAIRS: u32 = 15;
const STATE_PAIRS: u32 = 40;
const SLOW_SETUP_NS: u64 = 50_000_000;
const VERY_SLOW_SETUP_NS: u64 = 1_000_000_000;

pub(super) fn run(
    session: &mut Session<'_>,
    pilot: &Pilot,
    core: Option<usize>,
) -> Result<PilotReading, Trouble> {
    let mut setup_ns = 0;
    for side in [pilot.first, pilot.first.other()] {
        let opened = session.open(side, None)?;
        if side == SideName::Base {
            setup_ns = opened.setup_ns;
        }
    }
    let (case, inputs_differ) = session.parts();
    let number = case.number();
    let batched = matches!(case.how(), HowMeasured::Stepped { .. });
    let (loops, call_ns) = if batched { both_bear(session, number)? } else { once(session)? };
    let probes = [
        probe(session, SideName::Base, loops, number)?,
        probe(session, SideName::Head, loops, number)?,
    ];
    let detects = batched && number.is_none() && call_ns <= REFILLING_CALL_NS;
    let shared = match core.filter(|&core| detects && session.pin(core)) {
        Some(_) => Some(share(session, loops, call_ns)?),
        None => None,
    };
    let state = if pilot.state_test { state(session, setup_ns)? } else { None };
    let per_call = call_ns + setup_ns as f64;
    let fresh = (SLICE_NS / call_ns.max(1.0)).min(FRESH_SLICE_NS / per_call.max(1.0)).max(1.0);
    let fresh_loops = number.map_or(fresh as u64, |number| loops.max(number));
    Ok(PilotReading {
        loops,
        fresh_loops,
        call_ns,
        probes,
        shared,
        state,
        setup_ns,
        inputs_differ,
        metrics: Vec::new(),
    })
}

/// Calls in a slice, and nanoseconds of one: by base, unless head takes far longer for as many.
fn both_bear(session: &mut Session<'_>, number: Option<u64>) -> Result<(u64, f64), Trouble> {
    let (loops, call_ns) = calibrate(session, SideName::Base, number)?;
    if loops <= number.unwrap_or(1).saturating_mul(SLOWER_SLICE) {
        return Ok((loops, call_ns));
    }
    let (of_head, _) = calibrate(session, SideName::Head, number)?;
    let most = of_head.saturating_mul(SLOWER_SLICE);
    if loops <= most {
        return Ok((loops, call_ns));
    }
    // All that is made as long as calls allow is then as short as head needs it.
    Ok((most, SLICE_NS / most as f64))
}

/// Grows the number of calls until a slice is long enough. Gives it and one call's nanoseconds.
fn calibrate(
    session: &mut Session<'_>,
    side: SideName,
    number: Option<u64>,
) -> Result<(u64, f64), Trouble> {
    let unit = number.unwrap_or(1).max(1);
    let fresh = number.is_some();
    // The first call pays for what is loaded lazily.
    timed(session, side, unit, fresh)?;
    let mut loops = unit;
    loop {
        let slice = timed(session, side, loops, fresh)?;
        if slice >= SLICE_NS / 2.0 || loops >= MOST_LOOPS || slice > SLICE_NS {
            let call_ns = slice / loops as f64;
            let units = (SLICE_NS / (call_ns * unit as f64).max(1e-3)).ceil().max(1.0) as u64;
            return Ok(((units * unit).min(MOST_LOOPS.max(unit)), call_ns));
        }
        let growth = (SLICE_NS / slice.max(1.0)).clamp(2.0, 100.0);
        loops = ((loops as f64 * growth) as u64).div_ceil(unit) * unit;
    }
}

/// What runs in a process of its own is never batched.
fn once(session: &mut Session<'_>) -> Result<(u64, f64), Trouble> {
    let slice = timed(session, SideName::Base, 1, false)?;
    Ok((1, slice))
}

/// One slice: CPU, or wall where it mostly waits, nanoseconds.
fn timed(
    session: &mut Session<'_>,
    side: SideName,
    loops: u64,
    fresh: bool,
) -> Result<f64, Trouble> {
    let slices = session.measure(side, one(loops, fresh))?;
    let SliceReading(cpu, wall, ..) = slices[0];
    Ok(if cpu * 2 >= wall { cpu as f64 } else { wall as f64 })
}

fn one(loops: u64, fresh: bool) -> Measure {
    Measure { loops, fresh, lead_in_ns: 0, slices: 1, min_slices: 1, cpu_ns: 0 }
}

/// How the case uses the machine on this side: a short look in which it seems to wait is taken again,
/// and one in which other threads work is made longer. (Threads of a runtime, such as Go's or a
/// collector's, have their moments.)
fn probe(
    session: &mut Session<'_>,
    side: SideName,
    loops: u64,
    number: Option<u64>,
) -> Result<Activity, Trouble> {
    let request = Measure {
        slices: u32::MAX,
        min_slices: PROBE_REPETITIONS,
        cpu_ns: PROBE_NS,
        ..one(loops, number.is_some())
    };
    let mut look = |cpu_ns| {
        let mut activity = Activity::default();
        let request = Measure { cpu_ns, ..request };
        session.measure(side, request)?.iter().for_each(|slice| activity.add(slice));
        Ok((occupation(session.parts().0, &activity), activity))
    };
    let (occupied, mut first) = look(PROBE_NS)?;
    match occupied {
        Occupation::Waits if first.wall_ns <= SECOND_LOOK_NS => {
            let (_, second) = look(PROBE_NS)?;
            Ok(probed(session.parts().0, &[first, second]))
        }
        Occupation::UsesThreads if first.cpu_ns < LONG_PROBE_NS => {
            first.merge(&look(LONG_PROBE_NS)?.1);
            Ok(first)
        }
        _ => Ok(first),
    }
}

/// Base's time per call alone and in turns with head, both on one core.
fn share(session: &mut Session<'_>, loops: u64, call_ns: f64) -> Result<[f64; 2], Trouble> {
    let long = ((ALONE_NS / call_ns.max(1.0)) as u64).max(loops);
    let (mut alone, mut shared) = (Vec::new(), Vec::new());
    for swap in 0..SWAPS {
        if swap == FIRST_SWAPS {
            let [alone, shared] = least_apart(&alone, &shared);
            if shared < SUSPICIOUS_COST * alone {
                break;
            }
        }
        let slice = session.measure(SideName::Base, one(long, false))?[0];
        alone.push(slice.0 as f64 / long as f64);
        for _ in 0..2 {
            session.measure(SideName::Head, one(loops, false))?;
            let slice = session.measure(SideName::Base, one(loops, false))?[0];
            shared.push(slice.0 as f64 / loops as f64);
        }
    }
    Ok(least_apart(&alone, &shared))
}

/// Medians or minima of both, whichever lie closer together. A cold cache slows every shared slice;
/// a core that changes its speed for a while slows some of either kind.
fn least_apart(alone: &[f64], shared: &[f64]) -> [f64; 2] {
    let minimum = |times: &[f64]| times.iter().copied().min_by(f64::total_cmp);
    let medians = [alone, shared].map(|times| median(times).unwrap_or(0.0));
    let minima = [alone, shared].map(|times| minimum(times).unwrap_or(0.0));
    if minima[1] * medians[0] < medians[1] * minima[0] { minima } else { medians }
}

fn state(session: &mut Session<'_>, setup_ns: u64) -> Result<Option<[Vec<StatePair>; 2]>, Trouble> {
    if setup_ns > VERY_SLOW_SETUP_NS {
        return Ok(None);
    }
    let mut both = [Vec::new(), Vec::new()];
    for side in SideName::BOTH {
        both[side.index()] = state_of(session, side, setup_ns)?;
    }
    Ok(Some(both))
}

fn state_of(
    session: &mut Session<'_>,
    side: SideName,
    setup_ns: u64,
) -> Result<Vec<StatePair>, Trouble> {
    let mut pairs = state_pairs(session, side, FIRST_STATE_PAIRS)?;
    let is_suspicious = state_matters(&log_ratios(&pairs));
    if is_suspicious && setup_ns <= SLOW_SETUP_NS {
        pairs.extend(state_pairs(session, side, STATE_PAIRS - FIRST_STATE_PAIRS)?);
    }
    Ok(pairs)
}

fn state_pairs(
    session: &mut Session<'_>,
    side: SideName,
    pairs: u32,
) -> Result<Vec<StatePair>, Trouble> {
    // Three set-ups and calls a pair; the benchmark's own timeout is for one.
    let timeout = session.timeout(side) * pairs;
    match session.ask(side, &Request::State { pairs }, timeout)? {
        Reply::State(pairs) => Ok(pairs),
        other => Err(session.unexpected(side, &other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_that_changes_its_speed_is_no_cold_cache() {
        // Recorded on a shared virtual machine; medians alone would say 1.22 and 1.20.
        let [alone, shared] =
            least_apart(&[1.99, 1.16, 1.0, 1.28], &[1.98, 1.98, 0.98, 0.99, 1.0, 1.0, 2.0, 1.97]);
        assert_eq!(shared / alone, 0.98);
        let [alone, shared] =
            least_apart(&[2.21, 1.13, 1.0, 1.61], &[2.01, 1.31, 1.0, 1.91, 1.27, 1.67, 2.13, 1.6]);
        assert_eq!(shared / alone, 1.0);
    }

    #[test]
    fn a_cold_cache_shows_in_every_shared_slice() {
        let shared = [1.39, 1.42, 1.4, 1.38, 2.8, 1.41, 1.4, 1.39];
        let [alone, shared] = least_apart(&[1.0, 1.02, 2.0, 1.01], &shared);
        assert!(shared / alone > 1.37, "{alone} {shared}");
    }
}
