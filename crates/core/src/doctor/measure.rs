//! Equal against equal: two processes of one built-in program, in each schedule that a run has.

use crate::seed::{BlockCoins, Seed};
use bench_process::{
    Capabilities, Channel, Environment, Holder, IdleWatch, Interrupt, KernelRequest, KernelSlice,
    LaunchError, Launcher, LineError, Lines, LockError, MachineLock, Process, Signal, Spec, Wait,
    allowed_cores, machine_lock_path,
};
use bench_results::{Clock, Schedule, SideName};
use bench_stats::{Coin, Rule, Sentinel, Sequence, median, paired_log_ratio, sentinel};
use serde::Serialize;
use std::time::{Duration, Instant};

/// The argument by which this program becomes the one that is measured.
pub const KERNEL: &str = "doctor-kernel";

/// Pairs of slices in a block that takes turns, and how long a slice is: as in a run.
const PAIRS: u32 = 60;
const SLICE_NS: f64 = 3e5;
/// Slices of a block that does not, and how much longer they are.
const SUB_SAMPLES: u32 = 4;
const SUB_SAMPLE: u64 = 5;
/// Untimed slices before a block.
const WARM_UP: u32 = 5;
/// Rounds of work with which the length of a slice is found.
const PROBE: u64 = 400;
/// A side that says nothing for so long is stuck.
const PATIENCE: Duration = Duration::from_secs(30);
/// What a process that is no longer wanted gets to end.
const GRACE: Duration = Duration::from_millis(200);
/// A statement needs so many blocks, and may take so many times longer for them.
const FEWEST: usize = 14;
const OVERTIME: u32 = 6;
/// How long another measurement is waited for.
const TURN: Duration = Duration::from_secs(60 * 60);
/// Log ratios below this are the tolerance of a run, and no alarm.
const TOLERANCE: f64 = 0.01;

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// A minute: twenty seconds for each schedule.
    Minute,
    /// Fifteen seconds in all.
    Quick,
}

impl Length {
    fn of_schedule(self) -> Duration {
        match self {
            Self::Minute => Duration::from_secs(20),
            Self::Quick => Duration::from_secs(5),
        }
    }
}

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Waiting for another measurement on this machine to end.
    Waiting(Option<Holder>),
    /// Measuring in this schedule.
    Measuring(Schedule),
}

/// The noise of one schedule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Noise {
    /// How both sides were run.
    pub schedule: Schedule,
    /// The clock that counted.
    pub clock: Clock,
    /// Blocks measured.
    pub blocks: u32,
    /// Robust standard deviation of a block's log ratio.
    pub spread: f64,
    /// The interval of the log ratio, which should hold 0; null = unbounded.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// Whether the two equal sides were found to differ.
    pub differs: bool,
    /// What a block took, seconds.
    pub block_s: f64,
}

/// Why the machine could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum DoctorError {
    /// A process of ours could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// Where this program is, is not told.
    #[error("this program cannot be found to start it again: {0}")]
    Current(std::io::Error),
    /// A process of ours did not answer.
    #[error("the built-in program did not answer: {0}; is the machine out of memory or processes?")]
    Answer(LineError),
    /// Another measurement does not end.
    #[error(transparent)]
    Lock(LockError),
    /// Too few blocks for any statement.
    #[error(
        "only {blocks} blocks of the {schedule} schedule in {seconds} s: the machine is too busy to be measured"
    )]
    TooFew {
        /// Which schedule.
        schedule: Schedule,
        /// How many there were.
        blocks: usize,
        /// In how long.
        seconds: u64,
    },
    /// A signal arrived.
    #[error("interrupted; nothing is left running")]
    Interrupted(Signal),
}

impl From<LineError> for DoctorError {
    fn from(error: LineError) -> Self {
        match error {
            LineError::Interrupted(signal) => Self::Interrupted(signal),
            other => Self::Answer(other),
        }
    }
}

impl From<LockError> for DoctorError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Interrupted(signal) => Self::Interrupted(signal),
            other => Self::Lock(other),
        }
    }
}

/// Measures every schedule that this system has, alone on the machine, and tells each step before it
/// begins.
///
/// # Errors
/// Any [`DoctorError`]; what was started has ended by then.
pub fn measure(
    length: Length,
    seed: &str,
    interrupt: &Interrupt,
    mut next: impl FnMut(Step),
) -> Result<Vec<Noise>, DoctorError> {
    let launcher = Launcher::current().map_err(DoctorError::Current)?;
    let _alone = alone(interrupt, &mut next)?;
    let can_pin = Capabilities::of_this_system().affinity;
    let mut bench = Bench {
        launcher: &launcher,
        cores: IdleWatch::new(if can_pin { allowed_cores() } else { Vec::new() }),
        seed: Seed::new(KERNEL, KERNEL, seed),
        loops: 1,
        interrupt,
    };
    bench.loops = bench.calibrate()?;
    let all = [Schedule::Alternate, Schedule::Duet, Schedule::Sequential];
    // Without pinning there is no duet.
    let schedules = all.into_iter().filter(|s| can_pin || *s != Schedule::Duet);
    schedules
        .map(|schedule| {
            next(Step::Measuring(schedule));
            bench.schedule(schedule, length.of_schedule())
        })
        .collect()
}

fn alone(interrupt: &Interrupt, next: &mut impl FnMut(Step)) -> Result<MachineLock, LockError> {
    match MachineLock::acquire(machine_lock_path(), Wait::Fail, interrupt) {
        Err(LockError::Held { holder }) => next(Step::Waiting(holder)),
        other => return other,
    }
    MachineLock::acquire(machine_lock_path(), Wait::For(TURN), interrupt)
}

struct Bench<'a> {
    launcher: &'a Launcher,
    cores: IdleWatch,
    seed: Seed,
    /// Rounds of work that make a slice.
    loops: u64,
    interrupt: &'a Interrupt,
}

/// A live process of the program.
struct Side {
    process: Process,
    channel: Lines,
}

impl Bench<'_> {
    /// How many rounds take a millisecond.
    fn calibrate(&mut self) -> Result<u64, DoctorError> {
        let core = self.cores.pick();
        let mut side = self.start(core)?;
        let slices = self.run(&mut side, PROBE, 2 * WARM_UP)?;
        self.end(side);
        let times: Vec<f64> = slices.iter().map(|slice| slice.0 as f64).collect();
        let round = median(&times).unwrap_or(SLICE_NS).max(1.0) / PROBE as f64;
        Ok((SLICE_NS / round).ceil().clamp(1.0, 1e9) as u64)
    }

    fn schedule(&mut self, schedule: Schedule, length: Duration) -> Result<Noise, DoctorError> {
        let clock = if schedule == Schedule::Sequential { Clock::Wall } else { Clock::Cpu };
        let mut sequence = Sequence::new(Rule::sentinel(TOLERANCE.ln_1p()));
        let started = Instant::now();
        let mut blocks = 0_u32;
        // A busy machine gets more time for the fewest blocks that say anything.
        let is_short = |s: &Sequence| s.decision().is_none() && s.len() < FEWEST;
        while started.elapsed() < length
            || is_short(&sequence) && started.elapsed() < length * OVERTIME
        {
            let coins = self.seed.block(schedule.word(), blocks);
            if let Some(d) = self.block(schedule, clock, coins)? {
                let is_base = coins.first == SideName::Base;
                sequence.push(d, if is_base { Coin::Tails } else { Coin::Heads });
            }
            blocks += 1;
        }
        let seconds = started.elapsed().as_secs_f64();
        let too_few = DoctorError::TooFew {
            schedule,
            blocks: sequence.len(),
            seconds: started.elapsed().as_secs(),
        };
        let spread = sequence.spread().filter(|_| !is_short(&sequence)).ok_or(too_few)?;
        let interval = sequence.interval();
        Ok(Noise {
            schedule,
            clock,
            blocks,
            spread,
            low: interval.low,
            high: interval.high,
            differs: sentinel(&sequence) == Sentinel::Alarm,
            block_s: seconds / f64::from(blocks.max(1)),
        })
    }

    /// One block: two processes, one log ratio. Nothing where a clock did not move.
    fn block(
        &mut self,
        schedule: Schedule,
        clock: Clock,
        coins: BlockCoins,
    ) -> Result<Option<f64>, DoctorError> {
        let core = self.cores.pick();
        let slices = match schedule {
            Schedule::Alternate => self.in_turns(core, coins)?,
            Schedule::Duet => self.at_once(core, coins)?,
            Schedule::Sequential => self.one_by_one(core, coins)?,
        };
        let cpu: u64 = slices.iter().flatten().map(|slice| slice.0).sum();
        if let Some(core) = core {
            self.cores.forgive(core, Duration::from_nanos(cpu));
        }
        let [base, head] = slices.map(|side| times(&side, clock));
        Ok(match schedule {
            Schedule::Sequential => {
                median(&base).zip(median(&head)).and_then(|(b, h)| paired_log_ratio(&[b], &[h]))
            }
            _ => paired_log_ratio(&base, &head),
        })
    }

    /// Both alive on one core, a slice each, in random order.
    fn in_turns(
        &self,
        core: Option<usize>,
        coins: BlockCoins,
    ) -> Result<[Vec<KernelSlice>; 2], DoctorError> {
        let mut sides = self.both(core, coins)?;
        let mut slices = [Vec::new(), Vec::new()];
        for pair in 0..PAIRS {
            let first = if coins.pairs >> pair & 1 == 1 { SideName::Base } else { SideName::Head };
            for side in [first, first.other()] {
                let slice = self.run(&mut sides[side.index()], self.loops, 1)?;
                slices[side.index()].extend(slice);
            }
        }
        sides.into_iter().for_each(|side| self.end(side));
        Ok(slices)
    }

    /// Both let go on one core, which the system shares out.
    fn at_once(
        &self,
        core: Option<usize>,
        coins: BlockCoins,
    ) -> Result<[Vec<KernelSlice>; 2], DoctorError> {
        let mut sides = self.both(core, coins)?;
        for side in [coins.first, coins.first.other()] {
            self.ask(&mut sides[side.index()], self.loops, PAIRS)?;
        }
        let mut slices = [Vec::new(), Vec::new()];
        for (side, slices) in sides.iter_mut().zip(&mut slices) {
            *slices = self.answer(side)?;
        }
        sides.into_iter().for_each(|side| self.end(side));
        Ok(slices)
    }

    /// One ends before the other begins.
    fn one_by_one(
        &self,
        core: Option<usize>,
        coins: BlockCoins,
    ) -> Result<[Vec<KernelSlice>; 2], DoctorError> {
        let mut slices = [Vec::new(), Vec::new()];
        for name in [coins.first, coins.first.other()] {
            let mut side = self.start(core)?;
            self.run(&mut side, self.loops, WARM_UP)?;
            slices[name.index()] = self.run(&mut side, self.loops * SUB_SAMPLE, SUB_SAMPLES)?;
            self.end(side);
        }
        Ok(slices)
    }

    /// Both sides, started and warmed up in the order of the coin.
    fn both(&self, core: Option<usize>, coins: BlockCoins) -> Result<[Side; 2], DoctorError> {
        let mut sides = [self.start(core)?, self.start(core)?];
        if coins.first == SideName::Head {
            sides.swap(0, 1);
        }
        for side in [coins.first, coins.first.other()] {
            self.run(&mut sides[side.index()], self.loops, WARM_UP)?;
        }
        Ok(sides)
    }

    fn start(&self, core: Option<usize>) -> Result<Side, DoctorError> {
        let mut spec =
            Spec::new(&self.launcher.exe, "/", Environment::empty()).with_arguments([KERNEL]);
        spec.cores = core.map(|core| vec![core]);
        spec.channel = Channel::Socket;
        let mut process = self.launcher.start(&spec)?;
        let channel = process.take_channel().ok_or(LineError::Closed)?;
        Ok(Side { process, channel: Lines::new(channel).map_err(LineError::Io)? })
    }

    fn run(
        &self,
        side: &mut Side,
        loops: u64,
        slices: u32,
    ) -> Result<Vec<KernelSlice>, DoctorError> {
        self.ask(side, loops, slices)?;
        self.answer(side)
    }

    fn ask(&self, side: &mut Side, loops: u64, slices: u32) -> Result<(), DoctorError> {
        let request = KernelRequest { loops, slices };
        Ok(side.channel.send(&request, Some(Instant::now() + PATIENCE), self.interrupt)?)
    }

    fn answer(&self, side: &mut Side) -> Result<Vec<KernelSlice>, DoctorError> {
        Ok(side.channel.receive(Some(Instant::now() + PATIENCE), self.interrupt)?)
    }

    /// The end of its channel ends it; what does not end then is killed.
    fn end(&self, side: Side) {
        let Side { mut process, channel } = side;
        drop(channel);
        let deadline = Instant::now() + GRACE;
        if process.wait(Some(deadline), self.interrupt).is_err() {
            process.kill(GRACE);
        }
    }
}

fn times(slices: &[KernelSlice], clock: Clock) -> Vec<f64> {
    let time = |slice: &KernelSlice| match clock {
        Clock::Cpu => slice.0 as f64,
        Clock::Wall => slice.1 as f64,
    };
    slices.iter().map(time).collect()
}
