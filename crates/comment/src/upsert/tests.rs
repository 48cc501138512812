//! The machine against a small world of comments, alone and in company.

use super::*;
use crate::body::compose;
use crate::{Commit, Key};
use proptest::prelude::*;

/// The commit of one character.
fn commit(letter: char) -> String {
    letter.to_string().repeat(40)
}

fn marker(head: char, run: u64) -> Marker {
    let (key, content) = (Key::new("bench").unwrap(), Content::Results);
    Marker { key, head: Commit::new(&commit(head)).unwrap(), run, attempt: 1, content }
}

fn report(marker: Marker) -> Report {
    Report { marker, news: News::Some }
}

/// The comments of one pull request.
#[derive(Clone, Debug, Default)]
struct World {
    comments: Vec<Comment>,
    last: u64,
    head: String,
    /// Writes and deletions, in order: what and by whom.
    log: Vec<String>,
}

impl World {
    fn at(head: char) -> Self {
        Self { head: commit(head), ..Self::default() }
    }

    fn add(&mut self, body: String, by_us: bool) -> u64 {
        self.last += 1;
        let (id, url) = (self.last, format!("https://example.org/{}", self.last));
        self.comments.push(Comment { id, body, by_us, url });
        id
    }

    fn has(mut self, marker: &Marker) -> Self {
        self.add(compose(marker, "old report", None, Size::Full), true);
        self
    }

    /// Does what the machine asks for; none at the end.
    fn perform(&mut self, machine: &Upsert) -> Option<Outcome> {
        let text = |draft: &Draft| {
            compose(&machine.report.marker, "report", draft.kept.as_ref(), draft.size)
        };
        let gone = Outcome::Failed(WriteError::Gone);
        self.log.push(format!("{}: {:?}", machine.report.marker.run, machine.next()));
        Some(match machine.next() {
            Action::List(_) => {
                Outcome::Listed { comments: self.comments.clone(), head: self.head.clone() }
            }
            Action::Create(draft) => {
                let id = self.add(text(draft), true);
                Outcome::Written(Posted { id, url: String::new() })
            }
            Action::Update { id, draft } => {
                match self.comments.iter_mut().find(|comment| comment.id == *id) {
                    None => gone,
                    Some(comment) => {
                        assert!(comment.by_us, "somebody else's comment");
                        comment.body = text(draft);
                        Outcome::Written(Posted { id: *id, url: String::new() })
                    }
                }
            }
            Action::Delete { id } => {
                match self.comments.iter().position(|comment| comment.id == *id) {
                    None => gone,
                    Some(at) => {
                        assert!(self.comments.remove(at).by_us, "somebody else's comment");
                        Outcome::Deleted
                    }
                }
            }
            Action::End(_) => return None,
        })
    }

    fn run(&mut self, report: Report, mode: Mode) -> Ending {
        let mut machine = Upsert::new(report, mode);
        while let Some(outcome) = self.perform(&machine) {
            machine.apply(outcome);
        }
        ending(&machine)
    }

    /// The markers of our comments with the tests' key.
    fn ours(&self) -> Vec<Marker> {
        let ours = self.comments.iter().filter(|comment| comment.by_us);
        ours.filter_map(|comment| Marker::of(&comment.body))
            .filter(|marker| marker.key.as_str() == "bench")
            .collect()
    }
}

fn ending(machine: &Upsert) -> Ending {
    match machine.next() {
        Action::End(ending) => ending.clone(),
        other => panic!("not at its end: {other:?}"),
    }
}

#[test]
fn the_first_run_creates_and_the_next_updates() {
    let mut world = World::at('a');
    assert!(matches!(world.run(report(marker('a', 1)), Mode::Always), Ending::Created(_)));
    world.head = commit('b');
    assert!(matches!(world.run(report(marker('b', 2)), Mode::Always), Ending::Updated(_)));
    assert_eq!(world.ours(), [marker('b', 2)]);
}

#[test]
fn the_same_run_may_report_again() {
    let mut world = World::at('a').has(&marker('a', 1));
    assert!(matches!(world.run(report(marker('a', 1)), Mode::Always), Ending::Updated(_)));
    assert!(world.comments[0].body.ends_with("report\n"));
    assert!(!world.comments[0].body.contains("old report"));
}

#[test]
fn an_older_run_that_ends_last_changes_nothing() {
    let before = World::at('b').has(&marker('b', 2));
    let mut world = before.clone();
    let ending = world.run(report(marker('a', 1)), Mode::Always);
    assert_eq!(ending, Ending::Superseded(marker('b', 2)));
    assert_eq!(world.comments, before.comments);
}

#[test]
fn other_peoples_comments_and_other_keys_are_left_alone_whatever_they_hold() {
    let mut world = World::at('a');
    let forged = compose(&marker('a', 0), "mine", None, Size::Full);
    world.add(forged.clone(), false);
    let key = Key::new("other").unwrap();
    let other = compose(&Marker { key, ..marker('a', 9) }, "other", None, Size::Full);
    world.add(other.clone(), true);
    world.add(format!("quoted:\n{forged}"), true);
    let before = world.comments.clone();
    assert!(matches!(world.run(report(marker('a', 1)), Mode::Always), Ending::Created(_)));
    assert_eq!(world.comments[..3], before);
    assert_eq!(world.comments.len(), 4);
}

#[test]
fn of_two_comments_of_ours_the_oldest_stays_with_the_newest_state() {
    let mut world = World::at('b').has(&marker('a', 1)).has(&marker('b', 2));
    assert!(matches!(world.run(report(marker('b', 3)), Mode::Always), Ending::Updated(_)));
    assert_eq!(world.comments.len(), 1);
    assert_eq!((world.comments[0].id, world.ours()), (1, vec![marker('b', 3)]));
}

#[test]
fn a_comment_is_created_as_the_mode_says_and_one_that_exists_is_always_brought_up_to_date() {
    let quiet = |run| Report { news: News::None, ..report(marker('a', run)) };
    assert_eq!(World::at('a').run(quiet(1), Mode::Changes), Ending::NotNeeded);
    assert_eq!(World::at('a').run(report(marker('a', 1)), Mode::Never), Ending::NotNeeded);
    let created = World::at('a').run(report(marker('a', 1)), Mode::Changes);
    assert!(matches!(created, Ending::Created(_)));
    for mode in [Mode::Changes, Mode::Never] {
        let mut world = World::at('a').has(&marker('a', 1));
        assert!(matches!(world.run(quiet(2), mode), Ending::Updated(_)));
    }
}

#[test]
fn a_failed_head_is_said_above_the_old_table() {
    let mut world = World::at('b').has(&marker('a', 1));
    let failed = Marker { content: Content::Nothing, ..marker('b', 2) };
    world.run(report(failed.clone()), Mode::Always);
    let body = &world.comments[0].body;
    assert_eq!(Marker::of(body), Some(failed));
    let (new, old) = (body.find("report"), body.find("old report"));
    assert!(new < old && old.is_some(), "{body}");
    assert!(body.contains("The last results are of aaaaaaa"));
    // The next results stand alone.
    world.run(report(marker('b', 3)), Mode::Always);
    assert!(!world.comments[0].body.contains("old report"));
}

/// Applies failures to the first writes.
fn run_with(world: &mut World, failures: Vec<(WriteError, bool)>) -> Ending {
    let mut machine = Upsert::new(report(marker('a', 1)), Mode::Always);
    let mut failures = failures.into_iter();
    loop {
        let is_write = matches!(machine.next(), Action::Create(_) | Action::Update { .. });
        let failure = if is_write { failures.next() } else { None };
        let outcome = match failure {
            Some((error, is_done)) => {
                if is_done {
                    world.perform(&machine);
                }
                Some(Outcome::Failed(error))
            }
            None => world.perform(&machine),
        };
        match outcome {
            Some(outcome) => machine.apply(outcome),
            None => return ending(&machine),
        }
    }
}

fn server() -> Refusal {
    Refusal::Server { what: "x".into(), status: 502, message: String::new() }
}

#[test]
fn after_a_failure_on_the_way_it_looks_before_it_writes_again() {
    for is_done in [true, false] {
        let mut world = World::at('a');
        let ending = run_with(&mut world, vec![(WriteError::Unclear(server()), is_done)]);
        assert!(matches!(ending, Ending::Created(_)), "{ending:?}");
        assert_eq!(world.ours(), [marker('a', 1)]);
        let creations = world.log.iter().filter(|line| line.contains("Create("));
        assert_eq!(creations.count(), 1, "{:?}", world.log);
    }
}

#[test]
fn a_server_that_keeps_failing_is_given_up_on() {
    let failures = vec![(WriteError::Unclear(server()), false); 9];
    assert_eq!(run_with(&mut World::at('a'), failures), Ending::Refused(server()));
}

#[test]
fn a_text_that_is_too_long_is_made_shorter_twice() {
    let too_long = |times| vec![(WriteError::TooLong, false); times];
    let mut world = World::at('a');
    assert!(matches!(run_with(&mut world, too_long(2)), Ending::Created(_)));
    assert!(world.log.iter().any(|line| line.contains("Create") && line.contains("Shortest")));
    assert_eq!(run_with(&mut World::at('a'), too_long(3)), Ending::TooLong);
}

#[test]
fn a_comment_that_was_deleted_meanwhile_is_created_once() {
    let mut world = World::at('a').has(&marker('a', 1));
    let mut machine = Upsert::new(report(marker('a', 2)), Mode::Always);
    let outcome = world.perform(&machine).unwrap();
    machine.apply(outcome);
    world.comments.clear();
    while let Some(outcome) = world.perform(&machine) {
        machine.apply(outcome);
    }
    assert!(matches!(ending(&machine), Ending::Created(_)));
    assert_eq!(world.ours(), [marker('a', 2)]);
}

#[test]
fn a_refusal_ends_it_and_nothing_is_tried_again() {
    let refusal = Refusal::Locked { what: "x".into() };
    let failures = vec![(WriteError::Refused(refusal.clone()), false)];
    let mut world = World::at('a');
    assert_eq!(run_with(&mut world, failures), Ending::Refused(refusal));
    assert_eq!(world.comments, []);
}

#[test]
fn a_list_that_lags_behind_makes_no_second_comment() {
    let mut machine = Upsert::new(report(marker('a', 1)), Mode::Always);
    let empty = || Outcome::Listed { comments: Vec::new(), head: commit('a') };
    machine.apply(empty());
    let posted = Posted { id: 7, url: String::new() };
    machine.apply(Outcome::Written(posted.clone()));
    machine.apply(empty());
    assert_eq!(ending(&machine), Ending::Created(posted));
}

/// Runs reporters at once: each step of the schedule lets one of them do one thing. Returns when
/// each has last looked and last written.
fn together(world: &mut World, reports: &[Report], schedule: &[usize]) -> Vec<(usize, usize)> {
    let mut machines: Vec<Upsert> =
        reports.iter().map(|report| Upsert::new(report.clone(), Mode::Always)).collect();
    let mut times = vec![(0, 0); machines.len()];
    let count = machines.len();
    let rest = (0..count * 60).map(|n| n % count);
    let order = schedule.iter().map(|n| n % count).chain(rest);
    for (now, who) in order.enumerate() {
        let machine = &mut machines[who];
        match machine.next() {
            Action::List(_) => times[who].0 = now,
            Action::Update { .. } => times[who].1 = now,
            _ => {}
        }
        if let Some(outcome) = world.perform(machine) {
            machine.apply(outcome);
        }
    }
    for machine in &machines {
        let ending = ending(machine);
        assert!(!matches!(ending, Ending::Contended | Ending::Refused(_)), "{ending:?}");
    }
    times
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn of_reporters_at_once_one_comment_is_left_and_the_newest_state_in_it(
        count in 2usize..4,
        start in prop::option::of(1usize..3),
        schedule in prop::collection::vec(0usize..4, 0..40),
        order in 0usize..6,
    ) {
        let mut world = World::at('b');
        for run in 0..start.unwrap_or(0) {
            world = world.has(&marker('a', run as u64 + 1));
        }
        world.add("a person".into(), false);
        let mut runs: Vec<u64> = (10..10 + count as u64).collect();
        runs.rotate_left(order % count);
        let reports: Vec<Report> = runs.iter().map(|run| report(marker('b', *run))).collect();
        let times = together(&mut world, &reports, &schedule);
        let newest = (0..count).max_by_key(|at| runs[*at]).unwrap();
        let ours = world.ours();
        prop_assert_eq!(ours.len(), 1, "{:#?}", world.log);
        // GitHub cannot compare and swap: what an older run had decided before the newest wrote, and
        // writes only after the newest has looked again, is not seen by anybody.
        let is_blind = (0..count).any(|at| at != newest && times[at].1 > times[newest].0);
        if !is_blind {
            prop_assert_eq!(ours[0].run, runs[newest], "{:#?}", world.log);
        }
        prop_assert!(world.comments.iter().any(|comment| comment.body == "a person"));
    }
}
