//! Drives a machine through a simulated world and judges what came of it.

use super::bench::{Bench, RULE};
use super::world::World;
use bench_core::assemble::{RowContext, case_rows, sentinel_row};
use bench_core::case::Case;
use bench_core::events::{Event, Listener, Progress};
use bench_core::judge;
use bench_core::measure::action::{Action, Outcome};
use bench_core::measure::drive::{Perform, drive, replay};
use bench_core::measure::machine::{Machine, Settings};
use bench_core::measure::state::Limits;
use bench_core::seed::Seed;
use bench_core::track::Bound;
use bench_results::{
    ComparisonInfo, ConfigInfo, Counts, PlanInfo, Results, Row, SCHEMA, StoppedBy, Summary,
    TimeSpent, ToolInfo, Trust, Verdict, WholeVerdict,
};

/// What a simulated run is asked to do.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) seed: String,
    pub(crate) head: String,
    pub(crate) budget_s: f64,
    pub(crate) max_blocks: u32,
    pub(crate) repeat: Option<u32>,
    pub(crate) sentinels: bool,
    pub(crate) groups: usize,
    pub(crate) alpha: f64,
    /// K where it is not the number of judged rows (shards).
    pub(crate) family: Option<u64>,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            seed: "run".to_owned(),
            head: "head".to_owned(),
            budget_s: 1e6,
            max_blocks: 60,
            repeat: None,
            sentinels: false,
            groups: 1,
            alpha: 0.05,
            family: None,
        }
    }
}

impl Ask {
    fn bound(&self, cases: &[Case]) -> Bound {
        let judged = cases.iter().flat_map(|case| &case.metrics).filter(|m| m.plan.gated).count();
        let family = self.family.unwrap_or(judged as u64);
        Bound { alpha: self.alpha, alpha_unchanged: 0.05, family }
    }

    pub(crate) fn machine(&self, benches: &[Bench]) -> Machine {
        let cases: Vec<Case> = benches.iter().map(Bench::case).collect();
        let settings = Settings {
            limits: Limits {
                bound: self.bound(&cases),
                max_blocks: self.max_blocks,
                repeat: self.repeat,
            },
            budget_s: self.budget_s,
            seed: Seed::new("base", &self.head, &self.seed),
            groups: (0..self.groups).map(|nth| ("suite".to_owned(), nth.to_string())).collect(),
            sentinels: self.sentinels,
        };
        Machine::new(settings, cases)
    }

    /// A whole run.
    pub(crate) fn run(&self, mut world: World) -> Ran {
        let machine = self.machine(&world.benches);
        go_on(self, machine, &mut world, Vec::new())
    }

    /// The rest of a run, after what an interrupted one noted.
    pub(crate) fn resume(&self, world: World, noted: Vec<Outcome>) -> Ran {
        let mut machine = self.machine(&world.benches);
        let expected = noted.iter().filter(|o| **o != Outcome::Interrupted).count();
        let taken = replay(&mut machine, noted.clone());
        assert_eq!(taken, expected, "every noted outcome fits the same plan");
        let mut world = world.resumed(&noted);
        go_on(self, machine, &mut world, noted)
    }
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) machine: Machine,
    pub(crate) actions: Vec<Action>,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) stopped: StoppedBy,
    pub(crate) ask: Ask,
}

/// How far the run was by the last that was told of it.
struct Last(Option<Progress>);

impl Listener for Last {
    fn event(&mut self, event: &Event) {
        if let Event::Measured(progress) = event {
            self.0 = Some(*progress);
        }
    }
}

fn go_on(ask: &Ask, mut machine: Machine, world: &mut World, mut outcomes: Vec<Outcome>) -> Ran {
    struct Watched<'a>(&'a mut World, &'a mut Vec<Action>);
    impl Perform for Watched<'_> {
        fn perform(&mut self, action: &Action) -> Outcome {
            self.1.push(action.clone());
            self.0.perform(action)
        }
    }
    let mut actions = Vec::new();
    let mut note = |outcome: &Outcome| {
        outcomes.push(outcome.clone());
        Ok(())
    };
    let mut watched = Watched(world, &mut actions);
    let mut last = Last(None);
    let stopped = drive(&mut machine, &mut watched, &mut note, &mut last)
        .expect("noting in memory cannot fail");
    assert_eq!(last.0, Some(machine.progress()), "the end was told as it is");
    Ran { machine, actions, outcomes, stopped, ask: ask.clone() }
}

impl Ran {
    fn context(&self) -> RowContext<'static> {
        RowContext {
            comparison: "main",
            machine: "simulated",
            suite: "suite",
            harness: "none",
            family: self.ask.bound(self.machine.cases()).family,
        }
    }

    /// The rows before the judge saw them.
    pub(crate) fn unjudged(&self) -> Results {
        let cases = 0..self.machine.cases().len();
        let rows = cases.flat_map(|case| case_rows(&self.context(), &self.machine, case));
        let sentinel = self
            .machine
            .sentinels()
            .iter()
            .map(|s| sentinel_row(&self.context(), &self.machine, s));
        Results {
            benchmarks: rows.collect(),
            sentinel: sentinel.collect(),
            stopped_by: self.stopped,
            ..empty(&self.ask, self.context().family)
        }
    }

    /// The judged results.
    pub(crate) fn results(&self) -> Results {
        let mut results = self.unjudged();
        judge::judge(&mut results);
        results
    }

    /// The judged row of this id.
    pub(crate) fn row(&self, id: &str) -> Row {
        let rows = self.results().benchmarks;
        let id = format!("suite/{id}");
        rows.into_iter().find(|row| row.id == id).expect("a row of this id")
    }

    pub(crate) fn verdict(&self, id: &str) -> Verdict {
        self.row(id).verdict.expect("a judged row")
    }
}

/// A results file without rows.
fn empty(ask: &Ask, family: u64) -> Results {
    Results {
        schema: SCHEMA.to_owned(),
        tool: ToolInfo { name: "bench-action".into(), version: "0".into(), commit: None },
        created: "2026-11-30T00:00:00Z".into(),
        command: Vec::new(),
        config: ConfigInfo { digest: String::new() },
        seed: ask.seed.clone(),
        settings: bench_results::Settings {
            alpha: ask.alpha,
            alpha_unchanged: 0.05,
            threshold: RULE.threshold,
            tolerance: RULE.tolerance,
            fail_threshold: RULE.threshold,
            threshold_absolute_ns: 0.0,
            max_blocks: ask.max_blocks,
            repeat: ask.repeat,
            time_budget_s: ask.budget_s,
        },
        plan: PlanInfo {
            digest: String::new(),
            family_size: family,
            planned: 0,
            screened: 0,
            found: 0,
        },
        shard: None,
        sides: Vec::new(),
        comparisons: vec![ComparisonInfo {
            id: "main".into(),
            base: "base".into(),
            head: "head".into(),
            machine: None,
        }],
        environments: Vec::new(),
        harnesses: Vec::new(),
        machines: Vec::new(),
        benchmarks: Vec::new(),
        sentinel: Vec::new(),
        trust: Trust { ok: true, reason: None },
        failure: None,
        summary: Summary {
            verdict: WholeVerdict::Empty,
            counts: Counts::default(),
            time: TimeSpent { prepare_s: 0.0, measure_s: 0.0, sliced_s: 0.0 },
        },
        finished: None,
        stopped_by: StoppedBy::Done,
        samples_file: None,
        warnings: Vec::new(),
    }
}
