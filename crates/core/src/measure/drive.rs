//! The loop around the machine: ask, do, note, tell.

use super::action::{Action, Outcome};
use super::machine::Machine;
use crate::events::{Event, Listener};
use bench_results::{JournalError, StoppedBy};

/// Carries out actions: the real driver, or a simulated one in tests.
pub trait Perform {
    /// Carries out one action.
    fn perform(&mut self, action: &Action) -> Outcome;
}

impl Perform for super::driver::Driver<'_> {
    fn perform(&mut self, action: &Action) -> Outcome {
        Self::perform(self, action)
    }
}

/// Runs the machine to its end. Every outcome is noted before it is acted on, so that a crash loses
/// at most the action that was under way.
///
/// # Errors
/// Those of `note`: what was measured until then is in the machine.
pub fn drive(
    machine: &mut Machine,
    performer: &mut dyn Perform,
    note: &mut dyn FnMut(&Outcome) -> Result<(), JournalError>,
    listener: &mut dyn Listener,
) -> Result<StoppedBy, JournalError> {
    let mut round = None;
    loop {
        let action = machine.next();
        machine.news().iter().for_each(|event| listener.event(event));
        if let Action::Done(stopped) = action {
            // The last blocks' verdicts are known only now.
            listener.event(&Event::Measured(machine.progress()));
            return Ok(stopped);
        }
        announce(machine, &action, &mut round, listener);
        let outcome = performer.perform(&action);
        note(&outcome)?;
        machine.apply(outcome);
        if matches!(action, Action::Pilot(_) | Action::Block(_)) {
            listener.event(&Event::Measured(machine.progress()));
        }
    }
}

fn announce(
    machine: &Machine,
    action: &Action,
    round: &mut Option<u32>,
    listener: &mut dyn Listener,
) {
    if *round != Some(machine.progress().round) {
        *round = Some(machine.progress().round);
        listener.event(&Event::RoundStarted { round: machine.progress().round });
    }
    let case = match action {
        Action::Pilot(pilot) => pilot.case,
        Action::Block(order) => order.case,
        _ => return,
    };
    listener.event(&Event::Measuring { benchmark: machine.cases()[case].id.clone() });
}

/// Brings a fresh machine to where an earlier run of the same plan stopped.
///
/// Gives the number of outcomes that fitted; the rest (there is none unless the plan differs) is
/// not taken in. An interruption is no outcome of the plan and is passed over.
pub fn replay(machine: &mut Machine, outcomes: Vec<Outcome>) -> usize {
    let mut taken = 0;
    for outcome in outcomes {
        if outcome == Outcome::Interrupted {
            continue;
        }
        if !fits(&machine.next(), &outcome) {
            break;
        }
        machine.apply(outcome);
        taken += 1;
    }
    taken
}

fn fits(action: &Action, outcome: &Outcome) -> bool {
    match (action, outcome) {
        (Action::Open { .. }, Outcome::Opened { .. })
        | (Action::Close { .. }, Outcome::Closed { .. }) => true,
        (Action::Pilot(pilot), Outcome::Pilot { case, .. }) => pilot.case == *case,
        (Action::Block(order), Outcome::Block(block)) => {
            (order.case, order.position, order.sentinel)
                == (block.case, block.position, block.sentinel)
        }
        _ => false,
    }
}
