//! All suites and environments made ready: several environments at a time, as far as cores and memory
//! go.
//!
//! A bay is a pair of checkouts. What is prepared in one bay is prepared one after the other, for builds
//! leave files in their tree; bays know nothing of each other. Where what is measured may lie in the tree,
//! each environment has a bay of its own. All threads have ended before anything is measured.

use crate::config::Config;
use crate::events::{Event, Listener};
use crate::plan::Plan;
use crate::prepare::{self, Planned, Prepared, Side, Workshop};
use crate::run::Job;
use bench_harness::{Language, Subject};
use bench_process::Machine;
use bench_results::{RunFailure, SideName};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};

/// What preparing both sides in one more environment may take: two compilers at work, or two resolvers
/// of dependencies.
const BYTES_OF_A_BAY: u64 = 3 << 30;

/// The bays that these many cores and bytes of memory allow for so many environments, at least one.
/// Memory that nobody knows of holds one back.
fn allowed(environments: usize, cores: usize, memory: Option<u64>) -> usize {
    let fit = usize::try_from(memory.unwrap_or(0) / BYTES_OF_A_BAY).unwrap_or(usize::MAX);
    environments.min(cores).min(fit).max(1)
}

/// The environment of each group, numbered as they first appear, and how many there are.
fn numbered<'a>(names: impl Iterator<Item = &'a str>) -> (Vec<usize>, usize) {
    let mut seen: Vec<&str> = Vec::new();
    let mut number = |name| {
        seen.iter().position(|other| *other == name).unwrap_or_else(|| {
            seen.push(name);
            seen.len() - 1
        })
    };
    (names.map(&mut number).collect(), seen.len())
}

/// How many bays there are, and in how many of them something is prepared at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hall {
    bays: usize,
    at_once: usize,
}

impl Hall {
    fn of(plan: &Plan<'_>, environments: usize) -> Self {
        let machine = Machine::read();
        let memory = machine.memory_bytes.into_iter().chain(machine.limits.memory_bytes).min();
        let allowed = allowed(environments, bench_process::allowed_cores().len(), memory);
        let python = |group: &Planned<'_>| group.harness.language() == Some(Language::Python);
        let is_laid_out = |side: &Side| matches!(side.subject, Subject::Commit { .. });
        let is_installed = plan.groups.iter().all(python);
        Self::with(environments, allowed, is_installed, plan.sides.iter().all(is_laid_out))
    }

    /// What Python runs is installed elsewhere: its trees serve one environment after the other. What
    /// others run may have been built in the tree, and a later build must not overwrite it; in the user's
    /// own tree, two at a time would do so at once.
    fn with(environments: usize, allowed: usize, is_installed: bool, is_laid_out: bool) -> Self {
        match (is_installed, is_laid_out) {
            (true, _) => Self { bays: allowed, at_once: allowed },
            (false, true) => Self { bays: environments.max(1), at_once: allowed },
            (false, false) => Self { bays: 1, at_once: 1 },
        }
    }
}

/// The sides in a bay: the first has the checkouts of always. Paths of both sides keep one length.
fn sides_in(bay: usize, sides: &[Side; 2]) -> [Side; 2] {
    let root = |path: &Path| match bay {
        0 => path.to_owned(),
        bay => path.with_extension(bay.to_string()),
    };
    sides.each_ref().map(|side| match &side.subject {
        Subject::Commit { commit, checkout } => Side {
            subject: Subject::Commit { commit: commit.clone(), checkout: root(checkout) },
            root: root(&side.root),
            ..side.clone()
        },
        Subject::Python { .. } | Subject::Path { .. } => side.clone(),
    })
}

/// A group of the plan, and where and by whom it is prepared.
struct Task<'a> {
    /// Its number in the plan.
    at: usize,
    group: &'a Planned<'a>,
    /// The name of its environment, where there are several.
    environment: Option<&'a str>,
    sides: &'a [Side; 2],
    thread: usize,
}

/// Lays out what is built and prepares every group of the plan, in the plan's order.
///
/// # Errors
/// The first group, by the plan's order, that could not be prepared. None is begun after that.
pub(crate) fn prepare_all(
    job: &Job<'_>,
    config: &Config,
    plan: &Plan<'_>,
    workshop: &Workshop<'_>,
    listener: &mut dyn Listener,
) -> Result<Vec<Prepared>, RunFailure> {
    let (numbers, environments) = numbered(plan.groups.iter().map(|group| group.name.as_str()));
    let hall = Hall::of(plan, environments);
    let sides = laid_out(job, config, plan, hall.bays)?;
    let task = |(at, (group, number)): (usize, (_, usize))| {
        let group: &Planned<'_> = group;
        let environment = (environments > 1).then_some(group.name.as_str());
        // Those of one environment are in one bay, and a bay is one thread's.
        let bay = number % hall.bays;
        Task { at, group, environment, sides: &sides[bay], thread: bay % hall.at_once }
    };
    let tasks: Vec<Task<'_>> = plan.groups.iter().zip(numbers).enumerate().map(task).collect();
    let (has_failed, (sender, told)) = (AtomicBool::new(false), channel());
    let mut made = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..hall.at_once)
            .map(|thread| {
                let own = tasks.iter().filter(move |task| task.thread == thread);
                let (has_failed, mut listener) = (&has_failed, Telling(sender.clone()));
                scope.spawn(move || one_by_one(workshop, own, has_failed, &mut listener))
            })
            .collect();
        drop(sender);
        // Ends when the last thread has let go of its end.
        told.iter().for_each(|event| listener.event(&event));
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|_| vec![panicked()]))
            .collect::<Vec<_>>()
    });
    made.sort_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, made)| made).collect()
}

/// Both sides' checkouts in every bay.
fn laid_out(
    job: &Job<'_>,
    config: &Config,
    plan: &Plan<'_>,
    bays: usize,
) -> Result<Vec<[Side; 2]>, RunFailure> {
    let sides: Vec<[Side; 2]> = (0..bays).map(|bay| sides_in(bay, &plan.sides)).collect();
    for side in sides.iter().flatten() {
        job.sides.lay_out(side.name, &side.root, config).map_err(|error| RunFailure {
            side: side.name,
            stage: "checkout".to_owned(),
            message: job.identity.redactor.text(&error.to_string()).into_owned(),
            stderr_tail: String::new(),
        })?;
    }
    Ok(sides)
}

type Made = (usize, Result<Prepared, RunFailure>);

fn one_by_one<'a>(
    workshop: &Workshop<'_>,
    tasks: impl Iterator<Item = &'a Task<'a>>,
    has_failed: &AtomicBool,
    listener: &mut dyn Listener,
) -> Vec<Made> {
    let mut made = Vec::new();
    for Task { at, group, environment, sides, .. } in tasks {
        if has_failed.load(Ordering::Relaxed) {
            break;
        }
        let prepared = prepare::prepare(workshop, group, sides, (*at, *environment), listener)
            .map_err(|failure| placed(*environment, failure));
        has_failed.fetch_or(prepared.is_err(), Ordering::Relaxed);
        made.push((*at, prepared));
    }
    made
}

/// Where there are several environments, a failure says in which it happened.
fn placed(environment: Option<&str>, mut failure: RunFailure) -> RunFailure {
    if let Some(name) = environment {
        failure.message = format!("in environment {name}: {}", failure.message);
    }
    failure
}

fn panicked() -> Made {
    let failure = prepare::failed(SideName::Base, prepare::panicked(), false);
    (usize::MAX, Err(failure))
}

/// Hands events to the thread that may listen.
struct Telling(Sender<Event>);

impl Listener for Telling {
    fn event(&mut self, event: &Event) {
        // Nobody listens only once everything has ended.
        let _ = self.0.send(event.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn there_are_as_many_bays_as_cores_and_memory_allow() {
        assert_eq!(allowed(4, 8, Some(64 * GIB)), 4);
        assert_eq!(allowed(4, 2, Some(64 * GIB)), 2);
        // 3 GiB each: two fit into 8.
        assert_eq!(allowed(4, 8, Some(8 * GIB)), 2);
        assert_eq!(allowed(4, 8, Some(GIB)), 1);
        assert_eq!(allowed(4, 8, None), 1);
        assert_eq!(allowed(0, 0, Some(64 * GIB)), 1);
    }

    #[test]
    fn one_environment_has_one_number() {
        let (numbers, environments) = numbered(["a", "b", "c", "a", "b"].into_iter());
        assert_eq!((numbers, environments), (vec![0, 1, 2, 0, 1], 3));
        assert_eq!(numbered(std::iter::empty()), (vec![], 0));
    }

    #[test]
    fn what_is_run_from_its_tree_has_a_tree_for_each_environment() {
        let hall = |bays, at_once| Hall { bays, at_once };
        assert_eq!(Hall::with(4, 2, false, true), hall(4, 2));
        assert_eq!(Hall::with(4, 2, true, true), hall(2, 2));
        assert_eq!(Hall::with(4, 2, true, false), hall(2, 2));
        // The user's own directory is there once.
        assert_eq!(Hall::with(4, 2, false, false), hall(1, 1));
        assert_eq!(Hall::with(0, 1, false, true), hall(1, 1));
    }

    #[test]
    fn checkouts_of_both_sides_have_paths_of_one_length() {
        let side = |name: SideName| Side {
            name,
            subject: Subject::Commit { commit: "c".into(), checkout: name.word().into() },
            root: name.word().into(),
            commit: None,
            label: String::new(),
        };
        let sides = SideName::BOTH.map(side);
        let [base, head] = sides_in(1, &sides);
        assert_eq!((base.root.to_str(), head.root.to_str()), (Some("base.1"), Some("head.1")));
        assert_eq!(sides_in(0, &sides)[0].root, sides[0].root);
    }
}
