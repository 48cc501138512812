//! A performer without processes: a virtual clock, scripted noise and scripted failures.

use super::bench::{Bench, Fault, Values};
use super::noise::{Draws, name_key, side_key};
use bench_core::measure::action::{
    Action, Activity, BlockOrder, BlockReading, CaseFailure, LaunchReading, Outcome, Pilot,
    PilotReading,
};
use bench_core::measure::drive::Perform;
use bench_harness::{HowMeasured, SliceReading, StatePair, ValueReading};
use bench_results::{Failure, SideName};

/// Slices per launch: enough for a median, few enough for millions of blocks.
const SLICES: u64 = 3;

/// What actions take, seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    pub(crate) open: f64,
    pub(crate) pilot: f64,
    pub(crate) block: f64,
    pub(crate) close: f64,
}

impl Default for Costs {
    fn default() -> Self {
        Self { open: 0.125, pilot: 0.25, block: 0.25, close: 0.015_625 }
    }
}

/// Which side the performer lets go first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Obedience {
    /// As it is told.
    Coin,
    /// Always base, whatever the coin says: a broken driver.
    AlwaysBase,
}

/// The simulated machine.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) benches: Vec<Bench>,
    pub(crate) costs: Costs,
    pub(crate) clock_s: f64,
    /// All times are multiplied by this.
    pub(crate) scale: f64,
    pub(crate) obedience: Obedience,
    /// A signal arrives instead of the outcome of this number.
    pub(crate) interrupt_at: Option<usize>,
    /// Rounds in which no worker can be started.
    pub(crate) broken_rounds: Vec<u32>,
    /// How much slower base's twin is than base.
    pub(crate) twin: f64,
    pub(crate) performed: usize,
    pub(crate) pilots: Vec<u32>,
}

impl World {
    pub(crate) fn new(seed: u64, benches: Vec<Bench>) -> Self {
        let pilots = vec![0; benches.len()];
        Self {
            seed,
            benches,
            costs: Costs::default(),
            clock_s: 0.0,
            scale: 1.0,
            obedience: Obedience::Coin,
            interrupt_at: None,
            broken_rounds: Vec::new(),
            twin: 1.0,
            performed: 0,
            pilots,
        }
    }

    /// The same world for the rest of an interrupted run.
    pub(crate) fn resumed(mut self, taken: &[Outcome]) -> Self {
        for outcome in taken {
            self.clock_s += match outcome {
                Outcome::Opened { cost_s, .. }
                | Outcome::Closed { cost_s }
                | Outcome::Pilot { cost_s, .. } => *cost_s,
                Outcome::Block(block) => block.cost_s,
                Outcome::Interrupted => 0.0,
            };
            if let Outcome::Pilot { case, .. } = outcome {
                self.pilots[*case] += 1;
            }
        }
        self
    }

    fn spend(&mut self, seconds: f64) -> f64 {
        self.clock_s += seconds;
        seconds
    }

    fn pilot(&mut self, order: &Pilot) -> Outcome {
        let attempt = self.pilots[order.case];
        self.pilots[order.case] += 1;
        let bench = &self.benches[order.case];
        let fails = |side: SideName| bench.faults.iter().find_map(|f| f.at_pilot(side, attempt));
        let failed = [order.first, order.first.other()].into_iter().find_map(fails);
        let result = match failed {
            Some(failure) => Err(failure),
            None => Ok(reading(bench, self.scale, order.state_test)),
        };
        let cost_s = self.spend(self.costs.pilot);
        Outcome::Pilot { case: order.case, cost_s, result }
    }

    fn block(&mut self, order: &BlockOrder) -> Outcome {
        let bench = &self.benches[order.case];
        let failure = |side| bench.faults.iter().find_map(|f| f.at_block(side, order));
        let sides = SideName::BOTH.map(|side| match failure(side).filter(|_| !order.sentinel) {
            Some(failure) => Err(failure),
            None => Ok(self.launch(bench, order, side)),
        });
        let started_ms = (self.clock_s * 1000.0) as u64;
        Outcome::Block(Box::new(BlockReading {
            case: order.case,
            sentinel: order.sentinel,
            position: order.position,
            first: order.first,
            cost_s: self.spend(self.costs.block),
            started_ms,
            core: Some(0),
            load: Some(0.5),
            schedule: order.schedule,
            clock: order.clock,
            sides,
        }))
    }

    fn launch(&self, bench: &Bench, order: &BlockOrder, side: SideName) -> LaunchReading {
        let first = match self.obedience {
            Obedience::Coin => order.first,
            Obedience::AlwaysBase => SideName::Base,
        };
        let second = side != first;
        let at_s = self.clock_s + if second { 0.5 * self.costs.block } else { 0.0 };
        let key = [
            self.seed,
            name_key(&bench.id),
            u64::from(order.position),
            side_key(side),
            u64::from(order.sentinel),
        ];
        let truth = match (side, order.sentinel) {
            (SideName::Base, _) => 1.0,
            (SideName::Head, true) => self.twin,
            (SideName::Head, false) => bench.ratio,
        };
        let factor = truth * bench.noise.factor(&key, at_s, second) * self.scale;
        let waits = waits(bench, side, order.position);
        let is_value = bench.values != Values::None;
        let slices = if is_value { 0 } else { bench.slices() };
        let slice = |nth: u64| {
            let mut draws = Draws::of(&[key[0], key[1], key[2], key[3], key[4], 1, nth]);
            let jitter = 1.0 + 0.001 * draws.normal();
            time(bench.call_ns * order.loops as f64 * factor * jitter, waits)
        };
        LaunchReading {
            slices: (0..slices).map(slice).collect(),
            loops: order.loops,
            value: bench.values.draw(side, &mut Draws::of(&key)),
            max_rss_bytes: Some(bench.memory[side.index()]),
            reported: None,
        }
    }
}

impl Perform for World {
    fn perform(&mut self, action: &Action) -> Outcome {
        self.performed += 1;
        if self.interrupt_at.is_some_and(|at| self.performed > at) {
            return Outcome::Interrupted;
        }
        match action {
            Action::Open { round, .. } => {
                let failure = self.broken_rounds.contains(round).then(|| Failure {
                    side: Some(SideName::Head),
                    stage: "import".to_owned(),
                    message: "no module named x".to_owned(),
                    stderr_tail: String::new(),
                });
                Outcome::Opened { cost_s: self.spend(self.costs.open), failure }
            }
            Action::Pilot(order) => self.pilot(order),
            Action::Block(order) => self.block(order),
            Action::Close { .. } => Outcome::Closed { cost_s: self.spend(self.costs.close) },
            Action::Done(_) => Outcome::Interrupted,
        }
    }
}

impl Bench {
    fn slices(&self) -> u64 {
        if self.how == HowMeasured::Opaque { 1 } else { SLICES }
    }
}

/// Whether this side waits in the block at this position; in the pilot, if it does in the first.
fn waits(bench: &Bench, side: SideName, position: u32) -> bool {
    bench.waits.as_ref().is_some_and(|(who, blocks)| *who == side && blocks.contains(&position))
}

/// A slice of so much CPU time; a side that waits spends as much again away from the processor.
fn time(cpu_ns: f64, waits: bool) -> SliceReading {
    let cpu = cpu_ns.round() as u64;
    if waits {
        SliceReading(cpu, 2 * cpu, cpu, Some(0), 5)
    } else {
        SliceReading(cpu, cpu, cpu, Some(0), 0)
    }
}

fn reading(bench: &Bench, scale: f64, state_test: bool) -> PilotReading {
    let probe = |side: SideName| {
        let mut activity = Activity::default();
        let waits = waits(bench, side, 0);
        (0..3).for_each(|_| activity.add(&time(bench.call_ns * scale, waits)));
        activity
    };
    let later = bench.call_ns * scale;
    let pair = |nth: u64| {
        let jitter = 1.0 + 0.01 * Draws::of(&[name_key(&bench.id), nth]).normal();
        StatePair((later * bench.first_call * jitter) as u64, later as u64)
    };
    let pairs: Vec<StatePair> = (0..40).map(pair).collect();
    PilotReading {
        loops: 4,
        fresh_loops: 1,
        call_ns: bench.call_ns * scale,
        probes: SideName::BOTH.map(probe),
        shared: None,
        state: state_test.then(|| [pairs.clone(), pairs]),
        setup_ns: 1000,
        inputs_differ: bench.inputs_differ,
        metrics: Vec::new(),
    }
}

impl Values {
    fn draw(&self, side: SideName, draws: &mut Draws) -> Option<ValueReading> {
        let pick = |pair: &[f64; 2]| pair[side.index()];
        Some(match self {
            Self::None => return None,
            Self::Exact(pair) => ValueReading::Number(pick(pair)),
            Self::Within(pair, range) => {
                ValueReading::Number(pick(pair) * (1.0 + range * (draws.unit() - 0.5)))
            }
            Self::Noisy(pair, sd) => ValueReading::Number(pick(pair) * (sd * draws.normal()).exp()),
            Self::Around(pair) => ValueReading::Number(pick(pair) + draws.normal()),
            Self::Nan if side == SideName::Head => ValueReading::Nan,
            Self::Nan => ValueReading::Number(1.0),
            Self::Text => ValueReading::Text("fast".to_owned()),
        })
    }
}

impl Fault {
    fn at_pilot(self, side: SideName, attempt: u32) -> Option<CaseFailure> {
        match self {
            Self::Pilots(who, times) if who == side && attempt < times => Some(crash(side)),
            Self::Skips(who) if who == side => {
                Some(CaseFailure::Skipped { side, reason: "needs a newer compiler".to_owned() })
            }
            Self::Hangs(who) if who == side => Some(failure(side, "timeout", "60 s")),
            _ => None,
        }
    }

    fn at_block(self, side: SideName, order: &BlockOrder) -> Option<CaseFailure> {
        let position = order.position;
        let (who, fails) = match self {
            Self::StandsStill(who, from) => {
                let stands =
                    who == side && position >= from && order.clock == bench_results::Clock::Cpu;
                return stands.then(|| failure(side, "clock", "its CPU time stands still"));
            }
            Self::BlocksBelow(who, below) => (who, position < below),
            Self::BlocksFrom(who, from) => (who, position >= from),
            Self::Every(who, period) => (who, position % period == period - 1),
            Self::Pilots(..) | Self::Skips(_) | Self::Hangs(_) => return None,
        };
        (who == side && fails).then(|| crash(side))
    }
}

fn crash(side: SideName) -> CaseFailure {
    failure(side, "run", "ValueError: no")
}

fn failure(side: SideName, stage: &str, message: &str) -> CaseFailure {
    CaseFailure::Failed(Failure {
        side: Some(side),
        stage: stage.to_owned(),
        message: message.to_owned(),
        stderr_tail: "Traceback".to_owned(),
    })
}
