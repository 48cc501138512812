//! Blocks of benchmarks that a worker steps: both sides opened, measured against each other slice by
//! slice, and closed.

use super::action::{Activity, BlockOrder, CaseFailure, LaunchReading, Pilot, PilotReading};
use super::driver::Trouble;
use super::session::Session;
use bench_harness::{Measure, Reply, Request};
use bench_results::{Schedule, SideName};
use std::time::{Duration, Instant};

/// Untimed work before the first slice, nanoseconds of CPU, and at least one call; calls above the
/// second bound need none. What is still colder in the first pair or two is outvoted by the others.
const WARM_UP_NS: u64 = 3_000_000;
const NO_WARM_UP_ABOVE_NS: f64 = 100e6;

/// Pairs of slices in a block (rule 8): no more than a coin has bits for.
const MIN_PAIRS: u32 = 5;
const MAX_PAIRS: u32 = 60;

/// Where each call has its own set-up, a block of so many pairs ends after this time of both sides
/// together: set-ups may cost a hundred times what is timed.
const FRESH_PAIRS: u32 = 15;
const FRESH_BLOCK: Duration = Duration::from_millis(300);

/// Untimed calls before the first slice where each has its own set-up.
const FRESH_WARM_UP: u32 = 2;

/// Sub-samples of a launch in the sequential schedule and how long each should be (statistics 4.1).
const SUB_SAMPLES: u32 = 4;
const SUB_SAMPLE_NS: f64 = 5e6;

type Launches = [Result<LaunchReading, CaseFailure>; 2];

impl Session<'_> {
    /// Measures one block. A side that fails is part of the result; both members are then void.
    pub(super) fn block(
        &mut self,
        order: &BlockOrder,
        core: Option<usize>,
    ) -> Result<Launches, Trouble> {
        let measured = match order.schedule {
            _ if self.case.gives_value() => self.values(order),
            Schedule::Alternate => self.alternate(order, core),
            Schedule::Duet => self.duet(order, core),
            Schedule::Sequential => self.sequential(order, core),
        };
        let closed = self.close();
        let failure = match measured.and(closed) {
            Ok(()) => None,
            Err(Trouble::Case(failure)) => Some(failure),
            Err(Trouble::Interrupted) => return Err(Trouble::Interrupted),
        };
        let [base, head] = self.readings.clone();
        Ok(match failure {
            None => [Ok(base), Ok(head)],
            Some(failure) if failure.side() == SideName::Base => [Err(failure), Ok(head)],
            Some(failure) => [Ok(base), Err(failure)],
        })
    }

    /// Both alive on one core; a slice each, in random order, until both together have had their
    /// CPU time.
    fn alternate(&mut self, order: &BlockOrder, core: Option<usize>) -> Result<(), Trouble> {
        self.open_both(order.first, core)?;
        self.warm_up(order)?;
        let mut spent = 0;
        let started = Instant::now();
        for pair in 0..MAX_PAIRS {
            let base_first = order.pairs >> pair & 1 == 1;
            let first = if base_first { SideName::Base } else { SideName::Head };
            for side in [first, first.other()] {
                let slices = self.measure(side, self.slices(order, 1, 1, 0))?;
                spent += slices.iter().map(|slice| slice.0).sum::<u64>();
                self.readings[side.index()].slices.extend(slices);
            }
            let set_ups_dominate =
                order.fresh && pair + 1 >= FRESH_PAIRS && started.elapsed() > FRESH_BLOCK;
            if set_ups_dominate || spent >= order.cpu_target_ns && pair + 1 >= MIN_PAIRS {
                break;
            }
        }
        Ok(())
    }

    /// Both released at once on one core; each runs until it has had its CPU time.
    fn duet(&mut self, order: &BlockOrder, core: Option<usize>) -> Result<(), Trouble> {
        self.open_both(order.first, core)?;
        self.warm_up(order)?;
        let min = match order.call_ns {
            call if call > 100e6 => 1,
            call if call > 20e6 => 3,
            _ => MIN_PAIRS,
        };
        let request = self.slices(order, min, MAX_PAIRS, order.cpu_target_ns / 2);
        for side in [order.first, order.first.other()] {
            let sent = self.worker(side)?.send(&Request::Measure(request));
            sent.map_err(|error| self.lost(side, &error))?;
        }
        for side in self.in_order_of_arrival(self.timeout(SideName::Head) * (min + 1))? {
            let slices = self.take_slices(side, request)?;
            self.readings[side.index()].slices = slices;
        }
        Ok(())
    }

    /// One side after the other.
    fn sequential(&mut self, order: &BlockOrder, core: Option<usize>) -> Result<(), Trouble> {
        let long = order.call_ns > NO_WARM_UP_ABOVE_NS;
        let count = if long { 1 } else { SUB_SAMPLES };
        let loops = (SUB_SAMPLE_NS / order.call_ns.max(1.0)).ceil().max(1.0) as u64;
        let order = BlockOrder {
            loops: if order.fresh { order.loops } else { loops.max(order.loops) },
            ..*order
        };
        for side in [order.first, order.first.other()] {
            self.open(side, core)?;
            self.warm_up_side(side, &order)?;
            let slices = self.measure(side, self.slices(&order, count, count, 0))?;
            self.readings[side.index()].slices = slices;
            self.readings[side.index()].loops = order.loops;
            self.close_side(side)?;
        }
        Ok(())
    }

    /// One value per side.
    fn values(&mut self, order: &BlockOrder) -> Result<(), Trouble> {
        for side in [order.first, order.first.other()] {
            self.open(side, None)?;
            let request = Request::Measure(self.slices(order, 1, 1, 0));
            let timeout = self.timeout(side);
            match self.ask(side, &request, timeout)? {
                Reply::Value(value) => self.readings[side.index()].value = Some(value),
                other => return Err(self.unexpected(side, &other)),
            }
            self.close_side(side)?;
        }
        Ok(())
    }

    fn slices(&self, order: &BlockOrder, min: u32, max: u32, cpu_ns: u64) -> Measure {
        Measure {
            loops: order.loops,
            fresh: order.fresh,
            lead_in_ns: order.lead_in_ns,
            slices: max,
            min_slices: min,
            cpu_ns,
        }
    }

    fn warm_up(&mut self, order: &BlockOrder) -> Result<(), Trouble> {
        for side in [order.first, order.first.other()] {
            self.warm_up_side(side, order)?;
        }
        Ok(())
    }

    fn warm_up_side(&mut self, side: SideName, order: &BlockOrder) -> Result<(), Trouble> {
        self.readings[side.index()].loops = order.loops;
        if order.call_ns > NO_WARM_UP_ABOVE_NS {
            return Ok(());
        }
        let most = if order.fresh { FRESH_WARM_UP } else { u32::MAX };
        let request = Measure { lead_in_ns: 0, ..self.slices(order, 1, most, WARM_UP_NS) };
        self.measure(side, request).map(drop)
    }

    /// Gets to know the case; see [`super::pilot`].
    pub(super) fn pilot(
        &mut self,
        pilot: &Pilot,
        core: Option<usize>,
    ) -> Result<PilotReading, Trouble> {
        super::pilot::run(self, pilot, core)
    }
}

/// A case without timed code needs no calibration.
pub(super) fn nothing_to_learn(inputs_differ: bool) -> PilotReading {
    PilotReading {
        loops: 1,
        fresh_loops: 1,
        call_ns: 0.0,
        probes: [Activity::default(); 2],
        shared: None,
        state: None,
        setup_ns: 0,
        inputs_differ,
        metrics: Vec::new(),
    }
}
