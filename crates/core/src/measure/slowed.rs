//! A head that is slower on purpose: everything is measured as always, and head's times are taken to
//! be longer than they were. What decides afterwards cannot tell, so that it must find them.

use super::action::{Action, LaunchReading, Outcome};
use super::drive::Perform;
use bench_harness::SliceReading;
use bench_results::SideName;

/// Carries out actions as another does, with head's times longer by a fraction (0.06 is 6 %).
pub struct Slowed<'p> {
    performer: &'p mut dyn Perform,
    by: f64,
}

impl<'p> Slowed<'p> {
    /// Around a performer.
    pub fn new(performer: &'p mut dyn Perform, by: f64) -> Self {
        Self { performer, by }
    }
}

impl Perform for Slowed<'_> {
    fn perform(&mut self, action: &Action) -> Outcome {
        let mut outcome = self.performer.perform(action);
        if let Outcome::Block(block) = &mut outcome
            && !block.sentinel
            && let Ok(head) = &mut block.sides[SideName::Head.index()]
        {
            slow_down(head, 1.0 + self.by);
        }
        outcome
    }
}

fn slow_down(launch: &mut LaunchReading, factor: f64) {
    let longer = |nanoseconds: &mut u64| *nanoseconds = (*nanoseconds as f64 * factor) as u64;
    for SliceReading(cpu, wall, thread, _, _) in &mut launch.slices {
        [cpu, wall, thread].into_iter().for_each(longer);
    }
    if let Some(reported) = &mut launch.reported {
        reported.wall_ns.iter_mut().chain(&mut reported.cpu_ns).for_each(|time| *time *= factor);
    }
}

#[cfg(test)]
mod tests {
    use super::super::action::BlockReading;
    use super::*;
    use bench_results::{Clock, Schedule};

    /// Answers everything with one block.
    struct One(bool);

    impl Perform for One {
        fn perform(&mut self, _: &Action) -> Outcome {
            let launch = || LaunchReading {
                slices: vec![SliceReading(1000, 2000, 500, None, 3)],
                loops: 1,
                value: None,
                max_rss_bytes: Some(7),
                reported: None,
            };
            Outcome::Block(Box::new(BlockReading {
                case: 0,
                sentinel: self.0,
                position: 0,
                first: SideName::Base,
                cost_s: 0.0,
                started_ms: 0,
                core: None,
                load: Some(0.0),
                schedule: Schedule::Alternate,
                clock: Clock::Cpu,
                sides: [Ok(launch()), Ok(launch())],
            }))
        }
    }

    fn slices(sentinel: bool) -> [SliceReading; 2] {
        let mut one = One(sentinel);
        let outcome = Slowed::new(&mut one, 0.1).perform(&Action::Close { group: 0 });
        let Outcome::Block(block) = outcome else { panic!("no block") };
        block.sides.map(|side| side.unwrap().slices[0])
    }

    #[test]
    fn only_heads_times_are_longer() {
        let as_it_was = SliceReading(1000, 2000, 500, None, 3);
        assert_eq!(slices(false), [as_it_was, SliceReading(1100, 2200, 550, None, 3)]);
    }

    #[test]
    fn the_sentinel_is_left_alone() {
        let [base, twin] = slices(true);
        assert_eq!(base, twin);
    }
}
