//! All suites and environments made ready: several environments at a time, as far as cores and memory
//! go.
//!
//! A bay is a pair of checkouts. What is prepared in one bay is prepared one after the other, for builds
//! leave files in their tree; bays know nothing of each other. All threads have ended before anything is
//! measured.

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

/// The bay of each group: those of one environment are in one, environments take turns.
fn assigned(names: &[&str], bays: usize) -> Vec<usize> {
    let mut seen: Vec<&str> = Vec::new();
    let mut place = |name| {
        seen.iter().position(|other| *other == name).unwrap_or_else(|| {
            seen.push(name);
            seen.len() - 1
        })
    };
    names.iter().map(|name| place(*name) % bays).collect()
}

fn bays(plan: &Plan<'_>) -> usize {
    // What others keep between runs is by suite and side, whatever the environment.
    let is_apart = |group: &Planned<'_>| group.harness.language() == Some(Language::Python);
    if !plan.groups.iter().all(is_apart) {
        return 1;
    }
    let mut names: Vec<&str> = plan.groups.iter().map(|group| group.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let machine = Machine::read();
    let memory = machine.memory_bytes.into_iter().chain(machine.limits.memory_bytes).min();
    allowed(names.len(), bench_process::allowed_cores().len(), memory)
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
    let bays = bays(plan);
    let sides: Vec<[Side; 2]> = (0..bays).map(|bay| sides_in(bay, &plan.sides)).collect();
    for side in sides.iter().flatten() {
        job.sides.lay_out(side.name, &side.root, config).map_err(|error| RunFailure {
            side: side.name,
            stage: "checkout".to_owned(),
            message: job.identity.redactor.text(&error.to_string()).into_owned(),
            stderr_tail: String::new(),
        })?;
    }
    let names: Vec<&str> = plan.groups.iter().map(|group| group.name.as_str()).collect();
    let of_bay = assigned(&names, bays);
    let (has_failed, (sender, told)) = (AtomicBool::new(false), channel());
    let mut made = std::thread::scope(|scope| {
        let threads: Vec<_> = sides
            .iter()
            .enumerate()
            .map(|(bay, sides)| {
                let groups = plan.groups.iter().enumerate().filter({
                    let of_bay = &of_bay;
                    move |(at, _)| of_bay[*at] == bay
                });
                let mut listener = Telling(sender.clone());
                let has_failed = &has_failed;
                scope.spawn(move || {
                    one_bay(workshop, plan, groups, sides, has_failed, &mut listener)
                })
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

type Made = (usize, Result<Prepared, RunFailure>);

fn one_bay<'a>(
    workshop: &Workshop<'_>,
    plan: &Plan<'_>,
    groups: impl Iterator<Item = (usize, &'a Planned<'a>)>,
    sides: &[Side; 2],
    has_failed: &AtomicBool,
    listener: &mut dyn Listener,
) -> Vec<Made> {
    let mut made = Vec::new();
    for (at, planned) in groups {
        if has_failed.load(Ordering::Relaxed) {
            break;
        }
        let environment = is_one_of_several(plan, &planned.name).then_some(planned.name.as_str());
        let prepared = prepare::prepare(workshop, planned, sides, (at, environment), listener)
            .map_err(|failure| placed(environment, failure));
        has_failed.fetch_or(prepared.is_err(), Ordering::Relaxed);
        made.push((at, prepared));
    }
    made
}

fn is_one_of_several(plan: &Plan<'_>, name: &str) -> bool {
    plan.groups.iter().any(|group| group.name != name)
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
    fn one_environment_stays_in_one_bay() {
        assert_eq!(assigned(&["a", "b", "c", "a", "b"], 2), [0, 1, 0, 0, 1]);
        assert_eq!(assigned(&["a", "b", "a"], 1), [0, 0, 0]);
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
